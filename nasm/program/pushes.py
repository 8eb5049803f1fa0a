"""Engines that push the instructions of other engines: which of these they have pushed.

What the text has of the other engine before a line of the one that pushes is pushed before that
line, and the rest at the end. A program may have pushes of its own; then these push everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from nasm.base.problems import Note, Problem, Refused, counted
from nasm.base.records import dataclass
from nasm.program.program import Instruction, Program

PUSHING = "E0248"
"""The code of instructions that are pushed not at all, or too often."""


@dataclass(slots=True)
class Pusher:
    """A queue that pushes the instructions of another: how many it has, and by whose pushes.

    ``written`` says that the program has pushes of its own, ``given`` that it was given some. One
    ``apart`` pushes what it computes.
    """

    queue: int
    fed: int
    pushed: int = 0
    written: bool = False
    given: bool = False
    apart: bool = False


class Pushes:
    """All queues of a program that push."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.by_queue: dict[int, Pusher] = {}

    def add(self, queue: int, fed: int) -> Pusher:
        """A queue pushes another; what it has pushed already is counted."""
        pusher = self.by_queue[queue] = Pusher(queue, fed)
        self._count(pusher)
        return pusher

    def count_again(self) -> None:
        """Something was taken out of queues."""
        for pusher in self.by_queue.values():
            self._count(pusher)

    def _count(self, pusher: Pusher) -> None:
        numbers = self.program.queues[pusher.queue].instructions
        made = [self.program.instructions[number] for number in numbers]
        pusher.pushed = sum(map(self._amount, made))
        pusher.apart = any(self._apart(one.row.name) for one in made[:1])

    def _amount(self, instruction: Instruction) -> int:
        """How many instructions one pushes."""
        pushing = self.program.target.pushing
        if pushing is None or instruction.row.name != pushing.row:
            return 0
        count = instruction.operand(pushing.count)
        assert isinstance(count, int)
        return count

    def _apart(self, name: str) -> bool:
        pushing = self.program.target.pushing
        return pushing is not None and pushing.apart(name)

    def before(self, queue: int, instruction: Instruction) -> int:
        """How many instructions to push before one of a queue that pushes; raises Refused."""
        pusher = self.by_queue[queue]
        if self._apart(instruction.row.name):
            if self.left(pusher) and not pusher.apart:
                lines, fed = (self.program.queues[at].engine for at in (queue, pusher.fed))
                message = f"{lines} pushes what it computes, and {fed} has lines of its own"
                raise Refused(PUSHING, message, f"leave {fed} without lines")
            pusher.apart = True
            return 0
        if pusher.apart:
            message = "a core has either RISC-V code or lines that push those of its thread"
            raise Refused(PUSHING, message)
        amount = self._amount(instruction)
        if amount:
            if pusher.given:
                message = "the instructions before this line are pushed without it"
                raise Refused(PUSHING, message, "leave it out, or write it from the start")
            pusher.written = True
            pusher.pushed += amount
            return 0
        return 0 if pusher.written else self.left(pusher)

    def made(self, queue: int, count: int) -> tuple[int, int]:
        """A queue has pushed the next so many instructions: the queue and the pc of the first."""
        pusher = self.by_queue[queue]
        first, pusher.given = pusher.pushed, True
        pusher.pushed += count
        return pusher.fed, first

    def left(self, pusher: Pusher) -> int:
        """How many instructions are not pushed."""
        if pusher.apart:
            return 0
        return len(self.program.queues[pusher.fed].instructions) - pusher.pushed

    def wrong(self) -> Iterator[Problem]:
        """Queues whose instructions are not pushed, each once, by what the program says itself."""
        for pusher in self.by_queue.values():
            yield from self._loops(pusher)
            left = self.left(pusher)
            if not pusher.written or not left:
                continue
            program = self.program
            lines, fed = program.queues[pusher.queue], program.queues[pusher.fed]
            has = counted(len(fed.instructions), "instruction")
            message = f"{lines.engine} pushes {pusher.pushed}, and {fed.engine} has {has}"
            place = program.span(pusher.queue, len(lines.instructions) - 1)
            at = min(pusher.pushed, len(fed.instructions) - 1)
            notes = (
                (Note("the first that is not pushed", program.span(pusher.fed, at)),)
                if left > 0
                else ()
            )
            yield Problem(PUSHING, message, place, "push each once", notes)

    def _loops(self, pusher: Pusher) -> Iterator[Problem]:
        """Loops that push the last instruction there is: nothing then says that there are more."""
        program = self.program
        lines, fed = program.queues[pusher.queue], program.queues[pusher.fed]
        instructions = [program.instructions[number] for number in lines.instructions]
        starts = [*accumulate(map(self._amount, instructions), initial=0)]
        for pc, instruction in enumerate(instructions):
            labels = (instruction.operands[at] for at in instruction.row.labels)
            targets = [lines.labels.get(str(label), pc + 1) for label in labels]
            again = any(first <= pc for first in targets)
            pushes = again and starts[min(targets)] < starts[pc]
            if pushes and starts[pc] == len(fed.instructions):
                message = f"the loop ends with the last instruction of {fed.engine}"
                hint = f"let an instruction of {fed.engine} follow"
                yield Problem(PUSHING, message, program.span(pusher.queue, pc), hint)
