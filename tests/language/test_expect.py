"""Expectations: what both sides are worth, what holds, what is said, and what is refused."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from nasm.base import dtypes
from nasm.base.files import ANY, Allowed
from nasm.base.problems import Failure, Refused, render
from nasm.base.source import Frame, Source, Span
from nasm.language.expanding.scope import Scope
from nasm.language.expectations.judge import CODES, check_static, judge
from nasm.language.expectations.records import ExpectationRecord
from nasm.language.expectations.values import Evaluator
from nasm.language.expectations.verdict import one_line
from nasm.language.text.parse import parse_expression, parse_statement
from nasm.program.program import Expectation
from tests.parts import part
from tests.tables import each

NAN, INF = math.nan, math.inf
BF16 = ml_dtypes.bfloat16
A = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
B = np.array([[1, 0], [0, 2], [3, 0]], np.float32)
V = np.array([-2.5, 0, 0.5, 1], np.float32)


@dataclass
class Run:
    """A run that has ended with these tensors."""

    tensors: dict[str, tuple[Any, str]]
    folder: str = ""
    files: Allowed = ANY
    asked: list[tuple[str, str]] = field(default_factory=list)

    def tensor(self, name: str) -> tuple[Any, dtypes.DType] | None:
        if name not in self.tensors:
            return None
        array, spelled = self.tensors[name]
        dtype = dtypes.find(spelled)
        assert dtype is not None
        return np.asarray(array, dtype.numpy), dtype

    def engine(self, what: str, name: str, core: int) -> float:
        if name not in ("tensor", "pe"):
            raise Refused("E0203", f"no engine '{name}'", "the engine is @tensor")
        self.asked.append((what, name))
        return {"cycles": 612, "busy": 512, "util": 0.75, "stalls": 100}[what]

    def whole(self, what: str) -> float:
        return {"time_us": 2.5, "mfu": 0.75}[what]


TENSORS = {"A": (A, "f32"), "B": (B, "f32"), "V": (V, "f32"), "I": ([3, 1, 2], "i32")}


def expectation(text: str, folder: str = "", **values: Any) -> Expectation:
    source = Source(os.path.join(folder, "prog.nasm"), text)
    statement = parse_statement(source)
    return Expectation((statement, values), Span(source, statement.start, statement.end))


def judged(text: str, run: Run | None = None, **values: Any) -> ExpectationRecord:
    run = run or Run(TENSORS)
    return judge(expectation(f".expect {text}", run.folder, **values), run)


def refused(text: str, run: Run | None = None, **values: Any) -> str:
    """All that is said about an expectation that cannot be judged."""
    with pytest.raises(Failure) as caught:
        judged(text, run, **values)
    return "\n".join(render(p) for p in caught.value.problems)


def checked(text: str, **values: Any) -> list[tuple[str, str, str]]:
    """Code, place and message of what needs no run to be found."""
    problems = check_static(expectation(f".expect {text}", **values), TENSORS, ["tensor", "pe"])
    return [(p.code, p.span.text if p.span else "", p.message) for p in problems]


# ---------------------------------------------------------------- values


@pytest.fixture
def value() -> Callable[..., Any]:
    def compute(text: str, **values: Any) -> Any:
        source = Source("prog.nasm", text)
        node = parse_expression(source, 0, len(text), expectation=True)
        with np.errstate(all="ignore"):
            return Evaluator(Scope(source, values), Run(TENSORS)).value(node).array

    return compute


def softmax(row: list[float]) -> list[float]:
    powers = [math.exp(x) for x in row]
    return [p / sum(powers) for p in powers]


EXACT = [
    ("A + 1", [[2, 3, 4], [5, 6, 7]]),
    ("10 - A", [[9, 8, 7], [6, 5, 4]]),
    ("A * [1, 10, 100]", [[1, 20, 300], [4, 50, 600]]),
    ("A / 4", [[0.25, 0.5, 0.75], [1, 1.25, 1.5]]),
    ("V // 1", [-3, 0, 0, 1]),
    ("V % 2", [1.5, 0, 0.5, 1]),
    ("V ** 2", [6.25, 0, 0.25, 1]),
    ("-V", [2.5, -0.0, -0.5, -1]),
    ("A @ B", [[10, 4], [22, 10]]),
    ("A.T @ A", [[17, 22, 27], [22, 29, 36], [27, 36, 45]]),
    ("[1, 2] @ A", [9, 12, 15]),
    ("A.T", [[1, 4], [2, 5], [3, 6]]),
    ("A.reshape(3, 2)", [[1, 2], [3, 4], [5, 6]]),
    ("A.reshape([-1])", [1, 2, 3, 4, 5, 6]),
    ("A.reshape(1, 2, 3).permute(2, 0, 1)", [[[1, 4]], [[2, 5]], [[3, 6]]]),
    ("A[1, 2]", 6),
    ("A[-1]", [4, 5, 6]),
    ("A[:, 1]", [2, 5]),
    ("A[0, 1:]", [2, 3]),
    ("A[0, 1 : +2]", [2, 3]),
    ("A[0, -2 : +2]", [2, 3]),
    ("A[0, ::2]", [1, 3]),
    ("A[:, ::-1]", [[3, 2, 1], [6, 5, 4]]),
    ("A[0:1, -1:]", [[3]]),
    ("(A + A)[1, 0]", 8),
    ("A[0, k * 2]", 3),
    ("A[0, 1 << 1]", 3),
    ("1 / 0", INF),
    ("-1 ** 0.5", -1),
    ("0 * inf", NAN),
    ("0x10 + k + ceil_div(5, 2)", 20),
    ("[1, nan, -inf, 1 << 4, N]", [1, NAN, -INF, 16, 8]),
    ("[[1, 2], A[0, 0:2]]", [[1, 2], [1, 2]]),
    ("weights", [1, 2]),
    ("{which}[0, 0]", 1),
    ("true + true", 2),
    ("I", [3, 1, 2]),
    ("sum(A)", 21),
    ("sum(A, axis=0)", [5, 7, 9]),
    ("sum(A, axis=-1)", [6, 15]),
    ("mean(A)", 3.5),
    ("mean(A, axis=1)", [2, 5]),
    ("mean(A > 2)", 4 / 6),
    ("max(A)", 6),
    ("max(A, axis=0)", [4, 5, 6]),
    ("max(V, 0)", [0, 0, 0.5, 1]),
    ("min(A)", 1),
    ("min(A, axis=1)", [1, 4]),
    ("min(V, 0, -1)", [-2.5, -1, -1, -1]),
    ("argmax(A)", 5),
    ("argmax(A * [1, -1, -1], axis=1)", [0, 0]),
    ("argmax(A, axis=1)", [2, 2]),
    ("cumsum(A)", [[1, 3, 6], [4, 9, 15]]),
    ("cumsum(A, axis=0)", [[1, 2, 3], [5, 7, 9]]),
    ("abs(V)", [2.5, 0, 0.5, 1]),
    ("relu(V)", [0, 0, 0.5, 1]),
    ("sqrt([4, 0.25, -1])", [2, 0.5, NAN]),
    ("where(V > 0, V, 7)", [7, 7, 0.5, 1]),
    ("where(V > 0, V < 1, true)", [True, True, True, False]),
    ("A == [1, 2, 0]", [[True, True, False], [False, False, False]]),
    ("A != [1, 2, 0]", [[False, False, True], [True, True, True]]),
    ("[nan] == [nan]", [False]),
    ("V < 0.5", [True, True, False, False]),
    ("V <= 0.5", [True, True, True, False]),
    ("V > 0.5", [False, False, False, True]),
    ("V >= 0.5", [False, False, True, True]),
    ("(V > 0) and (V < 1)", [False, False, True, False]),
    ("(V < 0) or (V > 0.5)", [True, False, False, True]),
    ("not (V > 0)", [True, True, False, False]),
    ("cycles(tensor) + busy(pe)", 1124),
    ("util(tensor)", 0.75),
    ("stalls(tensor) / cycles(tensor)", 100 / 612),
    ("time_us()", 2.5),
    ("mfu()", 0.75),
    ("conv2d([[[1, 2, 3], [4, 5, 6]]], [[[[1, 10]]]])", [[[21, 32], [54, 65]]]),
    (
        "conv2d([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[[[1, 0], [0, 0]], [[0, 0], [0, 1]]]])",
        [[[9]]],
    ),
    ("max_pool([[1, 2, 5, 3], [4, 3, -1, 0]], 2)", [[4, 5]]),
    ("avg_pool([[1, 2, 5, 3], [4, 3, -1, 0]], 2)", [[2.5, 1.75]]),
    ("max_pool([[1, 2], [3, 4]], 1)", [[1, 2], [3, 4]]),
    ("gelu([0, inf, -inf, nan])", [0, INF, 0, NAN]),
    ("sigmoid([0, inf, -inf, nan, 1000, -1000])", [0.5, 1, 0, NAN, 1, 0]),
    ("erf([0, inf, -inf, nan])", [0, 1, -1, NAN]),
]


@pytest.mark.parametrize(("text", "wanted"), EXACT)
def test_an_expression_is_worth_what_is_worked_out_by_hand(value, text, wanted):
    found = value(text, k=1, N=8, weights=[1, 2], which="A")
    assert found.shape == np.shape(wanted)
    np.testing.assert_array_equal(found, wanted, strict=False)


# One function of libm against another way of computing it: a few units in the last place.
LIBM = [
    ("exp(V)", [math.exp(v) for v in V]),
    ("log([0.5, 3])", [math.log(0.5), math.log(3)]),
    ("tanh(V)", [math.tanh(v) for v in V]),
    ("sin(V)", [math.sin(v) for v in V]),
    ("cos(V)", [math.cos(v) for v in V]),
    ("erf(V)", [math.erf(v) for v in V]),
    ("gelu(V)", [0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in V.tolist()]),
    ("sigmoid(V)", [1 / (1 + math.exp(-v)) for v in V]),
    ("sigmoid([-700])", [math.exp(-700)]),
    ("softmax(A)", [softmax(row) for row in A.tolist()]),
    ("softmax(A, axis=0).T", [softmax(column) for column in A.T.tolist()]),
    ("softmax([1000, 1000])", [0.5, 0.5]),
]


@pytest.mark.parametrize(("text", "wanted"), LIBM)
def test_a_function_is_what_the_math_module_says(value, text, wanted):
    np.testing.assert_allclose(value(text), wanted, rtol=1e-14, atol=0)


def test_gelu_keeps_its_digits_where_one_plus_erf_is_nothing(value):
    # -10 * Phi(-10), with Phi(-10) = 7.61985302416052606597e-24 (published tables)
    assert value("gelu([-10])")[0] == pytest.approx(-7.61985302416052606597e-23, rel=1e-13)


def test_all_dtypes_are_read_exactly():
    run = Run({"b": ([1.5, 2], "bf16"), "q": ([448, 0.125], "e4m3fn"), "u": ([2**32 - 1], "u32")})
    assert judged("b == [1.5, 2]", run).held
    assert judged("q * 2 == [896, 0.25]", run).held
    assert judged("u + 1 == 4_294_967_296", run).held


# ---------------------------------------------------------------- what holds

HOLDS = [
    ("A ~ [[1, 2, 3], [4, 5, 6]]", True),
    ("[1.00001] ~ [1]", True),  # 1e-5 <= 1e-8 + 1e-5
    ("[1.0000101] ~ [1]", False),
    ("[1] ~ [1.1]  rtol=0.0909", False),  # 0.1 > 0.0909 * 1.1 = 0.09999
    ("[1] ~ [1.1]  rtol=0.091", True),
    ("[0.5] ~ [0]", False),
    ("[0.5] ~ [0]  atol=0.5", True),
    ("[0.5] ~ [0]  atol=1/2 rtol=0", True),
    ("[0.5] ~ [0]  atol=0.49", False),
    ("[inf, -inf, nan] ~ [inf, -inf, nan]", True),
    ("[1] ~ [inf]", False),
    ("[inf] ~ [1e300]  rtol=1e300", False),
    ("[inf] ~ [-inf]", False),
    ("[nan] ~ [1]", False),
    ("[1] ~ [nan]", False),
    ("[1, 2] == [1, 2]", True),
    ("[1, 2] == [1, 3]", False),
    ("[nan, -0.0] == [nan, 0]", True),
    ("[nan] == [1]", False),
    ("[1] == [1.0000000001]", False),
    ("[1, 2] != [2, 1]", True),
    ("[1, 2] != [2, 2]", False),
    ("[nan] != [nan]", False),
    ("[nan] != [1]", True),
    ("V <= 1", True),
    ("V < 1", False),
    ("V >= -2.5", True),
    ("V > -2.5", False),
    ("[nan] <= 1", False),
    ("[nan] >= 1", False),
    ("(V < 2)", True),
    ("(V < 1)", False),
    ("((V < 2) and (V > -3))", True),
    ("(A == A)[0, 0]", True),
    ("A[0] == [1, 2, 3]", True),
    ("A == [[1], [4]]", False),
    ("I == 1  at_least=1/3", True),
    ("I == 1  at_least=0.34", False),
    ("I ~ [3, 1, 0]  at_least=0.5", True),
    ("(I > 1)  at_least=0.6", True),
    ("(I > 1)  at_least=0.7", False),
    ("I < 0  at_least=0", True),
    ("cycles(tensor) <= 612", True),
    ("cycles(tensor) < 612", False),
    ("611 >= cycles(pe)", False),
    ("time_us() ~ 2.5", True),
]


@each(("text", "held"), HOLDS)
def test_an_expectation_holds_or_fails(text, held):
    record = judged(text)
    assert record.held is held
    assert bool(record.worst) is not held


def test_equality_rounds_the_right_side_to_the_dtype_of_the_left():
    # bfloat16 has 7 mantissa bits: 1.003 is nearest to 1, 1.006 to 1 + 2**-7
    run = Run({"t": ([[1, 1.0078125]], "bf16"), "n": ([2, 127, -128], "i8")})
    assert judged("t == [1.003, 1.006]", run).held
    assert judged("t.T[:, 0] == [1.003, 1.006]", run).held
    assert not judged("t == [1.005, 1.006]", run).held
    assert not judged("t != [1.003, 1]", run).held
    assert judged("n == [2.5, 200, -1000]", run).held  # half to even, saturating
    assert not judged("t + 0 == [1.003, 1.006]", run).held  # no tensor: nothing is rounded
    assert not judged("[1.003, 1.006] == t", run).held


def test_no_integer_equals_nan():
    # the cast of NaN to an integer is 0
    record = judged("z == [nan]", Run({"z": ([0], "i32")}))
    assert not record.held
    assert record.summary == "1 of 1 element differs: 0 at [0], wanted nan"


def test_an_engine_is_meant_inside_a_measure_though_a_tensor_has_its_name():
    run = Run({"tensor": ([5], "i32"), "pe": ([6], "i32")})
    assert judged("cycles(tensor) + tensor == 617", run).held
    assert judged("busy(pe) == 512", run).held
    assert run.asked == [("cycles", "tensor"), ("busy", "pe")]


def test_what_a_run_holds_is_not_changed():
    held = np.arange(4, dtype=np.float32)
    judged("t * 2 - 1 == softmax(-t)", Run({"t": (held, "f32")}))
    assert held.tolist() == [0, 1, 2, 3]


# ---------------------------------------------------------------- rows of operators

ROWS: dict[str, Callable[[int], str]] = {
    "sum": lambda n: f"V{' + 1' * n} - {n} == V",
    "sum of products": lambda n: f"V{' + 2 * V - V / 0.5' * (n // 3)} == V",
    "brackets": lambda n: f"{'(' * n}I{' + 1)' * n} == I + {n}",
    "and": lambda n: f"(V < 2{' and I[0] == 3' * n})",
    "or": lambda n: f"(V > 2{' or V < 1 and I[1] > 1' * (n // 2)} or V <= 1)",
    "not": lambda n: f"(not V > 2{' and not V > 1' * n})",
    "numbers": lambda n: f"0{' + 1' * n} == {n}",
    "integers": lambda n: f"I * (1{' & 1' * n}) == I",
    "matrices": lambda n: f"A{' @ [[1, 0, 0], [0, 1, 0], [0, 0, 1]]' * (n // 5)} == A",
    "changes of shape": lambda n: f"I{'.T[0:3]' * (n // 2)} == I",
    "an argument": lambda n: f"sum(V{' + 1' * n}) == sum(V) + {4 * n}",
}
"""Expectations that hold, with about so many operators in a row."""


@pytest.mark.parametrize("count", [102, pytest.param(5_000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_a_row_of_operators_may_be_as_long_as_a_program(row, count):
    assert checked(row(count)) == []
    assert judged(row(count)).held


@pytest.mark.parametrize("row", part([*ROWS.values()], 2), ids=part([*ROWS], 2))
def test_a_row_of_operators_takes_work_in_proportion_to_its_length(row):
    def work(count: int) -> int:
        """Calls that it takes to judge a row."""
        calls = 0

        def called(*event: object) -> None:
            nonlocal calls
            calls += 1

        wanted = expectation(f".expect {row(count)}")
        run, before = Run(TENSORS), sys.getprofile()
        sys.setprofile(called)
        try:
            judge(wanted, run)
        finally:
            sys.setprofile(before)
        return calls

    once = work(300)
    assert 2 * once < work(1_200) < 4.1 * once


def test_what_a_part_of_a_row_refuses_is_pointed_at_up_to_there():
    assert checked("V + W + A.U + (V & 1) == 1") == [
        ("E0208", "W", "nothing is called 'W'"),
        ("E0222", "A.U", "no '.U' in an expectation"),
        ("E0222", "(V & 1)", "'&' is for constants, and V is a tensor"),
    ]
    assert checked("V + 1 & 2 == 1") == [
        ("E0222", "V + 1 & 2", "'&' is for constants, and V is a tensor")
    ]
    with pytest.raises(Failure) as caught:
        judged("1 + V + 2 + I + A == 1")
    (found,) = caught.value.problems
    assert (found.code, found.span and found.span.text) == ("E0221", "1 + V + 2 + I")


# ---------------------------------------------------------------- what is said

SAID = [
    ("A ~ A", "6 elements equal", 0.0, 1e-8 + 1e-5),
    (
        "[102, 1.25] ~ [100, 1]  rtol=0.01 atol=0",
        "worst |error| 0.25, allowed 0.01 at [1]; beyond it in 2 of 2 elements",
        0.25,
        0.01,
    ),
    ("[1, 2.03] ~ [1, 2]  rtol=0.1 atol=0", "worst |error| 0.03, allowed 0.2 at [1]", 0.03, 0.2),
    (
        "[[1, 5], [2, 30]] ~ [[1, 4], [3, 20]]  rtol=0 atol=1",
        "worst |error| 10, allowed 1 at [1, 1]; beyond it in 1 of 4 elements",
        10.0,
        1.0,
    ),
    ("sum(A) ~ 20  rtol=0.1 atol=0", "worst |error| 1, allowed 2", 1.0, 2.0),
    ("I == [3, 1, 2]", "3 elements equal", 0.0, 0.0),
    ("I == [3, 2, 5]", "2 of 3 elements differ", 3.0, 0.0),
    ("I == [3, 1, 5]", "1 of 3 elements differs: 2 at [2], wanted 5", 3.0, 0.0),
    ("I != [4, 4, 4]", "holds in 3 elements", 1.0, 1.0),
    ("I != [4, 1, 4]", "fails in 1 of 3 elements; 1 at [1], wanted != 1", 2 / 3, 1.0),
    ("V <= 1", "holds in 4 elements", 1.0, 1.0),
    ("V <= 0", "fails in 2 of 4 elements; 1 at [3], wanted <= 0", 0.5, 1.0),
    ("(V < 1)", "fails in 1 of 4 elements, first at [3]", 0.75, 1.0),
    ("(V < 2)", "holds in 4 elements", 1.0, 1.0),
    ("(V[0] < 2)", "true", 1.0, 1.0),
    ("(V[0] > 2)", "false", 0.0, 1.0),
    ("I > 1  at_least=0.5", "2 of 3 hold (0.6667), wanted at least 0.5", 2 / 3, 0.5),
    ("cycles(tensor) <= 700", "cycles(tensor) = 612, wanted <= 700", 612.0, 700.0),
    ("cycles(tensor) <= 600", "cycles(tensor) = 612, wanted <= 600", 612.0, 600.0),
    ("600 >= cycles(tensor)", "cycles(tensor) = 612, wanted <= 600", 612.0, 600.0),
    ("time_us() < 1/3", "time_us() = 2.5, wanted < 0.3333", 2.5, 1 / 3),
    ("A[0, 0] / 10 == 0.1", "A[0, 0] / 10 = 0.1, wanted == 0.1", 0.1, 0.1),
    ("sum(A) == 20", "sum(A) = 21, wanted == 20", 21.0, 20.0),
    ("util(tensor) > 0.7500001", "util(tensor) = 0.75, wanted > 0.7500001", 0.75, 0.7500001),
]


@each(("text", "summary", "measured", "bound"), SAID)
def test_a_verdict_is_one_line_with_the_measured_figure_and_its_bound(
    text, summary, measured, bound
):
    record = judged(text)
    assert (record.text, record.summary) == (text, summary)
    # 2.03 - 2 in float64 is not 0.03, and 6e-5 + 1e-8 is one rounding away from its sum
    assert record.measured == pytest.approx(measured, rel=1e-13)
    assert record.bound == pytest.approx(bound, rel=1e-13)


def test_the_worst_five_come_first_by_how_far_they_are_beyond_what_is_allowed():
    wanted = [1.0, 10.0, 100.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    found = [2.0, 14.0, 90.0, 1.0, 1.75, 1.5, 1.5, NAN]
    run = Run({"t": (found, "f32")})
    record = judged(f"t ~ {wanted}  rtol=0.125 atol=0", run)
    # in units of what is allowed: 8, 3.2, 0.8 (held), 0, 6, 4, 4, NaN
    assert [w.index for w in record.worst] == [(7,), (0,), (4,), (5,), (6,)]
    assert [w.error for w in record.worst[1:]] == [1.0, 0.75, 0.5, 0.5]
    assert (record.worst[1].found, record.worst[1].wanted) == (2.0, 1.0)
    assert record.summary == "worst |error| nan, allowed 0.125 at [7]; beyond it in 6 of 8 elements"


def test_a_failing_element_is_reported_before_a_larger_error_that_is_allowed():
    record = judged("[100, 1] ~ [90, 2]  rtol=0.2")
    assert record.summary == "worst |error| 1, allowed 0.4 at [1]; beyond it in 1 of 2 elements"
    assert [w.index for w in record.worst] == [(1,)]


def test_places_are_those_of_the_common_shape():
    record = judged("A == [[1, 2, 3]]")
    assert [w.index for w in record.worst] == [(1, 0), (1, 1), (1, 2)]


def test_figures_that_differ_are_written_with_as_many_digits_as_show_it():
    summary = judged("[1.00001] ~ [1]  rtol=0 atol=1.00000001e-5").summary
    assert summary == "worst |error| 1e-05, allowed 1.00000001e-05 at [0]"


def test_large_counts_are_grouped():
    run = Run({"t": (np.ones((256, 256)), "bf16")})
    assert judged("t == 1", run).summary == "65,536 elements equal"
    assert judged("sum(t) == 65536", run).summary == "sum(t) = 65,536, wanted == 65,536"


def test_the_text_of_a_record_is_one_line():
    text = '.expect  A[0] == [1, ; "one"\n    2,\n  3]  at_least=0.5'
    assert judge(expectation(text), Run(TENSORS)).text == "A[0] == [1, 2, 3]  at_least=0.5"


# ---------------------------------------------------------------- golden files


def test_a_golden_file_is_read_from_the_folder_of_the_program(tmp_path: Path):
    np.save(tmp_path / "g.npy", A)
    np.savez(tmp_path / "g.npz", first=A + 1, second=A)
    run = Run(TENSORS, str(tmp_path))
    assert judged('A == "g.npy"', run).held
    assert judged('A ~ "g.npz:second"', run).held
    assert judged('A == "g.npz:first"', run).summary == "6 of 6 elements differ"
    assert judged("A == gold", run, gold="g.npy").held
    assert judged(f'A == "{tmp_path}/g.npy"').held


def test_a_golden_file_of_a_dtype_that_npy_lacks_holds_its_bits(tmp_path: Path):
    # bfloat16 is the upper half of float32: 1.5 is 0x3fc0, -2 is 0xc000
    np.save(tmp_path / "bits.npy", np.array([0x3FC0, 0xC000], np.uint16))
    np.save(tmp_path / "void.npy", np.array([1.5, -2], BF16))
    np.save(tmp_path / "wide.npy", np.array([1.5, -2.001], np.float64))
    run = Run({"t": (np.array([1.5, -2], BF16), "bf16")}, str(tmp_path))
    assert judged('t == "bits.npy"', run).held
    assert judged('t == "void.npy"', run).held
    assert judged('t == "wide.npy"', run).held  # rounded: -2.001 to -2
    assert not judged('t + 0 == "wide.npy"', run).held


def test_any_plain_numbers_are_a_golden_file(tmp_path: Path):
    np.save(tmp_path / "i.npy", np.array([3, 1, 2], np.int64))
    np.save(tmp_path / "b.npy", np.array([True, False, True]))
    np.save(tmp_path / "big.npy", np.array([3, 1, 2], ">f8"))
    run = Run(TENSORS, str(tmp_path))
    assert judged('I == "i.npy"', run).held
    assert judged('I == "big.npy"', run).held
    assert judged('where(I > 1, 1, 0) == "b.npy"', run).held


def test_a_golden_file_with_nan_can_be_met(tmp_path: Path):
    np.save(tmp_path / "g.npy", np.array([NAN, 1], np.float32))
    run = Run({"t": ([NAN, 1], "f32")}, str(tmp_path))
    assert judged('t ~ "g.npy"', run).held
    assert judged('t == "g.npy"', run).held


def bad_files(folder: Path) -> None:
    np.save(folder / "shape.npy", A.T)
    np.save(folder / "one.npy", np.array(1.0))
    np.save(folder / "complex.npy", A.astype(complex))
    np.save(folder / "object.npy", np.array([[{}] * 3] * 2), allow_pickle=True)
    np.save(folder / "void.npy", A.astype(BF16))
    np.savez(folder / "keys.npz", alpha=A)
    (folder / "text.npy").write_text("1 2 3")
    (folder / "empty.npy").write_bytes(b"")
    (folder / "text.npz").write_bytes(b"PK\x03\x04 no archive")
    (folder / "folder.npy").mkdir()


BAD_FILES = [
    ("none.npy", "no file "),
    ("none.npz:x", "no file "),
    ("shape.npy", "shape.npy has the shape [3, 2], wanted [2, 3]"),
    ("one.npy", "one.npy has the shape [], wanted [2, 3]"),
    ("complex.npy", "complex.npy holds no numbers: the array holds complex128, wanted float32"),
    ("object.npy", "object.npy is not a readable array file: "),
    ("void.npy", "void.npy holds no numbers: the array holds |V2, wanted float32"),
    ("keys.npz:alpa", "keys.npz has no array 'alpa'"),
    ("keys.npz", '"keys.npz" is not an array file'),
    ("keys.npz:", '"keys.npz:" is not an array file'),
    ("golden.txt", '"golden.txt" is not an array file'),
    ("", '"" is not an array file'),
    ("text.npy", "text.npy is not a readable array file: "),
    ("empty.npy", "empty.npy is not a readable array file: "),
    ("text.npz:x", "text.npz is not a readable array file: "),
    ("folder.npy", "folder.npy is not a readable array file: "),
]


@pytest.mark.parametrize(("path", "message"), BAD_FILES)
def test_a_golden_file_that_cannot_be_used_is_pointed_at(tmp_path: Path, path, message):
    bad_files(tmp_path)
    with pytest.raises(Failure) as caught:
        judged(f'A == "{path}"', Run(TENSORS, str(tmp_path)))
    (problem,) = caught.value.problems
    assert problem.code == "E0801"
    assert problem.message.removeprefix(f"{tmp_path}{os.sep}").startswith(message)
    assert "pickle" not in problem.message
    assert problem.span is not None
    assert problem.span.text == f'"{path}"'


# ---------------------------------------------------------------- what is refused

STATIC = [
    ("X ~ A", ("E0208", "X", "nothing is called 'X'")),
    ("A ~ w{k}", ("E0208", "w{k}", "nothing is called 'w1'")),
    ("A ~ sofmax(A)", ("E0222", "sofmax", "no function 'sofmax' in an expectation")),
    ("A ~ softmax(A, dim=1)", ("E0222", "dim=1", "softmax has no option 'dim'")),
    ("A ~ exp(A, axis=1)", ("E0222", "axis=1", "exp has no option 'axis'")),
    ("A ~ sum(A, axis=1, axis=0)", ("E0222", "axis=0", "axis= is given twice")),
    ("A ~ sum(A, axis=0.5)", ("E0210", "0.5", "an axis is an integer, found 0.5")),
    ("A ~ sum(A, axis=q)", ("E0208", "q", "nothing is called 'q'")),
    ("A ~ exp()", ("E0222", "exp()", "exp takes 1 argument, found 0 arguments")),
    ("A ~ max()", ("E0222", "max()", "max takes at least 1 argument, found 0 arguments")),
    ("A ~ where(A, 1)", ("E0222", "where(A, 1)", "where takes 3 arguments, found 2 arguments")),
    ("A ~ B.view(u8)", ("E0222", "B.view(u8)", "no '.view' in an expectation")),
    ("A ~ B.T()", ("E0222", "B.T()", ".T is written without parentheses")),
    ("A ~ B.reshape", ("E0222", "B.reshape", ".reshape is written with sizes in parentheses")),
    ("A ~ B.reshape(1.5)", ("E0222", "B.reshape(1.5)", ".reshape takes integers, found 1.5")),
    ("A ~ B  tol=1", ("E0222", "tol=1", ".expect has no option 'tol'")),
    ("A ~ B  rtol=1 rtol=2", ("E0222", "rtol=2", "rtol= is given twice")),
    ("A == A  rtol=1", ("E0222", "rtol=1", "rtol= belongs to '~', not to '=='")),
    ("(A == A)  atol=1", ("E0222", "atol=1", "atol= belongs to '~', not to a bare comparison")),
    ("A ~ A  rtol=-1", ("E0222", "-1", "rtol= is a finite number of at least 0, found -1")),
    ("A ~ A  atol=inf", ("E0222", "inf", "atol= is a finite number of at least 0, found inf")),
    ("A ~ A  atol=nan", ("E0222", "nan", "atol= is a finite number of at least 0, found nan")),
    ("A ~ A  rtol=true", ("E0222", "true", "rtol= is a finite number of at least 0, found true")),
    ("A ~ A  at_least=95", ("E0222", "95", "at_least= is a fraction from 0 to 1, found 95")),
    ("A ~ A  at_least=q", ("E0208", "q", "nothing is called 'q'")),
    ("A", ("E0223", "A", "this expectation compares nothing")),
    ("true", ("E0223", "true", "this expectation compares nothing")),
    ("sum(A > 1)", ("E0223", "sum(A > 1)", "this expectation compares nothing")),
    ('A ~ "g.npy" + 1', ("E0210", '"g.npy"', "a file can only be the whole right side")),
    ('"g.npy" ~ A', ("E0210", '"g.npy"', "a file can only be the whole right side")),
    ("gold ~ A", ("E0210", "gold", 'wanted a tensor or a number, found the string "g.npy"')),
    ('A ~ "g.txt"', ("E0801", '"g.txt"', '"g.txt" is not an array file')),
    ("A ~ []", ("E0221", "[]", "an empty list has nothing to compare")),
    ("%r0 == 1", ("E0210", "%r0", "a register cannot be used in an expectation")),
    ("A & 1 == 0", ("E0222", "A & 1", "'&' is for constants, and A is a tensor")),
    ("-~A == 0", ("E0222", "~A", "'~' is for constants, and A is a tensor")),
    ("A == 1 << q", ("E0208", "q", "nothing is called 'q'")),
    ("A[q] ~ 1", ("E0208", "q", "nothing is called 'q'")),
    ("A[0.5] ~ 1", ("E0305", "0.5", "an index is an integer, found 0.5")),
    ("A[0:2:0] ~ 1", ("E0305", "0:2:0", "a slice with step 0")),
    ("A[0 : +2 : 2] ~ 1", ("E0305", "0 : +2 : 2", "a window takes no step")),
    ("cycles(tenser) <= 1", ("E0203", "tenser", "no engine 'tenser'")),
    ("cycles(1) <= 1", ("E0222", "1", "cycles takes the name of an engine")),
    ("cycles() <= 1", ("E0222", "cycles()", "cycles takes an engine, found 0 arguments")),
    (
        "time_us(tensor) <= 1",
        ("E0222", "time_us(tensor)", "time_us takes 0 arguments, found 1 arguments"),
    ),
]


@each(("text", "wanted"), STATIC)
def test_a_check_finds_without_a_run_what_no_run_can_fix(text, wanted):
    assert wanted in checked(text, k=1, gold="g.npy")


@each("text", [text for text, _, _, _ in SAID] + [text for text, _ in HOLDS])
def test_a_check_finds_nothing_in_what_can_be_judged(text):
    assert checked(text) == []


def test_a_check_finds_all_mistakes_of_an_expectation():
    codes = [code for code, _, _ in checked("X + gelo(Y.U) ~ A[0.5]  tol=1 at_least=2")]
    assert codes == ["E0208", "E0222", "E0305", "E0222", "E0222"]


def test_engines_are_not_checked_where_they_are_not_known():
    assert check_static(expectation(".expect cycles(tenser) <= 1"), []) == []


DYNAMIC = [
    ("A ~ B", ("E0221", "the shapes [2, 3] and [3, 2] do not match in '~'")),
    ("A ~ A + B", ("E0221", "the shapes [2, 3] and [3, 2] do not match in '+'")),
    ("(A > B)", ("E0221", "the shapes [2, 3] and [3, 2] do not match in '>'")),
    ("A ~ A @ A", ("E0221", "the shapes [2, 3] and [2, 3] do not match in '@'")),
    ("A ~ A @ 2", ("E0221", "the shapes [2, 3] and [] do not match in '@'")),
    (
        "A ~ where(A > 1, B, 0)",
        ("E0221", "the shapes [2, 3] and [3, 2] and [] do not match in where"),
    ),
    ("A ~ [[1, 2], [3]]", ("E0221", "the items of a list have different shapes")),
    ("A ~ sum(A, axis=2)", ("E0221", "axis 2 of a value with 2 axes in sum")),
    ("A ~ max(A, 1, axis=0)", ("E0222", "max of several values is element by element")),
    ("A ~ softmax(1)", ("E0221", "softmax of a single number")),
    ("A ~ A.reshape(4)", ("E0221", ".reshape(4) does not fit the shape [2, 3]")),
    ("A ~ A.permute(0)", ("E0221", ".permute(0) does not fit the shape [2, 3]")),
    ("A[2] ~ 1", ("E0305", "index 2 is outside axis 0, which has 2")),
    ("A[0, 0:4] ~ 1", ("E0305", "a slice reaches past axis 1, which has 3")),
    ("A[0, 2 : +2] ~ 1", ("E0305", "a slice reaches past axis 1, which has 3")),
    ("A[0, -4 : +4] ~ 1", ("E0305", "index -4 is outside axis 1, which has 3")),
    ("A[0, 1:1] ~ 1", ("E0305", "a slice selects nothing of axis 1, which has 3")),
    ("A[0, 0, 0] ~ 1", ("E0305", "3 indices for a value with 2 axes")),
    ("(A and (A > 1))", ("E0210", "'and' wants comparisons, found numbers")),
    ("(not A)", ("E0210", "'not' wants comparisons, found numbers")),
    ("A ~ where(A, 1, 0)", ("E0210", "where wants comparisons, found numbers")),
    ("A ~ 10 ** 400 * A", None),
    ("A ~ huge", ("E0211", "a number beyond the largest float64")),
    ("stalls(vector) < 9", ("E0203", "no engine 'vector'")),
    ("P == 1", ("E0210", "P cannot be compared: an element of float4_e2m1fn_x4 is four values")),
    ("S == 3", ("E0210", "the right side cannot be rounded: float8_e8m0fnu holds powers of two")),
    (
        "G == G.T",
        ("E0221", "the shapes [1, 32768] and [32768, 1] make 1,073,741,824 elements in '=='"),
    ),
]


@each(("text", "wanted"), DYNAMIC)
def test_what_only_a_run_can_show_is_said_after_it(text, wanted):
    more = {"P": ([1], "float4_e2m1fn_x4"), "S": ([2.0], "e8m0"), "G": (np.ones((1, 2**15)), "u8")}
    run = Run({**TENSORS, **more})
    if wanted is None:
        assert not judged(text, run).held  # the constant is an infinity by then
        return
    said = refused(text, run, huge=10**400)
    assert said.startswith(f"error[{wanted[0]}]: {wanted[1]}")


def test_a_failure_to_judge_is_placed_and_names_the_loop_it_is_in():
    source = Source("prog.nasm", ".for k in 0..2\n.expect A[k] ~ B[k] + 1\n.end\n")
    statement = parse_statement(Source("prog.nasm", source.text))
    inner = statement.body[0]
    frame = Frame(".for k = 1", Span(source, 5, 6))
    span = Span(source, inner.start, inner.end, (frame,))
    with pytest.raises(Failure) as caught:
        judge(Expectation((inner, {"k": 1}), span), Run(TENSORS))
    assert render(caught.value.problems[0]) == "\n".join(
        [
            "error[E0221]: the shapes [3] and [2] do not match in '~'",
            " --> prog.nasm:2:1",
            "  |",
            "2 | .expect A[k] ~ B[k] + 1",
            "  | ^^^^^^^^^^^^^^^^^^^^^^^",
            "  in .for k = 1, prog.nasm:1:6",
            "  hint: axes are matched from the last one backwards; .reshape(…) adds axes of 1 "
            "where they are needed",
        ]
    )


def test_a_misspelt_name_gets_a_suggestion():
    assert "did you mean 'sigmoid'?" in refused("A ~ sigmoit(A)")
    problems = check_static(expectation(".expect scores ~ 1"), ["score", "labels"])
    assert problems[0].hint == "did you mean 'score'?"


def test_codes_are_explained():
    assert sorted(CODES) == ["E0221", "E0222", "E0223", "E0229"]
    for title, explanation in CODES.values():
        assert title[0].islower()
        assert explanation.endswith(".")


def test_an_expectation_with_a_long_row_of_blanks_is_shown_at_once() -> None:
    blanks = " " * 500_000  # looked at once for each of them it would take hours
    shown = one_line(f"a{blanks}== ({blanks}\n 1 ; why\n ; and why\n)")
    assert shown == f"a{blanks}== ( 1  )"


@each(
    ("text", "wanted"),
    [
        ("conv2d(A, B)", "E0221 the shapes [2, 3] and [3, 2] do not match in conv2d"),
        ("conv2d([A], [[[[1, 2, 3, 4]]]])", "E0221 filters do not fit into the image: 1 x 4 in"),
        ("max_pool(A, 2)", "E0221 the shape [2, 3] has no whole squares of 2 x 2 in max_pool"),
        ("avg_pool(A, 0.5)", "E0222 avg_pool takes the side of a square, an integer from 1 on"),
        ("max_pool(A, V)", "E0222 max_pool takes the side of a square, an integer from 1 on"),
    ],
)
def test_an_image_that_does_not_fit_is_refused(value, text, wanted):
    with pytest.raises(Failure) as raised:
        value(text)
    first = raised.value.problems[0]
    assert f"{first.code} {first.message}".startswith(wanted)


def test_a_convolution_is_what_loops_over_its_elements_give(value):
    draw = np.random.default_rng(3)
    x = draw.integers(-9, 9, (2, 5, 6)).tolist()
    w = draw.integers(-9, 9, (3, 2, 2, 3)).tolist()
    wanted = [
        [
            [
                sum(
                    w[k][c][i][j] * x[c][row + i][column + j]
                    for c in range(2)
                    for i in range(2)
                    for j in range(3)
                )
                for column in range(4)
            ]
            for row in range(4)
        ]
        for k in range(3)
    ]
    assert value(f"conv2d({x}, {w})").tolist() == wanted
