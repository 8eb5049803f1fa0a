"""Where rows of Dst are in its storage, which the configuration of Blackhole can change.

Source: Dst.md of the ISA documentation of Blackhole A0, whose two functions these are. Rows of 16
bits can change places, and rows of 32 bits besides, so that the packer finds rows 16 apart at once.
"""

from __future__ import annotations

from typing import Any, Final

from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.state import Coprocessor

REMAPPED, SWIZZLED = 1, 2
"""What of ``Matrix.order`` is set: rows have other places; those of 32 bits have yet others."""
BOTH: Final = REMAPPED | SWIZZLED

_FIELDS: Final = ("DEST_ACCESS_CFG_remap_addrs", "DEST_ACCESS_CFG_swizzle_32b")


def follow_order(core: Coprocessor, thread: int = 0) -> int:
    """Note where rows are now, on generations that can change it, as ``Matrix.order``."""
    if core.layout.dst.ordered:
        remapped, swizzled = (field(core, thread, name) for name in _FIELDS)
        core.matrix.order = remapped * REMAPPED | swizzled * SWIZZLED
    return core.matrix.order


def placed16(row: Any, order: int) -> Any:
    """Where a row of 16 bits is, or an array of rows: bits 3, 4 and 5 change places."""
    if not order & REMAPPED:
        return row
    return row & 0x3C7 | (row & 0x30) >> 1 | (row & 8) << 2


def placed32(row: Any, order: int) -> Any:
    """Where the high halves of a row of 32 bits are; the low ones are eight rows below."""
    row = placed16(row, order)
    if order & SWIZZLED:
        row = row & 0x3F3 ^ (row & 0x18) >> 1 ^ (row & 4) << 1
    return (row & 0x1F8) << 1 | row & 0x207
