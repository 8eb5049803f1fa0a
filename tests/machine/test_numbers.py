"""NaN and infinities where they are born, and conversions that cut off: what is counted."""

from __future__ import annotations

import numpy as np
import pytest

import nasm
from nasm.base import dtypes
from nasm.base.problems import Problem
from nasm.machine import numbers
from tests.tables import each

HEAD = """\
.target trn2
.hbm  X f32[4, 8] input
.sbuf x f32[4, 8]
.sbuf y f32[4, 8]
.sbuf z f32[4, 8]
.sem  s
@sync DmaCopy x, X  $s += 16
@vector EventSemaphore $s >= 16
@vector
"""
INF = np.float32(np.inf)


def found(text: str, values: np.ndarray | None = None, **options: object) -> list[Problem]:
    """The warnings about numbers of a program on some values."""
    if values is None:
        values = np.ones((4, 8), np.float32)
    report = nasm.run(HEAD + text, inputs={"X": values}, options=options or None).report
    assert not report.hazards
    return [p for p in report.warnings if p.code in ("E0526", "E0527")]


def said(text: str, values: np.ndarray | None = None, **options: object) -> list[str]:
    return [p.message for p in found(text, values, **options)]


def ones(**at: float) -> np.ndarray:
    """Ones, but for an element of row 1 and one of row 2."""
    values = np.ones((4, 8), np.float32)
    values[1, 3] = at.get("a", 1.0)
    values[2, 5] = at.get("b", 1.0)
    return values


def test_a_division_by_zero_is_named_with_its_place() -> None:
    assert said("Reciprocal y, x", ones(a=0.0)) == [
        "1 infinite element comes from vector pc 1 (Reciprocal), the first in y[1, 3]"
    ]


def test_what_passes_it_on_is_not_named() -> None:
    more = "TensorScalar z, y, op0=multiply, operand0=2.0\nTensorCopy y, z\n"
    text = "Reciprocal y, x\n" + more
    (problem,) = found(text, ones(a=0.0))
    assert "Reciprocal" in problem.message


def test_infinity_minus_infinity_is_a_nan_that_is_born() -> None:
    (message,) = said("TensorTensor y, x, x, op=subtract", ones(a=INF, b=-INF))
    assert message == "2 NaN come from vector pc 1 (TensorTensor), the first in y[1, 3]"


def test_a_mask_of_minus_infinity_and_its_exponential_are_no_births() -> None:
    text = (
        "Memset y, -inf\nTensorTensor z, x, y, op=add\n@scalar Activation y, z, op=exp  $s >= 17\n"
    )
    text = text.replace("op=add\n", "op=add $s++\n")
    assert said(text) == []
    assert said("TensorScalar y, x, op0=maximum, operand0=-inf") == []


def test_a_sum_that_overflows_counts_a_sum_of_infinities_does_not() -> None:
    big, text = ones(a=3e38, b=INF), "TensorTensor y, x, x, op=add"
    assert said(text, big) == [
        "1 infinite element comes from vector pc 1 (TensorTensor), the first in y[1, 3]"
    ]


def test_of_a_reduction_a_row_with_an_infinity_is_left_out() -> None:
    values = ones(a=3e38, b=INF)
    values[1, 4] = values[2, 0] = values[2, 1] = 3e38
    (message,) = said("TensorReduce y[:, 0:1], x, op=add, axis=1", values)
    assert message.startswith("1 infinite element comes from vector pc 1 (TensorReduce)")
    assert message.endswith("the first in y[1, 0]")


def test_rounds_of_a_line_are_added_up() -> None:
    (message,) = said(".for i in 0..3\nReciprocal y, x\n.end", ones(a=0.0, b=0.0))
    assert message.startswith("6 infinite elements come from vector pc 1 (Reciprocal)")


def test_the_place_is_that_of_the_tensor() -> None:
    (message,) = said("Reciprocal y[0:4, 1:8:2], x[0:4, 1:8:2]", ones(a=0.0))
    assert message.endswith("the first in y[1, 3]")


def test_a_matmul_that_overflows() -> None:
    text = """
.sbuf w f32[4, 8]
.psum p f32[8, 8]
Memset w, 1e19 $s++
@tensor
LoadStationary w $s >= 17
MultiplyMoving p, w
MultiplyMoving p, w, accumulate=true
"""
    assert said(text.replace("1e19", "1e18")) == []
    assert said(text.replace("1e19", "1e20")) == [  # both products overflow, from numbers
        f"64 infinite elements come from tensor pc {pc} (MultiplyMoving), the first in p[0, 0]"
        for pc in (1, 2)
    ]


