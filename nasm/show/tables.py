"""A run as a reader wants it: engines, time and how it is known, what held and what did not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from nasm.base.problems import Problem, clean, folded, in_line
from nasm.base.records import replace
from nasm.base.suppressions import AllowedProblem, in_turn
from nasm.isa.evidence import Evidence
from nasm.isa.figures import figures_line
from nasm.language.expectations.records import MARKS, ExpectationRecord, Mismatch
from nasm.machine.records import EngineRecord, Message, RunReport, left_out
from nasm.show.diagnostics import diagnostic

ASCII_MARKS = ("ok", "FAILED")


def run_report(
    report: RunReport,
    more: Sequence[Problem] = (),
    notes: Sequence[str] = (),
    *,
    unwritten: bool = False,
    width: int | None = None,
    ascii_only: bool = False,
) -> list[RenderableType]:
    """A whole run, part by part: engines, time, hazards, problems, expectations, verdict.

    ``more`` are problems in addition to those of the run, ``notes`` lines to print before the
    verdict; ``unwritten`` says that results could not be written.
    """
    parts: list[RenderableType] = [heading(report)]
    if report.timing:
        parts.append(Text(clean(figures_line(report.timing))))
    parts += [Text(), engine_table(report.engines)]
    text = table_notes(report.engines)
    if text:
        parts.append(Text(text, "dim"))
    parts += [Text(), *(Text(line) for line in time_lines(report))]
    if report.messages or report.messages_left_out:
        lines = message_lines(report.messages, report.messages_left_out)
        parts += [Text(), *map(Text, lines)]
    parts += wrong(report, more, width)
    if report.expectations:
        parts += [Text(), *expectations(report.expectations, width, ascii_only)]
    if report.unasked and not report.ok:  # else the verdict says it
        parts += [Text(), Text(report.unasked)]
    if notes:
        parts += [Text(), *(Text(clean(n)) for n in notes)]
    parts += allowed_lines(report.allowed, width)
    if report.unchecked:
        parts += [Text(), Text(report.unchecked, "yellow")]
    if report.by_hand:
        parts += [Text(), Text(report.by_hand, "yellow")]
    return [*parts, Text(), verdict(report, unwritten)]


def failures(
    report: RunReport,
    more: Sequence[Problem] = (),
    *,
    unwritten: bool = False,
    width: int | None = None,
    ascii_only: bool = False,
) -> list[RenderableType]:
    """Only the problems of a run, warnings apart, and the verdict."""
    parts = wrong(replace(report, warnings=()), more, width)[1:]
    failed = [e for e in report.expectations if not e.held]
    return [*parts, *expectations(failed, width, ascii_only), verdict(report, unwritten)]


def heading(report: RunReport) -> Text:
    """Which program ran on which machine."""
    text = Text(report.title)
    text.stylize("bold", 0, len(in_line(report.program)))
    return text


def wrong(
    report: RunReport, more: Sequence[Problem] = (), width: int | None = None
) -> list[RenderableType]:
    """Warnings, hazards and problems as diagnostics, an empty line before each."""
    found = (*in_turn(report.warnings, report.hazards), *report.problems, *more)
    return [part for p in found for part in (Text(), diagnostic(p, width))]


def allowed_lines(found: Sequence[AllowedProblem], width: int | None = None) -> list[Text]:
    """Suppressed problems, and why, after an empty line."""
    lines = [Text()] if found else []
    for problem in found:
        for text in str(problem).split("\n"):
            lines += [Text(line, "dim") for line in folded(text, "    ", width)]
    return lines


# -- engines and time


def engine_table(engines: Sequence[EngineRecord]) -> RenderableType:
    """What each engine did that did anything, in cycles of its own clock."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    names = engine_names(engines)
    table.add_column("engine", no_wrap=True)
    for name in ("instr.", "busy", "waiting"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("waits for")
    table.add_column("util.", justify="right", no_wrap=True)
    table.add_column("evidence")
    for e in engines:
        if e.instructions:
            name = names[e.core, e.engine]
            table.add_row(
                Text(name, "bold"),
                f"{e.instructions:,}",
                f"{e.busy:,}",
                f"{e.waiting:,}",
                main_wait(e),
                f"{100 * e.utilisation:.1f}%",
                mix(e.evidence),
            )
    return table if table.row_count else Text("no instruction completed", "dim")


def engine_names(engines: Sequence[EngineRecord]) -> dict[tuple[int, str], str]:
    """What to call each engine of each core: by its name alone if there is one core."""
    several = len({e.core for e in engines}) > 1
    return {
        (e.core, e.engine): f"{e.place or e.core}.{e.engine}" if several else e.engine
        for e in engines
    }


def main_wait(engine: EngineRecord) -> str:
    """What an engine waited for most, with its share if there are others."""
    if not engine.waiting or not engine.waits:
        return ""
    cause, cycles = max(engine.waits, key=lambda w: w[1])
    share = shares([cycles, engine.waiting - cycles])[0]
    return cause if len(engine.waits) == 1 else f"{cause} {share}"


def table_notes(engines: Sequence[EngineRecord]) -> str:
    """What the cycles of the table are, and which engines are not in it."""
    names = engine_names(engines)
    idle = [names[e.core, e.engine] for e in engines if not e.instructions]
    if len(idle) == len(engines):
        return ""
    text = "cycles of each engine's own clock; evidence for the cost of the busy ones"
    return f"{text}\nnothing completed on {', '.join(idle)}" if idle else text


def shares(parts: Sequence[int]) -> list[str]:
    """Parts as percentages that add up to 100, and '<1%' for what would round to nothing."""
    total = sum(parts)
    if not total:
        return ["0%" for _ in parts]
    exact = [100 * p / total for p in parts]
    whole = [int(e) for e in exact]
    missing = 100 - sum(whole)
    by_rest = sorted(range(len(parts)), key=lambda n: whole[n] - exact[n])
    for n in by_rest[:missing]:
        whole[n] += 1
    if all(w or not p for w, p in zip(whole, parts, strict=True)):
        return [f"{w}%" for w in whole]
    # Where something is '<1%', nothing is quite 100.
    return [
        "<1%" if p and not w else ">99%" if w == 100 else f"{w}%"
        for w, p in zip(whole, parts, strict=True)
    ]


def mix(evidence: Iterable[tuple[str, int]]) -> str:
    """How cycles are known: '62% documented, 38% measured', the strongest first."""
    found = dict(evidence)
    named = [(e.value, found[e.value]) for e in Evidence if found.get(e.value)]
    percent = shares([cycles for _, cycles in named])
    return ", ".join(f"{p} {name}" for p, (name, _) in zip(percent, named, strict=True))


def time_lines(report: RunReport) -> list[str]:
    """The time of the run, what was moved, and how well the cycles are known."""
    lines = [f"time: {report.units.taken(report.ticks)}"]
    if report.channel_bytes:
        lines[0] += f"; {report.channel_bytes:,} bytes moved by DMA"
    if report.mfu is not None:
        lines.append(f"MFU {100 * report.mfu:.1f}% of the peak of the dtypes that were multiplied")
    saved, reloaded = report.spilled
    if saved or reloaded:
        lines.append(f"of these spill_save_bytes {saved:,}, spill_reload_bytes {reloaded:,}")
    if report.overlap:
        lines.append(f"calls overlap within {report.overlap:,} (--overlap)")
    if report.beside:
        lines.append(report.beside)
    known = mix(report.evidence)
    if known:
        lines.append(f"estimate: of the busy cycles {known}")
    return lines


def message_lines(messages: Sequence[Message], more: int = 0) -> list[str]:
    """What instructions said, each with who said it and when; further lines are indented.

    So many ``more`` messages were not kept.
    """
    lines = [line for message in messages for line in str(message).split("\n")]
    return lines + left_out(more)


# -- expectations


def expectations(
    records: Sequence[ExpectationRecord], width: int | None = None, ascii_only: bool = False
) -> list[RenderableType]:
    """Each expectation, its mark and what was measured; the worst elements of those that fail."""
    marks = ASCII_MARKS if ascii_only else MARKS
    parts: list[RenderableType] = []
    for record in records:
        mark, style = (marks[0], "green") if record.held else (marks[1], "bold red")
        parts.append(Text.assemble((mark, style), " ", (clean(record.title), "bold")))
        for line in folded(record.summary, "", width and width - 4):
            parts.append(Text(f"    {line}"))
        if len(record.worst) > 1:
            parts.append(_worst(record.worst))
    return parts


def _worst(worst: Sequence[Mismatch]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("    worst at")
    for name in ("found", "wanted", "error"):
        table.add_column(name, justify="right", no_wrap=True)
    for m in worst:
        found, wanted = apart(m.found, m.wanted)
        table.add_row(
            f"    {list(m.index)}" if m.index else "    (one value)",
            found,
            wanted,
            f"{m.error:.4g}",
        )
    return table


def apart(first: float, second: float) -> tuple[str, str]:
    """Two numbers with as many digits as show that they differ."""
    for digits in (6, 9, 17):
        shown = f"{first:.{digits}g}", f"{second:.{digits}g}"
        if shown[0] != shown[1]:
            break
    return shown


# -- the last line


def verdict(report: RunReport, unwritten: bool = False) -> Text:
    """PASS or FAIL, and why, in one line."""
    reasons = list(report.reasons)
    if unwritten:
        reasons.append("results could not be written")
    if reasons:
        return Text.assemble(("FAIL", "bold red"), ": " + ", ".join(reasons))
    return Text.assemble(("PASS", "bold green"), f": {report.promises}")
