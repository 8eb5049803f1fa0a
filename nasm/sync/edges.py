"""Who comes after whom in a text in sequential order, as few as keep its meaning.

It is what ``synchronise`` makes waits and updates of, for callers that express it in other words.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

from nasm.base import gc_pause
from nasm.program.builder import ProgramBuilder
from nasm.program.footprint.forms import Form
from nasm.sync.dependences import DONE, OVER, STARTED, LineStep, NodeEvent
from nasm.sync.knowledge import implies
from nasm.sync.plan import Planner, planned
from nasm.sync.sequential_text import WrittenLine, sequence
from nasm.sync.synchronize import Core, check

CommonEvent = Callable[[int], Hashable]
"""What lines have in common that tell others at the same time: when they start, or are complete."""


class Came(NamedTuple):
    """An event of a line, by the line's number: it has started, is complete, or has landed."""

    kind: int
    line: int


class Following:
    """The lines of a text by their numbers, and what each comes after.

    A line signals by its start that it has read, if none of those ``common`` has to signal more.
    ``drained`` are the queues that end with transfers that are not known to have landed.
    """

    def __init__(
        self, builder: ProgramBuilder, lines: list[WrittenLine], common: CommonEvent
    ) -> None:
        self.lines, self.common = lines, common
        self.afters: list[tuple[Came, ...]] = [()] * len(lines)
        self.drained: list[int] = []
        self._cores: dict[int, _Numbered] = {}
        found = sequence(builder, lines)
        with gc_pause.paused():
            check(builder, found)
            numbers: list[list[int]] = [[] for _ in found.cores]
            for number, line in enumerate(lines):
                numbers[builder.program.queues[line.queue].core].append(number)
            for core, mine in enumerate(numbers):
                if mine:
                    self._core(Core(builder, core), mine)

    def _core(self, core: Core, numbers: list[int]) -> None:
        level = core.level([self.lines[number].line for number in numbers])
        made = _Numbered(
            core, numbers, [node for node in level.nodes if isinstance(node, LineStep)]
        )
        self._cores.update(dict.fromkeys(numbers, made))
        most = max(1, core.left - 2 * len(core.queues))
        planner = planned(level, len(core.queues), most)
        while True:
            made.planner = planner
            starts = self._starts(made)
            if starts == made.starts:
                break
            made.starts = starts
            planner = planned(level, len(core.queues), most, starts)
        for step, waits in zip(made.steps, planner.plan.waits, strict=True):
            came = dict.fromkeys(made.came(event) for event in waits)
            self.afters[made.number[step.queue, step.index]] = tuple(came)
        queues = {own: number for number, own in core.queues.items()}
        self.drained += [queues[q] for q, waits in planner.plan.last.items() if waits]

    def _starts(self, made: _Numbered) -> frozenset[tuple[int, int]]:
        """Of the lines that tell that they have started those that need tell nothing else."""
        waited = {event for waits in made.planner.plan.waits for event in waits}
        more = {self.common(made.at(event)) for event in waited if event.kind == DONE}
        some = frozenset(
            (event.queue, event.at)
            for event in waited
            if event.kind == STARTED and self.common(made.at(event)) not in more
        )
        return some if made.starts is None else some & made.starts

    def knows(self, line: int, came: Came) -> bool:
        """Whether something has happened when a line starts, by what all lines come after."""
        made = self._cores[line]
        return self._cores[came.line] is made and made.knows(line, came)

    def form(self, line: int) -> Form:
        """What a line touches."""
        return self._cores[line].core.form(self.lines[line].line)


class _Numbered:
    """The lines of one core, with their numbers in the text."""

    planner: Planner

    def __init__(self, core: Core, numbers: list[int], steps: list[LineStep]) -> None:
        self.core, self.steps = core, steps
        self.starts: frozenset[tuple[int, int]] | None = None
        self.number = {(s.queue, s.index): n for s, n in zip(steps, numbers, strict=True)}
        self.step = dict(zip(numbers, steps, strict=True))

    def at(self, event: NodeEvent) -> int:
        """The line of an event."""
        if event.kind == OVER:
            mark = self.planner.level.marks[event.at]
            return self.number[mark.queue, mark.index]
        return self.number[event.queue, event.at]

    def came(self, event: NodeEvent) -> Came:
        """An event as it is signalled: by a start only if that is signalled separately."""
        kind = event.kind
        if kind == STARTED and (event.queue, event.at) not in (self.starts or ()):
            kind = DONE
        return Came(kind, self.at(event))

    def knows(self, line: int, came: Came) -> bool:
        """Whether a line knows that something has happened when it starts."""
        step, other = self.step[line], self.step[came.line]
        clock = self.planner.knowledge.at(step.queue, step.index)
        event = NodeEvent(came.kind, other.queue, other.index)
        if came.kind == OVER:
            event = NodeEvent(OVER, -1, other.mark)
        return implies(clock, event, len(self.core.queues))
