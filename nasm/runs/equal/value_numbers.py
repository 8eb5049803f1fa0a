"""Value numbers: equal numbers are the same function of the same inputs, in any program.

A definition is what an instruction, an input or a constant gives: a row of units, the smallest
pieces of memory that are distinguished. Each has a number of its own, and those of one definition
follow each other. Definitions with equal keys are one, also those of two programs that are compared
with each other: so two units hold the same whatever the inputs are if their numbers are equal.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

UNNUMBERED = "E0849"

Tokens = NDArray[np.int64]
"""Value numbers of units, in the order of the elements that they are parts of."""

UNWRITTEN = 0
"""The number of a unit that nothing has written."""


class Read(NamedTuple):
    """What an instruction reads of one operand: its units, and a digest of their numbers."""

    name: str
    tokens: Tokens
    digest: bytes


class Definition(NamedTuple):
    """What has value numbers, of which ``first`` is the lowest.

    ``key`` is what it follows from, of which ``what`` is all but the values that it reads; these
    are ``parts``: by name, those of another definition's units as runs (first, count).
    """

    first: int
    what: Hashable
    parts: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]


MOST_RUNS = 64
"""Runs of an operand's value numbers that are kept, to find where two programs part."""


class ValueNumbers:
    """Gives definitions their numbers, the same ones for equal keys."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}
        self._next = UNWRITTEN + 1
        self._firsts: list[int] = []
        self._definitions: list[Definition] = []

    def define(self, what: Hashable, count: int, reads: tuple[Read, ...] = ()) -> int:
        """The first number of a definition of ``count`` units."""
        key = what, count, tuple((read.name, read.digest) for read in reads)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._next
            self._next += count
            parts = tuple((read.name, runs(read.tokens)) for read in reads)
            self._firsts.append(found)
            self._definitions.append(Definition(found, what, parts))
        return found

    def defined(self, number: int) -> Definition | None:
        """The definition that a number belongs to; None if nothing wrote it."""
        if number == UNWRITTEN:
            return None
        return self._definitions[bisect_right(self._firsts, number) - 1]


def digest(tokens: Tokens) -> bytes:
    """What two rows of value numbers have in common if they are equal."""
    return blake2b(tokens.tobytes(), digest_size=16).digest()


def runs(tokens: Tokens) -> tuple[tuple[int, int], ...]:
    """The first runs of numbers that follow each other."""
    flat = tokens.reshape(-1)
    breaks = np.flatnonzero(np.diff(flat) != 1)[:MOST_RUNS] + 1
    starts = [0, *breaks.tolist()]
    ends = [*breaks.tolist(), len(flat)]
    pairs = zip(starts, ends, strict=True)
    return tuple((int(flat[start]), end - start) for start, end in pairs)[:MOST_RUNS]
