"""Operands, views and conditions: from text to tree, and how operators group."""

from __future__ import annotations

import ast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.text.parse import parse_expression
from nasm.language.text.tree import (
    Binary,
    Name,
    NamedArgument,
    NumberLiteral,
    Slice,
    StringLiteral,
    Template,
)
from nasm.language.text.walk import descendants
from tests.parts import examples


def test_a_template_in_a_name_holds_expressions_at_their_place(expression):
    #                 0123456789012
    assert expression("w{k}_{j+1}_x") == Template(
        0,
        12,
        (
            "w",
            Name(2, 3, "k"),
            "_",
            Binary(6, 9, Name(6, 7, "j"), "+", NumberLiteral(8, 9, 1)),
            "_x",
        ),
    )


def test_brackets_belong_to_the_span_of_what_they_enclose(expression):
    assert expression("(a+b)*c") == Binary(
        0, 7, Binary(0, 5, Name(1, 2, "a"), "+", Name(3, 4, "b")), "*", Name(6, 7, "c")
    )


def test_an_expression_in_the_middle_of_a_text_keeps_the_offsets_of_the_text():
    assert parse_expression(Source("x", "print a + 1 now"), 6, 11) == Binary(
        6, 11, Name(6, 7, "a"), "+", NumberLiteral(10, 11, 1)
    )


@pytest.mark.parametrize("text", ["", "a b", "a @ b", "(a", '"a', "- " * 200 + "a"])
def test_a_text_that_is_not_an_expression_is_refused(expression, text):
    with pytest.raises(Failure) as failure:
        expression(text)
    assert len(failure.value.problems) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("512", 512),
        ("1_024", 1024),
        ("0x400", 1024),
        ("0xFF_ff", 65535),
        ("0b101", 5),
        ("007", 7),
        ("1.5", 1.5),
        ("1e-5", 1e-5),
        ("1_0.2_5e+2", 1025.0),
        ("0.0", 0.0),
    ],
)
def test_numbers_have_the_value_written(expression, text, value):
    node = expression(text)
    assert node == NumberLiteral(0, len(text), value)
    assert type(node.value) is type(value)


@pytest.mark.parametrize("name", ["inf", "nan", "true", "false", "in", "step", "bank", "input"])
def test_words_without_a_fixed_meaning_are_names(expression, name):
    assert expression(name) == Name(0, len(name), name)


def test_strings_are_unescaped(expression):
    assert expression(r'"a\"b\\c\nd\te;["') == StringLiteral(0, 17, 'a"b\\c\nd\te;[')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-2**2", "(- (2 ** 2))"),
        ("2**-1", "(2 ** (- 1))"),
        ("2**3**2", "(2 ** (3 ** 2))"),
        ("-a*b", "((- a) * b)"),
        ("a-b-c", "((a - b) - c)"),
        ("a--b", "(a - (- b))"),
        ("a - b*c % d", "(a - ((b * c) % d))"),
        ("a | b ^ c & d << e + f", "(a | (b ^ (c & (d << (e + f)))))"),
        ("a < b | c", "(a < (b | c))"),
        ("not a == b and c or d", "(((not (a == b)) and c) or d)"),
        ("a<-1", "(a < (- 1))"),
        ("not not a", "(not (not a))"),
        ("~a**b", "(~ (a ** b))"),
        ("(1 < 2) < 3", "((1 < 2) < 3)"),
        ("a %r3", "(a % r3)"),
        ("a % %r3", "(a % %r3)"),
    ],
)
def test_operators_bind_as_in_python(expression, shape, text, expected):
    assert shape(expression(text)) == expected


def test_a_matrix_product_binds_as_multiplication_does(expression, shape):
    assert shape(expression("A.T @ B + C * D @ E", expectation=True)) == (
        "((A.T @ B) + ((C * D) @ E))"
    )


PYTHON = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.And: "and",
    ast.Or: "or",
    ast.USub: "-",
    ast.Invert: "~",
    ast.Not: "not",
    ast.Lt: "<",
    ast.Eq: "==",
    ast.GtE: ">=",
}


