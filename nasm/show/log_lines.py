"""The problems of a program, for a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.base.problems import Problem
from nasm.base.records import dataclass
from nasm.base.suppressions import AllowedProblem, in_turn
from nasm.language.expectations.records import ExpectationRecord
from nasm.machine.records import RunReport

FAILED, UNSTEADY = "E0528", "E0529"
"""The codes of an expectation that failed, and of other schedules that lead elsewhere."""


@dataclass(frozen=True, slots=True)
class ProgramProblems:
    """All that is wrong with a program; ``name`` is its file.

    It is not ``whole`` if the work was cut short, so that there may be more.
    """

    name: str
    problems: Sequence[Problem]
    allowed: Sequence[AllowedProblem] = ()
    whole: bool = True


def of_run(report: RunReport, more: Sequence[Problem] = (), whole: bool = True) -> ProgramProblems:
    """All that makes a run fail, and its warnings.

    ``more`` are problems in addition to those of the run. A run that fails has at least one
    problem here, or else it is not ``whole``.
    """
    found = in_turn(report.warnings, report.hazards)
    problems = (*found, *report.problems, *_failures(report), *more)
    return ProgramProblems(report.program, problems, report.allowed, whole)


def _failures(report: RunReport) -> Iterator[Problem]:
    """What a report says in other ways than as problems."""
    yield from (_failed_expectation(each) for each in report.expectations if not each.held)
    yield from (Problem(UNSTEADY, message) for message in report.against)


def _failed_expectation(record: ExpectationRecord) -> Problem:
    message = f"the expectation '{record.text}' failed: {record.summary}"
    facts = {"measured": record.measured, "bound": record.bound}
    known = {name: value for name, value in facts.items() if value is not None}
    return Problem(FAILED, message, record.span, facts=known)
