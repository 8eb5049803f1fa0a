"""The runs of a sweep: a table with the best first, a plot for a terminal, and comma-separated."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import IO

from rich.console import RenderableType
from rich.text import Text

from nasm.base.problems import clean, counted
from nasm.show.columns import WIDTH, cut, in_ascii, table
from nasm.show.json_sweep import ROW
from nasm.show.schema import INTEGER, NUMBER, TEXT, Column
from nasm.show.table_files import Parquet
from nasm.sweeps.row import METRICS, SweepRow
from nasm.sweeps.sweep import ChoiceEffect, SweepResult

SHOWN = 40
"""Rows of a table that are shown; files get all."""

BAR = 24
"""Columns of the longest bar."""


def report(
    found: SweepResult, width: int | None = None, ascii_only: bool = False
) -> list[RenderableType]:
    """What the command prints of a sweep."""
    matrix = pivot(found, width or WIDTH)
    lines = [*rows(found, width or WIDTH), "", *matrix, *([""] if matrix else []), *summary(found)]
    return [Text(in_ascii(line) if ascii_only else line) for line in map(clean, lines)]


def rows(found: SweepResult, width: int) -> list[str]:
    """A line for each run, best first; those that failed are last, with their reasons."""
    names = found.varied or tuple(found.rows[0].point if found.rows else ())
    shown = found.ordered[:SHOWN]
    values = [row.metric(found.by) or 0.0 for row in shown]
    most = max(values, default=0.0)
    heads = [*(f">{name}" for name in names), ">time", ">MFU", ">bytes", ""]
    cells = [
        [
            *(str(row.point.get(name, "")) for name in names),
            _time(row),
            "" if not row.mfu else f"{100 * row.mfu:.1f} %",
            "" if row.dma_bytes is None else f"{row.dma_bytes:,}",
            "█" * max(1, round(BAR * value / most)) if row.ok and most else row.reason,
        ]
        for row, value in zip(shown, values, strict=True)
    ]
    lines = table(heads, cells, width)
    left = len(found.rows) - len(shown)
    return [*lines, f"… and {left:,} more; --csv and --json have all"] if left else lines


def _time(row: SweepRow) -> str:
    return "" if row.microseconds is None else f"{row.microseconds:,.3f} µs"


def summary(found: SweepResult) -> list[str]:
    """How many runs there were, and the best."""
    failed = sum(not row.ok for row in found.rows)
    text = counted(len(found.rows), "run")
    text += f", {found.kept:,} of them kept from before" if found.kept else ""
    text += f", {failed:,} not ok" if failed else ""
    best = found.best
    if best is None:
        return [text, "no run is ok"]
    decided = (
        [_effect(effect, found.by) for effect in found.effects] if len(found.varied) > 1 else []
    )
    return [text, *decided, f"best {found.by}: {value(best, found.by)} with {point(best)}"]


def _effect(found: ChoiceEffect, by: str) -> str:
    """What the choice of a value decides, in a sentence."""
    best, worst = figure(found.best_figure, by), figure(found.worst_figure, by)
    if best == worst:
        return f"{found.name} makes no difference"
    return f"{found.name}: {best} with {found.best}, at best {worst} with {found.worst}"


def value(row: SweepRow, by: str) -> str:
    """A figure of a run with its unit."""
    number = row.metric(by)
    if number is None:
        return "?"
    return figure(number, by)


def figure(number: float, by: str) -> str:
    """A figure with its unit."""
    if by == "time":
        return f"{number:,.3f} µs"
    if by == "mfu":
        return f"{100 * number:.1f} % MFU"
    return f"{number:,.0f} {METRICS[by][0] or by}"


def point(row: SweepRow) -> str:
    """The values of a run, as they are typed."""
    return " ".join(f"{name}={given}" for name, given in row.point.items())


def pivot(found: SweepResult, width: int) -> list[str]:
    """The figures of a sweep of two values as a table of one against the other, if it fits."""
    axes = axes_of(found)
    if len(axes) != 2:
        return []
    (down, ups), (across, overs) = axes
    by_point = {_at(row, (down, across)): row for row in found.rows}
    heads = [f"{down} \\ {across}", *(f">{over}" for over in overs)]
    cells = [[up, *(_figure(by_point.get((up, over)), found.by) for over in overs)] for up in ups]
    lines = table(heads, cells, 1 << 16)
    if max(map(len, lines)) > width:
        return []
    unit = "%" if found.by == "mfu" else METRICS[found.by][0]
    return [cut(f"{found.by}{f' in {unit}' if unit else ''}:", width), *lines]


def _figure(row: SweepRow | None, by: str) -> str:
    number = None if row is None else row.metric(by)
    if number is None:
        return "-"
    return (
        f"{100 * number:.1f}"
        if by == "mfu"
        else f"{number:,.2f}"
        if by == "time"
        else f"{number:,.0f}"
    )


def axes_of(found: SweepResult) -> list[tuple[str, list[str]]]:
    """The names that have several values, each with these, as they are typed."""
    return [
        (name, list(dict.fromkeys(str(row.point[name]) for row in found.rows)))
        for name in found.varied
    ]


def _at(row: SweepRow, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(row.point[name]) for name in names)


# ---------------------------------------------------------------- files


def columns(found: SweepResult) -> list[Column]:
    """The columns of all rows: one for each value, then the keys of the JSON document."""
    names = tuple(found.rows[0].point) if found.rows else ()
    made = [Column(n, _kind([row.point[n] for row in found.rows]), "", "a value") for n in names]
    keys = [key for key in ROW if key.name not in ("point", "files", "seconds", *names)]
    return made + [
        Column(key.name, _kind([key.of(row) for row in found.rows]), "", key.meaning)
        for key in keys
    ]


def _kind(values: Sequence[object]) -> str:
    known = [each for each in values if each is not None]
    if all(isinstance(each, int) for each in known):
        return INTEGER
    return NUMBER if all(isinstance(each, int | float) for each in known) else TEXT


def records(found: SweepResult) -> Iterator[dict[str, object]]:
    """All rows, best first, by the names of their columns."""
    kinds = {column.name: column.kind for column in columns(found)}
    for row in found.ordered:
        made = {key.name: key.of(row) for key in ROW if key.name in kinds} | dict(row.point)
        yield {
            name: str(made[name]) if kind == TEXT and made[name] is not None else made[name]
            for name, kind in kinds.items()
        }


def comma_separated(found: SweepResult, out: IO[bytes]) -> None:
    """Write all rows as comma-separated values."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in columns(found)])
    writer.writerows(record.values() for record in records(found))
    out.write(text.getvalue().encode())


def parquet(found: SweepResult, out: IO[bytes]) -> None:
    """Write all rows as Parquet."""
    writer = Parquet(out, columns(found))
    for record in records(found):
        writer.add(record)
    writer.close()
