"""Address modifiers: how instructions move the counters of rows (RWC) and of packers (ADC).

Sources: the pages of RWCs and of the packers' address generators of the public ISA documentation of
Wormhole B0. An instruction names one of a few sets of increments in its thread's configuration.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nasm.base.problems import Refused
from nasm.targets.tensix.layouts.layout import AddrModWords
from nasm.targets.tensix.layouts.wormhole import WORMHOLE_LAYOUT
from nasm.targets.tensix.state import U16, U32, Coprocessor, RowCounters

PACKERS: Final = 2
"""The packers' place in a thread's ADCs."""
_Y, _Z = 1, 2


def apply_addr_mod(core: Coprocessor, thread: int, number: int, fidelity: bool = True) -> None:
    """Move a thread's row counters by the set of increments 0 to 3 that an instruction names.

    ADDR_MOD_SET_Base or the thread's extra bit make it one of 4 to 7. Without ``fidelity`` the
    phase stays, as loads and stores of the vector unit leave it.
    """
    own = core.threads[thread]
    at = core.layout.addr_mods
    how = increments(own.config, number, own.rows.extra_addr_mod, at)
    if at.base < 0 and (how[2] or own.config[at.more + number]):
        message = f"modifier {number} of addresses has a bias, or adds 64 rows or more"
        raise Refused("E0601", f"{message}, which is not modelled on {core.chip.title}")
    move(own.rows, how, fidelity)


def increments(
    config: U16, number: int, extra: int, at: AddrModWords = WORMHOLE_LAYOUT.addr_mods
) -> tuple[int, int, int]:
    """The increments of SrcA and SrcB, of Dst, and of the bias, of a set and the extra bit.

    Where instructions name all sets, the extra bit selects none.
    """
    index = number if at.base < 0 else number + 4 * bool(extra or config[at.base] & 1)
    ab = config[at.ab + at.ab_step * index]
    return int(ab), int(config[at.dst + index]), int(config[at.bias + index])


def move(rows: RowCounters, how: tuple[int, int, int], fidelity: bool) -> None:
    """Move row counters by the increments of a set."""
    ab, dst, bias = how
    rows.srca, rows.srca_cr = _stepped(rows.srca, rows.srca_cr, ab)
    rows.srcb, rows.srcb_cr = _stepped(rows.srcb, rows.srcb_cr, ab >> 8)
    step = dst & 0x3FF
    if dst & 0x800:
        rows.dst = rows.dst_cr = 0
    elif dst & 0x1000:
        rows.dst = rows.dst_cr = rows.dst + step & 0x3FF
    elif dst & 0x400:
        rows.dst = rows.dst_cr = rows.dst_cr + step & 0x3FF
    else:
        rows.dst = rows.dst + step & 0x3FF
    if fidelity:
        rows.fidelity = 0 if dst & 0x8000 else rows.fidelity + (dst >> 13 & 3) & 3
    if bias & 0x10:
        rows.extra_addr_mod = 0
    elif bias & 3:
        rows.extra_addr_mod ^= 1


def _stepped(row: int, cr: int, how: int) -> tuple[int, int]:
    """A counter of SrcA or SrcB and its carriage return: increment, CR in bit 6, clear in bit 7."""
    if how & 0x80:
        return 0, 0
    if how & 0x40:
        cr = cr + (how & 0x3F) & 0x3F
        return cr, cr
    return row + (how & 0x3F) & 0x3F, cr


def apply_pack_addr_mod(
    core: Coprocessor, thread: int, number: int, whose: Iterable[int], channel: int
) -> None:
    """Move the packers' Y and Z of the threads ``whose`` by a set of increments of ``thread``.

    Channel 0 is moved when the packers have read where to read from, channel 1 when they have
    read where to write to.
    """
    how = int(core.threads[thread].config[core.layout.addr_mods.pack + number])
    y, z = (how >> 6, how >> 14) if channel else (how, how >> 12)
    for owner in whose:
        _pack_step(core.threads[owner].adc[PACKERS, channel], y, z, core.chip.tiles.counters)


def _pack_step(counters: U32, y: int, z: int, widths: tuple[int, int, int, int]) -> None:
    """Y by an increment of 4 bits, CR and clear; Z by one bit and clear."""
    if y & 0x20:
        counters[_Y] = 0
    elif y & 0x10:
        counters[_Y] = int(counters[_Y, 1]) + (y & 15) & widths[_Y]
    else:
        counters[_Y, 0] = int(counters[_Y, 0]) + (y & 15) & widths[_Y]
    if z & 2:
        counters[_Z] = 0
    else:
        counters[_Z, 0] = int(counters[_Z, 0]) + (z & 1) & widths[_Z]
