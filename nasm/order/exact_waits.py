"""What comes before the end of a wait: what adds up to the value, or to enough, that it waits for.

Changes of one queue are made in their order, so that of each stream some are made since the last
set, in a row. Where no such rows add up to it, the set is not the last one; what all of them
have that do has been made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from nasm.order.posts import Posts

MOST = 4096
"""Rows of changes that are added up for one wait; with more they are bounds."""


class Tally(NamedTuple):
    """Changes of a stream that may have been made when a wait is over.

    At least the first ``known`` have, and no more than ``most``. Of them those before ``first``
    were wiped out by a set, and those before ``wiped`` may have been. ``needs`` says how many of
    another row were made before one of this.
    """

    posts: Posts
    needs: Callable[[Posts, int], int]
    sign: int
    first: int
    wiped: int
    known: int
    most: int

    @property
    def choices(self) -> int:
        """About how many ways there are."""
        return (self.most - self.known + 1) * (self.wiped - self.first + 1)

    def sums(self) -> set[tuple[int, int]]:
        """How many may have been made, and what those that count amount to."""
        total = self.posts.total
        return {
            (made, self.sign * (total(made) - total(first)))
            for made in range(self.known, max(self.known, self.most) + 1)
            for first in range(min(self.first, made), min(self.wiped, made) + 1)
        }


def minimum_counts(rows: Sequence[Tally], low: int, high: int) -> list[tuple[Posts, int]] | None:
    """How many of each stream have been made if all of them amount to ``low`` to ``high``.

    None if they cannot. Where there are too many ways, the list is empty.
    """
    if prod(row.choices for row in rows) > MOST:
        return []
    least: list[int] | None = None
    for made in _ways(rows, low, high):
        least = made if least is None else list(map(min, least, made))
    if least is None:
        return None
    return [(row.posts, count) for row, count in zip(rows, least, strict=True) if count]


def _ways(rows: Sequence[Tally], low: int, high: int) -> Iterator[list[int]]:
    """How many of each row are made in each way in which they amount to what is wanted."""
    for some in product(*(row.sums() for row in rows)):
        if low <= sum(amount for _, amount in some) <= high:
            made = [count for count, _ in some]
            if all(
                one.needs(other.posts, count) <= many
                for one, count in zip(rows, made, strict=True)
                for other, many in zip(rows, made, strict=True)
                if count and one is not other
            ):
                yield made
