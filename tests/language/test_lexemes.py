"""The words of a text, as the grammar spells them, of lines that can be read and others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nasm.language.text.lexemes import lexemes


def kinds(text: str) -> list[tuple[str, str]]:
    return [(lexeme.kind, lexeme.text) for lexeme in lexemes(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "a: @vector Add x{k}_t, 0x1F ; note",
            [
                ("name", "a"),
                ("mark", ":"),
                ("engine", "@vector"),
                ("name", "Add"),
                ("name_open", "x{"),
                ("name", "k"),
                ("brace_close", "}_t"),
                ("mark", ","),
                ("number", "0x1F"),
                ("comment", "; note"),
            ],
        ),
        (
            '.x "a;b" $s >= 2',
            [
                ("directive", ".x"),
                ("string", '"a;b"'),
                ("semaphore", "$s"),
                ("mark", ">="),
                ("number", "2"),
            ],
        ),
        ("t.T\n.sem a", [("name", "t"), ("attribute", ".T"), ("directive", ".sem"), ("name", "a")]),
        ("@e .go", [("engine", "@e"), ("directive", ".go")]),
        ("$a{i}_b++", [("semaphore_open", "$a{"), ("name", "i"), ("brace_close", "}_b"),
                       ("mark", "++")]),
        ("x and %r2", [("name", "x"), ("mark", "and"), ("register", "%r2")]),
        ('"open 1x', [("mark", '"'), ("name", "open"), ("mark", "1"), ("name", "x")]),
    ],
)  # fmt: skip
def test_words_are_reported_by_how_they_are_spelt(text: str, wanted: list[tuple[str, str]]) -> None:
    assert kinds(text) == wanted


@given(st.text(alphabet='ab1 .@$%{}";\n[]=-é\U0001f600', max_size=60))
def test_every_character_that_is_no_blank_belongs_to_a_word(text: str) -> None:
    found = list(lexemes(text))
    assert all(text[f.start : f.end] == f.text for f in found)
    covered = {n for f in found for n in range(f.start, f.end)}
    assert not [c for n, c in enumerate(text) if n not in covered and not c.isspace()]
