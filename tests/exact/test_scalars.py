"""Single numbers, against fractions and the math module."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

import nasm
from nasm.base.exact import scalars


def test_a_power_to_a_whole_number_is_the_exact_one_rounded_once() -> None:
    draw = random.Random(1)
    for _ in range(300):
        x, y = draw.uniform(-9, 9), draw.randrange(-20, 21)
        assert scalars.power(x, y) == float(Fraction(x) ** y)


def test_a_power_halfway_between_two_numbers_goes_to_the_even_one() -> None:
    x = 2.0**27 + 1  # its square is 2**54 + 2**28 + 1: the last bit is half a unit
    assert scalars.power(x, 2.0) == float(int(x) ** 2)


def test_powers_and_logarithms_are_within_a_unit_of_the_math_modules() -> None:
    draw = random.Random(2)
    for _ in range(300):
        x, y = draw.uniform(1e-3, 1e3), draw.uniform(-30, 30)
        for found, near in ((scalars.power(x, y), x**y), (scalars.log2(x), math.log2(x))):
            assert abs(found - near) <= 2 * math.ulp(near)


@pytest.mark.parametrize("power", [-1074, -1, 0, 1, 1023])
def test_logarithms_of_powers_of_two_are_whole(power: int) -> None:
    assert scalars.log2(math.ldexp(1.0, power)) == power


def test_constants_are_computed_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scalars, "power", lambda x, y: 7.0)
    monkeypatch.setattr(scalars, "log2", lambda x: 8.0)
    program = nasm.assemble(".target trn2\n.const A = 2.5 ** 0.5\n.const B = log2(3)\n")
    assert program.constants == {"A": 7.0, "B": 8.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [("2 ** 3", 8), ("2 ** -1", 0.5), ("inf ** 2", math.inf), ("0.0 ** 2", 0.0),
     ("(-2) ** -3.0", -0.125), ("2.0 ** 0.5", math.sqrt(2)), ("log2(inf)", math.inf),
     ("log2(2 ** 2000 + 1)", 2000.0)],
)  # fmt: skip
def test_constants_have_the_values_they_had(text: str, value: float) -> None:
    assert nasm.assemble(f".target trn2\n.const A = {text}\n").constants["A"] == value
