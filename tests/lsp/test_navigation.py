"""Definitions, references and renaming, each name in its own namespace."""

from __future__ import annotations

import pytest

from nasm.apps.lsp.analysis import Analysis, analyse
from nasm.apps.lsp.navigation import definition, references, renamed, span_of
from nasm.apps.lsp.positions import Position
from nasm.base.problems import Refused
from tests.lsp.texts import TEXT, place, whole

_FIRST, _SECOND = TEXT[: TEXT.rindex(".for")], TEXT[TEXT.rindex(".for") :]
OTHER_LOOP = _FIRST + (
    _SECOND.replace("i in", "k in")
    .replace("{i}", "{k}")
    .replace("i *", "k *")
    .replace("i +", "k +")
)


def lines(found: list) -> list[int]:
    return [each.range.start.line + 1 for each in found]


def changed(analysis: Analysis, position: Position, name: str) -> str:
    text = analysis.source.text
    for (_, where), new in reversed(sorted(renamed(analysis, position, name))):
        start, end = (analysis.places.offset(*p) for p in where)
        text = text[:start] + new + text[end:]
    return text


@pytest.mark.parametrize(
    ("line", "word", "skip", "declared", "used"),
    [
        (3, "N", 0, [2], [3, 4, 6, 11, 11, 13, 13]),
        (11, "x", 0, [3], [11]),
        (11, "t{", 0, [6], [11, 12, 13]),
        (11, "i", 0, [10], [11, 11, 11, 12, 12, 13, 13, 13]),
        (6, "i", 0, [5], [6]),
        (13, "$done", 0, [9], [12, 13]),
        (18, "go", 0, [16], [18]),
        (21, "go", 0, [20], [21]),
    ],
)
def test_a_name_is_found_where_it_means_the_same(
    line: int, word: str, skip: int, declared: list[int], used: list[int]
) -> None:
    analysis, position = whole(), place(TEXT, line, word, skip, int(word.startswith("$")))
    assert lines(definition(analysis, position)) == declared
    assert lines(references(analysis, position, declared=False)) == used


def test_what_is_made_by_substitution_finds_every_declaration_it_may_mean() -> None:
    position = place(TEXT, 11, "$in", inside=1)
    assert lines(definition(whole(), position)) == [9, 9]


@pytest.mark.parametrize(
    ("line", "word", "new", "expected"),
    [
        (2, "N", "WIDTH", TEXT.replace("N *", "WIDTH *").replace("N =", "WIDTH =")
         .replace("* N", "* WIDTH").replace("+N]", "+WIDTH]").replace(", N]", ", WIDTH]")),
        (6, "t{", "tile", TEXT.replace("t{i}", "tile{i}")),
        (9, "done", "$ready", TEXT.replace("done", "ready")),
        (18, "go", "again", TEXT.replace("go", "again", 2)),
        (10, "i", "k", OTHER_LOOP),
    ],
)  # fmt: skip
def test_a_renamed_text_makes_the_same_program(
    line: int, word: str, new: str, expected: str
) -> None:
    analysis = whole()
    found = changed(analysis, place(TEXT, line, word), new)
    assert found == expected
    assert analyse(found).whole


@pytest.mark.parametrize(
    ("line", "word", "new", "said"),
    [
        (3, "x", "y", "'y' is taken: a tensor is declared on line 4"),
        (3, "x", "done", "'$done' is taken: a semaphore is declared on line 9"),
        (3, "x", "t1", "'t{}' is taken: a tensor is declared on line 6"),
        (3, "x", "2x", "'2x' is no name"),
        (3, "x", "inf", "has a meaning of its own"),
        (9, "in1", "other", "may mean others as well"),
        (1, "target", "other", "not a name that the text declares"),
        (1, "trn1", "other", "not a name that the text declares"),
    ],
)
def test_a_name_that_is_taken_or_none_is_refused_with_a_sentence(
    line: int, word: str, new: str, said: str
) -> None:
    with pytest.raises(Refused, match=said.replace("$", r"\$").replace("{}", r"\{\}")):
        renamed(whole(), place(TEXT, line, word), new)


def test_nothing_is_renamed_while_a_line_cannot_be_read() -> None:
    text = TEXT + "@vector Memset (x\n"
    with pytest.raises(Refused, match="line 23 cannot be read"):
        renamed(analyse(text), place(text, 3, "x"), "z")


def test_what_changes_of_a_name_with_substitutions_is_what_is_before_them() -> None:
    where, now = span_of(whole(), place(TEXT, 11, "t{"))
    assert now == "t"
    assert where.end.character - where.start.character == 1


def test_moments_and_macros_have_namespaces_of_their_own() -> None:
    text = """\
.target trn1
.macro copy(a, b, s)
  .sbuf t f32[128, 4]
  @sync DmaCopy a, b  post t  $s += 16
.end
.sbuf t f32[128, 4]
copy(t, t, $done)
@vector Memset t, 0  after t, more[1]  post more[2] @read
"""
    analysis = analyse(text)
    assert lines(references(analysis, place(text, 6, "t "))) == [6, 7, 7, 8]
    assert lines(references(analysis, place(text, 3, "t "))) == [3]
    assert lines(references(analysis, place(text, 8, "more"))) == [8, 8]
    assert lines(references(analysis, place(text, 7, "copy"))) == [2, 7]
    assert lines(references(analysis, place(text, 4, "$s", inside=1))) == [2, 4]
