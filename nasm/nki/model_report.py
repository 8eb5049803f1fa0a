"""What a model did: its launches, what the host copied between them, and all of it as one run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from math import fsum
from operator import attrgetter

from nasm.analysis.profile.several import once, summed
from nasm.base.drawing import Drawn
from nasm.base.problems import counted
from nasm.base.records import dataclass, replace
from nasm.machine.records import EngineRecord, RunReport, Units
from nasm.program.program import SpilledBytes
from nasm.ranks.records import RanksReport


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel that ran; ``begin`` is when its launch began, in microseconds of the device.

    ``added`` are the microseconds of its launch and exit, which come before the ``report``'s. Of
    several ranks that is the report of all, and ``ranks`` has that of each, and where they met.
    """

    name: str
    begin: float
    added: float
    report: RunReport
    ranks: RanksReport | None = None

    @property
    def microseconds(self) -> float:
        """The time of the kernel, without launch and exit."""
        return self.report.microseconds

    @property
    def instructions(self) -> int:
        """How many instructions completed."""
        return sum(engine.instructions for engine in self.report.engines)

    @property
    def end(self) -> float:
        """When the next launch can begin."""
        return self.begin + self.added + self.microseconds


@dataclass(frozen=True, slots=True)
class HostCopy:
    """A tensor that was copied to HBM, or ``back``, after so many launches."""

    name: str
    bytes: int
    after: int
    back: bool


@dataclass(frozen=True, slots=True)
class KernelShare:
    """All launches of a kernel together; ``microseconds`` are without launch and exit."""

    name: str
    launches: int
    instructions: int
    microseconds: float
    added: float


@dataclass(frozen=True, slots=True)
class RankShare:
    """All launches on a rank together, in microseconds, without launch and exit.

    ``waits`` are for other ranks within collectives, ``exchanging`` what these took, and ``idle``
    from the rank's end of a kernel to that of the slowest one.
    """

    rank: int
    microseconds: float
    waits: float
    exchanging: float
    idle: float


@dataclass(frozen=True, slots=True, repr=False)
class ModelReport(Drawn):
    """The run of a model: its launches in order, its copies, and the sums over all as a ``total``.

    ``str`` of it is a page: kernels, time, host, engines, what went wrong.
    """

    launches: tuple[Launch, ...]
    copies: tuple[HostCopy, ...]
    total: RunReport

    @property
    def ok(self) -> bool:
        """Whether every kernel finished, and nothing is wrong with any."""
        return self.total.ok

    @property
    def microseconds(self) -> float:
        """The time of all kernels, without launch and exit."""
        return fsum(each.microseconds for each in self.launches)

    @property
    def added(self) -> float:
        """What launch and exit of all of them take."""
        return fsum(each.added for each in self.launches)

    @property
    def end(self) -> float:
        """The time of the device: kernels, launches and exits, none of the host."""
        return self.microseconds + self.added

    @property
    def kernels(self) -> tuple[KernelShare, ...]:
        """The launches by kernel, in the order in which kernels first ran."""
        names = dict.fromkeys(each.name for each in self.launches)
        return tuple(_share(name, [e for e in self.launches if e.name == name]) for name in names)

    @property
    def ranks(self) -> tuple[RankShare, ...]:
        """What each rank did; empty for a model that was not given ``ranks``."""
        runs = [each.ranks for each in self.launches if each.ranks is not None]
        return tuple(_of_rank(rank, runs) for rank in range(len(runs[0].ranks) if runs else 0))

    @property
    def host(self) -> tuple[str, ...]:
        """What the host did, in sentences; empty if it only copied nothing."""
        places: dict[tuple[int, bool], list[HostCopy]] = {}
        for copy in self.copies:
            places.setdefault((copy.after, copy.back), []).append(copy)
        return tuple(_place(*where, its) for where, its in places.items())

    def __repr__(self) -> str:
        count = counted(len(self.launches), "kernel")
        return f"<{self.total.program}: {count}, {self.end:,.3f} µs>"


