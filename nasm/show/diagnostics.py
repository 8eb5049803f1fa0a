"""Diagnostics for a terminal: the pieces of :mod:`nasm.base.problems`, each in its colour."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from nasm.base.problems import Problem, pieces
from nasm.show.colours import code, painted

LABELS = {
    "error": "bold red",
    "hazard": "bold magenta",
    "warning": "bold yellow",
    "note": "bold cyan",
}
STYLES = {
    "message": "bold",
    "margin": "blue",
    "expansion": "dim",
    "note": "cyan",
    "hint": "green",
    "text": "",
}


def diagnostic(problem: Problem, width: int | None = None) -> Text:
    """A problem with its excerpt, expansions, notes and hint."""
    styles = {**STYLES, **dict.fromkeys(("label", "caret"), LABELS[problem.label])}
    made = Text()
    for what, text in pieces(problem, width):
        if what == "program":
            made.append_text(painted(code(text)))
        else:
            made.append(text, styles[what])
    return made


def diagnostics(problems: Iterable[Problem], width: int | None = None) -> Text:
    """Problems one below the other, an empty line between them."""
    return Text("\n\n").join(diagnostic(p, width) for p in problems)
