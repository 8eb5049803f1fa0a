"""A comparison as a reader wants it: one screen, what got slower first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from nasm.analysis.profile.records import Moved, Profile
from nasm.base.problems import Problem, clean, counted, folded, in_line
from nasm.machine.records import Status
from nasm.runs.diff.records import EMPTY, Change, Comparison, OnPath, PathChange, TensorChange
from nasm.show.profile import WIDTH, cut
from nasm.show.tables import apart

ENGINES, LINES, TENSORS, NAMES = 12, 8, 6, 4
"""How many changes of engines, lines of the paths, outputs, and constants one screen has."""

SHOWN = 0.0005
"""Microseconds: a change below that is none on the screen."""

Row = TypeVar("Row")


def screen(
    found: Comparison, *, width: int | None = None, ascii_only: bool = False
) -> list[RenderableType]:
    """The whole of a comparison."""
    dots = "..." if ascii_only else "…"
    parts: list[RenderableType] = [*titles(found, width, dots), Text(), *times(found, width)]
    if changes := [c for c in found.engines if c.cause != EMPTY]:
        parts += [Text(), *engine_lines(changes, dots)]
    if found.path:
        parts += [Text(), *path_lines(found.path, width, dots)]
    if found.moved:
        parts += [Text(), *moved_lines(found)]
    parts += [Text(), *value_lines(found, width, dots)]
    return [*parts, *hazard_lines(found, width)]


def titles(found: Comparison, width: int | None, dots: str) -> list[Text]:
    """The two runs, and what tells them apart."""
    lines = []
    for side, profile in (("a", found.a), ("b", found.b)):
        line = Text(f"{side}  {profile.title}")
        line.stylize("bold", 3, 3 + len(in_line(profile.program)))
        lines.append(line)
    text: list[str] = []
    constants = [d for d in found.differences if d.kind == "constant"]
    for difference in found.differences:
        if difference.kind in ("program", "target"):
            continue  # the titles say it, but of two texts with one name
        if difference.kind != "constant" or difference in constants[:NAMES]:
            text.append(str(difference))
    if len(constants) > NAMES:
        text.append(f"{dots} and {counted(len(constants) - NAMES, 'more constant')}")
    if not found.differences:
        text = ["the same program on the same machine"]
    elif found.a.program == found.b.program and found.differences[0].kind == "program":
        text.insert(0, "two texts of one name")
    return lines + [Text(line, "dim") for line in folded("; ".join(text), "  ", width) if text]


def times(found: Comparison, width: int | None) -> list[Text]:
    """How long each took, and what bound it."""
    a, b = found.a.microseconds, found.b.microseconds
    text = f"time: {a:,.3f} µs and {b:,.3f} µs"
    if abs(found.change) >= SHOWN:
        more = "more" if found.change > 0 else "less"
        text += f", {abs(found.change):,.3f} µs {more}"
        if found.ratio is not None:
            text += f" ({100 * found.ratio:+,.1f}%)"
    lines = [Text(text, "bold")]
    for side, profile in (("a", found.a), ("b", found.b)):
        if profile.status is not Status.FINISHED:
            text = f"{side}  not finished ({profile.status.value}): the run up to there"
            lines.append(Text(text, "yellow"))
        if profile.verdict:
            lines += map(Text, folded(f"{side}  {profile.verdict}", "   ", width))
    return lines


# -- where the time went


def engine_lines(changes: Sequence[Change], dots: str) -> list[RenderableType]:
    """The time of every engine by what it did, as far as that changed."""
    changed = [change for change in changes if abs(change.change) >= SHOWN]
    same = len(changes) - len(changed)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("engine", "time"):
        table.add_column(name, no_wrap=True)
    for name in ("a µs", "b µs", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    shown = most(changed, ENGINES, lambda change: change.change)
    for change in shown:
        table.add_row(
            Text(change.engine, "bold"),
            change.what,
            f"{change.a:,.3f}",
            f"{change.b:,.3f}",
            Text(f"{change.change:+,.3f}", colour(change.change)),
        )
    left = []
    if len(changed) > len(shown):
        left.append(f"{dots} and {counted(len(changed) - len(shown), 'smaller change')}")
    if same:
        left.append(f"{counted(same, 'line')} without a change")
    parts: list[RenderableType] = [table] if shown else []
    return [*parts, Text("; ".join(left), "dim")] if left else parts


def path_lines(lines: Sequence[PathChange], width: int | None, dots: str) -> list[Text]:
    """The lines of both critical paths, as far as they changed."""
    changed = [line for line in lines if abs(line.change) >= SHOWN]
    shown = most(changed, LINES, lambda line: line.change)
    rows = [("path a", "", "path b", "", "change", "engine", "line", "")]
    for line in shown:
        rows.append((
            *_part(line.a), *_part(line.b), f"{line.change:+,.3f}",
            _both(line, lambda part: part.queue),
            "/".join(dict.fromkeys(map(_number, (line.a, line.b)))),
            clean((line.b or line.a).text),  # type: ignore[union-attr]  # one of them is there
        ))  # fmt: skip
    message: list[Text] = []
    for number, cells in enumerate(_level(rows, left=(5,))):
        text = Text(cut(cells, width or WIDTH, dots), "" if number else "dim")
        if number:
            change = shown[number - 1].change
            at = text.plain.find(rows[number][4])
            text.stylize(colour(change), at, at + len(rows[number][4]))
        message.append(text)
    same, left = len(lines) - len(changed), []
    if len(changed) > len(shown):
        left.append(f"{dots} and {counted(len(changed) - len(shown), 'smaller change')}")
    if same:
        left.append(f"{counted(same, 'line')} of the critical path without a change")
    message = message if shown else []
    return [*message, Text("; ".join(left), "dim")] if left else message


def _part(part: OnPath | None) -> tuple[str, str]:
    return ("-", "") if part is None else (f"{part.microseconds:,.3f}", f"{100 * part.share:.1f}%")


def _both(line: PathChange, what: Callable[[OnPath], str]) -> str:
    """Something of both sides: once, if it is the same."""
    sides = [what(part) for part in (line.a, line.b) if part]
    return "/".join(dict.fromkeys(sides))


def _number(part: OnPath | None) -> str:
    if part is None:
        return "-"
    return str(part.span.line) if part.span else ""


def _level(rows: Sequence[tuple[str, ...]], left: tuple[int, ...]) -> list[str]:
    """Rows as lines with their columns below each other; the last one is as long as it is."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]) - 1)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(wide) if n in left else cell.rjust(wide)
            for n, (cell, wide) in enumerate(zip(row, widths, strict=False))
        ]
        lines.append("  ".join((*cells, row[-1])).rstrip())
    return lines


