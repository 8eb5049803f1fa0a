"""A submission judged: what is asked of it, what holds, and its points."""

from __future__ import annotations

import re
from collections.abc import Callable

from nasm.base import host_files
from nasm.base.problems import Failure, Problem, counted, in_line
from nasm.base.records import dataclass, field
from nasm.grading.exercise import Exercise, ExerciseGoal
from nasm.grading.judged import HIDDEN, JudgedRun, TimedRun, described, judged_runs
from nasm.isolation import process
from nasm.isolation.exchange import Perform

READ, RUN, RIGHT, ORDER = "read", "run", "right", "order"

Found = dict[str, tuple[bool, str]]
"""Whether each check holds, and what was found."""


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
    the other. ``runs`` are what they follow from; ``fresh`` is the number from which cases were
    made that the exercise does not list, or None. Equal submissions have equal grades.
    """

    submission: str
    exercise: str
    checks: tuple[GradedCheck, ...]
    hints: tuple[str, ...] = ()
    runs: tuple[JudgedRun, ...] = ()
    fresh: int | None = None
    seconds: float = field(default=0.0, compare=False)

    @property
    def passed(self) -> bool:
        """Whether every check holds."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    @property
    def correct(self) -> bool:
        """Whether the results are right in each run, in an order that is proved."""
        held = {check.name: check.passed for check in self.checks}
        return all(held.get(name, False) for name in (READ, RUN, ORDER, RIGHT))

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

    @property
    def message(self) -> str:
        """What was found by the first check that does not hold; empty if all do."""
        return next((check.message for check in self.checks if not check.passed), "")

    @property
    def timed(self) -> TimedRun | None:
        """The figures of the first case on the first target, if they can be shown."""
        return self.runs[0].timed if self.runs else None


def grade(
    exercise: Exercise,
    submission: str,
    *,
    targets: tuple[str, ...] = (),
    fresh: int | None = None,
    count: int = 0,
    perform: Perform = process.run,
) -> Grade:
    """Judge a submission, the path of a file or a text; raises Failure for a broken exercise.

    ``targets`` are where it is run, that of the exercise if there are none; so many cases are added
    that are made from the number ``fresh``. ``perform`` runs it: in processes of its own, or in
    this one (``here.run``), with the same grade if it ends.
    """
    chosen, found = targets or (exercise.wanted.target,), _Checks(exercise.wanted)
    cases = exercise.cases + (exercise.fresh(fresh, count) if fresh is not None else ())
    runs: tuple[JudgedRun, ...] = ()
    try:
        text = submission if "\n" in submission else host_files.read_text(submission)
    except (OSError, UnicodeDecodeError) as error:
        found.of[READ] = False, f"it cannot be read: {in_line(str(error))}"
    else:
        python = "\n" not in submission and submission.endswith(".py")
        found.text(text, "#" if python else ";")
        program = submission if python else text + "\n" * (not text.endswith("\n"))
        runs = tuple(judged_runs(exercise, program, cases, chosen, perform))
        found.runs(runs)
    return Grade(
        submission="<text>" if "\n" in submission else submission,
        exercise=exercise.name,
        checks=found.made(),
        hints=exercise.wanted.hints.get(found.first, ()),
        runs=runs,
        fresh=fresh,
        seconds=sum({run.target: run.seconds for run in runs}.values()),
    )


