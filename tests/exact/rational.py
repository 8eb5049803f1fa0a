"""Rounding by the book, in rational numbers: no floating-point unit takes part."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

LEAST, MOST = -149, 128
"""float32 has multiples of 2**-149 below 2**128."""


def nearest(x: Fraction) -> np.float32:
    """The float32 next to a rational number; of two as near the even one."""
    size = abs(x)
    exponent = LEAST
    if size:
        exponent = max(LEAST, size.numerator.bit_length() - size.denominator.bit_length() - 24)
        while size / Fraction(2) ** exponent >= 2**24:
            exponent += 1
    steps = round(size / Fraction(2) ** exponent)  # Python rounds halves to even
    rounded = steps * Fraction(2) ** exponent
    made = np.float32(np.inf) if rounded >= Fraction(2) ** MOST else np.float32(float(rounded))
    return np.float32(-made if x < 0 else made)
