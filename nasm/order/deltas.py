"""What is new in the clocks of queues: of a clock that is looked at again only that is compared.

A queue that waits for another one, round by round, has all that the other's clock said in the round
before. Of dozens of columns the few that have changed since are all that it can learn from.
"""

from __future__ import annotations

from array import array

from nasm.order.posts import UNKNOWN, Clock, Posts, joined
from nasm.order.skeleton import LANDS


class ClockDeltas:
    """The columns that have changed in the clock of each queue, one after the other.

    ``columns`` are these, by queue; a *mark* is how many there were. How many of another queue's
    changes a queue has received is known as long as the clocks of queues only go up.
    """

    def __init__(self, queues: int) -> None:
        self.columns = [array("i") for _ in range(queues)]
        self._kept = True
        self._received = [[0] * queues for _ in range(queues)]

    def start(self) -> None:
        """All clocks are as at first: there are no changes yet."""
        self._begin(0, True)

    def stop(self) -> None:
        """From here on clocks may also go down: nothing is kept, and nothing has been passed on."""
        self._begin(UNKNOWN, False)

    def go_on(self) -> None:
        """From here on clocks only go up, from what they are."""
        self._begin(UNKNOWN, True)

    def _begin(self, received: int, kept: bool) -> None:
        self._kept = kept
        for columns, of in zip(self.columns, self._received, strict=True):
            del columns[:]
            of[:] = [received] * len(of)

    def changed(self, queue: int, before: Clock, after: Clock) -> Clock:
        """The clock of a queue, which was another one before."""
        if self._kept:
            pairs = enumerate(zip(before, after, strict=True))
            self.columns[queue].extend([column for column, (old, new) in pairs if old != new])
        return after

    def joined(self, queue: int, clock: Clock, posts: Posts, nth: int) -> Clock:
        """The clock of a queue after a post has happened for sure, as :func:`joined` has it."""
        index, column = posts.indices[nth] + 1, posts.column
        reached = posts.skipped + nth + 1 if posts.kind == LANDS else index
        if clock[column] >= reached:  # it is known
            return clock
        poster, mark, received = posts.queue, posts.marks[nth], self._received[queue]
        known = received[poster]
        if mark > known:
            received[poster] = mark
        if mark == UNKNOWN or known == UNKNOWN:
            return self.changed(queue, clock, joined(clock, posts, nth))
        made, theirs, mine = list(clock), posts.clocks[nth], self.columns[queue]
        for one in self.columns[poster][known:mark]:
            count = theirs[one]
            if count > made[one]:
                made[one] = count
                mine.append(one)
        if index > made[poster]:
            made[poster] = index
            mine.append(poster)
        made[column] = reached
        mine.append(column)
        return tuple(made)
