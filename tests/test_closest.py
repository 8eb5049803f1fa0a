"""What is suggested for a misspelt word."""

from __future__ import annotations

import difflib

import pytest

from nasm.base.problems import closest


def test_long_words_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word of 100,000 characters took half a minute, with the 61 mnemonics there are."""
    compared: list[str] = []
    one = difflib.SequenceMatcher

    def matcher(junk: None, word: str, other: str, autojunk: bool) -> difflib.SequenceMatcher[str]:
        compared.append(other)
        return one(junk, word, other, autojunk)

    monkeypatch.setattr(difflib, "SequenceMatcher", matcher)
    assert closest("Activation" * 100, ["Activation2", "Nop"]) == []
    assert closest("Activatoin", ["Activation", "Activation" * 100, "Nop"]) == ["Activation"]
    assert compared == ["activation", "nop"]


def test_a_long_word_that_another_begins_with_is_suggested_all_the_same() -> None:
    assert closest("a" * 300, ["b" * 300, "a" * 301]) == ["a" * 301]
