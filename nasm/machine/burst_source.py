"""What comes next in a queue: the instructions that a burst can be of."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice, repeat

from nasm.isa.core_state import Burst
from nasm.isa.micro_instructions import Micro, numbered
from nasm.program.program import Instruction, Program
from nasm.sim.burst_plan import Planned
from nasm.sim.counters import Who
from nasm.sim.queues import Queue

TOGETHER = 32
"""Instructions of a piece, at most, that are executed themselves."""

Foresee = Callable[
    [Instruction, Callable[[], Sequence[tuple[Instruction, Who]]]], Sequence[Instruction] | None
]


class BurstSource:
    """Instructions of a queue from its pc on, in pieces.

    Each is what an instruction is expanded to, or some that are executed themselves. ``known`` says
    whether the queue may execute what something is expanded to. They end before one that waits for
    a semaphore, one that updates any, and where it is not known in advance what will be executed.
    """

    def __init__(
        self, program: Program, queue: Queue, known: Callable[[Sequence[Instruction]], bool]
    ) -> None:
        self.program, self.queue, self.known = program, queue, known
        self.lines = program.queues[queue.index]
        self.instructions: list[Instruction] = []
        self.pcs: list[int] = []
        self.micros: list[int] = []
        self._begun: list[int] = []
        self._expansions: list[Sequence[Instruction]] = []

    def pieces(self, foresee: Foresee) -> Iterator[Sequence[Instruction]]:
        """The pieces, one after the other, each noted when it is asked for."""
        queue, pc = self.queue, int(self.queue.pc)
        if pc >= queue.length or self.lines.updates[pc]:
            return
        if type(queue.pc) is Micro:
            if not self.known(queue.expansion[queue.pc.micro :]):
                return
            yield self._expanded(pc, queue.expansion, queue.pc.micro)
        else:
            yield self._plain(pc, [self.program.instructions[self.lines.instructions[pc]]])
        yield from self._following(pc + 1, foresee)

    def _following(self, pc: int, foresee: Foresee) -> Iterator[Sequence[Instruction]]:
        """What comes from a pc on; those that are executed themselves several at a time."""
        foreseen: dict[Instruction, Sequence[Instruction] | None] = {}
        itself: set[Instruction] = set()
        while some := self._free(pc):
            taken = 0
            for number, one in enumerate(some) if not itself.issuperset(some) else ():
                if one in itself:
                    continue
                if one not in foreseen:
                    found = foresee(one, partial(self._executed, pc + taken, some[taken:number]))
                    if found is not None and len(found) == 1 and found[0] is one:
                        itself.add(one)
                        continue
                    foreseen[one] = found
                if taken < number:
                    yield self._plain(pc + taken, some[taken:number])
                found = foreseen[one]
                if not found or not self.known(found):
                    return
                yield self._expanded(pc + number, found, 0)
                taken = number + 1
            if taken < len(some):
                yield self._plain(pc + taken, some[taken:])
            pc += len(some)

    def _executed(self, pc: int, last: Sequence[Instruction]) -> list[tuple[Instruction, Who]]:
        """Those after the first that are executed themselves so far, and the last ones from a pc.

        Each with its place.
        """
        noted = zip(self.instructions, self.pcs, self.micros, strict=True)
        found = [(one, at) for one, at, micro in islice(noted, 1, None) if micro < 0]
        found += zip(last, range(pc, pc + len(last)), strict=True)
        return [(one, (self.queue.index, at)) for one, at in found]

    def _free(self, pc: int) -> list[Instruction]:
        """Some instructions from a pc on, up to one that waits for a semaphore, or updates any."""
        lines, end = self.lines, min(pc + TOGETHER, self.queue.length)
        if any(lines.updates[pc:end]) or any(lines.waits[pc:end]):
            held = (at for at in range(pc, end) if lines.updates[at] or lines.waits[at])
            end = next(held)
        return [self.program.instructions[number] for number in lines.instructions[pc:end]]

    def _plain(self, pc: int, taken: Sequence[Instruction]) -> Sequence[Instruction]:
        """Note instructions that are executed themselves."""
        self._note(taken, ())
        self.pcs.extend(range(pc, pc + len(taken)))
        self.micros.extend(repeat(-1, len(taken)))
        return taken

    def _expanded(self, pc: int, piece: Sequence[Instruction], first: int) -> Sequence[Instruction]:
        """Note what an instruction is expanded to, from one of these on."""
        taken = piece[first:] if first else piece
        self._note(taken, piece)
        self.pcs.extend(repeat(pc, len(taken)))
        self.micros.extend(range(first, len(piece)))
        return taken

    def _note(self, taken: Sequence[Instruction], expansion: Sequence[Instruction]) -> None:
        self._begun.append(len(self.pcs))
        self._expansions.append(expansion)
        self.instructions.extend(taken)

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
