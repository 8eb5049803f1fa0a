"""What is said of the multiply-add as a whole, against NumPy's floats."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.targets.tensix.lanes.multiply_add import multiply_add

ONE, ZERO = np.full(1, 0x3F800000, np.uint32), np.zeros(1, np.uint32)
COUNT = 1_000_000


def _normal(seed: int) -> Any:
    return np.random.default_rng(seed).standard_normal((3, COUNT)).astype(np.float32)


def _any(seed: int) -> Any:
    """Two rows of finite floats of all exponents, denormals and zeros."""
    bits = np.random.default_rng(seed).integers(0, 1 << 32, (2, COUNT), np.uint32)
    bits[:, ::50] &= 0x807FFFFF
    bits[:, ::75] &= 0x80000000
    bits[bits & 0x7F800000 == 0x7F800000] ^= 0x40000000
    return bits


def _flushed(bits: Any) -> Any:
    return np.where(bits & 0x7F800000 == 0, bits & 0x80000000, bits).astype(np.uint32)


def _rounded(exact: Any) -> Any:
    """A double rounded to 24 bits at whatever exponent, ties to even; what is too small is +0."""
    man, exp = np.frexp(exact)
    value = np.ldexp(np.rint(np.ldexp(man, 24)), exp - 24)
    with np.errstate(over="ignore"):
        bits = value.astype(np.float32).view(np.uint32)
    return np.where(np.abs(value) < 2.0**-126, 0, bits)


def test_a_product_alone_is_rounded_as_ieee_does() -> None:
    a, b = _any(1)
    exact = np.multiply(*(_flushed(x).view(np.float32).astype(np.float64) for x in (a, b)))
    assert np.array_equal(multiply_add(a, b, ZERO), _rounded(exact))


def test_a_sum_alone_is_rounded_as_ieee_does() -> None:
    b, c = _any(2)
    c[::2] = b[::2] ^ np.random.default_rng(3).integers(0, 1 << 25, COUNT // 2, np.uint32)
    c[c & 0x7F800000 == 0x7F800000] ^= 0x40000000
    with np.errstate(over="ignore"):
        total = np.add(*(_flushed(x).view(np.float32) for x in (b, c))).view(np.uint32)
    wanted = np.where(total & 0x7F800000 == 0, 0, total)
    assert np.array_equal(multiply_add(ONE, b, c), wanted)


def test_one_in_seventeen_normal_triples_is_not_what_a_fused_result_is() -> None:
    a, b, c = _normal(4)
    exact = a.astype(np.longdouble) * b + c
    if np.finfo(np.longdouble).nmant < 63:  # pragma: no cover
        exact = a.astype(np.float64) * b + c
    differs = multiply_add(*(x.view(np.uint32) for x in (a, b, c))) != exact.astype(
        np.float32
    ).view(np.uint32)
    assert abs(differs.mean() - 0.058) < 0.001


def test_two_in_nine_are_not_what_two_roundings_give() -> None:
    a, b, c = _normal(5)
    differs = multiply_add(*(x.view(np.uint32) for x in (a, b, c))) != (a * b + c).view(np.uint32)
    assert abs(differs.mean() - 0.223) < 0.002
