"""What rows of the benchmarks are limited to, and the page that shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence

Row = tuple[str, float, str]
"""What was measured, how much it is, and the unit, with a limit if there is one."""

_LIMIT = re.compile(r",? ?at (most|least) ([0-9][0-9,]*(?:\.[0-9]+)?)")
_TABLE = re.compile(r"(<!-- measured -->\n).*?(<!-- end -->)", re.DOTALL)


def missed(rows: Sequence[Row]) -> list[str]:
    """A line for each row that is beyond its limit."""
    found = []
    for name, value, unit in rows:
        limit = _LIMIT.search(unit)
        if limit is None:
            continue
        wanted = float(limit[2].replace(",", ""))
        if value > wanted if limit[1] == "most" else value < wanted:
            found.append(f"missed: {name.strip()}: {shown(value)} {unit}")
    return found


def shown(value: float) -> str:
    """A number with as many digits as say something."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3f}"


def line(row: Row) -> str:
    """A row as the terminal shows it."""
    name, value, unit = row
    return f"{name:<50} {shown(value):>10} {unit}"


def page(text: str, rows: Sequence[Row]) -> str:
    """A page whose table between the marks has these rows."""
    lines = ["| what | measured | limit |", "|---|---|---|"]
    for name, value, unit in rows:
        limit = _LIMIT.search(unit)
        bound = f"at {limit[1]} {limit[2]}" if limit else ""
        what, unit = " ".join(name.split()), _LIMIT.sub("", unit)
        lines.append(f"| {what} | {shown(value)} {unit}".rstrip() + f" | {bound} |")
    table = "\n".join([*lines, ""])
    made, count = _TABLE.subn(lambda found: f"{found[1]}{table}{found[2]}", text)
    if count != 1:
        raise ValueError("the page has no place for the table")
    return made
