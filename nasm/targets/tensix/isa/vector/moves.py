"""The vector unit: between registers, lanes and Dst; configuration; macros."""

from nasm.targets.tensix.isa.setups import IN_DST, LANES
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.isa.vector import modes
from nasm.targets.tensix.isa.vector.registers import both, every, nothing, result, vd, writable
from nasm.targets.tensix.lanes import configuration, conversions, dst_access, macros, permutations
from nasm.targets.tensix.lanes.dst_formats import HI16_ONLY, INT32_ALL, LO16_ONLY
from nasm.targets.tensix.lanes.facts import (
    LOAD,
    MAD,
    ROUND,
    SIMPLE,
    STORE,
    Fields,
    Lanes,
    Registers,
    Role,
    mode_of,
)
from nasm.targets.tensix.lanes.permutations import (
    COPY4,
    ROTATE,
    ROTATE_AND_COPY4,
    SHIFT,
    SHIFT_BITS,
    SHIFT_BITS_BY,
)
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.words.units import VECTOR
from nasm.targets.tensix.words.word import Word

UNIT = Family(__name__)


_HALVES = (LO16_ONLY, HI16_ONLY)
_FOUR: Registers = frozenset(range(4))
_RANDOM = 9


def _moved(fields: Fields) -> Registers:
    return nothing(fields) if mode_of(fields) & 8 else frozenset({fields["VC"]})


def _draws_from_vc(fields: Fields, quirks: Quirks) -> bool:
    return mode_of(fields) & 8 > 0 and fields["VC"] == _RANDOM


def _other_half(fields: Fields) -> Registers:
    return vd(fields) if mode_of(fields) in (8, 10) else nothing(fields)


def _both_written(fields: Fields) -> Registers:
    return writable({fields["VD"], fields["VC"]})


def _with_companions(
    reads: Registers, writes: Registers, fields: Fields
) -> tuple[Registers, Registers]:
    companions = {4 + (fields[name] & 3) for name in ("VC", "VD")}
    return reads | companions, writes | companions


# -- loads


def _half_kept(fields: Fields) -> Registers:
    return vd(fields) if mode_of(fields) in _HALVES else nothing(fields)


def _loaded_by_macro(fields: Fields) -> Registers:
    return frozenset({fields["VDHi"] << 2 | fields["VDLo"]})


def _half_kept_by_macro(fields: Fields) -> Registers:
    return _loaded_by_macro(fields) if mode_of(fields) in _HALVES else nothing(fields)


def _with_places(
    reads: Registers, writes: Registers, fields: Fields
) -> tuple[Registers, Registers]:
    return reads, writes | {number + 4 for number in writes if number < 4}


def _imm10(fields: Fields) -> int:
    return fields["Imm10"]


def _imm9(fields: Fields) -> int:
    return fields["Imm9"] << 1 | fields["VDHi"]


# -- configuration


def _configured_from(fields: Fields) -> Registers:
    return nothing(fields) if mode_of(fields) & 1 and fields["VD"] > 3 else frozenset({0})


def _constant(fields: Fields) -> Registers:
    return frozenset({fields["VD"]} & set(range(11, 15)))


# -- shifts


def _shifted(fields: Fields) -> Registers:
    mode, VB = mode_of(fields), fields.get("VB", fields.get("Imm12", 0) & 15)
    if mode == COPY4:
        return frozenset({1, 2, 3})
    if mode < ROTATE_AND_COPY4:
        return _FOUR
    if mode == ROTATE_AND_COPY4:
        return frozenset({1, 2, 3, fields["VC"]})
    if mode >= SHIFT_BITS:
        return frozenset({VB} if mode == SHIFT_BITS_BY else {VB, fields["VC"]})
    assert mode >= ROTATE
    return frozenset({fields["VC"]})


def _shifted_to(fields: Fields) -> Registers:
    return _FOUR if mode_of(fields) <= ROTATE_AND_COPY4 else result(fields)


