"""Functions of float32 that are correctly rounded, whatever the host's library makes of them.

A formula is computed in float64, with the host's functions, and off by no more than ERROR of its
size. Nearly always both ends of that bound round to the same float32, which is then the right one.
The others, about one in 100,000, are computed again in decimals (A. Ziv, 1991).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.base.exact.libraries import DECIMALS, DIGITS, DOUBLES, Formula, with_digits

Floats = NDArray[np.float32]

ERROR: Final = 2.0**-42
"""What a formula in float64 may be off by, relatively: 2,000 units in its last place.

NumPy's functions are off by less than 4 such units; an exponent of 100 magnifies what is lost of
it a hundred times.
"""

CHUNK: Final = 8192
"""Elements at a time, so that what lies between stays in the processor's cache: a [128, 512] tile
in one piece takes twice to four times as long (measured)."""

FEW: Final = 45
"""Digits that nearly always tell to which float32 a number rounds."""

CLEAR: Final = Fraction(1, 10**20)
"""From here on it is plain, relatively, which of two numbers is the closer one."""

TIE: Final = Fraction(1, 10**60)
"""What is so close to the middle between two numbers, relatively, lies there."""


def rounded(formula: Formula) -> Callable[..., Floats]:
    """A function of float32 arrays of one shape, each element of its result correctly rounded.

    The formula may return a second value, the size of the terms whose sum the first is: where
    they cancel, the error is relative to that. Wants ``np.errstate(all="ignore")`` around it.
    """

    def apply(*arguments: Floats) -> Floats:
        flat = [x.reshape(-1) for x in arguments]
        result = np.empty(flat[0].shape, np.float32)
        for start in range(0, flat[0].size, CHUNK):
            part = slice(start, start + CHUNK)
            _some(formula, [x[part] for x in flat], result[part])
        return result.reshape(arguments[0].shape)

    return apply


def _some(formula: Formula, arguments: list[Floats], out: Floats) -> None:
    value = formula(DOUBLES, *(x.astype(np.float64) for x in arguments))
    if isinstance(value, tuple):
        value, sizes = value
        bound = sizes * ERROR
        low, high = value - bound, value + bound
    else:
        low, high = value * (1 - ERROR), value * (1 + ERROR)
    out[...] = low
    doubtful = high.astype(np.float32) != out
    if doubtful.any():
        _settle(formula, arguments, np.flatnonzero(doubtful & ~np.isnan(value)), out)


def _settle(formula: Formula, arguments: list[Floats], at: Any, out: Floats) -> None:
    """Work out some elements with many digits; equal arguments once."""
    known: dict[tuple[float, ...], np.float32] = {}
    for place in at.tolist():
        key = tuple(float(x[place]) for x in arguments)
        found = known.get(key)
        if found is None:
            found = known[key] = _worked_out(formula, key)
        out[place] = found


def _worked_out(formula: Formula, arguments: tuple[float, ...]) -> np.float32:
    """The correctly rounded value: with few digits where they are good and tell, else with many."""
    rough, better = (_exact(formula, arguments, FEW + more) for more in (0, 15))
    if abs(rough - better) <= abs(better).scaleb(-25):
        found, margin = nearest(better)
        if margin > CLEAR:
            return found
    return nearest(_exact(formula, arguments, DIGITS))[0]


def _exact(formula: Formula, arguments: tuple[float, ...], digits: int) -> Decimal:
    with localcontext(with_digits(digits)):
        value = formula(DECIMALS, *(Decimal(x) for x in arguments))
        exact: Decimal = value[0] if isinstance(value, tuple) else value
        return exact


def nearest(x: Decimal) -> tuple[np.float32, Fraction]:
    """The float32 next to a Decimal, and how much closer it is than another, relatively.

    Of two as near it is the even one. What is infinite is 2**128.
    """
    exact = Fraction(x)
    middle = np.float32(float(exact))
    below, above = (np.nextafter(middle, np.float32(s * math.inf)) for s in (-1, 1))
    distances = [(abs(_value(c) - exact), _odd(c), c) for c in (below, middle, above)]
    first, second = sorted(distances, key=lambda d: d[:2])[:2]
    margin = (second[0] - first[0]) / (abs(exact) or 1)
    if margin <= TIE:
        first = min(first, second, key=lambda d: d[1])
    return np.float32(first[2]), margin


def _value(x: np.float32) -> Fraction:
    if np.isfinite(x):
        return Fraction(float(x))
    return Fraction(2) ** 128 * (1 if x > 0 else -1)


def _odd(x: np.float32) -> int:
    return int(x.view(np.uint32)) & 1
