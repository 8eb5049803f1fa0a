"""Rows of Dst: 1024 of 16 bits, or 512 of 32 bits over the same storage (Dst.md).

A row of 32 bits has its high halves in one row of 16 bits and its low halves eight rows below. Who
writes a row defines it; clearing it undoes that. The matrix unit and the packers read an undefined
row as a number that changes nothing, which is given here as ``undefined``.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix.formats import U32, u32
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.state import U16, Bools, Coprocessor, Matrix

LOW_HALF = 8
"""Rows from the high halves of 32 bits to their low halves."""

Rows = NDArray[np.int64]


def adjusted(row: Any) -> Rows:
    """The row of 16 bits that has the high halves of a row of 32 bits, of arrays of rows too."""
    row = np.asarray(row)
    high: Rows = (row & 0x1F8) << 1 | row & 0x207
    return high


MOVED: Final = "DEST_ACCESS_CFG_remap_addrs", "DEST_ACCESS_CFG_swizzle_32b"
"""Fields that put rows in another order, on generations that have them."""


def check_order(core: Coprocessor, thread: int) -> None:
    """Refuse rows of Dst in another order, which nothing here follows."""
    for name in MOVED:
        if name in core.layout.fields and field(core, thread, name):
            raise Refused(
                "E0601",
                f"{name} puts rows of Dst in another order, which is not modelled on "
                f"{core.chip.title}",
                f"leave {name} at 0",
            )


def read16(m: Matrix, rows: Any, undefined: int = 0) -> U32:
    """Rows as 16 bits: (rows, 16); ``undefined`` in those that nothing wrote."""
    held: U32 = m.dst[rows].astype(np.uint32)
    held[~m.defined[rows]] = undefined
    return held


def read32(m: Matrix, rows: Any, undefined: int = 0) -> U32:
    """Rows as 32 bits: (rows, 16); ``undefined`` in those whose high halves nothing wrote."""
    high = adjusted(rows)
    held = u32(m.dst[high].astype(np.uint32) << 16 | m.dst[high + LOW_HALF])
    held[~m.defined[high]] = undefined
    return held


def read(m: Matrix, rows: Any, wide: bool, undefined: int = 0) -> U32:
    """Rows as they are stored, 32 bits where ``wide``, else 16."""
    return read32(m, rows, undefined) if wide else read16(m, rows, undefined)


def write(m: Matrix, rows: Any, values: Any, wide: bool) -> None:
    """Put values (rows, 16) into rows, which are defined then."""
    if not wide:
        m.dst[rows] = values
        m.defined[rows] = True
        return
    values, high = u32(values), adjusted(rows)
    m.dst[high], m.dst[high + LOW_HALF] = values >> 16, values & 0xFFFF
    m.defined[high] = m.defined[high + LOW_HALF] = True


def write_columns(m: Matrix, rows: Any, columns: Any, values: Any, wide: bool) -> None:
    """Put values at pairs of a row and a column; arrays of one shape. The rows are defined then."""
    if not wide:
        m.dst[rows, columns] = values
        m.defined[rows] = True
        return
    values, high = u32(values), adjusted(rows)
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
        rows = adjusted(rows)
        m.defined[rows + LOW_HALF] = False
    m.defined[rows] = False
