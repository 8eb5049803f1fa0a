"""A search for the best values, where a grid has too many points to run them all."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from importlib import import_module
from typing import Any, Unpack

from nasm.base.problems import Failure, Problem
from nasm.base.source_files import Text
from nasm.machine.inputs import Inputs
from nasm.program.program import Program
from nasm.runs.settings import RunSettings, with_keywords, with_settings
from nasm.sweeps.grid import ParameterGrid
from nasm.sweeps.job import KernelCall, Parameter, Point
from nasm.sweeps.journal import Journal, journal
from nasm.sweeps.row import METRICS, REFUSED, SweepRow
from nasm.sweeps.running import closing
from nasm.sweeps.sweep import Jobs, SweepKeywords, SweepResult, Watcher, checked_by, numbered
from nasm.workers.pools import NOT_INSTALLED, Cluster, WorkerPool, pool

TOGETHER = 16
"""Points that are chosen at once: so many on every executor, so that each search is the same."""

FRUITLESS = 20
"""The search ends when so many choices in a row are of points that were all run."""


@with_settings(SweepKeywords)
def tune(
    program: Text | Program | Callable[..., Text | Program],
    grid: Mapping[str, Iterable[Parameter]],
    inputs: Inputs | None = None,
    *,
    runs: int = 100,
    seconds: float | None = None,
    seed: int = 1,
    executor: Executor | Cluster | int | str | None = None,
    by: str = "time",
    keep: str | os.PathLike[str] | None = None,
    watch: Watcher | None = None,
    kernel: KernelCall | None = None,
    settings: RunSettings | None = None,
    **keywords: Unpack[SweepKeywords],
) -> SweepResult:
    """Search a grid for its best point with so many ``runs``, or for so many ``seconds``.

    Half of the points are chosen by Optuna's sampler TPE from what is known of those before, the
    others differ from the best one in one value. A run that is not ok is no candidate, and one that
    is refused is not counted. With the same ``seed`` the search is the same on every executor,
    unless ``seconds`` end it. A grid that has no more points than there are ``runs`` is run as a
    whole. All else is as for :func:`nasm.sweep`. Raises Failure if Optuna is not installed.
    """
    checked_by(by)
    points = ParameterGrid(grid)
    jobs = Jobs(program, inputs, with_keywords(settings, keywords), kernel)
    begun = time.monotonic()
    end = None if seconds is None else begun + seconds
    search = _Search(points, min(runs, len(points)), seed, by, watch)
    with closing(pool(executor)) as workers, journal(os.fspath(keep or "")) as held:
        for chosen in search.batches():
            search.run(chosen, jobs, workers, held)
            if end is not None and time.monotonic() >= end:
                break
    rows = tuple(search.rows.values())
    varied = points.varied
    return SweepResult(jobs.name, rows, varied, by, search.kept, time.monotonic() - begun)


class _Search:
    """What is known so far: ``rows`` by the indices of their values."""

    def __init__(
        self, grid: ParameterGrid, runs: int, seed: int, by: str, watch: Watcher | None
    ) -> None:
        self.grid, self.runs, self.by, self.watch = grid, runs, by, watch
        self.rows: dict[tuple[int, ...], SweepRow] = {}
        self.kept = 0
        self.study: Any = None
        if runs < len(grid):
            self.optuna: Any = _optuna()
            self.study = self._study(seed)

    def _study(self, seed: int) -> Any:
        optuna = self.optuna
        sampler = optuna.samplers.TPESampler(
            seed=seed, n_startup_trials=TOGETHER, constant_liar=True
        )
        direction = "maximize" if METRICS[self.by][2] else "minimize"
        return optuna.create_study(sampler=sampler, direction=direction)

    @property
    def ran(self) -> int:
        """How many were run: one that is refused takes next to no time, and is none."""
        return sum(row.status != REFUSED for row in self.rows.values())

    def batches(self) -> Iterator[list[tuple[int, ...]]]:
        """Points to run together, until there are as many as wanted, or no new one is found."""
        if self.study is None:
            yield [self._indices(point) for point in self.grid]
            return
        distributions = {name: self._distribution(name) for name in self.grid.values}
        fruitless = 0
        while self.ran < self.runs and fruitless < FRUITLESS:
            near = self._neighbours()[: TOGETHER // 2]
            trials = [self.study.ask(distributions) for _ in range(TOGETHER - len(near))]
            asked = [self._asked(trial.params) for trial in trials]
            chosen = [at for at in dict.fromkeys([*near, *asked]) if at not in self.rows]
            fruitless = 0 if chosen else fruitless + 1
            yield chosen[: self.runs - self.ran]
            for at in near:
                trial = self.optuna.trial.create_trial(
                    params=dict(zip(self.grid.values, at, strict=True)),
                    distributions=distributions,
                    **self._outcome(at),
                )
                self.study.add_trial(trial)
            for trial, at in zip(trials, asked, strict=True):
                outcome = self._outcome(at)
                self.study.tell(trial, outcome.get("value"), outcome["state"])

    def _neighbours(self) -> list[tuple[int, ...]]:
        """Points that were not run and differ from the best in one value, the next ones first."""
        ranked = SweepResult("", tuple(self.rows.values()), by=self.by).best
        if ranked is None:
            return []
        best = next(at for at, row in self.rows.items() if row is ranked)
        found = [
            (abs(other - at), (*best[:n], other, *best[n + 1 :]))
            for n, (at, given) in enumerate(zip(best, self.grid.values.values(), strict=True))
            for other in range(len(given))
        ]
        return [at for _, at in sorted(found) if at not in self.rows]

    def run(
        self, chosen: list[tuple[int, ...]], jobs: Jobs, workers: WorkerPool, held: Journal
    ) -> None:
        """Run some points."""
        found: dict[int, SweepRow] = {}
        for number, row, new in numbered(jobs, map(self._point, chosen), workers, held):
            found[number] = row
            self.kept += not new
            if self.watch is not None:
                self.watch(row, min(self.ran + len(found), self.runs), self.runs)
        self.rows |= {chosen[number]: found[number] for number in sorted(found)}

    def _outcome(self, at: tuple[int, ...]) -> dict[str, Any]:
        """What the sampler learns of a point: one that is not ok is worse than all that are."""
        states, row = self.optuna.trial.TrialState, self.rows.get(at)
        value = None if row is None else row.metric(self.by)
        return (
            {"state": states.PRUNED}
            if value is None
            else {"state": states.COMPLETE, "value": value}
        )

    def _distribution(self, name: str) -> Any:
        """Numbers have an order, of which the sampler makes use; words have none."""
        given = self.grid.values[name]
        kinds = self.optuna.distributions
        if all(isinstance(value, int | float) for value in given):
            return kinds.IntDistribution(0, len(given) - 1)
        return kinds.CategoricalDistribution(tuple(range(len(given))))

    def _asked(self, params: Mapping[str, int]) -> tuple[int, ...]:
        return tuple(params[name] for name in self.grid.values)

    def _point(self, at: tuple[int, ...]) -> Point:
        values = self.grid.values.items()
        return {name: given[n] for n, (name, given) in zip(at, values, strict=True)}

    def _indices(self, point: Point) -> tuple[int, ...]:
        return tuple(given.index(point[name]) for name, given in self.grid.values.items())


def _optuna() -> Any:
    try:
        made: Any = import_module("optuna")
    except ImportError:
        message = "a search is made with the package optuna, which is not installed"
        hint = "pip install 'neuron-nasm[tune]', or run the whole grid with sweep"
        raise Failure(Problem(NOT_INSTALLED, message, None, hint)) from None
    made.logging.set_verbosity(made.logging.ERROR)
    return made