SFPLOAD = UNIT.row(
    Word(
        0x70,
        "SFPLOAD",
        VECTOR,
        "Load 32 elements of Dst into a vector register.",
        "lreg_ind[23:20] instr_mod0[19:16] sfpu_addr_mode[15:14] dest_reg_addr[9:0]",
        forms="VD[23:20] Mod0[19:16] AddrMod[15:14] Imm10[9:0]",
        values={"Mod0": modes.LOADED},
    ),
    dst_access.SFPLOAD,
    facts=Lanes(
        sub_unit=LOAD,
        reads=_half_kept,
        writes=result,
        role=Role.LOADS,
        all_lanes=frozenset({INT32_ALL}),
        dst_index=True,
        indexed=_with_places,
        dst_address=_imm10,
    ),
    setup=IN_DST,
    example="SFPLOAD VD=2, Mod0=2, Imm10=0",
    formula="VD[lane] = Dst[address of the lane]",
)

SFPLOADI = UNIT.row(
    Word(
        0x71,
        "SFPLOADI",
        VECTOR,
        "Put a 16-bit number into every lane of a vector register, or into half of it.",
        "lreg_ind[23:20] instr_mod0[19:16] imm16[15:0]",
        forms="VD[23:20] Mod0[19:16] Imm16[15:0]",
        values={"Mod0": modes.IMMEDIATES},
    ),
    conversions.SFPLOADI,
    facts=Lanes(
        sub_unit=LOAD,
        reads=_other_half,
        writes=result,
        dst_index=True,
        modes=frozenset({0, 1, 2, 4, 8, 10}),
    ),
    example="SFPLOADI VD=0, Mod0=0, Imm16=0x4000",
    formula="VD = Imm16, by Mod0",
)

SFPSTORE = UNIT.row(
    Word(
        0x72,
        "SFPSTORE",
        VECTOR,
        "Store a vector register to 32 elements of Dst.",
        "lreg_ind[23:20] instr_mod0[19:16] sfpu_addr_mode[15:14] dest_reg_addr[9:0]",
        forms="VD[23:20] Mod0[19:16] AddrMod[15:14] Imm10[9:0]",
        values={"Mod0": modes.STORED},
        meanings={"VD": "the register that is stored"},
    ),
    dst_access.SFPSTORE,
    facts=Lanes(sub_unit=STORE, reads=vd, writes=nothing, role=Role.STORES),
    setup=LANES,
    example="SFPSTORE VD=0, Mod0=2, Imm10=0",
    formula="Dst[address of the lane] = VD[lane]",
    hazard="Of LReg[12] to LReg[15] nothing is stored by default: move them to "
    "another register first.",
)

SFPMOV = UNIT.row(
    Word(
        0x7C,
        "SFPMOV",
        VECTOR,
        "Move a vector register, negated or by lane flags if asked.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.MOVED},
    ),
    configuration.SFPMOV,
    facts=Lanes(
        sub_unit=SIMPLE, reads=_moved, writes=result, all_lanes=frozenset({2}), draws=_draws_from_vc
    ),
    setup=LANES,
    example="SFPMOV VC=0, VD=2, Mod1=1",
    formula="VD = VC, by Mod1",
)

SFPTRANSP = UNIT.row(
    Word(
        0x8C,
        "SFPTRANSP",
        VECTOR,
        "Transpose groups of four vector registers.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VD[7:4]",
    ),
    permutations.SFPTRANSP,
    facts=Lanes(sub_unit=SIMPLE, reads=every, writes=every, after_shift=True, dst_index=True),
    setup=LANES,
    example="SFPTRANSP",
    formula="LReg[i], row j = LReg[j], row i, for i and j from 0 to 3; the same of LReg[4] "
    "to LReg[7]",
)

SFPNOP = UNIT.row(
    Word(0x8F, "SFPNOP", VECTOR, "Take a cycle of a sub-unit of the vector unit.", forms="0[7]"),
    configuration.SFPNOP,
    facts=Lanes(
        sub_unit=LOAD,
        reads=nothing,
        writes=nothing,
        role=Role.IDLES,
        put_off=(SIMPLE, MAD, ROUND),
        reads_flags=False,
    ),
    formula="nothing, for a cycle of the vector unit",
)

