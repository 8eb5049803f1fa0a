"""A submission judged: run isolated with hidden inputs, and compared with what is right.

Nothing of what it prints, of its own expectations, or of a message that may contain a value is
passed on: hidden inputs and outputs stay hidden.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from nasm.base import host_files
from nasm.base.problems import Failure, Problem, counted, in_line
from nasm.base.records import dataclass, field
from nasm.grading.exercise import Arrays, Exercise, ExerciseCase, ExerciseGoal
from nasm.isolation.entry import isolated
from nasm.isolation.limits import Limits
from nasm.isolation.outcome import Outcome
from nasm.language import codes
from nasm.machine.records import RunReport, Status
from nasm.sweeps.work import OtherVersion, version

READ, RUN, RIGHT, ORDER = "read", "run", "right", "order"

LIMITS = Limits(cpu=60, deadline=90.0)


@dataclass(frozen=True, slots=True)
class GradedCheck:
    """One thing that is asked of a submission: whether it holds, what was found, and its points."""

    name: str
    passed: bool
    message: str
    points: float
    of: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What is right and wrong about a submission.

    ``checks`` are all that are asked for; ``hints`` are those of the first that failed, one after
    the other. Equal submissions have equal grades.
    """

    submission: str
    exercise: str
    checks: tuple[GradedCheck, ...]
    hints: tuple[str, ...] = ()
    microseconds: float | None = None
    mfu: float | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    @property
    def points(self) -> float:
        """The points of the checks that hold."""
        return sum(check.points for check in self.checks)

    @property
    def of(self) -> float:
        """The points that there are."""
        return sum(check.of for check in self.checks)

    @property
    def failed(self) -> str:
        """The first check that does not hold; empty if all do."""
        return next((check.name for check in self.checks if not check.passed), "")


@dataclass(frozen=True, slots=True)
class GradeJob:
    """A submission to be judged."""

    exercise: str
    submission: str


def done(job: GradeJob, wanted: str) -> Grade:
    """Judge a submission in a worker; raises OtherVersion, or Failure for a broken exercise."""
    if version() != wanted:
        raise OtherVersion(wanted, version())
    return grade(Exercise(job.exercise), job.submission)


def grade(exercise: Exercise, submission: str) -> Grade:
    """Judge a submission: all checks in order, as far as they can be made; raises Failure."""
    found = _Judged(exercise, submission)
    found.judge()
    wanted, made = exercise.wanted, []
    right = found.results.get(RIGHT, (False, ""))[0]
    for name in found.asked:
        passed, message = found.results.get(name, (False, "not reached"))
        of = float(wanted.points.get(name, 0.0 if wanted.points else 1.0))
        earned = passed and (right or name in (READ, RUN))
        made.append(GradedCheck(name, passed, message, of if earned else 0.0, of))
    first = next((check.name for check in made if not check.passed), "")
    return Grade(
        submission=submission,
        exercise=exercise.name,
        checks=tuple(made),
        hints=wanted.hints.get(first, ()),
        microseconds=found.microseconds,
        mfu=found.mfu,
        seconds=found.seconds,
    )


