"""The float32 product against sums of rational numbers, and against the rules of IEEE 754."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nasm.base.exact import Factor, factors, multiply, product, products, unrounded
from tests.exact.rational import nearest
from tests.parts import part
from tests.tables import each

Array = np.ndarray[Any, Any]
F32 = np.float32


def made(a: Array, b: Array) -> Array:
    with np.errstate(all="ignore"):
        return product(Factor(a), Factor(b))


def by_the_book(a: Array, b: Array) -> Array:
    """Each element the exact sum, rounded once; zero is +0."""
    wanted = np.empty((a.shape[1], b.shape[1]), F32)
    for m, n in np.ndindex(*wanted.shape):
        wanted[m, n] = nearest(exact(a[:, m], b[:, n])) + F32(0)
    return wanted


def exact(row: Array, column: Array) -> Fraction:
    """The sum of the products, without any rounding."""
    pairs = zip(row.tolist(), column.tolist(), strict=True)
    return sum((Fraction(x) * Fraction(y) for x, y in pairs), Fraction(0))


EDGES = np.array([0, -0.0, 1, -1, 2**-149, -(2**-149), 2**-126, 1 + 2**-23, 2**127, 3.4e38], F32)


def draw(kind: str, shape: tuple[int, int], on: np.random.Generator) -> Array:
    match kind:
        case "normal":
            values = on.standard_normal(shape)
        case "short":
            values = on.integers(-3, 4, shape) * 2.0 ** on.integers(-30, 30, shape)
        case "whole":
            values = on.integers(-(2**24), 2**24, shape)
        case "wide":
            values = on.standard_normal(shape) * 2.0 ** on.integers(-70, 60, shape)
        case "edges":
            values = on.choice(EDGES, shape)
        case _:
            bits = on.integers(0, 2**32, shape, np.uint64).astype(np.uint32).view(F32)
            values = np.where(np.isfinite(bits), bits, 1)
    return np.asarray(values, F32)


KINDS = ("normal", "short", "whole", "wide", "edges", "any")


@pytest.mark.parametrize("few", [0, products.FEW], ids=["in slices", "one by one"])
@pytest.mark.parametrize("kinds", part([*itertools.product(KINDS, KINDS)], 5), ids="-".join)
def test_a_product_is_the_exact_sum_rounded_once(
    kinds: tuple[str, str], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(products, "FEW", few)
    on = np.random.default_rng(7)
    for _ in range(6):
        k, m, n = (int(x) for x in on.integers(1, 14, 3))
        a, b = draw(kinds[0], (k, m), on), draw(kinds[1], (k, n), on)
        assert made(a, b).tobytes() == by_the_book(a, b).tobytes()


@pytest.mark.parametrize("few", [0, products.FEW], ids=["in slices", "one by one"])
def test_what_cancels_leaves_what_is_small(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "FEW", few)
    on = np.random.default_rng(8)
    a, b = draw("wide", (9, 5), on), draw("wide", (9, 5), on)
    a = np.concatenate([a, -a, draw("normal", (2, 5), on) * F32(2.0**-60)])
    b = np.concatenate([b, b, draw("normal", (2, 5), on)])
    assert made(a, b).tobytes() == by_the_book(a, b).tobytes()


def test_a_tie_that_something_small_decides_goes_where_that_says() -> None:
    one, half = 1.0, 2.0**-24
    for least in (2.0**-140, -(2.0**-140)):
        a = np.array([[one], [half], [least]], F32)
        found = made(a, np.ones((3, 1), F32))
        assert found.tolist() == [[1 + 2.0**-23 if least > 0 else 1.0]]


def test_a_large_product_of_each_path_is_correctly_rounded_where_it_is_looked_at() -> None:
    on = np.random.default_rng(9)
    orthogonal = np.linalg.qr(on.standard_normal((128, 128)))[0].astype(F32)
    moving = on.standard_normal((128, 300)).astype(F32)
    for a, b in ((orthogonal, moving), (orthogonal, orthogonal), (moving, moving)):
        found = made(a, b)
        for _ in range(40):
            m, n = int(on.integers(a.shape[1])), int(on.integers(b.shape[1]))
            assert found[m, n] == nearest(exact(a[:, m], b[:, n]))


SPECIAL = (0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, math.nan)


def test_infinities_and_nan_give_what_a_sum_in_any_order_gives() -> None:
    for p, q, r, s in part([*itertools.product(SPECIAL, repeat=4)], 800):
        a, b = np.array([[p], [q]], F32), np.array([[r], [s]], F32)
        with np.errstate(all="ignore"):
            want = F32(p) * F32(r) + F32(q) * F32(s) + F32(0)
        np.testing.assert_array_equal(made(a, b), [[want]])


def test_an_infinity_spoils_its_row_and_its_column_alone() -> None:
    on = np.random.default_rng(3)
    a, b = draw("normal", (5, 4), on), draw("normal", (5, 6), on)
    clean = made(a, b)
    a[2, 1] = np.inf
    spoilt = made(a, b)
    others = [0, 2, 3]
    assert spoilt[others].tobytes() == clean[others].tobytes()
    assert spoilt[1].tolist() == [math.copysign(math.inf, x) for x in b[2]]


def test_a_sum_of_nothing_but_negative_zeros_is_plus_zero() -> None:
    for k in (1, 2, 128):
        found = made(np.full((k, 1), -0.0, F32), np.ones((k, 1), F32))
        assert not np.signbit(found).any()


@pytest.mark.parametrize("range_", [(0x3F00, 0x4080), (0, 0x0100), (0, 0x7F80), (0, 0x8000)])
def test_bfloat16_is_taken_as_it_is(range_: tuple[int, int]) -> None:
    """Ordinary numbers, subnormal ones, all finite ones, and all patterns."""
    on = np.random.default_rng(11)
    for _ in range(6):
        k, m, n = (int(x) for x in on.integers(1, 150, 3))
        factors = []
        for columns in (m, n):
            bits = on.integers(*range_, (k, columns)) | on.integers(0, 2, (k, columns)) << 15
            factors.append(Factor(bits.astype(np.uint16).view(ml_dtypes.bfloat16)))
        with np.errstate(all="ignore"):
            found = product(*factors)
        np.testing.assert_array_equal(found, made(*(factor.values for factor in factors)))
        for factor in factors:
            span, same = factor.span, Factor(factor.values).span
            assert span[:-2] == same[:-2]
            np.testing.assert_array_equal(span.lows, same.lows)
            np.testing.assert_array_equal(span.highs, same.highs)


def test_a_library_that_starts_from_the_first_term_gives_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on = np.random.default_rng(14)
    a, b = draw("normal", (40, 9), on), draw("normal", (40, 12), on)
    a[:, 2], b[:, 3] = -0.0, np.abs(b[:, 3])
    found = made(a, b)
    monkeypatch.setattr(products, "_starts_from_zero", lambda rows, m, n: False)
    assert made(a, b).tobytes() == found.tobytes() == by_the_book(a, b).tobytes()


def test_a_product_is_no_array_of_one_that_is_still_there() -> None:
    on = np.random.default_rng(12)
    sides = [(draw("normal", (32, 8), on), draw("normal", (32, 16), on)) for _ in range(12)]
    found = [unrounded(Factor(a), Factor(b)) for a, b in sides]
    for (a, b), one in zip(sides, found, strict=True):
        assert one.dtype == np.float64
        np.testing.assert_array_equal(one.astype(F32), by_the_book(a, b))


def test_factors_in_float64_are_kept_as_long_as_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(factors, "CHUNK", 64)
    monkeypatch.setattr(factors, "CHUNKS", 2)
    monkeypatch.setattr(factors, "_KEPT", factors.KeptDoubles())
    sides = [Factor(np.full((8, 4), n, F32)) for n in range(6)]

    def kept() -> list[bool]:
        return [side.as_doubles() is side.as_doubles() for side in sides]

    kept()
    assert kept() == [True] * 4 + [False] * 2
    assert all((side.as_doubles() == n).all() for n, side in enumerate(sides))
    del sides[:2]
    assert kept() == [True] * 4


# -- in float64


@pytest.mark.parametrize("spread", [0, 20, 100])
def test_float64_products_are_right_to_the_last_places(spread: int) -> None:
    on = np.random.default_rng(spread)
    for _ in range(10):
        m, k, n = (int(x) for x in on.integers(1, 9, 3))
        a = on.standard_normal((m, k)) * 2.0 ** on.integers(-spread, spread + 1, (m, k))
        b = on.standard_normal((k, n)) * 2.0 ** on.integers(-spread, spread + 1, (k, n))
        sizes = np.abs(a) @ np.abs(b)
        found = multiply(a, b)
        for i, j in np.ndindex(m, n):
            assert (
                abs(Fraction(found[i, j]) - exact(a[i], b[:, j])) <= Fraction(sizes[i, j]) / 2**51
            )


@each(
    "shapes",
    [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((4, 2, 3), (3, 5)), ((4, 2, 3), (4, 3, 5)),
     ((2, 1, 2, 3), (5, 3, 2)), ((1, 1), (1, 1))],
)  # fmt: skip
@each("values", ["whole", "one infinity"])
def test_float64_products_take_every_shape_that_numpy_takes(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], values: str
) -> None:
    on = np.random.default_rng(1)
    a, b = (on.integers(-9, 10, shape).astype(float) for shape in shapes)
    if values == "one infinity":
        a.flat[0], b = math.inf, np.abs(b) + 1
    # As objects, which Python adds up: a library's kernels may warn of infinities.
    wanted = np.matmul(a.astype(object), b.astype(object))
    np.testing.assert_array_equal(multiply(a, b), np.asarray(wanted, float))


def test_numbers_too_far_apart_are_added_in_order() -> None:
    a, b = np.array([[1e300, 1.0, -1e300]]), np.array([[1.0], [1.0], [1.0]])
    assert multiply(a, b).tolist() == [[0.0]]


def test_short_numbers_of_many_sizes_are_rounded_once_where_sums_are_halfway() -> None:
    """Sums of bfloat16 products often lie halfway between two float32 numbers."""
    on = np.random.default_rng(10)
    a, b = (on.standard_normal(shape).astype(F32) for shape in ((128, 64), (128, 256)))
    for values in (a, b):
        values.view(np.uint32)[...] &= np.uint32(0xFFFF_0000)
    a[5, 7], b[9, 11] = F32(2.0**-30), F32(2.0**-33)  # too small for one product in float64
    found = made(a, b)
    halfway = 0
    for m, n in [(row, n) for row in (7, 8) for n in range(64)] + [(m, 11) for m in range(64)]:
        total = exact(a[:, m], b[:, n])
        ulp = Fraction(float(np.spacing(np.abs(found[m, n]))))
        halfway += abs(total - Fraction(float(found[m, n]))) == ulp / 2
        assert found[m, n] == nearest(total)
    assert halfway


def test_products_in_several_threads_do_not_share_what_lies_between() -> None:
    generator = np.random.default_rng(4)
    shapes = [(128, 128, 600), (3, 5, 7), (64, 16, 512), (128, 96, 40)] * 6
    pairs = [
        (generator.standard_normal((k, m)), generator.standard_normal((k, n))) for k, m, n in shapes
    ]
    factors = [tuple(Factor(side.astype(np.float32)) for side in pair) for pair in pairs]
    with np.errstate(all="ignore"):
        wanted = [product(*pair) for pair in factors]
    with ThreadPoolExecutor(4) as pool, np.errstate(all="ignore"):
        found = list(pool.map(lambda pair: product(*pair), factors))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)
