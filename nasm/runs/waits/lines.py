"""The lines of a text that wait or post, each with all the instructions that came from it."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.source import Span
from nasm.program.program import Program, QueueProgram, Update, Wait
from nasm.runs.waits.edits import Place

Key = tuple[int, int, int, str]
"""A queue, a line, which of the instructions that follow each other there, and its name."""


class LinesOfText:
    """The instructions of a program by the line that they came from: the rounds of a loop."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.places: dict[Key, list[Place]] = {}
        self.key: dict[Place, Key] = {}
        self._stops: list[set[int]] = []
        for queue, lines in enumerate(program.queues):
            self._stops.append(self._ends(queue, lines))
            before, nth = (-1, -1), 0
            for pc in range(len(lines)):
                span = lines.spans[pc] or -1 - pc
                here = span, lines.chains[pc]
                nth = nth + 1 if here == before else 0
                before = here
                name = program.instruction(queue, pc).row.name
                key = queue, span, nth, name
                self.places.setdefault(key, []).append((queue, pc))
                self.key[queue, pc] = key

    def _ends(self, queue: int, lines: QueueProgram) -> set[int]:
        """The pcs before which nothing may be moved: targets of branches, and what follows one."""
        found = set(lines.labels.values())
        for pc in range(len(lines)):
            if self.program.instruction(queue, pc).row.labels:
                found.add(pc + 1)
        return found

    def wait(self, place: Place) -> Wait | None:
        """What an instruction waits for."""
        queue, pc = place
        return self.program.waits[self.program.queues[queue].waits[pc]]

    def update(self, place: Place) -> Update | None:
        """What an instruction, or its transfer, updates."""
        queue, pc = place
        return self.program.updates[self.program.queues[queue].updates[pc]]

    def transfers(self, place: Place) -> bool:
        """Whether its update is that of a transfer."""
        return bool(self.program.instruction(*place).row.posts)

    def take(self, place: Place) -> Update | None:
        """What an instruction takes of the semaphore that it waits for; None if nothing."""
        wait, update = self.wait(place), self.update(place)
        if wait is None or update is None or self.transfers(place):
            return None
        same = update.semaphore == wait.semaphore and update.op == "+"
        return update if same and update.value < 0 else None

    def moved(self, place: Place, by: int) -> Place | None:
        """The place so many instructions further on, if no branch is in between."""
        queue, pc = place
        to = pc + by
        if not 0 <= to < len(self.program.queues[queue]):
            return None
        low, high = min(pc, to), max(pc, to)
        if any(at in self._stops[queue] for at in range(low + 1, high + 1)):
            return None
        return queue, to

    def span(self, place: Place) -> Span | None:
        """Where an instruction is written."""
        return self.program.span(*place)

    def waiting(self) -> Iterator[tuple[Key, list[Place]]]:
        """The lines that wait, with those of their instructions that do."""
        for key, places in self.places.items():
            some = [place for place in places if self.wait(place) is not None]
            if some:
                yield key, some

    def posting(self) -> Iterator[tuple[Key, list[Place]]]:
        """The lines that post, by themselves and not by a transfer, with those that do."""
        for key, places in self.places.items():
            some = [place for place in places if self._posts(place)]
            if some:
                yield key, some

    def _posts(self, place: Place) -> bool:
        update = self.update(place)
        if update is None or self.transfers(place):
            return False
        return update.op == "+" and update.value > 0
