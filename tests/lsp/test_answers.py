"""Diagnostics, hovers, completion, outlines and cycles of a text."""

from __future__ import annotations

import pytest

from nasm.apps.lsp.analysis import analyse, followed
from nasm.apps.lsp.completion import completions
from nasm.apps.lsp.diagnostics import diagnostics
from nasm.apps.lsp.formatting import tidied
from nasm.apps.lsp.hover import hover
from nasm.apps.lsp.outline import LEGEND, cycles, entries, tokens
from nasm.apps.lsp.positions import Position, Range
from tests.lsp.texts import TEXT, place, whole
from tests.tables import each


def test_what_is_wrong_is_marked_in_units_of_utf_16() -> None:
    text = '.target trn1\n.assert true, "\U0001f600"  oops\n'
    (found,) = diagnostics(analyse(text), analyse(text).problems)
    assert found.range.start == Position(1, len('.assert true, "xx"  '))
    text = '.target trn1\n.assert nothing > 0, "\U0001f600"\n'
    (found,) = diagnostics(analyse(text), analyse(text).problems)
    assert (found.code, found.severity) == ("E0208", "error")
    assert found.range == Range(Position(1, 8), Position(1, 15))


def test_what_check_tells_is_reported_and_its_notes_are_related_places() -> None:
    text = """\
.target trn1
.sbuf t f32[128, 4]
@vector Memset t, 0
@scalar Activation t, t, op=copy
"""
    analysis = analyse(text)
    assert analysis.whole
    found = [d for d in diagnostics(analysis, followed(analysis)) if d.code == "E0502"]
    assert found
    assert {related.range.start.line for d in found for related in d.related} & {2, 3}


def test_a_problem_of_a_repeated_line_says_which_round_it_is_in() -> None:
    text = ".target trn1\n.for i in 0..2\n  .sbuf t f32[128, 4]\n.end\n"
    (found,) = diagnostics(analyse(text), analyse(text).problems)
    assert found.code == "E0202"
    assert "in .for i = 1" in [related.message for related in found.related]


@each(
    ("line", "word", "said"),
    [
        (11, "t{", ["**t0** `float32[128, 4]` in sbuf at 0:0; 16 bytes in each of 128 partitions",
                    "**t1** `float32[128, 4]` in sbuf at 0:16;"]),
        (8, "acc", ["in psum at 0:4096 (bank 2); 2,048 bytes"]),
        (3, "x", ["in hbm, input at byte 0; 4,096 bytes"]),
        (2, "TILES", ["**TILES** = 2, declared on line 2"]),
        (13, "done", ["Posted by @vector on line 12.", "Waited for by @sync on line 13."]),
        (12, "Memset", ["# Memset", "## Operands"]),
        (18, "op", ["**op** of CompareBranch", "`equal`"]),
        (18, "equal", ["**equal**"]),
        (12, "vector", ["**vector** (engine)", "Its instructions:"]),
        (10, "for", ["**.for** (directive): .for k in 0..4 step 2"]),
        (3, "f32", ["**float32** (dtype)"]),
        (18, "go", ["**go**: a label, declared on line 16"]),
    ],
)  # fmt: skip
def test_a_word_is_explained(line: int, word: str, said: list[str]) -> None:
    found = hover(whole(), place(TEXT, line, word))
    assert found is not None
    assert [s for s in said if s not in found[0]] == []


def test_the_program_of_a_text_with_a_broken_line_is_known_all_the_same() -> None:
    found = hover(analyse(TEXT + "@vector Memset (\n"), place(TEXT, 8, "acc"))
    assert found is not None
    assert "float32[128, 512]" in found[0]


@pytest.mark.parametrize(
    ("before", "first"),
    [
        ("@vector Memse", "Memset"),
        ("@vec", "@vector"),
        (".exp", ".expect"),
        (".sbuf t bf", "bf16"),
        ("@vector Memset ac", "acc"),
        ("@vector Memset acc, 0  $do", "$done"),
        (".target trn2", "trn2"),
        ("  CompareBranch 0, 1, target=g", "go"),
        ("  CompareBranch 0, 1, op=eq", "equal"),
        (".expect y ~ x.resh", "reshape"),
        ("go: @vector Mem", "Memset"),
    ],
)
def test_completion_offers_what_may_follow(before: str, first: str) -> None:
    found = completions(whole(), before)
    assert first in [s.text for s in found[:3]]
    word = next(s for s in found if s.text == first)
    assert word.length > 0
    assert first.startswith(before[-word.length :])


