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
    """Problems that stop the work; raised once they are all collected.

    One without problems stops a line whose problem was reported where it arose.
    """

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        super().__init__("\n".join(f"{p.code}: {p.message}" for p in self.problems))


class Refused(Exception):
    """A value that cannot be used, said without knowing where it was written."""

    def __init__(self, code: str, message: str, hint: str = "", notes: Sequence[Note] = ()) -> None:
        self.code, self.message, self.hint, self.notes = code, message, hint, tuple(notes)
        super().__init__(message)

    def at(self, span: Span | None, notes: Sequence[Note] = ()) -> Problem:
        """The problem at its place."""
        return Problem(self.code, self.message, span, self.hint, (*self.notes, *notes))


CLOSE, AS_CLOSE = 0.65, 0.06
"""How alike two words must be to be suggested, and how much less alike a second suggestion is."""


def did_you_mean(word: str, known: Iterable[str], sign: str = "") -> str:
    """A hint that names the closest known words, or an empty string.

    ``sign`` is what a program writes in front of them, such as ``$``.
    """
    close = [f"'{sign}{w}'" for w in closest(word, known)]
    return f"did you mean {listed(close)}?" if close else ""


def closest(word: str, known: Iterable[str]) -> list[str]:
    """At most three known words that a misspelt one may stand for, the likeliest first.

    Case and underscores count for nothing, the words that begin like it come next, then those
    that are about as alike as the best.
    """
    words = list(dict.fromkeys(w for w in known if w != word))
    plain = _folded(word)
    same = [w for w in words if _folded(w) == plain]
    if same or not plain:
        return same[:3]
    begin = [w for w in words if len(plain) >= 3 and _folded(w).startswith(plain)]
    if 0 < len(begin) <= 3:
        return begin
    alike = [(_alike(plain, _folded(w)), w) for w in words]
    best = max((ratio for ratio, _ in alike), default=0.0)
    near = [(r, w) for r, w in alike if r >= max(CLOSE, best - AS_CLOSE)]
    return [w for _, w in sorted(near, key=lambda found: -found[0])][:3]


def _folded(word: str) -> str:
    return word.lower().replace("_", "")


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


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
    return "\n".join([*lines, *(f"  {line}" for line in advice(problem))])


def advice(problem: Problem) -> list[str]:
    """The hint of a problem as lines: what to do about it, then the rule it breaks."""
    lines = problem.hint.splitlines()
    said = [n for n, line in enumerate(lines) if line.strip().startswith("rule: ")]
    return [
        line.strip() if n in said else f"hint: {line}" if n == 0 else line
        for n, line in enumerate(lines)
    ]


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
