"""A function asked about few elements of its result, of arguments cut down to what these need.

To know one element of a product one row and one column will do. Which axes of the arguments
correspond to which axis of the result is not declared; it is guessed from their lengths, and kept
if the function of the cut arguments gives the same, with other values in them too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from math import prod
from typing import Any

import numpy as np

from nasm.base.records import dataclass
from nasm.debugger.origins.argument_arrays import Path, grafted, leaf
from nasm.debugger.origins.dependence import Axes, Call, Needed, Patience, Probe, progressions
from nasm.debugger.origins.replacements import replacements

Array = np.ndarray[Any, Any]
TRIES = 128
"""Ways to cut that are tried."""

SURE = 12
"""Other values with which a way to cut is tried."""

LEAST = 3
"""How many of them are tried however large arguments are."""

AGAIN = 4_000_000
"""Elements of the whole arguments on which what was found is tried: a tenth of a second, about."""

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


Way = tuple[tuple[str, ...], ...]
"""How each axis of each array is cut: as the rows of the result, its columns, or not."""

ROWS, COLUMNS, WHOLE = "rows", "columns", ""


def needed(
    question: Question, learned: dict[Any, Way] | None = None, key: Any = None
) -> list[Needed]:
    """The boxes that matter.

    ``learned`` remembers by a key how arguments could be cut.
    """
    q, known = question, {} if learned is None else learned
    key = (key, tuple(q.places))
    arrays = [leaf(q.arguments[at], path) for at, path in q.places]
    if sum(array.size for array in arrays) >= WORTH and len(q.rows) * len(q.columns) < prod(
        q.shape
    ):
        trials = islice(_trials(q, arrays), 1 if key in known else None)
        tried: list[tuple[list[Any], bytes]] = []
        for way in [known[key]] if key in known else islice(_ways(q, arrays), TRIES):
            if not _same_result(q, way, tried, trials):
                continue
            found = Probe(q.cut, _cut(q, q.arguments, way), q.places, q.numbers).needed()
            boxes = [_back(q, box, way) for box in found]
            if _sound(q, arrays, boxes, AGAIN * (key not in known)):
                known[key] = way
                return boxes
    return Probe(q.call, q.arguments, q.places, q.numbers).needed()


def _ways(q: Question, arrays: Sequence[Array]) -> list[Way]:
    """Ways to cut the arrays, those that leave the least first."""
    choices: list[list[str]] = []
    for array in arrays:
        for axis, length in enumerate(array.shape):
            usual = [ROWS, COLUMNS] if axis == 0 and array.ndim > 1 else [COLUMNS, ROWS]
            whole = dict(zip((ROWS, COLUMNS), q.shape, strict=True))
            picks = {ROWS: q.rows, COLUMNS: q.columns}
            fits = [w for w in usual if length == whole[w] and len(picks[w]) < length]
            choices.append([*fits, WHOLE])
    found: list[Way] = []
    for chosen in islice(product(*choices), 4 * TRIES):
        if any(chosen):
            rest = iter(chosen)
            found.append(tuple(tuple(next(rest) for _ in array.shape) for array in arrays))
    left = [sum(a.size for a in _left(q, arrays, way)) for way in found]
    order = sorted(range(len(found)), key=lambda n: left[n])
    return [found[n] for n in order]


def _left(q: Question, arrays: Sequence[Array], way: Way) -> list[Array]:
    """What is left of the arrays."""
    picks = {ROWS: q.rows, COLUMNS: q.columns}
    made = []
    for array, words in zip(arrays, way, strict=True):
        index = [picks.get(w, np.arange(n)) for n, w in zip(array.shape, words, strict=True)]
        made.append(array[np.ix_(*index)])
    return made


def _cut(q: Question, arguments: Sequence[Any], way: Way) -> list[Any]:
    """Arguments cut so."""
    made = list(arguments)
    arrays = [leaf(made[at], path) for at, path in q.places]
    for (at, path), array in zip(q.places, _left(q, arrays, way), strict=True):
        made[at] = grafted(made[at], path, array)
    return made


def _same_result(
    q: Question,
    way: Way,
    tried: list[tuple[list[Any], bytes]],
    more: Iterator[tuple[list[Any], bytes]],
) -> bool:
    """Whether the function gives the same for cut arguments, as they are and with other values.

    ``tried`` are the other values that were tried already; ``more`` come when these do not tell.
    """
    try:
        for whole, result in tried:
            if q.cut(_cut(q, whole, way)) != result:
                return False
        for whole, result in more:
            tried.append((whole, result))
            if q.cut(_cut(q, whole, way)) != result:
                return False
    except (TypeError, AttributeError, AssertionError, LookupError):
        return False
    return True


def _trials(q: Question, arrays: Sequence[Array]) -> Iterator[tuple[list[Any], bytes]]:
    """Arguments with other values here and there, and what they give."""
    now = q.call(list(q.arguments))
    assert now is not None
    yield list(q.arguments), now
    rng, patience = np.random.default_rng(0), Patience(AGAIN)
    kinds = [_finite(replacements(a, arrays, q.numbers)) for a in arrays]
    for number in range(SURE):
        if number >= LEAST and patience.left < 0:
            return
        patience.spend(sum(array.size for array in arrays))
        whole = list(q.arguments)
        for n, (at, path) in enumerate(q.places):
            other = kinds[n][(number + n) % len(kinds[n])]
            mixed = np.where(rng.random(other.shape) < 0.5, other, arrays[n])
            whole[at] = grafted(whole[at], path, mixed)
        result = q.call(whole)
        if result is not None:
            yield whole, result


def _finite(kinds: Sequence[Array]) -> list[Array]:
    """Replacements that do not hide each other."""
    return [k for k in kinds if k.dtype != np.float32 or np.isfinite(k).all()]


def _back(q: Question, found: Needed, way: Way) -> Needed:
    """A box of a cut array as one of the array."""
    words = way[list(q.places).index((found.argument, found.path))]
    picks = {ROWS: q.rows, COLUMNS: q.columns}
    axes: list[range] = []
    for axis, word in zip(found.axes, words, strict=True):
        pick = picks.get(word)
        if pick is None:
            axes.append(axis)
            continue
        runs = progressions(sorted(int(pick[i]) for i in axis))
        axes.append(runs[0] if len(runs) == 1 else range(runs[0][0], runs[-1][-1] + 1))
    return Needed(found.argument, found.path, tuple(axes))


def _sound(q: Question, arrays: Sequence[Array], boxes: Sequence[Needed], most: int) -> bool:
    """Whether the result of the whole arguments stays when what is in no box is replaced.

    All of it at once with some replacements, then array by array with all there are, as far as
    ``most`` elements allow.
    """
    now = q.call(list(q.arguments))
    kinds = [
        replacements(array, [a for a in arrays if a is not array], q.numbers) for array in arrays
    ]
    patience = Patience(most)
    every = [range(len(arrays))] * SURE + [range(n, n + 1) for n in range(len(arrays))] * 99
    for number, some in enumerate(every):
        if number >= LEAST and patience.left < 0:
            return True
        number = number if number < SURE else (number - SURE) // len(arrays)
        made = list(q.arguments)
        for n in some:
            if number >= len(kinds[n]) and len(some) == 1:
                continue
            at, path = q.places[n]
            other = kinds[n][number % len(kinds[n])].copy()
            for box in boxes:
                if (box.argument, box.path) == (at, path):
                    _put_back(other, arrays[n], box.axes)
            made[at] = grafted(made[at], path, other)
        patience.spend(sum(array.size for array in arrays))
        if q.call(made) not in (None, now):
            return False
    return True


def _put_back(array: Array, original: Array, axes: Axes) -> None:
    key = np.ix_(*axes)
    array[key] = original[key]
