"""The vector unit: floats, their fields, and conversions."""

from nasm.targets.tensix.isa.setups import LANES, TABLE
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.isa.vector import modes
from nasm.targets.tensix.isa.vector.registers import (
    if_asked,
    large_table,
    one_and_number,
    result,
    result_or_any,
    small_table,
    three,
    vc,
    vc_and_second_or_number,
)
from nasm.targets.tensix.lanes import arithmetic, conversions, float_fields, tables
from nasm.targets.tensix.lanes.facts import MAD, ROUND, SIMPLE, Fields, Lanes, Registers, mode_of
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.words.units import VECTOR
from nasm.targets.tensix.words.word import Word

UNIT = Family(__name__)


def _rounded(fields: Fields) -> Registers:
    counts = mode_of(fields) & 7 in (4, 5) and not fields["UseImm5"]
    return frozenset({fields["VC"], fields["VB"]} if counts else {fields["VC"]})


def _draws(fields: Fields, quirks: Quirks) -> bool:
    return fields["StochasticRounding"] > 0 or quirks.rounding_always_draws


def _draws_if_stochastic(fields: Fields, quirks: Quirks) -> bool:
    return mode_of(fields) & 1 > 0


SFPLUT = UNIT.row(
    Word(
        0x73,
        "SFPLUT",
        VECTOR,
        "Evaluate a piecewise linear function with 8-bit coefficients.",
        "lreg_ind[23:20] instr_mod0[19:16] dest_reg_addr[15:0]",
        forms="VD[23:20] Mod0[19:16]",
        values={"Mod0": modes.SMALL_TABLES},
    ),
    tables.SFPLUT,
    facts=Lanes(sub_unit=MAD, reads=small_table, writes=result_or_any, latency=2),
    setup="SFPLOADI VD=0, Mod0=2, Imm16=0x1020\nSFPLOADI VD=3, Mod0=0, Imm16=0x3f00",
    example="SFPLUT VD=2, Mod0=4",
    formula="VD = A * abs(LReg[3]) + C, with A and C from LReg[0], [1] or [2] for "
    "abs(LReg[3]) < 1, < 2 or more",
)

SFPMULI = UNIT.row(
    Word(
        0x74,
        "SFPMULI",
        VECTOR,
        "Multiply by a BF16 number.",
        "imm16_math[23:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="Imm16[23:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.INDIRECT},
        meanings={"Imm16": "a BF16 number"},
    ),
    arithmetic.SFPMULI,
    facts=Lanes(sub_unit=MAD, reads=one_and_number, writes=result_or_any, latency=2),
    setup=LANES,
    example="SFPMULI Imm16=0x4040, VD=0",
    formula="VD = VD * Imm16",
)

SFPADDI = UNIT.row(
    Word(
        0x75,
        "SFPADDI",
        VECTOR,
        "Add a BF16 number.",
        "imm16_math[23:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="Imm16[23:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.INDIRECT},
        meanings={"Imm16": "a BF16 number"},
    ),
    arithmetic.SFPADDI,
    facts=Lanes(sub_unit=MAD, reads=one_and_number, writes=result_or_any, latency=2),
    setup=LANES,
    example="SFPADDI Imm16=0x4040, VD=0",
    formula="VD = VD + Imm16",
)

SFPDIVP2 = UNIT.row(
    Word(
        0x76,
        "SFPDIVP2",
        VECTOR,
        "Set the exponent of a float, or add to it.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="Imm8[19:12] VC[11:8] VD[7:4] Mod1[3:0]",
        unread=("imm12_math",),
        values={"Mod1": modes.SCALES},
    ),
    float_fields.SFPDIVP2,
    facts=Lanes(sub_unit=SIMPLE, reads=vc, writes=result),
    setup=LANES,
    example="SFPDIVP2 Imm8=1, VC=0, VD=2, Mod1=1",
    formula="VD = VC with another exponent, by Mod1",
)

SFPEXEXP = UNIT.row(
    Word(
        0x77,
        "SFPEXEXP",
        VECTOR,
        "Extract the exponent of a float.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.EXPONENTS},
    ),
    float_fields.SFPEXEXP,
    facts=Lanes(sub_unit=SIMPLE, reads=vc, writes=result, sets_flags=if_asked),
    setup=LANES,
    example="SFPEXEXP VC=0, VD=2",
    formula="VD = the exponent of VC, as an integer",
)

SFPEXMAN = UNIT.row(
    Word(
        0x78,
        "SFPEXMAN",
        VECTOR,
        "Extract the mantissa of a float.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.MANTISSAS},
    ),
    float_fields.SFPEXMAN,
    facts=Lanes(sub_unit=SIMPLE, reads=vc, writes=result),
    setup=LANES,
    example="SFPEXMAN VC=1, VD=2",
    formula="VD = the mantissa of VC, as an integer",
)

SFPSETEXP = UNIT.row(
    Word(
        0x82,
        "SFPSETEXP",
        VECTOR,
        "Set the exponent of a float.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="Imm8[19:12] VC[11:8] VD[7:4] Mod1[3:0]",
        unread=("imm12_math",),
        values={"Mod1": modes.NEW_EXPONENTS},
    ),
    float_fields.SFPSETEXP,
    facts=Lanes(sub_unit=SIMPLE, reads=vc_and_second_or_number, writes=result),
    setup=LANES,
    example="SFPSETEXP Imm8=129, VC=1, VD=2, Mod1=1",
    formula="VD = VC with another exponent, by Mod1",
)

