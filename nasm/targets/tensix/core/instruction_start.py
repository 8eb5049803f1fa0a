"""What happens when an instruction starts: it acts, its unit is at work, the rest comes later."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

from nasm.targets.tensix.chips import CONFIGURING
from nasm.targets.tensix.core import findings, stores
from nasm.targets.tensix.core.dst_use import dst_use
from nasm.targets.tensix.core.durations import moved, packed, unpacked
from nasm.targets.tensix.core.l1_sharing import Reads, begin
from nasm.targets.tensix.core.pushed import front_of
from nasm.targets.tensix.core.tensix import Issued, Tensix
from nasm.targets.tensix.lanes.facts import Role, facts_of, lanes_of, the
from nasm.targets.tensix.lanes.macros import displaced, pass_cycle, pending_of
from nasm.targets.tensix.lanes.unit import TEMPLATES, backdoor
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT
from nasm.targets.tensix.matrix.timing import ADDRESS_CYCLES
from nasm.targets.tensix.matrix.unpack_job import job_of_fields
from nasm.targets.tensix.scalar.devices import refuse_in_reset
from nasm.targets.tensix.state import U8
from nasm.targets.tensix.sync.conditions import units_over
from nasm.targets.tensix.sync.gate import ALL_BLOCKS, look
from nasm.targets.tensix.unit_queries import SRC, mutex_part, semaphore_parts
from nasm.targets.tensix.words.units import MATRIX, UNPACK, VECTOR
from nasm.targets.tensix.words.word import Fields, Word

Done = Callable[[], None]
Act = Callable[[], Done | None]
Semantics = Callable[..., Done | None]
_GIVEN: Final = frozenset({"core", "thread", "quirks"})
Start = Callable[[Tensix, Issued, Fields, Act], None]
"""What happens when an instruction starts; it calls ``Act``, which executes the semantics."""


def started(
    word: Word, semantics: Semantics, start: Start | None = None
) -> Callable[[Tensix, int, int], Done]:
    """What starts an instruction: called with the core, the thread and the word.

    The semantics get the fields that they name. Without a ``start`` of its own it starts as others
    of its unit do. What is returned lets happen what is due.
    Raises TypeError where the semantics name a field that the word does not have.
    """
    mnemonic, opcode, fields_of = word.mnemonic, word.opcode << 24, word.fields_of
    start = start or _BY_UNIT.get(word.unit.name, at_once(1))
    bound, unit = _bound(word, semantics), word.unit.name
    owning, every = unit in (MATRIX.name, UNPACK.name), word.unit.every
    bits = sum(1 << bit for bit in word.unit.blocked)

    def run(core: Tensix, thread: int, word: int) -> Done:
        core.settle()
        around = core.around
        issued = Issued(core.now, around.place, thread, mnemonic, opcode | word, around.record)
        fields = fields_of(word)
        act: Act = partial(bound(word), core, thread)
        if core.lines[thread] is not None:
            front_of(core, thread).passed(core.now)
        if core.soft_reset:
            refuse_in_reset(core, mnemonic, unit)
        latch = core.threads[thread].latch
        if latch.ordering & bits and (not every or latch.ordering == ALL_BLOCKS):
            passed = units_over(core.chip.conditions, thread, latch.units)
            around.passed(thread, *passed, started=True)
            latch.ordering = 0
        if owning:
            around.passed(thread, SRC, started=True)
        if core.recent.configured:
            act = findings.watching(core, issued, act)
        if core.riscs[thread].stores:
            act = stores.watching(core, issued, act)
        start(core, issued, fields, act)
        return core.settle

    return run


def _bound(word: Word, semantics: Semantics) -> Callable[[int], Callable[..., Done | None]]:
    """The semantics with the fields of a word, by the word."""
    mnemonic, fields_of = word.mnemonic, word.fields_of
    parameters = inspect.signature(semantics).parameters.values()
    known = {one.name for one in word.encoding.fields()}
    names = [p.name for p in parameters if p.name not in _GIVEN]
    optional = {p.name for p in parameters if p.default is not p.empty}
    missing = [name for name in names if name not in known and name not in optional]
    if missing:
        has = ", ".join(sorted(known))
        text = f"the word of {mnemonic} has no field {', '.join(missing)}; it has {has}"
        raise TypeError(text)
    names = [name for name in names if name in known]
    asks = any(p.name == "quirks" for p in parameters)

    @lru_cache(maxsize=1 << 12)
    def bind(word: int) -> Callable[..., Done | None]:
        fields = fields_of(word)
        held = {name: fields[name] for name in names}
        if not asks:
            return partial(semantics, **held)
        return lambda core, thread: semantics(core, thread, **held, quirks=core.quirks)

    return bind


def _later(core: Tensix, then: Done | None, cycles: int) -> None:
    if then is not None:
        core.at(core.now + cycles, then)


def at_once(latency: int) -> Start:
    """Act, and do the rest after the cycles that the document gives."""

    def start(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
        _later(core, act(), latency)

    return start


def latching(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """Act on the latch of the wait gate, which has looked at it before, and does in a cycle."""
    look(core, issued.thread, core)
    stores.settle(core, issued, fields["ConditionMask"])
    core.at(core.now + 1, None, ("look", issued.thread))
    _later(core, act(), 1)


def latching_stream(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """The same of a wait for a stream."""
    look(core, issued.thread, core)
    core.at(core.now + 1, None, ("look", issued.thread))
    _later(core, act(), 1)


def next_cycle(parts: Callable[[Fields], tuple[str, ...]]) -> Start:
    """Act in the next cycle: in this one, no thread sees what it changes.

    ``parts`` are the names of what other threads wait for of that.
    """

    def start(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
        def acts() -> None:
            act()
            core.changed(issued, *parts(fields))

        core.at(core.now + 1, acts)

    return start


def posting(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """Post semaphores in the next cycle, and note which thread did."""
    _post(core, issued, fields, act)
    mask, before = fields["SemaphoreMask"], enumerate(core.recent.posted)
    core.recent.posted = tuple(issued.thread if mask >> n & 1 else by for n, by in before)


def of_semaphores(fields: Fields) -> tuple[str, ...]:
    """The semaphores that a word selects."""
    return semaphore_parts(fields["SemaphoreMask"])


def of_mutex(fields: Fields) -> tuple[str, ...]:
    """The mutex that a word names."""
    return (mutex_part(fields["Index"]),)


def of_banks(fields: Fields) -> tuple[str, ...]:
    """The owners of banks of SrcA and SrcB."""
    return (SRC,)


def with_banks(core: Tensix, issued: Issued, act: Act) -> Done | None:
    """Act, but for the banks that are released: these change owners in the next cycle."""
    m = core.matrix
    owners = m.owner_a, m.owner_b
    before = [o.tolist() for o in owners]
    then = act()
    after = [o.tolist() for o in owners]
    if before != after:
        for owner, old, new in zip(owners, before, after, strict=True):
            for bank in range(2):
                if old[bank] != new[bank]:
                    owner[bank] = old[bank]
                    over = partial(_hand_over, core, issued, owner, bank, new[bank])
                    core.at(issued.tick + 1, over, place=issued.place)
    return then


def _hand_over(core: Tensix, issued: Issued, owner: U8, bank: int, to: int) -> None:
    owner[bank] = to
    core.changed(issued, SRC)


_post: Final = next_cycle(of_semaphores)
_give_back: Final = next_cycle(of_banks)


def giving_back(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """Give banks back in the next cycle, and keep the matrix unit for this one."""
    _give_back(core, issued, fields, act)
    core.recent.matrix = issued
    core.occupy("matrix", issued.thread, 1)
    core.changed(issued, "matrix")


def _matrix(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    facts = MATRIX_UNIT[issued.mnemonic]
    assert facts.timing is not None
    use = None if facts.dst is None else dst_use(core, issued.thread, facts.dst, fields)
    flips = fields.get("FlipSrcA", 0) or fields.get("FlipSrcB", 0)
    _later(core, with_banks(core, issued, act) if flips else act(), 1)
    recent = core.recent
    recent.matrix = issued
    if use is not None and use.writes:
        recent.dst[list(use.writes)] = core.now
        by = list(recent.by)
        for block in use.writes:
            by[block] = issued
        recent.by = tuple(by)
    core.occupy("matrix", issued.thread, facts.timing.latency)
    core.changed(issued, "matrix")


def _vector(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """An instruction of the vector unit, with what macros have put off until this cycle.

    One that becomes a template reads and writes nothing, as the idle one.
    """
    vector = core.vector
    VD = fields.get("VD", 0)
    facts = facts_of(issued.mnemonic, lanes_of(core.chip))
    loads = VD >= TEMPLATES and facts.role is not Role.CONFIGURES
    if loads and backdoor(vector, issued.word, VD):
        idle = the(Role.IDLES)
        word = core.chip.words.by_name[idle].opcode << 24
        issued, act = issued._replace(mnemonic=idle, word=word), _nothing
    else:
        findings.of_vector(core, issued, fields)
    core.recent.vector = issued
    latency = facts_of(issued.mnemonic, lanes_of(core.chip)).latency_of(fields)
    core.occupy("vector", issued.thread, latency)
    core.changed(issued, "vector")
    if not pending_of(vector):
        act()
    else:
        lost = displaced(core, issued.mnemonic) is not None
        pass_cycle(core, _nothing if lost else lambda: _only(act), core.quirks)
    _macro(core, issued.thread)


def _only(act: Act) -> None:
    """Act, where that leaves nothing for later."""
    act()


def _nothing() -> None:
    return None


def _macro(core: Tensix, thread: int) -> None:
    """Let the next cycle pass for what macros have put off, if no instruction does."""
    if not pending_of(core.vector):
        return
    core.occupy("vector", thread, 2)
    cycle = core.now + 1

    def over() -> None:
        if core.recent.vector.tick < cycle:
            pass_cycle(core, None, core.quirks)
            if pending_of(core.vector):
                core.at(core.now + 1, over, "macro")

    core.at(cycle + 1, over, "macro")


def configuring(latency: int) -> Start:
    """Use the bank of the configuration, which keeps others out for a cycle."""

    def start(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
        _later(core, act(), latency)
        if CONFIGURING in core.chip.conditions:
            core.at(core.now + latency, None, CONFIGURING)
        core.recent.config = issued
        core.changed(issued, "cfg")

    return start


def writing_words(latency: int, words: Callable[[Tensix, Fields], range]) -> Start:
    """The same of what writes ``words`` only at its end, so that the next cycle reads old ones."""
    start = configuring(latency)

    def starts(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
        start(core, issued, fields, act)
        late = words(core, fields)
        core.recent.configured = tuple((word, issued.tick, issued) for word in late)

    return starts


def atomic(latency: int) -> Start:
    """Ask the memory for something atomic, which keeps it busy."""

    def start(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
        _later(core, act(), latency)
        core.recent.atomic = issued

    return start


def unpacking(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """Numbers are there once they are read, at a speed that the other unpacker may slow down."""
    which = fields["WhichUnpacker"]
    if fields["CfgContextCntInc"] or fields["SearchCacheFlush"]:
        _later(core, act(), 1)
        return
    job = job_of_fields(core, issued.thread, fields)
    amount = unpacked(job, fields)
    findings.of_unpack(core, issued, job)
    bank = None if job.to_dst() else core.matrix.unpack_b if which else core.matrix.unpack_a
    then = act()
    assert then is not None

    def done() -> None:
        then()
        core.changed(issued, SRC, f"unpack{which}")

    core.recent.unpack = issued
    reads = Reads(issued.thread, amount.lines, amount.speed, done, bank, issued.place)
    first, second = core.reads
    core.reads = (first, reads) if which else (reads, second)
    core.at(core.now + ADDRESS_CYCLES, partial(begin, core, which), ("unpack", which))


def clearing(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """Clear a bank, or give it away, by a turn of an unpacker."""
    unit, then = f"unpack{fields['Unpack_block_selection']}", act()

    def done() -> None:
        if then is not None:
            then()
        core.changed(issued, SRC, unit)

    core.occupy(unit, issued.thread, 1)
    core.at(core.now + 1, done)


def packing(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """Pack, each packer for as long as it takes."""
    found = packed(core, issued.thread, fields)
    findings.of_pack(core, issued, fields)
    _later(core, act(), max(found.values()))
    for packer, cycles in found.items():
        core.occupy(f"pack{packer}", issued.thread, cycles)
        core.changed(issued, f"pack{packer}")


def moving(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """Have the mover copy."""
    cycles = moved(core, issued.thread)
    _later(core, act(), cycles)
    core.occupy("mover", issued.thread, cycles)
    core.changed(issued, "mover")


_BY_UNIT: Final[dict[str, Start]] = {MATRIX.name: _matrix, VECTOR.name: _vector}
