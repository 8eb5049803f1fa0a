"""Where logical lines begin and end."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nasm.language.text import grammar
from nasm.language.text.blocks import logical_lines
from tests.tables import each


def cut(text: str) -> list[str]:
    return [text[line.start : line.end] for line in logical_lines(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", ["a", "b"]),
        ("  a b \t\n\n   \n  c\r\n", ["a b", "c"]),
        ("", []),
        ("; only a comment", []),
        ("a ; one\n; two\nb;three", ["a", "b"]),
    ],
)
def test_a_line_is_its_text_without_blanks_and_comments(text, expected):
    assert cut(text) == expected


def test_a_semicolon_inside_a_string_starts_no_comment():
    assert cut('.assert 1, "a;b" ; c') == ['.assert 1, "a;b"']


def test_an_escaped_quote_does_not_end_a_string():
    assert cut(r'a "x\";y" ; c') == [r'a "x\";y"']


@pytest.mark.parametrize("pair", ["()", "[]", "{}"])
def test_a_newline_inside_brackets_does_not_end_a_line(pair):
    assert cut(f"a {pair[0]}1,\n  2{pair[1]}, b\nc") == [f"a {pair[0]}1,\n  2{pair[1]}, b", "c"]


@each("end", [",", "+", "-", "//", "**", "<<", "==", "<", "|", "~", " and", " or"])
def test_a_line_goes_on_behind_a_comma_or_an_operator(end):
    for between in ("", " ; why", "\n", "  \r\n ; b\n\t\n"):
        text = f"a b{end}{between}\n  c ; d\ne"
        assert cut(text) == [f"a b{end}{between}\n  c", "e"]


@pytest.mark.parametrize("end", ["++", "--", "$and", "band", "x.or", "=", ":", '","', "; ,", "]"])
def test_a_line_ends_behind_anything_else(end):
    line = f"a {end}"
    assert cut(f"{line}\nb") == [line.split(" ;")[0], "b"] if ";" not in end else ["a", "b"]


@pytest.mark.parametrize("fresh", [".sem s", "@vector Nop", "  @pe", "\t.end"])
def test_a_directive_or_an_engine_ends_a_line_that_would_go_on(fresh):
    assert cut(f"a,\n{fresh}") == ["a,", fresh.strip()]


def test_a_line_that_would_go_on_ends_with_the_text():
    assert cut("a, ; b\n\n; c\n") == ["a,"]


def test_a_bracket_in_a_comment_or_a_string_opens_nothing():
    assert cut('a ; (\nb "["\nc') == ["a", 'b "["', "c"]


def test_a_comment_between_continued_lines_stays_and_one_at_the_end_goes():
    assert cut("a [1, ; one\n 2] ; two\nb") == ["a [1, ; one\n 2]", "b"]


@pytest.mark.parametrize("fresh", [".sem s", "@vector Nop", "  @pe", "\t.end"])
def test_a_directive_or_an_engine_ends_what_was_left_open(fresh):
    lines = list(logical_lines(f"a (b, [c\nd\n{fresh}"))
    assert [(line.start, line.end, line.unclosed) for line in lines] == [
        (0, 10, 6),  # up to "d"; the "[" is the innermost bracket
        (11 + len(fresh) - len(fresh.lstrip()), 11 + len(fresh), None),
    ]


def test_a_matrix_product_may_begin_a_continued_line():
    assert cut(".expect C ~ (A\n @ B)") == [".expect C ~ (A\n @ B)"]


def test_a_bracket_left_open_at_the_end_of_the_text_is_reported():
    (line,) = logical_lines("a f(1,")
    assert line.unclosed == 3


def test_a_closing_bracket_too_many_does_not_disturb_the_next_line():
    assert cut("a )\nb (\n) c\nd") == ["a )", "b (\n) c", "d"]


def test_a_string_that_is_not_closed_ends_with_its_line_even_inside_brackets():
    lines = list(logical_lines('a ("x, 1\nb'))
    assert [(line.start, line.end, line.unterminated) for line in lines] == [
        (0, 8, 3),
        (9, 10, None),
    ]


def test_a_backslash_before_the_end_of_the_line_does_not_continue_a_string():
    (first, second) = logical_lines('a "x\\\nb"')
    assert (first.unterminated, second.unterminated) == (2, 7)


@given(st.text(alphabet='ab ();[]{}"\\\n.@\t', max_size=60))
def test_lines_are_in_order_apart_and_lose_nothing_but_blanks_and_comments(text):
    end = 0
    for line in logical_lines(text):
        assert end <= line.start < line.end <= len(text)
        between = text[end : line.start]
        assert all(not row.strip() or ";" in row for row in between.split("\n"))
        assert text[line.start : line.end] == text[line.start : line.end].strip()
        end = line.end


@pytest.mark.parametrize("body", ["a" * 300_000, "\\n" * 150_000])
def test_a_long_string_takes_little_more_than_its_characters(body: str) -> None:
    text = f'.const s = "{body}"'
    grammar.parser()
    tracemalloc.start()
    try:
        (line,) = logical_lines(text)
        grammar.read(text, line.start, line.end, "line")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * len(text)
