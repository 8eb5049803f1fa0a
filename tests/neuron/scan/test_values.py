"""TensorTensorScan: worked by hand, and as the vendor's test uses it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.neuron.programs import ran, result, sbuf

SCAN = "@vector TensorTensorScan c, a, b, {initial}, op0={op0}, op1={op1}{more}"


def scanned(
    a: list[float],
    b: list[float],
    op0: str,
    op1: str,
    more: str = "",
    initial: float = 0.0,
    dtype: str = "f32",
) -> list[float]:
    line = SCAN.format(initial=initial, op0=op0, op1=op1, more=more)
    got = result(line, a=sbuf("f32", [a]), b=sbuf("f32", [b]), c=sbuf(dtype, (1, len(a))))
    return [float(v) for v in got[0]]


def test_multiply_then_add_is_a_recurrence() -> None:
    # 2*1+1 = 3, 3*3-1 = 8, 0*8+5 = 5, -1*5+2 = -3
    got = scanned([2, 3, 0, -1], [1, -1, 5, 2], "multiply", "add", initial=1.0)
    assert got == [3, 8, 5, -3]


@pytest.mark.parametrize(
    ("more", "want"),
    [
        # (a - s) - b: 10-1-1 = 8, 20-8-2 = 10, 30-10-3 = 17
        ("", [8, 10, 17]),
        # (s - a) - b: 1-10-1 = -10, -10-20-2 = -32, -32-30-3 = -65
        (", reverse0=true", [-10, -32, -65]),
        # b - (a - s): 1-(10-1) = -8, 2-(20+8) = -26, 3-(30+26) = -53
        (", reverse1=true", [-8, -26, -53]),
        # b - (s - a): 1-(1-10) = 10, 2-(10-20) = 12, 3-(12-30) = 21
        (", reverse0=true, reverse1=true", [10, 12, 21]),
    ],
)
def test_either_operator_may_have_its_sides_swapped(more: str, want: list[float]) -> None:
    assert scanned([10, 20, 30], [1, 2, 3], "subtract", "subtract", more, 1.0) == want


def test_the_state_stays_float32_where_dst_is_narrower() -> None:
    # 256 + 1 is no bfloat16 and shows as 256, but the state goes on counting.
    got = scanned([1, 1, 1, 1], [256, 1, 1, 1], "multiply", "add", dtype="bf16")
    assert got == [256, 256, 258, 260]  # 257 and 259 lie halfway and round to even


def test_the_walk_is_row_major_over_all_free_axes_and_a_column_starts_each_partition() -> None:
    got = result(
        "@vector TensorTensorScan c, a, b, s, op0=multiply, op1=add",
        "trn2",
        a=sbuf("i8", [[[1, 1], [1, 1]], [[1, 1], [1, 2]]]),
        s=sbuf("bf16", [[0.5], [-2]]),
        b=sbuf("f32", [[[1, 2], [3, 4]], [[0, 0], [1, 0]]]),
        c=sbuf("f32", (2, 4)),
    )
    assert got.tolist() == [[1.5, 3.5, 6.5, 10.5], [-2, -2, -1, -2]]


def test_a_scan_in_two_halves_goes_on_from_the_last_state() -> None:
    """The vendor's test: 1024 elements in two instructions, against a loop in float32."""
    a, b = np.random.default_rng(1).random((2, 128, 1024), np.float32)
    half = "@vector TensorTensorScan c{0}, a{0}, b{0}, {1}, op0=multiply, op1=add"
    lines = [half.format("[:, 0:512]", 0), half.format("[:, 512:1024]", "c[:, 511:512]")]
    done = ran("\n".join(lines), a=sbuf("f32", a), b=sbuf("f32", b), c=sbuf("f32", (128, 1024)))
    want, state = np.empty_like(a), np.zeros(128, np.float32)
    for n in range(1024):
        want[:, n] = state = a[:, n] * state + b[:, n]
    np.testing.assert_array_equal(done.read("c"), want)
