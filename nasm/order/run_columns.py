"""A run as columns: its instructions, what they wait for, and what they post.

The instructions of the queues are one after the other, each with a number of its own. What
certainly happened is in columns as those of clocks: see :mod:`nasm.order.posts`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nasm.order.events import Sources
from nasm.order.observer import Watch
from nasm.order.skeleton import SILENT, Issue, stream_of

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class PostColumns:
    """What instructions post to counters that are waited for: of each stream in order.

    Each is by an instruction (``by``) to a ``counter``; a column of a clock (``column``) then has a
    ``count``. ``totals`` are the sums within its stream, each of which is a group: ``firsts`` says
    where they begin, and at last where they end, ``group`` of which one each is.
    """

    def __init__(
        self, by: Numbers, counter: Numbers, column: Numbers, count: Numbers, value: Numbers
    ) -> None:
        width = int(column.max(initial=0)) + 1
        key = counter * width + column
        order = np.argsort(key * len(key) + np.arange(len(key)))  # streams are in order already
        self.by, self.counter, self.column = by[order], counter[order], column[order]
        self.count, key = count[order], key[order]
        begins = np.ones(len(key), bool)
        begins[1:] = key[1:] != key[:-1]
        self.firsts = np.append(np.flatnonzero(begins), len(key))
        self.group = np.cumsum(begins) - 1
        self.value = value[order]
        sums = np.cumsum(self.value)
        before = sums[self.firsts[:-1]] - self.value[self.firsts[:-1]]
        self.totals = sums - before[self.group]
        self.counters = self.counter[self.firsts[:-1]]
        self.columns = self.column[self.firsts[:-1]]


class RunColumns:
    """What was kept of a run, as columns.

    ``firsts`` says at which number the instructions of each queue begin, and at last where they
    end; ``queue`` and ``index`` what each is, ``at`` when it started among all. ``like`` is one
    that was executed and did the same, itself mostly. ``issued`` are those that issued a transfer,
    as the ``count``-th of a stream, which has a ``column``; ``flights`` is what was kept of those
    that were executed, ``flight`` which of them each is, or is like.
    """

    def __init__(self, sources: Sources, watch: Watch) -> None:
        self.sources, self.watch = sources, watch
        lines = sources.program.queues
        self.queues = len(lines)
        counts = [len(pcs) for pcs in watch.pcs]
        self.firsts: list[int] = [0, *np.cumsum(counts).tolist()]
        self.size = self.firsts[-1]
        self.queue = np.repeat(np.arange(self.queues), counts)
        self.index = np.arange(self.size) - np.array(self.firsts)[self.queue]
        queues = np.frombuffer(watch.queues, np.uint16)
        self.at = np.argsort(queues, kind="stable")
        self.like = np.concatenate(
            [watch.like(queue) + self.firsts[queue] for queue in range(self.queues)]
        )
        pcs = [np.frombuffer(column, np.int32) for column in watch.pcs]
        self.instructions, self.waits, self.updates = (
            np.concatenate(
                [
                    np.frombuffer(getattr(one, name), np.int32)[at]
                    for one, at in zip(lines, pcs, strict=True)
                ]
            ).astype(np.int64)
            for name in ("instructions", "waits", "updates")
        )
        self._transfers()

    def _transfers(self) -> None:
        """Which instructions issued transfers, and in which streams."""
        sources, executed = self.sources, self.watch.executed[1]
        streams = {stream: 2 * self.queues + n for n, stream in enumerate(sources.streams)}
        self.width = 2 * self.queues + len(streams)
        self.flights = [one for moved in executed for one in moved.values()]
        nth = np.full(self.size, -1, np.int64)
        columns, counters, shares = (np.empty(len(self.flights), np.int64) for _ in range(3))
        at = 0
        for queue, moved in enumerate(executed):
            for index, one in moved.items():
                nth[self.firsts[queue] + index] = at
                counter = SILENT if one.silent else one.counter
                columns[at] = streams[stream_of(queue, Issue(counter, 0))]
                counters[at] = SILENT if counter is None else counter
                shares[at] = one.shares
                at += 1
        of = nth[self.like]
        self.issued = np.flatnonzero(of >= 0)
        self.flight = of[self.issued]
        self.column, self.counter = columns[self.flight], counters[self.flight]
        self.shares = shares[self.flight]
        self.count = np.empty(len(self.issued), np.int64)
        self.landed = np.zeros(self.width, np.int64)
        for column in streams.values():
            same = np.flatnonzero(self.column == column)
            self.count[same] = np.arange(1, len(same) + 1)
            self.landed[column] = len(same)

    def waiting(self) -> tuple[Numbers, Numbers, Numbers]:
        """The instructions that wait for something, their counters and values."""
        columns = self.sources.wait_columns
        values = columns.values[self.waits]
        some = np.flatnonzero(values > 0)
        return some, columns.semaphores[self.waits[some]], values[some]

    def posted(self, counters: Numbers) -> PostColumns:
        """What was posted to some counters."""
        table = [(-1, 0, False) if c is None else (c.counter, c.value, c.at_start)
                 for c in self.sources.changes]  # fmt: skip
        wanted = np.zeros(max([row[0] for row in table] + self.counter.tolist()) + 2, bool)
        wanted[counters[counters < len(wanted)]] = True
        counter, value = (np.array([row[n] for row in table], np.int64) for n in (0, 1))
        early = np.array([row[2] for row in table], bool)
        rows = self.sources.program.instructions
        posts = np.array([one.row.posts for one in rows], bool)
        some = np.flatnonzero(wanted[counter[self.updates]] & (self.updates > 0))
        some = some[~posts[self.instructions[some]]]
        of, index = self.updates[some], self.index[some]
        column = self.queue[some] + np.where(early[of], 0, self.queues)
        landed = np.flatnonzero((self.counter >= 0) & wanted[self.counter])
        return PostColumns(
            np.concatenate((some, self.issued[landed])),
            np.concatenate((counter[of], self.counter[landed])),
            np.concatenate((column, self.column[landed])),
            np.concatenate((index + 1, self.count[landed])),
            np.concatenate((value[of], self.shares[landed])),
        )


def regular(sources: Sources, watch: Watch) -> bool:
    """Whether a run has nothing but instructions, semaphores that rise, and plain transfers."""
    if sources.typed or sources.down or sources.clears or watch.vague or watch.full:
        return False
    if watch.closed or watch.by_address is not None or watch.meetings or watch.signals:
        return False
    if sources.packets.sending or sources.packets.drains:
        return False
    if sources.wait_columns.exact is not None:
        return False
    if any(change is not None and change.value <= 0 for change in sources.changes):
        return False
    return all(
        not (one.adds or one.met or one.way is not None)
        for moved in watch.executed[1]
        for one in moved.values()
    )


def gathered(counts: Numbers, firsts: Numbers | Sequence[int]) -> tuple[Numbers, Numbers]:
    """Ranges of so many, from ``firsts`` on, in a row: of which each is, and its number."""
    of = np.repeat(np.arange(len(counts)), counts)
    skipped = np.asarray(firsts) - (np.cumsum(counts) - counts)
    return of, np.arange(len(of)) + skipped[of]
