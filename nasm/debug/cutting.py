"""A function asked about few elements of its result, of arguments cut down to what these need.

To know one element of a product one row and one column will do. Which axes of the arguments go
with which axis of the result nobody says; so it is guessed from their lengths, and kept if the
function of the cut arguments gives the same, with other values in them too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

import numpy as np

from nasm.debug.leaves import Path, grafted, leaf
from nasm.debug.probing import Axes, Call, Needed, Probe, progressions
from nasm.debug.replacements import replacements

Array = np.ndarray[Any, Any]
Picks = tuple[Array | None, ...]
"""Which indices of each axis are left; None for all."""

TRIES = 128
"""Ways to cut that are tried."""

WORTH = 512
"""Elements of the arguments from which on cutting is worth a try."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: which elements of some arrays matter to a part of a result.

    ``call`` answers for the arguments as they are, ``cut`` for arguments cut so that the result has
    ``rows`` and ``columns`` alone; ``shape`` is what it has otherwise.
    """

    call: Call
    cut: Call
    arguments: Sequence[Any]
    places: Sequence[tuple[int, Path]]
    numbers: Sequence[float]
    shape: tuple[int, int]
    rows: Array
    columns: Array


def needed(question: Question) -> list[Needed]:
    """The boxes that matter."""
    q = question
    arrays = [leaf(q.arguments[at], path) for at, path in q.places]
    if sum(array.size for array in arrays) >= WORTH:
        for picks in islice(_ways(q, arrays), TRIES):
            arguments = _cut(q, q.arguments, picks)
            if _alike(q, arrays, arguments, picks):
                found = Probe(q.cut, arguments, q.places, q.numbers).needed()
                boxes = [_back(q, box, picks) for box in found]
                if _sound(q, arrays, boxes):
                    return boxes
    return Probe(q.call, q.arguments, q.places, q.numbers).needed()


def _ways(q: Question, arrays: Sequence[Array]) -> Iterator[list[Picks]]:
    """Ways to cut the arrays, those that leave the least first."""
    choices: list[list[Array | None]] = []
    for array in arrays:
        for length in array.shape:
            found: list[Array | None] = [
                picks
                for picks, whole in ((q.columns, q.shape[1]), (q.rows, q.shape[0]))
                if length == whole and len(picks) < whole
            ]
            choices.append([*found, None])
    for chosen in product(*choices):
        if all(picks is None for picks in chosen):
            return
        rest = iter(chosen)
        yield [tuple(next(rest) for _ in array.shape) for array in arrays]


def _cut(q: Question, arguments: Sequence[Any], ways: Sequence[Picks]) -> list[Any]:
    """Arguments cut so."""
    made = list(arguments)
    for (at, path), picks in zip(q.places, ways, strict=True):
        array = leaf(made[at], path)
        index = [np.arange(n) if p is None else p for n, p in zip(array.shape, picks, strict=True)]
        made[at] = grafted(made[at], path, array[np.ix_(*index)])
    return made


def _alike(
    q: Question, arrays: Sequence[Array], arguments: list[Any], ways: Sequence[Picks]
) -> bool:
    """Whether the function gives the same for cut arguments, as they are and with other values."""
    try:
        now = q.cut(arguments)
        if now is None or now != q.call(list(q.arguments)):
            return False
        for n, array in enumerate(arrays):
            rest = [a for m, a in enumerate(arrays) if m != n]
            for other in replacements(array, rest, ())[:3]:
                at, path = q.places[n]
                whole = list(q.arguments)
                whole[at] = grafted(whole[at], path, other)
                if q.call(whole) != q.cut(_cut(q, whole, ways)):
                    return False
    except (TypeError, AttributeError, AssertionError, LookupError):
        return False
    return True


def _back(q: Question, found: Needed, ways: Sequence[Picks]) -> Needed:
    """A box of a cut array as one of the array."""
    picks = ways[list(q.places).index((found.argument, found.path))]
    axes: list[range] = []
    for axis, pick in zip(found.axes, picks, strict=True):
        if pick is None:
            axes.append(axis)
            continue
        runs = progressions(sorted(int(pick[i]) for i in axis))
        axes.append(runs[0] if len(runs) == 1 else range(runs[0][0], runs[-1][-1] + 1))
    return Needed(found.argument, found.path, tuple(axes))


def _sound(q: Question, arrays: Sequence[Array], boxes: Sequence[Needed]) -> bool:
    """Whether the result of the whole arguments stays when all that is in no box is replaced."""
    now = q.call(list(q.arguments))
    for number in range(3):
        made = list(q.arguments)
        for n, (at, path) in enumerate(q.places):
            rest = [a for m, a in enumerate(arrays) if m != n]
            kinds = replacements(arrays[n], rest, ())
            other = kinds[number % len(kinds)].copy()
            for box in boxes:
                if (box.argument, box.path) == (at, path):
                    _put_back(other, arrays[n], box.axes)
            made[at] = grafted(made[at], path, other)
        if q.call(made) not in (None, now):
            return False
    return True


def _put_back(array: Array, original: Array, axes: Axes) -> None:
    key = np.ix_(*axes)
    array[key] = original[key]
