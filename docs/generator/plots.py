"""A plot as an SVG: lines over whole numbers, on a scale of powers of ten.

It is written by hand, so that the same numbers give the same file everywhere; logarithms are
those of :mod:`decimal`, which are correctly rounded, as those of a C library need not be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from html import escape
from itertools import pairwise

WIDTH, HEIGHT = 720, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 40, 50
"""Room around the lines: for the numbers of an axis, and on the right for the names of lines."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#9a4f8a")
"""Colours of lines, which stay apart for eyes that do not see all colours."""
DASHES = ("", "7 4", "2 3", "9 3 2 3")
"""Dashes of lines, for whoever sees no colours at all."""

NAME = 16
"""How far apart the names of lines stand at least."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a plot, over 1, 2, 3 …; ``marked`` are numbers beside it, over the same or None."""

    name: str
    values: Sequence[float]
    marked: Sequence[float | None] = ()


def plot(title: str, below: str, beside: str, lines: Sequence[Line], marks: str = "") -> str:
    """Lines as an SVG; ``marks`` says what a circle is."""
    scale = _Scale(lines)
    ends = _spread([scale.y(line.values[-1]) for line in lines])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 22, title, weight="bold"),
        *scale.grid(),
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, below, "middle"),
        f'<g transform="rotate(-90 18 {HEIGHT / 2:g})">'
        f"{_text(18, HEIGHT / 2, beside, 'middle')}</g>",
    ]
    for n, (line, end) in enumerate(zip(lines, ends, strict=True)):
        parts += _drawn(line, scale, end, COLOURS[n % len(COLOURS)], DASHES[n % len(DASHES)])
    if marks:
        x, y = WIDTH - RIGHT + 18, TOP + 4
        parts += [_circle(x, y, "#444"), _text(x + 10, y + 4, marks)]
    return "\n".join((*parts, "</svg>")) + "\n"


class _Scale:
    """Where numbers lie: the whole ones from left to right, powers of ten from below."""

    def __init__(self, lines: Sequence[Line]) -> None:
        values = [v for line in lines for v in (*line.values, *line.marked) if v is not None]
        self.low, self.high = (math.floor(_log10(min(values))), math.ceil(_log10(max(values))))
        self.high = max(self.high, self.low + 1)
        self.most = max(len(line.values) for line in lines)

    def x(self, n: int) -> float:
        """Where a whole number lies."""
        return LEFT + 20 + (WIDTH - LEFT - RIGHT - 30) * (n - 1) / max(1, self.most - 1)

    def y(self, value: float | Decimal) -> float:
        """Where a value lies."""
        part = (_log10(value) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part

    def grid(self) -> Iterator[str]:
        """The frame, a line for each power of ten, a faint one for 2 to 9 times that, numbers."""
        right = WIDTH - RIGHT
        for power in range(self.low, self.high + 1):
            for times in range(1, 10 if power < self.high else 2):
                y, colour = self.y(Decimal(times).scaleb(power)), "#ccc" if times == 1 else "#eee"
                yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{colour}"/>'
            exponent = f'<tspan dy="-5" font-size="10">{power}</tspan>'
            yield (
                f'<text x="{LEFT - 8}" y="{self.y(Decimal(1).scaleb(power)) + 5:.1f}" '
                f'text-anchor="end">10{exponent}</text>'
            )
        for n in range(1, self.most + 1):
            yield _text(self.x(n), HEIGHT - BOTTOM + 18, str(n), "middle")
        yield (
            f'<rect x="{LEFT}" y="{TOP}" width="{right - LEFT}" '
            f'height="{HEIGHT - TOP - BOTTOM}" fill="none" stroke="#888"/>'
        )


def _drawn(line: Line, scale: _Scale, end: float, colour: str, dashes: str) -> Iterator[str]:
    """A line with its points, its circles, and its name where it ends."""
    points = [(scale.x(n), scale.y(v)) for n, v in enumerate(line.values, 1)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'
    for x, y in points:
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
    for n, value in enumerate(line.marked, 1):
        if value is not None:
            yield _circle(scale.x(n), scale.y(value), colour)
    (x, y), right = points[-1], WIDTH - RIGHT
    yield (
        f'<path d="M{x + 5:.1f} {y:.1f}L{right + 8} {end:.1f}" stroke="{colour}" '
        'stroke-width="0.7" fill="none"/>'
    )
    yield _text(right + 12, end + 4, line.name, colour=colour)


def _log10(value: float | Decimal) -> float:
    return float(Decimal(value).log10())


def _circle(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="{colour}"/>'


def _text(
    x: float, y: float, said: str, anchor: str = "start", colour: str = "#222", weight: str = ""
) -> str:
    bold = f' font-weight="{weight}"' if weight else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{bold}>'
        f"{escape(said)}</text>"
    )


def _spread(wanted: Sequence[float]) -> list[float]:
    """Places near those that are wanted, in their order, and far enough apart for names."""
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    found = list(wanted)
    for before, after in pairwise(order):
        found[after] = max(found[after], found[before] + NAME)
    return found
