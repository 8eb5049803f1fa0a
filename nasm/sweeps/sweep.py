"""A sweep: a program with every choice of some values, and what became of each run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from typing import Any, TypedDict, Unpack

from nasm.base.array_files import ArrayFile
from nasm.base.drawing import Drawn
from nasm.base.files import Allowed, Folders
from nasm.base.problems import Failure, Problem, counted
from nasm.base.records import dataclass, replace
from nasm.base.source import Source
from nasm.base.source_files import Given, ObjectFile, Text, program_of
from nasm.language.objects.writing import written
from nasm.machine.inputs import InFolder, Inputs
from nasm.nki.exceptions import permitted
from nasm.nki.kernel_argument import split
from nasm.nki.target import default_target
from nasm.program.program import Program
from nasm.runs.settings import RunSettings, with_keywords, with_settings
from nasm.sweeps.grid import WRONG, ParameterGrid
from nasm.sweeps.job import KernelCall, Parameter, Point, RunJob
from nasm.sweeps.journal import journal
from nasm.sweeps.row import METRICS, SweepRow
from nasm.sweeps.running import closing, rows
from nasm.workers.pools import Cluster, WorkerPool, pool

TARGET = "target"
"""The name in a grid that is no constant: the values are targets."""

OPTION = "option:"
"""In a grid the beginning of the name of a machine option."""


class SweepKeywords(TypedDict, total=False):
    """What :func:`sweep` takes of a run's settings."""

    target: str | None
    defines: Mapping[str, int | float] | None
    options: Mapping[str, object] | None
    timing: Any
    files: Any
    include: Any
    autosync: bool
    values: bool
    strict: bool
    allow: Iterable[str]
    checked: bool
    max_cycles: int | None
    max_instructions: int | None
    deadline: float | None
    memory: int | None


@dataclass(frozen=True, slots=True)
class ChoiceEffect:
    """What a value decides: the best figure with its best choice, and with its worst.

    All other values are the best that were run with each.
    """

    name: str
    best: Parameter
    best_figure: float
    worst: Parameter
    worst_figure: float

    @property
    def ratio(self) -> float:
        """How many times one is the other, at least 1."""
        low, high = sorted((self.best_figure, self.worst_figure))
        return high / low if low else float("inf") if high else 1.0


@dataclass(frozen=True, slots=True)
class SweepResult(Drawn):
    """What became of each run of a sweep: ``rows`` in the order of the grid.

    ``varied`` are the names that had several values; ``by`` is what runs are compared by. ``kept``
    runs were made before, and their rows kept; ``seconds`` is how long the others took together.
    ``str`` of it is the table that ``neuron-nasm sweep`` prints.
    """

    program: str
    rows: tuple[SweepRow, ...]
    varied: tuple[str, ...] = ()
    by: str = "time"
    kept: int = 0
    seconds: float = 0.0

    @property
    def ordered(self) -> tuple[SweepRow, ...]:
        """The rows that are ok, best first, and then the others, in the order of the grid."""
        more = METRICS[self.by][2]

        def place(row: SweepRow) -> tuple[bool, float]:
            value = row.metric(self.by)
            return value is None, 0.0 if value is None else -value if more else value

        return tuple(sorted(self.rows, key=place))

    @property
    def best(self) -> SweepRow | None:
        """The best run that is ok; None if none is."""
        first = self.ordered[0] if self.rows else None
        return first if first is not None and first.metric(self.by) is not None else None

    @property
    def complete(self) -> bool:
        """Whether each run was made: none failed because of the computer, or was too late."""
        return all(row.lasting for row in self.rows)

    @property
    def effects(self) -> tuple[ChoiceEffect, ...]:
        """What each value that was varied decides, the most important first."""
        found = [effect for name in self.varied if (effect := self._effect(name)) is not None]
        return tuple(sorted(found, key=lambda effect: -effect.ratio))

    def _effect(self, name: str) -> ChoiceEffect | None:
        more = METRICS[self.by][2]
        best: dict[str, tuple[Parameter, float]] = {}
        for row in self.ordered:  # the first of each value is its best
            figure = row.metric(self.by)
            if figure is not None:
                best.setdefault(repr(row.point[name]), (row.point[name], figure))
        if len(best) < 2:
            return None
        found = sorted(best.values(), key=lambda each: -each[1] if more else each[1])
        return ChoiceEffect(name, *found[0], *found[-1])

    def __repr__(self) -> str:
        bad = sum(not row.ok for row in self.rows)
        failed = f", {bad} not ok" if bad else ""
        return f"<sweep of {self.program}: {counted(len(self.rows), 'run')}{failed}>"


