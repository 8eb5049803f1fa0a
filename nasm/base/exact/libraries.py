"""What formulas are written in: the same functions on arrays of float64, and on one Decimal.

A formula takes a library and its arguments, ``lambda f, x: x / (1 + f.exp(-x))``. With ``DOUBLES``
it is computed quickly, to some 13 digits; with ``DECIMALS`` to any precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Context, Decimal, getcontext, localcontext
from functools import cache
from typing import Any, Final

import numpy as np

from nasm.base.exact import error_function

DIGITS: Final = 220
"""Enough for erf, whose series loses 100 of them, and for float32's smallest numbers, 46."""


def with_digits(digits: int) -> Context:
    """What to set where DECIMALS are used: ``with decimal.localcontext(with_digits(60))``."""
    return Context(prec=digits, Emin=-99_999_999, Emax=99_999_999, traps=[])


class Doubles:
    """Arrays of float64."""

    pi = math.pi
    exp, log, log1p = staticmethod(np.exp), staticmethod(np.log), staticmethod(np.log1p)
    sin, arctan, tanh = staticmethod(np.sin), staticmethod(np.arctan), staticmethod(np.tanh)
    sqrt, abs = staticmethod(math.sqrt), staticmethod(np.abs)
    least, most = staticmethod(np.minimum), staticmethod(np.maximum)
    erf = staticmethod(error_function.erf)
    normal_cdf = staticmethod(error_function.normal_cdf)
    number = staticmethod(float)
    power = staticmethod(np.power)


class Decimals:
    """A single Decimal, with as many digits as the context has."""

    least, most, number = staticmethod(min), staticmethod(max), staticmethod(Decimal)
    abs = staticmethod(abs)

    @property
    def pi(self) -> Decimal:
        """The ratio of a circle's circumference to its diameter."""
        return +_pi()

    def exp(self, x: Decimal) -> Decimal:
        """E to the power of x."""
        return x.exp()

    def log(self, x: Decimal) -> Decimal:
        """The natural logarithm."""
        return x.ln()

    def log1p(self, x: Decimal) -> Decimal:
        """ln(1 + x)."""
        return (1 + x).ln()

    def sqrt(self, x: int | Decimal) -> Decimal:
        """The square root."""
        return Decimal(x).sqrt()

    def tanh(self, x: Decimal) -> Decimal:
        """The hyperbolic tangent."""
        power = (2 * x).exp()
        return (power - 1) / (power + 1)

    def sin(self, x: Decimal) -> Decimal:
        """The sine, of a small number of turns."""
        return _summed(x, lambda n, t: -t * x * x / (2 * n * (2 * n + 1)), lambda n: 1)

    def arctan(self, x: Decimal) -> Decimal:
        """The arc tangent, of three times half the angle: t becomes t / (1 + sqrt(1 + t^2))."""
        for _ in range(3):
            x = x / (1 + (1 + x * x).sqrt())
        return 8 * _arctan(x)

    def erf(self, x: Decimal) -> Decimal:
        """The error function, by Taylor's series; from 15 on it is 1 to 99 digits."""
        if abs(x) > 15:
            return Decimal(1).copy_sign(x)
        total = _summed(x, lambda n, t: -t * x * x / n, lambda n: 2 * n + 1)
        return 2 * total / self.pi.sqrt()

    def normal_cdf(self, x: Decimal) -> Decimal:
        """Phi(x), of the normal distribution."""
        return (1 + self.erf(x / Decimal(2).sqrt())) / 2

    def power(self, x: Decimal, y: Decimal) -> Decimal:
        """The power x ** y, of a negative x to a whole number only."""
        size = (y * abs(x).ln()).exp()
        return -size if x < 0 and y % 2 else size


def _summed(
    first: Decimal, following: Callable[[int, Decimal], Decimal], divisor: Callable[[int], int]
) -> Decimal:
    """The sum of terms, each divided, until they no longer count."""
    total, term, n = Decimal(0), first, 0
    digits = getcontext().prec
    while abs(term) > abs(total).scaleb(-digits) or not n:
        total += term / divisor(n)
        n += 1
        term = following(n, term)
        if not term:
            break
    return total


@cache
def _pi() -> Decimal:
    """By J. Machin's formula: 16 arctan(1/5) - 4 arctan(1/239)."""
    with localcontext(with_digits(DIGITS + 10)):
        return 16 * _arctan(Decimal(1) / 5) - 4 * _arctan(Decimal(1) / 239)


def _arctan(x: Decimal) -> Decimal:
    return _summed(x, lambda n, t: -t * x * x, lambda n: 2 * n + 1)


DOUBLES: Final = Doubles()
DECIMALS: Final = Decimals()

Formula = Callable[..., Any]
"""From a library and arguments to a value, or to a value and the size of its terms."""