def python_shape(node: ast.expr) -> str:
    """What Python's own parser makes of the same text, bracketed as ``shape`` does."""
    match node:
        case ast.BinOp():
            return f"({python_shape(node.left)} {PYTHON[type(node.op)]} {python_shape(node.right)})"
        case ast.UnaryOp():
            return f"({PYTHON[type(node.op)]} {python_shape(node.operand)})"
        case ast.Compare():
            right = python_shape(node.comparators[0])
            return f"({python_shape(node.left)} {PYTHON[type(node.ops[0])]} {right})"
        case ast.BoolOp():
            joined = python_shape(node.values[0])
            for value in node.values[1:]:
                joined = f"({joined} {PYTHON[type(node.op)]} {python_shape(value)})"
            return joined
    return ast.unparse(node)


ARITHMETIC = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"]


@st.composite
def arithmetic(draw: st.DrawFn) -> str:
    def operand(depth: int) -> str:
        signs = "".join(draw(st.lists(st.sampled_from("-~"), max_size=2)))
        if depth < 2 and draw(st.integers(0, 4)) == 0:
            return f"{signs}({run(depth + 1)})"
        return signs + draw(st.sampled_from(["a", "7", "b"]))

    def run(depth: int) -> str:
        text = operand(depth)
        for op in draw(st.lists(st.sampled_from(ARITHMETIC), max_size=5)):
            text += f" {op} {operand(depth)}"
        return text

    return run(0)


@st.composite
def conditions(draw: st.DrawFn) -> str:
    def term() -> str:
        left, right = draw(arithmetic()), draw(arithmetic())
        op = draw(st.sampled_from(["<", "==", ">="]))
        return draw(st.sampled_from(["", "not "])) + f"{left} {op} {right}"

    joins = draw(st.lists(st.sampled_from([" and ", " or "]), max_size=3))
    return term() + "".join(join + term() for join in joins)


@given(conditions())
@settings(
    max_examples=examples(150, 10),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # they are plain functions
)
def test_every_mix_of_operators_is_grouped_as_python_groups_it(expression, shape, text):
    assert shape(expression(text)) == python_shape(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t[0:64, k*128 : +128]", "t[<0:64 + />, <(k * 128): +128 />]"),
        ("t[:, ::2, a:b:c, 5]", "t[<: + />, <: + /2>, <a:b + /c>, 5]"),
        ("t[: +4 : 2, -1:]", "t[<: +4 /2>, <(- 1): + />]"),
        ("t[:, %r3 : +512]", "t[<: + />, <%r3: +512 />]"),
        ("t.view(u8).T[0]", "t.view(u8).T[0]"),
        ("t.ap([[-1, 128], [0, 4]], offset=n)", "t.ap([[(- 1), 128], [0, 4]], offset=n)"),
        ("f()", "f()"),
        ("sum(x, axis=1) * max(a, b)", "(sum(x, axis=1) * max(a, b))"),
        ("[]", "[]"),
        ("%r63", "%r63"),
        ("{k}a{j}", "{k}a{j}"),
        ("w{a{k}}", "w{a{k}}"),
        ("(a\n  ; why\n + b)", "(a + b)"),
    ],
)
def test_views_calls_lists_and_templates(expression, shape, text, expected):
    assert shape(expression(text)) == expected


EVERYTHING = """\
t[0:64, (k*128) : +128].view(u8) + f(a, n=-1)**2
[w{k}_{j+1}, "s", %r3, not (a < b or c)]
x.T @ (y - max(1, ~z))[i, ::2]"""


@pytest.mark.parametrize("text", EVERYTHING.splitlines())
def test_the_characters_of_a_node_parse_to_that_node(expression, text):
    source = Source("x", text)
    whole = expression(text, expectation=True)
    for _, node in descendants(whole):
        if not isinstance(node, (Slice, NamedArgument)):
            assert parse_expression(source, node.start, node.end, expectation=True) == node
