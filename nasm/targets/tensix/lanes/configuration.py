"""What configures lanes and macros, and moves between registers: SFPCONFIG, SFPMOV, SFPNOP."""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.lanes.randoms import advance
from nasm.targets.tensix.lanes.unit import Words, assign, lanes, put
from nasm.targets.tensix.state import COLUMNS, LANES, Bools, Coprocessor, Vector

_IS_VALUE = 1
_IS_LANE_MASK = 8
_DEFAULTS = {11: 0xBF800000, 12: 0x37800000, 13: 0xBF2CC4C7, 14: 0xBEB08FF9}
_MISC, _RANDOM, _LANE_CONFIG = 8, 9, 15
_SIGN = np.uint32(0x80000000)


def SFPCONFIG(core: Coprocessor, thread: int, Imm16: int, VD: int, Mod1: int = 0) -> None:
    """Configure VD from the first row of L0; with Mod1 1 from Imm16. It holds for all four rows.

    VD 0 to 3 are templates, always from L0, 4 to 7 sequences, 8 what else macros need, 11 to 14
    these registers, which 1 gives their defaults, 15 LaneConfig. Mod1 2, 4 and 6 combine the last
    two kinds by or, and, xor. 8: only columns i of which bit 2i of Imm16 is set. Flags of the first
    row decide for a column.
    """
    vector = core.vector
    where = _columns(vector, Imm16 if Mod1 & _IS_LANE_MASK else 0x5555)
    value = vector.registers[0][:COLUMNS].copy()
    if VD < 4:
        assign(vector.templates[VD], value, where)
        return
    if Mod1 & _IS_VALUE:
        value[...] = _DEFAULTS.get(VD, Imm16)
    if VD < _MISC:
        assign(vector.sequences[VD - 4], value, where)
    elif VD == _MISC:
        assign(vector.macro_misc, _combined(vector.macro_misc, value, Mod1) & 0xFFF, where)
    elif VD in _DEFAULTS:
        rows = LANES // COLUMNS
        assign(vector.registers[VD], np.tile(value, rows), np.tile(where, rows))
    elif VD == _LANE_CONFIG:
        old = vector.lane_config
        new = _combined(old, value, Mod1) & 0x3FFFF
        assign(old, new | old & 0x30000 if Mod1 & _IS_VALUE else new, where)


def _columns(vector: Vector, mask: int) -> Bools:
    """Columns of which the first row's flags allow it, and bit 2i of a mask is set."""
    allowed = ~vector.uses_flag[:COLUMNS] | vector.flag[:COLUMNS]
    chosen: Bools = mask >> 2 * np.arange(COLUMNS) & 1 != 0
    return allowed & chosen


def _combined(old: Words, value: Words, Mod1: int) -> Words:
    kind = Mod1 & 6
    if kind == 2:
        return old | value
    if kind == 4:
        return old & value
    return old ^ value if kind == 6 else value


def SFPMOV(core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """VD = VC; of Mod1 1: with its sign inverted, 2: in all lanes, 8: from what VC configures.

    With 8, VC is what VD is of SFPCONFIG: 0 to 7 of macros, 8 their rest, 15 LaneConfig; but 9 is
    the random numbers, which continue, and all others are 0.
    """
    vector = core.vector
    where = None if Mod1 == 2 else lanes(vector)
    if Mod1 & 8:
        put(vector, VD, _special(vector, VC, where), where)
    else:
        c = vector.registers[VC]
        put(vector, VD, c ^ _SIGN if Mod1 & 1 else c, where)


def _special(vector: Vector, VC: int, where: Bools | None) -> Words:
    if VC == _RANDOM:
        return advance(vector, where)
    if VC < 4:
        held = vector.templates[VC]
    elif VC < _MISC:
        held = vector.sequences[VC - 4]
    elif VC == _MISC:
        held = vector.macro_misc
    elif VC == _LANE_CONFIG:
        held = vector.lane_config
    else:
        held = np.zeros(COLUMNS, np.uint32)
    return np.tile(held, LANES // COLUMNS)


def SFPNOP(core: Coprocessor, thread: int) -> None:
    """Nothing."""
