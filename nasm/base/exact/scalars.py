"""Single numbers in float64, correctly rounded: what constants are computed with."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from nasm.base.exact.libraries import DECIMALS, with_digits

DIGITS = 60

SHORT = 64
"""Exponents up to which a power is computed as a fraction, exactly: it may lie halfway."""


def power(x: float, y: float) -> float:
    """The value of x ** y, which Python must find finite and not zero."""
    if y == int(y) and abs(y) <= SHORT:
        return float(Fraction(x) ** int(y))
    with localcontext(with_digits(DIGITS)):
        return float(DECIMALS.power(Decimal(x), Decimal(y)))


def log2(x: int | float) -> float:
    """The logarithm to base 2 of a positive number; whole where that is exact."""
    if isinstance(x, float):
        fraction, exponent = math.frexp(x)
        if fraction == 0.5:
            return float(exponent - 1)
    with localcontext(with_digits(DIGITS)):
        return float(DECIMALS.log(Decimal(x)) / DECIMALS.log(Decimal(2)))
