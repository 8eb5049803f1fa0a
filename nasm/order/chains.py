"""Why something certainly happens before an instruction starts: a chain of posts and waits.

The clocks say *that* it does. Going back from the instruction, the first one of its queue that
comes after the event has learnt of it by its wait, by a meeting, or by its own engine's results;
what that comes after is the next link, until it is the event itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from nasm.order.clocks import Order
from nasm.order.posts import Posts, TakenStep
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, CounterWait, Event, Step

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""

IN_ORDER, WAITED, MET, OWN_RESULT = "in order", "waited", "met", "own result"
"""How an instruction comes after another one: as the next of its queue, by a wait, by a meeting,
or since it reads what that one wrote."""

LONGEST = 10_000
"""Links that are followed: a loop has two for each of its rounds."""


class ChainLink(NamedTuple):
    """The start of ``later`` comes after an event of ``earlier``: its start, end, or landing.

    If it was a ``wait`` then ``posted`` is how much could have been posted by then, of which
    ``through`` came by posts that the event precedes: without these there is too little. If
    ``earlier`` is not what it certainly waits for ``alone``, it is the first of several that may.
    """

    how: str
    later: Place
    earlier: Place
    kind: int
    wait: CounterWait | None = None
    posted: int = 0
    through: int = 0
    alone: bool = True


class Chains:
    """Finds chains in an order that is settled."""

    def __init__(self, order: Order) -> None:
        self.order = order
        self._meetings: dict[int, list[TakenStep]] = {}
        for taken in order.taken:
            if taken.step.meeting >= 0:
                self._meetings.setdefault(taken.step.meeting, []).append(taken)

    def chain(self, event: Event, later: Place) -> list[ChainLink]:
        """The links from an event to a later start, in the order of time.

        Empty if the one is not before the other, or where counters that go down or are set see to
        it only together.
        """
        if not self.order.before(event, *later):
            return []
        links: list[ChainLink] = []
        at, seen = later, set[Place]()
        while at not in seen and len(links) < LONGEST:
            seen.add(at)
            link = self._link(event, at)
            if link is None:
                break
            links += link
            last = links[-1]
            if self._is(event, last):
                return links[::-1]
            at = last.earlier
        return []

    def _is(self, event: Event, link: ChainLink) -> bool:
        """Whether a link begins with the event, or with what is only later in its queue."""
        queue, index = link.earlier
        return self._implies(event, queue, index, link.kind)

    def _implies(self, event: Event, queue: int, index: int, kind: int) -> bool:
        """Whether something of an instruction comes after an event, by the order of its queue."""
        if queue != event.queue or event.kind == LANDS:
            return queue == event.queue and index == event.index and kind == LANDS
        reached = event.index <= index
        return reached if event.kind == STARTS else reached and kind == COMPLETES

    def _link(self, event: Event, at: Place) -> list[ChainLink] | None:
        """How the start of an instruction comes after an event that it certainly comes after."""
        queue = at[0]
        if event.kind == STARTS and queue == event.queue:
            return [ChainLink(IN_ORDER, at, (queue, event.index), STARTS)]
        taken = self._first(event, at)
        if taken is None:
            return None
        here = queue, taken.step.index
        links = [] if here == at else [ChainLink(IN_ORDER, at, here, STARTS)]
        found = self._reason(event, taken)
        if found is not None:
            return [*links, found]
        for member in self._meetings.get(taken.step.meeting, ()):
            if member is not taken:
                there = member.step.queue, member.step.index
                if event.kind == STARTS and there == (event.queue, event.index):
                    return [*links, ChainLink(MET, here, there, STARTS)]
                found = self._reason(event, member) or self._earlier(event, member)
                if found is not None:
                    return [*links, ChainLink(MET, here, there, STARTS), found]
        return None

    def _first(self, event: Event, at: Place) -> TakenStep | None:
        """The first instruction of a queue, up to one, that comes after an event."""
        queue, index = at
        steps = self.order.steps[queue]
        last = bisect_right(self.order.starts[queue], index)
        nth = bisect_left(steps, True, hi=last, key=lambda taken: self._after(event, taken))
        return steps[nth] if nth < last else None

    def _after(self, event: Event, taken: TakenStep) -> bool:
        column, count = self._mark(event)
        return bool(taken.clock) and taken.clock[column] >= count

    def _mark(self, event: Event) -> tuple[int, int]:
        """The column of a clock that knows of an event, and what that then is."""
        clock = self.order.after(event)
        if event.kind == LANDS:
            found = self.order.transfer(event.queue, event.index)
            assert found is not None
            return found
        column = event.queue + (self.order.queues if event.kind == COMPLETES else 0)
        return column, min(clock[column], event.index + 1)

    def _earlier(self, event: Event, member: TakenStep) -> ChainLink | None:
        """The instruction before one that meets others, if it comes after the event."""
        step = member.step
        queue, index = here = step.queue, step.index
        if event.kind == STARTS and event.queue == queue and event.index < index:
            return ChainLink(IN_ORDER, here, (queue, event.index), STARTS)
        if index and self.order.before(event, queue, index - 1):
            return ChainLink(IN_ORDER, here, (queue, index - 1), STARTS)
        return None

    def _reason(self, event: Event, taken: TakenStep) -> ChainLink | None:
        """What an instruction needs, itself, that comes after an event."""
        step = taken.step
        here = step.queue, step.index
        own = event.queue == step.queue and event.kind == COMPLETES
        if own and step.after >= 0 and event.index <= step.after:
            return ChainLink(OWN_RESULT, here, (step.queue, step.after), COMPLETES)
        if step.wait is None:
            return None
        return self._waited(event, step, step.wait)

    def _waited(self, event: Event, step: Step, wait: CounterWait) -> ChainLink | None:
        """The post, of those that a wait needs, from which it has its knowledge of an event."""
        here = step.queue, step.index
        posted = through = 0
        chosen: tuple[int, Posts, int] | None = None
        down = self.order.goes_down(wait.counter)
        for posts in self.order.streams(wait.counter):
            count = posts.before(*here)
            posted += posts.total(count)
            for nth in self._telling(event, posts, count):
                place = posts.queue, posts.indices[nth]
                if down and not self.order.before(Event(posts.kind, *place), *here):
                    continue  # another one may have posted what it took
                through += posts.totals[nth] - posts.total(nth)
                enough = posts.totals[nth] >= wait.value
                if chosen is None or (enough and nth < chosen[0]):
                    chosen = nth, posts, nth
        if down:
            if chosen is None:
                return self._set(event, step, wait)
            posted = through = 0
        elif chosen is None or posted - through >= wait.value:
            return None  # it learnt of it otherwise
        _, posts, nth = chosen
        earlier = posts.queue, posts.indices[nth]
        alone = self.order.before(Event(posts.kind, *earlier), *here)
        return ChainLink(WAITED, here, earlier, posts.kind, wait, posted, through, alone)

    def _telling(self, event: Event, posts: Posts, count: int) -> Iterator[int]:
        """Those of the first posts of a stream that come after an event."""
        column, least = self._mark(event)
        for nth in range(count):
            index = posts.indices[nth]
            if posts.clocks[nth][column] >= least or self._implies(
                event, posts.queue, index, posts.kind
            ):
                yield nth

    def _set(self, event: Event, step: Step, wait: CounterWait) -> ChainLink | None:
        """The set of a counter, before a wait for it, from which that knows of an event."""
        for taken in reversed(self.order.taken):
            change = taken.step.change
            if change is None or (change.counter, change.op) != (wait.counter, "="):
                continue
            if taken.step.meeting == step.meeting >= 0:
                continue
            kind = STARTS if change.at_start else COMPLETES
            place = taken.step.queue, taken.step.index
            tells = self._after(event, taken) or self._implies(event, *place, kind)
            if tells and self.order.before(Event(kind, *place), step.queue, step.index):
                return ChainLink(WAITED, (step.queue, step.index), place, kind, wait)
        return None
