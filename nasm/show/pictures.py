"""Pictures of tensors for a terminal: half blocks in colour, or a ramp of characters."""

from __future__ import annotations

import math

from rich.style import Style
from rich.text import Text

from nasm.base.problems import counted
from nasm.debugger.values.pictures import MISSING, NAN, Picture

RAMP = " .:-=+*#%@"
"""Characters from the least to the greatest."""

NOTHING, NO_NUMBER = "_", "?"
"""A cell that nothing was written to, and one with a NaN."""

UPPER, LOWER, EMPTY = "▀", "▄", "·"

SCALE = ((20, 11, 53), (87, 16, 110), (159, 42, 99), (212, 72, 66), (245, 125, 21), (250, 250, 110))
"""Colours from the least to the greatest, increasingly light, so that they differ in grey too."""

ODD = (0, 220, 255)
"""The colour of a cell with a NaN, which is none of the scale."""

TALL = 2
"""Rows of cells in a line of half blocks."""


def drawn(found: Picture, coloured: bool) -> list[Text]:
    """The picture and its legend, in half blocks or in characters of ASCII."""
    if coloured:
        lines = [_halves(*pair) for pair in _pairs(found.cells)]
    else:
        lines = [Text("  " + "".join(map(_character, row))) for row in found.cells]
    return [*lines, *(Text(f"  {line}") for line in legend(found, coloured))]


def legend(found: Picture, coloured: bool) -> list[str]:
    """What the cells of a picture are."""
    tall, wide = found.block
    rows, columns = found.shape
    lines = [_scale(found, coloured)]
    size = f"{counted(rows, 'row')} of {columns:,}"
    if tall * wide > 1:
        how = "their mean" if found.mean else "the one farthest from 0"
        lines.append(f"{size}; a cell is {tall:,} x {wide:,} elements: {how}")
    else:
        lines.append(f"{size}; a cell is an element")
    marks = []
    whole = found.statistics
    if whole.known < whole.size:
        mark = EMPTY if coloured else NOTHING
        marks.append(f"{mark} uninitialised ({counted(whole.size - whole.known, 'element')})")
    if whole.nan:
        mark = "light blue" if coloured else NO_NUMBER
        marks.append(f"{mark} NaN ({whole.nan:,})")
    if whole.infinite:
        marks.append(f"{whole.infinite:,} infinite, at the ends of the scale")
    return lines + (["; ".join(marks)] if marks else [])


def _scale(found: Picture, coloured: bool) -> str:
    if math.isnan(found.low):
        return "no finite numbers"
    if found.low == found.high:
        return f"all cells are {found.low:.6g}"
    shown = "dark to light" if coloured else f"'{RAMP}'"
    return f"{shown} is {found.low:.6g} to {found.high:.6g}"


def _pairs(
    rows: tuple[tuple[float, ...], ...],
) -> list[tuple[tuple[float, ...], tuple[float, ...] | None]]:
    return [
        (rows[n], rows[n + 1] if n + 1 < len(rows) else None) for n in range(0, len(rows), TALL)
    ]


def _character(cell: float) -> str:
    if cell == MISSING:
        return NOTHING
    if cell == NAN:
        return NO_NUMBER
    return RAMP[min(len(RAMP) - 1, int(cell * len(RAMP)))]


def _halves(upper: tuple[float, ...], lower: tuple[float, ...] | None) -> Text:
    """Two rows of cells in one line."""
    line = Text("  ")
    for n, above in enumerate(upper):
        below = MISSING if lower is None else lower[n]
        if above == below == MISSING:
            line.append(" " if lower is None and above != MISSING else EMPTY)
        elif above == MISSING:
            line.append(LOWER, Style(color=_colour(below)))
        elif below == MISSING:
            line.append(UPPER, Style(color=_colour(above)))
        else:
            line.append(UPPER, Style(color=_colour(above), bgcolor=_colour(below)))
    return line


def _colour(cell: float) -> str:
    if cell == NAN:
        red, green, blue = ODD
        return f"rgb({red},{green},{blue})"
    at = cell * (len(SCALE) - 1)
    first = min(int(at), len(SCALE) - 2)
    part = at - first
    mixed = (round(a + (b - a) * part) for a, b in zip(SCALE[first], SCALE[first + 1], strict=True))
    return f"rgb({','.join(map(str, mixed))})"
