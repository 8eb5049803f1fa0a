"""A model as a reader wants it: its kernels, the time of the device, and what the host did."""

from __future__ import annotations

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from nasm.base.problems import clean, counted, in_line
from nasm.isa.figures import figures_line
from nasm.nki.model_report import ModelReport
from nasm.show.tables import allowed_lines, engine_table, mix, shares, table_notes, verdict, wrong

PLACES = 6
"""How many places at which the host copied something one page has."""


def screen(
    report: ModelReport, *, width: int | None = None, ascii_only: bool = False
) -> list[RenderableType]:
    """The whole of it."""
    total = report.total
    heading = Text(total.title)
    heading.stylize("bold", 0, len(in_line(total.program)))
    if report.ranks:
        where = next(each.ranks.topology for each in report.launches if each.ranks is not None)
        count = counted(len(report.ranks), "rank")
        heading.append(f", {count} of {where}" if where else f", {count}")
    parts: list[RenderableType] = [heading]
    if total.timing:
        parts.append(Text(clean(figures_line(total.timing))))
    parts += [Text(), kernel_table(report), Text()]
    if report.ranks:
        parts += [rank_table(report), Text()]
    parts += [Text(line) for line in (*time_lines(report), *host_lines(report, ascii_only))]
    parts.append(Text())
    if report.ranks:
        parts.append(
            Text("instructions and engines of the rank that ended last, by launch:", "dim")
        )
    parts.append(engine_table(total.engines))
    notes = table_notes(total.engines)
    if notes:
        parts.append(Text(notes, "dim"))
    if total.evidence:
        parts.append(Text(f"estimate: of the busy cycles {mix(total.evidence)}"))
    parts += wrong(total, (), width)
    parts += allowed_lines(total.allowed, width)
    if not report.ok:
        parts += [Text(), verdict(total)]
    return parts


def kernel_table(report: ModelReport) -> RenderableType:
    """A row for each kernel, with all of its launches."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("kernel", no_wrap=True)
    for name in ("launches", "instr.", "µs each", "µs", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    kernels = report.kernels
    parts = shares([round(1000 * each.microseconds) for each in kernels])
    for each, part in zip(kernels, parts, strict=True):
        table.add_row(
            Text(in_line(each.name), "bold"),
            f"{each.launches:,}",
            f"{each.instructions:,}",
            f"{each.microseconds / each.launches:,.3f}",
            f"{each.microseconds:,.3f}",
            part,
        )
    return table


def rank_table(report: ModelReport) -> RenderableType:
    """A row for each rank, with all launches."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("rank", "µs", "waits for ranks", "collectives", "ends before the slowest"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in report.ranks:
        times = each.microseconds, each.waits, each.exchanging, each.idle
        table.add_row(str(each.rank), *(f"{time:,.3f}" for time in times))
    return table


def time_lines(report: ModelReport) -> list[str]:
    """The time of the device, with and without launch and exit."""
    count = len(report.launches)
    lines = [f"time: {report.microseconds:,.3f} µs in kernels"]
    lines[0] += f"; {report.total.channel_bytes:,} bytes moved by DMA"
    if report.added:
        each = round(report.added / count, 1)
        lines.append(
            f"launch and exit: about {each:g} µs for a kernel, {report.added:,.0f} µs in all, "
            f"which makes {report.end:,.0f} µs on a device"
        )
    return lines


def host_lines(report: ModelReport, ascii_only: bool = False) -> list[str]:
    """What the host copied, and that it takes no time here."""
    places = report.host
    if not places:
        return []
    lines = ["the host, whose copies and NumPy are not in the time:"]
    lines += [f"  {clean(text)}" for text in places[:PLACES]]
    if len(places) > PLACES:
        dots = "..." if ascii_only else "…"
        lines.append(f"  {dots} and at {counted(len(places) - PLACES, 'more place')}")
    return lines
