"""Long series in parts: `make test` runs a part of each, `make test-all` (`--all`) all of it.

`NASM_TEST_SEED`, which a run prints, chooses the part, and the examples of hypothesis as well: the
same number leads to the same tests. `make test` decides whether a change goes in, so its number is
fixed, and the same tree passes or fails on every day. `make test-all` runs each member, with other
examples each day. Nothing is left out of what does not run under pytest.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import TypeVar
from zlib import crc32

import pytest

SEED = "NASM_TEST_SEED"
EVERYTHING = "NASM_TEST_ALL"
FIXED = 1

T = TypeVar("T")


def choose(*, whole: bool) -> int:
    """Set for this process, and for those it starts, what parts are; return the seed."""
    os.environ.setdefault(SEED, str(date.today().toordinal() if whole else FIXED))
    os.environ[EVERYTHING] = str(int(whole))
    return seed()


def seed() -> int:
    """What chooses the parts of this run."""
    return int(os.environ[SEED])


def everything() -> bool:
    """Whether all of each series runs."""
    return os.environ.get(EVERYTHING, "1") == "1"


def part(series: Sequence[T], size: int) -> Sequence[T]:
    """About `size` members spread over a series, or all of it in `make test-all`."""
    if everything():
        return series
    step = -(-len(series) // size)
    return series[seed() % step :: step] if step else series


def examples(count: int, size: int) -> int:
    """How many examples hypothesis draws: `count` in `make test-all`, else `size`."""
    return len(part(range(count), size))


def in_turns(items: Sequence[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Tests that run with this seed, and those that take turns and run with another.

    Of the tests of a file with the mark `turns(n)`, each runs with one seed of n.
    """
    kept, left, counts = list[pytest.Item](), list[pytest.Item](), Counter[tuple[str, int]]()
    for item in items:
        mark = item.get_closest_marker("turns")
        if mark is None:
            kept.append(item)
            continue
        (turns,) = mark.args
        file = item.nodeid.partition("::")[0]
        first = crc32(file.encode())  # else all files with one such test would run it with one seed
        chosen = (first + counts[file, turns]) % turns == seed() % turns
        counts[file, turns] += 1
        (kept if chosen else left).append(item)
    return kept, left
