"""Moments of the text itself: each happens once, and semaphores only go up.

Each queue has a semaphore that counts those of its completions that are waited for, and one for
such reads. A transfer has one of its own, or shares one with others that the same lines wait for;
it is used again by a queue that knows that those before have landed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from nasm.program.program import Update, Wait
from nasm.sync.dependences import OVER, STARTED, Dependences, FormOf, LevelMark, LineStep, NodeEvent
from nasm.sync.dependences import DependenceLevel as Steps
from nasm.sync.knowledge import Clock
from nasm.sync.lines import Line
from nasm.sync.moments.nodes import Node, Sync, tell
from nasm.sync.moments.semaphores import Semaphores
from nasm.sync.plan import Planner


class Unrolled:
    """Gives the nodes of a core their waits and updates; ``queues`` numbers its queues."""

    def __init__(
        self, nodes: list[Node], queues: dict[int, int], semaphores: Semaphores, form: FormOf
    ) -> None:
        self.nodes, self.queues, self.semaphores = nodes, queues, semaphores
        held = semaphores.program.target.interlocked(semaphores.program.options)
        # What a branch skips is never complete, and does not complete what comes before it.
        held = held and not any(node.reach for node in nodes)
        self.dependences = Dependences(queues, form, held)
        self.steps: dict[Node, LineStep] = {}

    def put_in(self) -> None:
        """Find the waits, and write them with what they wait for."""
        level = self._level()
        awaited = (e for s in self.steps.values() for e in s.needs if e.kind == STARTED)
        starts = {(event.queue, event.at) for event in awaited}
        planner = Planner(level, len(self.queues), 0, starts=starts)
        planner.nodes()
        waits = dict(zip(self.nodes, planner.plan.waits, strict=True))
        ranks = self._ranks(waits)
        knowledge = planner.knowledge
        known = {n: knowledge.at(s.queue, s.index) for n, s in self.steps.items() if s.mark >= 0}
        landings = LandingSemaphores(self.semaphores, self.steps, waits, known).given()
        tellers = {(step.queue, step.index): node for node, step in self.steps.items()}
        for node, events in waits.items():
            found = []
            for event in events:
                wait = landings[event.at] if event.kind == OVER else ranks[event]
                if wait not in found:
                    found.append(wait)
            _wait(node, found)
        for event, wait in ranks.items():
            at_read = event.kind == STARTED
            tell(tellers[event.queue, event.at], Update(wait.semaphore, "+", 1, at_read))

    def _level(self) -> Steps:
        """The steps that the nodes are, with what they need."""
        level, steps = Steps(counts=[0] * len(self.queues)), self.steps
        for node in self.nodes:
            queue, line = self.queues[node.queue], node.line
            number = -1 if line is None else line.instruction
            step = LineStep(Line(node.queue, number), queue, level.counts[queue])
            level.counts[queue] += 1
            if node.shares:
                step.mark = len(level.marks)
                level.marks.append(LevelMark(queue, step.index))
            steps[node] = step
            level.nodes.append(step)
        for node, step in steps.items():
            step.needs = tuple(dict.fromkeys(self._event(n.kind, n.node) for n in node.needs))
        for queue in self.queues:
            own = [s for n, s in steps.items() if n.queue == queue and n.line is not None]
            for step, after in zip(
                own, self.dependences.interlocks([s.line for s in own]), strict=True
            ):
                step.after = own[after].index if after >= 0 else -1
        return level

    def _event(self, kind: int, node: Node) -> NodeEvent:
        step = self.steps[node]
        return (
            NodeEvent(OVER, -1, step.mark)
            if kind == OVER
            else NodeEvent(kind, step.queue, step.index)
        )

    def _ranks(self, waits: dict[Node, list[NodeEvent]]) -> dict[NodeEvent, Wait]:
        """The waits for starts and completions: the how manyth of its queue that is waited for.

        In the order of the events.
        """
        events = sorted({e for events in waits.values() for e in events if e.kind != OVER})
        tellers = {(step.queue, step.index): node for node, step in self.steps.items()}
        streams: dict[tuple[int, int], list[NodeEvent]] = {}
        for event in events:
            streams.setdefault((event.queue, event.kind), []).append(event)
        found = {}
        for (queue, kind), events in sorted(streams.items()):
            name = self.semaphores.output.name(queue) + ("_read" if kind == STARTED else "")
            number = self.semaphores.take(name, [tellers[e.queue, e.at] for e in events])
            found.update({e: Wait(number, ">=", n) for n, e in enumerate(events, 1)})
        return found


def _wait(node: Node, waits: list[Wait]) -> None:
    """Let a node wait, the last time by itself if it can."""
    if waits and node.line is not None and node.wait is None:
        node.wait = waits.pop()
    node.before += [Sync(wait, None) for wait in waits]


class _Group(NamedTuple):
    """Transfers that the same nodes wait for: they share a semaphore, which counts all of them."""

    nodes: list[Node]
    marks: int


class LandingSemaphores:
    """The semaphores of transfers. ``known`` is what their queues know when they issue them."""

    def __init__(
        self,
        semaphores: Semaphores,
        steps: dict[Node, LineStep],
        waits: dict[Node, list[NodeEvent]],
        known: dict[Node, Clock],
    ) -> None:
        self.semaphores, self.steps, self.known = semaphores, steps, known
        awaited: dict[int, list[int]] = {}
        for number, events in enumerate(waits.values()):
            for event in events:
                if event.kind == OVER:
                    awaited.setdefault(event.at, []).append(number)
        groups: dict[tuple[int, ...], list[Node]] = {}
        for node, step in steps.items():
            if step.mark in awaited:
                groups.setdefault(tuple(awaited[step.mark]), []).append(node)
        self.groups = [_Group(nodes, self._marks(nodes)) for nodes in groups.values()]

    def _marks(self, nodes: Iterable[Node]) -> int:
        return sum(1 << self.steps[node].mark for node in nodes)

    def given(self) -> dict[int, Wait]:
        """The wait for each transfer, by its mark, each of which gets its update."""
        slots = self._slots(by_name=True)
        if len(slots) > self.semaphores.left:
            slots = self._slots(by_name=False)
        found: dict[int, Wait] = {}
        for slot in slots:
            every = [node for group in slot for node in group.nodes]
            number, count = self.semaphores.take(_name(every), every), 0
            for group in slot:
                for node in group.nodes:
                    node.update = Update(number, "+", node.shares)
                    count += node.shares
                wait = Wait(number, ">=", count)
                found.update({self.steps[node].mark: wait for node in group.nodes})
        return found

    def _slots(self, by_name: bool) -> list[list[_Group]]:
        """Groups that can use one semaphore one after the other, and be called the same."""
        slots: list[list[_Group]] = []
        for group in self.groups:
            for slot in slots:
                alike = not by_name or _name(slot[0].nodes) == _name(group.nodes)
                if alike and self._over(slot[-1], group):
                    slot.append(group)
                    break
            else:
                slots.append([group])
        return slots

    def _over(self, last: _Group, group: _Group) -> bool:
        """Whether all of one group have certainly landed before any of another is issued."""
        return all(self.known[node][-1] & last.marks == last.marks for node in group.nodes)


def _name(nodes: list[Node]) -> str:
    """What a semaphore of transfers is called."""
    names = (mention.moment.name for node in nodes for mention in node.moments.posts)
    return next(names, "drained")
