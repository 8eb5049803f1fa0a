"""Synchronisation: a program in sequential order gets the waits and updates that keep its meaning.

Each queue has a semaphore that counts those of its instructions that are waited for, each transfer
that is waited for one of its own for as long as it is in flight. A wait too many for an instruction
is placed on one before it that only waits. A loop has semaphores of its own, which count from 0 in
every round: at its end all its queues meet, and one of them clears the semaphores.
"""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base import gc_pause
from nasm.base.problems import Failure, Problem, Unsaid, counted
from nasm.program.builder import ProgramBuilder
from nasm.program.footprint.forms import Form, Forms
from nasm.program.footprint.touched_views import TouchedViews
from nasm.sync.dependences import DependenceLevel, Dependences
from nasm.sync.emit import CoreOutput, LevelWriter
from nasm.sync.lines import Item, Line, Loop, Sequence, lines
from nasm.sync.plan import planned


def synchronise(builder: ProgramBuilder, sequence: Sequence) -> TouchedViews:
    """Put the instructions of a sequence into the queues, with the waits and updates they need.

    All tensors get their places first, and every instruction is checked: raises Failure. Returns
    what the instructions touch.
    """
    touched = TouchedViews(builder.generation)
    with gc_pause.paused():
        check(builder, sequence)
        for core, items in enumerate(sequence.cores):
            if items:
                Core(builder, core, touched).write(items)
    return touched


def check(builder: ProgramBuilder, sequence: Sequence) -> None:
    """Place all tensors and check the rules of all instructions.

    What they touch cannot be asked before. Raises Failure.
    """
    builder.place()
    if builder.keeps_rules():
        return
    for items in sequence.cores:
        for line in _every(items):
            builder.append(line.queue, (line.instruction, 0, 0), line.span, line.chain)
    try:
        builder.check_rules(Unsaid())
    finally:
        builder.clear()


def _every(items: list[Item]) -> Iterator[Line]:
    """Every line, and what loops have in addition to theirs."""
    for item in items:
        if isinstance(item, Line):
            yield item
            continue
        for queue, leave in item.leave.items():
            for number in (leave, *item.step.get(queue, ()), item.back[queue]):
                yield Line(queue, number, item.span, item.chain)
        yield from _every(item.body)


class Core:
    """Reads the items of one core, and writes them with what they wait for."""

    def __init__(
        self, builder: ProgramBuilder, core: int, touched: TouchedViews | None = None
    ) -> None:
        self.builder, self.core = builder, core
        self.program, self.generation = builder.program, builder.generation
        self.numbers = [n for n, q in enumerate(self.program.queues) if q.core == core]
        self.queues = {number: own for own, number in enumerate(self.numbers)}
        self.forms = Forms(self.generation, touched)
        self._known: dict[int, Form] = {}

    def write(self, items: list[Item]) -> None:
        """Write the items of the core."""
        level = self.level(items)
        levels = 1 + sum(1 for _ in _loops(items))
        most = (self.left - levels * len(self.queues)) // levels
        if most < 1 and level.marks:
            raise self._too_few(items)
        plan = planned(level, len(self.queues), most).plan
        LevelWriter(CoreOutput(self.builder, self.core, self.numbers), plan).program()

    def level(self, items: list[Item]) -> DependenceLevel:
        """The items, with what they need."""
        held = self.program.target.interlocked(self.program.options)
        return Dependences(self.queues, self.form, held).read(items)

    def form(self, line: Line) -> Form:
        """What a line touches."""
        found = self._known.get(line.instruction)
        if found is None:
            engine = self.program.queues[line.queue].engine
            instruction = self.program.instructions[line.instruction]
            found = self._known[line.instruction] = self.forms.of(instruction, engine, self.core)
        return found

    @property
    def left(self) -> int:
        """How many semaphores of the core are still free."""
        numbers = map(self.generation.counter, self.program.semaphores.values())
        return self.generation.semaphores - sum(core == self.core for core, _, _ in numbers)

    def _too_few(self, items: list[Item]) -> Failure:
        loops = list(_loops(items))
        wanted = (1 + len(loops)) * (len(self.queues) + 1)
        moved = (self.form(line).moved for line in lines(items))
        flying = sum(each is not None and not each.meets for each in moved)
        message = (
            f"core {self.core} has {self.left} semaphores left, and the waits of this program "
            f"take at least {wanted}: {len(self.queues)} for the queues and one for what is in "
            f"flight of its {counted(flying, 'transfer')}, and as many again for each of its "
            f"{counted(len(loops), 'run-time loop')}"
        )
        span = self.program.spans[loops[0].span] if loops else None
        hint = "declare fewer of your own, or unroll loops: a loop has semaphores to itself"
        return Failure(Problem("E0322", message, span, hint))


def _loops(items: list[Item]) -> Iterator[Loop]:
    for item in items:
        if isinstance(item, Loop):
            yield item
            yield from _loops(item.body)
