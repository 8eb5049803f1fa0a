"""Who waits for what: as few waits as keep the meaning of a program in sequential order.

Each level is planned twice. The first time shows which transfers are waited for; the second time
these have semaphores, which are used again as soon as the issuing queue knows that the transfer
before has landed. Without loops that changes nothing as long as there are enough of them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from nasm.base.records import dataclass, field
from nasm.sync.dependences import DONE, OVER, Body, DependenceLevel, LineStep, NodeEvent
from nasm.sync.knowledge import Clock, Knowledge


@dataclass(slots=True)
class Entered:
    """A loop as it was planned: what each queue waits for before it, and what is inside."""

    body: Body
    waits: dict[int, list[NodeEvent]]
    inside: LevelPlan


@dataclass(slots=True)
class LevelPlan:
    """The waits of a level, node by node.

    ``slots`` are the semaphores of transfers by their marks: which one, and the how manyth use.
    ``last`` are waits after everything: by queue at the end of the program, or of the leader of a
    loop at the end of each round, before which the queues of ``arrivals`` signal that they are
    there. ``hasty`` ones may reach a wait of the next round before the end of this one is complete.
    """

    level: DependenceLevel
    waits: list[list[NodeEvent]] = field(default_factory=list)
    entered: list[Entered] = field(default_factory=list)
    slots: dict[int, tuple[int, int]] = field(default_factory=dict)
    last: dict[int, list[NodeEvent]] = field(default_factory=dict)
    arrivals: dict[int, LineStep | None] = field(default_factory=dict)
    hasty: frozenset[int] = frozenset()
    waited: set[int] = field(default_factory=set)
    signalled: set[tuple[int, int]] = field(default_factory=set)

    def note(self, waits: Iterable[NodeEvent]) -> None:
        """Remember who has to tell that something has happened."""
        for event in waits:
            kind, queue, index = event
            if kind == OVER:
                mark = self.level.marks[index]
                if not mark.loop:
                    self.waited.add(index)
                    continue
                queue, index = mark.queue, mark.index
            self.signalled.add((queue, index))


class Slots:
    """Semaphores for the transfers of a level: each serves one of them at a time.

    Transfers take them in the order of their marks.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._used: dict[int, tuple[int, int]] = {}
        self._marks = 0

    def take(self, mark: int, known: int) -> tuple[int, int] | None:
        """Let a transfer have one that is free if the ``known`` marks are over; None without one.

        It is the one used the longest ago. Returns which one, and the how manyth use.
        """
        over = known & self._marks
        if over:
            before = _lowest(over)
            slot, uses = self._used.pop(before)
            self._marks ^= 1 << before
        elif len(self._used) < self.most:
            slot, uses = len(self._used), 0
        else:
            return None
        self._used[mark] = slot, uses + 1
        self._marks |= 1 << mark
        return self._used[mark]

    @property
    def oldest(self) -> int:
        """The mark of the transfer that has had its semaphore for the longest time."""
        return _lowest(self._marks)


def _lowest(marks: int) -> int:
    """The first of some marks."""
    return (marks & -marks).bit_length() - 1


