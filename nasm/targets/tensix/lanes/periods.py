"""Where words are the same round after round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nasm.targets.tensix.lanes.steps import LaneStep, carried_from

_LONGEST = 512
"""Words of a round at most."""

_FEWEST = 4
"""Rounds that are worth being looked at together."""


class WordRounds(NamedTuple):
    """Words from the first on, in rounds of so many; one round is any words."""

    first: int
    size: int
    times: int

    @property
    def end(self) -> int:
        """The word after them."""
        return self.first + self.size * self.times


def periods(words: Sequence[int], steps: Sequence[LaneStep]) -> tuple[WordRounds, ...]:
    """All words as rounds, one after the other."""
    return tuple(_parts(np.array(words, np.int64), steps, 0, len(words)))


def _parts(words: Any, steps: Sequence[LaneStep], first: int, end: int) -> Iterator[WordRounds]:
    found = _longest(words[first:end])
    if found is None:
        if end > first:
            yield WordRounds(first, end - first, 1)
        return
    at, size, length = found
    rounds = _turned(steps, first + at, size, length)
    yield from _parts(words, steps, first, rounds.first)
    yield rounds
    yield from _parts(words, steps, rounds.end, end)


def _longest(words: Any) -> tuple[int, int, int] | None:
    """Where words are periodic that leaves the fewest to be done one by one: from, period, length.

    Of a period the words of one round are counted as if they were done one by one.
    """
    best, found = 0, None
    for size in range(1, min(_LONGEST, len(words) // _FEWEST) + 1):
        if len(words) - size <= best:
            break
        other = np.flatnonzero(words[size:] != words[:-size])
        edges = np.concatenate(([-1], other, [len(words) - size]))
        lengths = np.diff(edges) - 1
        which = int(lengths.argmax())
        same = int(lengths[which])
        if same >= (_FEWEST - 1) * size and same > best:
            best, found = same, (int(edges[which]) + 1, size, same + size)
    return found


def _turned(steps: Sequence[LaneStep], first: int, size: int, length: int) -> WordRounds:
    """Rounds that begin where the least is carried from one to the next."""
    many = carried_from(steps[first : first + size])
    by = min(range(min(size, length - _FEWEST * size + 1)), key=many.__getitem__)
    return WordRounds(first + by, size, (length - by) // size)
