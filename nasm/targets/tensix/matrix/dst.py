"""Rows of Dst: 1024 of 16 bits, or 512 of 32 bits over the same storage (Dst.md).

A row of 32 bits has its high halves in one row of 16 bits and its low halves eight rows below; on
Blackhole ``Matrix.order`` says where rows are. Who
writes a row defines it; clearing it undoes that. The matrix unit and the packers read an undefined
row as a number that changes nothing, which is given here as ``undefined``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.matrix.formats import U32, u32
from nasm.targets.tensix.scalar.dst_order import placed16, placed32
from nasm.targets.tensix.state import U16, Bools, Matrix

LOW_HALF = 8
"""Rows from the high halves of 32 bits to their low halves."""

Rows = NDArray[np.int64]


def adjusted(row: Any, order: int = 0) -> Rows:
    """The row of storage that has the high halves of a row of 32 bits, of arrays of rows too."""
    high: Rows = placed32(np.asarray(row), order)
    return high


def read16(m: Matrix, rows: Any, undefined: int = 0) -> U32:
    """Rows as 16 bits: (rows, 16); ``undefined`` in those that nothing wrote."""
    rows = placed16(rows, m.order)
    held: U32 = m.dst[rows].astype(np.uint32)
    held[~m.defined[rows]] = undefined
    return held


def read32(m: Matrix, rows: Any, undefined: int = 0) -> U32:
    """Rows as 32 bits: (rows, 16); ``undefined`` in those whose high halves nothing wrote."""
    high = adjusted(rows, m.order)
    held = u32(m.dst[high].astype(np.uint32) << 16 | m.dst[high + LOW_HALF])
    held[~m.defined[high]] = undefined
    return held


def read(m: Matrix, rows: Any, wide: bool, undefined: int = 0) -> U32:
    """Rows as they are stored, 32 bits where ``wide``, else 16."""
    return read32(m, rows, undefined) if wide else read16(m, rows, undefined)


def write(m: Matrix, rows: Any, values: Any, wide: bool) -> None:
    """Put values (rows, 16) into rows, which are defined then."""
    if not wide:
        rows = placed16(rows, m.order)
        m.dst[rows] = values
        m.defined[rows] = True
        return
    values, high = u32(values), adjusted(rows, m.order)
    m.dst[high], m.dst[high + LOW_HALF] = values >> 16, values & 0xFFFF
    m.defined[high] = m.defined[high + LOW_HALF] = True


def write_columns(m: Matrix, rows: Any, columns: Any, values: Any, wide: bool) -> None:
    """Put values at pairs of a row and a column; arrays of one shape. The rows are defined then."""
    if not wide:
        rows = placed16(rows, m.order)
        m.dst[rows, columns] = values
        m.defined[rows] = True
        return
    values, high = u32(values), adjusted(rows, m.order)
    m.dst[high, columns], m.dst[high + LOW_HALF, columns] = values >> 16, values & 0xFFFF
    m.defined[high] = m.defined[high + LOW_HALF] = True


def read_blocks(m: Matrix, blocks: Rows, wide: bool) -> tuple[U16, U16]:
    """Aligned blocks of 8 rows of 16 bits, (blocks, 8, 16), and where ``wide`` their low halves.

    0 in rows that nothing wrote. If not ``wide``, both are the same.
    """
    held, defined = m.dst.reshape(-1, 8, 16), m.defined.reshape(-1, 8).take(blocks, axis=0)
    high = held.take(blocks, axis=0)
    low = held.take(blocks + 1, axis=0) if wide else high
    if not defined.all():
        high[~defined] = 0
        low[~defined] = 0
    return high, low


def write_blocks(
    m: Matrix, blocks: Rows, high: U16, low: U16, wide: bool, kept: Bools | None
) -> None:
    """Put what ``read_blocks`` reads into blocks, or only into those rows of them that are kept."""
    for first, values in ((blocks, high), (blocks + 1, low))[: 1 + wide]:
        if kept is None:
            m.dst.reshape(-1, 8, 16)[first] = values
            m.defined.reshape(-1, 8)[first] = True
        else:
            rows = (8 * first[:, None] + np.arange(8))[kept]
            m.dst[rows] = values[kept]
            m.defined[rows] = True


def undefine(m: Matrix, rows: Any, wide: bool) -> None:
    """Forget that rows were written."""
    if wide:
        rows = adjusted(rows, m.order)
        m.defined[rows + LOW_HALF] = False
    else:
        rows = placed16(rows, m.order)
    m.defined[rows] = False
