"""What differs between two values, or between one and a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from nasm.base.array_files import SPELLING, ArrayFile
from nasm.base.drawing import Drawn
from nasm.base.dtypes import Array
from nasm.base.files import Allowed
from nasm.base.pieces import windows
from nasm.base.problems import Refused, counted, in_line
from nasm.base.records import dataclass, replace
from nasm.debugger.values.value import Value
from nasm.language.expectations.elements import Elements, Joined, Plain, Stored, numbers
from nasm.language.expectations.judge import golden
from nasm.language.expectations.records import Mismatch
from nasm.language.expectations.verdict import compare

_FILE = re.compile(r'\s*"([^"]*)"\s*')


@dataclass(frozen=True, slots=True, repr=False)
class ValueDifference(Drawn):
    """Two values side by side: so many of ``size`` elements differ, none by more than ``largest``.

    ``unknown`` are elements that are not known on either side, or on both: they are not compared.
    With a tolerance those differ that are not close.
    """

    left: str
    right: str
    shape: tuple[int, ...]
    size: int
    differing: int
    unknown: int
    largest: float
    worst: tuple[Mismatch, ...]
    rtol: float | None = None
    atol: float | None = None

    @property
    def same(self) -> bool:
        """Whether nothing differs, as far as it is known."""
        return not self.differing

    def __repr__(self) -> str:
        of = f"{self.differing:,} of {counted(self.size, 'element')} differ"
        text = f"<{self.left} and {self.right}: {of}, by at most {self.largest:.6g}>"
        return in_line(text)


def difference(
    left: Value, right: Value, rtol: float | None = None, atol: float | None = None
) -> ValueDifference:
    """Two values element by element, exactly or with a tolerance; raises Refused.

    Their shapes are matched as NumPy does. ``|left - right| <= atol + rtol * |right|`` is close.
    """
    for value in (left, right):
        _computes(value)
    given: Mapping[str, float] = {
        name: tolerance
        for name, tolerance in (("rtol", rtol), ("atol", atol))
        if tolerance is not None
    }
    if given:  # what is not given allows nothing
        given = {"rtol": 0.0, "atol": 0.0, **given}
    sides: list[Elements] = [left.elements, right.elements]
    unknown = _unknown(left, right)
    if unknown is not None:
        hidden = Plain(unknown)
        sides = [Joined(_hide, (side, hidden), unknown.shape) for side in sides]
    with np.errstate(all="ignore"):
        found = compare("~" if given else "==", sides[0], sides[1], given)
        largest = _largest(sides, found.shape)
    return ValueDifference(
        left.text,
        right.text,
        found.shape,
        found.size,
        found.size - found.count,
        0 if unknown is None else int(np.count_nonzero(unknown)),
        largest,
        found.failing,
        rtol,
        atol,
    )


def _unknown(left: Value, right: Value) -> Array | None:
    """Which elements of the common shape are not known."""
    missing = [value.missing for value in (left, right) if value.missing is not None]
    if not missing:
        return None
    try:
        shape = np.broadcast_shapes(left.shape, right.shape)
    except ValueError:
        return None  # comparing them reports it
    unknown = np.zeros(shape, np.bool_)
    for mask in missing:
        unknown |= mask
    return unknown


def _largest(sides: Sequence[Elements], shape: tuple[int, ...]) -> float:
    """The largest difference there is; NaN, if one is NaN on one side only."""
    largest, apart = 0.0, Joined(_apart, sides, shape)
    for window in windows(shape):
        largest = max(float(np.max(apart.part(window))), largest)
        if largest != largest:
            break
    return largest


def _apart(left: Array, right: Array) -> Array:
    a, b = numbers(left), numbers(right)
    return np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))


def _hide(elements: Array, unknown: Array) -> Array:
    return np.where(unknown, 0.0, numbers(elements))


def _computes(value: Value) -> None:
    """Refuse what is no number."""
    if not value.numeric:
        hint = f"compare {value.text}.view(u{8 * value.dtype.itemsize})" if value.dtype else ""
        raise Refused("E0822", f"the elements of {value.text} are packed", hint)


def named_file(text: str) -> str | None:
    """The path that a text in quotes is; None for an expression."""
    found = _FILE.fullmatch(text)
    return found[1] if found else None


def of_file(value: Value, path: str, files: Allowed) -> Value:
    """What an array file holds, to be compared with a value; raises Refused."""
    _computes(value)
    file = ArrayFile.written(path, "")
    if file is None:
        raise Refused("E0801", f'"{path}" is not an array file', SPELLING)
    elements = golden(file, value.elements, files)
    return Value(f'"{path}"', elements, elements.dtype)


def kept(value: Value) -> Value:
    """A value that stays as it is when the machine runs on."""
    dtype, array = value.dtype, value.array
    elements = Plain(array) if dtype is None else Stored(array, dtype, computes=False)
    missing = None if value.missing is None else value.missing.copy()
    return replace(value, elements=elements, missing=missing)
