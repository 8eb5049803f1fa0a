"""Counters that also go down, or are set: what certainly comes before the waits for them.

What a counter is when a wait is over, it is since the last set of it, or since the start: that set
does not come after the wait, and no other set comes between the two. So what happens before all
such sets comes before the wait. From there on the counter holds credits, which posts add and takes
remove: something comes before a wait for ``n`` if the posts that come neither after it nor after
the wait, and were not wiped out by a set in between, amount to less than ``n``, less what was
certainly taken.

Whether a set or a post comes after a wait is what clocks say. As with counters that only go up they
may be supposed to say more than they do until that contradicts itself: in an execution, one of the
wrong statements would have been violated first, and everything it follows from had happened before.

Each set has to be in order with every other change and every wait of its counter. Where it is not,
that is the error.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from nasm.order.exact_waits import Tally, minimum_counts
from nasm.order.posts import Clock, Posts, TakenStep, Window, joined, more_than, posted
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Step
from nasm.sim.counters import HIGHEST

Place = tuple[int, int]
"""A queue, and the number of an instruction in it."""


class Unordered(NamedTuple):
    """A set of a counter, and an update or a wait of it, that are in no order."""

    counter: int
    set: Place
    other: Place
    waits: bool


class ChangeStream:
    """Changes of a counter by one queue in one way, in order, as steps and as posts."""

    def __init__(self, taken: TakenStep) -> None:
        assert taken.posts is not None
        posts = taken.posts
        self.posts = Posts(posts.queue, posts.kind, posts.column, taken.nth)
        self.taken: list[TakenStep] = []

    def add(self, taken: TakenStep, value: int) -> None:
        """One more."""
        taken.life = self.posts, len(self.taken)
        self.taken.append(taken)
        self.posts.add(taken.step.index, taken.clock, value)

    def known(self, clock: Clock, queue: int, index: int) -> int:
        """How many have certainly happened before an instruction with a clock starts."""
        posts = self.posts
        if posts.kind == LANDS:
            count = clock[posts.column]
            return bisect_left(self.taken, count, key=lambda taken: taken.nth)
        count = index if posts.kind == STARTS and posts.queue == queue else clock[posts.column]
        return bisect_left(posts.indices, count)

    def before_change(self, change: TakenStep) -> int:
        """How many have certainly happened before another change does."""
        step, kind = change.step, self.posts.kind
        assert change.posts is not None
        if step.queue == self.posts.queue and kind != LANDS and change.posts.kind == COMPLETES:
            return bisect_left(self.posts.indices, step.index)
        count = self.known(change.clock, step.queue, step.index)
        return count - 1 if count and _at_once(self.taken[count - 1], change) else count


class DownCounter:
    """What happens to a counter: its sets, what is posted and taken, and who waits for it."""

    def __init__(self) -> None:
        self.sets: dict[int, ChangeStream] = {}
        self.posts: dict[int, ChangeStream] = {}
        self.takes: dict[int, ChangeStream] = {}
        self.waits: dict[int, list[TakenStep]] = {}

    def change(self, taken: TakenStep) -> None:
        """A step changes it."""
        assert taken.posts is not None
        change, (_, value) = taken.step.change, posted(taken.step)
        kind = self.takes if value < 0 else self.posts
        if change is not None and change.op == "=":
            kind = self.sets
        key = taken.posts.column
        if key not in kind:
            kind[key] = ChangeStream(taken)
        kind[key].add(taken, abs(value))


class DownCounters:
    """What certainly comes before waits for counters that go down or are set, step by step.

    ``counters`` are those of which such a step was taken; what was taken before that is replayed.
    """

    def __init__(self, counters: Collection[int]) -> None:
        self.counters = {counter: DownCounter() for counter in sorted(counters)}

    def change(self, taken: TakenStep) -> None:
        """A step that starts changes a counter."""
        counter = self.counters.get(posted(taken.step)[0])
        if counter is not None:
            counter.change(taken)

    def wait(self, taken: TakenStep) -> None:
        """A step waits for a counter."""
        wait = taken.step.wait
        if wait is not None and wait.counter in self.counters:
            waits = self.counters[wait.counter].waits
            waits.setdefault(taken.step.queue, []).append(taken)

    def after(self, step: Step, base: Clock) -> Clock:
        """What certainly comes before the end of a wait, whichever set gave the counter its value.

        ``base`` is what comes before the wait itself.
        """
        wait = step.wait
        assert wait is not None
        counter = self.counters[wait.counter]
        known = [
            stream.taken[count - 1]
            for stream in counter.sets.values()
            if (count := stream.known(base, step.queue, step.index))
        ]
        clock: Clock | None = None
        for setter in _setters(counter, step, base, known):
            start = 0 if setter is None else posted(setter.step)[1]
            sets = known if setter is None else (*known, setter)
            windows = _windows(counter.posts, step, sets)
            need = wait.value - start
            more = _total(windows) - _sure(counter.takes, step, base, setter)
            least = _sure(counter.posts, step, base, setter)
            least -= _total(_windows(counter.takes, step, sets))
            if need > more or (wait.op == "==" and need < least):
                continue
            after = base if setter is None else _after(base, setter)
            if wait.op == "==" or counter.sets:
                made = _exactly(counter, step, base, setter, sets)
                if made is None:
                    continue
                for posts, count in made:
                    after = joined(after, posts, count - 1)
            if need > 0:
                after = _filled(after, windows, more - need)
            clock = after if clock is None else tuple(map(min, clock, after))
        return base if clock is None else clock

    # -- errors

    @property
    def unordered(self) -> list[Unordered]:
        """Sets that are in no order with what else happens to their counters."""
        found = []
        for number, counter in self.counters.items():
            for stream in counter.sets.values():
                for setter in stream.taken:
                    for other, waits in self._others(counter, setter):
                        places = (
                            (setter.step.queue, setter.step.index),
                            (other.step.queue, other.step.index),
                        )
                        found.append(Unordered(number, *places, waits))
        return found

    def _others(self, counter: DownCounter, setter: TakenStep) -> Iterator[tuple[TakenStep, bool]]:
        """The first change and the first wait of each queue that a set is in no order with."""
        for kind in (counter.sets, counter.posts, counter.takes):
            for stream in kind.values():
                before = stream.before_change(setter)
                for taken in stream.taken[before : before + 1]:
                    if taken is not setter and not _before(setter, taken):
                        yield taken, False
        for waits in counter.waits.values():
            before = bisect_right(
                waits, 0, key=lambda taken: not _starts_before(taken.step, setter)
            )
            for taken in waits[before : before + 1]:
                if not self._follows(taken, setter):
                    yield taken, True

    def _follows(self, taken: TakenStep, setter: TakenStep) -> bool:
        """Whether a wait can only be over once a set was made."""
        return _has(taken.clock, taken.step.queue, taken.step.index, setter)


def _exactly(
    counter: DownCounter,
    step: Step,
    base: Clock,
    setter: TakenStep | None,
    sets: Sequence[TakenStep],
) -> list[tuple[Posts, int]] | None:
    """What has certainly been made when a wait is over, by what adds up; None if nothing does."""
    assert step.wait is not None
    low = step.wait.value - (0 if setter is None else posted(setter.step)[1])
    high = low if step.wait.op == "==" else HIGHEST
    rows: list[Tally] = []
    streams = [(1, one) for one in counter.posts.values()]
    streams += [(-1, one) for one in counter.takes.values()]
    by_posts = {id(one.posts): one for _, one in streams}
    for sign, stream in streams:
        posts, first = stream.posts, max((stream.before_change(one) for one in sets), default=0)
        known, count = stream.known(base, step.queue, step.index), posts.before(*_place(step))
        if posts.kind == LANDS:  # each share by itself, in any order
            low -= posts.total(max(first, count)) - posts.total(first)
            continue
        wiped = first
        if setter is not None:
            wiped = bisect_left(stream.taken, True, key=lambda one: _before(setter, one))

        def needs(other: Posts, made: int, stream: ChangeStream = stream) -> int:
            return by_posts[id(other)].before_change(stream.taken[made - 1])

        rows.append(Tally(posts, needs, sign, first, max(first, wiped), known, count))
    return minimum_counts(rows, low, high)


def _place(step: Step) -> Place:
    return step.queue, step.index


def _sure(
    streams: Mapping[int, ChangeStream], step: Step, base: Clock, setter: TakenStep | None
) -> int:
    """The certain sum of changes when a wait is over, since a set or since the start."""
    total = 0
    for stream in streams.values():
        count = stream.known(base, step.queue, step.index)
        first = 0
        if setter is not None:
            first = bisect_left(stream.taken, True, key=lambda change: _before(setter, change))
        if first < count:
            total += stream.posts.total(count) - stream.posts.total(first)
    return total


def _setters(
    counter: DownCounter, step: Step, base: Clock, known: Sequence[TakenStep]
) -> Iterator[TakenStep | None]:
    """The sets that may be the last one before a wait is over; None is the start."""
    if not known:
        yield None
    for stream in counter.sets.values():
        count = stream.known(base, step.queue, step.index)
        for nth in range(max(0, count - 1), len(stream.taken)):
            setter = stream.taken[nth]
            if _starts_before(step, setter):
                break
            if not any(_before(setter, other) for other in known if other is not setter):
                yield setter


def _has(clock: Clock, queue: int, index: int, change: TakenStep) -> bool:
    """Whether a change was made before an instruction with a clock starts."""
    step, posts = change.step, change.posts
    assert posts is not None
    if posts.kind == LANDS:
        return clock[posts.column] > change.nth
    if posts.kind == STARTS and step.queue == queue:
        return step.index < index
    return clock[posts.column] > step.index


def _before(one: TakenStep, other: TakenStep) -> bool:
    """Whether a change comes before another one."""
    assert one.posts is not None
    assert other.posts is not None
    mine, theirs = one.step, other.step
    if mine.queue == theirs.queue and one.posts.kind != LANDS and other.posts.kind == COMPLETES:
        return mine.index < theirs.index
    if _at_once(one, other):
        return False
    return _has(other.clock, theirs.queue, theirs.index, one)


def _at_once(one: TakenStep, other: TakenStep) -> bool:
    """Whether two instructions that meet make their changes when they start: in any order."""
    assert one.posts is not None
    assert other.posts is not None
    met = one.step.meeting == other.step.meeting >= 0
    return met and one.posts.kind == other.posts.kind == STARTS


def _starts_before(mine: Step, other: TakenStep) -> bool:
    """Whether an instruction starts before another one makes a change."""
    theirs = other.step
    if mine.queue == theirs.queue:
        return mine.index <= theirs.index
    return other.clock[mine.queue] > mine.index


def _after(clock: Clock, change: TakenStep) -> Clock:
    """A clock after a change has been made."""
    posts = change.posts
    assert posts is not None
    one = Posts(posts.queue, posts.kind, posts.column, change.nth)
    one.add(change.step.index, change.clock, 1)
    return joined(clock, one, 0)


def _windows(
    streams: Mapping[int, ChangeStream], step: Step, sets: Sequence[TakenStep]
) -> list[Window]:
    """The changes that come neither after a wait nor before one of the sets that come before it."""
    found = []
    for stream in streams.values():
        first = max((stream.before_change(setter) for setter in sets), default=0)
        count = stream.posts.before(step.queue, step.index)
        if first < count:
            found.append((stream.posts, first, count))
    return found


def _total(windows: Sequence[Window]) -> int:
    """What some changes amount to."""
    return sum(posts.total(count) - posts.total(first) for posts, first, count in windows)


def _filled(clock: Clock, windows: Sequence[Window], slack: int) -> Clock:
    """A clock after a counter had all that may have been posted to it but for ``slack``."""
    if slack > 0:
        return more_than(clock, windows, slack)
    for posts, _, count in windows:
        clock = joined(clock, posts, count - 1)
    return clock
