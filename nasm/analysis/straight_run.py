"""What a queue would execute if nothing held it up: registers and branches, and nothing else."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any

from nasm.analysis.flow import Flow, written_registers
from nasm.base.problems import Refused
from nasm.base.records import dataclass, field
from nasm.machine.findings import Findings
from nasm.machine.outlines import Outline
from nasm.machine.state import UNKNOWN, EngineState, Registers
from nasm.program.footprint.traits import Traits
from nasm.program.program import Program
from nasm.views.regions import Region
from nasm.views.view import View

MOST_STEPS = 20_000
"""How many times a block is walked through at the most."""


@dataclass
class ExecutedPath:
    """What is executed from some pc on: how often each run of pcs, and where that is known to.

    ``stopped`` is the pc from which on nothing is known: the length of the queue if that ended.
    """

    length: int
    stopped: int = 0
    stretches: Counter[tuple[int, int]] = field(default_factory=Counter)

    @property
    def whole(self) -> bool:
        """Whether it is known to the end of the queue."""
        return self.stopped == self.length

    @cached_property
    def times(self) -> list[int]:
        """How often each instruction is executed, as far as it is known."""
        changes = [0] * (self.length + 1)
        for (first, stop), count in self.stretches.items():
            changes[first] += count
            changes[stop] -= count
        return list(accumulate(changes))


class Sequencer:
    """The registers of a queue, and the instructions that set and compare them.

    What is loaded from memory is unknown.
    """

    def __init__(self, program: Program, queue: int, registers: Registers | None = None) -> None:
        self.program, self.queue, self.lines = program, queue, program.queues[queue]
        self.registers = registers or Registers(program.generation.registers, queue)
        self._unheard = Findings(
            program, lambda: (queue, 0), _no_region
        )  # it is the run that reports
        self._outlines: dict[int, Outline] = {}

    def execute(self, pc: int) -> None:
        """Set the registers that an instruction sets."""
        outline = self._outline(pc)
        if outline.traits.blind:
            result = UNKNOWN
        else:
            try:
                result = outline.start(0)
            except Refused:
                result = UNKNOWN
        outline.finish(result)

    def taken(self, pc: int) -> bool | None:
        """Whether a branch is taken as the registers are; None if that is not known."""
        try:
            jump = self.effect(pc)
        except Refused:
            return None
        taken: bool = jump.target is not None
        return taken

    def effect(self, pc: int) -> Any:
        """The effect of an instruction as the registers are; raises Refused if it is not known."""
        return self._outline(pc).values()

    def _outline(self, pc: int) -> Outline:
        number = self.lines.instructions[pc]
        found = self._outlines.get(number)
        if found is None:
            instruction = self.program.instructions[number]
            shape = instruction.shape(self.lines.engine, self.program.generation)
            found = self._outlines[number] = Outline(
                Traits(shape, self.lines.core),
                instruction.operands,
                self.registers,
                EngineState(),
                self._unheard,
                0,
            )
        return found


def walk(flow: Flow, pc: int, sequencer: Sequencer) -> Iterator[tuple[int, int]]:
    """The runs of pcs that a queue would execute from a pc on, each before its branch is decided.

    It ends at the end of the queue, or at a branch of which nothing is known, which is the last
    thing it yields: with nothing between its two pcs.
    """
    program = flow.program
    setting = {n for n, i in enumerate(program.instructions) if written_registers(i)}
    matter = [n for n, at in enumerate(program.queues[flow.queue].instructions) if at in setting]
    for _ in range(MOST_STEPS):
        if pc >= flow.length:
            break
        stop = flow.starts[flow.block(pc) + 1]
        for at in matter[bisect_left(matter, pc) : bisect_left(matter, stop)]:
            sequencer.execute(at)
        yield pc, stop
        pc, branch = stop, flow.branches.get(stop - 1)
        if branch is not None:
            taken = sequencer.taken(branch.pc)
            if taken is None:
                pc = branch.pc
                break
            if taken:
                pc = branch.target
    yield pc, pc


def executed_path(flow: Flow, pc: int, registers: Registers) -> ExecutedPath:
    """What a queue would execute from a pc on, with some registers."""
    made = ExecutedPath(flow.length)
    if not flow.branches:
        made.stretches[pc, flow.length] += 1
        made.stopped = flow.length
        return made
    mine = Registers(len(registers.values), flow.queue)
    mine.restore(registers.save())
    for first, stop in walk(flow, pc, Sequencer(flow.program, flow.queue, mine)):
        made.stretches[first, stop] += 1
        made.stopped = stop
    return made


def _no_region(view: View) -> Region:
    raise AssertionError(f"{view} is not touched: only registers are")