SFPSETMAN = UNIT.row(
    Word(
        0x83,
        "SFPSETMAN",
        VECTOR,
        "Set the mantissa of a float.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="Imm12[23:12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.NEW_MANTISSAS},
    ),
    float_fields.SFPSETMAN,
    facts=Lanes(sub_unit=SIMPLE, reads=vc_and_second_or_number, writes=result),
    setup=LANES,
    example="SFPSETMAN Imm12=0x400, VC=1, VD=2, Mod1=1",
    formula="VD = VC with another mantissa, by Mod1",
)

SFPMAD = UNIT.row(
    Word(
        0x84,
        "SFPMAD",
        VECTOR,
        "Multiply two vectors and add a third.",
        "lreg_src_a[19:16] lreg_src_b[15:12] lreg_src_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VA[19:16] VB[15:12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.INDIRECT},
        meanings={"VC": "the register that is added"},
    ),
    arithmetic.SFPMAD,
    facts=Lanes(sub_unit=MAD, reads=three, writes=result_or_any, latency=2),
    setup=LANES,
    example="SFPMAD VA=0, VB=1, VC=10, VD=2",
    formula="VD = VA * VB + VC",
)

SFPADD = UNIT.row(
    Word(
        0x85,
        "SFPADD",
        VECTOR,
        "Multiply two vectors and add a third: with VA = 10, add two.",
        "lreg_src_a[19:16] lreg_src_b[15:12] lreg_src_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VA[19:16] VB[15:12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.INDIRECT},
        meanings={"VC": "the register that is added"},
    ),
    arithmetic.SFPADD,
    facts=Lanes(sub_unit=MAD, reads=three, writes=result_or_any, latency=2),
    setup=LANES,
    example="SFPADD VA=10, VB=0, VC=1, VD=2",
    formula="VD = VA * VB + VC",
)

SFPMUL = UNIT.row(
    Word(
        0x86,
        "SFPMUL",
        VECTOR,
        "Multiply two vectors and add a third: with VC = 9, multiply two.",
        "lreg_src_a[19:16] lreg_src_b[15:12] lreg_src_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VA[19:16] VB[15:12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.INDIRECT},
        meanings={"VC": "the register that is added"},
    ),
    arithmetic.SFPMUL,
    facts=Lanes(sub_unit=MAD, reads=three, writes=result_or_any, latency=2),
    setup=LANES,
    example="SFPMUL VA=0, VB=1, VC=9, VD=2",
    formula="VD = VA * VB + VC",
)

SFPSETSGN = UNIT.row(
    Word(
        0x89,
        "SFPSETSGN",
        VECTOR,
        "Set the sign of a float or an integer.",
        "imm12_math[12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="Imm1[12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.NEW_SIGNS},
    ),
    float_fields.SFPSETSGN,
    facts=Lanes(sub_unit=SIMPLE, reads=vc_and_second_or_number, writes=result),
    setup=LANES,
    example="SFPSETSGN Imm1=1, VC=0, VD=2, Mod1=1",
    formula="VD = VC with another sign, by Mod1",
)

SFP_STOCH_RND = UNIT.row(
    Word(
        0x8E,
        "SFP_STOCH_RND",
        VECTOR,
        "Round to fewer bits, to the nearest or stochastically.",
        "rnd_mode[21] imm8_math[20:16] lreg_src_b[15:12] lreg_src_c[11:8] lreg_dest[7:4] "
        "instr_mod1[3:0]",
        forms="StochasticRounding[21] Imm5[20:16] VB[15:12] VC[11:8] VD[7:4] UseImm5[3] Mod1[2:0]",
        page="SFPSTOCHRND",
        values={"Mod1": modes.ROUNDED, "StochasticRounding": modes.ROUNDINGS},
        meanings={
            "VC": "the register that is rounded",
            "VB": "the register with amounts of a shift",
        },
    ),
    conversions.SFP_STOCH_RND,
    facts=Lanes(sub_unit=ROUND, reads=_rounded, writes=result, draws=_draws),
    setup="SFPLOADI VD=0, Mod0=0, Imm16=0x4000\nSFPLOADI VD=0, Mod0=10, Imm16=0x9000",
    example="SFP_STOCH_RND VC=0, VD=2, Mod1=1",
    formula="VD = VC rounded, by Mod1",
    also="SFPSTOCHRND",
)

SFPCAST = UNIT.row(
    Word(
        0x90,
        "SFPCAST",
        VECTOR,
        "Convert integers in sign and magnitude to floats.",
        "lreg_src_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.CASTS},
    ),
    conversions.SFPCAST,
    facts=Lanes(sub_unit=SIMPLE, reads=vc, writes=result, draws=_draws_if_stochastic),
    setup="SFPLOADI VD=0, Mod0=2, Imm16=7",
    example="SFPCAST VC=0, VD=2",
    formula="VD = VC, an integer in sign and magnitude, as FP32",
)

SFPLUTFP32 = UNIT.row(
    Word(
        0x95,
        "SFPLUTFP32",
        VECTOR,
        "Evaluate a piecewise linear function with coefficients of vector registers.",
        "lreg_dest[7:4] instr_mod1[3:0]",
        forms="VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.LARGE_TABLES},
    ),
    tables.SFPLUTFP32,
    facts=Lanes(sub_unit=MAD, reads=large_table, writes=result_or_any, latency=2),
    setup=TABLE,
    example="SFPLUTFP32 VD=2, Mod1=0",
    formula="VD = A * abs(LReg[3]) + C, with A and C by the size of LReg[3]",
)
