"""Why an instruction may not start yet: the wait gate, its unit, banks, mutexes, rows of Dst."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from nasm.isa.held import Blocked
from nasm.targets.tensix.core.dst_use import USING, dst_use
from nasm.targets.tensix.core.fields import Fields, fields_of
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.lanes import scheduling
from nasm.targets.tensix.matrix import ownership
from nasm.targets.tensix.matrix.timing import ADDRESS_CYCLES, DST_STALL, held_after
from nasm.targets.tensix.scalar.forms import waits_to_store
from nasm.targets.tensix.scalar.memory import waits_for_fifo, waits_for_word
from nasm.targets.tensix.scalar.timing import AFTER_WRCFG, ATOMIC_INTERVAL
from nasm.targets.tensix.scalar.unit import hold, waits_for_unit, waits_to_flush
from nasm.targets.tensix.sync.gate import blocked, look
from nasm.targets.tensix.sync.mutexes import waits_for_mutex, waits_to_release, want
from nasm.targets.tensix.waiting import thread_name
from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.units import CONFIG, MATRIX, SCALAR, UNPACK, VECTOR, Unit

Waits = Callable[[Tensix, int, Fields, str], Blocked | None]


def _bits(unit: Unit) -> int:
    return sum(1 << bit for bit in unit.blocked)


_BLOCKS: Final = {name: (_bits(word.unit), word.unit.every) for name, word in WORDS.items()}
_READS_CONFIG: Final = frozenset({"RDCFG", "RMWCIB0", "RMWCIB1", "RMWCIB2", "RMWCIB3"})
_ATOMIC: Final = frozenset({"ATINCGET", "ATSWAP"})


def waits(core: Tensix, thread: int, mnemonic: str, word: int) -> Blocked | None:
    """What keeps an instruction at the wait gate; it is asked when its unit is free."""
    core.settle()
    look(core, thread, core)
    fields = fields_of(mnemonic, word)
    bits, every = _BLOCKS[mnemonic]
    found = _bubble(core, thread) or _latched(core, thread, bits, every)
    if found is None:
        if mnemonic == "ATGETM":
            want(core, thread, fields["Index"])
        by_unit = _BY_UNIT.get(WORDS[mnemonic].unit.name)
        found = None if by_unit is None else by_unit(core, thread, fields, mnemonic)
    if found is None and mnemonic in _OWN:
        found = _OWN[mnemonic](core, thread, fields, mnemonic)
    if found is None or found.until is not None:
        return found
    return replace(found, until=core.next_change())


def _bubble(core: Tensix, thread: int) -> Blocked | None:
    until = core.bubble[thread]
    if until <= core.now:
        return None
    return Blocked("front end", "the expander loses a cycle after a MOP", until)


def _latched(core: Tensix, thread: int, bits: int, every: bool) -> Blocked | None:
    """What a wait that is remembered at the gate holds up, with the name of that wait."""
    found = blocked(core, thread, bits, core, every=every)
    if found is None:
        return None
    return replace(found, said=f"{found.cause.upper()} holds it back, as {found.said}")


# -- the matrix unit


def _matrix(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    found = ownership.blocked(core, thread, mnemonic)
    if found is not None:
        return found
    last = core.recent.matrix
    until = last.tick + held_after(last.mnemonic, mnemonic) + 1
    if until > core.now:
        return Blocked(
            "matrix",
            f"the matrix unit takes no {mnemonic} so soon after {last.mnemonic}",
            until,
            on=("matrix",),
        )
    if mnemonic not in USING:
        return None
    reads = dst_use(core, thread, mnemonic, fields).reads
    if not reads:
        return None
    written = core.recent.dst[list(reads)]
    until = int(written.max()) + DST_STALL + 1
    if until <= core.now:
        return None
    block = max(reads, key=lambda block: int(core.recent.dst[block]))
    said = f"rows {8 * block} to {8 * block + 7} of Dst were just written"
    return Blocked("dst", said, until, on=("matrix",))


# -- the vector unit


def _vector(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    last = core.recent.vector
    if last.tick + 1 == core.now and scheduling.stalls(last.mnemonic, mnemonic):
        said = f"{last.mnemonic} takes two cycles"
        return Blocked("vector", said, core.now + 1, on=("vector",))
    return None


# -- the scalar unit and the configuration unit


def _scalar(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    found = waits_for_unit(core, thread)
    if found is None and mnemonic in _ATOMIC:
        until = core.recent.atomic.tick + ATOMIC_INTERVAL
        if until > core.now:
            return Blocked("atomic", "the atomic before it is still under way", until)
    return found


def _inside(waits: Waits) -> Waits:
    """A wait inside of the scalar unit, which keeps others out of it."""

    def held(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
        found = waits(core, thread, fields, mnemonic)
        if found is not None:
            hold(core, thread)
        return found

    return held


def _config(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    last = core.recent.config
    until = last.tick + AFTER_WRCFG + 1
    if mnemonic not in _READS_CONFIG or until <= core.now:
        return None
    return Blocked(
        "cfg", f"the configuration unit is busy with {last.mnemonic}", until, on=("cfg",)
    )


# -- unpackers and the mover


def _unpack(core: Tensix, thread: int, fields: Fields, mnemonic: str) -> Blocked | None:
    last = core.recent.unpack
    until = last.tick + ADDRESS_CYCLES
    if until > core.now:
        said = f"addresses for {last.mnemonic} of {thread_name(last.thread)} are still being made"
        return Blocked("unpack addresses", said, until)
    which = fields["Unpack_block_selection"]
    reads = core.reads[which]
    if reads is not None:
        said = f"unpacker {which} is busy with {thread_name(reads.thread)}"
        return Blocked("unit", said, on=(f"unpack{which}",))
    if mnemonic == "UNPACR":
        return ownership.blocked_unpack(
            core, thread, which, fields["CfgContextCntInc"], fields["SearchCacheFlush"]
        )
    return ownership.blocked_unpack_nop(core, thread, which, fields["NoOp"])


_BY_UNIT: Final[Mapping[str, Waits]] = {
    MATRIX.name: _matrix,
    VECTOR.name: _vector,
    SCALAR.name: _scalar,
    CONFIG.name: _config,
    UNPACK.name: _unpack,
}

_OWN: Final[Mapping[str, Waits]] = {
    "ATGETM": lambda core, thread, held, _: waits_for_mutex(core, thread, held["Index"]),
    "ATRELM": lambda core, thread, held, _: waits_to_release(held["Index"]),
    "FLUSHDMA": _inside(
        lambda core, thread, held, _: waits_to_flush(core, thread, held["ConditionMask"], core)
    ),
    "ATINCGETPTR": _inside(
        lambda core, thread, held, _: waits_for_fifo(
            core, thread, held["IntWidth"], held["Ofs"], held["AddrReg"]
        )
    ),
    "ATCAS": _inside(
        lambda core, thread, held, _: waits_for_word(
            core, thread, held["CmpVal"], held["Ofs"], held["AddrReg"]
        )
    ),
    "STOREIND": _inside(
        lambda core, _thread, held, _: waits_to_store(
            core, held["MemHierSel"], held["SizeSel"], held["RegSizeSel"]
        )
    ),
}
