"""Why an instruction may not start yet: the wait gate, its unit, banks, mutexes, rows of Dst."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from typing import Final

from nasm.base.problems import listed
from nasm.isa.core_state import Blocked
from nasm.targets.tensix.core.dst_use import dst_use
from nasm.targets.tensix.core.pushed import front_of
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.front.expanding import ExpanderAction, expander_name
from nasm.targets.tensix.lanes import scheduling
from nasm.targets.tensix.lanes.facts import lanes_of
from nasm.targets.tensix.matrix import ownership
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT
from nasm.targets.tensix.matrix.timing import ADDRESS_CYCLES, DST_STALL, cycles_blocked
from nasm.targets.tensix.scalar.forms import waits_to_store
from nasm.targets.tensix.scalar.memory import waits_for_fifo, waits_for_word
from nasm.targets.tensix.scalar.timing import AFTER_CONFIG, ATOMIC_INTERVAL
from nasm.targets.tensix.scalar.unit import hold, waits_for_unit, waits_to_flush
from nasm.targets.tensix.state import NO_LINES
from nasm.targets.tensix.sync.gate import blocked, look
from nasm.targets.tensix.sync.mutexes import waits_for_mutex, waits_to_release, want
from nasm.targets.tensix.unit_queries import thread_name
from nasm.targets.tensix.words.units import MATRIX, SCALAR, UNPACK, VECTOR
from nasm.targets.tensix.words.word import Fields, Word

_blocked: Final = lru_cache(maxsize=1 << 12)(Blocked)
"""Makes one of each: most are asked for again and again. No completion ends one by itself, but of
lines of a RISC-V core: what an instruction leaves for later happens at a tick of its own."""

Waits = Callable[[Tensix, int, Fields, str], Blocked | None]
"""Why an instruction of a thread may not start yet, by its fields and its mnemonic."""


def waiting(word: Word, own: Waits | None) -> Callable[[Tensix, int, int], Blocked | None]:
    """What keeps an instruction at the wait gate; it is asked when its unit is free.

    First the gate, then what all of its unit wait for, then its ``own`` reasons to wait.
    """
    mnemonic, every, fields_of = word.mnemonic, word.unit.every, word.fields_of
    bits = sum(1 << bit for bit in word.unit.blocked)
    by_unit = _BY_UNIT.get(word.unit.name)

    def waits(core: Tensix, thread: int, word: int) -> Blocked | None:
        core.settle()
        look(core, thread, core)
        fields = fields_of(word)
        found = _bubble(core, thread)
        if found is None and core.threads[thread].latch.block:
            found = _latched(core, thread, bits, every)
        if found is None and by_unit is not None:
            found = by_unit(core, thread, fields, mnemonic)
        if found is None and own is not None:
            found = own(core, thread, fields, mnemonic)
        if found is None:
            return None
        until = core.next_change() if found.until is None else found.until
        by_cores = core.lines != NO_LINES
        return _blocked(found.cause, found.reason, until, found.by, found.on, found.hint, by_cores)

    return waits


def _bubble(core: Tensix, thread: int) -> Blocked | None:
    if core.lines[thread] is not None:
        front = front_of(core, thread)
        if front.at_gate(core.now):
            return None
        return Blocked("front end", "it is still in front of its gate", front.next_step(core.now))
    until = core.bubble[thread]
    if until <= core.now:
        return None
    template = expander_name(ExpanderAction.TEMPLATE)
    message = f"its expanders record, set a mask, or lose a cycle after a {template}"
    return Blocked("front end", message, until)


def _latched(core: Tensix, thread: int, bits: int, every: bool) -> Blocked | None:
    """What a wait that is remembered at the gate holds up, with the name of that wait."""
    found = blocked(core, thread, bits, core, every=every)
    if found is None:
        return None
    hint = _posted_instead(core, thread)
    reason = f"{found.cause.upper()} holds it back, as {found.reason}"
    return _blocked(found.cause, reason, found.until, found.by, found.on, hint)


def _posted_instead(core: Tensix, thread: int) -> str:
    """Semaphores that were posted and are not 0, where a latch waits for others to be posted."""
    latch = core.threads[thread].latch
    if not latch.of_semaphores or not latch.conditions & 1 or max(core.recent.posted) < 0:
        return ""
    left = [
        f"{thread_name(by)} has posted semaphore {n}, which is {core.semaphores[n, 0]}"
        for n, by in enumerate(core.recent.posted)
        if by >= 0 and not latch.semaphores >> n & 1 and core.semaphores[n, 0]
    ]
    if not left:
        return ""
    return f"{listed(left, 'and')}: bit n of SemaphoreMask is semaphore n"


# -- the matrix unit


def _matrix(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    found = ownership.blocked(core, thread, mnemonic)
    if found is not None:
        return found
    last = core.recent.matrix
    until = last.tick + cycles_blocked(last.mnemonic, mnemonic) + 1
    if until > core.now:
        return Blocked(
            "matrix",
            f"the matrix unit takes no {mnemonic} so soon after {last.mnemonic}",
            until,
            on=("matrix",),
        )
    used = MATRIX_UNIT[mnemonic].dst
    if used is None:
        return None
    reads = dst_use(core, thread, used, fields).reads
    if not reads:
        return None
    written = core.recent.dst[list(reads)]
    until = int(written.max()) + DST_STALL + 1
    if until <= core.now:
        return None
    block = max(reads, key=lambda block: int(core.recent.dst[block]))
    message = f"rows {8 * block} to {8 * block + 7} of Dst were just written"
    return Blocked("dst", message, until, on=("matrix",))


# -- the vector unit


def _vector(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    last, chip = core.recent.vector, core.chip
    if last.tick + 1 != core.now or last.mnemonic not in lanes_of(chip):
        return None
    facts = lanes_of(chip)[last.mnemonic].facts
    if not (facts.interlocked or facts.scoreboard):
        return None
    its = chip.words.fields_of(last.mnemonic, last.word)
    if scheduling.delayed(last.mnemonic, its, mnemonic, fields, lanes_of(chip)):
        message = f"{last.mnemonic} takes two cycles"
        return Blocked("vector", message, core.now + 1, on=("vector",))
    return None


# -- the scalar unit and the configuration unit


def _scalar(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    return waits_for_unit(core, thread)


def for_atomic(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """The atomic before it, which the memory is still busy with."""
    until = core.recent.atomic.tick + ATOMIC_INTERVAL
    if until <= core.now:
        return None
    return Blocked("atomic", "the atomic before it is still in progress", until)


def _inside(waits: Waits) -> Waits:
    """A wait inside of the scalar unit, which keeps others out of it."""

    @wraps(waits)
    def held(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
        found = waits(core, thread, fields, mnemonic)
        if found is not None:
            hold(core, thread)
        return found

    return held


def for_configuration(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """The configuration unit, if it writes or reads the bank for longer than a cycle."""
    last = core.recent.config
    until = last.tick + AFTER_CONFIG + 1
    if until <= core.now:
        return None
    return Blocked(
        "cfg", f"the configuration unit is busy with {last.mnemonic}", until, on=("cfg",)
    )


@_inside
def to_flush(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """The conditions that it names."""
    return waits_to_flush(core, thread, fields["ConditionMask"], core)


@_inside
def for_fifo(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """Room in a FIFO of L1, or an element there."""
    return waits_for_fifo(core, thread, fields["IntWidth"], fields["Ofs"], fields["AddrReg"])


@_inside
def for_word(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """A value in a word of L1."""
    return waits_for_word(core, thread, fields["CmpVal"], fields["Ofs"], fields["AddrReg"])


@_inside
def to_store(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """The bank that it stores to."""
    return waits_to_store(core, fields["MemHierSel"], fields["SizeSel"], fields["RegSizeSel"])


# -- mutexes


def for_mutex(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """A mutex that no other thread holds.

    The thread is noted as one that wants it.
    """
    want(core, thread, fields["Index"])
    return waits_for_mutex(core, thread, fields["Index"])


def to_release(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """A mutex of its number: there is no mutex 1, and none above 7."""
    return waits_to_release(core, fields["Index"])


# -- unpackers


def _unpack(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    last = core.recent.unpack
    until = last.tick + ADDRESS_CYCLES
    if until > core.now:
        message = (
            f"addresses for {last.mnemonic} of {thread_name(last.thread)} are still being made"
        )
        return Blocked("unpack addresses", message, until)
    which = fields["Unpack_block_selection"]
    reads = core.reads[which]
    if reads is not None:
        message = f"unpacker {which} is busy with {thread_name(reads.thread)}"
        return Blocked("unit", message, on=(f"unpack{which}",))
    return None


def to_unpack(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """The bank that it unpacks to."""
    which = fields["Unpack_block_selection"]
    return ownership.blocked_unpack(
        core, thread, which, fields["CfgContextCntInc"], fields["SearchCacheFlush"]
    )


def to_clear(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """The bank that it clears."""
    which = fields["Unpack_block_selection"]
    return ownership.blocked_unpack_nop(core, thread, which, fields["NoOp"])


def to_clear_by_fields(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    """The bank that it clears."""
    if fields["Unpack_Pop"] != 1:
        return None
    which = fields["Unpack_block_selection"]
    return ownership.blocked_clear(core, which, bool(fields["Stall_Clr_Cntrl"]))


_BY_UNIT: Final[Mapping[str, Waits]] = {
    MATRIX.name: _matrix,
    VECTOR.name: _vector,
    SCALAR.name: _scalar,
    UNPACK.name: _unpack,
}
