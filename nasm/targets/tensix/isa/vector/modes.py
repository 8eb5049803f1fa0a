"""The modes of the vector unit's instructions, which their rows name.

Names: the ISA documentation of Wormhole B0, and tt-llk's headers.
"""

from typing import Final

from nasm.isa.field_values import bits_of_mask, one_of

LOADED: Final = one_of(
    "MOD0_FMT_",
    """
    0  SRCB       DEFAULT        FP32 with SFPU_Fp32_enabled, else by SrcB's format BF16 or FP16
    1  FP16       FP16A          FP16 in Dst, FP32 in the register
    2  BF16       FP16B          BF16 in Dst, FP32 in the register
    3  FP32       FP32           FP32
    4  INT32      INT32          32 bits as they are
    5  INT8       INT8           sign and magnitude; 10 bits of it in Dst
    6  UINT16     LO16           16 bits in Dst, an unsigned integer in the register
    7  HI16       HI16           16 bits in Dst, the high half of the register
    8  INT16      -              sign and magnitude; 15 bits of it in Dst
    9  LO16       -              16 bits in Dst, the low half of the register, and 0 in the other
    10 INT32_ALL  -              as INT32, of all lanes whether they execute or not
    11 ZERO       -              0
    12 INT32_SM   INT32_2S_COMP  sign and magnitude in Dst, two's complement in the register
    13 INT8_COMP  INT8_2S_COMP   as INT8, with two's complement in the register
    14 LO16_ONLY  LO16_ONLY      16 bits in Dst, the low half of the register; the other half stays
    15 HI16_ONLY  HI16_ONLY      16 bits in Dst, the high half of the register; the other half stays
    """,
    scope="InstrModLoadStore",
)

STORED: Final = one_of(
    "MOD0_FMT_",
    """
    0  SRCB       DEFAULT        FP32 with SFPU_Fp32_enabled, else by SrcB's format BF16 or FP16
    1  FP16       FP16A          FP32 in the register is cut to FP16
    2  BF16       FP16B          FP32 in the register is cut to BF16
    3  FP32       FP32           FP32
    4  INT32      INT32          32 bits as they are
    5  INT8       INT8           sign and magnitude in the register, 10 bits of magnitude in Dst
    6  UINT16     LO16           the low half of the register, to 16 bits
    7  HI16       HI16           the register, to 32 bits as they are stored
    8  INT16      -              sign and 15 bits of magnitude
    9  LO16       -              the register with its halves swapped, to 32 bits as they are stored
    10 INT32_ALL  -              as INT32, of all lanes whether they execute or not
    11 ZERO       -              0
    12 INT32_SM   INT32_2S_COMP  two's complement in the register, sign and magnitude in Dst
    13 INT8_COMP  INT8_2S_COMP   two's complement in the register, as INT8 in Dst
    14 LO16_ONLY  LO16_ONLY      the low half of the register, to 16 bits
    15 HI16_ONLY  HI16_ONLY      the high half of the register, to 16 bits
    """,
    scope="InstrModLoadStore",
)

IMMEDIATES: Final = one_of(
    "SFPLOADI_MOD0_",
    """
    0  FLOATB -  VD = Imm16 << 16: a BF16 number, or the high half with 0 below
    1  FLOATA -  VD = Imm16 as FP16, all of whose exponents are ordinary
    2  USHORT -  VD = Imm16, an unsigned integer
    4  SHORT  -  VD = Imm16, an integer with a sign
    8  UPPER  -  the high half of VD = Imm16; the low half stays
    10 LOWER  -  the low half of VD = Imm16; the high half stays
    """,
)

SMALL_TABLES: Final = bits_of_mask(
    "SFPLUT_MOD0_",
    """
    0 -           -  the sign is that of the sum
    4 SGN_RETAIN  -  the sign of VD is that of LReg[3]
    8 INDIRECT_VD -  VD is the register that the low four bits of LReg[7] name, lane by lane
    """,
)

LARGE_TABLES: Final = bits_of_mask(
    "SFPLUTFP32_MOD1_",
    """
    0  FP32_3ENTRY_TABLE  -  A is LReg[0], [1] or [2], C LReg[4], [5] or [6]: cut at 1 and 2
    2  FP16_6ENTRY_TABLE1 -  cut at 0.5, 1, 1.5, 2, 3: A, C low half of [0], [4], high, low of [1]
    3  FP16_6ENTRY_TABLE2 -  the same, cut at 0.5, 1, 1.5, 2 and 4
    10 FP16_3ENTRY_TABLE  -  cut at 1 and 2: A, C high and low half of [0], [1], [2]; VD as of 8
    4  SGN_RETAIN         -  the sign of VD is that of LReg[3]
    8  INDIRECT_VD        -  VD is the register that the low four bits of LReg[7] name, lane by lane
    """,
)

