"""Lines of a core that reach its registers and local memory, executed at once where they can be.

Which lines they are is only known as they are executed, so they are when a burst is planned, on
copies. What comes of them, and when, is what ``execute.py`` makes of them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from nasm.base.records import dataclass
from nasm.isa.core_state import Blocked, Burst, Place
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.memory_map import LOCAL
from nasm.targets.tensix.risc_state import QueuedStore, RiscCore
from nasm.targets.tensix.riscv import cores
from nasm.targets.tensix.riscv.code import IRAM, CodeLine, RiscCode
from nasm.targets.tensix.riscv.execute import BRANCHING, code_of
from nasm.targets.tensix.riscv.formats import WORD
from nasm.targets.tensix.riscv.interpreter import NOWHERE, Step, filled
from nasm.targets.tensix.riscv.late import IN_UNIT, STORES
from nasm.targets.tensix.riscv.operations import SIGNED_DIVISIONS, Does, IntegerTime, divide_cycles

LEAST: Final = 8
"""Lines that are worth it."""


class LocalAccess(NamedTuple):
    """A load or a store, which bursts execute of the local memory alone."""

    offset: int
    size: int
    signed: bool
    stores: bool


class QuickLine(NamedTuple):
    """A line of one word that reaches only registers, or maybe the local memory.

    ``step`` executes the former, ``access`` is of the latter. ``divides`` is None of what is no
    division, else whether that has signs; one that ``branches`` is predicted. It completes
    ``cycles`` after its start.
    """

    step: Step | None
    rs1: int
    rs2: int
    rd: int
    cycles: int
    divides: bool | None
    access: LocalAccess | None
    branches: bool


def quick(line: CodeLine) -> QuickLine | None:
    """A line as bursts execute it; None of one that they do not."""
    if len(line.decoded) != 1 or len(line.words) != 1 or line.address >= IRAM:
        return None
    (found,), (step,) = line.decoded, line.steps
    operation, access, divides = found.operation, None, None
    if operation.does in (Does.LOAD, Does.STORE):
        stores = operation.does is Does.STORE
        access = LocalAccess(found.immediate, operation.size, operation.signed, stores)
    elif step is None or operation.does is Does.NOTHING:
        return None
    if operation.time is IntegerTime.DIVIDE:
        divides = operation.name in SIGNED_DIVISIONS
    cycles = 1 + (operation.time is IntegerTime.MULTIPLY)
    branches = operation.does in BRANCHING
    return QuickLine(step, found.rs1, found.rs2, found.rd, cycles, divides, access, branches)


def quick_lines(code: RiscCode) -> list[QuickLine | None]:
    """All lines of some code so, decided once."""
    if len(code.quick) != len(code.lines):
        code.quick[:] = [quick(line) for line in code.lines]
    return code.quick


class LineRun(NamedTuple):
    """What a line of a burst has changed, and when what of it is over.

    ``register`` is an entry of registers, with its ``value`` and when that was ``ready`` before.
    The integer unit is ``busy`` until a tick; at another the line ``leaves`` the load/store unit.
    ``stored`` is a word of the local memory and what it was before, ``emitted`` when its store
    leaves the queue. The latest that wrote the register had ``left`` at a tick before.
    """

    register: int
    value: int
    ready: int
    busy: int
    leaves: int
    stored: tuple[int, int] | None
    emitted: QueuedStore | None
    left: int = 0


@dataclass(slots=True, eq=False)
class RiscBurst:
    """Lines of a core, executed on copies: see :class:`nasm.isa.core_state.Burst`.

    ``pcs`` are those of the lines, and of that which is next; ``local`` are the words of the local
    memory that were stored.
    """

    core: Tensix
    number: int
    registers: list[int]
    ready: list[int]
    left: list[int]
    pcs: list[int]
    starts: list[int]
    latencies: list[int]
    stalls: list[tuple[int, str]]
    runs: list[LineRun]
    local: dict[int, int]

    @property
    def settle(self) -> Callable[[], None]:
        """What lets happen what is due."""
        return self.core.settle

    @property
    def route(self) -> Sequence[int]:
        """The pcs of the lines, which jump."""
        return self.pcs[:-1]

    def perform(self, count: int, place: Callable[[int], Place]) -> bool:
        """Keep what the first lines have done."""
        for run in reversed(self.runs[count:]):
            self.registers[run.register], self.ready[run.register] = run.value, run.ready
            self.left[run.register] = run.left
            if run.stored is not None:
                self.local[run.stored[0]] = run.stored[1]
        risc, code, kept = self.core.riscs[self.number], self._code, self.runs[:count]
        line = quick_lines(code)[self.pcs[count - 1]]
        assert line is not None
        risc.registers[:] = self.registers[:NOWHERE]
        for index, value in self.local.items():
            risc.local[index] = value
        pipeline, start = risc.pipeline, self.core.around.now + self.starts[count - 1]
        pipeline.ready[:], pipeline.left[:] = self.ready[:NOWHERE], self.left[:NOWHERE]
        retires = self.core.chip.cores.retires
        risc.executed += count
        pipeline.free = kept[-1].busy
        pipeline.latest = max(start, pipeline.free - 1)
        loads = line.access is not None and not line.access.stores
        pipeline.forwarded = 0 if loads or (retires and line.cycles > 1) else line.rd
        pipeline.leaving = (*pipeline.leaving, *(run.leaves for run in kept))[-IN_UNIT:]
        emitted = (run.emitted for run in kept if run.emitted is not None)
        pipeline.stores = (*pipeline.stores, *emitted)[-STORES:]
        risc.line = self.pcs[count]
        return True

    @property
    def _code(self) -> RiscCode:
        return code_of(self.core, self.number)


def burst(core: Tensix, engine: int, ticks: int, blocked: Mapping[int, Blocked]) -> Burst | None:
    """The lines that a core can execute at once, from now on; None if there are few."""
    number = cores.number_of(engine)
    risc = core.riscs[number]
    if risc.begins or risc.watched or risc.stepping or core.late:
        return None
    now, change = core.around.now, core.next_change()
    ends = [change] if change is not None else []
    ends += [by.until for by in blocked.values() if by.until is not None]
    ticks = min((ticks, *(end - now - 1 for end in ends)))
    if ticks < LEAST:
        return None
    found = _planned(core, number, ticks)
    return found if len(found.starts) >= LEAST else None


def _planned(core: Tensix, number: int, ticks: int) -> RiscBurst:
    """Execute lines on copies, up to one that reaches more, or starts too late."""
    code, risc = code_of(core, number), core.riscs[number]
    lines, at, pipeline, now = quick_lines(code), code.at, risc.pipeline, core.around.now
    registers, ready = [*risc.registers.tolist(), 0], [*pipeline.ready.tolist(), 0]
    facts, left = core.chip.cores, [*pipeline.left.tolist(), 0]
    made = RiscBurst(core, number, registers, ready, left, [risc.line], [], [], [], [], {})
    pc, tick, free = risc.line, now, pipeline.free
    latest, forwarded, leave = pipeline.latest, pipeline.forwarded, pipeline.leaving[-1]
    window, queue = [*pipeline.leaving], [*pipeline.stores]
    changed = core.overwritten.tobytes() if core.altered else b""
    while True:
        line = lines[pc]
        if line is None or (changed and changed[(code.addresses[pc] - core.code_low) >> 2]):
            return made
        start, cause = _start(line, ready, window, tick, free, latest, forwarded)
        if start - now > ticks or (len(queue) >= STORES and queue[-STORES].tick > start):
            return made
        to = line.rd or NOWHERE
        value, was, had, done = registers[to], ready[to], left[to], NOT_STORED
        result = 0
        if line.step is None:
            found = _local(made, risc, line, queue, start)
            if found is None:
                return made
            there, forwarded, done = pc + 1, 0, found
            result = start + 2
        else:
            cycles = 1 if facts.retires else line.cycles
            if line.divides is not None:
                by = registers[line.rs1], registers[line.rs2]
                cycles = divide_cycles(*by, line.divides)
            elif line.branches:
                cycles = core.branch_cycles
            there = at.get(line.step(registers), pc)
            if there == pc:
                registers[to] = value
                return made
            free = start + cycles
            forwarded = 0 if facts.retires and line.cycles > 1 else line.rd
            result = start + cycles + (line.cycles - 1 if facts.retires else 0)
        if cause:
            made.stalls.append((len(made.starts), cause))
        latest = max(start, free - 1)
        leave = max(latest + 2, leave + 1)
        if facts.retires:
            ready[to], left[to] = min(leave, max(result, left[to])), leave
        else:
            ready[to] = leave
        window.append(leave)
        made.runs.append(LineRun(to, value, was, free, leave, *done, had))
        made.starts.append(start - now)
        made.latencies.append(line.cycles)
        made.pcs.append(there)
        pc, tick = there, start + 1


def _start(
    line: QuickLine,
    ready: Sequence[int],
    window: Sequence[int],
    tick: int,
    free: int,
    latest: int,
    forwarded: int,
) -> tuple[int, str]:
    """When a line may start, from a tick on, and what it waits for until then."""
    start, cause, rs1, rs2 = tick, "", line.rs1, line.rs2
    if free > start:
        start, cause = free, "integer"
    if len(window) >= IN_UNIT and window[-IN_UNIT] - 1 > start:
        start, cause = window[-IN_UNIT] - 1, "load"
    if rs1 != forwarded and ready[rs1] > start:
        start, cause = ready[rs1], "load"
    if rs2 != forwarded and ready[rs2] > start:
        start, cause = ready[rs2], "load"
    if start > latest + 1 and forwarded in (rs1, rs2) and ready[forwarded] > start:
        start, cause = ready[forwarded], "load"
    return start, cause


Stored = tuple[tuple[int, int] | None, QueuedStore | None]
NOT_STORED: Final[Stored] = (None, None)
"""A word that was stored and what it was before, and when its store is emitted, and where."""


def _local(
    made: RiscBurst, risc: RiscCore, line: QuickLine, queue: list[QueuedStore], start: int
) -> Stored | None:
    """Load or store in the local memory; None where it reaches more than that, or would wait."""
    access, registers = line.access, made.registers
    assert access is not None
    address = registers[line.rs1] + access.offset & WORD
    of_bytes = made.core.chip.cores.coalesces
    if not _reaches(risc, access, address, queue, start, of_bytes):
        return None
    index, shift = (address - LOCAL) >> 2, 8 * (address & 3)
    word, mask = made.local.get(index), (1 << 8 * access.size) - 1
    if word is None:
        word = int(risc.local[index])
    if not access.stores:
        found = word >> shift & mask
        registers[line.rd or NOWHERE] = filled(found, access.size) if access.signed else found
        return NOT_STORED
    made.local[index] = word & ~(mask << shift) | (registers[line.rs2] & mask) << shift
    emitted = QueuedStore.of(max(start + 1, queue[-1].tick if queue else 0), address, access.size)
    queue.append(emitted)
    return (index, word), emitted


def _reaches(
    risc: RiscCore,
    access: LocalAccess,
    address: int,
    queue: Sequence[QueuedStore],
    start: int,
    of_bytes: bool,
) -> bool:
    """Whether a load or store reaches the local memory, aligned, and waits for no store.

    A load waits for one to any ``of_bytes`` of its own, or to its address.
    """
    if not LOCAL <= address < LOCAL + 4 * len(risc.local) or address % access.size:
        return False
    last = queue[-STORES:]
    if len(last) == STORES and last[0].tick > start:
        return False
    if access.stores:
        return True
    waiting = [one for one in last if one.tick > start]
    if of_bytes:
        return not any(one.address < address + access.size and address < one.end for one in waiting)
    return not any(one.address == address for one in waiting)
