"""The history of a run: every record of it as a row of numbers, by its serial number.

A record is the start of an instruction, the making ready of a unit, the arrival of an instruction
that waits for others, what is made for a transfer, or the start of shares that land together. With
what let each of them happen a run can be explained, and replayed. All times are ticks.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.sim.channels import Group
from nasm.sim.counters import Post, Semaphore, Who, holds
from nasm.sim.events import Observer
from nasm.sim.queues import ORDER, Queue, Task

INSTRUCTION, READY, ARRIVAL, MADE, SHARES = range(5)
"""Kinds of records."""

CAUSES = (ORDER, "unit", "port", "data", "semaphore", "core", "rank", "arrival", "channel")
"""What lets a record happen: ``Record.cause`` counts them. The last two are those of shares; after
them a history has the names of conditions that were reported to it."""

NO_QUEUE = -2
"""In place of the number of a queue where nothing posted."""

_CODES = {cause: code for code, cause in enumerate(CAUSES)}


class Record(NamedTuple):
    """A record of a run; a number that does not apply is -1.

    ``queue`` and ``pc`` are its instruction, of shares the one that issued them. It was next in
    its queue at ``head`` (shares: at their rings), and happened at ``start``. It occupied its unit
    or its channels ``until``, and ended at ``finish``: results appeared, shares landed. By itself
    it would have ended at ``own``: instructions of a queue complete in order.

    ``cause`` says what was satisfied last (see ``History.causes``), ``because`` is the record that
    satisfied it and ``poster`` whose post that was, if it was one (see ``Semaphore.poster``).
    Whatever came last, its wait was for ``semaphore`` and has held since the ``nth`` post to it
    (-1: always); ``unit`` and ``port`` are the records that had its unit and its ports before;
    ``arrival`` is its own, if it had to wait for others. Of shares, ``issuer`` is what issued them
    and ``unit`` what was made for them.
    """

    kind: int
    core: int
    queue: int
    pc: int
    head: int
    start: int
    until: int
    own: int
    finish: int
    cause: int
    because: int
    poster: int = NO_QUEUE
    semaphore: int = -1
    nth: int = -1
    unit: int = -1
    port: int = -1
    arrival: int = -1
    issuer: int = -1
    ring: int = -1
    channels: int = 0
    bytes: int = 0


WIDTH = len(Record._fields)
_UNTIL, _OWN, _FINISH = map(Record._fields.index, ("until", "own", "finish"))


class PostHistory:
    """All changes of a semaphore, in the order in which waiters see them.

    The value that each leads to, the record that made it, when that was, and when it is seen.
    """

    __slots__ = ("amounts", "records", "rising", "seen", "sets", "ticks", "values")

    def __init__(self) -> None:
        self.values, self.amounts, self.sets = array("q"), array("q"), array("b")
        self.records, self.ticks, self.seen = array("q"), array("q"), array("q")
        self.rising = 0

    def add(self, post: Post, now: int) -> None:
        """A post is made; those that are seen later come after it."""
        at = len(self.seen)
        if not at or self.seen[-1] <= post.at:
            self._append(post, now)
            return
        at = bisect_right(self.seen, post.at)
        row = (0, post.value, post.op != "+", post.record, now, post.at)
        for column, item in zip(self._columns(), row, strict=True):
            column.insert(at, item)
        value = self.values[at - 1] if at else 0
        for n in range(at, len(self.values)):
            new = self.amounts[n] if self.sets[n] else value + self.amounts[n]
            if new < value:
                self.rising = n
            self.values[n] = value = new

    def _append(self, post: Post, now: int) -> None:
        """A post is made that is seen last."""
        before = self.values[-1] if self.values else 0
        value = post.value
        if post.op == "+":
            value += before
        if value < before:
            self.rising = len(self.values)
        self.values.append(value)
        self.amounts.append(post.value)
        self.sets.append(post.op != "+")
        self.records.append(post.record)
        self.ticks.append(now)
        self.seen.append(post.at)

    def since(self, op: str, want: int, now: int) -> int:
        """The post since which a condition that is seen now has held; -1 if it always has."""
        values, at = self.values, bisect_right(self.seen, now)
        if op == ">=" and self.rising < at:
            at = bisect_left(values, want, self.rising, at)
            if at > self.rising:
                return at
        while at and holds(values[at - 1], op, want):
            at -= 1
        return -1 if not at and holds(0, op, want) else at

    def that(self, op: str, want: int, now: int, record: int) -> int:
        """The post of a record that let a condition hold which is seen to hold now.

        A wait is decided when the post is made. So it need not hold any more; and where a counter
        falls and rises again, an earlier value may be what is seen.
        """
        among = range(bisect_left(self.seen, now), len(self.seen))
        its = [at for at in among if self.records[at] == record and self.ticks[at] <= now]
        return next((at for at in its if holds(self.values[at], op, want)), its[-1])

    def _columns(self) -> tuple[array[int], ...]:
        return self.values, self.amounts, self.sets, self.records, self.ticks, self.seen

    def save(self) -> Any:
        """Everything."""
        return tuple(column[:] for column in self._columns()), self.rising

    def restore(self, saved: Any) -> None:
        """As they were."""
        columns, self.rising = saved
        copies = (column[:] for column in columns)
        self.values, self.amounts, self.sets, self.records, self.ticks, self.seen = copies


class History(Observer):
    """Every record of a run, observed from the start; ``causes`` are named by number."""

    CACHES = ("_codes", "causes")

    def __init__(self) -> None:
        self.causes = list(CAUSES)
        self._codes = dict(_CODES)
        self._rows = array("q")
        self._posts: dict[int, PostHistory] = {}
        self._waits: dict[int, tuple[int, int]] = {}
        self._arrivals: dict[int, int] = {}
        self._open: dict[int, Group] = {}

    def __len__(self) -> int:
        return len(self._rows) // WIDTH

    def __getitem__(self, number: int) -> Record:
        if not 0 <= number < len(self):
            raise IndexError(f"record {number} of {len(self)}")
        return Record(*self._rows[number * WIDTH : (number + 1) * WIDTH])

    def column(self, name: str) -> NDArray[np.int64]:
        """A field of all records."""
        return np.array(self._rows[Record._fields.index(name) :: WIDTH], np.int64)

    @property
    def posts(self) -> dict[int, PostHistory]:
        """The posts to every semaphore that was changed."""
        return self._posts

    def released_by(self, record: Record) -> int:
        """The last arrival of those that an instruction waited for, its own among them."""
        if self.causes[record.cause] != "core":
            return record.arrival
        because = self[record.because]
        return because.issuer if because.kind == SHARES else record.because

    # -- events

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """Note a post."""
        posts = self._posts.get(number)
        if posts is None:
            posts = self._posts[number] = PostHistory()
        assert semaphore.last is not None
        posts.add(semaphore.last, now)

    def waited(self, queue: Queue, semaphore: int, by: Who | None, seen: int) -> None:
        """Note which post a wait was for."""
        assert queue.wait is not None
        _, op, want = queue.wait
        posts, nth = self._posts.get(semaphore), -1
        if posts is not None:
            if queue.cause == "semaphore":
                nth = posts.that(op, want, seen, queue.because)
            else:
                nth = posts.since(op, want, seen)
        self._waits[queue.index] = (semaphore, nth)

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Record an instruction."""
        index = queue.index
        semaphore, nth = self._waits.pop(index, (-1, -1))
        own = now + queue.latency
        last = queue.last_finish
        port = -1
        if task.ports:
            port = max(task.ports, key=lambda held: held.free_at).record
        self._rows.extend((
            INSTRUCTION, queue.core, index, queue.pc, queue.reached, now, now + queue.interval, own,
            own if own > last else last, *self._why(queue), semaphore, nth,
            task.unit.record if task.needs is None else task.needs.record, port,
            self._arrivals.pop(index, -1), -1, -1, 0, 0,
        ))  # fmt: skip

    def readied(
        self, queue: Queue, task: Task, record: int, because: int, start: int, until: int
    ) -> None:
        """Record the making ready of a unit."""
        self._record_blocked(READY, queue, start, start, until)

    def arrived(self, queue: Queue, task: Task, record: int, now: int) -> None:
        """Record an arrival."""
        self._arrivals[queue.index] = record
        self._record_blocked(ARRIVAL, queue, queue.reached, now, now)

    def made(self, queue: Queue, record: int, because: int, start: int, until: int) -> None:
        """Record what is made for a transfer."""
        cause = "unit" if self._rows[because * WIDTH] == MADE else "arrival"
        times = (start, start, until, until, until)
        who = (queue.core, queue.index, queue.pc)
        self._add(Record(MADE, *who, *times, _CODES[cause], because))

    def read(self, group: Group, now: int) -> None:
        """Record shares, as they will end if nothing gets in between."""
        self._open[group.record] = group
        self._add(_shares(group, group.free, max(group.free, now + group.latency)))

    def parted(self, group: Group, other: Group, now: int) -> None:
        """Record of some shares that they go their own way."""
        start = self[group.record]
        self._put(group.record, _shares(group, start.until, start.finish))
        self._open[other.record] = other
        self._add(_shares(other, start.until, start.finish))

    def landed(self, group: Group, now: int) -> None:
        """Record when shares ended."""
        del self._open[group.record]
        rows, first = self._rows, group.record * WIDTH
        rows[first + _UNTIL] = group.free
        rows[first + _OWN] = rows[first + _FINISH] = now

    def _put(self, number: int, record: tuple[int, ...]) -> None:
        self._rows[number * WIDTH : (number + 1) * WIDTH] = array("q", record)

    def _record_blocked(self, kind: int, queue: Queue, head: int, start: int, until: int) -> None:
        """Record something that happens before a task can start."""
        semaphore, nth = self._waits.get(queue.index, (-1, -1))
        why, times = self._why(queue), (head, start, until, until, until)
        self._add(Record(kind, queue.core, queue.index, queue.pc, *times, *why, semaphore, nth))

    def _why(self, queue: Queue) -> tuple[int, int, int]:
        """What unblocks the head of a queue: the cause, the record and the poster."""
        poster = queue.poster if queue.cause == "semaphore" else None
        code = self._codes.get(queue.cause)
        if code is None:
            code = self._codes[queue.cause] = len(self.causes)
            self.causes.append(queue.cause)
        return code, queue.because, NO_QUEUE if poster is None else poster

    def _add(self, record: tuple[int, ...]) -> None:
        self._rows.extend(record)

    # -- checkpoints

    def save(self) -> Any:
        """How many there are of everything."""
        posts = {number: posts.save() for number, posts in self._posts.items()}
        rows = tuple((number, group, self[number]) for number, group in self._open.items())
        return len(self._rows), posts, dict(self._waits), dict(self._arrivals), rows

    def restore(self, saved: Any) -> None:
        """Forget what was recorded since."""
        count, posts, waits, arrivals, rows = saved
        del self._rows[count:]
        self._open = {number: group for number, group, _ in rows}
        for number, _, record in rows:
            self._put(number, record)
        for number in self._posts.keys() - posts.keys():
            del self._posts[number]
        for number, state in posts.items():
            self._posts[number].restore(state)
        self._waits, self._arrivals = dict(waits), dict(arrivals)


def _shares(group: Group, until: int, finish: int) -> tuple[int, ...]:
    """The record of shares that end then, as a row."""
    flight = group.flight
    times = (group.arrived, group.start, until, finish, finish)
    why = (_CODES[group.cause], group.because, NO_QUEUE, -1, -1, flight.made, -1, -1)
    of = (flight.record, flight.ring, group.channels, group.bytes)
    return (SHARES, flight.core, *flight.origin, *times, *why, *of)