class _Judged:
    """A submission that is being judged; ``results`` are whether each check holds, and why."""

    def __init__(self, exercise: Exercise, submission: str) -> None:
        self.exercise, self.submission = exercise, submission
        self.results: dict[str, tuple[bool, str]] = {}
        self.microseconds: float | None = None
        self.mfu: float | None = None
        self.seconds = 0.0

    @property
    def asked(self) -> list[str]:
        """The checks of the exercise."""
        wanted = self.exercise.wanted
        limits = {
            "time": wanted.time_us,
            "mfu": wanted.mfu,
            "bytes": wanted.bytes,
            "lines": wanted.lines,
            "instructions": wanted.not_used or None,
        }
        return [READ, RUN, ORDER, RIGHT, *(n for n, given in limits.items() if given is not None)]

    def judge(self) -> None:
        """Make all checks that can be made."""
        try:
            text = host_files.read_text(self.submission)
        except (OSError, UnicodeDecodeError) as error:
            self.results[READ] = False, f"it cannot be read: {in_line(str(error))}"
            return
        self._of_text(text)
        for case in self.exercise.cases:
            inputs, golden = self.exercise.made(case)
            outcome = self._outcome(text, inputs, case)
            self.seconds += outcome.seconds
            if not self._ran(outcome):
                return
            assert outcome.report is not None
            self._of_report(outcome.report, outcome.mfu)
            if RIGHT not in self.results or self.results[RIGHT][0]:
                wrong = _wrong(outcome.outputs or {}, golden, self.exercise.wanted)
                self.results[RIGHT] = not wrong, wrong or "all outputs are right"

    def _outcome(self, text: str, inputs: Arrays, case: ExerciseCase) -> Outcome:
        wanted = self.exercise.wanted
        settings: dict[str, Any] = {
            "target": wanted.target,
            "max_instructions": wanted.max_instructions,
            "profile": wanted.mfu is not None,
        }
        if self.submission.endswith(".py"):
            name = f"{os.path.abspath(self.submission)}:{wanted.kernel}"
            return isolated(name, inputs, limits=LIMITS, **settings)
        settings |= {"defines": dict(case.shape), "autosync": wanted.autosync, "files": False}
        return isolated(_named(text), inputs, limits=LIMITS, **settings)

    def _ran(self, outcome: Outcome) -> bool:
        """Whether there is a run that ended; the text is the submitter's, its errors are shown."""
        if outcome.report is None:
            self.results[READ] = False, _said(outcome.problems)
            return False
        self.results[READ] = True, "it is a program"
        report = outcome.report
        if report.status is not Status.FINISHED:
            first = next(iter((*report.problems, *report.hazards)), None)
            self.results[RUN] = False, _title(first) if first else report.status.value
            return False
        self.results[RUN] = True, "it ran to its end"
        return True

    def _of_report(self, report: RunReport, mfu: float | None) -> None:
        """Order, time and bytes; of several runs the worst."""
        wanted = self.exercise.wanted
        races = [_title(problem) for problem in report.hazards]
        if ORDER not in self.results or self.results[ORDER][0]:
            self.results[ORDER] = not races, races[0] if races else "the order is proved"
        self.microseconds = max(self.microseconds or 0.0, report.microseconds)
        if wanted.time_us is not None:
            found = f"{self.microseconds:,.3f} µs, at most {wanted.time_us:,.3f} µs are allowed"
            self.results["time"] = self.microseconds <= wanted.time_us, found
        if wanted.mfu is not None:
            self.mfu = min(mfu or 0.0, 1.0 if self.mfu is None else self.mfu)
            found = f"{100 * self.mfu:.1f} % MFU, at least {100 * wanted.mfu:.1f} % are wanted"
            self.results["mfu"] = self.mfu >= wanted.mfu, found
        if wanted.bytes is not None:
            found = f"{report.channel_bytes:,} bytes moved, at most {wanted.bytes:,} are allowed"
            self.results["bytes"] = report.channel_bytes <= wanted.bytes, found

    def _of_text(self, text: str) -> None:
        """Lines and instructions."""
        wanted = self.exercise.wanted
        sign = "#" if self.submission.endswith(".py") else ";"
        lines = [line.partition(sign)[0].strip() for line in text.splitlines()]
        count = sum(map(bool, lines))
        if wanted.lines is not None:
            found = f"{counted(count, 'line')}, at most {wanted.lines} are allowed"
            self.results["lines"] = count <= wanted.lines, found
        used = [w for w in wanted.not_used if re.search(rf"\b{re.escape(w)}\b", "\n".join(lines))]
        if wanted.not_used:
            found = f"it uses {', '.join(used)}" if used else "no such instruction is used"
            self.results["instructions"] = not used, found


def _named(text: str) -> str:
    """A text, never taken for a path."""
    return text if text.endswith("\n") else f"{text}\n"


def _said(problems: tuple[Problem, ...]) -> str:
    """The first errors of a text, with their lines."""
    return "; ".join(f"{_line(p)}{p.code}: {in_line(p.message)}" for p in problems[:3])


def _title(problem: Problem) -> str:
    """What kind of problem it is, and where: its message may have values."""
    found = codes.find(problem.code)
    return f"{_line(problem)}{problem.code}: {found.title if found else 'a problem'}"


def _line(problem: Problem) -> str:
    return f"line {problem.span.line}: " if problem.span is not None else ""


def _wrong(
    outputs: Mapping[str, np.ndarray[Any, Any]], golden: Arrays, wanted: ExerciseGoal
) -> str:
    """How the outputs differ, without a value; empty if they are right."""
    for text in _differences(outputs, golden, wanted):
        return text
    return ""


def _differences(
    outputs: Mapping[str, np.ndarray[Any, Any]], golden: Arrays, wanted: ExerciseGoal
) -> Iterator[str]:
    by_place = len(golden) == 1 and len(outputs) == 1
    for name, right in golden.items():
        found = next(iter(outputs.values())) if by_place else outputs.get(name)
        if found is None:
            yield f"there is no output {name}"
            continue
        if found.shape != right.shape:
            yield f"{name} has the shape {list(found.shape)}, wanted {list(right.shape)}"
            continue
        plain, exact = found.astype(np.float64), right.astype(np.float64)
        off = ~np.isclose(plain, exact, rtol=wanted.rtol, atol=wanted.atol, equal_nan=True)
        if not off.any():
            continue
        at = [int(n) for n in np.argwhere(off)[0]]
        allowed = wanted.atol + wanted.rtol * np.abs(exact)
        with np.errstate(all="ignore"):
            times = (np.abs(plain - exact) / allowed)[off]
        lost = int((~np.isfinite(times)).sum())
        far = f"{lost:,} of them not finite" if lost else f"by up to {times.max():.3g} tolerances"
        count, of = int(off.sum()), off.size
        yield f"{count:,} of {of:,} elements of {name} are wrong, {far}; the first is at {at}"


def reason(path: str) -> str:
    """The check that a wrong submission says it fails; raises Failure if it says none."""
    first = host_files.read_text(path).partition("\n")[0]
    found = re.search(r"fails:\s*(\w+)", first)
    if found is None:
        message = f"{path} does not say in its first line what it fails"
        raise Failure(Problem("E0847", message, None, "such as '; fails: right'"))
    return found[1]
