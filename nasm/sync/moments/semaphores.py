"""Semaphores for moments: taken one by one, and what takes them if there are too few."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from nasm.base.problems import Failure, counted
from nasm.base.source import Span
from nasm.sync.emit import CoreOutput
from nasm.sync.moments.errors import TOO_MANY, refused
from nasm.sync.moments.nodes import Node, span_of

SHOWN = 8
"""Semaphores that are listed where there are too few."""


class Semaphores:
    """The free ones of one core: this many are ``left``."""

    def __init__(self, output: CoreOutput) -> None:
        self.output, self.program = output, output.program
        self._held: dict[int, list[Node]] = {}
        numbers = map(self.program.generation.counter, self.program.semaphores.values())
        taken = sum(core == output.core and not event for core, _, event in numbers)
        self.left = self._free = self.program.generation.semaphores - taken

    def take(self, name: str, nodes: Iterable[Node]) -> int:
        """A semaphore for what some nodes post, under a name that is like the one wanted."""
        users = list(nodes)
        if not self.left:
            raise self._too_many(users)
        self.left -= 1
        number = self.output.counter(name)
        self._held[number] = users
        return number

    def _too_many(self, users: list[Node]) -> Failure:
        message = (
            f"core {self.output.core} has {counted(self._free, 'semaphore')} left, and the moments "
            "take more: so many are in use before the others are known to be over"
        )
        rows = [
            f"  ${self.program.semaphore_name(number)}: {self._when(nodes)}"
            for number, nodes in itertools.islice(self._held.items(), SHOWN)
        ]
        if len(self._held) > SHOWN:
            rows.append(f"  and {len(self._held) - SHOWN:,} more")
        hint = "declare fewer of your own, or let the queues that post wait for each other sooner"
        hint = "\n".join([hint, "they are taken by:", *rows])
        return refused(TOO_MANY, message, span_of(self.program, users[0]), hint)

    def _when(self, nodes: list[Node]) -> str:
        """What some nodes post, and on which lines."""
        spans = [span_of(self.program, node) for node in nodes]
        names = dict.fromkeys(m.moment.name for node in nodes for m in node.moments.posts)
        what = ", ".join(names) or "a .drain"
        return f"{what}, {_lines([span for span in spans if span is not None])}"


def _lines(spans: list[Span]) -> str:
    if not spans:
        return "no line"
    lines = sorted(span.line for span in spans)
    return f"line {lines[0]}" if lines[0] == lines[-1] else f"lines {lines[0]} to {lines[-1]}"
