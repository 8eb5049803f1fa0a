"""What a ``.drain`` waits for: every transfer that its queue has issued so far.

A transfer that updates a semaphore of the text is counted there, if that tells it from others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nasm.base.problems import Failure, Note
from nasm.isa.effects import Clear
from nasm.program.program import Program, Wait
from nasm.sync.dependences import OVER
from nasm.sync.moments.errors import IMPOSSIBLE, refused
from nasm.sync.moments.names import common, need
from nasm.sync.moments.nodes import Level, Node, Sync, named, span_of


class CountedSemaphore(NamedTuple):
    """A semaphore of the text, with all that updates it."""

    semaphore: int
    updaters: list[Node]


class Drains:
    """The drains of a text."""

    def __init__(self, program: Program, text: Level) -> None:
        self.program, self.text = program, text
        self.nodes = list(text.every())
        self.counted: dict[int, CountedSemaphore] = {}
        for node in self.nodes:
            if node.update is not None:
                number = node.update.semaphore
                self.counted.setdefault(number, CountedSemaphore(number, [])).updaters.append(node)

    def needs(self, node: Node) -> None:
        """Add to a drain what it waits for."""
        if node.reach:
            message = (
                "how often this .drain is executed is not known: it is within reach of a branch"
            )
            hint = "let '.loop … .end' make the branch, or write waits and updates here"
            raise refused(IMPOSSIBLE, message, span_of(self.program, node), hint)
        counts: dict[int, list[Node]] = {}
        for transfer, distance in self._issued(node):
            if transfer.reach:
                message = f"{named(self.program, transfer)} is within reach of a written branch"
                hint = "let '.loop … .end' make the branch"
                raise self._refused(node, transfer, message, hint)
            if transfer.update is None:
                need(node, transfer, OVER, distance)
            else:
                counts.setdefault(transfer.update.semaphore, []).append(transfer)
        for number, transfers in counts.items():
            self._count(node, self.counted[number], transfers)

    def _issued(self, node: Node) -> Iterator[tuple[Node, int]]:
        """The transfers that a drain waits for, and how many rounds earlier they are."""
        assert node.drain is not None
        core = self.program.queues[node.queue].core
        for other in self.nodes:
            if not other.shares or self.program.queues[other.queue].core != core:
                continue
            if other.queue != node.queue and not node.drain.every:
                continue
            if other.text < node.text:
                yield other, 0
            elif common(node, other)[-1].loop is not None:
                yield other, 1

    def _refused(self, node: Node, other: Node, message: str, hint: str) -> Failure:
        note = Note(f"{named(self.program, other)} is here", span_of(self.program, other))
        return refused(IMPOSSIBLE, message, span_of(self.program, node), hint, note)

    def _count(self, node: Node, counted: CountedSemaphore, transfers: list[Node]) -> None:
        """Wait until some transfers have posted all that they post to a semaphore."""
        drained, program = set(transfers), self.program
        name = program.semaphore_name(counted.semaphore)
        for other in counted.updaters:
            later = other.shares and other.queue == node.queue and other.text > node.text
            looped = other.level is not self.text or node.level is not self.text
            if looped or other.reach or not (later or other in drained):
                message = f"${name} counts what to drain, and {named(program, other)} updates "
                message += "it, too" if not looped else "it in a loop"
                hint = "leave out the update of these transfers, or wait for it by hand"
                raise self._refused(node, other, message, hint)
        self._check_clears(node, name, transfers[0])
        wait = Wait(counted.semaphore, ">=", sum(other.shares for other in transfers))
        if not any(
            self._waits(other, wait) for other in self.nodes if self._earlier_in_queue(other, node)
        ):
            node.before.append(Sync(wait, None))

    def _check_clears(self, node: Node, name: str, transfer: Node) -> None:
        for other in self.nodes:
            if other.row is not None and other.row.effect is Clear:
                message = f"${name} counts what to drain, and semaphores are cleared"
                hint = "leave out the update of these transfers"
                raise self._refused(node, transfer, message, hint)

    @staticmethod
    def _earlier_in_queue(other: Node, node: Node) -> bool:
        here = other.queue == node.queue and other.text < node.text
        return here and not other.reach

    @staticmethod
    def _waits(node: Node, wait: Wait) -> bool:
        """Whether a node waits for at least as much."""
        found = [*(s.wait for s in node.before), node.wait]
        return any(
            w is not None
            and w.semaphore == wait.semaphore
            and w.op == ">="
            and w.value >= wait.value
            for w in found
        )
