"""What constant expressions are worth. Python's own arithmetic is the reference."""

from __future__ import annotations

import math
import operator
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nasm.base.dtypes import DType, find
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.expanding.evaluate import evaluate, name_of
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.language.text.parse import parse_expression
from nasm.views.methods import SPELLINGS
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import Reg, View, Window
from tests.tables import each

HBM = Memory("hbm", 0, 0, "linear", "made up")
SBUF = Memory("sbuf", 128, 1 << 16, "rows", "made up")
PSUM = Memory("psum", 128, 1 << 14, "banks", "made up", bank=2048)


def dtype(name: str) -> DType:
    found = find(name)
    assert found is not None
    return found


def value(text: str, **names: Any) -> Any:
    source = Source("test.nasm", text)
    scope = Scope(source, values=dict(names))
    scope.tensors = {
        "x": Tensor("x", HBM, dtype("bfloat16"), (6, 5), offset=0),
        "t": Tensor("t", SBUF, dtype("float32"), (128, 4, 8), partition=0, offset=64),
        "acc": Tensor("acc", PSUM, dtype("float32"), (128, 1024), partition=0, offset=4096),
    }
    return evaluate(parse_expression(source, 0, len(text)), scope)


def refused(text: str, **names: Any) -> str:
    with pytest.raises(Failure) as caught:
        value(text, **names)
    (problem,) = caught.value.problems
    assert problem.span is not None
    return problem.code


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
BITS: dict[str, Callable[[Any, Any], Any]] = {
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NUMBERS = (-7, -1, 0, 1, 2, 3, 512, -2.5, 0.5, 3.0)


# -- operators


@each("op", [*ARITHMETIC, *COMPARE])
def test_operators_on_numbers_are_pythons(op: str) -> None:
    reference = {**ARITHMETIC, **COMPARE}[op]
    for a in NUMBERS:
        for b in NUMBERS:
            if op in ("/", "//", "%") and b == 0:
                assert refused(f"a {op} b", a=a, b=b) == "E0211"
                continue
            found, wanted = value(f"a {op} b", a=a, b=b), reference(a, b)
            assert (type(found), found) == (type(wanted), wanted), (a, op, b)


@pytest.mark.parametrize("op", BITS)
def test_operators_on_bits_are_pythons_and_take_integers(op: str) -> None:
    for a in (-9, 0, 5, 255, 1 << 40):
        for b in (0, 1, 3, 12):
            found = value(f"a {op} b", a=a, b=b)
            assert (type(found), found) == (int, BITS[op](a, b))
    assert refused(f"1.5 {op} 1") == "E0210"
    assert refused(f"true {op} 1") == "E0210"


def test_powers_are_pythons() -> None:
    assert (value("2**10"), value("2**-1"), value("4**0.5"), value("0**0")) == (1024, 0.5, 2.0, 1)
    assert refused("(-8) ** 0.5") == "E0211"
    assert refused("0 ** -1") == "E0211"
    assert refused("10.0 ** 400") == "E0211"


def test_an_integer_has_up_to_4096_bits_and_no_fewer() -> None:
    assert value("2 ** 4095").bit_length() == value("2**2048 * 2**2047").bit_length() == 4096
    assert value("3 ** 2584") == 3**2584
    for text in ("2 ** 4096", "3 ** 2585", "(-2) ** 4096", "2**2048 * 2**2048", "7 ** 10**30"):
        assert refused(text) == "E0211"


def test_what_is_beyond_float64_is_reported_in_our_words() -> None:
    with pytest.raises(Failure, match=r"2\.0 \*\* 99999 is beyond float64"):
        value("2.0 ** 99999")
    with pytest.raises(Failure, match="an integer of 401 digits / 3 is beyond float64"):
        value("10**400 / 3")


def test_unary_operators() -> None:
    assert (value("-5"), value("--5"), value("~5"), value("-2**2")) == (-5, 5, -6, -4)
    assert (value("not 3"), value("not 0"), value("not not 0.5")) == (False, True, True)
    assert refused("~1.5") == "E0210"
    assert refused("-true") == "E0210"


def test_and_and_or_give_conditions_and_stop_early() -> None:
    assert value("2 and 3") is True
    assert value("0 or 0.0") is False
    assert value("0 and 1 / 0") is False
    assert value("1 or nothing") is True
    assert refused("1 and t") == "E0210"


@each(
    "text",
    [
        "2 + 3 * 4",
        "2 * 3 + 4",
        "2 ** 3 ** 2",
        "-2 ** 2",
        "2 ** -1",
        "10 - 4 - 3",
        "100 // 7 % 4",
        "1 << 2 + 3",
        "6 & 3 | 8",
        "1 | 2 ^ 3 & 6",
        "~1 + 2",
        "7 - 2 < 3 + 3",
        "1 + 1 == 2",
        "not 1 == 2",
        "1 < 2 and 3 < 2 or 1",
        "0 and 1 or 1",
        "not 0 and 0",
        "-7 // 2",
        "-7 % 3",
        "5 & 6 == 4",
        "(1 + 2) * 3",
        "2 * (3 + 4) ** 2 % 10",
        "16 >> 1 + 1",
        "3 - -2",
    ],
)
def test_precedence_is_pythons(text: str) -> None:
    assert value(text) == eval(text)


_LEAF = st.integers(0, 40).map(str)
_TEXT = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "&", "|", "^"]), inner).map(" ".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-({text})"),
        inner.map(lambda text: f"~({text})"),
    ),
    max_leaves=12,
)