@pytest.mark.parametrize("before", ["; Mem", '.assert true, "Mem'])
def test_completion_is_silent_in_comments_and_strings(before: str) -> None:
    assert completions(whole(), before) == []


def test_everything_declared_is_listed_in_order() -> None:
    found = [(e.name, e.kind, e.range.start.line + 1) for e in entries(whole())]
    assert found == [
        ("N", "constant", 2),
        ("TILES", "constant", 2),
        ("x", "tensor", 3),
        ("y", "tensor", 4),
        ("i", "variable", 5),
        ("t{}", "tensor", 6),
        ("acc", "tensor", 8),
        ("$in{}", "semaphore", 9),
        ("$in1", "semaphore", 9),
        ("$done", "semaphore", 9),
        ("i", "variable", 10),
        ("go", "label", 16),
        ("go", "label", 20),
    ]


def test_cycles_are_behind_the_lines_that_take_them() -> None:
    text = TEXT.replace("Memset t{i}, 0", "Memset t{i}[:, 0 : 1 + i], 0")
    found = {h.position.line + 1: h.text for h in cycles(analyse(text), 0, 99)}
    assert [line for line in sorted(found) if line < 22] == [11, 12, 13, 16, 17, 18, 20, 21]
    low, high = (
        instruction.shape("vector", program.generation).cost.interval
        for program in [analyse(text).program]
        if program is not None
        for instruction in program.instructions
        if instruction.row.name == "Memset"
    )
    assert found[12] == (f"{low} cycles" if low == high else f"{low} to {high} cycles")
    assert [h.position.line for h in cycles(analyse(text), 15, 16)] == [15, 16]


def test_tokens_are_in_order_and_say_what_words_are() -> None:
    data = tokens(whole())
    line = character = 0
    found: dict[str, str] = {}
    for n in range(0, len(data), 5):
        down, right, length, kind, _ = data[n : n + 5]
        line, character = line + down, right if down else character + right
        word = TEXT.split("\n")[line][character : character + length]
        found[word] = LEGEND[kind]
    wanted = {"x": "variable", "Memset": "function", "done": "event", "equal": "enumMember"}
    assert found | wanted == found


def test_a_text_that_would_take_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    from nasm.apps.lsp import analysis

    monkeypatch.setattr(analysis, "SECONDS", 0.2)
    loops = "".join(f".for i{n} in 0..100\n" for n in range(6)) + "@sync Nop\n" + ".end\n" * 6
    made = analyse(f".target trn1\n{loops}")
    assert made.problems  # the loops are counted ahead, and refused
    assert hover(made, Position(1, 2)) is not None


def test_a_text_for_which_there_is_no_time_keeps_the_program_that_it_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from nasm.apps.lsp import analysis

    def spins(*_: object) -> None:
        while True:
            pass

    before = whole()
    monkeypatch.setattr(analysis, "SECONDS", 0.02)
    monkeypatch.setattr(analysis, "assemble", spins)
    made = analyse(TEXT + "@vector Memset", before=before)
    assert made.late
    assert made.problems == followed(made) == ()  # nothing on its first line, nor elsewhere
    assert made.program is before.program
    assert made.source.text.endswith("Memset")
    assert analyse(TEXT).program is None


def test_a_text_is_put_into_columns_and_one_that_cannot_be_read_stays() -> None:
    analysis = whole()
    ((where, text),) = tidied(analysis)
    assert where == analysis.places.range(0, len(TEXT))
    assert analyse(text).whole
    assert tidied(analyse(text)) == []
    assert tidied(analyse(TEXT + "@vector Memset (\n")) == []


def test_a_file_of_macros_needs_no_target() -> None:
    analysis = analyse(".macro twice(a, DT=f32)\n.sbuf t {DT}[128, 4]\n.end\n")
    assert analysis.problems == ()
    assert [p.code for p in analyse(".sem a\n").problems] == ["E0214"]
