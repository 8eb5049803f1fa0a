"""Lines of queues, one after the other in an order that works, and the waits that they need.

Of each instruction a set of events is known that come before its start in every execution. What it
needs besides it waits for: some earlier instruction posts, whose event brings what is missing. The
counters are of several kinds; which one it is, the numbers decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

STARTS, COMPLETES, LANDS = range(3)

Where = tuple[int, str]
"""A queue: its core and its engine."""


class Event(NamedTuple):
    """That an instruction starts, completes, or that all of its transfer has landed."""

    op: int
    kind: int

    @property
    def bit(self) -> int:
        """Its place in a set of events."""
        return 1 << 3 * self.op + self.kind


class Line(NamedTuple):
    """A line of the text; some have what an instruction waits for, or what it posts."""

    text: str
    waits: bool = False
    posts: bool = False
    label: str = ""


class Wait(NamedTuple):
    """A wait for what some posts of a counter add up to.

    Of a queue that is counted those up to ``upto``, else the first ``count``, which are all by now.
    """

    counter: Counter
    upto: Op
    count: int


@dataclass(eq=False)
class Counter:
    """A semaphore or an event of a core.

    It ``counts`` the completions (or the starts, or neither) of one queue, of which any number may
    be waited for. Else whoever waits wants all that was posted so far, and who posts later comes
    after all who wait.
    """

    name: str
    core: int
    counts: tuple[Where, int] | None = None
    once: bool = False
    posters: list[Op] = field(default_factory=list)
    waiters: list[Op] = field(default_factory=list)
    pending: int = 0


@dataclass(eq=False)
class Op:
    """What a queue does in a few lines: as often as it has ``rounds``, it posts.

    ``known`` are the events before its start. It ``moves`` if it starts transfers.
    """

    number: int
    where: Where
    index: int
    moves: bool
    rounds: int
    lines: Sequence[Line]
    known: int = 0
    wait: Wait | None = None
    counter: Counter | None = None
    amount: int = 1
    at_read: bool = False

    def event(self, kind: int) -> Event:
        """One of its events."""
        return Event(self.number, kind)

    @property
    def end(self) -> Event:
        """That it is over."""
        return self.event(LANDS if self.moves else COMPLETES)


class Weave:
    """Appends instructions to queues; ``extra`` is how often one waits for what it need not."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        self.ops: list[Op] = []
        self.queues: dict[Where, list[Op]] = {}
        self.counters: list[Counter] = []
        self.sorts = draw.choices(("queue", "own", "shared", "event"), k=draw.randint(1, 4))
        self.extra = draw.choice((0, 0.1))
        self.apart = draw.choice((0, 0, 0.3))

    # -- what comes before what

    def closure(self, event: Event) -> int:
        """An event and all that comes before it."""
        op = self.ops[event.op]
        found = event.bit | op.event(STARTS).bit | op.known
        if event.kind == COMPLETES:
            for before in self.queues[op.where][: op.index]:
                found |= before.event(COMPLETES).bit | before.event(STARTS).bit | before.known
        return found

    def union(self, events: Iterable[Event]) -> int:
        """What comes before any of some events, and they themselves."""
        found = 0
        for event in events:
            found |= self.closure(event)
        return found

    def _waited(self, wait: Wait) -> int:
        """What comes before an instruction that waits so."""
        counter = wait.counter
        if counter.counts is not None:
            kind = counter.counts[1]
            return self.closure(wait.upto.event(kind))
        return self.union(
            p.event(STARTS) if p.at_read else p.end for p in counter.posters[: wait.count]
        )

    # -- adding

    def add(
        self,
        where: Where,
        lines: Sequence[Line] | str,
        needs: Iterable[Event] = (),
        *,
        moves: bool = False,
        rounds: int = 1,
        reads: Iterable[Op] = (),
    ) -> Op:
        """Append to a queue what needs some events before it; it ``reads`` what some have written.

        Whether its wait and its update are on one line or on two, its lines say.
        """
        if isinstance(lines, str):
            lines = (Line(lines, True, True),)
        needed = set(needs)
        near = [op for op in self.ops[-12:] if op.where[0] == where[0]]
        if near and self.draw.random() < self.extra:
            needed.add(self.draw.choice(near).end)
        interlock = self.union(o.event(COMPLETES) for o in reads if o.where == where)
        waits = self._waits(where, needed, interlock)
        if waits and self.draw.random() >= self.apart:
            last, waits = waits[-1], waits[:-1]
        else:
            last = None
        for wait in waits:
            self._append(where, (Line("EventSemaphore", True, True),), wait=wait)
        op = self._append(where, lines, moves=moves, rounds=rounds, wait=last)
        op.known |= interlock
        return op

    def meet(self, one: Op, other: Op) -> None:
        """Two that start at one moment."""
        both = one.known | other.known | one.event(STARTS).bit | other.event(STARTS).bit
        one.known = other.known = both

    def _append(
        self,
        where: Where,
        lines: Sequence[Line],
        *,
        moves: bool = False,
        rounds: int = 1,
        wait: Wait | None = None,
    ) -> Op:
        queue = self.queues.setdefault(where, [])
        op = Op(len(self.ops), where, len(queue), moves, rounds, lines)
        op.known = self._before(where)
        if wait is not None:
            op.known |= self._waited(wait)
            op.wait = wait
            wait.counter.waiters.append(op)
            wait.counter.pending -= 1
        queue.append(op)
        self.ops.append(op)
        return op

    def _before(self, where: Where) -> int:
        """What is known where a queue goes on."""
        queue = self.queues.get(where)
        return self.closure(queue[-1].event(STARTS)) if queue else 0

    # -- waiting

    def _waits(self, where: Where, needed: set[Event], known: int) -> list[Wait]:
        """Waits that bring some events, one after the other."""
        waits = []
        known |= self._before(where)
        while missing := sorted(e for e in needed if not e.bit & known):
            first = [
                e for e in missing if not any(self.closure(o) & e.bit for o in missing if o != e)
            ]
            wait = self._wait(where, self.draw.choice(first or missing), first)
            known |= self._waited(wait)
            waits.append(wait)
        return waits

    def _wait(self, where: Where, event: Event, others: list[Event]) -> Wait:
        """A wait for an event, and maybe for some others at once."""
        op, core = self.ops[event.op], where[0]
        if op.counter is None:
            self._assign(op, event.kind, core, others)
        assert op.counter is not None
        if op.counter.core == core:
            wait = self._all(op)
            if self._waited(wait) & event.bit:
                wait.counter.pending += 1
                return wait
        wait = self._all(self._relay(op, event, core))
        wait.counter.pending += 1
        return wait

    def _all(self, op: Op) -> Wait:
        """A wait for what an instruction posts."""
        assert op.counter is not None
        return Wait(op.counter, op, len(op.counter.posters))

    def _relay(self, op: Op, event: Event, core: int) -> Op:
        """Another instruction that posts behind an event."""
        where = op.where
        wait = None
        if event.kind == LANDS:
            where = self.draw.choice([w for w in self.queues if w[0] == op.where[0]])
            wait = self._all(op)
            wait.counter.pending += 1
        relay = self._append(where, (Line("EventSemaphore", True, True),), wait=wait)
        self._assign(relay, COMPLETES, core, [])
        return relay

    def _assign(self, op: Op, kind: int, core: int, others: list[Event]) -> None:
        """Let an instruction post for those who want one of its events."""
        if kind == LANDS:
            core = op.where[0]
        at_read = kind == STARTS and not op.moves and self.draw.random() < 0.6
        sort = self.draw.choice(self.sorts)
        amount = 1 if op.moves or self.draw.random() < 0.8 else self.draw.randint(2, 3)
        if sort == "queue" and not op.moves:
            self._post(op, self._counting(op.where, STARTS if at_read else COMPLETES, core), amount)
            op.at_read = at_read
            return
        if sort == "event" and not op.moves and op.rounds == 1:
            self._post(op, self._new(core, once=True), 1)
            op.at_read = at_read
            return
        if sort == "shared":
            free = [
                c
                for c in self.counters
                if c.core == core and c.counts is None and not c.once and self._may_post(op, c)
            ]
            self._post(op, self.draw.choice(free) if free else self._new(core), amount)
            op.at_read = at_read
            return
        counter = self._new(core)
        self._post(op, counter, amount)
        op.at_read = at_read
        for event in others:  # several post to one counter
            other = self.ops[event.op]
            if other.counter is None and other.where[0] == core and self.draw.random() < 0.7:
                self._post(other, counter, 1)

    def _may_post(self, op: Op, counter: Counter) -> bool:
        return not counter.pending and all(
            op.known & waiter.event(STARTS).bit for waiter in counter.waiters
        )

    def _counting(self, where: Where, kind: int, core: int) -> Counter:
        for counter in self.counters:
            if counter.counts == (where, kind) and counter.core == core:
                return counter
        counter = self._new(core)
        counter.counts = (where, kind)
        return counter

    def _new(self, core: int, once: bool = False) -> Counter:
        counter = Counter(f"{'set' if once else 'done'}{len(self.counters)}", core, once=once)
        self.counters.append(counter)
        return counter

    def _post(self, op: Op, counter: Counter, amount: int) -> None:
        op.counter, op.amount = counter, 16 if op.moves else amount
        counter.posters.append(op)

    # -- text

    def text(self) -> Iterator[str]:
        """Declarations and lines, in the order in which they were made."""
        for core in sorted({c.core for c in self.counters} | {w[0] for w in self.queues}):
            if core:
                yield f".core {core}"
            for counter in self.counters:
                if counter.core == core:
                    yield f"{'.event' if counter.once else '.sem'} {counter.name}"
        at = max((w[0] for w in self.queues), default=0)
        for op in self.ops:
            core = op.where[0]
            if core != at:
                at = core
                yield f".core {core}"
            for line in op.lines:
                yield self._line(op, line)

    def _line(self, op: Op, line: Line) -> str:
        if line.text.startswith("."):
            return line.text
        words = [f"{line.label}:"] if line.label else []
        words += [f"@{op.where[1]}", line.text]
        if line.waits and op.wait is not None:
            words.append(self._wait_text(op.wait))
        if line.posts and op.counter is not None:
            words.append(self._post_text(op))
        return " ".join(words)

    def _wait_text(self, wait: Wait) -> str:
        counter = wait.counter
        if counter.once:
            return f"${counter.name} == 1"
        if counter.counts is not None:
            posters = [p for p in counter.posters if p.index <= wait.upto.index]
        else:
            posters = counter.posters[: wait.count]
        return f"${counter.name} >= {sum(p.rounds * p.amount for p in posters)}"

    def _post_text(self, op: Op) -> str:
        assert op.counter is not None
        name, read = op.counter.name, " @read" if op.at_read else ""
        if op.counter.once:
            return f"${name} = 1{read}"
        return (f"${name}++" if op.amount == 1 else f"${name} += {op.amount}") + read
