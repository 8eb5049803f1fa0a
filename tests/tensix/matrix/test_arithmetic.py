"""Products, sums and pools of the matrix unit: against the scalar model, and facts by hand."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

from nasm.targets.tensix.matrix.accumulate import accumulate
from nasm.targets.tensix.matrix.arithmetic import elwadd
from nasm.targets.tensix.matrix.formats import (
    Style,
    Styles,
    dst_from_bf16,
    dst_from_fp16,
    dst_from_fp32,
    fp16_from_dst,
    fp32_from_dst,
    integers_from_dst,
    src_from_bf16,
    src_from_fp16,
    src_from_tf32,
)
from nasm.targets.tensix.matrix.multiply import elwmul, mvmul
from nasm.targets.tensix.matrix.pools import gmpool
from tests.tensix.matrix import model
from tests.tensix.matrix.compare import differences
from tests.tensix.matrix.operands import Rng, same, sources, stored


def fp32(x: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", x))[0])


def bf16(x: float) -> np.uint32:
    """An element of SrcA or SrcB; ``x`` has few bits."""
    return np.uint32(src_from_bf16(fp32(x) >> 16))


def tf32(x: float) -> Any:
    return src_from_tf32(np.array([fp32(x) >> 13]))


def multiplied(a: float, b: float, dst: float, phase: int = 0) -> float:
    """ELWMUL of TF32 with Dst of 32 bits."""
    held = dst_from_fp32(fp32(dst))
    found = elwmul(tf32(a), tf32(b), np.array([held]), same(Style.TF32), True, phase)
    return float(fp32_from_dst(found).view(np.float32)[0])


def integer(x: int) -> Any:
    return np.array([(x < 0) << 18 | abs(x) << 8 | (16 if x else 0)], np.uint32)


def test_every_instruction_is_the_scalar_model_on_random_operands() -> None:
    found = list(differences(count=256, seed=5))
    assert sum(size for *_, size in found) > 20_000
    assert [name for name, different, _ in found if different] == []


OWN_BITS = {Style.BF16: ~(7 << 8), Style.TF32: -1}
"""Bits of an element that are used, by the public simulator from 1.10 on."""


@pytest.mark.parametrize("phase", range(4))
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("of_b", [Style.BF16, Style.TF32], ids=lambda s: s.name)
@pytest.mark.parametrize("of_a", [Style.BF16, Style.TF32], ids=lambda s: s.name)
def test_each_operand_has_the_bits_of_its_own_format(
    of_a: Style, of_b: Style, wide: bool, phase: int
) -> None:
    rng = np.random.default_rng(phase)
    a, b = (sources(rng, (16, 16), Style.TF32, 3) for _ in range(2))
    dst = stored(rng, (16, 16), Style.TF32, wide, 3)
    cut_a, cut_b = (x & np.uint32(OWN_BITS[s] & 0x7FFFF) for x, s in ((a, of_a), (b, of_b)))
    styles, how = Styles(of_a, of_b), {"minus": True, "add": True}
    columns, rows = cut_a.T.tolist(), cut_b.tolist()
    wanted = [
        [model.mvmul(columns[j], rows[i], int(dst[i, j]), "TF32", wide, phase) for j in range(16)]
        for i in range(16)
    ]
    assert mvmul(a, b, dst, styles, wide, phase).tolist() == wanted
    flat = (x.ravel().tolist() for x in (cut_a, cut_b, dst))
    triples = list(zip(*flat, strict=True))
    product = [model.elwmul(*one, "TF32", wide, phase) for one in triples]
    assert elwmul(a, b, dst, styles, wide, phase).ravel().tolist() == product
    difference = [model.elwadd(*one, "TF32", wide, **how) for one in triples]
    assert elwadd(a, b, dst, styles, wide, 0, **how).ravel().tolist() == difference


@pytest.mark.parametrize("phase", range(4))
@pytest.mark.parametrize("style", [Style.BF16, Style.TF32], ids=lambda s: s.name)
def test_products_of_exponents_near_each_other_are_the_scalar_model(
    style: Style, phase: int
) -> None:
    # float32 has them; among the random operands above are always some that are too far apart.
    rng = np.random.default_rng(phase)
    for wide, least in ((True, 107), (False, 60), (True, 1), (False, 200)):
        a, b = (near(rng, shape, least) for shape in ((16, 16), (8, 16)))
        dst = stored(rng, (8, 16), style, wide, 10)
        found = mvmul(a, b, dst, same(style), wide, phase)
        columns, rows, old = a.T.tolist(), b.tolist(), dst.tolist()
        wanted = [
            [model.mvmul(columns[j], rows[i], old[i][j], style.name, wide, phase)
             for j in range(16)]
            for i in range(8)
        ]  # fmt: skip
        assert found.tolist() == wanted


def near(rng: Rng, shape: tuple[int, ...], least: int) -> Any:
    """Elements of SrcA or SrcB in 50 exponents, and a few zeros."""
    exponent = np.where(rng.random(shape) < 0.1, 0, rng.integers(least, least + 50, shape))
    return (rng.integers(0, 2048, shape) << 8 | exponent).astype(np.uint32)


def test_a_phase_multiplies_its_bits_of_both_significands() -> None:
    # 1 + 2^-5 of SrcA: phase 0 has four fraction bits and drops it, phase 1 has it alone.
    a, b = 1 + 2.0**-5, 1.5
    assert multiplied(a, b, 0.0, phase=0) == 1.5
    assert multiplied(a, b, 0.0, phase=1) == 1.5 * 2.0**-5
    # 1 + 2^-7 of SrcB: phase 0 has six fraction bits, phase 2 the other four.
    b = 1 + 2.0**-7
    assert multiplied(1.0, b, 0.0, phase=0) == 1.0
    assert multiplied(1.0, b, 0.0, phase=2) == 2.0**-7
    assert multiplied(a, b, 0.0, phase=3) == 2.0**-12


def test_the_last_bit_of_srca_is_never_multiplied() -> None:
    assert [multiplied(1 + 2.0**-10, 1.0, 0.0, phase) for phase in range(4)] == [1.0, 0, 0, 0]


def test_a_sum_of_minus_one_unit_is_normalised_27_places_too_far() -> None:
    # 1 * 1 - (1 + 2^-23) is -2^-23; what comes out is 2^27 times that.
    assert multiplied(1.0, 1.0, -(1 + 2.0**-23)) == -16.0
    assert multiplied(-1.0, 1.0, 1 + 2.0**-23) == 2.0**-23


def test_a_sum_is_rounded_twice_for_dst_of_16_bits() -> None:
    # 8191 / 2^14 is less than a half, but to 23 bits it is 8192 / 2^14, which rounds up.
    one = np.array([int(dst_from_fp16(20 << 10))])
    for value, wanted in ((8191.0, 1025), (8190.0, 1024)):
        terms, largest = (np.array([value * 2.0 ** (6 - 10)]),), np.array([2.0**6])
        found = fp16_from_dst(
            accumulate(terms, largest, one, Styles(Style.FP16, Style.FP16), False)
        )
        assert int(found[0]) == (20 << 10) + wanted - 1024


def test_denormals_are_zero_and_nan_is_a_number() -> None:
    assert multiplied(2.0**-127, 2.0**100, 3.0) == 3.0
    # 0x7FC00000 is 1.5 * 2^128 here.
    nan = src_from_tf32(np.array([0x7FC00000 >> 13]))
    found = elwmul(nan, tf32(2.0**-30), np.zeros(1, np.uint32), same(Style.TF32), True, 0)
    assert float(fp32_from_dst(found).view(np.float32)[0]) == 1.5 * 2.0**98


def test_too_large_a_product_is_infinity_but_in_fp16_the_largest_number() -> None:
    assert multiplied(2.0**100, 2.0**100, 0.0) == np.inf
    large = src_from_fp16(np.array([0x7BFF]))
    found = elwmul(large, large, np.zeros(1, np.uint32), same(Style.FP16), False, 0)
    assert int(fp16_from_dst(found)[0]) == 0x7FFF


def test_eight_products_are_aligned_and_rounded_before_they_are_added() -> None:
    # 2^-12 beside 1 is half of a unit of 2^-11 and rounds up: seven of them make 7 units of 2^-10.
    a = np.zeros((16, 16), np.uint32)
    a[:8, 0], a[8, 0] = bf16(2.0**-11), bf16(0.0)
    a[0, 0] = bf16(1.0)
    b = np.full((1, 16), bf16(1.0))
    found = mvmul(a, b, np.zeros((1, 16), np.uint32), same(Style.BF16), True, 0)
    assert float(fp32_from_dst(found).view(np.float32)[0, 0]) == 1 + 7 * 2.0**-10


def test_zeros_of_fp16_align_small_numbers_of_dst_at_2_to_the_minus_30() -> None:
    # An exponent field of 90 is 7 below 97, that of a product of zeros: 2^-23 is cut off.
    zeros, old = np.zeros((16, 16), np.uint32), dst_from_fp32([fp32(2.0**-37 * (1 + 2.0**-23))])
    dst = np.full((1, 16), old)
    found = mvmul(zeros, zeros[:1], dst, same(Style.FP16), True, 0)
    assert (fp32_from_dst(found).view(np.float32) == 2.0**-37).all()
    assert np.array_equal(mvmul(zeros, zeros[:1], dst, same(Style.TF32), True, 0), dst)


def test_integers_multiply_by_bits_and_saturate() -> None:
    # 37 = 1*32 + 5 and 21 = 1*16 + 5: phase 3 has both low parts, phase 0 both high ones.
    a, b, zero = integer(37), integer(-21), np.zeros(1, np.uint32)
    by_phase = [
        int(integers_from_dst(elwmul(a, b, zero, same(Style.INT8), True, p))[0]) for p in range(4)
    ]
    assert by_phase == [-32 * 16, -5 * 16, -32 * 5, -5 * 5]
    most = dst_from_fp32(np.array([0x7FFFFFF0]))
    full = elwmul(integer(31), integer(15), most, same(Style.INT8), True, 3)
    assert int(integers_from_dst(full)[0]) == (1 << 31) - 1


def test_a_phase_divides_sums() -> None:
    a, b, zero = np.array([bf16(1.0)]), np.array([bf16(0.5)]), np.zeros(1, np.uint32)
    found = [
        elwadd(a, b, zero, same(Style.BF16), True, phase, minus=False, add=False)
        for phase in range(4)
    ]
    values = [float(fp32_from_dst(x).view(np.float32)[0]) for x in found]
    assert values == [1.5, 1.5 / 32, 1.5 / 128, 1.5 / 4096]


def test_the_smaller_operand_of_a_sum_rounds_up_at_a_half() -> None:
    # 2^-11 is half of the last bit of 1.0 with ten fraction bits.
    a, b, zero = tf32(1.0), tf32(2.0**-11), np.zeros(1, np.uint32)
    found = elwadd(a, b, zero, same(Style.TF32), True, 0, minus=False, add=False)
    assert float(fp32_from_dst(found).view(np.float32)[0]) == 1 + 2.0**-10


@pytest.mark.parametrize(("winner", "reported"), [(5, 7), (0, 0), (1, 3), (2, 6), (7, 5)])
def test_a_pool_reports_rows_of_the_first_eight_in_an_order_of_its_own(
    winner: int, reported: int
) -> None:
    a = np.full((16, 16), bf16(1.0))
    a[winner] = bf16(2.0)
    ones, old = np.full(16, bf16(1.0)), np.full(16, 0xFFFFFF00, np.uint32)
    found = gmpool(a, ones, old, Style.BF16, True, argmax=True)
    # The phase goes from 0xF00 to 0, so nothing is added to the index.
    assert found[0] == int(dst_from_bf16(0x4000)) << 16 | reported


def test_of_equal_rows_a_pool_reports_the_last_that_it_looks_at() -> None:
    # Rows 4 to 7 come before rows 0 to 3; of these, row 3 has the index 1.
    ones, old = np.full((16, 16), bf16(1.0)), np.full(16, 0xFFFFFF00, np.uint32)
    found = gmpool(ones, ones[0], old, Style.BF16, True, argmax=True)
    assert found[0] == int(dst_from_bf16(0x3F80)) << 16 | 1


def test_a_zero_scale_makes_a_row_lose() -> None:
    a = np.full((16, 16), bf16(-3.0))
    a[2] = bf16(7.0)
    scale = np.full(16, bf16(1.0))
    scale[2] = 0
    found = gmpool(a, scale, np.full(16, 0xFFFF0000, np.uint32), Style.BF16, False, argmax=False)
    assert found[0] == int(dst_from_bf16(0xC040)) << 16


def test_shapes_lead_and_blocks_can_be_computed_at_once() -> None:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 1 << 19, (2, 3, 16, 16), np.uint32)
    b = rng.integers(0, 1 << 19, (2, 3, 8, 16), np.uint32)
    dst = rng.integers(0, 1 << 16, (2, 3, 8, 16), np.uint32)
    whole = mvmul(a, b, dst, same(Style.TF32), False, 1)
    one = mvmul(a[1, 2], b[1, 2], dst[1, 2], same(Style.TF32), False, 1)
    assert np.array_equal(whole[1, 2], one)
