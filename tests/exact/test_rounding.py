"""Functions that are correctly rounded: against the math module, and against a host that errs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from nasm.base.exact import rounded, rounding
from nasm.base.exact.error_function import erf, normal_cdf
from nasm.base.exact.libraries import DECIMALS, DIGITS, Doubles, with_digits
from nasm.targets.neuron.activations import PLAIN, activate
from nasm.targets.neuron.math_functions import power
from tests.exact.rational import nearest

Array = np.ndarray[Any, Any]
F32 = np.float32


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with np.errstate(all="ignore"):
        yield


def values() -> Array:
    """Both signs, every size, and numbers as they come."""
    on = np.random.default_rng(5)
    sizes = np.concatenate([np.geomspace(1e-40, 90, 3000), np.linspace(0, 12, 3000)])
    normal = on.standard_normal(6000) * 3
    return np.concatenate([-sizes, sizes, normal, [0.0, math.inf, -math.inf, math.nan]]).astype(F32)


INEXACT = ("exp", "log", "log1p", "sin", "arctan", "tanh", "power")
"""What IEEE 754 does not fix, and a host may compute in another way."""


def err(monkeypatch: pytest.MonkeyPatch, by: float) -> None:
    """Let every such function be off by a different amount for each element."""
    for name in INEXACT:
        function = getattr(Doubles, name)

        def off(*x: Array, function: Any = function) -> Array:
            y = function(*x)
            noise = np.random.default_rng(y.size).uniform(-by, by, y.shape)
            return y * (1 + noise)

        monkeypatch.setattr(Doubles, name, staticmethod(off))


@pytest.mark.parametrize("op", PLAIN)
def test_no_function_shows_what_the_host_makes_of_exp(
    op: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = values()
    before = activate(op, x).copy()
    err(monkeypatch, 2.0**-49)
    assert activate(op, x).tobytes() == before.tobytes()


def test_what_errs_by_more_than_is_allowed_for_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    x = values()
    before = activate("exp", x).copy()
    err(monkeypatch, 2.0**-30)
    assert activate("exp", x).tobytes() != before.tobytes()


@pytest.mark.parametrize("op", PLAIN)
@pytest.mark.parametrize("few", [rounding.FEW, 10], ids=["few digits", "many"])
def test_decimals_give_what_float64_gives(
    op: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounding, "FEW", few)
    on = np.random.default_rng(6)
    x = np.concatenate([on.standard_normal(20) * 2, [1e-20, -1e-20, 30.0]]).astype(F32)
    before = activate(op, x).copy()
    monkeypatch.setattr(rounding, "ERROR", 0.5)  # nothing is settled in float64
    assert activate(op, x).tobytes() == before.tobytes()


def test_powers_do_not_show_the_host_either(monkeypatch: pytest.MonkeyPatch) -> None:
    on = np.random.default_rng(7)
    x = on.uniform(-20, 20, 4000).astype(F32)
    y = on.choice([-2.0, -0.5, 0.0, 0.5, 1.5, 2.0, 3.0, 7.25], 4000).astype(F32)
    before = power(x, y).copy()
    err(monkeypatch, 2.0**-49)
    assert power(x, y).tobytes() == before.tobytes()


WHOLE = [(4097.0, 2.0), (4099.0, 2.0), (257.0, 3.0), (8193.0, 2.0), (-4097.0, 2.0), (-257.0, 3.0)]


@pytest.mark.parametrize(("x", "y"), WHOLE)
def test_a_power_halfway_between_two_numbers_goes_to_the_even_one(x: float, y: float) -> None:
    exact = nearest(Fraction(x) ** int(y))
    assert power(np.full(3, x, F32), np.full(3, y, F32)).tolist() == [exact] * 3
    assert power(np.full(3, x, F32), y).tolist() == [exact] * 3


def test_a_root_cubed_may_be_halfway_too() -> None:
    x, y = 4097.0**2, 1.5  # 4097**3 has 37 bits
    if float(F32(x)) == x:
        pytest.fail("choose an x that float32 rounds")
    x = 513.0**2  # 19 bits; the power is 513**3, of 28
    found = power(np.array([x], F32), np.array([y], F32))
    assert found.tolist() == [float(nearest(Fraction(513) ** 3))]


@pytest.mark.parametrize(
    "x",
    ["1", "16777217", "-16777219", "3.4028235677973366e38", "1e-45", "7.006492321624085e-46", "0"],
)
def test_the_nearest_float32_of_a_decimal(x: str) -> None:
    exact = Fraction(x)
    found, wanted = rounding.nearest(Decimal(x))[0], nearest(exact)
    assert (float(found), np.signbit(found)) == (float(wanted), np.signbit(wanted))


def test_an_element_is_worked_out_with_many_digits_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    work = rounding._worked_out
    monkeypatch.setattr(rounding, "_worked_out", lambda f, x: asked.append(x) or work(f, x))
    monkeypatch.setattr(rounding, "ERROR", 0.5)
    rounded(lambda f, x: f.exp(x))(np.tile(np.array([1.5, 2.5], F32), 50))
    assert len(asked) == 2


def test_the_error_function_is_as_close_as_it_says() -> None:
    x = np.concatenate([np.geomspace(1e-6, 9, 60), np.linspace(0.01, 8, 60)]).astype(F32)
    x = np.concatenate([-x, x]).astype(np.float64)
    with localcontext(with_digits(DIGITS)):
        for function, exact in ((erf, DECIMALS.erf), (normal_cdf, DECIMALS.normal_cdf)):
            for found, at in zip(function(x).tolist(), x.tolist(), strict=True):
                wanted = exact(Decimal(at))
                assert abs(Decimal(found) - wanted) <= abs(wanted) * Decimal("6e-15")


def test_the_error_function_at_its_ends() -> None:
    x = np.array([math.inf, -math.inf, 40.0, -40.0, 0.0, -0.0])
    assert erf(x).tolist() == [1, -1, 1, -1, 0, 0]
    assert normal_cdf(x).tolist() == [1, 0, 1, 0, 0.5, 0.5]
    assert np.isnan(erf(np.array([math.nan]))).all()


@pytest.mark.parametrize(
    ("name", "reference", "points"),
    [
        ("exp", math.exp, (-80, -1.5, 1e-20, 3, 88)),
        ("log", math.log, (1e-40, 0.7, 1.0000001, 3e30)),
        ("log1p", math.log1p, (1e-30, 0.5, 1)),
        ("sin", math.sin, (-3.1, 1e-30, 0.5, 2)),
        ("arctan", math.atan, (-1e30, -1, 1e-30, 0.3, 50)),
        ("tanh", math.tanh, (-9, 1e-30, 0.4)),
        ("erf", math.erf, (-3, 1e-30, 0.4, 6)),
        ("normal_cdf", lambda x: math.erfc(-x / math.sqrt(2)) / 2, (-12, -1, 0.3, 4)),
    ],
)
def test_many_digits_begin_with_the_math_modules(name: str, reference: Any, points: Any) -> None:
    with localcontext(with_digits(DIGITS)):
        for x in points:
            found = getattr(DECIMALS, name)(Decimal(x))
            assert math.isclose(found, reference(x), rel_tol=1e-13)


def test_pi_has_the_digits_it_should() -> None:
    with localcontext(with_digits(DIGITS)):
        digits = str(DECIMALS.pi)
    assert digits.startswith("3.14159265358979323846264338327950288419716939937510582097494459")
