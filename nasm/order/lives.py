"""Counters that also go down, or are set: what surely comes before the waits for them.

A counter lives from one set to the next. Each set has to be in order with every other change and
every wait of the counter; where it is not, that is what is wrong. Within a life a counter is a
purse that posts fill and takes empty: something comes before a wait for ``n`` if what the posts
that come neither after it nor after the wait amount to, less what was surely taken before the wait,
is below ``n``. All of it follows from clocks that are sound, and adds to them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from nasm.order.posts import Clock, Posts, Taken, joined, more_than, posted
from nasm.order.skeleton import COMPLETES, LANDS, STARTS

Place = tuple[int, int]
"""A queue, and the number of an instruction in it."""


class Unordered(NamedTuple):
    """A set of a counter, and an update or a wait of it, that are in no order."""

    counter: int
    set: Place
    other: Place
    waits: bool


class Life:
    """What happens to a counter between two sets of it, in the order of the run."""

    def __init__(self, first: Taken | None) -> None:
        self.first = first
        self.start = 0 if first is None else posted(first.step)[1]
        self.posts: list[Taken] = []
        self.takes: list[Taken] = []
        self.waits: list[Taken] = []
        self.last: Taken | None = None

    @property
    def highest(self) -> int:
        """What the counter may come to in it."""
        return self.start + sum(posted(taken.step)[1] for taken in self.posts)

    def satisfies(self, op: str, value: int) -> bool:
        """Whether a wait may be over in it."""
        if op == ">=" or self.posts:
            return self.highest >= value
        return self.start >= value if self.takes else self.start == value


class Lives:
    """What surely comes before the waits for some counters, beside what clocks say already.

    ``given`` are clocks by the place of a wait; ``unordered`` is what has to be in order and is
    not.
    """

    def __init__(self, queues: int, steps: Sequence[Taken], counters: Collection[int]) -> None:
        self.queues = queues
        self.given: dict[Place, Clock] = {}
        self.unordered: list[Unordered] = []
        self._bases: dict[int, Clock] = {}
        lives = {counter: [Life(None)] for counter in counters}
        last: dict[int, Clock] = {}
        zero = (0,) * len(steps[0].clock) if steps else ()
        for taken in steps:
            step = taken.step
            base = last.get(step.queue, zero)
            if step.after >= 0:
                column = queues + step.queue
                base = (*base[:column], max(base[column], step.after + 1), *base[column + 1 :])
            self._bases[id(taken)] = base
            last[step.queue] = taken.clock
            if step.wait is not None and step.wait.counter in lives:
                lives[step.wait.counter][-1].waits.append(taken)
            if taken.posts is not None and posted(step)[0] in lives:
                self._change(lives[posted(step)[0]], taken)
        for counter, some in lives.items():
            if all([self._ordered(counter, some, n) for n in range(len(some))]):
                for life in some:
                    self._give(life)

    def _change(self, lives: list[Life], taken: Taken) -> None:
        change = taken.step.change
        if change is not None and change.op == "=":
            lives[-1].last = taken
            lives.append(Life(taken))
        elif posted(taken.step)[1] < 0:
            lives[-1].takes.append(taken)
        else:
            lives[-1].posts.append(taken)

    # -- order

    def _ordered(self, counter: int, lives: Sequence[Life], nth: int) -> bool:
        """Whether the sets around a life are in order with all that is in it."""
        life, found = lives[nth], len(self.unordered)
        first, last = life.first, life.last
        for taken in (*life.posts, *life.takes, *([last] if last is not None else [])):
            if first is not None and not self._changed_before(first, taken):
                self._report(counter, first, taken, False)
            elif last not in (None, taken) and not self._changed_before(taken, last):
                self._report(counter, last, taken, False)
        for taken in life.waits:
            self._confined(counter, lives, nth, taken)
            if last is not None and not self._starts_before(taken, last):
                self._report(counter, last, taken, True)
        return len(self.unordered) == found

    def _report(self, counter: int, setter: Taken | None, other: Taken, waits: bool) -> None:
        assert setter is not None
        one, two = ((t.step.queue, t.step.index) for t in (setter, other))
        self.unordered.append(Unordered(counter, one, two, waits))

    def _confined(self, counter: int, lives: Sequence[Life], nth: int, taken: Taken) -> None:
        """A wait has to be over in its life, and in none before."""
        wait, base = taken.step.wait, self._bases[id(taken)]
        assert wait is not None
        while nth:
            first = lives[nth].first
            assert first is not None
            if self._has(base, taken.step.queue, taken.step.index, first):
                return
            nth -= 1
            if lives[nth].satisfies(wait.op, wait.value):
                self._report(counter, first, taken, True)
                return

    def _has(self, clock: Clock, queue: int, index: int, change: Taken) -> bool:
        """Whether a change was made before an instruction with a clock starts."""
        step, posts = change.step, change.posts
        assert posts is not None
        if posts.kind == LANDS:
            return clock[posts.column] > change.nth
        if posts.kind == STARTS and step.queue == queue:
            return step.index < index
        return clock[posts.column] > step.index

    def _changed_before(self, one: Taken, other: Taken | None) -> bool:
        """Whether a change comes before another one."""
        assert other is not None
        assert one.posts is not None
        assert other.posts is not None
        mine, theirs = one.step, other.step
        if mine.queue == theirs.queue and one.posts.kind != LANDS and other.posts.kind == COMPLETES:
            return mine.index < theirs.index
        return self._has(other.clock, theirs.queue, theirs.index, one)

    def _starts_before(self, one: Taken, other: Taken | None) -> bool:
        """Whether an instruction starts before another one makes a change."""
        assert other is not None
        mine, theirs = one.step, other.step
        if mine.queue == theirs.queue:
            return mine.index <= theirs.index
        return other.clock[mine.queue] > mine.index

    # -- what follows

    def _give(self, life: Life) -> None:
        """What surely comes before each wait of a life."""
        for taken in life.waits:
            wait, clock = taken.step.wait, taken.clock
            assert wait is not None
            if life.first is not None:
                clock = self._after(clock, life.first)
            need = wait.value - life.start
            if need > 0:
                clock = self._filled(clock, taken, life, need)
            if clock != taken.clock:
                self.given[taken.step.queue, taken.step.index] = clock
            elif taken.clock != self._bases[id(taken)]:
                self.given[taken.step.queue, taken.step.index] = taken.clock

    def _after(self, clock: Clock, change: Taken) -> Clock:
        """A clock after a change has been made."""
        posts = change.posts
        assert posts is not None
        one = Posts(posts.queue, posts.kind, posts.column, change.nth)
        one.add(change.step.index, change.clock, 1)
        return joined(clock, one, 0)

    def _filled(self, clock: Clock, taken: Taken, life: Life, need: int) -> Clock:
        """A clock after a purse held as much as a wait needs."""
        base, step = self._bases[id(taken)], taken.step
        some = [(posts, len(posts.indices)) for posts in self._streams(taken, life)]
        slack = sum(posts.total(count) for posts, count in some) - need
        slack += sum(
            posted(take.step)[1]
            for take in life.takes
            if self._has(base, step.queue, step.index, take)
        )
        if slack > 0:
            return more_than(clock, some, slack)
        for posts, count in some:
            clock = joined(clock, posts, count - 1)
        return clock

    def _streams(self, taken: Taken, life: Life) -> Iterator[Posts]:
        """The posts of a life that do not come after a wait."""
        found: dict[Place, Posts] = {}
        queue, index = taken.step.queue, taken.step.index
        for post in life.posts:
            posts, step = post.posts, post.step
            assert posts is not None
            after = step.index >= index if step.queue == queue else post.clock[queue] > index
            if not after:
                mine = found.get((posts.queue, posts.kind))
                if mine is None:
                    mine = Posts(posts.queue, posts.kind, posts.column, post.nth)
                    found[posts.queue, posts.kind] = mine
                mine.add(step.index, post.clock, posted(step)[1])
        yield from found.values()
