"""What a queue knows to have happened, and which waits it takes to know more.

A wait brings with it all that was known where the event comes from. So of what an instruction needs
some is known, and some follows from the rest; for what is left there is a wait each.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from nasm.sync.dependences import DONE, OVER, STARTED, DependenceLevel, NodeEvent

Clock = tuple[int, ...]
"""Instructions started, for each queue; completed, for each queue; and last the marks, as bits."""


class Knowledge:
    """The clocks of the queues of a level, as its steps are taken in order.

    A wait is for a completion where a start is needed, what has completed has started; but for the
    ``starts``, queues and indices, that are signalled separately. In a loop ``known`` are the marks
    that queues know when they enter it, ``behind`` those that any completion of theirs in it comes
    after.
    """

    def __init__(
        self,
        level: DependenceLevel,
        queues: int,
        known: Sequence[int] = (),
        behind: Sequence[int] = (),
        starts: Container[tuple[int, int]] = (),
    ) -> None:
        self.level, self.queues, self.starts = level, queues, starts
        self.behind = behind or (0,) * queues
        nothing = (0,) * (2 * queues)
        self.clocks: list[Clock] = [
            (*nothing, known[queue] if known else 0) for queue in range(queues)
        ]
        self._starts: list[list[Clock]] = [[] for _ in range(queues)]
        self._brought: dict[NodeEvent, Clock] = {}

    def knows(self, queue: int, event: NodeEvent) -> bool:
        """Whether something has certainly happened when the next instruction of a queue starts."""
        kind, other, index = event
        clock = self.clocks[queue]
        if kind == OVER:
            return bool(clock[-1] >> index & 1)
        if kind == STARTED:
            return other == queue or clock[other] > index
        return clock[self.queues + other] > index

    def marks(self, queue: int) -> int:
        """The marks that a queue knows to be over."""
        return self.clocks[queue][-1]

    def sure(self, queue: int) -> bool:
        """Whether a queue knows that any of its own instructions on this level has completed."""
        return self.clocks[queue][self.queues + queue] > 0

    def completed(self, queue: int, index: int) -> None:
        """A queue knows that one of its own instructions has completed."""
        at, clock = self.queues + queue, self.clocks[queue]
        if clock[at] <= index:
            self.clocks[queue] = (*clock[:at], index + 1, *clock[at + 1 :])

    def learn(self, queue: int, marks: int) -> None:
        """A queue knows that some marks are over."""
        clock = self.clocks[queue]
        if marks & ~clock[-1]:
            self.clocks[queue] = (*clock[:-1], clock[-1] | marks)

    def at(self, queue: int, index: int) -> Clock:
        """What a queue knew when one of its instructions started."""
        return self._starts[queue][index]

    def start(self, queue: int) -> None:
        """The next instruction of a queue starts."""
        self._starts[queue].append(self.clocks[queue])

    def wait(self, queue: int, event: NodeEvent) -> None:
        """A queue waits for something."""
        self.clocks[queue] = joined(self.clocks[queue], self.brings(event))

    def brings(self, event: NodeEvent) -> Clock:
        """What is known once something has happened, which an instruction has started before."""
        found = self._brought.get(event)
        if found is None:
            found = self._brought[event] = self._with(event)
        return found

    def _with(self, event: NodeEvent) -> Clock:
        kind, queue, index = event
        marks = 0
        if kind == OVER:
            mark = self.level.marks[index]
            marks = 1 << index
            if mark.outside is not None:
                return (*(0,) * (2 * self.queues), marks)
            queue, index = mark.queue, mark.index
            kind = DONE if mark.loop else STARTED
        elif (queue, index) not in self.starts:
            kind = DONE
        clock = list(self._starts[queue][index])
        clock[queue] = max(clock[queue], index + 1)
        if kind == DONE:
            clock[self.queues + queue] = max(clock[self.queues + queue], index + 1)
            marks |= self.behind[queue]
        clock[-1] |= marks
        return tuple(clock)

    def needed(self, queue: int, events: Iterable[NodeEvent]) -> list[NodeEvent]:
        """The events that a queue has to wait for, the latest last, to know of all of these."""
        left = [event for event in events if not self.knows(queue, event)]
        if len(left) < 2:
            return left
        left.sort(key=self._when)
        brought = [self.brings(event) for event in left]
        twice = known_twice(brought)  # each event brings the knowledge of itself
        kept = [n for n, event in enumerate(left) if not implies(twice, event, self.queues)]
        known = self.clocks[queue]
        for n in kept:
            known = joined(known, brought[n])
        some = set(kept)
        for n in reversed(range(len(left))):
            # Who was in a loop knows that it is over, and not all that who tells of it knows.
            if n not in some and not implies(known, left[n], self.queues):
                known = joined(known, brought[n])
                some.add(n)
        return [left[n] for n in sorted(some)]

    def _when(self, event: NodeEvent) -> tuple[int, ...]:
        """Sorts events: what has more before it comes later."""
        clock = self.brings(event)
        return (sum(clock[: self.queues]), *event)


def implies(clock: Clock, event: NodeEvent, queues: int) -> bool:
    """Whether who knows all of a clock knows that something has happened."""
    kind, queue, index = event
    if kind == OVER:
        return bool(clock[-1] >> index & 1)
    return clock[queue if kind == STARTED else queues + queue] > index


def known_twice(clocks: Iterable[Clock]) -> Clock:
    """What at least two of some clocks say."""
    most: list[int] = []
    second: list[int] = []
    for clock in clocks:
        if not most:
            most, second = list(clock), [0] * len(clock)
            continue
        for n, (a, b, c) in enumerate(zip(clock[:-1], most[:-1], second[:-1], strict=True)):
            if a > c:
                most[n], second[n] = (a, b) if a > b else (b, a)
        second[-1] |= most[-1] & clock[-1]
        most[-1] |= clock[-1]
    return tuple(second)


def joined(one: Clock, other: Clock) -> Clock:
    """What either of two clocks says."""
    made = [a if a > b else b for a, b in zip(one, other, strict=True)]
    made[-1] = one[-1] | other[-1]
    return tuple(made)
