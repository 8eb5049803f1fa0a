"""What the editor of the page asks about a text, answered as data that JSON can hold.

Nothing here knows a server or a browser. Places are lines and UTF-16 code units, both from 0, as
JavaScript counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from rich.markdown import Markdown

from nasm.apps.highlighting import classes
from nasm.apps.lsp import hover
from nasm.apps.lsp.analysis import SECONDS, Analysis, AssemblySettings, analyse, followed
from nasm.apps.lsp.completion import completions
from nasm.apps.lsp.diagnostics import Diagnostic, Fix, diagnostics, fixes
from nasm.apps.lsp.formatting import tidied
from nasm.apps.lsp.positions import Position, Range, units
from nasm.apps.play import python_texts
from nasm.base import host_memory, signals
from nasm.base.files import Allowed
from nasm.base.problems import Failure, Problem, Refused
from nasm.base.signals import StopSignal
from nasm.base.source import Source
from nasm.language.assemble import Rewrite, assemble
from nasm.language.editing.synchronised import Synchronised
from nasm.program.program import Program
from nasm.show import html
from nasm.show.diagnostics import diagnostic
from nasm.targets import TARGETS

Asked = Mapping[str, Any]
"""A question, as JSON had it."""

LARGEST = 200_000
"""Characters of a text that is answered for."""

MEMORY = 1 << 30
"""Bytes that an answer may take, as far as that is known in advance."""

UNUSABLE = "E0822"
WIDTH, NARROWEST, WIDEST = 100, 40, 200
"""Columns of what is laid out as for a terminal."""


def answer(what: str, asked: Asked, folder: str | None = None) -> dict[str, Any]:
    """The answer to a question about ``asked["text"]``; raises Refused for what is none.

    The text may read arrays and include texts from ``folder``; without one, the library alone. With
    the ``language`` Python it is a kernel.
    """
    python = asked.get("language") == python_texts.PYTHON
    known: Mapping[str, object] = python_texts.OPERATIONS if python else OPERATIONS
    if what not in known:
        raise refused(f"there is no question '{what}'{' about Python' if python else ''}")
    text = text_of(asked)
    with host_memory.limited(MEMORY):
        if python:
            return python_texts.OPERATIONS[what](text)
        return OPERATIONS[what](_analysis(text, folder), asked)


def text_of(asked: Asked) -> str:
    """The text that a question is about; raises Refused."""
    text = asked.get("text")
    if not isinstance(text, str):
        raise refused("a question has a text")
    if len(text) > LARGEST:
        raise refused(f"the text has more than {LARGEST:,} characters")
    return text


def width_of(asked: Asked) -> int:
    """How many columns the page has."""
    width = asked.get("width", WIDTH)
    return min(max(width, NARROWEST), WIDEST) if type(width) is int else WIDTH


def refused(message: str) -> Refused:
    """A question that has no answer."""
    return Refused(UNUSABLE, message)


@lru_cache(maxsize=8)
def _analysis(text: str, folder: str | None) -> Analysis:
    files = Allowed.of(folder if folder is not None else False)
    name = f"{folder}/<text>" if folder is not None else "<text>"
    return analyse(text, name, AssemblySettings(files=files))


@lru_cache(maxsize=8)
def _problems(analysis: Analysis) -> tuple[Problem, ...]:
    return followed(analysis)


# -- questions


def _checked(analysis: Analysis, _: Asked) -> dict[str, Any]:
    """The colours of the words, its problems, and what to type against them."""
    problems = _problems(analysis)
    return {
        "colours": [(units(word), name) for word, name in classes(analysis.source.text)],
        "problems": [_diagnostic(found) for found in diagnostics(analysis, problems)],
        "fixes": [_fix(found) for found in fixes(analysis, problems)],
    }


def _completed(analysis: Analysis, asked: Asked) -> dict[str, Any]:
    """What may be typed at a place."""
    line, character = _position(asked)
    start, end = analysis.places.offset(line, 0), analysis.places.offset(line, character)
    found = completions(analysis, analysis.source.text[start:end])
    words = [{"text": each.text, "length": each.length, "meta": each.meta} for each in found]
    return {"words": words}


def _explained(analysis: Analysis, asked: Asked) -> dict[str, Any]:
    """What there is to say of the word at a place; null if nothing."""
    found = hover.hover(analysis, _position(asked))
    if found is None:
        return {"html": None}
    shown = Markdown(found[0], code_theme="default", inline_code_theme="default")
    return {"html": html.page([shown], width_of(asked))}


def _formatted(analysis: Analysis, _: Asked) -> dict[str, Any]:
    """The text in columns; as it is if it cannot be read."""
    edits = tidied(analysis)
    return {"text": edits[0][1] if edits else analysis.source.text}


def _synchronised(analysis: Analysis, asked: Asked) -> dict[str, Any]:
    """The text with moments; why there are none if it has no sequential order."""

    def assembled(source: Source, rewrite: Rewrite | None, own: bool) -> Program:
        return assemble(source, TARGETS, files=analysis.files, rewrite=rewrite)

    folder = os.path.dirname(analysis.source.name)
    try:
        with signals.within(SECONDS):
            made = Synchronised(analysis.source, assembled, folder, strip=True)
    except Failure as failure:
        width = width_of(asked)
        problems = [diagnostic(problem, width) for problem in failure.problems]
        return {"report": html.page(problems, width), "summary": "there is no sequential order"}
    except StopSignal as stop:
        if stop.leaving and not stop.late:
            raise
        raise refused(f"it takes longer than {SECONDS:g} s") from None
    return {"text": made.text, "summary": made.summary()}


OPERATIONS: Mapping[str, Callable[[Analysis, Asked], dict[str, Any]]] = {
    "check": _checked,
    "complete": _completed,
    "explain": _explained,
    "format": _formatted,
    "sync": _synchronised,
}
"""The questions that there are, by name."""


def _position(asked: Asked) -> Position:
    line, character = asked.get("line"), asked.get("character")
    if not isinstance(line, int) or not isinstance(character, int):
        raise refused("a place is a line and a character")
    return Position(line, character)


def _range(found: Range) -> list[int]:
    return [*found.start, *found.end]


def _diagnostic(found: Diagnostic) -> dict[str, Any]:
    own = [each for each in found.related if each.file is None]
    return {
        "range": _range(found.range),
        "severity": found.severity,
        "code": found.code,
        "message": found.message,
        "related": [{"range": _range(r.range), "message": r.message} for r in own],
    }


def _fix(found: Fix) -> dict[str, Any]:
    typed = [[*place, text] for place, text in found.insertions]
    return {
        "range": _range(found.range),
        "code": found.code,
        "title": found.title,
        "insertions": typed,
    }
