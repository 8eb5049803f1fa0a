"""Values as text: aligned, elided where they are large, uninitialised elements shown as such."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nasm.base.dtypes import DType, ElementKind, format_value
from nasm.debugger.values.statistics import Histogram, Statistics
from nasm.debugger.values.value import Value
from nasm.views.view import View

WIDTH = 80
"""Columns that arrays are laid out for by default."""

UNWRITTEN = "__"
"""What is shown for an uninitialised element."""

ROWS = 16
"""Rows that are shown in full; of more, the first and last."""

EDGE = 6
"""Rows shown at either end of a long tensor."""

DIGITS, ALONE = 6, 9
"""Significant digits of a float that has more, and of a single one; ``/x`` shows bits."""


def shown(value: Value, form: str = "", width: int = WIDTH) -> list[str]:
    """A heading and the elements. ``form`` is ``x`` for hexadecimal bits, ``t`` for binary ones."""
    if not value.shape and value.view is None:
        return [_cut(value.text, width // 2) + f" = {_single(value, form)}"]
    lines = [heading(value, width)]
    if not value.shape:
        return [*lines, f"  {_texts(value, (), [0], form)[0]}"]
    return lines + _grid(value, form, width)


def heading(value: Value, width: int = WIDTH) -> str:
    """What is shown: its shape and dtype, and if it is a part of a tensor where that lives."""
    sizes = ", ".join(map(str, value.shape))
    if value.view is not None:
        return _place(value.view, sizes)
    dtype = value.dtype.name if value.dtype else "bool" if value.elements.truth else "float64"
    what = f"  {dtype}[{sizes}]"
    return _cut(value.text, max(12, width - len(what))) + what


def _place(view: View, sizes: str) -> str:
    tensor = view.tensor
    what = f"{tensor.name}  {view.dtype.name}[{sizes}]  in {tensor.memory.name}"
    if view.partitioned:
        first = (tensor.partition or 0) + view.partition
        last = first + view.partitions - 1
        what += f", partition {first}" if last == first else f", partitions {first} to {last}"
    return what


# ---------------------------------------------------------------- elements


def _single(value: Value, form: str) -> str:
    """A single number that belongs to no tensor."""
    if not value.known(()).all():
        return UNWRITTEN
    found = value.stored(())
    if form and value.dtype is None and float(found).is_integer() and abs(float(found)) < 2**53:
        return f"{int(found):#{form.replace('t', 'b')}}"
    if value.dtype is None:
        return _computed(found[()], ALONE)
    return f"0{form.replace('t', 'b')}" * bool(form) + _cell(value, found[()], form)


def _cell(value: Value, element: Any, form: str) -> str:
    """One element as text."""
    dtype = value.dtype
    if form:
        return bits(element, dtype, form)
    if dtype is None:
        return _computed(element, DIGITS)
    text = format_value(element, dtype)
    if dtype.is_int or len(text) <= DIGITS + 2:
        return text
    return text if dtype.kind is ElementKind.PACKED else f"{float(element):.{DIGITS}g}"


def _computed(number: Any, digits: int) -> str:
    """A number that was computed: a condition, or a float64."""
    if isinstance(number, bool | np.bool_):
        return "true" if number else "false"
    found = float(number)
    return str(int(found)) if found.is_integer() and abs(found) < 1e15 else f"{found:.{digits}g}"


def bits(element: Any, dtype: DType | None, form: str) -> str:
    """The bits of an element, in hexadecimal (``x``) or one by one (``t``)."""
    if dtype is None:
        held = np.asarray(element).reshape(1)
        number = int(held[0]) if held.dtype == np.bool_ else int(held.view(np.uint64)[0])
        count = 1 if held.dtype == np.bool_ else 8
    else:
        number = int(np.asarray(element, dtype.numpy).reshape(1).view(dtype.bits_dtype)[0])
        count = dtype.itemsize
    return f"{number:0{2 * count}x}" if form == "x" else f"{number:0{8 * count}b}"


def elements(
    value: Value, row: tuple[int, ...], first: int, count: int, form: str = ""
) -> list[str]:
    """So many elements of a row as texts, from the ``first`` of them; as :func:`shown`."""
    return _texts(value, row, list(range(first, first + count)), form)


def _texts(value: Value, row: tuple[int, ...], columns: list[int], form: str) -> list[str]:
    """Elements of a row, whose place on the other axes is given; "…" for a gap, which is -1."""
    at = tuple(slice(n, n + 1) for n in row)
    found: list[str] = []
    for first, stop in _runs(columns):
        if first < 0:
            found.append("…")
            continue
        window = (*at, slice(first, stop)) if value.shape else ()
        elements, known = value.stored(window).reshape(-1), value.known(window).reshape(-1)
        found += [
            _cell(value, e, form) if k else UNWRITTEN for e, k in zip(elements, known, strict=True)
        ]
    return found


def _runs(columns: list[int]) -> Iterator[tuple[int, int]]:
    """Columns as runs of neighbours; a gap is one of its own."""
    first = last = None
    for column in columns:
        if first is not None and last is not None and column == last + 1 and column > 0 <= first:
            last = column
            continue
        if first is not None and last is not None:
            yield first, last + 1
        first = last = column
    if first is not None and last is not None:
        yield first, last + 1


def _grid(value: Value, form: str, room: int) -> list[str]:
    """Rows of the last axis, labelled by the others; a single row is folded."""
    count = value.size // value.shape[-1]
    if count == 1:
        return _folded(value, form, room)
    rows = _picked(count, ROWS, EDGE)
    labels = [_label(r, value.shape[:-1]) for r in rows]
    margin = max(len(label) for label in labels) + 2
    chosen, width, texts = _fitting(value, rows, form, room - margin)
    lines = [" " * margin + _line(["…" if c < 0 else str(c) for c in chosen], width)]
    for label, r in zip(labels, rows, strict=True):
        lines.append("…".rjust(margin) if r < 0 else label.rjust(margin) + _line(texts[r], width))
    return lines


def _line(cells: list[str], width: int) -> str:
    return "".join("  …" if c == "…" else c.rjust(width) for c in cells)


def _fitting(
    value: Value, rows: list[int], form: str, room: int
) -> tuple[list[int], int, dict[int, list[str]]]:
    """The columns that fit side by side, -1 for a gap, how wide each is, and their text."""
    count = value.shape[-1]
    wanted = _picked(count, room // 3, room // 3)
    places = {r: _at(r, value.shape[:-1]) for r in rows if r >= 0}
    every = {
        r: dict(zip(wanted, _texts(value, place, wanted, form), strict=True))
        for r, place in places.items()
    }
    while True:
        seen = [c for c in wanted if c >= 0]
        width = max(len(str(count - 1)), *(len(every[r][c]) for r in places for c in seen)) + 2
        needed = len(seen) * width + (3 if len(seen) < count else 0)
        if needed <= room or len(seen) <= 2:
            return wanted, width, {r: [every[r].get(c, "…") for c in wanted] for r in places}
        edge = max(1, min(len(seen) - 1, (room - 3) // width) // 2)
        wanted = _picked(count, 0, edge)
        for texts in every.values():
            texts[-1] = "…"


def _picked(count: int, most: int, edge: int) -> list[int]:
    """All indices if there are few, else those at either end with -1 between them."""
    if count <= max(most, 2 * edge):
        return list(range(count))
    return [*range(edge), -1, *range(count - edge, count)]


def _at(row: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(n) for n in np.unravel_index(row, shape))


def _label(row: int, shape: tuple[int, ...]) -> str:
    return "" if row < 0 else ",".join(map(str, _at(row, shape)))


def _folded(value: Value, form: str, room: int) -> list[str]:
    """A single row in lines of equal length, each with the index it starts at."""
    count, place = value.shape[-1], (0,) * (len(value.shape) - 1)
    margin = len(str(count - 1)) + 2
    sample = _picked(count, 256, 128)
    width = max(map(len, _texts(value, place, sample, form))) + 2
    per = 1
    while per * 2 * width <= room - margin and per < count:
        per *= 2
    starts = list(range(0, count, per))
    lines = []
    for at in _picked(len(starts), ROWS, EDGE):
        if at < 0:
            lines.append("…".rjust(margin))
            continue
        start = starts[at]
        cells = _texts(value, place, list(range(start, min(start + per, count))), form)
        lines.append(str(start).rjust(margin) + _line(cells, width))
    return lines


# ---------------------------------------------------------------- as a whole


def statistics(found: Statistics) -> str:
    """Minimum, maximum and mean of what is initialised, and how much is not."""
    missing = found.size - found.known
    parts = []
    if found.least is not None and found.mean is not None:
        parts.append(f"min {found.least:.6g}  max {found.most:.6g}  mean {found.mean:.6g}")
    if found.nan:
        parts.append(f"{found.nan:,} NaN")
    parts.append(f"{found.size:,} element{'' if found.size == 1 else 's'}")
    if missing:
        parts.append("all uninitialised" if not found.known else f"{missing:,} uninitialised")
    return "  " + "  ".join(parts)


def summary(value: Value, found: Statistics) -> str:
    """The same of a value: of conditions, in how many places they hold."""
    if not value.elements.truth or value.dtype is not None or found.mean is None:
        return statistics(found)
    missing = found.size - found.known
    text = f"  true in {round(found.mean * found.known):,} of {found.size:,}"
    return text + (f", {missing:,} unknown" if missing else "")


def histogram(found: Histogram, width: int = WIDTH, mark: str = "#") -> list[str]:
    """A bar for each bin: from where to where it reaches, and how many numbers it has."""
    if not found.counts:
        return ["  no finite numbers"]
    edges = [f"{edge:.5g}" for edge in found.edges]
    counts = [f"{count:,}" for count in found.counts]
    left, right = max(map(len, edges)), max(map(len, counts))
    room = max(4, width - 2 * left - right - 10)
    most = max(found.counts)
    lines = []
    for low, high, count, text in zip(edges, edges[1:], found.counts, counts, strict=False):
        bar = mark * -(-count * room // most)
        line = f"  {low:>{left}} .. {high:>{left}}  {text:>{right}}  {bar}"
        lines.append(line.rstrip())
    return lines


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 1]}…"