def _share(name: str, launches: Sequence[Launch]) -> KernelShare:
    return KernelShare(
        name,
        len(launches),
        sum(each.instructions for each in launches),
        fsum(each.microseconds for each in launches),
        fsum(each.added for each in launches),
    )


def _of_rank(rank: int, runs: Sequence[RanksReport]) -> RankShare:
    reports = [run.ranks[rank] for run in runs]

    def time(ticks: Callable[[RanksReport], int]) -> float:
        return fsum(r.units.microseconds(ticks(run)) for r, run in zip(reports, runs, strict=True))

    its = time(lambda run: run.ranks[rank].ticks)
    return RankShare(
        rank,
        its,
        time(lambda run: run.waits[rank]),
        time(lambda run: run.exchanging[rank]),
        time(lambda run: run.ticks - run.ranks[rank].ticks),
    )


def _place(after: int, back: bool, copies: Sequence[HostCopy]) -> str:
    size = sum(copy.bytes for copy in copies)
    where = f"after launch {after}" if after else "before the first launch"
    what = copies[0].name if len(copies) == 1 else counted(len(copies), "tensor")
    return f"{where}: {what} copied {'to the host' if back else 'to HBM'}, {size:,} bytes"


# ---------------------------------------------------------------- all runs as one


def total(name: str, reports: Sequence[RunReport]) -> RunReport:
    """The sums of some runs on one machine, as a run; hashes are one of all of theirs."""
    first, ticks = reports[0], sum(each.ticks for each in reports)
    known = [each.entry_and_exit for each in reports if each.entry_and_exit is not None]
    hashes = [each.trace_hash for each in reports]
    digest = hashlib.sha256("".join(hashes).encode()).hexdigest() if all(hashes) else ""
    return replace(
        first,
        program=name,
        ticks=ticks,
        microseconds=fsum(each.microseconds for each in reports),
        units=_widest(reports),
        engines=_engines(reports, ticks),
        evidence=summed(each.evidence for each in reports),
        channel_bytes=sum(each.channel_bytes for each in reports),
        trace_hash=digest[: len(first.trace_hash)],
        memory_hash="",
        messages=tuple(m for each in reports for m in each.messages),
        messages_left_out=sum(each.messages_left_out for each in reports),
        semaphores=(),
        overlap=max(each.overlap for each in reports),
        spilled=SpilledBytes.sum(each.spilled for each in reports),
        entry_and_exit=fsum(known) if len(known) == len(reports) else None,
        hazards=once(each.hazards for each in reports),
        problems=once(each.problems for each in reports),
        warnings=once(each.warnings for each in reports),
        allowed=once(each.allowed for each in reports),
    )


def _widest(reports: Sequence[RunReport]) -> Units:
    return max((each.units for each in reports), key=attrgetter("cores"))


def _engines(reports: Sequence[RunReport], ticks: int) -> tuple[EngineRecord, ...]:
    found: dict[tuple[int, str], list[tuple[EngineRecord, int]]] = {}
    for report in reports:
        for one in report.engines:
            found.setdefault((one.core, one.engine), []).append((one, report.ticks))
    in_turn = sorted(found, key=lambda key: key[0])  # engines of a core as a report has them
    return tuple(_engine(core, name, found[core, name], ticks) for core, name in in_turn)


def _engine(
    core: int, name: str, records: Sequence[tuple[EngineRecord, int]], ticks: int
) -> EngineRecord:
    its = [record for record, _ in records]
    return EngineRecord(
        core=core,
        engine=name,
        instructions=sum(e.instructions for e in its),
        busy=sum(e.busy for e in its),
        waiting=sum(e.waiting for e in its),
        waits=summed(e.waits for e in its),
        cycles=sum(e.cycles for e in its),
        utilisation=fsum(e.utilisation * its_ticks for e, its_ticks in records) / max(1, ticks),
        evidence=summed(e.evidence for e in its),
    )
