"""Which diagnostics are suppressed, and which warnings are errors.

The only place that decides it: problems are collected first, then sorted here, and the remaining
ones decide how a run or a check ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nasm.base.problems import Problem, Severity, counted, in_line
from nasm.base.records import dataclass, replace
from nasm.base.source import Span

UNALLOWABLE, UNUSED = "E0831", "E0832"
"""Of a code that cannot be allowed, and of an allow that nothing needs."""


@dataclass(frozen=True, slots=True)
class Allow:
    """A code that is allowed: by a comment, on one line and for a reason, or everywhere.

    ``span`` is the comment and ``line`` the line that it is about; without one it is everywhere.
    """

    code: str
    reason: str = ""
    span: Span | None = None
    line: int = 0

    def covers(self, problem: Problem) -> bool:
        """Whether it allows a problem: one of its code, and on its line if it has one."""
        if problem.code != self.code:
            return False
        parties = (note.span for note in problem.notes if note.party)
        return self.span is None or any(map(self._on, (problem.span, *parties)))

    def _on(self, place: Span | None) -> bool:
        if place is None or self.span is None or place.source != self.span.source:
            return False
        last = place.source.position(max(place.start, place.end - 1))[0]
        return place.line <= self.line <= last


@dataclass(frozen=True, slots=True)
class AllowedProblem:
    """A suppressed problem, and what allows it."""

    problem: Problem
    allow: Allow

    @property
    def why(self) -> str:
        """The reason, with the place where it is written."""
        if self.allow.span is None:
            return f"{self.allow.code} is allowed everywhere"
        return f"{self.allow.reason} ({self.allow.span})"

    def __str__(self) -> str:
        where = f" ({self.problem.span})" if self.problem.span is not None else ""
        head, why = in_line(self.problem.message), in_line(self.why)
        return f"allowed[{self.problem.code}]: {head}{where}\n  reason: {why}"


@dataclass(frozen=True, slots=True)
class Judged:
    """Problems by severity: ``warnings`` have the notes, too."""

    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    allowed: tuple[AllowedProblem, ...]


FOLLOWS = ("E0525", "E0526", "E0527")
"""Warnings about values, which may be what they are because of a race."""


def in_turn(warnings: Iterable[Problem], errors: Iterable[Problem]) -> tuple[Problem, ...]:
    """Warnings and errors as they are shown: what may follow from a race comes last."""
    some, wrong = list(warnings), tuple(errors)
    late = [p for p in some if p.code in FOLLOWS] if any(p.code == "E0502" for p in wrong) else []
    return (*(p for p in some if p not in late), *wrong, *late)


def refused(problems: Iterable[Problem]) -> Judged:
    """The problems of a program that cannot be run, of which nothing can be allowed."""
    found = tuple(problems)
    errors = tuple(p for p in found if p.severity is Severity.ERROR)
    return Judged(errors, tuple(p for p in found if p.severity is not Severity.ERROR), ())


@dataclass(frozen=True, slots=True)
class Policy:
    """Which problems count: what is allowed does not, and if it is ``strict``, warnings do."""

    strict: bool = False
    allows: tuple[Allow, ...] = ()

    def allowing(self, problem: Problem) -> Allow | None:
        """What allows a problem, if anything does."""
        return next((allow for allow in self.allows if allow.covers(problem)), None)

    def judged(self, problems: Iterable[Problem]) -> Judged:
        """Problems sorted, each kind in their order."""
        errors: list[Problem] = []
        warnings: list[Problem] = []
        allowed: list[AllowedProblem] = []
        for problem in problems:
            allow = self.allowing(problem)
            if allow is not None:
                allowed.append(AllowedProblem(problem, allow))
                continue
            if self.strict and problem.severity is Severity.WARNING:
                problem = replace(problem, severity=Severity.ERROR)
            (errors if problem.severity is Severity.ERROR else warnings).append(problem)
        return Judged(tuple(errors), tuple(warnings), tuple(allowed))

    def unused(
        self, problems: Iterable[Problem], looked_for: Callable[[str], bool]
    ) -> tuple[Problem, ...]:
        """A note for each allow that allows none of the problems, if its code was looked for."""
        found = list(problems)
        return tuple(
            _unused(allow)
            for allow in self.allows
            if looked_for(allow.code) and not any(map(allow.covers, found))
        )


def _unused(allow: Allow) -> Problem:
    message = f"{allow.code} is allowed everywhere, and is nowhere"
    hint = "nothing needs it any more: leave it out"
    if allow.span is not None:
        message = f"{allow.code} is allowed on line {allow.line}, where it is not found"
    return Problem(UNUSED, message, allow.span, hint, severity=Severity.NOTE)


def policy(written: Iterable[Allow], everywhere: Iterable[str], strict: bool = False) -> Policy:
    """What comments allow on their lines, and codes that are allowed everywhere."""
    given = (everywhere,) if isinstance(everywhere, str) else everywhere
    codes = dict.fromkeys(code.strip().upper() for code in given)
    return Policy(strict, (*written, *map(Allow, codes)))


def as_errors(problems: Iterable[Problem]) -> str:
    """How many errors there are among the problems that a run failed for: '2 hazards, 1 error'."""
    labels = [problem.label for problem in problems]
    kinds = ((labels.count(name), name) for name in ("hazard", "error"))
    return ", ".join(counted(count, name) for count, name in kinds if count)
