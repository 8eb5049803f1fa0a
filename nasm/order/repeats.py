"""Rounds of a loop that may be any number: what holds of a run with few of them holds of all.

A judged run has some rounds of a loop one after the other. Between two of them more of the same
are assumed. What each instruction certainly comes after, its clock, is then known for all of
them: of a steady loop each round knows what the one before knew, a round later. These clocks are
true if each follows from others by the rule of :mod:`nasm.order.clocks`, for in an execution the
first that is not would follow from what is. That is checked wait by wait: something comes before a
wait for ``n`` if less than ``n`` can be posted that comes neither after it nor after the wait. How
much that is, and ``n``, grow by so much for each round that is added, so that one comparison of
their growth decides for every number of rounds.

What cannot be shown in this way is no error: it is then judged round by round.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import sub
from typing import NamedTuple

from nasm.base.source import Span
from nasm.order.clocks import Order
from nasm.order.posts import Clock, Posts, TakenStep
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, CounterWait, Step

Place = tuple[int, int]
"""A queue, and the number of an instruction in it."""


class Repeat(NamedTuple):
    """Rounds of a loop that a judged run has one after the other, at least two.

    Of each queue ``starts`` is the first instruction of the first of ``rounds``, and ``lengths``
    how many each has, 0 if it does not go through the loop. More are put in the ``middle``.
    """

    starts: tuple[int, ...]
    lengths: tuple[int, ...]
    rounds: int

    @property
    def middle(self) -> int:
        """The rounds before those that are put in."""
        return self.rounds // 2

    def cut(self, queue: int) -> int:
        """The first instruction of a queue after those that are put in."""
        return self.starts[queue] + self.middle * self.lengths[queue]

    def within(self, queue: int, index: int) -> bool:
        """Whether an instruction is in one of the rounds."""
        return 0 <= index - self.starts[queue] < self.rounds * self.lengths[queue]


class Unproved(Exception):
    """It was not shown that any number of rounds is in the same order, for this reason.

    It may be ``at`` some place of the text.
    """

    def __init__(self, reason: str, at: Span | None = None) -> None:
        super().__init__(reason)
        self.at = at


class LearntCount(NamedTuple):
    """What a wait brings: a count of a column, by how much could be posted without it.

    Of the posts of each stream those before ``places`` could be, and of each stream of takes those
    before ``taken`` certainly are.
    """

    column: int
    places: tuple[int, ...]
    taken: tuple[int, ...]


class Insertion:
    """Shows that clocks with rounds put in follow from each other, or raises Unproved.

    ``slopes`` says by how much what an instruction outside of the rounds waits for grows with each
    round that is put in; 0 for those that it does not name.
    """

    def __init__(self, order: Order, repeat: Repeat, slopes: Mapping[Place, int]) -> None:
        self.order, self.repeat, self.slopes = order, repeat, slopes
        self.steps = [self._grown(column) for column in range(len(order.nothing))]
        self.cuts = [self._reached(column) for column in range(len(order.nothing))]
        self.advancing: dict[tuple[int, int], tuple[bool, ...]] = {}

    def check(self) -> None:
        """Show it."""
        self._supported()
        for queue, length in enumerate(self.repeat.lengths):
            if length:
                for same in self._phases(queue):
                    self._steady(same)
        for taken in self.order.taken:
            inside = self.repeat.within(taken.step.queue, taken.step.index)
            if taken.step.wait is not None and not inside:
                self._alone(taken)

    # -- columns

    def _grown(self, column: int) -> int:
        """By how much a column of a clock grows in a round."""
        return self._position(column, 1) - self._position(column, 0)

    def _reached(self, column: int) -> int:
        """What a column is where rounds are put in."""
        return self._position(column, self.repeat.middle)

    def _position(self, column: int, rounds: int) -> int:
        """What a column of a clock is after so many of the rounds."""
        queues, repeat = self.order.queues, self.repeat
        queue = column % queues if column < 2 * queues else self.order.owners[column]
        at = repeat.starts[queue] + rounds * repeat.lengths[queue]
        return at if column < 2 * queues else bisect_left(self.order.issued[column], at)

    def position(self, column: int, rounds: int) -> int:
        """The same, for who asks about accesses."""
        return self._position(column, rounds)

    # -- what is steady

    def _supported(self) -> None:
        for taken in self.order.taken:
            step = taken.step
            if step.change is not None and step.change.op != "+":
                raise Unproved("a counter is set")
            if step.meeting >= 0:
                raise Unproved("instructions of several queues meet")
            if step.after_event is not None:
                raise Unproved("an instruction waits for an event")

    def _phases(self, queue: int) -> Iterator[Sequence[TakenStep]]:
        """The steps of a queue that are the same in all rounds, each in the order of rounds."""
        repeat, steps, starts = self.repeat, self.order.steps[queue], self.order.starts[queue]
        at = [repeat.starts[queue] + n * repeat.lengths[queue] for n in range(repeat.rounds + 1)]
        rows = [
            steps[bisect_left(starts, low) : bisect_left(starts, high)]
            for low, high in pairwise(at)
        ]
        if len({len(row) for row in rows}) > 1:
            raise Unproved("its rounds wait and post differently")
        return zip(*rows, strict=True)

    def _steady(self, same: Sequence[TakenStep]) -> None:
        """A step of each round: all know the same, a round later each."""
        queue, length = same[0].step.queue, self.repeat.lengths[same[0].step.queue]
        for one, other in pairwise(same):
            if not _alike(one.step, other.step, length):
                raise Unproved("its rounds wait and post differently")
        rises = [tuple(map(sub, other.clock, one.clock)) for one, other in pairwise(same)]
        if any(rise != rises[0] for rise in rises):
            raise Unproved("what its rounds come after is not steady")
        if any(rise not in (0, step) for rise, step in zip(rises[0], self.steps, strict=True)):
            raise Unproved("what its rounds come after is not steady")
        moving = tuple(rise > 0 for rise in rises[0])
        self.advancing[queue, same[0].step.index - self.repeat.starts[queue]] = moving
        if same[0].step.wait is not None:
            self._grows(same)

    def _grows(self, same: Sequence[TakenStep]) -> None:
        """The waits of all rounds, and of all that are put in, bring what the clocks say."""
        claims = [self._claims(taken) for taken in same]
        waits = [wait for taken in same if (wait := taken.step.wait) is not None]
        slopes = {other.value - one.value for one, other in pairwise(waits)}
        if len(slopes) > 1:
            raise Unproved("what its rounds wait for is not affine")
        if len({tuple(claim.column for claim in row) for row in claims}) > 1:
            raise Unproved("what its rounds come after is not steady")
        posts, takes = self._streams(waits[0])
        for some in zip(*claims, strict=True):
            growth = self._moved(posts, [claim.places for claim in some], beyond=True)
            growth += self._moved(takes, [claim.taken for claim in some], beyond=False)
            if growth > min(slopes):
                raise Unproved("more is posted in each round than it waits for")

    def _moved(
        self, streams: Sequence[Posts], places: Sequence[tuple[int, ...]], beyond: bool
    ) -> int:
        """By how much what is before some places of each round grows from one to the next.

        ``beyond`` says that a place that stays must not be after the rounds that are put in.
        """
        total = 0
        for posts, some in zip(streams, zip(*places, strict=True), strict=True):
            each = self._posts_in(posts, self.repeat.middle)
            moves = {other - one for one, other in pairwise(some)}
            if moves == {each} and each:
                total += self._amount(posts)
            elif moves != {0} or (beyond and each and some[0] > self._cut(posts)):
                raise Unproved("what its rounds come after is not steady")
        return total

    def _posts_in(self, posts: Posts, rounds: int) -> int:
        """How many posts of a stream a round has."""
        queue = posts.queue
        low = self.repeat.starts[queue] + rounds * self.repeat.lengths[queue]
        high = low + self.repeat.lengths[queue]
        return bisect_left(posts.indices, high) - bisect_left(posts.indices, low)

    def _cut(self, posts: Posts) -> int:
        """The first post of a stream after those that are put in."""
        return bisect_left(posts.indices, self.repeat.cut(posts.queue))

    def _amount(self, posts: Posts) -> int:
        """What the posts of a stream in a round amount to."""
        cut = self._cut(posts)
        return posts.total(cut) - posts.total(cut - self._posts_in(posts, self.repeat.middle - 1))

    # -- what is not in the rounds

    def _alone(self, taken: TakenStep) -> None:
        """The wait of an instruction outside of the rounds brings what its clock says."""
        wait, step = taken.step.wait, taken.step
        assert wait is not None
        posts, takes = self._streams(wait)
        slope = self.slopes.get((step.queue, step.index), 0)
        for claim in self._claims(taken):
            column, later = claim.column, False
            if column >= 0:
                later = taken.clock[column] > self.cuts[column] and self.steps[column] > 0
            pairs = zip(posts, claim.places, strict=True)
            growth = sum(self._amount(one) for one, at in pairs if later or at > self._cut(one))
            pairs = zip(takes, claim.taken, strict=True)
            growth += sum(self._amount(one) for one, at in pairs if at > self._cut(one))
            if growth > slope:
                raise Unproved("a wait outside of it depends on the number of rounds")

    # -- waits

    def _streams(self, wait: CounterWait) -> tuple[list[Posts], list[Posts]]:
        """What is posted to a counter, and what is taken from it: negative amounts."""
        return self.order.streams(wait.counter), self.order.takes(wait.counter)

    def _claims(self, taken: TakenStep) -> list[LearntCount]:
        """What a wait brings, and that it does; -1 is the column of what nothing may overrun."""
        step, wait = taken.step, taken.step.wait
        assert wait is not None
        posts, takes = self._streams(wait)
        base = self._base(taken)
        known = tuple(_known(one, base, step) for one in takes)
        before = tuple(one.before(step.queue, step.index) for one in posts)
        fallen = sum(one.total(count) for one, count in zip(takes, known, strict=True))
        found = []
        for column, count in enumerate(taken.clock):
            if count > base[column]:
                places = tuple(
                    _without(one, column, count, most)
                    for one, most in zip(posts, before, strict=True)
                )
                least = sum(one.total(at) for one, at in zip(posts, places, strict=True)) + fallen
                own = any(one.kind == LANDS and one.column == column for one in posts)
                if least - own >= wait.value:
                    raise Unproved("what a wait brings does not follow from its posts alone")
                found.append(LearntCount(column, places, known))
        if wait.op == "==":
            if takes:
                raise Unproved("a wait for just a value of a counter that goes down")
            found.append(LearntCount(-1, before, known))
        return found

    def _base(self, taken: TakenStep) -> Clock:
        """What an instruction comes after by its queue alone."""
        step, order = taken.step, self.order
        nth = bisect_left(order.starts[step.queue], step.index)
        clock = order.steps[step.queue][nth - 1].clock if nth else order.nothing
        column = order.queues + step.queue
        if step.after >= clock[column]:
            clock = (*clock[:column], step.after + 1, *clock[column + 1 :])
        return clock


def _alike(one: Step, other: Step, length: int) -> bool:
    """Whether two steps are the same, but for the value that they wait for."""
    if other.index - one.index != length or one.change != other.change:
        return False
    if one.issue != other.issue or (one.wait is None) != (other.wait is None):
        return False
    if one.wait is None or other.wait is None:
        return True
    return one.wait[:2] == other.wait[:2]


def _known(takes: Posts, base: Clock, step: Step) -> int:
    """How many takes are certainly made before a step starts."""
    count = base[takes.column]
    if takes.kind == STARTS and takes.queue == step.queue:
        count = step.index
    return bisect_left(takes.indices, count)


def _without(posts: Posts, column: int, count: int, most: int) -> int:
    """How many of the first posts can be made before a column has a count."""
    if posts.kind == LANDS and posts.column == column:
        return most  # transfers land in any order
    return bisect_left(range(most), count, key=lambda nth: _column(posts, nth, column))


def _column(posts: Posts, nth: int, column: int) -> int:
    """What a column is once a post has happened."""
    known = posts.clocks[nth][column]
    if column == posts.queue or (column == posts.column and posts.kind == COMPLETES):
        return max(known, posts.indices[nth] + 1)
    return known
