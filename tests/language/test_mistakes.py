"""What a text that cannot be read is told."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nasm.base.problems import Failure, Problem, render
from nasm.base.source import Source
from nasm.language.text.parse import parse, parse_expression
from nasm.language.text.syntax_errors import CODES, TABLE
from tests.parts import examples
from tests.tables import each


def problems(text: str) -> list[Problem]:
    return parse(Source("test.nasm", text))[1]


def only(text: str) -> Problem:
    (problem,) = problems(text)
    return problem


EXAMPLES = [(entry.code, text) for entry in TABLE for text in entry.examples]


@each(("code", "text"), EXAMPLES)
def test_every_kind_of_mistake_is_shown_by_its_examples(code, text):
    problem = only(text)
    assert problem.code == code
    assert problem.span is not None
    assert 0 <= problem.span.start < problem.span.end <= len(text) + 1


def test_codes_are_in_order_and_explained():
    assert list(CODES) == [f"E0{number}" for number in range(101, 101 + len(TABLE))]
    for entry in TABLE:
        assert entry.examples
        assert len(entry.explanation) > len(entry.title) + 60
        assert entry.explanation.rstrip(")").endswith(".")


@each(
    ("text", "at", "message", "hint"),
    [
        ("Nop c acc", "acc", "a comma is missing between 'c' and 'acc'", "write 'c, acc'"),
        ("Nop (a b)", "b", "an operator is missing between 'a' and 'b'", ""),
        ("Nop max(a, b", "(", "this '(' is never closed", ""),
        ("Nop a[0)", ")", "')' cannot close '['", "wanted ']' here"),
        ("Nop a + , b", ",", "wanted a value after '+', found ','", ""),
        ("Nop a && b", "& b", "wanted a value after '&', found '&'", "write 'and'"),
        (".if k = 3\n.end", "=", "'=' does not compare", "write '=='"),
        (".expect C = A", "=", "'=' does not compare", "write '==' or '~'"),
        (
            ".for k in 0 4\n.end",
            "4",
            "found '4' after '0' where '..', '[', an operator or the end of the line was wanted",
            "it is written '.for k in 0..4 step 2'",
        ),
        (
            "Nop $s > 3++",
            "++",
            "'++' follows a value",
            "an update has its own name, as in '$s >= 3  $t++'",
        ),
        (
            "Nop 1.",
            "1.",
            "'1.' is not a number",
            "write '1.0': there are digits on both sides of the dot",
        ),
        (
            "Nop .5",
            ".5",
            "'.5' is not a number",
            "write '0.5': there are digits on both sides of the dot",
        ),
        (
            "Nop 1 < 2 <= 3",
            "<= 3",
            "'<=' is a second comparison, and comparisons do not chain",
            "put one comparison in ( ), or join two with 'and'",
        ),
        ("Nop a, +b", "+", "there is no unary '+'", "leave the '+' out"),
        ("Nop a # b", "#", "'#' has no meaning here", "comments start with ';'"),
        (
            "Nop a\u00a0b",
            "\u00a0",
            "U+00A0 (NO-BREAK SPACE) has no meaning here",
            "it cannot be seen: delete it, or write it in a string",
        ),
        (".end", ".end", "'.end' is out of place: no block is open", ""),
        (
            ".cosnt N = 5",
            ".cosnt",
            "'.cosnt' is not a directive and declares no tensor",
            "did you mean '.const'?",
        ),
        ('.include "a\\qb"', "\\q", "'\\q' is not an escape", 'the escapes are \\" \\\\ \\n \\t'),
    ],
)
def test_a_message_says_what_was_found_and_what_was_wanted(text, at, message, hint):
    problem = only(text)
    assert (problem.message, problem.hint) == (message, hint)
    assert problem.span.start == (text.index(at) if at else len(text))


def test_a_problem_is_drawn_under_its_place():
    assert render(only("Nop\n  Nop c acc")) == (
        "error[E0107]: a comma is missing between 'c' and 'acc'\n"
        " --> test.nasm:2:9\n"
        "  |\n"
        "2 |   Nop c acc\n"
        "  |         ^^^\n"
        "  hint: write 'c, acc'"
    )


def test_all_mistakes_of_a_text_come_at_once_in_order_and_cost_their_lines_only():
    file, found = parse(Source("x", "Nop a b\nGood a\n.for k in 0..2\nNop +1\nFine\n.end\n.end"))
    assert [(p.code, p.span.line) for p in found] == [("E0107", 1), ("E0109", 4), ("E0118", 7)]
    assert file.body[0].mnemonic.name == "Good"
    assert [line.mnemonic.name for line in file.body[1].body] == ["Fine"]


@pytest.mark.parametrize("opener", [".for k in 0 4", ".if (", '.if "', ".dma", ".macro m"])
def test_a_block_whose_first_line_cannot_be_read_costs_one_mistake(opener):
    file, found = parse(Source("x", f"{opener}\n.for j in 0..2\nNop\n.end\n.end\nLast"))
    assert [p.span.line for p in found] == [1]
    assert [line.mnemonic.name for line in file.body] == ["Last"]


def test_mistakes_inside_a_block_that_cannot_be_read_are_reported_too():
    assert [p.span.line for p in problems(".for k\nNop a b\n.end")] == [1, 2]


def test_a_missing_bracket_is_one_mistake():
    file, found = parse(Source("x", "@pe Add a[0, b\n@pe Mul c\n.sem s"))
    assert [(p.code, p.span.start) for p in found] == [("E0105", 9)]
    assert [type(s).__name__ for s in file.body] == ["InstructionLine", "SemLine"]


def test_a_misspelt_opening_directive_does_not_leave_its_end_behind():
    found = problems(".iff a\nNop\n.else\nNop\n.end\n.end")
    assert [(p.code, p.span.line) for p in found] == [("E0115", 1), ("E0118", 6)]


def test_a_branch_that_cannot_be_read_keeps_its_block_together():
    file, found = parse(Source("x", ".if a\nNop\n.elif\nNop\n.else\n.end\nLast"))
    assert [(p.code, p.span.line) for p in found] == [("E0114", 3)]
    assert [line.mnemonic.name for line in file.body] == ["Last"]  # no branch can be chosen


def test_text_behind_an_end_is_reported_and_the_block_still_ends():
    found = problems(".for k in 0..2\nNop\n.end for\nNop")
    assert [(p.code, p.span.line) for p in found] == [("E0114", 3)]


def test_a_dma_block_is_not_called_empty_when_its_line_was_wrong():
    assert [p.span.line for p in problems(".dma d\na <- b c\n.end")] == [2]


def test_a_block_that_is_never_closed_still_holds_what_it_held():
    file, found = parse(Source("x", ".if a\n.dma d\nx <- y\n"))
    assert [(p.code, p.span.line) for p in found] == [("E0119", 1), ("E0119", 2)]
    assert file.body[0].branches[0][1][0].name.name == "d"


@pytest.mark.parametrize(
    "text",
    [
        "Nop " + "[" * 3000 + "]" * 3000,
        "Nop " + "-" * 3000 + "1",
        "Nop 1" + "**1" * 3000,
        "Nop 1" + "+(1" * 3000 + ")" * 3000,
        "Nop t" + "[t" * 3000 + "]" * 3000,
        "Nop " + "w{" * 3000 + "1" + "}" * 3000,
        ".if 1\n" * 3000 + ".end\n" * 3000,
    ],
)
def test_what_is_too_deep_for_any_later_walk_is_refused(text):
    assert only(text).code == "E0122"


@pytest.mark.parametrize("line", ["Nop {}", ".expect {} == 1"])
def test_a_row_of_operators_is_not_deep(line):
    for side in ("x" + " + 1" * 3000, "x" + ".T" * 3000, "x" + "[0]" * 3000):
        assert problems(line.format(side)) == []
    assert problems(line.format("(" * 3000 + "x" + " + 1)" * 3000)) == []
    found = only(line.format("1 + (" * 101 + "1" + ")" * 101))
    assert found.message == "an expression is nested more than 100 deep"


@each(
    ("opening", "closing"),
    [("-", ""), ("(-", ")"), ("abs(", ")"), ("1 + (", ")"), ("[", "]"), ("not ", "")],
)
@each("line", [".const A = {}", ".expect {} == 0", ".if {}\n.end", "Nop {}", "Nop op={}"])
def test_what_is_nested_100_deep_is_not_nested_more_than_100_deep(line, opening, closing):
    for deep, codes in ((100, []), (101, ["E0122"])):
        text = line.format(f"({opening * deep}1{closing * deep})")
        assert [p.code for p in problems(text)] == codes


@pytest.mark.parametrize("prefix", ["0x" + "f" * 1024, "0b" + "1" * 4096, str(2**4096 - 1)])
def test_an_integer_has_4096_bits_in_every_base(prefix):
    assert problems(f".const N = {prefix}") == []
    found = only(f".const N = {prefix}1")
    assert (found.code, found.hint) == ("E0104", "wanted at most 4,096 bits")


@pytest.mark.parametrize("text", ["0x" + "f" * 10**5, "0b" + "1" * 10**5, "9" * 10**5])
def test_a_message_about_a_long_number_is_short(text):
    assert len(only(f".const N = {text}").message) < 100


def test_a_long_list_and_many_brackets_are_not_deep():
    assert problems(".const N = [" + ", ".join(["-(1)"] * 3000) + "]") == []
    assert problems("Nop " + "(" * 3000 + "1" + ")" * 3000) == []


# Blanks and newlines stand between them or not, as the tests draw.
_LEXEMES = (
    "a Nop w{ } }_{ { ( ) [ ] , : . .. .T .end .for .if .elif .else .dma .macro m( .include "
    '"f" " \\ $s $s{ $ ++ -- += -= = == < <- >= ~ @ @read @sync %r1 % 1 0x1f 1.5 1. .5 1e9 in '
    "step bank not and or - + * ** // | & ! ? \u00e4 ; .sbuf bf16 .expect .sem .const .target "
    ".assert .nasm \0"
)
LEXEMES = [*_LEXEMES.split(" "), "\n", "\n", "\u00a0", "\r", "\v"]


@given(st.lists(st.sampled_from(LEXEMES), max_size=25), st.sampled_from(["", " "]))
@settings(max_examples=examples(300, 37), deadline=None)
def test_no_mix_of_lexemes_breaks_the_parser(lexemes, gap):
    never_raises(gap.join(lexemes))


@given(st.text(max_size=60))
@settings(max_examples=examples(200, 12), deadline=None)
def test_no_text_breaks_the_parser(text):
    never_raises(text)


def never_raises(text: str) -> None:
    source = Source("x", text)
    _, found = parse(source)
    starts = [p.span.start for p in found]
    assert starts == sorted(starts)
    for problem in found:
        assert problem.code in CODES
        assert render(problem)
    with suppress(Failure):
        parse_expression(source, 0, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "for: @vector Nop",
        "vector: Nop c, 0",
        "again: Nop for, 0",
        "Nop for=1",
        "Nop a // b",
        "Nop equ, const",
        ".repeat t f32[4]",
    ],
)
def test_a_word_that_means_something_elsewhere_is_a_name_here(text):
    assert not problems(text)


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("@vector Nop a b", False),
        ("again: @vector Nop a b", True),
        ("@vector\n@vector load(a b)", True),
        ("@vector Nop a b  post done", True),
        ("@vector : Nop", True),
        ("Nop a b", True),
        (".sem a b", True),
        (".expect a b", False),
        ("// a note", False),
        ("@vector Nop a b\n.for k in 0..4", True),
    ],
)
def test_an_unread_line_for_an_engine_declares_nothing(text, unread):
    assert parse(Source("test.nasm", text))[0].unread is unread