INDIRECT: Final = bits_of_mask(
    "SFPMAD_MOD1_",
    """
    0 -           -  registers as the fields say
    4 INDIRECT_VA -  VA is the register that the low four bits of LReg[7] name, lane by lane
    8 INDIRECT_VD -  VD is the register that the low four bits of LReg[7] name, lane by lane
    """,
)

SCALES: Final = one_of(
    "SFPDIVP2_MOD1_",
    """
    0 -   -  the exponent field of VD = Imm8, the rest is VC's
    1 ADD -  VD = VC * 2**Imm8, with Imm8 modulo 256; infinities and NaN stay
    """,
)

EXPONENTS: Final = bits_of_mask(
    "SFPEXEXP_MOD1_",
    """
    0 -               -  VD = the exponent field - 127
    1 NODEBIAS        -  VD = the exponent field
    2 SET_CC_SGN_EXP  -  the flag of a lane = VD < 0
    8 SET_CC_COMP_EXP -  the flag of a lane is inverted then
    """,
)

MANTISSAS: Final = one_of(
    "SFPEXMAN_MOD1_",
    """
    0 -    -  VD = 2**23 + the mantissa field
    1 PAD9 -  VD = the mantissa field
    """,
)

NEW_EXPONENTS: Final = one_of(
    "SFPSETEXP_MOD1_",
    """
    0 -            -  the exponent field is the low eight bits of VD
    1 ARG_IMM      -  the exponent field is Imm8
    2 ARG_EXPONENT -  the exponent field is that of VD
    """,
)

NEW_MANTISSAS: Final = one_of(
    "SFPSETMAN_MOD1_",
    """
    0 -       -  the mantissa is the low 23 bits of VD
    1 ARG_IMM -  the mantissa is Imm12 << 11
    """,
)

NEW_SIGNS: Final = one_of(
    "SFPSETSGN_MOD1_",
    """
    0 -       -  the sign is that of VD
    1 ARG_IMM -  the sign is Imm1
    """,
)

ROUNDED: Final = one_of(
    "SFPSTOCHRND_MOD1_",
    """
    0 FP32_TO_FP16A   -  FP32 to 10 bits of mantissa, as FP16 and TF32 have; the exponent stays wide
    1 FP32_TO_FP16B   -  FP32 to 7 bits of mantissa, as BF16 has
    2 FP32_TO_UINT8   -  FP32 to an integer from 0 to 255
    3 FP32_TO_INT8    -  FP32 to an integer from -127 to 127, in sign and magnitude
    4 INT32_TO_UINT8  -  an integer, shifted right by VB or Imm5, to one from 0 to 255
    5 INT32_TO_INT8   -  an integer, shifted right by VB or Imm5, to one from -127 to 127
    6 FP32_TO_UINT16  -  FP32 to an integer from 0 to 65535
    7 FP32_TO_INT16   -  FP32 to an integer from -32767 to 32767, in sign and magnitude
    """,
)

ROUNDINGS: Final = one_of(
    "SFPSTOCHRND_",
    """
    0 -         -  to the nearest, halves away from zero
    1 RND_STOCH -  up with the probability of what is cut off
    """,
)

CASTS: Final = one_of(
    "SFPCAST_MOD1_",
    """
    0 -         -  rounded to the nearest, ties to even
    1 RND_STOCH -  rounded at random
    """,
)

ADDED: Final = bits_of_mask(
    "SFPIADD_MOD1_",
    """
    0 ARG_LREG_DST        -  VD = VC + VD
    1 ARG_IMM             -  VD = VC + Imm12
    2 ARG_2SCOMP_LREG_DST -  VD = VC - VD
    0 CC_LT0              -  the flag of a lane = VD < 0
    4 CC_NONE             -  flags stay
    8 CC_GTE0             -  the flag of a lane is inverted then
    """,
)

SHIFTED_BY: Final = one_of(
    "SFPSHFT_MOD1_",
    """
    0 -       -  by VC
    1 ARG_IMM -  by Imm12
    """,
)

MAGNITUDES: Final = one_of(
    "SFPABS_MOD1_",
    """
    0 -     -  of an integer in two's complement
    1 FLOAT -  of a float
    """,
)

ZEROS: Final = bits_of_mask(
    "SFPLZ_MOD1_",
    """
    0 -           -  of all 32 bits
    2 CC_NE0      -  the flag of a lane = VC != 0
    4 NOSGN_MASK  -  the sign bit is taken for 0
    8 CC_COMP     -  the flag of a lane is inverted then
    """,
)