class _Checks:
    """What is found of each check that an exercise asks for."""

    def __init__(self, wanted: ExerciseGoal) -> None:
        self.wanted, self.of = wanted, Found()

    @property
    def names(self) -> list[str]:
        """The checks, in their order."""
        wanted = self.wanted
        limits = {
            "time": wanted.time_us,
            "mfu": wanted.mfu,
            "bytes": wanted.bytes,
            "lines": wanted.lines,
            "instructions": wanted.not_used or None,
        }
        return [READ, RUN, ORDER, RIGHT, *(n for n, given in limits.items() if given is not None)]

    @property
    def first(self) -> str:
        """The first that does not hold."""
        return next((name for name in self.names if not self.of.get(name, (False, ""))[0]), "")

    def made(self) -> tuple[GradedCheck, ...]:
        """All of them, with their points: those after ``run`` are for right results alone."""
        points, made = self.wanted.points, []
        right = self.of.get(RIGHT, (False, ""))[0]
        for name in self.names:
            passed, message = self.of.get(name, (False, "not reached"))
            of = float(points.get(name, 0.0 if points else 1.0))
            earned = passed and (right or name in (READ, RUN))
            made.append(GradedCheck(name, passed, message, of if earned else 0.0, of))
        return tuple(made)

    def text(self, text: str, sign: str) -> None:
        """Lines and words of a text, whose comments begin with a sign."""
        wanted = self.wanted
        lines = [line.partition(sign)[0].strip() for line in text.splitlines()]
        count = sum(map(bool, lines))
        if wanted.lines is not None:
            found = f"{counted(count, 'line')}, at most {wanted.lines} are allowed"
            self.of["lines"] = count <= wanted.lines, found
        used = [
            w for w in wanted.not_used if re.search(rf"(?<!\w){re.escape(w)}\b", "\n".join(lines))
        ]
        if wanted.not_used:
            found = f"it uses {', '.join(used)}" if used else "nothing of that is used"
            self.of["instructions"] = not used, found

    def runs(self, runs: tuple[JudgedRun, ...]) -> None:
        """What runs show: of several the first that is wrong."""
        self._each(READ, runs, lambda run: run.read, "it is a program")
        self._each(RUN, runs, lambda run: run.ran, "it ran to its end")
        self._each(ORDER, runs, lambda run: run.ordered, "the order is proved")
        self._each(RIGHT, runs, lambda run: run.right, "all outputs are right")
        first = next(iter(runs), None)
        if first is not None and first.took is not None and first.ran:
            self._limits(first.took, first.timed is not None)

    def _each(
        self,
        name: str,
        runs: tuple[JudgedRun, ...],
        held: Callable[[JudgedRun], bool | None],
        text: str,
    ) -> None:
        known = [run for run in runs if held(run) is not None]
        if not known:
            return
        for run in known:
            if not held(run):
                why = run.wrong if name == RIGHT else "; ".join(map(described, run.problems[:3]))
                self.of[name] = False, f"{_where(run, runs)}{why}"
                return
        self.of[name] = True, text

    def _limits(self, took: TimedRun, shown: bool) -> None:
        """Time, MFU and bytes of a run; what depends on values is not shown."""
        wanted = self.wanted
        if wanted.time_us is not None:
            found = f"{took.microseconds:,.3f} µs, at most {wanted.time_us:,.3f} µs are allowed"
            self.of["time"] = took.microseconds <= wanted.time_us, found if shown else HIDDEN
        if wanted.mfu is not None:
            mfu = took.mfu or 0.0
            found = f"{100 * mfu:.1f} % MFU, at least {100 * wanted.mfu:.1f} % are wanted"
            self.of["mfu"] = mfu >= wanted.mfu, found if shown else HIDDEN
        if wanted.bytes is not None:
            found = f"{took.bytes:,} bytes moved, at most {wanted.bytes:,} are allowed"
            self.of["bytes"] = took.bytes <= wanted.bytes, found if shown else HIDDEN


def _where(run: JudgedRun, runs: tuple[JudgedRun, ...]) -> str:
    """Which of several runs it is, if they differ in more than their seed."""
    words = []
    if any(other.target != run.target for other in runs):
        words.append(run.target)
    if any(other.case.shape != run.case.shape for other in runs):
        words += [f"{name}={value}" for name, value in run.case.shape.items()]
    return f"{' '.join(words)}: " if words else ""


# ---------------------------------------------------------------- in a worker


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeJob:
    """A submission to be judged; ``stamp`` is that of the exercise."""

    exercise: str
    stamp: str
    submission: str
    targets: tuple[str, ...] = ()
    fresh: int | None = None
    count: int = 0


def reason(path: str) -> str:
    """The check that a wrong submission says it fails; raises Failure if it says none."""
    first = host_files.read_text(path).partition("\n")[0]
    found = re.search(r"fails:\s*(\w+)", first)
    if found is None:
        message = f"{path} does not say in its first line what it fails"
        raise Failure(Problem("E0847", message, None, "such as '; fails: right'"))
    return found[1]
