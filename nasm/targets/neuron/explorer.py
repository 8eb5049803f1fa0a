"""Operands as Neuron Explorer shows them, as far as published profiles show any.

Known are the tiles of MATMUL (`src=fp32@0x1c000[1,0,0][128,1,1] dst=0x2002a00[1,0,0][128,1,1]`:
addresses, then steps and counts in elements, fastest first) and the patterns of DMA_DIRECT2D
(`src_elem_size=256 src_pattern=[256,1][128,1]`: in bytes). What no profile shows is left out, and
a name that none shows is `?`.
"""

from __future__ import annotations

from collections.abc import Callable

from nasm.isa.instruction import Row
from nasm.views.view import View

PROFILER = "Neuron Explorer"

PARTITION = 0x40000
"""Bytes from a partition of SBUF to the next."""

WINDOWS = {"sbuf": 0x0, "psum": 0x2000000}
"""Where a core sees its memories. Of PSUM only addresses in partition 0 are published."""

DTYPES = {"float32": "fp32", "float16": "fp16"}
"""The names that published profiles show."""

UNKNOWN = "?"

Axes = list[tuple[int, int]]
"""Steps in bytes and counts, fastest first."""


def opcode(row: Row) -> str:
    """Its opcode there; empty if no published page shows one."""
    return "".join(row.vendor.get(PROFILER, ())[:1])


def operands(row: Row, values: tuple[object, ...]) -> str:
    """Its operands there, as far as they are known; empty if none is."""
    known = _KNOWN.get(opcode(row))
    return known(row, values) if known is not None else ""


def profiled(row: Row, values: tuple[object, ...]) -> tuple[str, str]:
    """Both."""
    return opcode(row), operands(row, values)


def _matmul(row: Row, values: tuple[object, ...]) -> str:
    src, dst = (_view(row, values, name) for name in ("moving", "dst"))
    parts = []
    if src is not None and (text := _tile(src)):
        parts.append(f"src={DTYPES.get(src.dtype.name, UNKNOWN)}@{text}")
    if dst is not None and (text := _tile(dst)):
        parts.append(f"dst={text}")
    return " ".join(parts)


def _view(row: Row, values: tuple[object, ...], name: str) -> View | None:
    """An operand whose address is known before the run."""
    value = values[row.position[name]] if name in row.position else None
    still = isinstance(value, View) and not value.dynamic and value.offsets is None
    return value if isinstance(value, View) and still else None


def _tile(view: View) -> str:
    """``0x1c000[1,0,0][128,1,1]``; empty where an address is not published, or of four axes."""
    tensor = view.tensor
    partition = (tensor.partition or 0) + view.partition
    if len(view.dims) > 3 or tensor.memory.name not in WINDOWS:
        return ""
    if partition and tensor.memory.name != "sbuf":
        return ""
    at = WINDOWS[tensor.memory.name] + partition * PARTITION + (tensor.offset or 0) + view.offset
    axes = list(reversed(view.dims)) or [(1, 1)]
    steps, counts = [step for step, _ in axes], [count for _, count in axes]
    steps += [0] * (3 - len(steps))
    counts += [1] * (3 - len(counts))
    return f"{at:#x}{_listed(steps)}{_listed(counts)}"


def _listed(numbers: list[int]) -> str:
    return f"[{','.join(map(str, numbers))}]"


def _copy(row: Row, values: tuple[object, ...]) -> str:
    src, dst = (_view(row, values, name) for name in ("src", "dst"))
    if src is None or dst is None or src.dtype is not dst.dtype:
        return ""
    axes = _axes(src), _axes(dst)
    if axes[0] is None or axes[1] is None:
        return ""
    size = src.dtype.itemsize
    run = min(_run(axes[0], size), _run(axes[1], size))
    patterns = [_pattern(each, size, run) for each in axes if each is not None]
    if not all(patterns):
        return ""
    text = f"src_elem_size={run} dst_elem_size={run}"
    return f"{text} src_pattern={patterns[0]} dst_pattern={patterns[1]}"


def _axes(view: View) -> Axes | None:
    """The axes of one side of a transfer; None where a step is not published."""
    axes = [(step * view.dtype.itemsize, count) for step, count in reversed(view.dims)]
    if view.partitioned and view.partitions > 1:
        if view.tensor.memory.name != "sbuf":
            return None
        axes.append((view.steps[0] * PARTITION, view.partitions))
    return axes


def _run(axes: Axes, size: int) -> int:
    """Bytes that follow each other."""
    return axes[0][1] * size if axes and axes[0][0] == size else size


def _pattern(axes: Axes, size: int, run: int) -> str:
    """Steps and counts of elements of so many bytes; empty if it takes more than two axes."""
    own = _run(axes, size)
    if own % run:
        return ""
    rest = axes[1:] if own > size else axes
    if own > run:
        rest = [(run, own // run), *rest]
    if len(rest) > 2:
        return ""
    filled = [*rest, *[(1, 1)] * (2 - len(rest))]
    return _listed([step for step, _ in filled]) + _listed([count for _, count in filled])


_KNOWN: dict[str, Callable[[Row, tuple[object, ...]], str]] = {
    "MATMUL": _matmul,
    "DMA_DIRECT2D": _copy,
}