def most(rows: Sequence[Row], count: int, change: Callable[[Row], float]) -> list[Row]:
    """The rows that changed most, in their order."""
    kept = sorted(range(len(rows)), key=lambda n: -abs(change(rows[n])))[:count]
    return [rows[n] for n in sorted(kept)]


def colour(change: float) -> str:
    """Slower is red."""
    return "red" if change > 0 else "green"


def moved_lines(found: Comparison) -> list[Text]:
    """What each core moved by DMA."""
    several = len(found.moved) > 1
    lines = []
    for moved in found.moved:
        name = f"{moved.core}.DMA" if several else "DMA"
        for side, what, active, profile in (
            ("a", moved.a, moved.active_a, found.a),
            ("b", moved.b, moved.active_b, found.b),
        ):
            lines.append(Text(f"{name}  {side}  {_moved(what, active, profile)}"))
            name = " " * len(name)
    return lines


def _moved(moved: Moved | None, active: float, profile: Profile) -> str:
    if moved is None:
        return "nothing"
    share = 100 * active / profile.microseconds if profile.microseconds else 0.0
    return (
        f"{counted(moved.transfers, 'transfer')}, {moved.bytes:,} bytes, "
        f"active {active:,.3f} µs ({share:.1f}%)"
    )


# -- values


def value_lines(found: Comparison, width: int | None, dots: str) -> list[Text]:
    """Whether the outputs are equal, and where they are not."""
    if found.without:
        text = clean(f"values are not compared: {found.without}")
        return [Text(line, "dim") for line in folded(text, "  ", width)]
    if not found.tensors:
        return [Text("neither program has an output to compare", "dim")]
    differ = [tensor for tensor in found.tensors if not tensor.equal]
    count = len(found.tensors)
    if not differ:
        equal = "the output is equal" if count == 1 else f"all {count:,} outputs are equal"
        return [Text(f"values: {equal}", "green")]
    text = "values: the output differs"
    if count > 1:
        verb = "differs" if len(differ) == 1 else "differ"
        text = f"values: {len(differ):,} of {count:,} outputs {verb}"
        text += f"; the first is {clean(differ[0].name)}" if len(differ) > 1 else ""
    lines = [Text(text, "yellow")]
    for tensor in differ[:TENSORS]:
        lines += map(Text, folded(f"  {clean(tensor.name)}: {tensor_line(tensor)}", "    ", width))
    if len(differ) > TENSORS:
        lines.append(Text(f"{dots} and {counted(len(differ) - TENSORS, 'more output')}", "dim"))
    return lines


def tensor_line(tensor: TensorChange) -> str:
    """Where an output differs, in a sentence."""
    if tensor.apart:
        sides = [f"{side} {text}" for side, text in (("a", tensor.a), ("b", tensor.b)) if text]
        return f"{tensor.apart}: {', '.join(sides)}"
    assert tensor.first is not None
    first = tensor.first
    if first.a is None or first.b is None:
        text = ["uninitialised" if v is None else f"{v:.6g}" for v in (first.a, first.b)]
    else:
        text = list(apart(first.a, first.b))
    where = f"the first at {list(first.index)}" if first.index else "it"
    largest = "" if tensor.largest is None else f"; the largest difference is {tensor.largest:.6g}"
    of = f"{tensor.count:,} of {counted(tensor.elements, 'element')} differ"
    return f"{of}, {where}: {text[0]} and {text[1]}{largest}"


def hazard_lines(found: Comparison, width: int | None) -> list[Text]:
    """How many hazards each run has."""
    lines: list[Text] = []
    for side, hazards in (("a", found.hazards_a), ("b", found.hazards_b)):
        if hazards:
            text = f"{side}  {counted(len(hazards), 'hazard')}: {_first(hazards)}"
            lines += [Text(line, "magenta") for line in folded(text, "   ", width)]
    return [Text(), *lines, Text("'neuron-nasm run' shows them")] if lines else []


def _first(hazards: Sequence[Problem]) -> str:
    first = hazards[0]
    where = f" {first.span.source.shown}:{first.span.line}" if first.span else ""
    return clean(f"{first.code}{where}: {first.message}".replace("\n", " "))
