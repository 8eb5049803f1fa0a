"""Lines in columns, as people write programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

CORE = ".core "

WIDEST = 80
"""Columns that a cell may take before those after it on other lines stop moving for it."""


def table(rows: Iterable[Sequence[str]], indent: str = "", gap: str = "  ") -> list[str]:
    """Rows of cells, each column as wide as its widest cell that has something after it.

    A cell wider than most overflows its column.
    """
    lines = [tuple(row) for row in rows]
    widths = _widths(lines)
    return [indent + _line(row, widths, gap) for row in lines]


def _line(row: Sequence[str], widths: Sequence[int], gap: str) -> str:
    cells = zip(row, widths, strict=False)
    return "".join(cell.ljust(width) + gap for cell, width in cells if cell or width).rstrip()


def _widths(rows: Sequence[tuple[str, ...]]) -> list[int]:
    count = max(map(len, rows), default=0)
    widths = [0] * count
    for row in rows:
        for at, cell in enumerate(row):
            if len(cell) <= WIDEST and any(row[at + 1 :]):
                widths[at] = max(widths[at], len(cell))
    return widths


def wrapped(head: str, items: Sequence[str], width: int = 96) -> list[str]:
    """A directive with its items, in as many lines as they need."""
    lines: list[str] = []
    line = ""
    for item in items:
        if line and len(line) + len(item) + 2 > width:
            lines.append(line)
            line = ""
        line = f"{line}, {item}" if line else f"{head}{item}"
    return [*lines, line] if line else lines


def in_cores(lines: Iterable[str], cores: Sequence[str]) -> Iterator[str]:
    """Lines with as few of the lines that select ``cores`` among them as say the same."""
    now = wanted = last = 0
    for line in lines:
        if line.startswith(CORE):
            wanted = int(line.removeprefix(CORE))
            continue
        if line and wanted != now:
            yield cores[wanted]
            now, last = wanted, max(last, wanted)
        yield line
    if last < len(cores) - 1:
        yield cores[-1]
