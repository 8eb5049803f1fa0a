"""MFU: operations by hand over the documented peak, and no operations at all."""

from __future__ import annotations

import pytest

import nasm

PRODUCT = """
.target trn1
.sbuf  a    {dtype}[128, 128] = zeros
.sbuf  b    {dtype}[128, 512] = zeros
.psum  acc  f32[128, 512]
{loop}
@tensor  LoadStationary  a
@tensor  MultiplyMoving  acc, b
{end}
.expect  {wanted}
"""


def text(dtype: str = "bf16", loop: str = "", end: str = "", wanted: str = "acc == 0") -> str:
    return PRODUCT.format(dtype=dtype, loop=loop, end=end, wanted=wanted)


@pytest.mark.parametrize(("dtype", "times"), [("bf16", 1), ("f32", 4)])
def test_mfu_is_products_and_sums_over_the_peak_of_their_dtypes(dtype: str, times: int) -> None:
    report = nasm.run(text(dtype)).report
    per_us = 91.75e6  # AWS: 91.75 TFLOPS for 16-bit floats, a quarter of that for float32
    by_hand = 2 * 128 * 128 * 512 * times / (per_us * report.microseconds)
    assert report.mfu == pytest.approx(by_hand, rel=1e-3)


def test_each_round_of_a_loop_counts() -> None:
    once, often = nasm.run(text()).report, nasm.run(text(loop=".loop k in 0..8", end=".end")).report
    assert once.mfu is not None
    assert often.mfu is not None
    ratio = often.mfu * often.microseconds / (once.mfu * once.microseconds)
    assert ratio == pytest.approx(8)


def test_an_expectation_asks_for_it_and_a_run_shows_it() -> None:
    held = nasm.run(text(wanted="mfu() >= 0.01"))
    assert held.ok
    assert held.report.mfu is not None
    assert f"MFU {100 * held.report.mfu:.1f}% of the peak" in str(held.report)
    assert not nasm.run(text(wanted="mfu() >= 1")).ok
    profile = nasm.run(text(), profile=True).session.profile()
    assert profile.rates.dtype_mfu == pytest.approx(held.report.mfu)


def test_without_products_there_is_none() -> None:
    found = nasm.run(".target trn1\n.sbuf t f32[1, 4]\n@vector Memset t, 1\n.expect mfu() > 0\n")
    assert found.report.mfu is None
    assert [problem.code for problem in found.report.problems] == ["E0222"]
