"""What happens when an instruction starts: it acts, its unit is at work, the rest comes later."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

from nasm.targets.tensix.core import findings
from nasm.targets.tensix.core.dst_use import USING, dst_use
from nasm.targets.tensix.core.durations import moved, packed, unpacked
from nasm.targets.tensix.core.fields import Fields, fields_of
from nasm.targets.tensix.core.reading import Reads, begin
from nasm.targets.tensix.core.tensix import Issued, Tensix
from nasm.targets.tensix.lanes import scheduling
from nasm.targets.tensix.lanes.macros import displaced, pass_cycle, pending_of
from nasm.targets.tensix.lanes.unit import backdoor
from nasm.targets.tensix.matrix.timing import ADDRESS_CYCLES, MATRIX_UNIT
from nasm.targets.tensix.scalar.timing import PACES
from nasm.targets.tensix.state import U8
from nasm.targets.tensix.sync.gate import look
from nasm.targets.tensix.waiting import SRC, mutex_part, semaphore_parts
from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.units import MATRIX, SCALAR, VECTOR

Done = Callable[[], None]
Act = Callable[[], Done | None]
Semantics = Callable[..., Done | None]
_GIVEN: Final = frozenset({"core", "thread", "quirks"})
_CONFIG: Final = frozenset({"WRCFG", "RDCFG"})
_ATOMIC: Final = frozenset({"ATINCGET", "ATSWAP"})
_LATCHED: Final = frozenset({"STALLWAIT", "SEMWAIT"})
_SFPNOP: Final = WORDS["SFPNOP"].opcode << 24
_OF_SEMAPHORES: Final = frozenset({"SEMINIT", "SEMPOST", "SEMGET"})
_SEEN_LATER: Final = frozenset({*_OF_SEMAPHORES, "SETDVALID", "ATRELM"})


def started(mnemonic: str, semantics: Semantics) -> Callable[[Tensix, int, int], Done]:
    """What starts an instruction: called with the core, the thread and the word.

    The semantics get the fields that they name. What is returned lets happen what is due.
    Raises TypeError where they name a field that the word does not have.
    """
    unit, opcode = WORDS[mnemonic].unit, WORDS[mnemonic].opcode << 24
    start = _BY_MNEMONIC.get(mnemonic, _BY_UNIT.get(unit.name, _at_once))
    bound = _bound(mnemonic, semantics)

    def run(core: Tensix, thread: int, word: int) -> Done:
        core.settle()
        if mnemonic in _LATCHED:
            look(core, thread, core)
            core.at(core.now + 1, None, ("look", thread))
        around = core.around
        issued = Issued(core.now, around.place, thread, mnemonic, opcode | word, around.record)
        fields = fields_of(mnemonic, word)
        act: Act = partial(bound(word), core, thread)
        if core.recent.configured:
            act = findings.watching(core, issued, act)
        start(core, issued, fields, act)
        return core.settle

    return run


def _bound(mnemonic: str, semantics: Semantics) -> Callable[[int], Callable[..., Done | None]]:
    """The semantics with the fields of a word, by the word."""
    parameters = inspect.signature(semantics).parameters.values()
    known = {one.name for one in WORDS[mnemonic].encoding.fields()}
    names = [p.name for p in parameters if p.name not in _GIVEN]
    optional = {p.name for p in parameters if p.default is not p.empty}
    missing = [name for name in names if name not in known and name not in optional]
    if missing:
        has = ", ".join(sorted(known))
        said = f"the word of {mnemonic} has no field {', '.join(missing)}; it has {has}"
        raise TypeError(said)
    names = [name for name in names if name in known]
    asks = any(p.name == "quirks" for p in parameters)

    @lru_cache(maxsize=1 << 12)
    def bind(word: int) -> Callable[..., Done | None]:
        fields = fields_of(mnemonic, word)
        held = {name: fields[name] for name in names}
        if not asks:
            return partial(semantics, **held)
        return lambda core, thread: semantics(core, thread, **held, quirks=core.quirks)

    return bind


def _later(core: Tensix, then: Done | None, cycles: int) -> None:
    if then is not None:
        core.at(core.now + cycles, then)


def _at_once(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """What the document gives a latency, or else a cycle."""
    pace = PACES.get(issued.mnemonic)
    _later(core, act(), 1 if pace is None else pace.latency)


def _next_cycle(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """Act in the next cycle: in this one, no thread sees what it changes."""

    def acts() -> None:
        act()
        core.changed(issued, *_shared_parts(issued.mnemonic, fields))

    core.at(core.now + 1, acts)


def _shared_parts(mnemonic: str, fields: Fields) -> tuple[str, ...]:
    """What other threads wait for of what an instruction changes, by the names of parts."""
    if mnemonic in _OF_SEMAPHORES:
        return semaphore_parts(fields["SemaphoreMask"])
    return (mutex_part(fields["Index"]),) if mnemonic == "ATRELM" else (SRC,)


def _with_banks(core: Tensix, issued: Issued, act: Act) -> Done | None:
    """Act, but for the banks that are handed over: these change owners in the next cycle."""
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
                    core.at(core.now + 1, partial(_hand_over, core, issued, owner, bank, new[bank]))
    return then


def _hand_over(core: Tensix, issued: Issued, owner: U8, bank: int, to: int) -> None:
    owner[bank] = to
    core.changed(issued, SRC)


def _clears(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    _next_cycle(core, issued, fields, act)
    core.recent.matrix = issued
    core.occupy("matrix", issued.thread, 1)
    core.changed(issued, "matrix")


def _matrix(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    using = issued.mnemonic in USING
    use = dst_use(core, issued.thread, issued.mnemonic, fields) if using else None
    flips = fields.get("FlipSrcA", 0) or fields.get("FlipSrcB", 0)
    _later(core, _with_banks(core, issued, act) if flips else act(), 1)
    recent = core.recent
    recent.matrix = issued
    if use is not None and use.writes:
        recent.dst[list(use.writes)] = core.now
        by = list(recent.by)
        for block in use.writes:
            by[block] = issued
        recent.by = tuple(by)
    core.occupy("matrix", issued.thread, MATRIX_UNIT[issued.mnemonic].latency)
    core.changed(issued, "matrix")


def _vector(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """An instruction of the vector unit, with what macros have put off until this cycle.

    One that becomes a template reads and writes nothing, as SFPNOP.
    """
    vector = core.vector
    if fields.get("VD", 0) >= 12 and backdoor(vector, issued.word):
        issued, act = issued._replace(mnemonic="SFPNOP", word=_SFPNOP), _nothing
    else:
        findings.of_vector(core, issued, fields)
    core.recent.vector = issued
    latency = scheduling.latency(issued.mnemonic, fields)
    core.occupy("vector", issued.thread, latency)
    core.changed(issued, "vector")
    if not pending_of(vector):
        act()
    else:
        lost = displaced(vector, issued.mnemonic) is not None
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


def _config(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    _at_once(core, issued, fields, act)
    core.recent.config = issued
    core.changed(issued, "cfg")
    findings.configures(core, issued, fields)


def _atomic(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    _at_once(core, issued, fields, act)
    core.recent.atomic = issued


def _unpack(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    """Numbers are there once they are read, at a speed that the other unpacker may slow down."""
    which = fields["WhichUnpacker"]
    if fields["CfgContextCntInc"] or fields["SearchCacheFlush"]:
        _later(core, act(), 1)
        return
    amount = unpacked(core, issued.thread, fields)
    findings.of_unpack(core, issued, fields)
    then = act()
    assert then is not None

    def done() -> None:
        then()
        core.changed(issued, SRC, f"unpack{which}")

    core.recent.unpack = issued
    reads = Reads(issued.thread, amount.lines, amount.speed, done, issued.place)
    first, second = core.reads
    core.reads = (first, reads) if which else (reads, second)
    core.at(core.now + ADDRESS_CYCLES, partial(begin, core, which), ("unpack", which))


def _unpack_nop(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    unit, then = f"unpack{fields['Unpack_block_selection']}", act()

    def done() -> None:
        if then is not None:
            then()
        core.changed(issued, SRC, unit)

    core.occupy(unit, issued.thread, 1)
    core.at(core.now + 1, done)


def _pack(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    found = packed(core, issued.thread, fields)
    findings.of_pack(core, issued, fields)
    _later(core, act(), max(found.values()))
    for packer, cycles in found.items():
        core.occupy(f"pack{packer}", issued.thread, cycles)
        core.changed(issued, f"pack{packer}")


def _move(core: Tensix, issued: Issued, fields: Fields, act: Act) -> None:
    cycles = moved(core, issued.thread)
    _later(core, act(), cycles)
    core.occupy("mover", issued.thread, cycles)
    core.changed(issued, "mover")


_Start = Callable[[Tensix, Issued, Fields, Act], None]
_BY_UNIT: Final[dict[str, _Start]] = {
    MATRIX.name: _matrix,
    VECTOR.name: _vector,
    SCALAR.name: _at_once,
}
_BY_MNEMONIC: Final[dict[str, _Start]] = {
    **dict.fromkeys(_CONFIG, _config),
    **dict.fromkeys(_ATOMIC, _atomic),
    **dict.fromkeys(_SEEN_LATER, _next_cycle),
    "CLEARDVALID": _clears,
    "UNPACR": _unpack,
    "UNPACR_NOP": _unpack_nop,
    "PACR": _pack,
    "XMOV": _move,
}
