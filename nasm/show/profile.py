"""A profile as a reader wants it: one screen, from what bound the run down to what to change."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import zip_longest

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from nasm.analysis.profile.records import Bound, EngineTimes, Finding, PathLine, Profile, Rates
from nasm.base.problems import clean, counted, folded, in_line
from nasm.isa.figures import figures_line
from nasm.machine.records import Status, beside
from nasm.show.diagnostics import diagnostic
from nasm.show.tables import allowed_lines, mix
from nasm.show.time_units import Lengths

LINES, HELPS, WARNINGS = 5, 5, 3
"""How many lines of the path, things that help and warnings one screen has."""

WIDTH, BESIDE = 100, 88
"""Columns of a screen that does not say how many it has, and of one with two bounds in a line."""

FIELD, LEFT = (0, 2, 0, 0), (2, 4)


def screen(
    profile: Profile, *, width: int | None = None, ascii_only: bool = False, whole: bool = False
) -> list[RenderableType]:
    """The whole of a profile; ``whole`` has every line of the path, and every warning."""
    dots = "..." if ascii_only else "…"
    heading = Text(profile.title)
    heading.stylize("bold", 0, len(in_line(profile.program)))
    parts: list[RenderableType] = [heading]
    if profile.timing:
        parts.append(Text(clean(figures_line(profile.timing))))
    parts += [Text(), *time_lines(profile)]
    parts += [Text(), engine_table(profile.engines, profile.ticks)]
    parts.append(Text(_idle(profile), "dim"))
    if profile.units:
        parts.append(Text(_shared(profile)))
    if profile.moved:
        parts += [Text(), moved_table(profile)]
    parts += [Text(), *bound_lines(profile.bounds, width, Lengths.up_to(profile.microseconds))]
    parts += [
        Text(line) for text in rate_lines(profile.rates) for line in folded(text, "  ", width)
    ]
    on_it = [line for line in profile.path if line.steps]
    if on_it:
        lines = profile.path if whole else on_it[:LINES]
        parts += [Text(), *path_table(lines, profile, width, dots)]
        if len(lines) < len(on_it):
            more = counted(len(on_it) - len(lines), "more line")
            parts.append(Text(f"{dots} and {more}: --path lists all", "dim"))
    if profile.outcomes:
        parts += [Text(), *outcome_lines(profile, dots, whole)]
    if profile.findings:
        parts += [Text(), *warnings(profile.findings, width, dots, whole)]
    parts += [part for p in profile.unused for part in (Text(), diagnostic(p, width))]
    parts += allowed_lines(profile.allowed, width)
    if profile.evidence:
        text = f"estimate: of the critical path {mix(profile.evidence)}"
        if profile.busy:
            text += f"; of the busy cycles {mix(profile.busy)}"
        parts += [Text(), Text(text)]
    return parts


# -- time


def time_lines(profile: Profile) -> list[Text]:
    """How long it took, compared with what, and what bound it."""
    text = f"time: {profile.scale.taken(profile.ticks)}"
    if profile.entry_and_exit:
        text += f"; {beside(profile.entry_and_exit)}"
    lines = [Text(text)]
    if profile.status is not Status.FINISHED:
        lines.append(Text(f"not finished ({profile.status.value}): the run up to there", "yellow"))
    if profile.verdict:
        lines.append(Text(profile.verdict, "bold"))
    return lines


# -- engines, and what DMA moves


def engine_table(engines: Sequence[EngineTimes], total: int) -> RenderableType:
    """Where the time of every engine went that completed anything: all of it, in percent."""
    table = _table("engine")
    for name in ("instr.", "busy"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("waits for")
    for name in ("empty", "active"):
        table.add_column(name, justify="right", no_wrap=True)
    for e in engines:
        if not e.instructions and not e.busy:
            continue
        busy, *waits, empty = tenths([e.busy, *(s.ticks for s in e.stalls), e.empty])
        named = zip((s.by or s.cause for s in e.stalls), waits, strict=True)
        table.add_row(
            Text(e.name, "bold"),
            f"{e.instructions:,}",
            busy,
            ", ".join(f"{name} {part}" for name, part in named if part != "0.0%"),
            empty,
            _percent(e.active, total),
        )
    return table if table.row_count else Text("no instruction started", "dim")


def _cores(profile: Profile) -> dict[int, str]:
    """What comes before the name of something of each core: nothing if there is one."""
    return {one.core: one.name.removesuffix(one.engine) for one in profile.engines}


def _shared(profile: Profile) -> str:
    """How busy the units were that queues share."""
    units, cores = profile.units, _cores(profile)
    several = len({one.core for one in units}) > 1
    names = (f"{cores[one.core]}{one.unit}" if several else one.unit for one in units)
    text = (f"{n} {_percent(u.busy, profile.ticks)}" for n, u in zip(names, units, strict=True))
    return f"shared units, busy: {', '.join(text)}"


def _idle(profile: Profile) -> str:
    idle = [e.name for e in profile.engines if not e.instructions and not e.busy]
    text = f"; nothing ran on {', '.join(idle)}" if idle else ""
    dma = " or DMA" if profile.channels else ""
    return f"waits: for posts of an engine{dma}, or what is named{text}"


def moved_table(profile: Profile) -> RenderableType:
    """What every core moved, and each of its rings if there are several."""
    table = _table("moved by")
    for name in ("transfers", "active", "packet time", "bytes", "a descriptor", "engines"):
        table.add_column(name, justify="right", no_wrap=True)
    moved = profile.moved
    several = len({m.core for m in moved}) > 1
    lengths = Lengths.up_to(profile.microseconds)
    for m in moved:
        rings = [other for other in moved if other.core == m.core and other.ring is not None]
        if m.ring is not None and len(rings) < 2:
            continue
        core = _cores(profile).get(m.core, "") if several else ""
        table.add_row(
            Text(f"{core}DMA" if m.ring is None else f"  ring {m.ring}", "bold" * (m.ring is None)),
            f"{m.transfers:,}",
            _percent(m.active, profile.ticks),
            lengths.with_unit(m.busy / profile.ticks_per_microsecond),
            f"{m.bytes:,}",
            f"{m.bytes_per_descriptor:,.0f} B",
            f"{m.channels} of {profile.channels}",
        )
    return table


# -- bounds


def bound_lines(bounds: Sequence[Bound], width: int | None, lengths: Lengths) -> list[Text]:
    """The bounds, each with how much it is below the one that it is part of.

    Those of memory and those of computing are side by side where there is room.
    """
    memory = [b for b in bounds if b.name.startswith("memory")]
    compute = [b for b in bounds if b.name.startswith("compute")]
    whole = [b for b in bounds if b not in (*memory, *compute)]
    rows = [[b] for b in whole]
    if (width or WIDTH) < BESIDE:
        rows += [[b] for b in (*memory, *compute)]
    else:
        rows += [[b for b in pair if b] for pair in zip_longest(memory, compute)]
    name = max(len(b.name) for b in bounds)
    number = max(len(lengths.number(b.microseconds)) for b in bounds)
    number = max(number, len("gap"))
    head = f"{'bound':{name}}  {lengths.unit:>{number}}  {'gap':>{number}}"
    lines = [Text("    ".join([head] * max(map(len, rows))), "dim")]
    for row in rows:
        cells = (
            f"{b.name:{name}}  {lengths.number(b.microseconds):>{number}}  "
            f"{lengths.number(b.gap) if b.above else '':>{number}}"
            for b in row
        )
        lines.append(Text("    ".join(cells).rstrip()))
    return lines


def rate_lines(rates: Rates) -> list[str]:
    """What was made of the machine: its flops, its memory, and which of them is the limit."""
    lines = []
    text = _used(rates)
    if rates.read or rates.written:
        text += f"; {rates.memory}: {rates.read:,} bytes read, {rates.written:,} written, "
        text += _ratio(rates.read + rates.written, rates.minimum)
    if text:
        lines.append(text.removeprefix("; "))
    if rates.verdict and rates.intensity is not None and rates.ridge is not None:
        level, limit = f"{rates.ridge:,.1f}", rates.mfu_limit
        if rates.other_peak:
            level, limit = f"{rates.dtype_ridge:,.1f}", rates.dtype_mfu_limit
        text = f"{rates.intensity:,.1f} flops a byte, {level} are level: {rates.verdict}"
        if limit is not None and limit < 1:
            of = " of the peak of its dtypes" if rates.other_peak else ""
            text += f", MFU at most {100 * limit:.1f}%{of}"
        lines.append(text)
    return lines


def _used(rates: Rates) -> str:
    """How much of each peak was used; of both peaks, if the dtypes have another one."""
    text = []
    if rates.mfu is not None and rates.hfu is not None:
        text.append(f"MFU {100 * rates.mfu:.1f}%, HFU {100 * rates.hfu:.1f}%")
        text[0] += f" of the {rates.peak} peak" if rates.peak else ""
        if rates.other_peak and rates.dtype_mfu is not None and rates.dtype_hfu is not None:
            mfu, hfu = f"{100 * rates.dtype_mfu:.1f}%", f"{100 * rates.dtype_hfu:.1f}%"
            text[0] += f" ({mfu} and {hfu} of that of its dtypes)"
    if rates.mbu is not None:
        text.append(f"MBU {100 * rates.mbu:.1f}%")
    return ", ".join(text)


def _ratio(moved: int, least: int) -> str:
    return f"{moved / least:.2f} times what is needed" if least else "none of it needed"


# -- the path, and warnings


def path_table(
    lines: Sequence[PathLine], profile: Profile, width: int | None, dots: str
) -> list[Text]:
    """The lines that the critical path runs through, each in one line of the screen."""
    total = sum(part.ticks for part in profile.spent)
    slack = any(line.slack is not None for line in lines)
    several = len({line.span.source.name for line in lines if line.span}) > 1
    lengths = Lengths.up_to(profile.microseconds)
    rows = [("path", "slack" if slack else "steps", "engine", "line", "mostly", "")]
    for line in lines:
        share = _percent(line.ticks, total) if line.steps else ""
        mostly = line.parts[0][0] if line.parts else ""
        place = str(line.span.line) if line.span else ""
        if several and line.span:
            place = f"{os.path.basename(line.span.source.shown)}:{place}"
        room = f"{line.steps:,}"
        if line.slack is not None:
            room = lengths.finely(line.slack / profile.ticks_per_microsecond)
        rows.append((share, room, line.queue, place, mostly, clean(line.text)))
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]) - 1)]
    shown: list[Text] = []
    for row in rows:
        cells = [
            cell.ljust(wide) if n in LEFT else cell.rjust(wide)
            for n, (cell, wide) in enumerate(zip(row, widths, strict=False))
        ]
        text = "  ".join((*cells, row[-1]))
        shown.append(Text(cut(text, width or WIDTH, dots), "" if shown else "dim"))
    return shown


def outcome_lines(profile: Profile, dots: str, whole: bool) -> list[Text]:
    """What each run without something saves; one that saves nothing is left out."""
    rows, left = [], 0
    lengths = Lengths.up_to(profile.microseconds)
    for outcome in profile.outcomes:
        if outcome.ticks is None:
            rows.append((outcome.name, "?", "", outcome.reason))
        elif outcome.saved > 0 and len(rows) >= HELPS and not whole:
            left += 1
        elif outcome.saved > 0:
            micro = outcome.saved / profile.ticks_per_microsecond
            part = _percent(outcome.saved, profile.ticks)
            rows.append((outcome.name, lengths.with_unit(micro), part, ""))
    if not rows:
        return [Text("nothing would help: no run without something is shorter")]
    rows.insert(0, ("what would help", "saves", "", ""))
    widths = [max(len(row[n]) for row in rows) for n in range(3)]
    lines: list[Text] = []
    for name, saved, part, why in rows:
        cells = name.ljust(widths[0]), saved.rjust(widths[1]), part.rjust(widths[2]), why
        lines.append(Text("  ".join(cells).rstrip(), "" if lines else "dim"))
    if left:
        lines.append(Text(f"{dots} and {left} more that save less: --path lists all", "dim"))
    return lines


def cut(text: str, width: int, dots: str) -> str:
    """As much of a line as there is room for."""
    return text if len(text) <= width else text[: width - len(dots)] + dots


def warnings(
    found: Sequence[Finding], width: int | None, dots: str, whole: bool = False
) -> list[Text]:
    """What is worth a warning, each with its place, the limit and what to do."""
    lines = []
    shown = found if whole else found[:WARNINGS]
    for finding in shown:
        problem = finding.problem
        where = f" {problem.span.source.shown}:{problem.span.line}" if problem.span else ""
        message = f"{problem.code}{where}: {problem.message}"
        first, *rest = folded(clean(message), "  ", width)
        text = Text(first)
        text.stylize("bold yellow", 0, len(problem.code))
        lines += [text, *map(Text, rest)]
        if finding is shown[-1] or shown[shown.index(finding) + 1].problem.hint != problem.hint:
            lines += [Text(line, "green") for line in folded(f"  {problem.hint}", "  ", width)]
    if len(shown) < len(found):
        more = counted(len(found) - len(shown), "more warning")
        lines.append(Text(f"{dots} and {more}: --path and --json show all", "dim"))
    return lines


# -- numbers


def tenths(parts: Sequence[int]) -> list[str]:
    """Parts as percentages with one decimal that add up to 100."""
    total = sum(parts)
    if not total:
        return ["0.0%" for _ in parts]
    exact = [divmod(1000 * part, total) for part in parts]
    whole = [tenth for tenth, _ in exact]
    by_rest = sorted(range(len(parts)), key=lambda n: -exact[n][1])
    for n in by_rest[: 1000 - sum(whole)]:
        whole[n] += 1
    return [f"{tenth // 10}.{tenth % 10}%" for tenth in whole]


def _percent(part: int, total: int) -> str:
    return f"{100 * part / max(1, total):.1f}%"


def _table(first: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=FIELD, header_style="dim")
    table.add_column(first, no_wrap=True)
    return table