def test_an_accumulation_that_overflows() -> None:
    text = """
.sbuf w f32[4, 8]
.psum p f32[8, 8]
Memset w, 7e18 $s++
@tensor
LoadStationary w $s >= 17
MultiplyMoving p, w
MultiplyMoving p, w, accumulate=true
"""
    (message,) = said(text)
    assert message == (
        "64 infinite elements come from tensor pc 2 (MultiplyMoving), the first in p[0, 0]"
    )


@each(
    ("dtype", "value", "fits"),
    [
        ("i8", 127.4, True), ("i8", 127.6, False), ("u8", -0.6, False), ("u8", 255.4, True),
        ("i16", 32768.0, False), ("i32", 2147483648.0, False), ("i32", 2147483520.0, True),
        ("f16", 65519.0, True), ("f16", 65520.0, False), ("bf16", 3.4e38, False),
        ("bf16", 3.39e38, True), ("f16", np.inf, True), ("i8", np.inf, False),
        ("i8", np.nan, False), ("bf16", np.nan, True), ("e5m2", 60000.0, True),
        ("e5m2", 62000.0, False),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_counted(dtype: str, value: float, fits: bool) -> None:
    messages = said(f".sbuf n {dtype}[4, 8]\nTensorCopy n, x", ones(b=value))
    long = dtypes.find(dtype).name
    assert (
        messages == []
        if fits
        else messages
        == [f"1 result of vector pc 1 (TensorCopy) does not fit into {long}, the first in n[2, 5]"]
    )


def test_a_transfer_that_converts_and_one_that_adds() -> None:
    end = " $s >= 16 $s += 16\n@gpsimd EventSemaphore $s >= 32\n"
    text = f".sbuf h f16[4, 8]\n@gpsimd DmaCopy h, x {end}"
    (message,) = said(text, ones(a=1e6))
    assert message.startswith("1 result of gpsimd pc 0 (DmaCopy) does not fit into float16")
    text = f"@gpsimd DmaCompute y, [x, x], reduce_op=add {end}"
    (message,) = said(text, ones(a=3e38))
    assert message.startswith("1 infinite element comes from gpsimd pc 0 (DmaCompute)")


def test_a_number_that_is_written_and_is_too_large_for_its_dtype() -> None:
    assert said(".sbuf n bf16[4, 8]\nMemset n, 3.4e38") == [
        "32 results of vector pc 1 (Memset) do not fit into bfloat16, the first in n[0, 0]"
    ]
    assert said(".sbuf n bf16[4, 8]\nMemset n, -inf") == []


def test_going_back_forgets_what_was_counted_since() -> None:
    session = nasm.Session(HEAD + "Reciprocal y, x", inputs={"X": ones(a=0.0)})
    first = [p.message for p in session.run().warnings]
    session.restart()
    assert [p.message for p in session.report().warnings] == []
    assert [p.message for p in session.run().warnings] == first != []


def test_the_processor_tells_of_everything_that_looking_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Every operator and function, on values that overflow and have no result."""
    values = np.array([0, -0.0, 1, -1, 3e38, -3e38, 1e-40, 88.8, -2, INF, -INF, np.nan,
                       0.5, 1e19, -1e19, 1e30], np.float32).reshape(2, 8)  # fmt: skip
    values = np.concatenate([values, values[::-1, ::-1]])
    lines = [
        f"TensorTensor y, x, z, op={op}"
        for op in ("add", "subtract", "multiply", "divide", "max", "min", "pow", "maximum")
    ] + [
        f"Activation y, x, op={op}"
        for op in ("exp", "tanh", "sqrt", "rsqrt", "reciprocal", "square", "ln", "log", "gelu",
                   "silu", "sigmoid", "erf", "softplus", "sin", "abs")
    ]  # fmt: skip
    tried = 0
    for line in lines:
        text = (
            f"{HEAD}Memset z, -2.0\n"
            + ("@scalar EventSemaphore $s >= 16\n@scalar\n" if "Act" in line else "")
            + line
        )
        try:
            heard = nasm.run(text, inputs={"X": values}).report
        except nasm.Failure:
            continue
        with monkeypatch.context() as patch:
            always = property(lambda _: True, lambda _, __: None)
            patch.setattr(numbers.NumberFindings, "raised", always, raising=False)
            looked = nasm.run(text, inputs={"X": values}).report
        assert [str(w) for w in heard.warnings] == [str(w) for w in looked.warnings]
        tried += 1
    assert tried >= 12
