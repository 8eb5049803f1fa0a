"""What comes before what in a loop, counted in rounds: paths between starts, completions, landings.

An edge of weight *w* from one event to another says that the one of some round comes before the
other *w* rounds later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from nasm.sync.dependences import DONE, OVER, STARTED
from nasm.sync.moments.nodes import Node


class Vertex(NamedTuple):
    """An event of a node, by its kind."""

    kind: int
    node: Node


class Edge(NamedTuple):
    """A node comes after an event of another one, a number of rounds earlier."""

    event: Vertex
    node: Node
    rounds: int


class Graph:
    """The events of the nodes of a loop's body.

    A queue begins a round when all of the one before is complete: it has counted the round, after
    its last instruction, and decides by that count.
    """

    def __init__(self, nodes: Iterable[Node]) -> None:
        self._edges: dict[Vertex, list[tuple[Vertex, int]]] = {}
        queues: dict[int, list[Node]] = {}
        for node in nodes:
            queues.setdefault(node.queue, []).append(node)
        for own in queues.values():
            for node in own:
                start = Vertex(STARTED, node)
                self.add(start, Vertex(DONE, node), 0)
                if node.shares:
                    self.add(start, Vertex(OVER, node), 0)
            for one, other in pairwise(own):
                self.add(Vertex(STARTED, one), Vertex(STARTED, other), 0)
                self.add(Vertex(DONE, one), Vertex(DONE, other), 0)
            self.add(Vertex(DONE, own[-1]), Vertex(STARTED, own[0]), 1)

    def put(self, node: Node, own: Sequence[Node]) -> None:
        """Insert a node among those of its queue that only waits."""
        at = own.index(node)
        start, done = Vertex(STARTED, node), Vertex(DONE, node)
        self.add(start, done, 0)
        self.add(Vertex(STARTED, own[at - 1]), start, 0)
        self.add(Vertex(DONE, own[at - 1]), done, 0)
        if node is own[-1]:
            self.add(done, Vertex(STARTED, own[0]), 1)
        else:
            self.add(start, Vertex(STARTED, own[at + 1]), 0)
            self.add(done, Vertex(DONE, own[at + 1]), 0)

    def add(self, one: Vertex, other: Vertex, rounds: int) -> None:
        """Add an edge."""
        self._edges.setdefault(one, []).append((other, rounds))

    def remove(self, one: Vertex, other: Vertex, rounds: int) -> None:
        """Take an edge away."""
        self._edges[one].remove((other, rounds))

    def before(self, one: Vertex, other: Vertex, rounds: int) -> bool:
        """Whether an event comes before another that is no more than so many rounds later."""
        if rounds < 0:
            return False
        numbers = {one: 0}
        best, waiting = {one: 0}, [(0, 0)]
        known = [one]
        while waiting:
            weight, number = heappop(waiting)
            event = known[number]
            if event == other:
                return True
            if weight > best[event]:
                continue
            for following, more in self._edges.get(event, ()):
                total = weight + more
                if total < best.get(following, rounds + 1):
                    if following not in numbers:
                        numbers[following] = len(known)
                        known.append(following)
                    best[following] = total
                    heappush(waiting, (total, numbers[following]))
        return False

    def reduced(self, edges: Iterable[Edge]) -> list[Edge]:
        """Those of some edges, all of which are added, that do not follow from the others."""
        every = list(dict.fromkeys(edges))
        for event, node, rounds in every:
            self.add(event, Vertex(STARTED, node), rounds)
        kept = []
        for edge in sorted(every, key=lambda e: (-e.rounds, -e.node.text, e.event.node.text)):
            start = Vertex(STARTED, edge.node)
            self.remove(edge.event, start, edge.rounds)
            if not self.before(edge.event, start, edge.rounds):
                self.add(edge.event, start, edge.rounds)
                kept.append(edge)
        return sorted(kept, key=lambda e: (e.node.text, e.event.node.text, e.event.kind))
