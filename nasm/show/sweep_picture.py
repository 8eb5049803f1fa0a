"""The picture of a sweep as SVG: a curve over one value, or a map of two."""

from __future__ import annotations

import os
from collections.abc import Iterator
from html import escape
from typing import IO

from nasm.base.problems import Failure, Problem, clean
from nasm.show.sweep import axes_of, value
from nasm.sweeps.row import METRICS, SweepRow
from nasm.sweeps.sweep import SweepResult

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 72, 16, 40, 56
"""Sizes in pixels: of the picture, and of what is around its plot."""

STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#333}.t{font-size:14px;font-weight:600}"
    ".l{stroke:#999;fill:none}.c{stroke:#2563eb;stroke-width:2;fill:none}.p{fill:#2563eb}"
    ".b{fill:#c2410c}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.bg{fill:#111}}"
)


def svg(found: SweepResult, out: IO[bytes]) -> None:
    """Write a picture of a sweep of one or two values; raises Failure for any other number."""
    axes = axes_of(found)
    if len(axes) not in (1, 2):
        message = f"a picture shows one or two values, and {len(axes)} have several"
        raise Failure(Problem("E0846", message, None, "--csv writes all rows"))
    parts = _curve(found, *axes[0]) if len(axes) == 1 else _map(found, *axes)
    unit = "%" if found.by == "mfu" else METRICS[found.by][0]
    name = os.path.basename(found.program)
    title = escape(clean(f"{name}: {found.by}{f' in {unit}' if unit else ''}"))
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{title}</title><style>{STYLE}</style>"
        f'<rect class="bg" width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f'<text class="t" x="{LEFT}" y="24">{title}</text>{"".join(parts)}</svg>\n'
    )
    out.write(text.encode())


def _number(row: SweepRow | None, by: str) -> float | None:
    number = None if row is None else row.metric(by)
    return number if number is None or by != "mfu" else 100 * number


def _text(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(clean(text))}</text>'


def _thin(count: int, room: float, each: float) -> range:
    """Which of so many labels there is room for."""
    return range(0, count, max(1, -int(-count * each // room)))


# ---------------------------------------------------------------- one value


def _curve(found: SweepResult, name: str, values: list[str]) -> Iterator[str]:
    """A point for each value, the best in another colour; a gap where a run failed."""
    rows = {str(row.point[name]): row for row in found.rows}
    numbers = [_number(rows.get(each), found.by) for each in values]
    known = [number for number in numbers if number is not None]
    most = max(known, default=0.0) or 1.0
    across = (WIDTH - LEFT - RIGHT) / len(values)
    down = HEIGHT - TOP - BOTTOM
    at = [LEFT + across * (n + 0.5) for n in range(len(values))]
    for part in range(5):
        y = TOP + down * (1 - part / 4)
        yield f'<path class="l" stroke-opacity=".4" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>'
        yield _text(LEFT - 6, y + 4, f"{most * part / 4:,.4g}", "end")
    for n in _thin(len(values), WIDTH - LEFT - RIGHT, 8.0 * max(map(len, values)) + 8):
        yield _text(at[n], HEIGHT - BOTTOM + 18, values[n])
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, name)
    path, pen = "", "M"
    for x, number in zip(at, numbers, strict=True):
        path += "" if number is None else f"{pen}{x:.1f} {TOP + down * (1 - number / most):.1f}"
        pen = "M" if number is None else "L"
    yield f'<path class="c" d="{path}"/>'
    best = found.best
    for x, each, number in zip(at, values, numbers, strict=True):
        if number is not None:
            kind = "b" if rows[each] is best else "p"
            y = TOP + down * (1 - number / most)
            yield (
                f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{5 if kind == "b" else 3}">'
                f"<title>{escape(clean(f'{name}={each}: {value(rows[each], found.by)}'))}</title>"
                "</circle>"
            )


# ---------------------------------------------------------------- two values


def _map(
    found: SweepResult, down: tuple[str, list[str]], over: tuple[str, list[str]]
) -> Iterator[str]:
    """A cell for each pair of values, dark where the figure is better; a cross where one failed."""
    (row_name, ups), (column_name, overs) = down, over
    rows = {(str(r.point[row_name]), str(r.point[column_name])): r for r in found.rows}
    numbers = {at: _number(row, found.by) for at, row in rows.items()}
    known = [number for number in numbers.values() if number is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    wide = (WIDTH - LEFT - RIGHT) / len(overs)
    tall = (HEIGHT - TOP - BOTTOM) / len(ups)
    best = found.best
    for y, up in enumerate(ups):
        for x, across in enumerate(overs):
            row, number = rows.get((up, across)), numbers.get((up, across))
            left, top = LEFT + x * wide, TOP + y * tall
            good = 0.5 if high == low else (number or 0.0) / (high - low) - low / (high - low)
            good = good if METRICS[found.by][2] else 1 - good
            colour = "#eee" if number is None else f"rgb({_blend(good)})"
            edge = ' stroke="#c2410c" stroke-width="3"' if row is not None and row is best else ""
            yield (
                f'<rect x="{left + 1:.1f}" y="{top + 1:.1f}" width="{wide - 2:.1f}" '
                f'height="{tall - 2:.1f}" fill="{colour}"{edge}><title>'
                f"{escape(clean(_cell(row_name, up, column_name, across, row, found.by)))}"
                "</title></rect>"
            )
            shown = "×" if number is None else f"{number:,.4g}"
            if wide > 8 * len(shown) and tall > 14:
                dark = number is not None and good > 0.5
                yield (
                    f'<text style="fill:{"#fff" if dark else "#333"}" x="{left + wide / 2:.1f}" '
                    f'y="{top + tall / 2 + 4:.1f}" text-anchor="middle">{shown}</text>'
                )
    for y in _thin(len(ups), HEIGHT - TOP - BOTTOM, 14):
        yield _text(LEFT - 6, TOP + (y + 0.5) * tall + 4, ups[y], "end")
    for x in _thin(len(overs), WIDTH - LEFT - RIGHT, 8.0 * max(map(len, overs)) + 8):
        yield _text(LEFT + (x + 0.5) * wide, HEIGHT - BOTTOM + 18, overs[x])
    yield _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, f"{row_name} down, {column_name} across")


def _cell(up: str, one: str, across: str, other: str, row: SweepRow | None, by: str) -> str:
    what = "not run" if row is None else value(row, by) if row.ok else row.reason
    return f"{up}={one}, {across}={other}: {what}"


def _blend(good: float) -> str:
    """From light to dark blue."""
    light, dark = (219, 234, 254), (30, 64, 175)
    return ",".join(f"{a + (b - a) * good:.0f}" for a, b in zip(light, dark, strict=True))
