"""Clocks of a whole run at once: the least of what certainly happened before each wait is over.

A wait that only one stream of completions or starts can end comes after the post that ends it. One
that all posts before it in the run are needed for comes after all of these, if those that follow
come after the wait. From a first guess, that nothing is known of others, each sweep lets every wait
know what is known where those were made that it comes after, until nothing changes. That is true,
and no more than what :mod:`nasm.order.clocks` finds step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.order.posts import Clock
from nasm.order.run_columns import Mask, Numbers, PostColumns, RunColumns, gathered

SWEEPS = 24
"""Sweeps at most, each of which takes some 20 ns for each column of a wait."""

Clocks = NDArray[np.int32]


class CertainPosts(NamedTuple):
    """Which instructions come after which posts; whether that is ``all`` that waits say."""

    by: Numbers
    posts: Numbers
    all: bool


class PostsToCome(NamedTuple):
    """Posts that have to come after an instruction of another queue."""

    posts: Numbers
    waits: Numbers


def joined(run: RunColumns) -> tuple[PostColumns, CertainPosts, PostsToCome]:
    """What instructions come after, and what has to come after them for that to be true."""
    by, counter, value = run.waiting()
    posted = run.posted(counter)
    streams = Streams(posted, int(counter.max(initial=0)))
    alone = streams.many[counter] == 1
    alone &= posted.columns[streams.first[counter]] < 2 * run.queues if len(posted.by) else False
    own = np.flatnonzero(alone)
    group = streams.first[counter[own]]
    ends = _reach(posted, group, value[own])
    made = ends < posted.firsts[group + 1]
    if not made.all():
        own, ends = own[made], ends[made]
    others = np.flatnonzero((streams.many[counter] > 0) & ~alone)
    if not len(others):
        return posted, CertainPosts(by[own], ends, True), PostsToCome(by[:0], by[:0])
    waits, group = gathered(streams.many[counter[others]], streams.first[counter[others]])
    waits = others[waits]
    last = _before(run, posted, group, by[waits])
    there = last >= posted.firsts[group]
    waits, last = waits[there], last[there]
    left = value - np.bincount(waits, posted.totals[last], len(by)).astype(np.int64)
    whole = left[waits] == 0
    waits, last = waits[whole], last[whole]
    used = np.zeros(len(streams.many), bool)
    used[counter[waits]] = True
    doubt = _doubt(run, posted, by, counter, used)
    by, ends = np.concatenate((by[own], by[waits])), np.concatenate((ends, last))
    return posted, CertainPosts(by, ends, bool(whole.all())), doubt


class Streams:
    """By counter the ``first`` stream that posts to it, and how ``many`` do: they are in a row."""

    def __init__(self, posted: PostColumns, most: int) -> None:
        self.many = np.bincount(posted.counters, minlength=most + 1)
        self.first = np.cumsum(self.many) - self.many
        self.first[self.many == 0] = 0


def _reach(posted: PostColumns, groups: Numbers, values: Numbers) -> Numbers:
    """The first post of each of some groups with which its total is at least a value."""
    most = int(posted.totals.max(initial=0)) + 1
    return np.searchsorted(
        posted.group * most + posted.totals, groups * most + np.minimum(values, most)
    )


def _before(run: RunColumns, posted: PostColumns, groups: Numbers, by: Numbers) -> Numbers:
    """The last post of each of some groups by an instruction that started before another one."""
    return (
        np.searchsorted(posted.group * run.size + run.at[posted.by], groups * run.size + run.at[by])
        - 1
    )


def _doubt(
    run: RunColumns, posted: PostColumns, by: Numbers, counter: Numbers, used: Mask
) -> PostsToCome:
    """Of each post to a counter the last wait before it of each other queue."""
    mine = used[counter]
    waits, to = by[mine], counter[mine]
    queue = run.queue[waits]
    pair = to * run.queues + queue
    order = np.argsort(pair, kind="stable")
    pairs, starts = np.unique(pair[order], return_index=True)
    key = np.repeat(np.arange(len(pairs)), np.diff(np.append(starts, len(order)))) * run.size
    key += run.at[waits[order]]
    posts = np.flatnonzero(used[posted.counter])
    first = np.searchsorted(pairs, posted.counter[posts] * run.queues)
    many = np.searchsorted(pairs, (posted.counter[posts] + 1) * run.queues) - first
    of, nth = gathered(many, first)
    of = posts[of]
    last = np.searchsorted(key, nth * run.size + run.at[posted.by[of]]) - 1
    kept = (last >= starts[nth]) & (pairs[nth] % run.queues != run.queue[posted.by[of]])
    return PostsToCome(of[kept], waits[order][last[kept]])


class ColumnClocks:
    """The clocks of a run; ``more`` are instructions that know so much of their own queue.

    They are known for the instructions that learn something: others have that of the one before
    them in their queue.
    """

    def __init__(self, run: RunColumns, more: tuple[Numbers, Numbers]) -> None:
        self.run = run
        self.posted, self.joined, self.doubt = joined(run)
        learns = np.zeros(run.size, bool)
        learns[self.joined.by] = learns[more[0]] = True
        rows = np.concatenate(([0], np.cumsum(learns)))
        self._rows, self.ends = rows[1:], rows[run.firsts]
        self.clocks: Clocks = np.zeros((int(rows[-1]) + 1, run.width), np.int32)
        self.clocks[self._rows[more[0]], run.queues + run.queue[more[0]]] = more[1]
        self.settled = self._settle([self._learn(layer) for layer in _layers(self.joined)])

    def _learn(self, layer: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
        """Note the posts that some come after; returns their clocks, and those of the posts."""
        run, posted, clocks = self.run, self.posted, self.clocks.ravel()
        by, posts = layer
        at = self._rows[by]
        poster = posted.by[posts]
        for column, count in (
            (run.queue[poster], run.index[poster] + 1),
            (posted.column[posts], posted.count[posts]),
        ):
            where = at * run.width + column
            clocks[where] = np.maximum(clocks[where], count)
        source = self.row(poster)
        some = source > 0
        return at[some], source[some]

    def row(self, numbers: Numbers) -> Numbers:
        """Which clock some instructions start with: 0 knows nothing."""
        at = self._rows[numbers]
        return np.where(at > self.ends[self.run.queue[numbers]], at, 0)

    def _settle(self, layers: Sequence[tuple[Numbers, Numbers]]) -> bool:
        """Let each know what is known where what it comes after was posted."""
        clocks = self.clocks
        parts = [
            (1 + first, 1 + end, [_part(layer, 1 + first, 1 + end) for layer in layers])
            for first, end in pairwise(self.ends.tolist())
            if first < end
        ]
        for sweep in range(SWEEPS):
            changed = False
            for first, end, some in parts:
                mine, new = clocks[first:end], not sweep
                for here, there in some:
                    known = mine[here] if isinstance(here, slice) else mine.take(here, axis=0)
                    others = clocks.take(there, axis=0)  # a fifth of what an index by rows takes
                    if not sweep or (others > known).any():
                        mine[here] = np.maximum(known, others, out=others)
                        new = True
                if new:
                    np.maximum.accumulate(mine, axis=0, out=mine)
                    changed = True
            if not changed:
                return True
        return False

    def certain(self) -> bool:
        """Whether what was assumed to come after a wait does."""
        if not self.settled:
            return False
        posts, waits = self.doubt
        rows = self.row(self.posted.by[posts])
        return bool((self.clocks[rows, self.run.queue[waits]] > self.run.index[waits]).all())

    @property
    def exact(self) -> bool:
        """Whether they are what going through the steps finds, not less and not more.

        The steps do not note how much of its own queue has started for one that waits for that.
        """
        queue, (by, posts, whole) = self.run.queue, self.joined
        return whole and not (queue[by] == queue[self.posted.by[posts]]).any()

    def by_instruction(self) -> list[list[Clock]]:
        """That with which each instruction of each queue starts."""
        clocks = list(map(tuple, self.clocks.tolist()))
        rows = self.row(np.arange(self.run.size)).tolist()
        ends = pairwise(self.run.firsts)
        return [[clocks[row] for row in rows[first:end]] for first, end in ends]

    def known(self, rows: Numbers, columns: Numbers) -> Clocks:
        """What some columns of some clocks are."""
        found: Clocks = self.clocks.ravel()[rows * self.run.width + columns]
        return found

    def all_landed(self) -> bool:
        """Whether all transfers have certainly landed when the last instructions are complete."""
        ends = self.ends[1:][self.ends[1:] > self.ends[:-1]]
        done = self.clocks[ends].max(axis=0, initial=0)
        return bool((done >= self.run.landed).all())


def _layers(joined: CertainPosts) -> Iterator[tuple[Numbers, Numbers]]:
    """The same in parts of which none has an instruction twice, each in order."""
    by, posts, _ = joined
    if not (by[1:] > by[:-1]).all():
        order = np.argsort(by, kind="stable")
        by, posts = by[order], posts[order]
    while len(by):
        first = np.ones(len(by), bool)
        first[1:] = by[1:] != by[:-1]
        yield by[first], posts[first]
        by, posts = by[~first], posts[~first]


def _part(layer: tuple[Numbers, Numbers], first: int, end: int) -> tuple[Numbers | slice, Numbers]:
    """The rows of a layer within some, and what they learn from."""
    at, source = layer
    some = slice(*np.searchsorted(at, (first, end)))
    here, there = at[some] - first, source[some]
    if len(here) and here[-1] - here[0] + 1 == len(here):
        return slice(here[0], here[-1] + 1), there
    return here, there
