"""Any text gives answers, whatever is wrong with it."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest

from nasm.apps.lsp.analysis import DEFECT, analyse, followed
from nasm.apps.lsp.completion import completions
from nasm.apps.lsp.diagnostics import diagnostics
from nasm.apps.lsp.formatting import tidied
from nasm.apps.lsp.hover import hover
from nasm.apps.lsp.navigation import definition, references, renamed
from nasm.apps.lsp.outline import cycles, entries, tokens
from nasm.base.problems import Refused
from tests.fuzz.mutations import mutated
from tests.lsp.texts import TEXT
from tests.parts import part
from tests.tables import each

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))
TEXTS = (TEXT, *(p.read_text(encoding="utf-8") for p in PROGRAMS[:6]))


def asked(text: str, dice: random.Random) -> None:
    """Ask everything of a text, at places of it."""
    analysis = analyse(text)
    problems = followed(analysis)
    assert DEFECT not in [p.code for p in problems], problems
    diagnostics(analysis, problems)
    entries(analysis)
    cycles(analysis, 0, 1000)
    tokens(analysis)
    tidied(analysis)
    for _ in range(12):
        offset = dice.randrange(len(text) + 1)
        position = analysis.places.position(offset)
        hover(analysis, position)
        definition(analysis, position)
        references(analysis, position)
        completions(analysis, analysis.places.line(position.line)[: position.character])
        with suppress(Refused):
            renamed(analysis, position, "other")


@pytest.mark.parametrize("seed", part(range(12), 2))
def test_a_text_that_was_changed_at_random_gives_answers(seed: int) -> None:
    dice = random.Random(seed)
    text = dice.choice(TEXTS)
    for _ in range(3):
        asked(text := mutated(dice, text, TEXTS), dice)


@pytest.mark.parametrize("seed", part(range(6), 2))
def test_a_text_as_far_as_it_is_typed_gives_answers(seed: int) -> None:
    dice = random.Random(seed)
    text = dice.choice(TEXTS)
    asked(text[: dice.randrange(len(text))], dice)


@each(
    "text", ["", "\n", "\ufeff", "{", "}", "$", "@", ".", "@export", ".end", "a{b}{", "\ud800 x",
             ".for", ".macro", ".const =", ".sbuf", ":", "post", "x\r\ny\rz", "\x00"]
)  # fmt: skip
def test_scraps_give_answers(text: str) -> None:
    asked(text, random.Random(0))
    asked(f".target trn1\n{text}\n@vector {text}", random.Random(0))
