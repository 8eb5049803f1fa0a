"""A submission run, isolated where there are processes, with inputs that it does not know.

What is kept of a run can be shown. Figures and sentences are those of a run without values, so that
no input can be read off them; of a run with values there is whether it ended, and how much of the
results is wrong. What a submission prints, and its own expectations, are not kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from nasm.base.problems import Problem, ProblemFamily, family, in_line
from nasm.base.records import dataclass, field, replace
from nasm.grading.exercise import Arrays, Exercise, ExerciseCase, ExerciseGoal
from nasm.isolation.entry import IsolatedCase, isolated_cases
from nasm.isolation.exchange import Perform
from nasm.isolation.limits import Limits
from nasm.isolation.outcome import Outcome
from nasm.isolation.work import DryRun
from nasm.language import codes
from nasm.machine.records import RunReport, Status
from nasm.runs.settings import RunSettings

CPU, DEADLINE = 60, 90.0
"""Seconds of processor time and of real time for each case."""

UNWRITTEN = "E0524"
"""Elements of an output that nothing wrote: the results are wrong."""

HIDDEN = "its time depends on values, and is not shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedRun:
    """The figures of a run: what it takes of time and of the machine, and where the time goes.

    ``findings`` are what costs time, each with a hint.
    """

    microseconds: float
    ticks: int
    bytes: int
    instructions: int
    mfu: float | None
    verdict: str
    findings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRun:
    """A run of a submission with one case on one target.

    ``read``, ``ran``, ``ordered`` and ``right`` say what holds, or are None if that was not
    reached; ``problems`` are why one does not, ``wrong`` is how the results differ. ``timed`` is
    None if its time depends on values; ``took`` is for limits alone, and is not to be shown.
    """

    case: ExerciseCase
    target: str
    read: bool
    ran: bool | None = None
    ordered: bool | None = None
    right: bool | None = None
    wrong: str = ""
    problems: tuple[Problem, ...] = ()
    timed: TimedRun | None = None
    took: TimedRun | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def holds(self) -> bool:
        """Whether the results are right, in an order that is proved."""
        return bool(self.right and self.ordered)


def judged_runs(
    exercise: Exercise,
    submission: str,
    cases: tuple[ExerciseCase, ...],
    targets: tuple[str, ...],
    perform: Perform,
) -> Iterator[JudgedRun]:
    """Run a submission, a file or a text, with each case on each target.

    A target's runs end with the first that does not get to its end. Raises Failure for an exercise
    that cannot be used, and for a submission that cannot be read.
    """
    made = [exercise.made(case) for case in cases]
    for target in targets:
        timed: dict[str, JudgedRun] = {}
        outcomes = _outcomes(
            exercise.wanted, submission, cases, [given for given, _ in made], target, perform
        )
        for case, outcome, (_, golden) in zip(cases, outcomes, made, strict=True):
            of = str(case.shape)
            run = _run(exercise.wanted, case, target, outcome, golden, timed.get(of))
            timed.setdefault(of, run)
            yield run
            if not run.ran:
                break


def _outcomes(
    wanted: ExerciseGoal,
    submission: str,
    cases: tuple[ExerciseCase, ...],
    inputs: list[Arrays],
    target: str,
    perform: Perform,
) -> tuple[Outcome, ...]:
    """What became of the submission with each case; of each size it is first run without values."""
    plain = RunSettings(target=target, max_instructions=wanted.max_instructions)
    python = submission.endswith(".py")
    asked, seen = [], set[str]()
    for case, given in zip(cases, inputs, strict=True):
        of = {} if python else dict(case.shape)
        settings = plain
        if not python:
            settings = replace(plain, defines=of, autosync=wanted.autosync, files=False)
        asked.append(IsolatedCase(given, settings, dry=str(case.shape) not in seen))
        seen.add(str(case.shape))
    limits = Limits(cpu=CPU * len(asked), deadline=DEADLINE * len(asked))
    name = f"{os.path.abspath(submission)}:{wanted.kernel}" if python else submission
    return isolated_cases(name, asked, limits, perform=perform)


def _run(
    wanted: ExerciseGoal,
    case: ExerciseCase,
    target: str,
    outcome: Outcome,
    golden: Arrays,
    before: JudgedRun | None,
) -> JudgedRun:
    """A run; ``before`` is the first of the same sizes, which takes the same time."""
    made = JudgedRun(case=case, target=target, read=outcome.report is not None)
    made = replace(made, seconds=outcome.seconds)
    if outcome.report is None:
        return replace(made, problems=outcome.problems)
    if before is not None and before.timed is not None:
        made = replace(made, timed=before.timed, took=before.took, ordered=before.ordered)
        made = replace(made, problems=before.problems)
    else:
        made = _ordered(made, outcome.dry, outcome.report)
    if outcome.report.status is not Status.FINISHED:
        return replace(made, ran=False, problems=_ended(outcome.dry, outcome.report))
    unwritten = [p for p in outcome.report.hazards if p.code == UNWRITTEN]
    wrong = _title(unwritten[0]) if unwritten else ""
    wrong = wrong or next(_differences(outcome.outputs or {}, golden, wanted), "")
    return replace(made, ran=True, right=not wrong, wrong=wrong)


def _ordered(run: JudgedRun, dry: DryRun | None, report: RunReport) -> JudgedRun:
    """The order and the figures: those of the run without values, if there was one."""
    shown = dry.report if dry is not None else report
    hazards = [p for p in shown.hazards if p.code != UNWRITTEN]
    hazards += [a.problem for a in shown.allowed if family(a.problem.code) is ProblemFamily.HAZARD]
    kept = tuple(hazards) if dry is not None else tuple(map(_without_values, hazards))
    took = TimedRun(
        microseconds=shown.microseconds,
        ticks=shown.ticks,
        bytes=shown.channel_bytes,
        instructions=sum(engine.instructions for engine in shown.engines),
        mfu=None if dry is None else dry.profile.rates.dtype_mfu,
        verdict="" if dry is None else dry.profile.verdict,
        findings=() if dry is None else tuple(f.problem for f in dry.profile.findings),
    )
    timed = None if dry is None else took
    return replace(run, ordered=not hazards, problems=kept, timed=timed, took=took)


def _ended(dry: DryRun | None, report: RunReport) -> tuple[Problem, ...]:
    """Why a run did not get to its end, without a value."""
    if dry is not None and dry.report.status is not Status.FINISHED:
        return (*dry.report.problems, *dry.report.hazards)
    found = (*report.problems, *report.hazards)
    return tuple(map(_without_values, found)) or (Problem("E0516", report.status.value),)


def _without_values(problem: Problem) -> Problem:
    """What kind of problem it is, and where: its sentence may have values."""
    return Problem(problem.code, _name(problem), problem.span)


def _name(problem: Problem) -> str:
    found = codes.find(problem.code)
    return found.title if found else "a problem"


def _title(problem: Problem) -> str:
    return described(_without_values(problem))


def described(problem: Problem) -> str:
    """A problem in a line, with its place."""
    where = f"line {problem.span.line}: " if problem.span is not None else ""
    return f"{where}{problem.code}: {in_line(problem.message)}"


def _differences(
    outputs: Mapping[str, np.ndarray[Any, Any]], golden: Arrays, wanted: ExerciseGoal
) -> Iterator[str]:
    """How outputs differ from what is right, without a value."""
    by_place = len(golden) == 1 and len(outputs) == 1
    for name, right in golden.items():
        found = next(iter(outputs.values())) if by_place else outputs.get(name)
        if found is None:
            yield f"there is no output {name}"
            continue
        if found.shape != right.shape:
            yield f"{name} has the shape {list(found.shape)}, wanted {list(right.shape)}"
            continue
        yield from _wrong(name, found, right, wanted)


def _wrong(
    name: str, found: np.ndarray[Any, Any], right: np.ndarray[Any, Any], wanted: ExerciseGoal
) -> Iterator[str]:
    plain, exact = found.astype(np.float64), right.astype(np.float64)
    off = ~np.isclose(plain, exact, rtol=wanted.rtol, atol=wanted.atol, equal_nan=True)
    if not off.any():
        return
    at = [int(n) for n in np.argwhere(off)[0]]
    allowed = wanted.atol + wanted.rtol * np.abs(exact)
    with np.errstate(all="ignore"):
        times = (np.abs(plain - exact) / allowed)[off]
    lost = int((~np.isfinite(times)).sum())
    far = f"{lost:,} of them not finite" if lost else f"by up to {times.max():.3g} tolerances"
    count, of = int(off.sum()), off.size
    yield f"{count:,} of {of:,} elements of {name} are wrong, {far}; the first is at {at}"


def alike(one: Arrays, other: Arrays, wanted: ExerciseGoal) -> bool:
    """Whether the results of one case would pass for those of another."""
    return one.keys() == other.keys() and not any(_differences(one, other, wanted))
