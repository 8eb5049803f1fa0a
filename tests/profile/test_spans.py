"""Stretches of time against a plain walk over every tick."""

from __future__ import annotations

import random

import numpy as np

from nasm.analysis.profile.intervals import merged, union


def test_a_union_counts_every_tick_once() -> None:
    draw = random.Random(5)
    for _ in range(300):
        stretches = [
            (start := draw.randrange(30), start + draw.randrange(8))
            for _ in range(draw.randrange(8))
        ]
        until = draw.randrange(1, 40)
        ticks = {t for start, end in stretches for t in range(start, end) if t < until}
        starts = np.array([start for start, _ in stretches], np.int64)
        ends = np.array([end for _, end in stretches], np.int64)
        assert union(starts, ends, until) == len(ticks)


def test_what_touches_or_overlaps_becomes_one_stretch() -> None:
    first, last = merged(np.array([5, 0, 9, 3, 20]), np.array([6, 3, 12, 5, 20]))
    assert (first.tolist(), last.tolist()) == ([0, 9], [6, 12])
