"""Values of fields that mean the same in every instruction which has them, by the field's name.

Names: tt-llk's headers of Wormhole B0 (``ckernel_instr_params.h``), and the ISA documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nasm.isa.field_values import FieldValues, bits_of_mask, one_of

REGISTERS: Final = one_of(
    "",
    """
    0  - LREG0                the register LReg[0]
    1  - LREG1                the register LReg[1]
    2  - LREG2                the register LReg[2]
    3  - LREG3                the register LReg[3]
    4  - LREG4                the register LReg[4]
    5  - LREG5                the register LReg[5]
    6  - LREG6                the register LReg[6]
    7  - LREG7                the register LReg[7]
    8  - LCONST_0_8373        the constant 0.8373
    9  - LCONST_0             the constant 0
    10 - LCONST_1             the constant 1
    11 - LCONST_neg1/LREG11   a constant that programs may set, -1 at reset
    12 - LREG12               a constant that programs may set, 1/65536 at reset
    13 - LREG13               a constant that programs may set, -0.67487759 at reset
    14 - LREG14               a constant that programs may set, -0.34484843 at reset
    15 - LTILEID              integers: twice the number of each lane
    """,
    scope="p_sfpu",
)

ADDR_MODS: Final = one_of(
    "",
    """
    0 - ADDR_MOD_0             counters move by ADDR_MOD_…_SEC0, or SEC4 with the bias
    1 - ADDR_MOD_1             counters move by ADDR_MOD_…_SEC1, or SEC5 with the bias
    2 - ADDR_MOD_2             counters move by ADDR_MOD_…_SEC2, or SEC6 with the bias
    3 - ADDR_MOD_3             counters move by ADDR_MOD_…_SEC3, or SEC7 with the bias
    """,
)

BLOCKS: Final = bits_of_mask(
    "",
    """
    0x1   B0 STALL_TDMA    of the miscellaneous and scalar units, mover, packers and unpackers
    0x2   B1 STALL_SYNC          of the sync unit: posts, gets, and other waits
    0x4   B2 STALL_PACK          of the packers
    0x8   B3 STALL_UNPACK        of the unpackers
    0x10  B4 STALL_XMOV          of the mover
    0x20  B5 STALL_THCON         of the scalar unit
    0x40  B6 STALL_MATH          of the matrix unit
    0x80  B7 STALL_CFG           of the configuration unit
    0x100 B8 STALL_SFPU          of the vector unit
    0x1ff -  STALL_THREAD        every one
    """,
    scope="p_stall",
)

SEMAPHORES: Final = bits_of_mask(
    "",
    """
    0x1  - SEMAPHORE_0  semaphore 0; in tt-llk between the matrix and the vector unit
    0x2  - SEMAPHORE_1  semaphore 1; in tt-llk from math to pack
    0x4  - SEMAPHORE_2  semaphore 2; in tt-llk for unpacks to Dst
    0x8  - SEMAPHORE_3  semaphore 3; in tt-llk for operands
    0x10 - SEMAPHORE_4  semaphore 4; in tt-llk that a pack is done
    0x20 - SEMAPHORE_5  semaphore 5; in tt-llk from unpack to the RISC-V core
    0x40 - SEMAPHORE_6  semaphore 6; in tt-llk that unpack or math is done
    0x80 - SEMAPHORE_7  semaphore 7; in tt-llk that math is done
    """,
    scope="p_stall",
)

BANKS: Final = one_of(
    "",
    """
    0 - CLR_NONE  keeps both banks
    1 - CLR_A     gives the bank of SrcA back to the unpackers
    2 - CLR_B     gives the bank of SrcB back to the unpackers
    3 - CLR_AB    gives both back
    """,
    scope="p_setrwc",
)

COUNTERS: Final = bits_of_mask(
    "",
    """
    1 - UNP_A/UNP0  counters of unpacker 0
    2 - UNP_B/UNP1  counters of unpacker 1
    4 - PAC         counters of the packers
    3 - UNP_AB      those of both unpackers
    """,
    scope="p_setadc",
)

_HALVES: Final = one_of(
    "",
    """
    0 - DEST_NORM     all of a number, or the high half of 32 bits
    1 - DEST_32B_LOW  the low half of 32 bits
    """,
    scope="p_mov",
)

_ADDED: Final = one_of(
    "",
    """
    0 - DEST_ACCUM_DIS  Dst is overwritten
    1 - DEST_ACCUM_EN   the result is added to Dst
    """,
    scope="p_elwise",
)

BY_FIELD: Final[Mapping[str, FieldValues]] = {
    **dict.fromkeys(("VA", "VB", "VC", "VD"), REGISTERS),
    **dict.fromkeys(("AddrMod", "addr_mode", "sfpu_addr_mode"), ADDR_MODS),
    **dict.fromkeys(("clear_dvalid", "clear_ab_vld", "cleardvalid"), BANKS),
    "BlockMask": BLOCKS,
    "SemaphoreMask": SEMAPHORES,
    "CntSetMask": COUNTERS,
    "UseDst32bLo": _HALVES,
    "AddDst": _ADDED,
    "dest_accum_en": _ADDED,
}
"""By the name of a field in the documentation, or of an operand of the macros."""
