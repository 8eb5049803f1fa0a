"""Stores to SrcA and SrcB: four BF16 of two general registers.

Source: its page in the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.held import Blocked
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.scalar.gprs import halves, quad
from nasm.targets.tensix.scalar.memory import stepped_offset
from nasm.targets.tensix.scalar.unit import release
from nasm.targets.tensix.state import U32, UNPACKERS, Coprocessor
from nasm.targets.tensix.waiting import SRC


def waits_for_bank(core: Coprocessor, StoreToSrcB: int) -> Blocked | None:
    """What keeps the store from going on: a bank that the unpackers have given away."""
    m = core.matrix
    name, owners, bank = (
        ("SrcB", m.owner_b, m.unpack_b) if StoreToSrcB else ("SrcA", m.owner_a, m.unpack_a)
    )
    if owners[bank] == UNPACKERS:
        return None
    return Blocked("src", f"bank {bank} of {name} belongs to the matrix unit", on=(SRC,))


def STOREIND_Src(
    core: Coprocessor,
    thread: int,
    StoreToSrcB: int,
    OffsetHalfReg: int,
    OffsetIncrement: int,
    DataReg: int,
    AddrReg: int,
) -> None:
    """Write four elements of a row of the unpackers' bank; raises Refused outside of its rows.

    The address counts groups of four. The low halves of the registers are in the order of Dst,
    with the exponent lowest; the high halves are plain BF16. Row 4 of the address is row 0 of
    SrcA: what goes to rows 0 to 3 is lost.
    """
    m, own = core.matrix, core.threads[thread]
    datums = _datums(quad(core, thread, DataReg)[:2])
    base = int(own.registers[AddrReg])
    address = base + (int(halves(core, thread)[OffsetHalfReg]) >> 4) & 0xFFFFF
    column, row = 4 * (address & 3), address >> 2
    if StoreToSrcB:
        _row(row, 16, "SrcB")
        row += own.src_row[1]
        m.srcb[m.unpack_b, row, column : column + 4] = datums
    elif row >= 4:
        row -= 4
        if field(core, thread, "SRCA_SET_SetOvrdWithAddr"):
            _row(row, 64, "SrcA")
        else:
            _row(row, 16, "SrcA")
            row += own.src_row[0]
        m.srca[m.unpack_a, row, column : column + 4] = datums
    stepped_offset(core, thread, OffsetHalfReg, OffsetIncrement)
    release(core, thread)


def _row(row: int, rows: int, source: str) -> None:
    if row >= rows:
        raise Refused(
            "E0701", f"STOREIND to row {row} of {source}; rows 0 to {rows - 1} are documented"
        )


def _datums(words: U32) -> U32:
    """Four elements of 19 bits: sign, 10 of mantissa, 8 of exponent."""
    low = (words & 0x8000) << 3 | (words & 0x7F00) << 3 | words & 0xFF
    high = words >> 31 << 18 | (words >> 16 & 0x7F) << 11 | words >> 23 & 0xFF
    return np.stack((low, high), axis=-1).reshape(4)