Watcher = Callable[[SweepRow, int, int], None]
"""Is given each row as it comes, how many there are, and of how many."""


@with_settings(SweepKeywords)
def sweep(
    program: Text | Program | Callable[..., Text | Program],
    grid: Mapping[str, Iterable[Parameter]],
    inputs: Inputs | None = None,
    *,
    executor: Executor | Cluster | int | str | None = None,
    by: str = "time",
    keep: str | os.PathLike[str] | None = None,
    watch: Watcher | None = None,
    kernel: KernelCall | None = None,
    settings: RunSettings | None = None,
    **keywords: Unpack[SweepKeywords],
) -> SweepResult:
    """Run a program with every choice of the values of a grid; a run that fails is a row, too.

    A name of the ``grid`` is a constant of the text or, for ``kernel.py:name``, an argument of the
    kernel; ``target`` takes names of targets, and ``option:NAME`` the values of a machine option.
    A ``program`` that is a function is called with the values of each point, and returns a text or
    a Program.

    ``executor`` is any of ``concurrent.futures``, a number of processes, or the address of a Dask
    cluster (``local`` starts one); without, runs are made here, one after the other. Rows are the
    same with each. With ``keep``, the name of a file, they are written there as they come, and what
    is there already is not run again. ``watch`` is called with each row as it comes. Rows are
    compared ``by`` one of time, mfu, bytes and instructions. The other keywords are described at
    :class:`nasm.RunSettings`; ``deadline`` and ``memory`` hold for each run.

    Raises Failure if the program cannot be read, or the executor cannot be used.
    """
    chosen = with_keywords(settings, keywords)
    checked_by(by)
    points = ParameterGrid(grid)
    jobs = Jobs(program, inputs, chosen, kernel)
    begun, found, kept = time.monotonic(), {}, 0
    with closing(pool(executor)) as workers, journal(os.fspath(keep or "")) as held:
        for number, row, new in numbered(jobs, points, workers, held):
            found[number] = row
            kept += not new
            if watch is not None:
                watch(row, len(found), len(points))
    made = tuple(row for _, row in sorted(found.items(), key=lambda item: item[0]))
    seconds = time.monotonic() - begun
    return SweepResult(jobs.name, made, points.varied, by, kept, seconds)


def checked_by(by: str) -> None:
    """Raise ValueError for what runs are not compared by."""
    if by not in METRICS:
        raise ValueError(f"by= takes {', '.join(METRICS)}, found {by!r}")


def numbered(
    jobs: Jobs, points: Iterable[Point], workers: WorkerPool, held: Any
) -> Iterator[tuple[int, SweepRow, bool]]:
    """Rows as they come: the number of each point, and whether it was run now."""
    numbers: dict[int, int] = {}

    def each() -> Iterator[RunJob]:
        for number, point in enumerate(points):
            job = jobs.of(point)
            numbers[id(job)] = number
            yield job

    for job, row, new in rows(each(), workers, held):
        yield numbers.pop(id(job)), row, new