COMPARED: Final = one_of(
    "SFPSETCC_MOD1_",
    """
    0 LREG_LT0  -  flag = VC < 0, by the sign bit
    1 IMM_BIT0  -  flag = Imm1
    2 LREG_NE0  -  flag = VC != 0, by all bits
    4 LREG_GTE0 -  flag = VC >= 0, by the sign bit
    6 LREG_EQ0  -  flag = VC == 0, by all bits
    8 CLEAR     -  flag = 0
    """,
)

POPPED: Final = one_of(
    "",
    """
    0  - -  pops both
    1  - -  flag = top
    2  - -  flag = not top
    3  - -  flag = flag and top
    4  - -  flag = flag or top
    5  - -  flag = flag and not top
    6  - -  flag = flag or not top
    7  - -  flag = not flag and top
    8  - -  flag = not flag or top
    9  - -  flag = not flag and not top
    10 - -  flag = not flag or not top
    11 - -  flag = flag != top
    12 - -  flag = flag == top
    13 - -  flag = not flag
    14 - -  lanes use their flags, which are 1
    15 - -  lanes use their flags, which are 0
    """,
)

PREDICATED: Final = bits_of_mask(
    "SFPENCC_MOD1_",
    """
    0 EU_R1 -  whether lanes use flags stays; flag = 1
    1 EC    -  lanes use flags if they did not, and the other way round; flag = 1
    2 EI    -  lanes use flags if bit 0 of Imm2 is 1; flag = 1
    8 RI    -  flag = bit 1 of Imm2, in place of 1
    """,
)

MOVED: Final = one_of(
    "SFPMOV_MOD1_",
    """
    0 -                 -  VD = VC
    1 NEGATE            -  VD = VC with the other sign bit
    2 ALL_LANES_ENABLED -  VD = VC in all lanes, whether they execute or not
    8 FROM_SPECIAL      -  VD = templates 0-3, sequences 4-7, misc 8, random 9, LaneConfig 15
    """,
)

SWAPPED: Final = one_of(
    "SFPSWAP_MOD1_",
    """
    0 SWAP               UNCONDITIONALLY      VD, VC = VC, VD
    1 VEC_MIN_MAX        ALL_ROWS_MAX         VD = min(VD, VC), VC = max(VD, VC)
    2 SUBVEC_MIN01_MAX23 ROWS_01_MAX          VD = min in rows 0 and 1, max in 2 and 3; VC the other
    3 SUBVEC_MIN02_MAX13 ROWS_02_MAX          VD = min in rows 0 and 2, max in 1 and 3; VC the other
    4 SUBVEC_MIN03_MAX12 ROWS_03_MAX          VD = min in rows 0 and 3, max in 1 and 2; VC the other
    5 SUBVEC_MIN0_MAX123 ROW_0_MAX/ROW_2_MAX  VD = min in row 0, max in the others; VC the other
    6 SUBVEC_MIN1_MAX023 ROW_1_MAX/ROW_3_MAX  VD = min in row 1, max in the others; VC the other
    7 SUBVEC_MIN2_MAX013 -                    VD = min in row 2, max in the others; VC the other
    8 SUBVEC_MIN3_MAX012 -                    VD = min in row 3, max in the others; VC the other
    """,
    scope="p_sfpswap",
)

LANES_SHIFTED: Final = one_of(
    "SFPSHFT2_MOD1_",
    """
    0 COPY4                    -  LReg[0..3] = LReg[1], LReg[2], LReg[3], 0
    1 SUBVEC_CHAINED_COPY4     -  the same, and LReg[3] = the old LReg[0] moved up by a row
    2 SUBVEC_SHFLROR1_AND_COPY4 -  LReg[0..2] = LReg[1..3], LReg[3] = VC rotated by a lane
    3 SUBVEC_SHFLROR1          -  VD = VC rotated right by a lane within each row
    4 SUBVEC_SHFLSHR1          -  VD = VC shifted right by a lane within each row
    5 SHFT_LREG                -  VD = VB shifted by VC: to the left, or by -n right
    6 SHFT_IMM                 -  VD = the register that Imm12 names, shifted by Imm12
    """,
)

CONFIGURED: Final = bits_of_mask(
    "MOD1_",
    """
    0 -                 -  the value is LReg[0]
    1 IMM16_IS_VALUE    -  the value is Imm16; of VD 11 to 14 what they are at reset
    2 BITWISE_OR        -  LaneConfig, or the macro settings, or the value
    4 BITWISE_AND       -  the same and the value
    6 BITWISE_XOR       -  the same exclusive or the value
    8 IMM16_IS_LANE_MASK -  only columns whose bit of Imm16 is set: bit 2n is column n
    """,
)