@given(_TEXT)
def test_any_integer_expression_is_worth_what_python_says(text: str) -> None:
    assert value(text) == eval(text)


# -- names and literals


def test_literals() -> None:
    assert [value(t) for t in ("512", "1_024", "0x400", "0b101", "1.5", "1e-5")] == [
        512,
        1024,
        1024,
        5,
        1.5,
        1e-5,
    ]
    assert value("inf") == math.inf
    assert math.isnan(value("nan"))
    assert (value("true"), value("false")) == (True, False)
    assert value('"a b"') == "a b"
    assert value("[[-1, 128], [0, 2 + 2]]") == [[-1, 128], [0, 4]]
    assert value("%r7") == Reg(7)


def test_names_are_looked_up_and_templates_put_together() -> None:
    assert value("N * 2", N=21) == 42
    assert value("w{k+1}_{k}", k=2, w3_2=99) == 99
    assert refused("M") == "E0208"
    assert refused("w{k}", k=0.5) == "E0209"
    assert refused("w{k}", k=True) == "E0209"
    source = Source("test.nasm", "")
    template = tree.Template(0, 0, ("a", tree.Name(0, 0, "k"), "b"))
    assert name_of(template, Scope(source, values={"k": 1})) == "a1b"


LONG = 5000


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0" + " + 1" * LONG, LONG),
        ("1" + " * 1" * LONG, 1),
        ("true" + " and true" * LONG, True),
        ("false" + " or false" * LONG, False),
        ("(" * LONG + "0" + " - 1)" * LONG, -LONG),
    ],
    ids=["sum", "product", "and", "or", "brackets"],
)
def test_a_chain_may_be_as_long_as_a_program(text: str, wanted: object) -> None:
    assert value(text) == wanted


def test_what_a_link_of_a_chain_refuses_is_pointed_at_up_to_there() -> None:
    with pytest.raises(Failure) as caught:
        value("1 + 2 + true + 3")
    (found,) = caught.value.problems
    assert found.span is not None
    assert found.span.text == "1 + 2 + true"


# -- functions


def test_min_max_abs() -> None:
    assert (value("min(3, 1.5, 2)"), value("max(3, 7)"), value("abs(-4)")) == (1.5, 7, 4)
    assert refused("min()") == "E0212"
    assert refused("max(1, t)") == "E0210"
    assert refused("abs(1, 2)") == "E0212"


