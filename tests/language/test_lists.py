"""Lists, dtypes as values, and choices between two."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

import nasm
from nasm.apps.cli.values import define
from nasm.base import dtypes
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.printing import text as printed
from nasm.targets import TARGETS
from tests.language.test_macros import lines
from tests.tables import each


def program(text: str, **defines: Any) -> nasm.Program:
    return assemble(Source("test.nasm", f".target trn2\n{text}"), TARGETS, None, defines)


def said(text: str, **defines: Any) -> list[tuple[str, str]]:
    with pytest.raises(Failure) as caught:
        program(text, **defines)
    return [(p.code, p.message) for p in caught.value.problems]


def value(expression: str) -> object:
    """What an expression is, told by a constant that an expectation keeps."""
    made = program(f".const L = [5, 6, 7], K = 2\n.const X = {expression}\n.expect 1 == 1\n")
    tree = made.expectations[0].tree
    assert isinstance(tree, tuple)
    return tree[1]["X"]


@each(
    ("expression", "wanted"),
    [
        ("L[0]", 5),
        ("L[-1]", 7),
        ("L[K]", 7),
        ("L[1:]", [6, 7]),
        ("L[::-1]", [7, 6, 5]),
        ("L[1 : +2]", [6, 7]),
        ("len(L) + len([])", 3),
        ("[0] * 3", [0, 0, 0]),
        ("2 * [1, 2]", [1, 2, 1, 2]),
        ("[1] * 0", []),
        ("L + [K] + []", [5, 6, 7, 2]),
        ("[[1, 2], [3]][0][1]", 2),
        ("L == [5, 6] + [7]", True),
        ("[1] != [1.5]", True),
        ("1 if K == 2 else L[9]", 1),
        ("L[9] if K == 3 else 2", 2),
        ("1 if 0 else 2 if 0 else 3", 3),
        ("(1 if 1 else 2) + 3", 4),
        ("1 if 1 else 2 + 3", 1),
        ('["a", "b"][K - 1]', "b"),
        ("f32 == float32", True),
        ("bf16 == f32", False),
    ],
)
def test_what_an_expression_of_lists_is(expression: str, wanted: object) -> None:
    found = value(expression)
    assert found == wanted
    assert type(found) is type(wanted)


@each(
    ("expression", "code", "message"),
    [
        ("L[3]", "E0211", "index 3 of a list of 3 items"),
        ("L[0, 1]", "E0212", "2 indices for a list; it takes one"),
        ("L[2 : +2]", "E0211", "2 : +2 reaches past a list of 3 items"),
        ("L[::0]", "E0211", "a slice with step 0"),
        ("L[0.5]", "E0305", "an index is an integer, found 0.5"),
        ("len(3)", "E0210", "len wants a list, found 3"),
        ("L * 1.5", "E0210", "'*' on a list wants an integer, found 1.5"),
        ("L * -1", "E0211", "a list -1 times"),
        ("[0] * 1000001", "E0211", "a list of more than 1,000,000 items"),
        ("[[0] * 1000] * 1000", "E0211", "a list of more than 1,000,000 items"),
        ("L + 1", "E0210", "'+' wants numbers, found [5, 6, 7]"),
        ("L < L", "E0210", "'<' wants numbers, found [5, 6, 7]"),
        ("1 if L else 2", "E0210", "'if' wants a condition, found [5, 6, 7]"),
    ],
)
def test_what_lists_refuse(expression: str, code: str, message: str) -> None:
    assert said(f".const L = [5, 6, 7], K = 2\n.const X = {expression}\n") == [(code, message)]


def test_lists_within_lists_end() -> None:
    text = ".macro m(l, n)\n.if n > 0\nm([[[l]]], n - 1)\n.end\n.end\nm([], 90)\n"
    assert said(text) == [("E0211", "lists are nested more than 100 deep")]
    assert [c for c, _ in said(f".const X = {'1 if 1 else ' * 200} 2\n")] == ["E0122"]


def test_a_loop_goes_through_a_list() -> None:
    made = program(
        ".sbuf a f32[128, 8]\n.sbuf b f32[128, 8]\n.const L = [3, [4, 5], 1.5]\n"
        ".for e in L[0:1] + L[1]\n@vector Memset a, e\n.end\n"
        ".for t in [a, b[:, 0:2]]\n@gpsimd Memset t, 1\n.end\n"
        '.for f in ["relu", "tanh"]\n@scalar Activation a, a, op=f\n.end\n'
        ".for e in []\n@vector Memset a, 9\n.end\n"
        ".for d in [f32, bf16]\n.sbuf t_{d} {d}[128, 2]\n.end\n"
    )
    assert lines(made) == [
        *(f"vector Memset a, {n}" for n in (3, 4, 5)),
        "scalar Activation a, a, op=relu",
        "scalar Activation a, a, op=tanh",
        "gpsimd Memset a, 1",
        "gpsimd Memset b[:, 0:2], 1",
    ]
    assert [t.dtype.name for t in made.tensors.values()][2:] == ["float32", "bfloat16"]
    assert [c for c, _ in said(".for e in 3\nNop\n.end\n")] == ["E0210"]


def test_the_rounds_of_a_list_are_counted_before_the_first() -> None:
    text = "@vector\n.for e in [0] * 2000\n.for k in 0..2000\nNop\n.end\n.end\n"
    assert said(text) == [("E0218", "the loops make 4,002,000 lines; wanted at most 2,000,000")]


def test_a_place_in_a_loop_over_a_list_says_what_the_item_is() -> None:
    with pytest.raises(Failure) as caught:
        program('.for e in ["x", "y"]\n@vector Memset e, 1\n.end\n')
    (problem,) = caught.value.problems
    assert problem.span is not None
    assert [f.what for f in problem.span.chain] == ['.for e = the string "x"']


def test_a_constant_may_be_a_dtype_and_is_one_from_outside() -> None:
    text = (
        ".const DT = f32\n.hbm A {DT}[128, 8]\n.sbuf a DT[128, 8]\n"
        ".if DT == bf16\n@vector Memset a, 2\n.else\n@vector Memset a.view(DT), 1\n.end\n"
    )
    for given, name, line in (
        (None, "float32", "Memset a, 1"),
        ("bf16", "bfloat16", "Memset a, 2"),
    ):
        made = program(text, **({} if given is None else {"DT": given}))
        assert [t.dtype.name for t in made.tensors.values()] == [name] * 2
        assert lines(made) == [f"vector {line}"]
    assert said(text, DT="bf17") == [("E0205", "-D DT: no dtype 'bf17'")]
    assert said(text, DT=3) == [("E0205", "-D DT: a dtype is a name, found 3")]
    assert said(".const DT = 3\n.sbuf a DT[1, 2]\n") == [("E0205", "'DT' is no dtype: it is 3")]


def test_a_dtype_that_is_one_is_not_hidden_by_a_constant() -> None:
    made = program(".const f32 = bf16, u = u8\n.sbuf a f32[128, 8]\n.view v = a.view(u)\n")
    assert made.tensors["a"].dtype.name == "float32"


def test_lists_and_strings_come_from_outside() -> None:
    text = (
        '.const L = [0], S = "relu"\n.sbuf a f32[128, 8]\n'
        ".for e in L\n@vector Memset a, e\n.end\n@scalar Activation a, a, op=S\n"
        "@scalar Activation a, a, op=tanh if len(L) > 1 else S\n"
    )
    assert lines(program(text, L=[1, 2], S="gelu")) == [
        "vector Memset a, 1",
        "vector Memset a, 2",
        "scalar Activation a, a, op=gelu",
        "scalar Activation a, a, op=tanh",
    ]


def test_the_command_reads_words_strings_and_lists() -> None:
    found = [define(f"X={text}")[1] for text in ("bf16", "true", '"a b"', "[1, [2.5, f32], 0x10]")]
    assert found == ["bf16", True, "a b", [1, [2.5, dtypes.find("f32")], 16]]
    for wrong in ("[1", "[N]", '"a', "a b", "1.2.3", "-x"):
        with pytest.raises(argparse.ArgumentTypeError):
            define(f"X={wrong}")


def test_expectations_see_lists_and_choices() -> None:
    text = (
        ".target trn2\n.const L = [3, 4], WHOLE = 0\n.sbuf a f32[128, 2]\n"
        ".sbuf b f32[2, 2] = [L] * 2\n"
        ".for k in 0..len(L)\n@vector Memset a[:, k : +1], L[k]\n.end\n"
        ".expect a == L\n.expect a[:, 1] == L[1]\n.expect sum(a) == 128 * (L[0] + L[-1])\n"
        ".expect (b if WHOLE else b[0]) == L\n.expect len(L) == 2\n"
    )
    assert nasm.run(text).ok
    again = printed(nasm.assemble(text))
    assert nasm.run(again).ok
    assert nasm.run(text, defines={"L": [4, 3], "WHOLE": 1}).report.problems == ()


def test_no_list_has_an_index_that_only_a_run_knows() -> None:
    text = ".const L = [5, 6]\n.sbuf t f32[128, 2]\n.loop k in 0..2\n"
    text += "@vector Memset t[:, k], L[{}]\n.end\n"
    (k,) = said(text.format("k"))
    assert k == (
        "E0231",
        "an index of a list has to be known when assembling; k, the variable of a '.loop', is "
        "known only at run time",
    )
    assert said(text.format("k + 1"))[0][1].startswith("an index of a list has to be known")
