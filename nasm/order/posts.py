"""What clocks are made of: posts in streams, and what a clock learns of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import chain, islice
from operator import sub

from nasm.order.skeleton import COMPLETES, LANDS, Step

Clock = tuple[int, ...]
"""Instructions started, for each queue; completed, for each queue; transfers landed, by stream."""

UNKNOWN = -1
"""Instead of the number of changes of a queue."""


class Posts:
    """What one queue posts to one counter in one way: at completions, at starts, or by transfers.

    They happen in order, so that a later one comes after all that an earlier one does; transfers
    land in no order, but those of a stream are issued in one. ``column`` of a clock says that one
    has happened; ``totals`` are the sums of their values. ``skipped`` transfers of the stream were
    issued before the first of them. ``marks`` are the numbers of changes of the queue.
    """

    __slots__ = ("clocks", "column", "indices", "kind", "marks", "queue", "skipped", "totals")

    def __init__(self, queue: int, kind: int, column: int, skipped: int = 0) -> None:
        self.queue, self.kind, self.column, self.skipped = queue, kind, column, skipped
        self.indices: list[int] = []
        self.clocks: list[Clock] = []
        self.totals: list[int] = []
        self.marks: list[int] = []

    def known(self, clock: Clock, nth: int) -> bool:
        """Whether a clock has the nth of them, and so everything before the nth."""
        return clock[self.column] > (
            self.skipped + nth if self.kind == LANDS else self.indices[nth]
        )

    def add(self, index: int, clock: Clock, value: int, mark: int = UNKNOWN) -> None:
        """One more, by an instruction that starts with a clock."""
        totals = self.totals
        self.indices.append(index)
        self.clocks.append(clock)
        totals.append(totals[-1] + value if totals else value)
        self.marks.append(mark)

    def clear(self) -> None:
        """None, as at first."""
        self.indices.clear()
        self.clocks.clear()
        self.totals.clear()
        self.marks.clear()

    def lose(self) -> None:
        """The changes of the queue when they were made are no longer there."""
        self.marks[:] = [UNKNOWN] * len(self.marks)

    def before(self, queue: int, index: int) -> int:
        """How many do not come after the start of an instruction."""
        if queue == self.queue:
            return bisect_left(self.indices, index)
        return bisect_right(self.clocks, index, key=lambda clock: clock[queue])

    def known_count(self, clock: Clock) -> int:
        """How many of them a clock has."""
        if self.kind == LANDS:
            return max(0, clock[self.column] - self.skipped)
        return bisect_left(self.indices, clock[self.column])

    def total(self, count: int) -> int:
        """The sum of the first so many."""
        return self.totals[count - 1] if count else 0

    def least(self, first: int, count: int) -> int:
        """The smallest value of those from one on, up to another."""
        before = chain((self.total(first),), islice(self.totals, first, count))
        found: int = min(map(sub, islice(self.totals, first, count), before))
        return found


class TakenStep:
    """A step that was taken, with the clock of its start.

    It is the nth of its ``posts``, and has another place in the ``life`` of a counter, if it has.
    """

    __slots__ = ("clock", "life", "nth", "posts", "step")

    def __init__(self, step: Step, posts: Posts | None) -> None:
        self.step, self.posts = step, posts
        self.clock: Clock = ()
        self.life: tuple[Posts, int] | None = None
        self.nth = -1 if posts is None else len(posts.indices)


def posted(step: Step) -> tuple[int, int]:
    """The counter that a step changes, itself or by its transfer, and by how much."""
    if step.issue is not None:
        assert step.issue.counter is not None
        return step.issue.counter, step.issue.shares
    assert step.change is not None
    return step.change.counter, step.change.value


def both(one: Clock, other: Clock) -> Clock:
    """What either of two clocks says."""
    return tuple([a if a > b else b for a, b in zip(one, other, strict=True)])


def joined(clock: Clock, posts: Posts, nth: int) -> Clock:
    """A clock after a post has happened for sure, and with it those before it in its stream."""
    if posts.known(clock, nth):
        return clock
    made = list(both(clock, posts.clocks[nth]))
    index = posts.indices[nth] + 1
    made[posts.queue] = max(made[posts.queue], index)
    made[posts.column] = posts.skipped + nth + 1 if posts.kind == LANDS else index
    return tuple(made)


Window = tuple[Posts, int, int]
"""Some posts of a stream: from one on, up to another."""


def more_than(clock: Clock, some: Sequence[Window], slack: int) -> Clock:
    """A clock after posts of which all but ``slack`` happened: what is before more of them.

    Of a transfer each share is a post of its own: that it landed says one of them alone.
    """
    rows: list[list[int]] = []
    weights: list[int] = []
    for posts, first, count in some:
        last = posts.totals[count - 1]
        for nth in range(count - 1, first - 1, -1):
            if posts.known(clock, nth) or last - posts.totals[nth] > slack:
                break
            row = list(posts.clocks[nth])
            row[posts.queue] = max(row[posts.queue], posts.indices[nth] + 1)
            if posts.kind == COMPLETES:
                row[posts.column] = posts.indices[nth] + 1
            rows.append(row)
            weights.append(posts.totals[nth] - posts.total(nth))
    if not rows:
        return clock
    landed = {posts.column for posts, _, _ in some if posts.kind == LANDS}
    made = list(clock)
    for column, values in enumerate(zip(*rows, strict=True)):
        if max(values) > made[column]:
            enough = slack if column in landed else slack + 1
            made[column] = max(made[column], _reached(values, weights, enough))
    return tuple(made)


def _reached(values: Sequence[int], weights: Sequence[int], enough: int) -> int:
    """The highest value that posts of so much weight have reached; 0 if there is none."""
    weight = 0
    for value, more in sorted(zip(values, weights, strict=True), reverse=True):
        weight += more
        if weight >= enough:
            return value
    return 0
