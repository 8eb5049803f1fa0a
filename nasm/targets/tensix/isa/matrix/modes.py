"""The modes of the matrix unit's instructions, which their rows name.

Names: the ISA documentation of Wormhole B0, and tt-llk's headers.
"""

from typing import Final

from nasm.isa.field_values import bits_of_mask, one_of

POOLED: Final = one_of(
    "",
    """
    0 - DIM_1X16   what it means no public source says
    1 - DIM_16X16  what tt-llk uses
    """,
    scope="p_gpool",
)

INDEXED: Final = one_of(
    "",
    """
    0 - INDEX_DIS  the largest element alone
    1 - INDEX_EN   in which row it was, too
    """,
    scope="p_gpool",
)

BROADCASTS: Final = one_of(
    "",
    """
    0 - SRCB_NO_BCAST   eight rows of SrcB
    1 - SRCB_BCAST_COL  column 0 of SrcB for all columns
    2 - SRCB_BCAST_ROW  one row of SrcB for all rows
    3 - SRCB_BCAST_ALL  one element of SrcB for all
    """,
    scope="p_elwise",
)

ONE_OR_EIGHT: Final = one_of(
    "",
    """
    0 - MOV_1_ROW/MATH_HALO_ROWS  one row
    2 - MOV_8_ROWS                eight rows
    """,
    scope="p_mova2d",
)

ONE_OR_FOUR: Final = one_of(
    "",
    """
    0 - MOV_1_ROW   one row
    2 - MOV_4_ROWS  four rows
    """,
    scope="p_movd2a",
)

FOUR: Final = one_of(
    "",
    """
    2 - MOV_4_ROWS  four rows
    """,
    scope="p_movb2a",
)

BROADCAST_ROWS: Final = one_of(
    "",
    """
    0 - MOV_1_ROW                  one row
    1 - MOV_1_ROW_D0_BRCST         column 0 of one row, in all columns
    2 - MOV_8_ROW_BRCST            one row, to eight
    3 - MOV_8_ROW_BRCST_D0_BRCST   one element, to eight rows
    4 - MOV_4_ROWS                 four rows
    5 - MOV_4_ROWS_D0_BRCST        column 0 of four rows, in all columns
    """,
    scope="p_movb2d",
)

DIRECTIONS: Final = one_of(
    "DIRECTION_",
    """
    2 RIGHT RIGHT_AWAY0   to the next column; a 0 comes into column 0
    3 LEFT  LEFT_TOWARD0  to the column before; a 0 comes into column 15
    """,
    scope="p_shiftx",
)

CLEARED: Final = one_of(
    "ZEROACC_MODE_",
    """
    0 ONE_ROW     - one row
    1 16_ROWS     - sixteen rows; Imm10 is the number of the block
    2 HALF_OF_DST - half of Dst; bit 0 of Imm10 says which
    3 ALL_OF_DST  - all of Dst
    """,
)

CLEARED_BITS: Final = one_of(
    "",
    """
    0 - CLR_SPECIFIC  one row
    1 - CLR_16        sixteen rows; dst is the number of the block
    2 - CLR_HALF      half of Dst; bit 0 of dst says which
    3 - CLR_ALL       all of Dst
    6 - CLR_HALF_32B  half of Dst, in numbers of 32 bits
    7 - CLR_ALL_32B   all of Dst, in numbers of 32 bits
    """,
    scope="p_zeroacc",
)

SOURCES: Final = one_of(
    "",
    """
    1 - CLR_A   SrcA
    2 - CLR_B   SrcB
    3 - CLR_AB  both
    """,
    scope="p_zerosrc",
)

RETURNS: Final = bits_of_mask(
    "",
    """
    1 - CR_A          SrcA from its carriage return
    2 - CR_B          SrcB from its carriage return
    4 - CR_D          Dst from its carriage return
    8 - C_TO_CR_MODE  Dst from its counter
    3 - CR_AB         both SrcA and SrcB
    5 - CR_AD         SrcA and Dst
    6 - CR_BD         SrcB and Dst
    7 - CR_ABD        all three
    """,
    scope="p_setrwc",
)

SET_COUNTERS: Final = one_of(
    "",
    """
    1  - SET_A      sets the counter of SrcA
    2  - SET_B      sets the counter of SrcB
    3  - SET_AB     sets both
    4  - SET_D      sets the counter of Dst
    5  - SET_AD     sets SrcA and Dst
    6  - SET_BD     sets SrcB and Dst
    7  - SET_ABD    sets all three
    8  - SET_F      fidelity phase = 0
    9  - SET_A_F    that, and sets SrcA
    10 - SET_B_F    that, and sets SrcB
    11 - SET_AB_F   that, and sets SrcA and SrcB
    12 - SET_D_F    that, and sets Dst
    13 - SET_AD_F   that, and sets SrcA and Dst
    14 - SET_BD_F   that, and sets SrcB and Dst
    15 - SET_ABD_F  that, and sets all three
    """,
    scope="p_setrwc",
)

STEPPED_RETURNS: Final = bits_of_mask(
    "",
    """
    1 - CR_A    SrcA from its carriage return
    2 - CR_B    SrcB from its carriage return
    4 - CR_D    Dst from its carriage return
    3 - CR_AB   both SrcA and SrcB
    5 - CR_AD   SrcA and Dst
    6 - CR_BD   SrcB and Dst
    7 - CR_ABD  all three
    """,
    scope="p_setrwc",
)
