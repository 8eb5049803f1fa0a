"""Operators on raw bits and on 32-bit integers, against Python's unbounded ones."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.neuron import alu
from tests.tables import each

# Raw bits


@each("dtype", ["u1", "i1", "u2", "i2", "u4", "i4"])
@each("op", ["left_shift", "right_shift", "arith_shift_left", "arith_shift_right"])
def test_shifts_equal_arithmetic_on_unbounded_integers(op: str, dtype: str) -> None:
    size = np.dtype(dtype).itemsize
    width, every = size * 8, (1 << size * 8) - 1
    patterns = [0, 1, 0x5A, every, every >> 1, 1 << (width - 1)]
    amounts = [0, 1, 7, width - 1, width, width + 1, 100, 200, every]
    x = np.repeat(np.array(patterns, f"u{size}"), len(amounts)).view(dtype)
    y = np.tile(np.array(amounts, f"u{size}"), len(patterns)).view(dtype)
    want = []
    for pattern in patterns:
        for amount in amounts:
            signed = pattern - (1 << width) if pattern >> (width - 1) else pattern
            if "left" in op:
                want.append(pattern << min(amount, 99) & every)
            else:
                want.append((signed if "arith" in op else pattern) >> min(amount, 99) & every)
    got = alu.apply(op, x, y)
    assert got.dtype == np.dtype(dtype)
    assert got.view(f"u{size}").tolist() == want
    # A single number shifts the same way as an array of it.
    for amount in amounts:
        same = np.full(y.shape, amount, f"u{size}")
        by_number = alu.apply(op, x, amount)
        assert by_number.tolist() == alu.apply(op, x, same).tolist()


def test_amounts_are_unsigned_and_may_have_another_width() -> None:
    x = np.array([-128, -128], np.int8)
    minus_one = np.array([-1, 300], np.int32)
    assert alu.apply("right_shift", x, minus_one).tolist() == [0, 0]
    assert alu.apply("arith_shift_right", x, minus_one).tolist() == [-1, -1]
    assert alu.apply("left_shift", x, -1).tolist() == [0, 0]


def test_a_number_can_be_shifted_by_an_array() -> None:
    amounts = np.array([0, 3, 7, 8], np.uint8)
    assert alu.apply("left_shift", 1, amounts).tolist() == [1, 8, 128, 0]


def test_bitwise_operators_keep_the_dtype_and_take_any_bit_pattern() -> None:
    x = np.array([0b1100, -1], np.int8)
    y = np.array([0b1010, 0x55], np.int8)
    assert alu.apply("bitwise_and", x, y).tolist() == [0b1000, 0x55]
    assert alu.apply("bitwise_or", x, y).tolist() == [0b1110, -1]
    assert alu.apply("bitwise_xor", x, y).tolist() == [0b0110, ~0x55]
    assert alu.apply("invert", x, None).tolist() == [~0b1100, 0]
    got = alu.apply("bitwise_xor", x, 0xFF)
    assert got.dtype == np.int8
    assert got.tolist() == [~0b1100, 0]


def test_signed_and_unsigned_of_one_width_mix_as_bits() -> None:
    x, y = np.array([-1], np.int8), np.array([0x80], np.uint8)
    assert alu.apply("bitwise_and", x, y).tolist() == [-128]
    assert alu.apply("bitwise_and", y, x).tolist() == [128]


def test_the_narrower_operand_is_extended_by_its_own_sign() -> None:
    wide = np.array([0x0F0F], np.uint16)
    assert alu.apply("bitwise_or", wide, np.array([-16], np.int8)).tolist() == [0xFFFF]
    assert alu.apply("bitwise_or", wide, np.array([0xF0], np.uint8)).tolist() == [0x0FFF]


def test_a_number_too_wide_for_the_data_is_refused() -> None:
    with pytest.raises(Refused, match="256 does not fit the 8 bits of uint8") as refused:
        alu.apply("bitwise_and", np.zeros(1, np.uint8), 256)
    assert refused.value.code == "E0701"


# 32-bit integers


WORDS = [0, 1, -1, 2, 31, 32, 0x7FFF_FFFF, -0x8000_0000, 123_456_789, -987_654_321]


def wrapped(value: int) -> int:
    """The int32 with the same low 32 bits, by way of the bytes."""
    return int.from_bytes((value & 0xFFFF_FFFF).to_bytes(4, "little"), "little", signed=True)


EXACT: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "maximum": max,
    "minimum": min,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "greater_equal": lambda a, b: a >= b,
    "greater": lambda a, b: a > b,
    "less_equal": lambda a, b: a <= b,
    "less": lambda a, b: a < b,
    "logical_and": lambda a, b: bool(a) and bool(b),
    "logical_or": lambda a, b: bool(a) or bool(b),
    "logical_xor": lambda a, b: bool(a) != bool(b),
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    # An amount is read as unsigned, so that a negative one is beyond the width too.
    "left_shift": lambda a, b: a << b if 0 <= b < 32 else 0,
    "right_shift": lambda a, b: a % 2**32 >> b if 0 <= b < 32 else 0,
    "arith_shift_left": lambda a, b: a * 2**b if 0 <= b < 32 else 0,
    "arith_shift_right": lambda a, b: a // 2**b if 0 <= b < 32 else -int(a < 0),
}


def test_registers_have_every_operator_with_an_exact_form() -> None:
    assert set(alu.REGISTER_OPERATORS) == set(EXACT)


@each("op", EXACT)
def test_registers_wrap_at_32_bits(op: str) -> None:
    for a in WORDS:
        for b in WORDS:
            got = alu.apply_register(op, a, b)
            assert type(got) is int
            assert got == wrapped(EXACT[op](a, b)), (a, b)


@each("op", EXACT)
def test_int32_arrays_agree_with_unbounded_integers(op: str) -> None:
    x, y = (grid.ravel() for grid in np.meshgrid(np.array(WORDS, np.int32), np.int32(WORDS)))
    got = alu.apply_int32(op, x, y)
    assert got.dtype == np.int32
    pairs = zip(x.tolist(), y.tolist(), strict=True)
    assert got.tolist() == [wrapped(EXACT[op](a, b)) for a, b in pairs]


def test_uint32_arrays_compare_and_wrap_as_unsigned() -> None:
    x, y = np.array([0xFFFF_FFFF, 5], np.uint32), np.array([1, 6], np.uint32)
    assert alu.apply_int32("add", x, y).tolist() == [0, 11]
    assert alu.apply_int32("subtract", x, y).tolist() == [0xFFFF_FFFE, 0xFFFF_FFFF]
    assert alu.apply_int32("maximum", x, y).tolist() == [0xFFFF_FFFF, 6]
    greater = alu.apply_int32("greater", x, y)
    assert greater.dtype == np.uint32
    assert greater.tolist() == [1, 0]


def test_int32_arithmetic_is_exact_where_float32_is_not() -> None:
    x = np.array([2**24 + 1], np.int32)
    assert alu.apply_int32("add", x, 2).tolist() == [2**24 + 3]
    assert alu.apply_int32("subtract", 0, x).tolist() == [-(2**24) - 1]


def test_mixed_signs_add_but_do_not_compare() -> None:
    x, y = np.array([-1], np.int32), np.array([1], np.uint32)
    assert alu.apply_int32("add", x, y).tolist() == [0]
    with pytest.raises(Refused, match="int32 and uint32") as refused:
        alu.apply_int32("less", x, y)
    assert refused.value.code == "E0701"


@pytest.mark.parametrize("op", ["divide", "mod", "power", "rsqrt", "abs_max", "average"])
def test_integer_forms_that_nothing_describes_are_refused(op: str) -> None:
    x = np.ones(2, np.int32)
    with pytest.raises(Refused, match=op) as refused:
        alu.apply_int32(op, x, x)
    assert refused.value.code == "E0701"


@pytest.mark.parametrize(
    ("value", "word"), [(2**31, -(2**31)), (2**32 - 1, -1), (-(2**31) - 1, 2**31 - 1), (5, 5)]
)
def test_wrap32_keeps_the_low_32_bits(value: int, word: int) -> None:
    assert alu.wrap32(value) == word