class Planner:
    """Plans a level for so many queues; ``most`` semaphores are there for its transfers.

    Without the plan that came out the first time no transfer has any. ``outer`` plans the level
    that a loop is on. Of ``starts``, queues and indices, a queue is signalled separately.
    """

    def __init__(
        self,
        level: DependenceLevel,
        queues: int,
        most: int,
        first: LevelPlan | None = None,
        outer: Planner | None = None,
        starts: Container[tuple[int, int]] = (),
    ) -> None:
        self.level, self.queues, self.most = level, queues, most
        self.first, self.outer = first, outer
        self.plan = LevelPlan(level)
        self.outside = [n for n, mark in enumerate(level.marks) if mark.outside is not None]
        known = [self._known(queue) for queue in range(queues)]
        self.knowledge = Knowledge(level, queues, known, self._completions_before_loop(), starts)
        self.slots = Slots(most)
        self.hoisted: dict[int, list[NodeEvent]] = {}
        self.unsure: set[int] = set()  # have used a counter while nothing of theirs was complete

    def nodes(self) -> None:
        """Plan every node in order."""
        for node in self.level.nodes:
            if isinstance(node, LineStep):
                waits = self._step(node)
                self.plan.note(waits)
                self.plan.waits.append(waits)
            else:
                self._body(node)
                self.plan.waits.append([])

    def _step(self, step: LineStep) -> list[NodeEvent]:
        knowledge, queue = self.knowledge, step.queue
        sure = knowledge.sure(queue)
        if step.after >= 0:
            knowledge.completed(queue, step.after)
        before = knowledge.clocks[queue]
        waits = self.settle(queue, step.needs)
        if self.first is not None and step.mark in self.first.waited:
            slot = self.slots.take(step.mark, knowledge.marks(queue))
            if slot is None:
                more = NodeEvent(OVER, -1, self.slots.oldest)
                waits = self._again(queue, before, (*step.needs, more))
                slot = self.slots.take(step.mark, knowledge.marks(queue))
                assert slot is not None
            self.plan.slots[step.mark] = slot
        counts = waits or step.mark in self.plan.slots
        if not sure and (len(waits) > 1 or (counts and step.after < 0)):
            self.unsure.add(queue)
        knowledge.start(queue)
        return waits

    def _again(self, queue: int, before: Clock, events: Sequence[NodeEvent]) -> list[NodeEvent]:
        """Settle once more from a clock on; what is outside is known by now."""
        known = self.knowledge.clocks[queue][-1]
        self.knowledge.clocks[queue] = before
        self.knowledge.learn(queue, sum(1 << n for n in self.outside if known >> n & 1))
        return self.settle(queue, events)

    def settle(self, queue: int, events: Sequence[NodeEvent]) -> list[NodeEvent]:
        """The waits that it takes for a queue to know of some events, which it then does."""
        knowledge = self.knowledge
        waits = knowledge.needed(queue, events)
        outside = [e for e in waits if e.kind == OVER and self.level.marks[e.at].outside]
        if outside:
            self._hoist(queue, outside)
            waits = knowledge.needed(queue, events)
        for event in waits:
            knowledge.wait(queue, event)
        return waits

    # -- loops

    def _known(self, queue: int) -> int:
        """The marks of what happened outside that a queue knows of when it enters the loop."""
        if self.outer is None:
            return 0
        known = 0
        for number in self.outside:
            event = self.level.marks[number].outside
            if event is not None and self.outer.knowledge.knows(queue, event):
                known |= 1 << number
        return known

    def _completions_before_loop(self) -> list[int]:
        """The marks of each queue's own completions before the loop: those in it come later."""
        behind = [0] * self.queues
        for number in self.outside:
            event = self.origin(number)
            if event.kind == DONE:
                behind[event.queue] |= 1 << number
        return behind

    def origin(self, number: int) -> NodeEvent:
        """What a mark of the outside is, on the level where it happens."""
        event = self.level.marks[number].outside
        if event is None:
            return NodeEvent(OVER, -1, number)
        assert self.outer is not None
        return self.outer.origin(event.at) if event.kind == OVER else event

    def _hoist(self, queue: int, events: Sequence[NodeEvent]) -> None:
        """Have a queue wait before the loop for what happened outside of it."""
        outer, hoisted = self.outer, self.hoisted.setdefault(queue, [])
        assert outer is not None
        needed = [e for event in events if (e := self.level.marks[event.at].outside) is not None]
        hoisted += [event for event in needed if not outer.knowledge.knows(queue, event)]
        outer.settle(queue, needed)
        self.knowledge.learn(queue, self._known(queue))

    def _body(self, body: Body) -> None:
        knowledge = self.knowledge
        before = list(knowledge.clocks)
        for queue, index in body.after.items():
            knowledge.completed(queue, index)
        first = None
        if self.first is not None:
            first = self.first.entered[len(self.plan.entered)].inside
        inner = Planner(body.level, self.queues, self.most, first, self)
        inner.nodes()
        inner.round(body)
        waits = {}
        for queue, events in sorted(inner.hoisted.items()):
            waits[queue] = self._again(queue, before[queue], events)
            self.plan.note(waits[queue])
            if waits[queue] and not before[queue][self.queues + queue]:
                self.unsure.add(queue)
            knowledge.completed(queue, body.after.get(queue, -1))
        self.plan.entered.append(Entered(body, waits, inner.plan))
        for queue in body.queues or range(self.queues):  # of a loop in which no queue does anything
            knowledge.learn(queue, 1 << body.mark)
        knowledge.start(body.leader)

    def round(self, body: Body) -> None:
        """Plan the end of a round: the leader waits until all of it is over."""
        level, plan, leader = self.level, self.plan, body.leader
        last: dict[int, LineStep | None] = dict.fromkeys(body.queues)
        for node in level.nodes:
            if isinstance(node, LineStep):
                last[node.queue] = node if node.mark < 0 else None
            else:
                last.update(dict.fromkeys(node.queues))
        events = []
        for queue in body.queues:
            if queue == leader:
                continue
            step = plan.arrivals[queue] = last[queue]
            index = level.counts[queue] if step is None else step.index
            if step is None:
                self.knowledge.start(queue)
            events.append(NodeEvent(DONE, queue, index))
        events += [NodeEvent(OVER, -1, n) for n, mark in enumerate(level.marks) if not mark.outside]
        hasty = {queue for queue in body.hasty if not self.knowledge.sure(queue)}
        waits = self.settle(leader, events)
        if not ((waits and leader in hasty) or leader in self.unsure) and leader in body.hasty:
            waits += self.settle(leader, self._own(leader))
        if leader in self.unsure:
            hasty |= body.hasty & {leader}
        plan.last[leader], plan.hasty = waits, frozenset(hasty)
        plan.note(waits)

    def _own(self, leader: int) -> list[NodeEvent]:
        """What a leader has written itself in a round, if it moves anything in the next one."""
        mine = [n for n in self.level.nodes if isinstance(n, LineStep) and n.queue == leader]
        writers = [step.index for step in mine if step.writes]
        return (
            [NodeEvent(DONE, leader, writers[-1])] if any(s.apart for s in mine) and writers else []
        )

    def slotted(self) -> bool:
        """Give the transfers of a level without loops that are waited for semaphores, if it can.

        It cannot if one of them has to wait until another has landed.
        """
        if any(isinstance(node, Body) for node in self.level.nodes):
            return False
        for step in self.level.nodes:
            assert isinstance(step, LineStep)
            if step.mark in self.plan.waited:
                known = self.knowledge.at(step.queue, step.index)[-1]
                slot = self.slots.take(step.mark, known)
                if slot is None:
                    self.plan.slots.clear()
                    return False
                self.plan.slots[step.mark] = slot
        return True

    # -- the end

    def end(self) -> None:
        """Plan the end of the program: all transfers have landed."""
        plan, known = self.plan, 0
        for clock in self.knowledge.clocks:
            known |= clock[-1]
        left: dict[int, list[NodeEvent]] = {}
        for number, mark in enumerate(self.level.marks):
            if not (mark.loop or known >> number & 1):
                left.setdefault(mark.queue, []).append(NodeEvent(OVER, -1, number))
        for queue, events in left.items():
            plan.last[queue] = self.settle(queue, events)
            plan.note(plan.last[queue])


def planned(
    level: DependenceLevel, queues: int, most: int, starts: Container[tuple[int, int]] = ()
) -> Planner:
    """The waits of a program; ``most`` semaphores are there for the transfers of each level."""
    first = Planner(level, queues, most, starts=starts)
    first.nodes()
    first.end()
    if first.slotted():
        return first
    planner = Planner(level, queues, most, first.plan, starts=starts)
    planner.nodes()
    planner.end()
    return planner
