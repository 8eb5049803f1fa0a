"""Tensors as text: aligned, elided where they are large, uninitialised elements shown as such."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.dtypes import DType, Kind, format_value, to_float64
from nasm.spec.view import View

Array = np.ndarray[Any, Any]

UNWRITTEN = "__"
"""What is shown for an uninitialised element."""

ROWS = 16
"""Rows that are shown in full; of more, the first and last."""

EDGE = 6
"""Rows shown at either end of a long tensor."""

DIGITS = 6
"""Significant digits of a float that has more; ``/x`` shows the exact bits."""


def shown(view: View, values: Array, known: Array, width: int, form: str = "") -> list[str]:
    """A heading, the elements, and their statistics. ``form`` is ``x`` for hexadecimal bits."""
    lines = [heading(view)]
    if values.ndim == 0:
        lines.append(f"  {cell(values[()], bool(known[()]), view.dtype, form)}")
    else:
        lines += _grid(view, values, known, width, form)
    return [*lines, statistics(values, known, view.dtype)]


def heading(view: View) -> str:
    """What is shown: its tensor, shape, dtype, and where it lives."""
    tensor, sizes = view.tensor, ", ".join(map(str, view.shape))
    what = f"{tensor.name}  {view.dtype.name}[{sizes}]  in {tensor.memory.name}"
    if view.partitioned:
        first = (tensor.partition or 0) + view.partition
        last = first + view.partitions - 1
        what += f", partition {first}" if last == first else f", partitions {first} to {last}"
    return what


def cell(value: Any, known: bool, dtype: DType, form: str) -> str:
    """One element as text."""
    if not known:
        return UNWRITTEN
    if form == "x":
        bits = int(np.asarray(value, dtype.numpy).reshape(1).view(dtype.bits_dtype)[0])
        return f"{bits:0{2 * dtype.itemsize}x}"
    text = format_value(value, dtype)
    if dtype.is_int or len(text) <= DIGITS + 2:
        return text
    return text if dtype.kind is Kind.PACKED else f"{float(value):.{DIGITS}g}"


def statistics(values: Array, known: Array, dtype: DType) -> str:
    """Minimum, maximum and mean of what is initialised, and how much is not."""
    written = int(np.count_nonzero(known))
    missing = values.size - written
    parts = []
    if written and dtype.kind is not Kind.PACKED:
        numbers = to_float64(values[known], dtype)
        good = numbers[~np.isnan(numbers)]
        if good.size:
            with np.errstate(all="ignore"):
                mean = good.mean()
            parts.append(f"min {good.min():.6g}  max {good.max():.6g}  mean {mean:.6g}")
        if good.size < numbers.size:
            parts.append(f"{numbers.size - good.size:,} NaN")
    parts.append(f"{values.size:,} element{'' if values.size == 1 else 's'}")
    if missing:
        parts.append("all uninitialised" if not written else f"{missing:,} uninitialised")
    return "  " + "  ".join(parts)


def _grid(view: View, values: Array, known: Array, room: int, form: str) -> list[str]:
    """Rows of the last axis, labelled by the others; a single row is folded."""
    columns = values.shape[-1]
    flat, mask = values.reshape(-1, columns), known.reshape(-1, columns)
    if len(flat) == 1:
        return _folded(flat[0], mask[0], view.dtype, room, form)
    rows = _picked(len(flat), ROWS, EDGE)
    labels = [_label(r, values.shape[:-1]) for r in rows]
    margin = max(len(label) for label in labels) + 2
    chosen, width = _fitting(flat, mask, rows, view.dtype, form, room - margin)
    lines = [" " * margin + _line(["…" if c < 0 else str(c) for c in chosen], width)]
    for label, r in zip(labels, rows, strict=True):
        if r < 0:
            lines.append("…".rjust(margin))
            continue
        cells = [
            "…" if c < 0 else cell(flat[r, c], bool(mask[r, c]), view.dtype, form) for c in chosen
        ]
        lines.append(label.rjust(margin) + _line(cells, width))
    return lines


def _line(cells: list[str], width: int) -> str:
    return "".join("  …" if c == "…" else c.rjust(width) for c in cells)


def _fitting(
    flat: Array, mask: Array, rows: list[int], dtype: DType, form: str, room: int
) -> tuple[list[int], int]:
    """The columns that fit beside each other, -1 for a gap, and how wide each is."""
    count = flat.shape[1]
    wanted = _picked(count, room // 3, room // 3)
    while True:
        seen = [c for c in wanted if c >= 0]
        texts = [
            cell(flat[r, c], bool(mask[r, c]), dtype, form) for r in rows if r >= 0 for c in seen
        ]
        width = max(len(t) for t in [*texts, str(count - 1)]) + 2
        needed = len(seen) * width + (3 if len(seen) < count else 0)
        if needed <= room or len(seen) <= 2:
            return wanted, width
        edge = max(1, min(len(seen) - 1, (room - 3) // width) // 2)
        wanted = _picked(count, 0, edge)


def _picked(count: int, most: int, edge: int) -> list[int]:
    """All indices if there are few, else those at either end with -1 between them."""
    if count <= max(most, 2 * edge):
        return list(range(count))
    return [*range(edge), -1, *range(count - edge, count)]


def _label(row: int, shape: tuple[int, ...]) -> str:
    if row < 0:
        return ""
    return ",".join(str(int(n)) for n in np.unravel_index(row, shape))


def _folded(row: Array, mask: Array, dtype: DType, room: int, form: str) -> list[str]:
    """A single row in lines of equal length, each with the index it starts at."""
    margin = len(str(len(row) - 1)) + 2
    sample = _picked(len(row), 256, 128)
    texts = {n: cell(row[n], bool(mask[n]), dtype, form) for n in sample if n >= 0}
    width = max(map(len, texts.values())) + 2
    per = 1
    while per * 2 * width <= room - margin and per < len(row):
        per *= 2
    starts = list(range(0, len(row), per))
    lines = []
    for at in _picked(len(starts), ROWS, EDGE):
        if at < 0:
            lines.append("…".rjust(margin))
            continue
        start = starts[at]
        cells = [
            cell(row[n], bool(mask[n]), dtype, form)
            for n in range(start, min(start + per, len(row)))
        ]
        lines.append(str(start).rjust(margin) + _line(cells, width))
    return lines
