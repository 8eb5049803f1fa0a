"""A run of several ranks: each of them, where they met, and how long they waited for each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from nasm.base.problems import Problem, counted
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.ranks.records import MeetingReport, RanksReport
from nasm.show.documents import Key, Shape, each, plain
from nasm.show.jsonable import RUN, place
from nasm.show.tables import (
    allowed_lines,
    engine_table,
    expectations,
    heading,
    table_notes,
    time_lines,
    verdict,
    wrong,
)

FEW = 8
"""Lines of collectives that a report shows, those that take longest first."""


@dataclass(frozen=True, slots=True)
class LineOfMeetings:
    """All meetings of a line of the program."""

    span: Span | None
    operation: str
    count: int
    bytes: int
    ticks: int
    waits: int
    algorithm: str
    assumed: int


def by_line(meetings: Sequence[MeetingReport]) -> list[LineOfMeetings]:
    """The meetings of each line together, the longest first; ``waits`` are those of all ranks."""
    found: dict[tuple[object, ...], list[MeetingReport]] = {}
    for one in meetings:
        found.setdefault((one.span, one.operation, one.algorithm), []).append(one)
    lines = [
        LineOfMeetings(
            some[0].span,
            some[0].operation,
            len(some),
            max(one.bytes for one in some),
            sum(one.ticks for one in some),
            sum(sum(one.waits) for one in some),
            some[0].algorithm,
            sum(one.assumed for one in some),
        )
        for some in found.values()
    ]
    return sorted(lines, key=lambda line: -line.ticks)


def ranks_report(
    report: RanksReport,
    more: Sequence[Problem] = (),
    notes: Sequence[str] = (),
    *,
    unwritten: bool = False,
    width: int | None = None,
    ascii_only: bool = False,
) -> list[RenderableType]:
    """The whole run, part by part: ranks, collectives, the slowest rank, problems, verdict."""
    whole = report.whole
    ranks = counted(len(report.ranks), "rank")
    title = heading(whole)
    title.append(f", {ranks} of {report.topology}" if report.topology else f", {ranks}")
    parts: list[RenderableType] = [title, Text(), _ranks(report)]
    if report.meetings:
        parts += [Text(), _lines(report)]
    parts += [Text(), Text(f"rank {report.slowest}, which ended last:", "dim")]
    parts.append(engine_table(whole.engines))
    text = table_notes(whole.engines)
    if text:
        parts.append(Text(text, "dim"))
    parts += [Text(), *(Text(line) for line in time_lines(whole))]
    parts += wrong(whole, more, width)
    if whole.expectations:
        parts += [Text(), *expectations(whole.expectations, width, ascii_only)]
    if notes:
        parts += [Text(), *map(Text, notes)]
    parts += allowed_lines(whole.allowed, width)
    return [*parts, Text(), verdict(whole, unwritten)]


def _ranks(report: RanksReport) -> Table:
    """Each rank: its time, how long it waited for others, and what its collectives took."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("rank", justify="right", no_wrap=True)
    for name in ("time", "waits for ranks", "collectives"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("ended")
    units = report.ranks[0].units
    for rank, one in enumerate(report.ranks):
        ticks = one.ticks, report.waits[rank], report.exchanging[rank]
        times = [f"{units.microseconds(t):,.3f} µs" for t in ticks]
        table.add_row(str(rank), *times, ", ".join(one.reasons) or one.status.value)
    return table


def _lines(report: RanksReport) -> Table:
    """The lines whose collectives take longest."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("collective", no_wrap=True)
    for name in ("times", "bytes", "takes", "ranks wait"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("algorithm")
    units = report.ranks[0].units
    for line in by_line(report.meetings)[:FEW]:
        where = f" ({line.span.brief})" if line.span is not None else ""
        times = [f"{units.microseconds(t):,.3f} µs" for t in (line.ticks, line.waits)]
        assumed = f"{100 * line.assumed / line.ticks:.0f}% assumed" if line.assumed else ""
        how = ", ".join(filter(None, (line.algorithm, assumed)))
        table.add_row(f"{line.operation}{where}", f"{line.count:,}", f"{line.bytes:,}", *times, how)
    return table


# -- as JSON

MEETING: Shape = (
    Key("operation", "what the ranks exchanged"),
    place("the line of the first rank"),
    Key("group", "the ranks that met, in the order of the program", lambda m: list(m.group)),
    Key("bytes", "the size by which its time is known: of the larger side of a rank"),
    Key("arrivals", "the ticks at which each of them came", lambda m: list(m.arrivals)),
    Key("waits", "for how many ticks each of them waited for the last", lambda m: list(m.waits)),
    Key("start", "the tick at which the last one came"),
    Key("ticks", "how long it took from then on"),
    Key("algorithm", "how it was done"),
    Key("assumed", "how many of these ticks rest on what is assumed"),
    Key("source", "where it is from"),
)
RANK: Shape = (
    Key("rank", "its number"),
    Key("waits", "ticks for which it waited for other ranks"),
    Key("exchanging", "ticks that its collectives took"),
    Key("report", "as of [run](#run)", shape=RUN, elsewhere=True),
)
RANKS: Shape = (
    Key("topology", "where the ranks are"),
    each("meetings", MEETING),
    each("ranks", RANK),
)


@dataclass(frozen=True, slots=True)
class _OneRank:
    rank: int
    waits: int
    exchanging: int
    report: Any


@dataclass(frozen=True, slots=True)
class _AllRanks:
    topology: str
    meetings: tuple[MeetingReport, ...]
    ranks: tuple[_OneRank, ...]


def document(report: RanksReport) -> dict[str, Any]:
    """What a document of a run has in addition if it is of several ranks."""
    pairs = zip(report.waits, report.exchanging, report.ranks, strict=True)
    ranks = tuple(_OneRank(n, *found) for n, found in enumerate(pairs))
    return plain(_AllRanks(report.topology, report.meetings, ranks), RANKS)