class Jobs:
    """Makes the run of each point; raises Failure for a program that cannot be read."""

    def __init__(
        self,
        program: Text | Program | Callable[..., Text | Program],
        inputs: Inputs | None,
        settings: RunSettings,
        kernel: KernelCall | None = None,
    ) -> None:
        self.inputs, self.settings = _absolute_inputs(inputs), _absolute(settings)
        self.kernel, self.program = kernel, program
        self.name = getattr(program, "name", "") or _name(program)
        self.given: Given | KernelCall | None = None
        if isinstance(program, str) and kernel is None and split(program):
            self.kernel = KernelCall(name=program, python=settings.files is not False)
        if self.kernel is not None:
            self.name, self.given = self.kernel.name, _kernel(self.kernel)
            self.settings = replace(self.settings, target=settings.target or default_target())
        elif not callable(program):
            self.given = given(program, self.settings)

    def of(self, point: Point) -> RunJob:
        """The run of a point; raises Failure."""
        options = {k.removeprefix(OPTION): v for k, v in point.items() if k.startswith(OPTION)}
        plain = {k: v for k, v in point.items() if k != TARGET and not k.startswith(OPTION)}
        more: dict[str, Any] = {}
        if TARGET in point:
            more["target"] = str(point[TARGET])
        if options:
            more["options"] = dict(self.settings.options or {}) | options
        program = self.given
        if isinstance(program, KernelCall):
            words = {name: v if isinstance(v, str) else repr(v) for name, v in plain.items()}
            program = replace(program, arguments=dict(program.arguments) | words)
        elif program is None:
            assert callable(self.program)
            program = given(self.program(**plain), self.settings)
        elif plain:
            more["defines"] = dict(self.settings.defines or {}) | plain
        return RunJob(
            program=program,
            inputs=self.inputs,
            settings=replace(self.settings, **more) if more else self.settings,
            point=dict(point),
        )


def given(program: Text | Program, settings: RunSettings) -> Given:
    """A program as data that another process can use; raises Failure."""
    if isinstance(program, Program):
        settings.refuse_text()
        return ObjectFile("<program>", written(program))
    made = program_of(program, Allowed.of(settings.files, settings.include))
    if isinstance(made, Source) and made.name != "<text>":
        return Source(os.path.abspath(made.name), made.text)
    return made


def _kernel(call: KernelCall) -> KernelCall:
    permitted(call.name, call.python)
    path, name = split(call.name) or ("", "")
    if not name:
        hint = f"such as {call.name}:NAME"
        raise Failure(Problem(WRONG, f"{call.name} names no kernel", None, hint))
    if not os.path.isfile(path):
        raise Failure(Problem("E0801", f"no file {path}"))
    return replace(call, name=f"{os.path.abspath(path)}:{name}")


def _absolute(settings: RunSettings) -> RunSettings:
    """The same for a process in another folder."""
    folders = tuple(os.path.abspath(folder) for folder in _listed(settings.include))
    more: dict[str, Any] = {"include": folders}
    for name in ("files", "timing"):
        found = getattr(settings, name)
        if isinstance(found, str | os.PathLike):
            more[name] = os.path.abspath(found)
    return replace(settings, **more)


def _listed(folders: Folders) -> Iterable[str | os.PathLike[str]]:
    return [folders] if isinstance(folders, str | os.PathLike) else folders


def _absolute_inputs(inputs: Inputs | None) -> Inputs | None:
    if isinstance(inputs, str | os.PathLike):
        return os.path.abspath(inputs)
    if isinstance(inputs, InFolder):
        others = {name: _absolute_file(value) for name, value in inputs.others.items()}
        return replace(inputs, folder=os.path.abspath(inputs.folder), others=others)
    if inputs is None:
        return None
    return {name: _absolute_file(value) for name, value in inputs.items()}


def _absolute_file(value: Any) -> Any:
    if isinstance(value, ArrayFile):
        return replace(value, folder=os.path.abspath(value.folder or os.curdir))
    return value


def _name(program: object) -> str:
    if isinstance(program, str | os.PathLike):
        text = os.fspath(program)
        return "<text>" if "\n" in text else text
    return str(getattr(program, "__name__", "<program>"))
