"""Moments of a loop at run time: counts that are taken, so that each round begins the same way.

Each line that waits for a moment has a semaphore for it, and takes in each round what that round
posts. A wait on an earlier round starts with that many credits: a loop that is entered again
continues from the last rounds of the entry before, and so does a sibling loop with the same queues
and lines. A transfer that one queue waits for posts to that queue's semaphore if its next round
is known to come after the take; if not, the queue that issued it takes the landing, as late as it
can, and posts it on. If nothing waits for a landing before the end of loops whose rounds are known,
all landings are taken after them, together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import NamedTuple

from nasm.base.problems import Note
from nasm.isa.effects import Jump, RankExchange, Rendezvous
from nasm.program.program import Update, Wait
from nasm.sync.dependences import DONE, OVER, STARTED, Dependences
from nasm.sync.lines import Line
from nasm.sync.moments.errors import IMPOSSIBLE, refused
from nasm.sync.moments.graph import Edge, Graph, Vertex
from nasm.sync.moments.nodes import Level, Node, Outside, Sync, named, span_of, targets, tell
from nasm.sync.moments.semaphores import Semaphores

Core = tuple[Semaphores, Dependences]
"""What a core has for those of its queues that go through a loop."""


MOST = 2**24
"""Of so many posts at most a semaphore is the sum."""


class OwnLandings(NamedTuple):
    """Transfers whose landings their own queue takes, and where it does."""

    transfers: list[Node]
    syncs: list[list[Sync]]


class Looped:
    """Gives the nodes of a loop's body their waits and updates; ``cores`` are by queue.

    Loops that are ``alike`` get the same: what is found for the first one holds for all. ``twins``
    are the nodes of all of them at the place of one in the first.
    """

    def __init__(self, alike: list[Level], cores: Mapping[int, Core]) -> None:
        level = alike[0]
        self.alike, self.level, self.cores = alike, level, cores
        every = zip(*(one.nodes for one in alike), strict=True)
        self.twins: dict[Node, tuple[Node, ...]] = {nodes[0]: nodes for nodes in every}
        self.queues: dict[int, list[Node]] = {}
        for node in level.nodes:
            self.queues.setdefault(node.queue, []).append(node)
        self.edges: list[Edge] = []
        self.graph = Graph(())
        self.seen: dict[Node, OwnLandings] = {}
        self.asked: dict[Node, list[Node]] = {}

    def put_in(self) -> None:
        """Find the waits, and write them with what they wait for."""
        level = self.level
        wanted = [
            Edge(Vertex(need.kind, need.node), node, need.distance)
            for node in level.nodes
            for need in node.needs
        ]
        for edge in wanted:
            self._check_rounds(edge)
        self._reach(wanted)
        taken = [node for node in level.nodes if any(one.outside for one in self.twins[node])]
        if not wanted and not taken:
            return
        reached = {*taken, *(n for e in wanted for n in (e.event.node, e.node))}
        for number, one in enumerate(self.alike):
            for queue in sorted({node.queue for node in reached}):
                self._check_counted(one, queue)
            self._check_left(one, {self.twins[node][number] for node in reached})
        self.graph = self._graph()
        self.edges = self.graph.reduced(wanted)
        direct = self._landings(taken)
        self._again()
        for edge in self.edges:
            if edge.event.kind != OVER and edge.event.node not in self.seen:
                self._counted(edge)
        for group in direct:
            transfers = [edge.event.node for edge in group]
            number, count = self._posting(transfers)
            self._take(group[0], number, count)
            self._leave(group, number, count)
        for node, seen in self.seen.items():
            self._post_on(seen, [edge for edge in self.edges if edge.event.node is node])

    def _reach(self, edges: Iterable[Edge]) -> None:
        """Remember which queue can leave the loop only if which other has entered it."""
        pairs = {(e.event.node.queue, e.node.queue) for e in edges}
        for inner in self.level.inner():
            pairs |= inner.reach
        more = True
        while more:
            found = {(a, d) for a, b in pairs for c, d in pairs if b == c}
            more = not found <= pairs
            pairs |= found
        for level in self.alike:
            level.reach = {(a, b) for a, b in pairs if a != b}

    def _check_rounds(self, edge: Edge) -> None:
        """Refuse a moment of so many rounds before that a semaphore cannot count its credits."""
        if edge.rounds * max(edge.event.node.shares, 1) > MOST:
            said = f"this comes after a moment of {edge.rounds:,} rounds before"
            program = self.cores[edge.node.queue][0].program
            hint = f"semaphores count to {MOST:,} here"
            raise refused(IMPOSSIBLE, said, span_of(program, edge.node), hint)

    def _check_counted(self, level: Level, queue: int) -> None:
        """Whether a queue begins a round when all that it did in the last one is complete."""
        loop, (semaphores, dependences) = level.loop, self.cores[queue]
        assert loop is not None
        part = loop.parts[queue]
        left = {r for number in part.step for r in dependences.form(Line(queue, number)).left}
        read = {*dependences.form(Line(queue, part.back)).taken}
        if not (dependences.held and left & read):
            message = "a round of this loop may begin before all of the one before it is complete"
            hint = "moments in it take engines that wait for their own results (ordering=interlock)"
            place = span_of(semaphores.program, level.enter[queue])
            raise refused(IMPOSSIBLE, message, place, hint)

    def _check_left(self, level: Level, reached: set[Node]) -> None:
        """Refuse a branch that leaves the loop before nodes that post, or come after others.

        A round that it ends has done all that comes before it, as any other.
        """
        loop = level.loop
        assert loop is not None
        for node in level.nodes if loop.left else ():
            program = self.cores[node.queue][0].program
            behind = [n for n in reached if n.queue == node.queue and n.text > node.text]
            if behind and loop.end in targets(program, node):
                first = min(behind, key=lambda n: n.text)
                message = f"this branch may leave the loop before {named(program, first)}, "
                message += "which posts or waits for a moment or is drained"
                hint = (
                    "put that before '.break', or post and wait by hand: '$s += 16' on a "
                    "transfer, '$s >= 16' with '$s -= 16' after it"
                )
                note = Note("it is here", span_of(program, first))
                raise refused(IMPOSSIBLE, message, span_of(program, node), hint, note)

    def _graph(self) -> Graph:
        """The order that there is without waits."""
        graph = Graph(self.level.nodes)
        for queue, nodes in self.queues.items():
            own = [node for node in nodes if node.line is not None]
            for node, after in zip(own, self._interlocks(queue, own), strict=True):
                if after >= 0 and not own[after].reach:
                    graph.add(Vertex(DONE, own[after]), Vertex(STARTED, node), 0)
        return graph

    def _interlocks(self, queue: int, own: list[Node]) -> list[int]:
        """For each node of a queue the last one before it that it waits for in all those loops."""
        found = []
        for nodes in zip(*(self.twins[node] for node in own), strict=True):
            lines = [Line(queue, n.line.instruction) for n in nodes if n.line is not None]
            found.append(self.cores[queue][1].interlocks(lines))
        return [min(after) for after in zip(*found, strict=True)]

    # -- what is complete, or has started

    def _counted(self, edge: Edge) -> None:
        """Let an event be signalled to what waits for it."""
        event = edge.event
        number = self._semaphore([event.node], event.kind)
        for node in self.twins[event.node]:
            tell(node, Update(number, "+", 1, event.kind == STARTED))
        self._take(edge, number, 1)

    def _semaphore(self, nodes: list[Node], kind: int) -> int:
        """A semaphore of the name of what some nodes post."""
        names = (m.moment.name for node in nodes for m in node.posts.get(kind, ()))
        name = next(names, self.level.loop.head if self.level.loop is not None else "")
        users = [one for node in nodes for one in self.twins[node]]
        return self.cores[nodes[0].queue][0].take(name, users)

    def _take(self, edge: Edge, number: int, count: int) -> None:
        """Let a node wait for what is posted to a semaphore, and take it.

        Nothing has posted what it takes in the first rounds: its queue posts these credits before
        the outermost loop.
        """
        queue = edge.node.queue
        for node in self.twins[edge.node]:
            node.takes.append(taking(number, count))
        if edge.rounds:
            credits = Sync(None, Update(number, "+", edge.rounds * count))
            self.level.path[1].enter[queue].before.append(credits)

    def _leave(self, edges: list[Edge], number: int, count: int) -> None:
        """Let a queue that takes landings wait for the last ones, after the loops that need it.

        Between two entries of a loop its semaphore has its credits.
        """
        credits = edges[0].rounds * count
        leaves = (leave for edge in edges for leave in self.asked.get(edge.event.node, ()))
        for leave in dict.fromkeys(leaves) if credits else ():
            leave.behind.append(Sync(Wait(number, ">=", credits), None))

    # -- what has landed

    def _landings(self, taken: list[Node]) -> list[list[Edge]]:
        """Find out how transfers tell that they have landed: directly, or by their own queues.

        Returns the edges of those that do it directly, together if one node takes them at once.
        """
        awaited: dict[Node, list[Edge]] = {node: [] for node in taken}
        for edge in self.edges:
            if edge.event.kind == OVER:
                awaited.setdefault(edge.event.node, []).append(edge)
        direct: dict[tuple[Node, int], list[Edge]] = {}
        places: dict[tuple[Node, bool], list[Node]] = {}
        counted: dict[tuple[int, int], list[Node]] = {}
        for node, edges in awaited.items():
            depth = 0 if edges else self._counting(node)
            if depth:
                counted.setdefault((node.queue, depth), []).append(node)
            elif (
                len(edges) == 1
                and self._apart(edges[0])
                and self._landing_known_by(node, edges[0].node.queue)
            ):
                direct.setdefault((edges[0].node, edges[0].rounds), []).append(edges[0])
            else:
                places.setdefault(self._late(node), []).append(node)
        for (queue, depth), transfers in counted.items():
            number, count = self._posting(transfers)
            for leave, rounds in self._rounds(queue, depth).items():
                leave.behind.append(taking(number, rounds * count))
        for (place, last), transfers in places.items():
            self._see(place, last, transfers)
        return list(direct.values())

    def _counting(self, node: Node) -> int:
        """How deep the loop is after which all landings of a transfer can be taken; else 0.

        It is the outermost one that ends before something waits for them.
        """
        asked = (outside.loop for one in self.twins[node] for outside in one.outside)
        for depth in range(max(len(loop.path) - 1 for loop in asked), len(self.level.path)):
            every = self._rounds(node.queue, depth).values()
            if 0 < min(every) <= max(every) * node.shares <= MOST:
                return depth
        return 0

    def _rounds(self, queue: int, depth: int) -> dict[Node, int]:
        """How many rounds these loops have in all, by where a queue leaves those so deep.

        Of rounds that are not known there are 0.
        """
        found: dict[Node, list[int]] = {}
        for level in self.alike:
            rounds = prod(_rounds(loop) for loop in level.path[depth:])
            found.setdefault(level.path[depth].leave[queue], []).append(rounds)
        return {leave: sum(some) if all(some) else 0 for leave, some in found.items()}

    def _see(self, place: Node, last: bool, transfers: list[Node]) -> None:
        """Let a queue see some transfers land: after one of its nodes, or as the last of a round.

        That is a node of its own in the graph.
        """
        node = Node(place.queue, place.text, self.level, place.span, place.chain)
        levels = self.alike if last else ()
        syncs = [level.last.setdefault(place.queue, []) for level in levels]
        self.seen[node] = OwnLandings(transfers, syncs or [one.behind for one in self.twins[place]])
        own = self.queues[place.queue]
        own.insert(own.index(place) + 1, node)
        self.graph.put(node, own)
        for transfer in transfers:
            self.graph.add(Vertex(OVER, transfer), Vertex(STARTED, node), 0)

    def _again(self) -> None:
        """Leave out what follows from landings that queues see, and from what they post on."""
        by = {transfer: node for node, seen in self.seen.items() for transfer in seen.transfers}
        wanted = []
        for edge in self.edges:
            self.graph.remove(edge.event, Vertex(STARTED, edge.node), edge.rounds)
            node = by.get(edge.event.node) if edge.event.kind == OVER else None
            if node is not None and node.queue != edge.node.queue:
                edge = edge._replace(event=Vertex(DONE, node))
            wanted.append(edge)
        self.edges = self.graph.reduced(wanted)

    def _post_on(self, seen: OwnLandings, edges: list[Edge]) -> None:
        """Let a queue take landings, and post to the queues that wait for them."""
        number, count = self._posting(seen.transfers)
        made = [taking(number, count)]
        for edge in edges:
            forward = self._semaphore(seen.transfers, OVER)
            made.append(Sync(None, Update(forward, "+", 1)))
            self._take(edge, forward, 1)
        for syncs in seen.syncs:
            syncs += made

    def _posting(self, transfers: list[Node]) -> tuple[int, int]:
        """A semaphore to which some transfers post, and how much they do in a round."""
        number = self._semaphore(transfers, OVER)
        for node in transfers:
            for one in self.twins[node]:
                one.update = Update(number, "+", node.shares)
        return number, sum(node.shares for node in transfers)

    def _apart(self, edge: Edge) -> bool:
        """Whether a transfer is issued again only when its last landing was waited for."""
        again = Vertex(STARTED, edge.event.node)
        return self.graph.before(Vertex(STARTED, edge.node), again, 1 - edge.rounds)

    def _landing_known_by(self, node: Node, queue: int) -> bool:
        """Whether those outside can learn from a queue that a transfer has landed.

        It takes all landings before it leaves the loop. But its own queue must not have to wait for
        that, unless the loop lets it go no sooner.
        """
        asked = [outside for one in self.twins[node] for outside in one.outside]
        if asked and queue != node.queue and (queue, node.queue) not in self.level.reach:
            return False
        by: dict[Node, list[Outside]] = {}
        for outside in asked:
            by.setdefault(outside.node, []).append(outside)
        for who, some in by.items():
            # What has landed of the last of equal loops has landed of those before it.
            last = min(some, key=lambda o: (o.need.distance, -o.loop.leave[queue].text))
            leave = last.loop.leave[queue]
            self.asked.setdefault(node, []).append(leave)
            for outside in some:
                at = who.needs.index(outside.need)
                who.needs[at] = outside.need._replace(node=leave, distance=last.need.distance)
        return True

    def _late(self, node: Node) -> tuple[Node, bool]:
        """After which node its queue sees a transfer land: before it could be blocked.

        And whether that is the last of the round.
        """
        own = self.queues[node.queue]
        waiting = {edge.node for edge in self.edges}
        place = node
        for other in own[own.index(node) + 1 :]:
            if other in waiting or _blocks(other):
                return place, False
            place = other
        return place, True


def _rounds(level: Level) -> int:
    """How many rounds a loop has, or 0 if that is not known."""
    loop = level.loop
    return 0 if loop is None or loop.left or loop.rounds is None else loop.rounds


def _blocks(node: Node) -> bool:
    """Whether a queue may be blocked at a node, or reach it never or again."""
    if node.row is None or node.wait is not None or node.before or node.reach:
        return True
    return node.row.effect in (Rendezvous, RankExchange, Jump)


def taking(number: int, count: int) -> Sync:
    """Wait for so much, and take it."""
    return Sync(Wait(number, ">=", count), Update(number, "+", -count))


def settle(nodes: Iterable[Node]) -> None:
    """Write what nodes take: the last by themselves, if they wait for and update nothing else."""
    for node in nodes:
        takes = node.takes
        free = node.wait is None and node.update is None and node.row is not None
        if takes and free and not node.shares and node.row.effect is not Jump:  # type: ignore[union-attr]
            last = takes.pop()
            node.wait, node.update = last.wait, last.update
        node.before += takes
