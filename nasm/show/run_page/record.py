"""All that the page of a run shows, as one record: its chart, words, memory and profile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.analysis.profile.intervals import Times
from nasm.analysis.profile.path import critical_path
from nasm.analysis.profile.profile import WatchedMachine
from nasm.analysis.profile.records import Profile
from nasm.base.problems import Problem
from nasm.base.records import dataclass
from nasm.runs.results import Results
from nasm.show.run_page.lives import Lives, lives
from nasm.show.run_page.slices import COLUMNS, NOT_STARTED, STARTED, LaneChart, lane_chart
from nasm.show.run_page.texts import FORM, Texts, texts
from nasm.show.run_page.thinning import MOST, thinned
from nasm.show.run_page.traffic import MovedBytes, traffic
from nasm.show.run_page.values import Heat, heats
from nasm.show.timeline import MARKS

PATH_MOST = 20_000
"""Steps of the critical path that a page draws: of a longer one, those that take longest."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPath:
    """The critical path, step by step: the slice, and from when to when it is on the path."""

    slice: Times
    begin: Times
    end: Times


@dataclass(frozen=True, slots=True, eq=False)
class RunRecord:
    """A run as its page shows it.

    ``label`` tells it from another one on the same page. Slices that are shorter than ``quantum``
    ticks may be joined, of ``instructions`` in all; 0 if the chart has every slice. ``causes`` are
    the words of the target for what it lets instructions wait for.
    """

    label: str
    profile: Profile
    hazards: tuple[Problem, ...]
    chart: LaneChart
    words: Texts
    path: DrawnPath
    traffic: MovedBytes
    lives: Lives
    heats: tuple[Heat, ...]
    quantum: int
    slices: int
    causes: Mapping[str, str]

    @property
    def now(self) -> int:
        """How long the run took, in ticks."""
        return self.profile.ticks

    @property
    def waits(self) -> list[str]:
        """What slices waited for, in words."""
        return [self.waited(name) for name in self.chart.waits]

    def waited(self, cause: str) -> str:
        """What a wait is for, in words, if there are any."""
        return MARKS[cause][2] if cause in MARKS else self.causes.get(cause, cause)

    @property
    def names(self) -> NDArray[np.int64]:
        """The mnemonic of each slice, as a number of the strings of its words."""
        found: NDArray[np.int64] = self.words.name[self.words.of_slice]
        return found

    def columns(self) -> dict[str, NDArray[Any]]:
        """Every column, by a name that tells it from those of others."""
        found: dict[str, NDArray[Any]] = {
            name: getattr(self.chart.slices, name) for name in COLUMNS
        }
        found |= {f"form_{name}": getattr(self.words, name) for name in FORM}
        found["form"] = self.words.of_slice
        found["shared_slice"], found["shared_lane"] = self.chart.shared
        found |= {f"path_{name}": getattr(self.path, name) for name in ("slice", "begin", "end")}
        found |= {"moved_ticks": self.traffic.ticks, "moved_bytes": self.traffic.bytes}
        return found | {f"live_{n}": getattr(self.lives, n) for n in ("tensor", "begin", "end")}

    def others(self) -> dict[str, Any]:
        """What is not a column, as JSON can hold it."""
        words = self.words
        return {
            "label": self.label,
            "title": self.profile.title,
            "now": self.now,
            "ticks": self.profile.ticks_per_microsecond,
            "quantum": self.quantum,
            "slices": self.slices,
            "lanes": [[one.name, one.kind, one.core, one.rows] for one in self.chart.lanes],
            "waits": self.waits,
            "strings": list(words.strings),
            "lines": [list(line) for line in words.lines],
            "sources": [source.shown for source in words.sources],
            "memories": [[m.name, m.core, m.size, m.bank] for m in self.lives.memories],
            "tensors": [
                [t.name, t.memory, t.low, t.high, t.partition, t.partitions]
                for t in self.lives.tensors
            ],
            "heats": [one.data() for one in self.heats],
        }


def record(results: Results, profile: Profile, label: str = "", most: int = MOST) -> RunRecord:
    """The record of a run that has ended, or of one as far as it got; it was watched."""
    run, watched = results.run, results.profiled()
    whole = lane_chart(watched)
    chart, quantum = thinned(whole, most)
    return RunRecord(
        label,
        profile,
        run.hazards,
        chart,
        texts(watched, chart.slices),
        _path(watched, chart),
        traffic(watched.history, profile.ticks),
        lives(watched),
        heats(run),
        quantum,
        len(whole.slices),
        watched.machine.program.target.causes,
    )


def _path(watched: WatchedMachine, chart: LaneChart) -> DrawnPath:
    """The critical path in slices of a chart."""
    steps = critical_path(watched.history)
    found = np.array([(s.record, s.begin, s.end) for s in steps], np.int64).reshape(-1, 3)
    found[:, 0] = chart.of_record[found[:, 0]] if len(found) else found[:, 0]
    found = found[(found[:, 0] >= 0) & (found[:, 2] > found[:, 1])]
    if len(found) > PATH_MOST:
        longest = np.argsort(found[:, 1] - found[:, 2], kind="stable")[:PATH_MOST]
        found = found[np.sort(longest)]
    return DrawnPath(found[:, 0], found[:, 1], found[:, 2])


KINDS = 7
"""Kinds of instructions that have a colour of their own; all others share one."""


def kinds(runs: Sequence[RunRecord]) -> tuple[str, ...]:
    """The mnemonics that have colours: those that took longest, transfers aside."""
    total: Counter[str] = Counter()
    for run in runs:
        slices, names = run.chart.slices, run.names
        own = np.isin(slices.what, (STARTED, NOT_STARTED))
        sums = np.bincount(names[own], slices.busy[own], len(run.words.strings))
        total.update({run.words.strings[n]: int(sums[n]) for n in np.flatnonzero(sums).tolist()})
    return tuple(name for name, _ in total.most_common(KINDS))
