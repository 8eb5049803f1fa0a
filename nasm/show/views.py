"""How things draw themselves outside the prompt.

They look as the debugger's views do; reports and profiles as the command prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from nasm.analysis.profile.records import Profile
from nasm.api import Result
from nasm.base.drawing import Drawn
from nasm.base.problems import clean
from nasm.debugger.engines.records import Context
from nasm.debugger.engines.wait_chain import WaitChain
from nasm.debugger.moving.breakpoint_records import Breakpoint
from nasm.debugger.moving.breakpoints import Breakpoints
from nasm.debugger.origins.records import Why
from nasm.debugger.session import Session
from nasm.debugger.values.differences import ValueDifference
from nasm.debugger.values.memory import BankNow, MemoryNow
from nasm.debugger.values.pictures import Picture
from nasm.debugger.values.statistics import Histogram, Statistics, statistics
from nasm.debugger.values.value import Value
from nasm.machine.records import Rows, RunReport
from nasm.nki.model_report import ModelReport
from nasm.show import (
    arrays,
    console,
    differences,
    engines,
    html,
    listings,
    memories,
    model,
    origins,
    pictures,
    profile,
    sweep,
    tables,
)
from nasm.show.columns import WIDTH, cut, hanging, in_ascii, table
from nasm.sweeps.sweep import SweepResult

if TYPE_CHECKING:  # few things that are drawn are traces
    from nasm.base.page import RunPage
    from nasm.runs.execution import Execution
    from nasm.runs.results import Results
    from nasm.show.launches import LaunchesTrace
    from nasm.show.recorded_run import RecordedRun

Lines = list[str]
Report = Sequence[RenderableType]


def parts(thing: Drawn, width: int, coloured: bool, ascii_only: bool = False) -> list[Text]:
    """A thing in lines of at most so many columns."""
    if isinstance(thing, Picture):
        return pictures.drawn(thing, coloured)
    for kind, lines in VIEWS.items():
        if isinstance(thing, kind):
            return [Text(in_ascii(line) if ascii_only else line) for line in lines(thing, width)]
    return [Text(repr(thing))]


def report(thing: Drawn, width: int | None = None, ascii_only: bool = False) -> Report:
    """A report or a profile as the command prints it; nothing of other things."""
    for kind, shown in REPORTS.items():
        if isinstance(thing, kind):
            return shown(thing, width=width, ascii_only=ascii_only)
    return []


def _result(found: Result, **how: Any) -> Report:
    return tables.run_report(found.report, **how)


def _session(session: Session, width: int) -> Lines:
    return [*hanging(repr(session)[1:-1], width), *engines.screenful(session.context(), width)]


def _context(found: Context, width: int) -> Lines:
    stands = f"{found.status.value}, at {found.units.moment(found.tick)}"
    return [cut(stands, width), *engines.screenful(found, width)]


def _value(value: Value, width: int) -> Lines:
    lines = arrays.shown(value, "", width)
    if not value.shape and value.view is None:
        return lines
    return [*lines, arrays.summary(value, statistics(value))]


def _rows(found: Rows[Any], width: int) -> Lines:
    several = found.units.cores > 1
    if found.kind is MemoryNow:
        return [line for one in found for line in memories.shown(one, several, width)]
    if found.kind is BankNow:
        return memories.banks(found, several, width)
    listing = listings.LISTINGS[found.kind](found, found.units)
    if not listing.rows:
        return [listing.none]
    return [*table(listing.heads, listing.rows, width), *([listing.note] if listing.note else [])]


def _breakpoints(found: Breakpoints, width: int) -> Lines:
    return _rows(Rows(Breakpoint, found, found.running.units), width)


VIEWS: Mapping[type, Callable[[Any, int], Lines]] = {
    WaitChain: engines.chain,
    Breakpoints: _breakpoints,
    Context: _context,
    ValueDifference: differences.shown,
    Histogram: arrays.histogram,
    MemoryNow: lambda found, width: memories.shown(found, found.core > 0, width),
    Rows: _rows,
    Session: _session,
    Statistics: lambda found, width: [arrays.statistics(found).strip()],
    Value: _value,
    Why: origins.chain_lines,
}
"""How each kind of thing looks, but for pictures, which have colours."""

REPORTS: Mapping[type, Callable[..., Report]] = {
    ModelReport: model.screen,
    Profile: profile.screen,
    Result: _result,
    RunReport: tables.run_report,
    SweepResult: sweep.report,
}
"""What the command prints of a run."""


# -- where it is drawn


def launches(out: IO[bytes]) -> LaunchesTrace:
    """What writes one trace of several runs."""
    from nasm.show.launches import LaunchesTrace

    return LaunchesTrace(out)


def recorded(session: Execution, out: IO[bytes]) -> RecordedRun:
    """What writes the trace of a run, and its summary."""
    from nasm.show.recorded_run import RecordedRun

    return RecordedRun(session, out)


def page(results: Results) -> RunPage:
    """The page of a run that was watched."""
    from nasm.show.run_page.page import page_of

    return page_of([("", results, results.profile())])


def html_of(thing: Drawn) -> str:
    """A thing for a notebook."""
    return html.page(report(thing, html.WIDTH) or parts(thing, html.WIDTH, coloured=True))


def plain(thing: Drawn) -> str:
    """A thing as text."""
    found = report(thing)
    if found:
        return console.plain(found)
    return "\n".join(clean(part.plain) for part in parts(thing, WIDTH, coloured=False))


def rendered(thing: Drawn, on: Console, options: ConsoleOptions) -> RenderResult:
    """A thing for a console of Rich's, as wide as that is."""
    for part in report(thing, options.max_width, options.ascii_only):
        yield from console.visible(on.render(part, options))
    if isinstance(thing, tuple(REPORTS)):
        return
    graded = on.color_system in ("256", "truecolor") and not options.ascii_only
    for line in parts(thing, options.max_width, graded, options.ascii_only):
        line.no_wrap, line.plain = True, clean(line.plain)
        yield line
