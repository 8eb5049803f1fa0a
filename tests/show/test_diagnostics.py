"""Diagnostics as they are printed: as plain text, and folded, cut and coloured for a terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

import nasm
from nasm.base.problems import (
    Failure,
    Note,
    Problem,
    Severity,
    Unsaid,
    clean,
    columns,
    did_you_mean,
    limited,
    quoted,
    render,
)
from nasm.base.source import Frame, Source, Span
from nasm.show.console import Visible, settings
from nasm.show.diagnostics import diagnostic, diagnostics

TEXT = ".for k in 0..2\n@vector TensorCopy  c, acc  $loaded >= 16\n.end\n"
SOURCE = Source("some/where.nasm", TEXT)


def span(word: str, text: Source = SOURCE) -> Span:
    at = text.text.index(word)
    return Span(text, at, at + len(word))


def lines(problem: Problem, width: int | None = None) -> list[str]:
    return diagnostic(problem, width).plain.split("\n")


def test_a_problem_as_a_string_is_what_the_command_prints() -> None:
    problem = Problem(
        "E0502",
        "the copy reads \x1b what is still written",
        span("c, acc").within((Frame(".for k = 1", span("k")),)),
        "wait for it\n  rule: in order (the guide)",
        (Note("c is declared here", span("c,")),),
    )
    assert (
        str(problem)
        == str(Failure(problem))
        == (
            "hazard[E0502]: the copy reads \\x1b what is still written\n"
            " --> some/where.nasm:2:21\n"
            "  |\n"
            "2 | @vector TensorCopy  c, acc  $loaded >= 16\n"
            "  |                     ^^^^^^\n"
            "  in .for k = 1, some/where.nasm:1:6\n"
            "  note: c is declared here (some/where.nasm:2:21)\n"
            "  hint: wait for it\n"
            "  rule: in order (the guide)"
        )
    )


def test_a_failure_as_a_string_is_all_its_problems() -> None:
    failure = Failure(
        [Problem("E0802", "X has no values"), Problem("E0804", "Y", severity=Severity.WARNING)]
    )
    assert str(failure) == "error[E0802]: X has no values\n\nwarning[E0804]: Y"


@pytest.mark.parametrize(
    "problem",
    [
        Problem("E0208", "nothing is called 'acc'", span("acc"), "did you mean 'c'?"),
        Problem("E0802", "input X has no values"),
        Problem(
            "E0404",
            "shapes",
            span("c, acc").within((Frame(".for k = 1", span("k")),)),
            "fix it\n  rule: as many (the guide)",
            (Note("c is declared here", span("c,")),),
        ),
        Problem("E0401", "odd", span("TensorCopy"), severity=Severity.WARNING),
    ],
)
def test_without_a_width_it_is_the_plain_text(problem: Problem) -> None:
    assert diagnostic(problem).plain == render(problem)


@pytest.mark.parametrize(
    ("code", "severity", "said"),
    [
        ("E0510", Severity.ERROR, "hazard"),
        ("E0804", Severity.ERROR, "error"),
        ("E0514", Severity.WARNING, "warning"),
        ("E0514", Severity.NOTE, "note"),
    ],
)
def test_a_problem_is_called_by_its_severity(code: str, severity: Severity, said: str) -> None:
    assert lines(Problem(code, "odd", severity=severity))[0] == f"{said}[{code}]: odd"


def test_only_errors_are_limited() -> None:
    errors = [Problem("E0208", f"{n}") for n in range(51)]
    note = Problem("E0514", "mild", severity=Severity.NOTE)
    *shown, note_shown, last = limited([*errors, note], Unsaid())
    assert (shown, note_shown) == (errors[:50], note)
    assert last.message == "only the first 50 errors are shown; 1 more"


def test_sentences_are_folded_under_one_another() -> None:
    problem = Problem("E0208", "x " * 30 + "end", hint="y " * 30 + "end")
    shown = lines(problem, 40)
    assert max(map(len, shown)) <= 40
    assert [line.split("x")[0] for line in shown if "x" in line] == ["error[E0208]: ", "  "]
    assert [line.split("y")[0] for line in shown if "y" in line] == ["  hint: ", "        "]


def test_a_map_in_a_hint_keeps_its_columns() -> None:
    row = "    1,024 .. 2,048   1,024 bytes  a, partitions 0 to 127"
    assert f"  {row}" in lines(Problem("E0311", "full", hint=f"the map:\n{row}"), 40)


@pytest.mark.parametrize("word", ["first", "middle", "last"])
def test_a_long_line_is_cut_around_its_caret(word: str) -> None:
    text = Source("f", "first" + " a" * 60 + " middle" + " b" * 60 + " last")
    shown = lines(Problem("E0208", "m", span(word, text)), 60)
    excerpt, caret = shown[-2], shown[-1]
    assert len(excerpt) <= 60
    at = caret.index("^")
    assert excerpt[at : at + caret.count("^")] == word


def test_a_mark_longer_than_the_line_begins_where_it_begins() -> None:
    text = Source("f", "a b " + "word" * 50)
    shown = lines(Problem("E0208", "m", span("word" * 50, text)), 60)
    at = shown[-1].index("^")
    assert max(map(len, shown)) <= 60
    assert shown[-2][at : at + 8] == "wordword"


def test_the_caret_is_under_its_word_behind_tabs_and_wide_characters() -> None:
    text = Source("f", "\t日本 acc")
    shown = lines(Problem("E0208", "m", span("acc", text)))
    line, caret = shown[-2], shown[-1]
    assert cell_len(line[: line.index("acc")]) == caret.index("^")
    assert caret.count("^") == 3
    # the margin "1 | ", a tab to column 8, two characters of two columns, a blank
    assert caret.index("^") == 4 + 8 + 4 + 1


@pytest.mark.parametrize("text", ["acc", "日本 acc", "ｗｉｄｅ", "e\u0301", "µ × …", "한글", "🙂"])
def test_columns_are_counted_as_the_terminal_s_library_counts_them(text: str) -> None:
    assert columns(text) == cell_len(text)


def test_what_would_move_the_cursor_is_shown_as_its_escape() -> None:
    assert clean("a\x1b[31mb\x9bc\rd") == "a\\x1b[31mb\\x9bc\\rd"
    text = Source("f", "\x1b[2J acc")
    shown = "\n".join(lines(Problem("E0208", "found '\x1b'", span("acc", text))))
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb", "a\\u202eb"),  # right-to-left override
        ("a\u2066b\u2069", "a\\u2066b\\u2069"),
        ("\u200b\ufeff\u00ad", "\\u200b\\ufeff\\xad"),
        ("\u2028\u0085", "\\u2028\\x85"),
        ("\udc80", "\\udc80"),  # a byte of a file name that is no UTF-8
        ("\U000e0041\ue000\uffff", "\\U000e0041\\ue000\\uffff"),
        ("a\u115f\u3164\ufe0f", "a\\u115f\\u3164\\ufe0f"),
        ("a\xa0b", "a\\xa0b"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_its_escape(text: str, seen: str) -> None:
    assert clean(text) == seen
    assert clean(seen) == seen


@pytest.mark.parametrize("text", ["µ × …", "日本 한글", "e\u0301", "\u05d0\u05d1", "🙂", "a\nb"])
def test_what_can_be_seen_stays(text: str) -> None:
    assert clean(text) == text


def test_the_caret_is_under_its_word_behind_what_cannot_be_seen() -> None:
    text = Source("f", "\u202e\x1b[2J\t日本 acc\u202eacc")
    shown = lines(Problem("E0208", "m", span("acc\u202eacc", text)))
    line, caret = shown[-2], shown[-1]
    assert cell_len(line[: line.index("acc")]) == caret.index("^")
    assert caret.count("^") == len("acc\\u202eacc")


def test_a_word_of_a_user_is_quoted_on_one_line_and_cut() -> None:
    assert quoted("a\nb\tc\u202e") == "a\\nb\\tc\\u202e"
    assert quoted("x" * 100) == "x" * 59 + "…"


def test_a_console_shows_no_character_that_cannot_be_seen() -> None:
    stream = io.StringIO()
    console = Visible(**settings(stream, "always"))
    table = Table("a wide head")
    table.add_row(Text("a\u202eb", "bold"))
    for part in (Text("c\u2066\x1b[2Jd"), "e\u200bf", table):
        console.print(part)
    out = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    assert all(c.isprintable() or c == "\n" for c in out)
    assert "a\\u202eb" in out
    assert "c\\u2066\\x1b[2Jd" in out


def test_a_line_of_a_message_is_never_taken_for_one_of_the_report() -> None:
    said = str(Problem("E0219", "the assertion fails: no\nPASS: 1 expectation met"))
    assert said == "error[E0219]: the assertion fails: no\n    PASS: 1 expectation met"


def test_endless_lines_and_messages_are_cut_in_a_file_too() -> None:
    text = Source("f", "a" * 10**6 + " acc")
    shown = lines(Problem("E0208", "m" * 10**6, span("acc", text)))
    assert max(map(len, shown)) < 2000
    line, caret = shown[-2], shown[-1]
    assert line.index("acc") == caret.index("^")


@pytest.mark.parametrize("word", ["tnesor_5", "tensor_05x", "tensro_5", "etnsor_5"])
def test_of_thousands_of_words_a_likely_one_is_meant(word: str) -> None:
    known = [f"{stem}_{n}" for stem in ("tensor", "weights") for n in range(3000)]
    assert "tensor_" in did_you_mean(word, known)
    assert "weights" not in did_you_mean(word, known)


def test_problems_are_apart() -> None:
    two = diagnostics([Problem("E0802", "a"), Problem("E0803", "b")])
    assert two.plain == "error[E0802]: a\n\nerror[E0803]: b"


def test_only_the_line_of_the_program_has_its_colours() -> None:
    with pytest.raises(Failure) as raised:
        nasm.assemble(".target trn2\n@vector Nopp\n")
    shown = diagnostic(raised.value.problems[0])
    styles = {shown.plain[span.start : span.end]: span.style for span in shown.spans}
    assert styles["@vector"]
    assert not styles.get("did")
    assert "2" not in styles  # of text:2:9
