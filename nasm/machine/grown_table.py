"""Tables that only grow, saved without a copy: what was saved is the first part of one that lives.

A run that has gone back does again what it did, so that its table grows as it did, and has all
entries ahead already. Only where it does something else a table of its own is begun.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

SavedTable = tuple[list[tuple[K, V]], dict[K, int], int]
"""Entries, the number of each by its key, and how many there were."""


class GrownTable(Generic[K, V]):
    """Values by key, each added once, in order; iterating gives the values."""

    __slots__ = ("_count", "_entries", "_numbers")

    def __init__(self) -> None:
        self._entries: list[tuple[K, V]] = []
        self._numbers: dict[K, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[V]:
        return (value for _, value in self.items())

    def items(self) -> Iterator[tuple[K, V]]:
        """Keys and values."""
        return islice(self._entries, self._count)

    def number(self, key: K) -> int | None:
        """Which entry it is; None if there is none."""
        found = self._numbers.get(key)
        return found if found is not None and found < self._count else None

    def add(self, key: K, value: V) -> int:
        """One more, of a key that has none; returns its number."""
        at = self._count
        if at < len(self._entries) and self._entries[at] != (key, value):
            self._entries = self._entries[:at]
            self._numbers = {known: number for number, (known, _) in enumerate(self._entries)}
        if at == len(self._entries):
            self._entries.append((key, value))
            self._numbers[key] = at
        self._count = at + 1
        return at

    def save(self) -> SavedTable[K, V]:
        """As it is now."""
        return self._entries, self._numbers, self._count

    def restore(self, saved: SavedTable[K, V]) -> None:
        """As it was."""
        self._entries, self._numbers, self._count = saved