@each("a", range(-9, 10))
@each("b", [-4, -3, -1, 1, 2, 3, 5])
def test_ceil_div_rounds_up(a: int, b: int) -> None:
    found = value(f"ceil_div({a}, {b})")
    assert type(found) is int
    assert found - 1 < a / b <= found


def test_ceil_div_is_exact_where_floats_are_not() -> None:
    assert value("ceil_div(2**80 + 1, 2)") == 2**79 + 1
    assert refused("ceil_div(1, 0)") == "E0211"
    assert refused("ceil_div(1.0, 2)") == "E0210"


def test_log2_is_an_integer_where_it_is_exact() -> None:
    for power in (0, 1, 2, 9, 53, 64, 1000):
        found = value(f"log2(2**{power})")
        assert (type(found), found) == (int, power)
    assert value("log2(10)") == math.log2(10)
    assert value("log2(0.25)") == -2
    assert value("log2(2**1000 + 1)") == pytest.approx(1000)
    for wrong in ("0", "-8", "0.0"):
        assert refused(f"log2({wrong})") == "E0211"


def test_sizeof_counts_bytes_per_partition_or_all_of_a_linear_memory() -> None:
    assert value("sizeof(t)") == 4 * 8 * 4
    assert value("sizeof(t[0:64, 0:2])") == 2 * 8 * 4
    assert value("sizeof(t.view(u8))") == 4 * 8 * 4
    assert value("sizeof(x)") == 6 * 5 * 2
    assert refused("sizeof(4)") == "E0210"


def test_shape_gives_an_axis_counted_from_either_end() -> None:
    assert [value(f"shape(t, {a})") for a in (0, 1, 2, -1, -3)] == [128, 4, 8, 8, 128]
    assert value("shape(t[:, 1], 1)") == 8
    assert refused("shape(t, 3)") == "E0211"
    assert refused("shape(t, -4)") == "E0211"
    assert refused("shape(t)") == "E0212"


def test_bank_is_the_first_a_view_touches() -> None:
    # acc starts at byte 4096, two banks of 2048 in; element 512 is 2048 bytes further.
    assert (value("bank(acc)"), value("bank(acc[:, 511])"), value("bank(acc[:, 512:])")) == (
        2,
        2,
        3,
    )
    assert refused("bank(t)") == "E0211"


def test_unknown_and_misused_functions() -> None:
    assert refused("sqrt(4)") == "E0212"
    assert refused("max(a=1)") == "E0212"


# -- guards


@pytest.mark.parametrize(
    "text",
    [
        "2 ** 10**9",
        "10 ** (10**9)",
        "1 << 10**9",
        "(-3) ** 99999",
        "2 ** 2 ** 2 ** 2 ** 2 ** 2",
        "(1 << 3000) * (1 << 3000)",
        "(1 << 3000) << 3000",
    ],
)
def test_numbers_nothing_wants_are_refused_at_once(text: str) -> None:
    begun = time.process_time()
    assert refused(text) == "E0211"
    assert time.process_time() - begun < 1  # unguarded, they take minutes and gigabytes


def test_small_bases_have_large_powers() -> None:
    assert (value("1 ** 10**9"), value("(-1) ** (10**9 + 1)"), value("0 ** 10**9")) == (1, -1, 0)
    assert value("1 >> 10**9") == 0
    assert value("2 ** -10**9") == 0.0


@pytest.mark.parametrize("text", ["1 << -1", "1 >> -1"])
def test_a_negative_shift_is_refused(text: str) -> None:
    assert refused(text) == "E0211"


# -- views


def whole(name: str, shape: tuple[int, ...], memory: Memory, kind: str) -> View:
    return View.whole(Tensor(name, memory, dtype(kind), shape, partition=0, offset=0))


def shape_and_start(view: View) -> tuple[tuple[int, ...], int, int]:
    return view.shape, view.partition, view.offset


