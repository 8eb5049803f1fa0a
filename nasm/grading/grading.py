"""Submissions judged over a pool, and exercises checked."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from functools import lru_cache

from nasm.base.problems import Failure, Problem
from nasm.grading.exercise import CHECKS, SOLUTIONS, STARTER, UNUSABLE, WRONG, Exercise
from nasm.grading.grade import Grade, GradedCheck, GradeJob, grade, reason
from nasm.grading.judged import alike
from nasm.language.expanding.statements import unknown_target
from nasm.sweeps.running import ENDED, Pieces, closing
from nasm.targets import TARGETS
from nasm.workers.pools import Cluster, pool
from nasm.workers.version import OtherVersion, version

FRESH = 3
"""So many cases are added where a submission is judged with cases that nothing lists."""


def judge(
    task: str | os.PathLike[str],
    candidates: Iterable[str | os.PathLike[str]],
    *,
    executor: Executor | Cluster | int | str | None = None,
    watch: Callable[[Grade, int, int], None] | None = None,
    targets: Iterable[str] = (),
    fresh: int = FRESH,
    seed: int | None = None,
) -> tuple[Grade, ...]:
    """Judge candidates for a task, which is an exercise, each in processes of its own; in order.

    A candidate is the path of a kernel or a text, or a text. It is run on each of the ``targets``,
    that of the task if there are none. To the cases of the task come ``fresh`` ones, whose sizes
    and inputs are drawn from ``seed``, a new one each time unless it is given; ``Grade.fresh`` says
    which. With one seed, or with ``fresh=0``, equal candidates have equal grades. ``executor`` is
    as for :func:`nasm.sweep`; grades are the same with each. ``watch`` is called with each grade as
    it comes, how many there are, and of how many. Raises Failure if the task cannot be used.
    """
    held, chosen = Exercise(task), tuple(targets)
    for name in (*chosen, held.wanted.target):
        if name not in TARGETS:
            raise Failure(unknown_target(name, TARGETS).at(None))
    number = (secrets.randbits(32) if seed is None else seed) if fresh else None
    for case in (*held.cases, *(held.fresh(number, fresh) if number is not None else ())):
        held.made(case)  # a fault of the exercise is found before anything is judged
    given = [_named(each) for each in candidates]
    jobs = [
        GradeJob(
            exercise=held.folder,
            stamp=held.stamp,
            submission=each,
            targets=chosen,
            fresh=number,
            count=fresh,
        )
        for each in given
    ]
    found: dict[str, Grade] = {}

    def died(job: GradeJob) -> Grade:
        check = GradedCheck("read", False, ENDED, 0.0, 1.0)
        return Grade(submission=job.submission, exercise=held.name, checks=(check,))

    with closing(pool(executor)) as workers:
        for job, made, _ in Pieces(jobs, workers, done, died).each():
            found[job.submission] = made
            if watch is not None:
                watch(made, len(found), len(jobs))
    return tuple(found[job.submission] for job in jobs)


def _named(submission: str | os.PathLike[str]) -> str:
    """The path of a submission for a process in another folder; a text is one."""
    text = os.fspath(submission)
    return text if "\n" in text else os.path.abspath(text)


def done(job: GradeJob, wanted: str) -> Grade:
    """Judge a submission in a worker; raises OtherVersion, or Failure for a broken exercise."""
    if version() != wanted:
        raise OtherVersion(wanted, version())
    held = _held(job.exercise, job.stamp)
    return grade(held, job.submission, targets=job.targets, fresh=job.fresh, count=job.count)


@lru_cache(maxsize=4)
def _held(folder: str, stamp: str) -> Exercise:
    """An exercise whose inputs and results are made once; raises Failure for another one."""
    made = Exercise(folder)
    if made.stamp != stamp:
        message = f"{folder} is not the same everywhere, or has changed meanwhile"
        raise Failure(Problem(UNUSABLE, message))
    return made


def faults(exercise: str | os.PathLike[str], **how: object) -> Iterator[str]:
    """The faults of an exercise, in sentences."""
    held = Exercise(exercise)
    yield from _guessable(held)
    if not held.submissions(SOLUTIONS):
        yield "it has no solution"
    if not held.submissions(STARTER):
        yield "it has no starter"
    paths = {part: held.submissions(part) for part in (SOLUTIONS, WRONG, STARTER)}
    every = [path for found in paths.values() for path in found]
    made = dict(zip(every, judge(exercise, every, fresh=0, **how), strict=True))  # type: ignore[arg-type]
    for path in paths[SOLUTIONS]:
        if not made[path].passed:
            yield f"the solution {_name(path)} fails at '{made[path].failed}': {made[path].message}"
    for path in paths[STARTER]:
        if made[path].passed:
            yield f"{_name(path)} passes"
    for path in paths[WRONG]:
        wanted, found = reason(path), made[path].failed
        if wanted not in CHECKS:
            yield f"{_name(path)} says that it fails at '{wanted}', which is no check"
        elif wanted != found:
            what = f"fails at '{found}': {made[path].message}" if found else "passes"
            yield f"{_name(path)} {what}; it says that it fails at '{wanted}'"


def _guessable(held: Exercise) -> Iterator[str]:
    """Whether the results do not depend on the inputs, within the tolerance."""
    first = held.cases[0]
    other = held.fresh(0, 1, first.shape)[0]
    if alike(held.made(first)[1], held.made(other)[1], held.wanted):
        yield "the results of one seed pass for those of another: constants would be right"


def _name(path: str) -> str:
    return os.path.basename(path)
