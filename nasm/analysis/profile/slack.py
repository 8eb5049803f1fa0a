"""Slack: how much later each record of a run could have happened without making the run later.

Every record stays as long as it was, and everything keeps its order: what a unit, a port or a
channel does next, and the instructions of a queue. A record that happens later moves those after it
as far as what is recorded ties them together: the order of its queue, its unit, its last port, its
wait, what was satisfied last before it, the issue of its transfer, and the arrivals of others where
it had to wait for them. Results of its own engine tie it only where they were what came last, so
that slack is too large where one had just come in time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nasm.analysis.profile.path import FINISH, START, UNTIL, WITHIN, edge
from nasm.sim.history import INSTRUCTION, SHARES, History, Record

NEVER = 1 << 62
"""A tick that no run reaches."""

Tie = tuple[int, str, int]
"""An earlier record, the point of it that has to come first, and how much earlier that came."""


def slack(history: History) -> NDArray[np.int64]:
    """Ticks for every record, by number: 0 where its start is on the critical path."""
    ties, late, posts = _Ties(history), _Late(history), _Posts(history)
    for number in range(len(history) - 1, -1, -1):
        record = history[number]
        for point, ticks in posts.late(number):
            late.tie(number, point, ticks)
        moves = late.moves(number, record)
        posts.wait(record, moves)
        late.start[number] = moves
        for before, point, gap in ties.of(number, record):
            late.tie(before, point, moves + gap)
        last = ties.completes_with.get(number)
        if last is not None:
            late.tie(last, FINISH, late.finish[number] + record.finish - history[last].finish)
    return np.array(late.start, np.int64)


class _Posts:
    """How much later each post may be seen: a wait for one needs those before it, too."""

    def __init__(self, history: History) -> None:
        self.posts = history.posts
        self.by_record: dict[int, list[tuple[int, int, str]]] = {}
        self.latest: dict[int, list[int]] = {}
        self.known: dict[int, int] = {}
        for semaphore, posts in history.posts.items():
            count = self.known[semaphore] = len(posts.records)
            self.latest[semaphore] = [NEVER] * count
            for nth, number in enumerate(posts.records):
                finish = history[number].finish
                point = FINISH if posts.ticks[nth] == finish else START
                self.by_record.setdefault(number, []).append((semaphore, nth, point))

    def wait(self, record: Record, moves: int) -> None:
        """A record that waits for a post may happen so much later."""
        if record.nth < 0:
            return
        latest, seen = self.latest[record.semaphore], self.posts[record.semaphore].seen
        tick = moves + max(record.start, seen[record.nth])
        latest[record.nth] = min(latest[record.nth], tick)

    def late(self, number: int) -> Iterator[tuple[str, int]]:
        """How much later the posts of a record may be made, all that waits for them being known.

        That is everything that waits for one of the later posts: it happened after these.
        """
        for semaphore, nth, point in self.by_record.get(number, ()):
            latest = self.latest[semaphore]
            for at in range(self.known[semaphore] - 1, nth - 1, -1):
                if at + 1 < len(latest):
                    latest[at] = min(latest[at], latest[at + 1])
            self.known[semaphore] = min(self.known[semaphore], nth)
            yield point, latest[nth] - self.posts[semaphore].seen[nth]


class _Late:
    """How much later the start, the end of what it occupies, and the end of a record may be."""

    def __init__(self, history: History) -> None:
        finish = history.column("finish")
        total = int(finish.max(initial=0))
        self.finish: list[int] = (total - finish).tolist()
        self.until: list[int] = (total - history.column("until")).tolist()
        self.start: list[int] = (total - history.column("start")).tolist()

    def moves(self, number: int, record: Record) -> int:
        """How much later a record may happen, given that of all after it."""
        room = record.finish - record.own  # its end waits for others of its queue anyway
        return min(self.start[number], self.until[number], self.finish[number] + room)

    def tie(self, number: int, point: str, ticks: int) -> None:
        """A point of a record can be at most so much later."""
        late = {START: self.start, WITHIN: self.start, UNTIL: self.until, FINISH: self.finish}
        if ticks < late[point][number]:
            late[point][number] = ticks


class _Ties:
    """What ties a record to earlier ones, as far as it is recorded."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.starts_after: dict[int, int] = {}
        self.completes_with: dict[int, int] = {}
        self.meets: dict[int, list[int]] = {}
        self.channels: dict[int, list[int]] = {}
        last: dict[int, int] = {}
        held: dict[tuple[int, int], int] = {}
        meeting: dict[int, list[int]] = {}
        for number in range(len(history)):
            record = history[number]
            if record.kind == SHARES:
                self._channels(number, record, held)
                continue
            before = last.get(record.queue)
            if before is not None:
                self.starts_after[number] = before
            if record.kind != INSTRUCTION:
                continue
            last[record.queue] = number
            if before is not None:
                self.completes_with[number] = before
            if record.arrival >= 0:
                together = meeting.setdefault(history.released_by(record), [])
                together.append(record.arrival)
                self.meets[number] = together

    def _channels(self, number: int, record: Record, held: dict[tuple[int, int], int]) -> None:
        """Note who had the channels of some shares before."""
        core, before = record.core, set()
        channels = record.channels
        while channels:
            lowest = channels & -channels
            channels ^= lowest
            earlier = held.get((core, lowest))
            if earlier is not None:
                before.add(earlier)
            held[core, lowest] = number
        self.channels[number] = sorted(before)

    def of(self, number: int, record: Record) -> Iterator[Tie]:
        """The ties of a record, each to an earlier one."""
        found = edge(self.history, record)
        if found.before >= 0:
            yield found.before, found.point, 0
        for before in (record.unit, record.port):
            if before >= 0 and record.kind != SHARES:
                yield from self._apart(record, before, UNTIL, self.history[before].until)
        if record.kind == SHARES:
            yield from self._arrival(record)
            for before in self.channels[number]:
                yield from self._apart(record, before, UNTIL, self.history[before].until)
            return
        before = self.starts_after.get(number, -1)
        if before >= 0:
            yield from self._apart(record, before, START, self.history[before].start + 1)
        for arrival in self.meets.get(number, ()):
            yield from self._apart(record, arrival, START, self.history[arrival].start)

    def _arrival(self, record: Record) -> Iterator[Tie]:
        """The ties of shares to what they need before they reach their rings."""
        waited = record.start - record.head
        if record.unit < 0 or self.history[record.unit].until < record.head:
            yield record.issuer, START, waited
        if record.unit >= 0:
            yield record.unit, UNTIL, record.start - self.history[record.unit].until

    def _apart(self, record: Record, before: int, point: str, tick: int) -> Iterator[Tie]:
        """A tie to something that came no later, by as much as it was earlier."""
        if tick <= record.start:
            yield before, point, record.start - tick
