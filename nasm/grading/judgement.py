"""A judgement for programs that write kernels: each run, its figures, and what would help."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from nasm.base.problems import Problem
from nasm.base.records import dataclass
from nasm.grading.class_report import CHECK
from nasm.grading.grade import ORDER, READ, RIGHT, RUN, Grade
from nasm.grading.judged import JudgedRun
from nasm.show.columns import hanging, table
from nasm.show.documents import Key, Shape, each
from nasm.show.jsonable import PROBLEM, problem_list

LIMITS = ("time", "mfu", "bytes", "lines", "instructions")


@dataclass(frozen=True, slots=True)
class JudgeAdvice:
    """What would help: ``about`` is the check it serves, ``target`` where it was found.

    ``problem`` has a place and a hint if there is one.
    """

    about: str
    target: str
    message: str
    problem: Problem | None = None

    @property
    def hint(self) -> str:
        """What to do, if that is known."""
        return self.problem.hint if self.problem is not None else ""


def advice(grade: Grade) -> tuple[JudgeAdvice, ...]:
    """What would help, the first thing first: errors, then limits, then what costs time."""
    return tuple(dict.fromkeys(_advice(grade)))


def _advice(grade: Grade) -> Iterator[JudgeAdvice]:
    yield from _errors(grade)
    for check in grade.checks:
        if check.name in LIMITS and not check.passed:
            yield JudgeAdvice(check.name, "", check.message)
    for hint in grade.hints:
        yield JudgeAdvice(grade.failed, "", hint)
    for run in _first(grade, lambda run: run.timed is not None):
        assert run.timed is not None
        if run.timed.verdict:
            yield JudgeAdvice("time", run.target, run.timed.verdict)
        for problem in run.timed.findings:
            yield JudgeAdvice("time", run.target, problem.message, problem)


def _errors(grade: Grade) -> Iterator[JudgeAdvice]:
    """Errors and hazards, of each target's first run that has any."""
    for run in _first(grade, lambda run: bool(run.problems)):
        about = READ if not run.read else RUN if not run.ran else ORDER
        for problem in run.problems:
            yield JudgeAdvice(about, run.target, problem.message, problem)
    for run in _first(grade, lambda run: bool(run.wrong)):
        yield JudgeAdvice(RIGHT, run.target, f"with {run.case}: {run.wrong}")


def _first(grade: Grade, holds: Callable[[JudgedRun], bool]) -> Iterator[JudgedRun]:
    """The first run of each target for which something holds."""
    seen: set[str] = set()
    for run in grade.runs:
        if run.target not in seen and holds(run):
            seen.add(run.target)
            yield run


# ---------------------------------------------------------------- a document


def _timed(name: str, meaning: str) -> Key:
    return Key(name, meaning, lambda run: None if run.timed is None else getattr(run.timed, name))


RUNS: Shape = (
    Key("target", "what it ran on"),
    Key("seed", "what its inputs were made from", lambda run: run.case.seed),
    Key("shape", "the task's sizes, by name", lambda run: dict(run.case.shape)),
    Key("read", "whether there was a program to run"),
    Key("ran", "whether it got to its end; null if that was not reached"),
    Key(
        "ordered", "whether it has no hazard, so that no timing changes its results; null likewise"
    ),
    Key("right", "whether all outputs are right within the tolerance; null likewise"),
    Key("wrong", "how they differ: no value of an input or an output"),
    _timed("microseconds", "its time; this and the rest is null if it depends on values"),
    _timed("ticks", "the same in ticks"),
    _timed("bytes", "bytes that DMA moved"),
    _timed("instructions", "instructions that completed"),
    _timed("mfu", "useful operations over the peak of their dtypes, from 0 to 1; null without any"),
    _timed("verdict", "what bound it, in a sentence"),
    problem_list("problems", "why it did not run, or its hazards"),
)
ADVICE: Shape = (
    Key("about", "the check that it serves; see `checks[].name`"),
    Key("target", "where it was found; empty if it is of no run"),
    Key("message", "what was found"),
    Key("hint", "what to do; empty if that is not known"),
    Key("problem", "the problem with its place, or null", shape=PROBLEM, elsewhere=True),
)
JUDGEMENT: Shape = (
    Key("candidate", "the file", "submission"),
    Key("task", "the name of the task", "exercise"),
    Key("correct", "whether every run is right, in an order that is proved"),
    Key("passed", "whether every check holds, limits too"),
    Key("failed", "the first check that does not hold; empty if all do"),
    Key("message", "what was found by it"),
    Key("seed", "what fresh cases were drawn from; null if there are none", "fresh"),
    each("checks", CHECK),
    each("runs", RUNS),
    each("advice", ADVICE, advice),
)


# ---------------------------------------------------------------- for people


def lines(grade: Grade, width: int) -> list[str]:
    """A judgement for people."""
    made = table(
        ["target", "case", "result", ">time", ">MFU", ">bytes"],
        [_row(run) for run in grade.runs],
        width,
    )
    result = "passes" if grade.passed else f"FAILS at '{grade.failed}': {grade.message}"
    made += ["", *hanging(f"{os.path.relpath(grade.submission)}: {result}", width)]
    for found in advice(grade):
        where = f" on {found.target}" if found.target else ""
        place = found.problem and found.problem.span
        line = f", line {place.line}" if place else ""
        made += hanging(f"{found.about}{where}{line}: {found.message}", width)
        if found.hint:
            made += hanging(f"  hint: {found.hint}", width)
    return made


def _row(run: JudgedRun) -> list[str]:
    result = "right" if run.holds else "wrong" if run.right is False else "race"
    result = "refused" if not run.read else "did not end" if not run.ran else result
    if run.timed is None:
        return [run.target, str(run.case), result, "", "", ""]
    mfu = "" if run.timed.mfu is None else f"{100 * run.timed.mfu:.1f} %"
    time = f"{run.timed.microseconds:,.3f} µs"
    return [run.target, str(run.case), result, time, mfu, f"{run.timed.bytes:,}"]
