"""Lines of a core that reach nothing but its registers, executed at once where nothing interleaves.

Which lines they are is only known as they are executed, so they are when a burst is planned, on
copies. What comes of them, and when, is what ``execute.py`` makes of them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from nasm.base.records import dataclass
from nasm.isa.core_state import Blocked, Burst, Place
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.riscv import cores
from nasm.targets.tensix.riscv.code import IRAM, CodeLine, RiscCode
from nasm.targets.tensix.riscv.execute import IN_UNIT, code_of
from nasm.targets.tensix.riscv.interpreter import NOWHERE, Step
from nasm.targets.tensix.riscv.operations import SIGNED_DIVISIONS, Does, IntegerTime, divide_cycles

LEAST: Final = 8
"""Lines that are worth it."""


class QuickLine(NamedTuple):
    """A line of one word that reaches only registers: its step, and what its time depends on.

    ``divides`` is None of what is no division, else whether that has signs. It ``latency`` says
    when the line completes.
    """

    step: Step
    rs1: int
    rs2: int
    rd: int
    cycles: int
    divides: bool | None
    latency: int


def quick(line: CodeLine) -> QuickLine | None:
    """A line as bursts execute it; None of one that they do not."""
    if len(line.decoded) != 1 or len(line.words) != 1 or line.address >= IRAM:
        return None
    (found,), (step,) = line.decoded, line.steps
    operation = found.operation
    if step is None or operation.does is Does.NOTHING:
        return None
    divides = None
    if operation.time is IntegerTime.DIVIDE:
        divides = operation.name in SIGNED_DIVISIONS
    twice = operation.time is IntegerTime.MULTIPLY
    return QuickLine(step, found.rs1, found.rs2, found.rd, 1 + twice, divides, 1 + twice)


def quick_lines(code: RiscCode) -> list[QuickLine | None]:
    """All lines of some code so, decided once."""
    if len(code.quick) != len(code.lines):
        code.quick[:] = [quick(line) for line in code.lines]
    return code.quick


class Undone(NamedTuple):
    """What a line has changed: an entry of registers, and when that is there, as they were."""

    register: int
    value: int
    ready: int


@dataclass(slots=True, eq=False)
class RiscBurst:
    """Lines of a core, executed on copies: see :class:`nasm.isa.core_state.Burst`.

    ``pcs`` are those of the lines, and of that which is next. ``busy`` is, for each, the tick from
    which the integer unit is free, ``leaves`` when it leaves the load/store unit.
    """

    core: Tensix
    number: int
    registers: list[int]
    ready: list[int]
    pcs: list[int]
    starts: list[int]
    latencies: list[int]
    stalls: list[tuple[int, str]]
    undo: list[Undone]
    busy: list[int]
    leaves: list[int]

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
        for register, value, ready in reversed(self.undo[count:]):
            self.registers[register], self.ready[register] = value, ready
        risc, code = self.core.riscs[self.number], code_of(self.core, self.number)
        line = quick_lines(code)[self.pcs[count - 1]]
        assert line is not None
        risc.registers[:] = self.registers[:NOWHERE]
        pipeline, start = risc.pipeline, self.core.around.now + self.starts[count - 1]
        pipeline.ready[:] = self.ready[:NOWHERE]
        pipeline.free = self.busy[count - 1]
        pipeline.latest = max(start, pipeline.free - 1)
        pipeline.forwarded = line.rd
        leaves = (*pipeline.leaving, *self.leaves[:count])
        pipeline.leaving = leaves[-IN_UNIT:]
        risc.line = self.pcs[count]
        return True


def burst(core: Tensix, engine: int, ticks: int, blocked: Mapping[int, Blocked]) -> Burst | None:
    """The lines that a core can execute at once, from now on; None if there are few."""
    number = cores.number_of(engine)
    risc = core.riscs[number]
    if risc.begins or core.overwritten:
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
    """Execute lines on copies, up to one that reaches more than registers, or starts too late."""
    code, risc = code_of(core, number), core.riscs[number]
    lines, at, pipeline, now = quick_lines(code), code.at, risc.pipeline, core.around.now
    registers, ready = [*risc.registers.tolist(), 0], [*pipeline.ready.tolist(), 0]
    made = RiscBurst(core, number, registers, ready, [risc.line], [], [], [], [], [], [])
    pc, tick, free = risc.line, now, pipeline.free
    latest, forwarded, leave = pipeline.latest, pipeline.forwarded, pipeline.leaving[-1]
    window = [*pipeline.leaving]
    while True:
        line = lines[pc]
        if line is None:
            return made
        step, rs1, rs2, rd, cycles, divides, latency = line
        start, cause = tick, ""
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
        if start - now > ticks:
            return made
        if divides is not None:
            cycles = divide_cycles(registers[rs1], registers[rs2], divides)
        to = rd or NOWHERE
        before = Undone(to, registers[to], ready[to])
        there = at.get(step(registers))
        if there is None or there == pc:
            registers[to] = before.value
            return made
        if cause:
            made.stalls.append((len(made.starts), cause))
        free = start + cycles
        latest, forwarded = max(start, free - 1), rd
        leave = max(latest + 2, leave + 1)
        ready[to] = leave
        window.append(leave)
        made.undo.append(before)
        made.starts.append(start - now)
        made.latencies.append(latency)
        made.busy.append(free)
        made.leaves.append(leave)
        made.pcs.append(there)
        pc, tick = there, start + 1