SFPCONFIG = UNIT.row(
    Word(
        0x91,
        "SFPCONFIG",
        VECTOR,
        "Set a programmable constant, lane configuration or macro configuration.",
        "imm16_math[23:8] config_dest[7:4] instr_mod1[3:0]",
        forms="Imm16[23:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.CONFIGURED, "VD": None},
        meanings={
            "VD": "0 to 3 templates, 4 to 7 sequences, 8 macro settings, 11 to 14 these registers, "
            "15 LaneConfig"
        },
    ),
    configuration.SFPCONFIG,
    facts=Lanes(
        sub_unit=SIMPLE,
        reads=_configured_from,
        writes=_constant,
        role=Role.CONFIGURES,
        after_shift=True,
        dst_index=True,
    ),
    setup=LANES,
    example="SFPCONFIG VD=11",
    formula="LReg[11..14], LaneConfig or what macros are made of = LReg[0] or Imm16, by VD",
)

SFPSWAP = UNIT.row(
    Word(
        0x92,
        "SFPSWAP",
        VECTOR,
        "Swap two vectors, or sort them lane by lane.",
        "imm12_math[23:12] lreg_src_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.SWAPPED},
        meanings={"VC": "a register that is read and written"},
    ),
    permutations.SFPSWAP,
    facts=Lanes(
        sub_unit=SIMPLE,
        reads=both,
        writes=_both_written,
        latency=2,
        interlocked=True,
        after_shift=True,
        dst_index=True,
        indexed=_with_companions,
        modes=frozenset({*range(10), 15}),
    ),
    setup=LANES,
    example="SFPSWAP VC=1, VD=0, Mod1=1",
    formula="VD, VC = VC, VD, or the smaller and the larger of both",
)

SFPLOADMACRO = UNIT.row(
    Word(
        0x93,
        "SFPLOADMACRO",
        VECTOR,
        "Load elements of Dst, and schedule up to four more instructions.",
        "lreg_ind[23:20] instr_mod0[19:16] sfpu_addr_mode[15:14] dest_reg_addr[9:0]",
        forms="MacroIndex[23:22] VDLo[21:20] Mod0[19:16] AddrMod[15:14] Imm9[9:1] VDHi[0]",
        values={"Mod0": modes.LOADED},
    ),
    macros.SFPLOADMACRO,
    facts=Lanes(
        sub_unit=LOAD,
        reads=_half_kept_by_macro,
        writes=_loaded_by_macro,
        role=Role.MACRO,
        dst_index=True,
        indexed=_with_places,
        dst_address=_imm9,
    ),
    setup=IN_DST,
    example="SFPLOADMACRO MacroIndex=0, VDLo=2, Mod0=2, Imm9=0",
    formula="VD[lane] = Dst[address of the lane], and the sequence of MacroIndex",
)

SFPSHFT2 = UNIT.row(
    Word(
        0x94,
        "SFPSHFT2",
        VECTOR,
        "Shift bits within lanes, or move values between lanes.",
        "imm12_math[23:12] lreg_src_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms={
            "register": "VB[15:12] VC[11:8] VD[7:4] Mod1[3:0]",
            "immediate": "±Imm12[23:12] VD[7:4] Mod1[3:0]",
        },
        values={"Mod1": modes.LANES_SHIFTED},
    ),
    permutations.SFPSHFT2,
    facts=Lanes(
        sub_unit=ROUND,
        reads=_shifted,
        writes=_shifted_to,
        slow_modes=frozenset({ROTATE_AND_COPY4, ROTATE, SHIFT}),
        modes=range(7),
    ),
    setup=LANES,
    example="SFPSHFT2 VC=15, VD=2, Mod1=3",
    formula="registers, lanes or bits shifted, by Mod1",
)
