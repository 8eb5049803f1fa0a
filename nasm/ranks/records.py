"""What is reported of a run of several ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from nasm.base.problems import Note, Problem, counted, listed
from nasm.base.records import dataclass, replace
from nasm.base.source import Span
from nasm.isa.collectives import Group
from nasm.language.expectations.records import ExpectationRecord
from nasm.machine.records import RunReport, Status

TOGETHER = ("E0560", "E0561", "E0563", "E0564")
"""Codes of what is reported of several ranks at once."""


@dataclass(frozen=True, slots=True)
class MeetingReport:
    """A collective that took place, at a line of the program; times in ticks.

    ``bytes`` is the size that decided how long it took; of each rank of its ``group`` it is known
    when it came, and how long it waited for the last one. Of its ``ticks`` so many rest on what is
    ``assumed``.
    """

    number: int
    operation: str
    span: Span | None
    group: Group
    bytes: int
    arrivals: tuple[int, ...]
    waits: tuple[int, ...]
    start: int
    ticks: int
    algorithm: str
    assumed: int
    source: str


@dataclass(frozen=True, slots=True)
class RanksReport:
    """A run of several ranks at its end: of each rank its own report, and where they met.

    ``problems`` are those of the ranks together. ``waits`` are the ticks for which each rank waited
    for others, ``exchanging`` those that its collectives took. The hashes are of all ranks, in
    their order. ``topology`` says where the ranks are.
    """

    status: Status
    program: str
    generation: str
    topology: str
    ticks: int
    microseconds: float
    ranks: tuple[RunReport, ...]
    meetings: tuple[MeetingReport, ...]
    waits: tuple[int, ...]
    exchanging: tuple[int, ...]
    problems: tuple[Problem, ...]
    trace_hash: str
    memory_hash: str

    @property
    def slowest(self) -> int:
        """The rank that ended last; of several the first."""
        return max(range(len(self.ranks)), key=lambda rank: self.ranks[rank].ticks)

    @property
    def whole(self) -> RunReport:
        """One report for all: of the slowest rank, with the problems of each."""
        reports = self.ranks
        return replace(
            reports[self.slowest],
            status=self.status,
            hazards=_each([report.hazards for report in reports]),
            problems=_each([report.problems for report in reports]),
            warnings=_each([report.warnings for report in reports]),
            expectations=tuple(map(_worst, zip(*(r.expectations for r in reports), strict=False))),
            channel_bytes=sum(report.channel_bytes for report in reports),
            trace_hash=self.trace_hash,
            memory_hash=self.memory_hash,
        )

    @property
    def ok(self) -> bool:
        """Whether every rank finished, without hazards, and all that it promised holds."""
        return not self.reasons

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not ok, in a few words each; empty if it is."""
        return tuple(
            f"rank {rank}: {', '.join(report.reasons)}"
            for rank, report in enumerate(self.ranks)
            if report.reasons
        )

    def __repr__(self) -> str:
        text = ", ".join(self.reasons) or "ok"
        ranks = counted(len(self.ranks), "rank")
        return f"<run of {self.program} on {ranks}: {text}, {self.microseconds:,.3f} µs>"


def _each(found: Sequence[tuple[Problem, ...]]) -> tuple[Problem, ...]:
    """The problems of all ranks, each once, with which ranks have it if not all do.

    Those that name another rank with its place are of both. What differs in ticks only is one
    problem, with the notes and the hint of the first rank that has it: hints are searched for late.
    """
    ranks: dict[object, list[int]] = {}
    first: dict[object, Problem] = {}
    for rank, problems in enumerate(found):
        for key, problem in _keyed(problems):
            first.setdefault(key, problem)
            ranks.setdefault(key, []).append(rank)
    return tuple(
        problem
        if len(ranks[key]) == len(found) or problem.code in TOGETHER
        else replace(problem, notes=(*problem.notes, Note(_only(ranks[key]))))
        for key, problem in first.items()
    )


def _keyed(problems: Iterable[Problem]) -> Iterator[tuple[object, Problem]]:
    """Problems with what two ranks have in common that have the same; equal ones are counted."""
    times: Counter[object] = Counter()
    for problem in problems:
        places = tuple((note.span, note.party) for note in problem.notes)
        key = problem.code, problem.severity, problem.message, problem.span, places
        yield (key, times[key]), problem
        times[key] += 1


def _only(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"this is of rank {ranks[0]} alone"
    return f"this is of ranks {listed(map(str, ranks), 'and')}"


def _worst(records: Sequence[ExpectationRecord]) -> ExpectationRecord:
    """An expectation as the first rank found it for which it does not hold, or as the first did."""
    return next((one for one in records if not one.held), records[0])
