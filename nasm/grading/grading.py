"""Submissions judged over a pool, and exercises checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor

from nasm.grading.exercise import CHECKS, SOLUTIONS, STARTER, WRONG, Exercise
from nasm.grading.grade import Grade, GradedCheck, GradeJob, done, reason
from nasm.sweeps.pools import Cluster, pool
from nasm.sweeps.running import ENDED, Pieces, closing


def grades(
    exercise: str | os.PathLike[str],
    submissions: Iterable[str | os.PathLike[str]],
    *,
    executor: Executor | Cluster | int | str | None = None,
    watch: Callable[[Grade, int, int], None] | None = None,
) -> tuple[Grade, ...]:
    """Judge submissions to an exercise, each in processes of its own; in their order.

    ``executor`` is as for :func:`nasm.sweep`; grades are the same with each. ``watch`` is called
    with each grade as it comes, how many there are, and of how many. Raises Failure if the exercise
    cannot be used.
    """
    held = Exercise(exercise)
    for case in held.cases:
        held.made(case)  # a fault of the exercise is found before anything is judged
    jobs = [GradeJob(held.folder, os.path.abspath(path)) for path in submissions]
    found: dict[str, Grade] = {}

    def died(job: GradeJob) -> Grade:
        check = GradedCheck("read", False, ENDED, 0.0, 1.0)
        return Grade(submission=job.submission, exercise=held.name, checks=(check,))

    with closing(pool(executor)) as workers:
        for job, grade, _ in Pieces(jobs, workers, done, died).each():
            found[job.submission] = grade
            if watch is not None:
                watch(grade, len(found), len(jobs))
    return tuple(found[job.submission] for job in jobs)


def faults(exercise: str | os.PathLike[str], **how: object) -> Iterator[str]:
    """The faults of an exercise, in sentences."""
    held = Exercise(exercise)
    if not held.submissions(SOLUTIONS):
        yield "it has no solution"
    if not held.submissions(STARTER):
        yield "it has no starter"
    paths = {part: held.submissions(part) for part in (SOLUTIONS, WRONG, STARTER)}
    every = [path for found in paths.values() for path in found]
    made = dict(zip(every, grades(exercise, every, **how), strict=True))  # type: ignore[arg-type]
    for path in paths[SOLUTIONS]:
        if not made[path].passed:
            yield f"the solution {_name(path)} fails at '{made[path].failed}': {_why(made[path])}"
    for path in paths[STARTER]:
        if made[path].passed:
            yield f"{_name(path)} passes"
    for path in paths[WRONG]:
        wanted, found = reason(path), made[path].failed
        if wanted not in CHECKS:
            yield f"{_name(path)} says that it fails at '{wanted}', which is no check"
        elif wanted != found:
            what = f"fails at '{found}': {_why(made[path])}" if found else "passes"
            yield f"{_name(path)} {what}; it says that it fails at '{wanted}'"


def _why(grade: Grade) -> str:
    return next((check.message for check in grade.checks if not check.passed), "")


def _name(path: str) -> str:
    return os.path.basename(path)
