"""What in a view is of a program has the same colours in all of them, and says the same without."""

from __future__ import annotations

import re

import pytest

from nasm.apps.repl import painting, panels
from nasm.show import colours
from tests.repl.conftest import Tried

CYAN, MAGENTA, YELLOW, BLUE = "36", "35", "33", "34"


def coloured(text: str) -> dict[str, str]:
    """The words of a text that have a colour, each with the last number of its style."""
    found = re.findall(r"\x1b\[([\d;]+)m([^\x1b]*)\x1b\[0m", text)
    return {word: style.split(";")[-1] for style, word in found}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("list", {"Count": CYAN, "%r0": YELLOW, "@alpha": MAGENTA, ".expect": BLUE}),
        ("where", {"Count": CYAN, "%r0": YELLOW, "$loaded": YELLOW}),
        ("who $loaded", {"Move": CYAN, "Wait": CYAN}),
        ("info queues", {"Count": CYAN, "%r0": YELLOW}),
        ("help Move", {"Move": CYAN}),
    ],
)
def test_words_of_the_language_have_their_colours(
    toy: Tried, line: str, words: dict[str, str]
) -> None:
    plain = toy.does("step 2", line)
    toy.shell.settings.color = "always"
    shown = toy.does(line)
    assert re.sub(r"\x1b\[[\d;]*m", "", shown) == plain
    found = coloured(shown)
    assert {word: found.get(word) for word in words} == words
    toy.shell.settings.color = "never"
    assert toy.does(line) == plain


@pytest.mark.parametrize(
    "line",
    [
        "stopped at 0.004 µs; 'continue' resumes",
        "3 semaphores changed, 4 did not",
        "Wait for it",  # no instruction of a target that has none of this name
        "user@host and 'help @engine'",
    ],
)
def test_sentences_have_none(line: str) -> None:
    found = list(colours.line(line))
    assert "".join(text for _, text in found) == line
    assert {kind for kind, _ in found} <= {"", "engine"}
    assert ("engine", "@host") not in found


def test_panels_have_them_too(toy: Tried) -> None:
    toy.does("step 2")
    lines = panels.shown(toy.shell, ("source", "queues", "semaphores"), 80, None)
    found = [piece for line in lines for piece in painting.painted(toy.shell, line)]
    assert ("class:instruction", "Move") in found
    assert ("class:mark class:instruction", "Count") in found
    assert ("class:semaphore", "$loaded") in found
