"""Grades for people: of one submission, and of a class."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Sequence

from nasm.base.problems import counted
from nasm.grading.grade import Grade
from nasm.show.columns import hanging, table
from nasm.show.documents import Key, Shape, each

CHECK: Shape = (
    Key(
        "name", "`read`, `run`, `order`, `right`, `time`, `mfu`, `bytes`, `lines` or `instructions`"
    ),
    Key("passed", "whether it holds"),
    Key("message", "what was found; no value of an input or an output"),
    Key("points", "the points that it gets"),
    Key("of", "the points that there are"),
)
GRADE: Shape = (
    Key("submission", "the file"),
    Key(
        "student",
        "whose it is, by the name of the file or its folder",
        lambda g: student(g.submission),
    ),
    Key("exercise", "the name of the exercise"),
    Key("passed", "whether every check holds"),
    Key("points", "the points of all checks"),
    Key("of", "the points that there are"),
    Key("failed", "the first check that does not hold; empty if all do"),
    Key("hints", "the exercise's hints for that check, one after the other"),
    Key(
        "microseconds",
        "the time of the first case; null if it did not run, or its time depends on values",
        lambda g: g.timed and g.timed.microseconds,
    ),
    Key("mfu", "the MFU of the first case; null likewise", lambda g: g.timed and g.timed.mfu),
    each("checks", CHECK),
)

PASSED, FAILED = "passes", "FAILS"


def student(path: str) -> str:
    """Whose a submission is: the folder of its own that it is in, or the name of its file."""
    folder, name = os.path.split(path)
    stem = os.path.splitext(name)[0]
    return os.path.basename(folder) if stem in ("submission", "solution", "kernel") else stem


def one(found: Grade, width: int, hints: int = 1) -> list[str]:
    """What is right and wrong about a submission, in lines, with so many hints."""
    lines = table(
        ["check", "result", "found"],
        [[c.name, PASSED if c.passed else FAILED, c.message] for c in found.checks],
        width,
    )
    total = f"{found.points:g} of {found.of:g} points"
    lines += [
        "",
        f"{PASSED}: {total}" if found.passed else f"{FAILED} at '{found.failed}': {total}",
    ]
    for hint in found.hints[:hints]:
        lines += hanging(f"hint: {hint}", width)
    return lines


def more_hints(found: Grade, hints: int) -> list[str]:
    """How to see another hint, if there is one after so many."""
    left = len(found.hints[hints:])
    return [f"{counted(left, 'more hint')}: --hints {hints + 1}"] if left else []


def of_class(grades: Sequence[Grade], width: int) -> list[str]:
    """A line for each submission, and what most of them got wrong."""
    rows = [
        [
            student(grade.submission),
            f"{grade.points:g}",
            "" if grade.timed is None else f"{grade.timed.microseconds:,.3f} µs",
            "" if grade.passed else f"{grade.failed}: {grade.message}",
        ]
        for grade in grades
    ]
    lines = table(["submission", ">points", ">time", "fails"], rows, width)
    passed = sum(grade.passed for grade in grades)
    lines += ["", f"{passed:,} of {counted(len(grades), 'submission')} passed"]
    failed = Counter(grade.failed for grade in grades if not grade.passed)
    if failed:
        most = ", ".join(f"{name} ({count:,})" for name, count in failed.most_common())
        lines += hanging(f"what failed first: {most}", width)
    return lines


def comma_separated(grades: Sequence[Grade]) -> str:
    """A row for each submission: points and time, then whether each check passed."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = list(dict.fromkeys(check.name for grade in grades for check in grade.checks))
    writer.writerow(["submission", "passed", "points", "of", "microseconds", "failed", *names])
    for grade in grades:
        held = {check.name: check.passed for check in grade.checks}
        first = [student(grade.submission), grade.passed, grade.points, grade.of]
        more = [
            grade.timed and grade.timed.microseconds,
            grade.failed,
            *(held.get(name, "") for name in names),
        ]
        writer.writerow([*first, *more])
    return out.getvalue()
