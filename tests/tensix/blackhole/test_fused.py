"""The multiply-add of Blackhole: against IEEE 754 where it agrees with it, and worked by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from nasm.targets.tensix.lanes.fused import fused
from tests.parts import part

SIGN, INFINITY, NAN = 1 << 31, 0x7F800000, 0x7FC00000
LEAST = 0x00800000
"""The least normal number, 2**-126."""


def one(a: int, b: int, c: int) -> int:
    made = fused(*(np.array([x], np.uint32) for x in (a, b, c)))
    return int(made[0])


def of(*values: float) -> list[int]:
    return np.asarray(values, np.float32).view(np.uint32).tolist()


@pytest.mark.parametrize("seed", part(range(40), 4))
def test_products_alone_and_sums_alone_round_as_ieee_754_does(seed: int) -> None:
    rng = np.random.default_rng(seed)
    raw = rng.integers(0, 1 << 32, (2, 4000), dtype=np.uint32)
    x, y = (raw & 0x807FFFFF | rng.integers(40, 215, raw.shape, dtype=np.uint32) << 23).view(
        np.float32
    )
    zero, unit = np.zeros(1, np.uint32), np.array([0x3F800000], np.uint32)
    with np.errstate(over="ignore", under="ignore"):
        product, total = x * y, x + y
    found = fused(x.view(np.uint32), y.view(np.uint32), zero)
    usual = np.abs(product) >= np.float32(2.0**-126)
    assert np.array_equal(found[usual], product.view(np.uint32)[usual])
    found = fused(unit, x.view(np.uint32), y.view(np.uint32))
    usual = np.abs(total) >= np.float32(2.0**-126)
    assert np.array_equal(found[usual], total.view(np.uint32)[usual])


def test_a_product_is_added_with_more_than_24_bits() -> None:
    # (1 + 2**-23) * (1 + 2**-23) - 1 = 2**-22 + 2**-46, of which 27 bits of the product keep 2**-22
    # and a bit for what is cut off: more than 24 bits would round to 2**-22
    a, minus = 0x3F800001, of(-1.0)[0]
    exact = (1 + Fraction(1, 1 << 23)) ** 2 - 1
    found = Fraction(float(np.uint32(one(a, a, minus)).view(np.float32)))
    assert abs(found - exact) < Fraction(1, 1 << 25)
    assert found >= Fraction(1, 1 << 22)


@pytest.mark.parametrize(
    ("a", "b", "c", "wanted"),
    [
        (SIGN, of(2.0)[0], SIGN, SIGN),  # -0 * 2 + -0
        (SIGN, of(2.0)[0], 0, 0),
        (of(1.0)[0], of(-1.0)[0], of(1.0)[0], 0),  # an exact zero is positive
        (1, of(2.0)[0], SIGN | 1, 0),  # denormals are zeros: +0 + -0
        (SIGN | LEAST, of(0.25)[0], 0, 0),  # a product that is too small is left out
        (LEAST, of(0.5)[0], SIGN, 0),
        (of(1.0)[0], SIGN | LEAST, LEAST + 1, 0),  # 2**-149 becomes a zero of its sign
        (of(1.0)[0], LEAST, SIGN | LEAST + 1, SIGN),
        (0x7F800001, of(1.0)[0], of(1.0)[0], NAN),
        (of(1.0)[0], of(1.0)[0], 0xFFC12345, NAN),
        (INFINITY, 0, of(1.0)[0], NAN),
        (INFINITY, 1, of(1.0)[0], NAN),  # a denormal counts as zero
        (INFINITY, of(-2.0)[0], of(1.0)[0], SIGN | INFINITY),
        (INFINITY, of(1.0)[0], SIGN | INFINITY, NAN),
        (0x7F7FFFFF, of(2.0)[0], SIGN | INFINITY, SIGN | INFINITY),
        (0x7F7FFFFF, of(2.0)[0], 0xFF7FFFFF, INFINITY),  # too large by itself
    ],
)
def test_zeros_nans_and_infinities(a: int, b: int, c: int, wanted: int) -> None:
    assert one(a, b, c) == wanted
