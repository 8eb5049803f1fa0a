"""What Blackhole does by words of other fields: clear rows of Dst, take a turn, and pack.

Sources: the public simulator of Blackhole A0, tt-llk's ``assembly.yaml`` of it, which describes the
fields of UNPACR_NOP, and the page of PACR in the ISA documentation of Blackhole A0.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from nasm.targets.tensix.matrix.control import ALL, ONE_ROW, SIXTEEN_ROWS, clear
from nasm.targets.tensix.matrix.dst import adjusted
from nasm.targets.tensix.matrix.formats import INFINITE
from nasm.targets.tensix.matrix.pack import packs
from nasm.targets.tensix.matrix.src import hand_over, unknown
from nasm.targets.tensix.matrix.unpack import Done, turned
from nasm.targets.tensix.scalar.addr_mods import apply_addr_mod
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.scalar.dst_order import follow_order
from nasm.targets.tensix.state import NO_FORMAT, Coprocessor

WIDE: Final = 4
"""The bit of a mode of ZEROACC that says that numbers have 32 bits."""


def ZEROACC(
    core: Coprocessor,
    thread: int,
    clear_mode: int,
    use_32_bit_mode: int,
    clear_zero_flags: int,
    addr_mode: int,
    where: int,
) -> None:
    """Make one row of Dst undefined, or 16, or half of them, or all.

    Blocks of 16 rows are counted from the half, or of 32 bits from the quarter, in which the thread
    computes, unless an absolute number is asked for. With ``clear_zero_flags`` such a block of 32
    bits is defined instead, with whatever it has: that is all that is known of this bit.
    """
    asked = clear_mode | use_32_bit_mode << 2
    mode, wide = asked & 3, bool(asked & WIDE)
    if asked > (WIDE | ALL) or asked == WIDE | ONE_ROW:
        raise unknown(f"ZEROACC of mode {asked}")
    if clear_zero_flags and asked != WIDE | SIXTEEN_ROWS:
        raise unknown(f"ZEROACC of mode {asked} with clear_zero_flags")
    block = where + _first_block(core, thread, wide)
    if mode in (ONE_ROW, SIXTEEN_ROWS) and follow_order(core, thread):
        raise unknown("ZEROACC of one row or 16 while rows of Dst are in another order")
    if mode == SIXTEEN_ROWS and block >= (32 if wide else 64):
        raise unknown(f"ZEROACC of block {block} of 16 rows; there are {32 if wide else 64}")
    if clear_zero_flags:
        core.matrix.defined[adjusted(16 * block + np.arange(16))] = True
    else:
        clear(core, thread, mode, where, block=block, wide=wide)
    if mode in (ONE_ROW, SIXTEEN_ROWS):
        apply_addr_mod(core, thread, addr_mode)


def _first_block(core: Coprocessor, thread: int, wide: bool) -> int:
    """The block of 16 rows from which blocks are counted."""
    if field(core, thread, "DEST_ACCESS_CFG_zeroacc_absolute_tile_mode"):
        return 0
    row = field(core, thread, "DEST_TARGET_REG_CFG_MATH_Offset") + core.threads[thread].rows.dst
    if wide:
        return 16 if row & 768 else 0
    return 32 if row & 512 else 0


CLEAR, NOTHING = 1, 2
"""What UNPACR_NOP does: it clears a bank, or takes a turn. 0 and 3 free buffers of the overlay."""
ZERO, NEGATIVE_INFINITY = 0, 1
"""What it clears a bank to. 2 is one, and 3 a number of the configuration."""


def UNPACR_NOP(
    core: Coprocessor,
    thread: int,
    Unpack_block_selection: int,
    Set_Dvalid: int,
    Clr_to1_fmt_Ctrl: int,
    Bank_Clr_Ctrl: int,
    Src_ClrVal_Ctrl: int,
    Unpack_Pop: int,
) -> Done:
    """Clear an unpacker's bank, to 0 or in SrcA to minus infinity, and perhaps hand it over."""
    unpacker, clears = Unpack_block_selection, Unpack_Pop == CLEAR
    if Unpack_Pop not in (CLEAR, NOTHING) or Clr_to1_fmt_Ctrl:
        raise unknown(f"UNPACR_NOP with Unpack_Pop {Unpack_Pop}, format {Clr_to1_fmt_Ctrl}")
    if not clears:
        return turned(core, thread, unpacker, None, both=False, valid=False)
    if Src_ClrVal_Ctrl not in (ZERO, NEGATIVE_INFINITY):
        raise unknown(f"UNPACR_NOP that clears to value {Src_ClrVal_Ctrl}; wanted 0 or 1")
    if Src_ClrVal_Ctrl and unpacker:
        raise unknown("UNPACR_NOP that makes SrcB minus infinity")
    value = INFINITE if Src_ClrVal_Ctrl else 0
    return turned(core, thread, unpacker, value, bool(Bank_Clr_Ctrl), bool(Set_Dvalid & 1))


def SETDVALID(core: Coprocessor, thread: int, FlipSrcB: int, FlipSrcA: int) -> None:
    """Hand the unpackers' banks to the matrix unit; which format each has then is not known."""
    matrix = core.matrix
    for unpacker, wanted in enumerate((FlipSrcA, FlipSrcB)):
        if wanted:
            of, bank = (
                (matrix.implied_b, matrix.unpack_b)
                if unpacker
                else (matrix.implied_a, matrix.unpack_a)
            )
            of[bank] = NO_FORMAT
            hand_over(core, thread, unpacker)()


def PACR(
    core: Coprocessor,
    thread: int,
    CfgContext: int,
    RowPadZero: int,
    DstAccessMode: int,
    AddrMode: int,
    AddrCntContext: int,
    ZeroWrite: int,
    ReadIntfSel: int,
    OvrdThreadId: int,
    Concat: int,
    CtxtCtrl: int,
    Flush: int,
    Last: int,
) -> Done:
    """Rows of Dst to L1, by the interfaces that are selected. Concat is of compressed data."""
    fields = {
        "CfgContext": CfgContext,
        "RowPadZero": RowPadZero,
        "DstAccessMode": DstAccessMode,
        "AddrCntContext": AddrCntContext,
        "ReadIntfSel": ReadIntfSel,
        "OvrdThreadId": OvrdThreadId,
        "CtxtCtrl": CtxtCtrl,
    }
    return packs(core, thread, fields, AddrMode, ZeroWrite, Flush, Last)
