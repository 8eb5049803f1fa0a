"""Diagnostics: one shape for everything that can be wrong, and for whose fault it is.

A callee that does not know where it was called from raises :class:`Refused`, a sentence
and a hint; the caller that has the position turns it into a :class:`Problem`. Several
problems travel together as one :class:`Failure`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from nasm.source import Span


class Family(Enum):
    """Whose fault a problem is; decides the exit code."""

    SYNTAX = "the text does not parse"
    NAME = "a name or an expression is wrong"
    RULE = "a rule of the machine is broken"
    HAZARD = "legal text, wrong program"
    UNSUPPORTED = "the rule is known, nasm does not do it yet"
    UNSPECIFIED = "the vendor does not say"
    USAGE = "the command line or an input file is wrong"
    DEFECT = "a defect in nasm itself"


@dataclass(frozen=True, slots=True)
class Note:
    """A second place that matters to a problem, e.g. where a name was declared."""

    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: a code, a sentence, a place, and what to do about it."""

    code: str
    message: str
    span: Span | None = None
    hint: str = ""
    notes: tuple[Note, ...] = ()
    warning: bool = False

    def at(self, span: Span | None) -> Problem:
        """The same problem, placed, unless it already has a place."""
        return self if self.span is not None else replace(self, span=span)


class Failure(Exception):
    """Problems that stop the work; raised once they are all collected."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        super().__init__("\n".join(f"{p.code}: {p.message}" for p in self.problems))


class Refused(Exception):
    """A value that cannot be used, said without knowing where it was written."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        self.code, self.message, self.hint = code, message, hint
        super().__init__(message)

    def at(self, span: Span | None, notes: Sequence[Note] = ()) -> Problem:
        """The problem at its place."""
        return Problem(self.code, self.message, span, self.hint, tuple(notes))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint that names the closest known word, or an empty string."""
    words = list(known)
    folded = {w.lower().replace("_", ""): w for w in words}
    same = folded.get(word.lower().replace("_", ""))
    if same is not None and same != word:
        return f"did you mean '{same}'?"
    close = difflib.get_close_matches(word, words, n=3, cutoff=0.6)
    if not close:
        lowered = difflib.get_close_matches(word.lower(), list(folded), n=1, cutoff=0.7)
        close = [folded[w] for w in lowered]
    close = [w for w in close if w != word]
    if not close:
        return ""
    return "did you mean " + " or ".join(f"'{w}'" for w in close) + "?"


def listed(words: Iterable[str], last: str = "or") -> str:
    """Words as a phrase: 'a, b or c'."""
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}"


def render(problem: Problem) -> str:
    """A problem as plain text: head, excerpt with a caret, expansions, notes and hint."""
    kind = "warning" if problem.warning else "error"
    lines = [f"{kind}[{problem.code}]: {problem.message}"]
    if problem.span is not None:
        lines += _excerpt(problem.span)
        for frame in reversed(problem.span.chain):
            lines.append(f"  in {frame.what}, {frame.span}")
    for note in problem.notes:
        lines.append(f"  note: {note.message}" + (f" ({note.span})" if note.span else ""))
    if problem.hint:
        lines.append(f"  hint: {problem.hint}")
    return "\n".join(lines)


def _excerpt(span: Span) -> list[str]:
    number, text, column, width = span.excerpt()
    margin = " " * len(str(number))
    pad = "".join("\t" if c == "\t" else " " for c in text[:column])
    return [
        f"{margin}--> {span}",
        f"{margin} |",
        f"{number} | {text}",
        f"{margin} | {pad}{'^' * width}",
    ]