@each(
    ("text", "shape", "partition", "offset"),
    [
        ("t", (128, 4, 8), 0, 0),
        ("t[5]", (1, 4, 8), 5, 0),
        ("t[-1]", (1, 4, 8), 127, 0),
        ("t[:, 2]", (128, 8), 0, 2 * 8 * 4),
        ("t[:, 1:3, 4]", (128, 2), 0, (8 + 4) * 4),
        ("t[32:64, :, ::2]", (32, 4, 4), 32, 0),
        ("t[:, ::-1]", (128, 4, 8), 0, 3 * 8 * 4),
        ("t[:, k*2 : +2]", (128, 2, 8), 0, 2 * 8 * 4),
        ("t[:, : +3]", (128, 3, 8), 0, 0),
        ("t[:, -2:]", (128, 2, 8), 0, 2 * 8 * 4),
        ("t.reshape(128, 32)[:, 9]", (128,), 0, 36),
        ("t.permute(0, 2, 1)[:, 3]", (128, 4), 0, 12),
        ("t.view(u8)[:, 0, 5:7]", (128, 2), 0, 5),
        ("t[:, 0:1].broadcast(128, 6, 8)", (128, 6, 8), 0, 0),
        ("t.ap([[32, 64], [2, 5]], offset=3*32 + 7)", (64, 5), 3, 28),
        ("x.T", (5, 6), 0, 0),
        ("x[2, 3]", (1,), 0, 26),
    ],
)
def test_views_start_where_paper_puts_them(
    text: str, shape: tuple[int, ...], partition: int, offset: int
) -> None:
    assert shape_and_start(value(text, k=1)) == (shape, partition, offset)


def test_a_start_in_a_register_is_kept_for_the_run() -> None:
    (dynamic,) = value("t[:, %r3 : +2]").dynamic
    assert (dynamic.register, dynamic.axis, dynamic.stride, dynamic.limit) == (3, 1, 32, 2)
    assert value("t[:, %r3]").shape == (128, 1, 8)
    assert refused("t[:, %r3 : 8]") == "E0305"
    assert whole("t", (4, 4), SBUF, "int8").index([slice(None), Window(Reg(1), 4)]).shape == (4, 4)


OUTSIDE = (
    "t[0:129]",
    "t[:, 4]",
    "t[:, 2:2]",
    "t[0, 0, 0, 0]",
    "t[:, 0:4:0]",
    "t[:, 1.0]",
    "t[:, 3 : +2]",
    "t[:, 0 : +2 : 2]",
    "t.ap([[32, 129], [1, 4]])",
    "t.ap([[32, 4], [1, 33]])",
    "t.ap([[32, 4], [-1, 4]], offset=2)",
)
IMPOSSIBLE = (
    "t.reshape(64, 64)",
    "t.reshape(128, 7)",
    "t.reshape(128, 2.0)",
    "t.permute(1, 0, 2)",
    "t.permute(0, 1)",
    "t.T",
    "t[:, :, ::2].view(u8)",
    "t.broadcast(128, 8, 8)",
    "t.ap([[32, 4.0], [1, 4]])",
    "t.ap([[31, 4], [1, 4]])",
    "t.ap(4)",
    "t.size",
    "t.view",
    "x.T()",
)


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_leaves_its_tensor_is_refused(text: str) -> None:
    assert refused(text) == "E0305"


@each("text", IMPOSSIBLE)
def test_what_the_hardware_cannot_walk_is_refused(text: str) -> None:
    assert refused(text) == "E0306"


def test_what_is_no_tensor_has_no_views() -> None:
    assert (refused("4[0]"), refused("t + 1")) == ("E0210", "E0210")
    assert refused("t.view(f64)") == "E0205"


def test_a_reshape_that_needs_a_copy_is_refused() -> None:
    assert refused("t.permute(0, 2, 1).reshape(128, 32)") == "E0306"
    assert value("t[:, :, 0:8].reshape(128, -1)").shape == (128, 32)


def test_a_view_has_its_methods_whatever_was_imported() -> None:
    """As in a new process that is sent one."""
    asked = "from nasm.views.view import METHODS; print(*sorted(METHODS))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(SPELLINGS)
