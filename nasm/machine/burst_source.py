"""What comes next in a queue: the instructions that a burst can be of."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat

from nasm.isa.core_state import Burst
from nasm.isa.micro_instructions import Micro, numbered
from nasm.program.program import Instruction, Program
from nasm.sim.burst_plan import Planned
from nasm.sim.queues import Queue

Foresee = Callable[[Instruction], Sequence[Instruction] | None]


class BurstSource:
    """Instructions of a queue from its pc on, in pieces: each what an instruction is expanded to.

    ``known`` says whether the queue may execute what something is expanded to. They end before one
    that waits for a semaphore, one that updates any, and where it is not known in advance what will
    be executed.
    """

    def __init__(
        self, program: Program, queue: Queue, known: Callable[[Sequence[Instruction]], bool]
    ) -> None:
        self.program, self.queue, self.known = program, queue, known
        self.instructions: list[Instruction] = []
        self.pcs: list[int] = []
        self.micros: list[int] = []
        self._begun: list[int] = []
        self._expansions: list[Sequence[Instruction]] = []

    def pieces(self, foresee: Foresee) -> Iterator[Sequence[Instruction]]:
        """The pieces, one after the other, each noted when it is asked for."""
        queue, program, lines = self.queue, self.program, self.program.queues[self.queue.index]
        pc, first = int(queue.pc), 0
        if pc >= queue.length or lines.updates[pc]:
            return
        if type(queue.pc) is Micro:
            piece, first = queue.expansion, queue.pc.micro
        else:
            piece = (program.instructions[lines.instructions[pc]],)
        expanded = type(queue.pc) is Micro
        while True:
            taken = piece[first:]
            if expanded and not self.known(taken):
                return
            self._note(pc, first, piece, taken, expanded)
            yield taken
            pc, first = pc + 1, 0
            if pc >= queue.length or lines.updates[pc] or program.waits[lines.waits[pc]]:
                return
            instruction = program.instructions[lines.instructions[pc]]
            found = foresee(instruction)
            if not found:
                return
            piece, expanded = found, len(found) > 1 or found[0] is not instruction

    def _note(
        self,
        pc: int,
        first: int,
        piece: Sequence[Instruction],
        taken: Sequence[Instruction],
        expanded: bool,
    ) -> None:
        self._begun.append(len(self.pcs))
        self._expansions.append(piece if expanded else ())
        self.instructions.extend(taken)
        self.pcs.extend(repeat(pc, len(taken)))
        self.micros.extend(range(first, len(piece)) if expanded else (-1,))

    def planned(self, burst: Burst) -> Planned:
        """A burst of the first of them, with what they are."""
        of = self.instructions, self.pcs, self.micros
        return Planned(burst, *of, self.place, self.expansion)

    def expansion(self, count: int) -> Sequence[Instruction]:
        """What the last of so many belongs to; nothing if it is no part of an expansion."""
        return self._expansions[bisect_left(self._begun, count) - 1]

    def place(self, number: int) -> int:
        """The pc of the instruction with a number, with which of its expansion it is."""
        pc, micro = self.pcs[number], self.micros[number]
        if micro < 0:
            return pc
        return numbered(pc, micro, self.expansion(number + 1))
