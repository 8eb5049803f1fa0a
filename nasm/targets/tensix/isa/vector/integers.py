"""The vector unit: integers and bits."""

from nasm.targets.tensix.isa.setups import LANES
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.isa.vector import modes
from nasm.targets.tensix.isa.vector.registers import (
    both,
    if_asked,
    result,
    second_and_vc_or_number,
    unless_kept,
    vc,
    vc_and_second_or_number,
)
from nasm.targets.tensix.lanes import integers
from nasm.targets.tensix.lanes.facts import SIMPLE, Lanes
from nasm.targets.tensix.words.units import VECTOR
from nasm.targets.tensix.words.word import Word

UNIT = Family(__name__)


SFPIADD = UNIT.row(
    Word(
        0x79,
        "SFPIADD",
        VECTOR,
        "Add or subtract integers, or add a number.",
        "±imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="±Imm12[23:12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.ADDED},
    ),
    integers.SFPIADD,
    facts=Lanes(
        sub_unit=SIMPLE, reads=vc_and_second_or_number, writes=result, sets_flags=unless_kept
    ),
    setup=LANES,
    example="SFPIADD Imm12=3, VC=0, VD=2, Mod1=5",
    formula="VD = VC + a number or a register, by Mod1",
)

SFPSHFT = UNIT.row(
    Word(
        0x7A,
        "SFPSHFT",
        VECTOR,
        "Shift integers to the left or right by a vector, or by a number.",
        "±imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="±Imm12[23:12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.SHIFTED_BY},
    ),
    integers.SFPSHFT,
    facts=Lanes(sub_unit=SIMPLE, reads=second_and_vc_or_number, writes=result),
    setup=LANES,
    example="SFPSHFT Imm12=-4, VD=0, Mod1=1",
    formula="VD = VD shifted by an amount: to the left, or by -n right with 0 coming in",
)

SFPABS = UNIT.row(
    Word(
        0x7D,
        "SFPABS",
        VECTOR,
        "Take the magnitude of a float or an integer.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.MAGNITUDES},
    ),
    integers.SFPABS,
    facts=Lanes(sub_unit=SIMPLE, reads=vc, writes=result),
    setup=LANES,
    example="SFPABS VC=1, VD=2, Mod1=1",
    formula="VD = abs(VC)",
)

SFPAND = UNIT.row(
    Word(
        0x7E,
        "SFPAND",
        VECTOR,
        "Combine bits by and.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4]",
    ),
    integers.SFPAND,
    facts=Lanes(sub_unit=SIMPLE, reads=both, writes=result),
    setup=LANES,
    example="SFPAND VC=0, VD=1",
    formula="VD = VD & VC",
)

SFPOR = UNIT.row(
    Word(
        0x7F,
        "SFPOR",
        VECTOR,
        "Combine bits by or.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4]",
    ),
    integers.SFPOR,
    facts=Lanes(sub_unit=SIMPLE, reads=both, writes=result),
    setup=LANES,
    example="SFPOR VC=0, VD=1",
    formula="VD = VD | VC",
)

SFPNOT = UNIT.row(
    Word(
        0x80,
        "SFPNOT",
        VECTOR,
        "Invert bits.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4]",
    ),
    integers.SFPNOT,
    facts=Lanes(sub_unit=SIMPLE, reads=vc, writes=result),
    setup=LANES,
    example="SFPNOT VC=0, VD=2",
    formula="VD = ~VC",
)

SFPLZ = UNIT.row(
    Word(
        0x81,
        "SFPLZ",
        VECTOR,
        "Count leading zeros.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.ZEROS},
    ),
    integers.SFPLZ,
    facts=Lanes(sub_unit=SIMPLE, reads=vc, writes=result, sets_flags=if_asked),
    setup=LANES,
    example="SFPLZ VC=0, VD=2",
    formula="VD = the number of zeros before the first 1 of VC",
)

SFPXOR = UNIT.row(
    Word(
        0x8D,
        "SFPXOR",
        VECTOR,
        "Combine bits by exclusive or.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VC[11:8] VD[7:4]",
    ),
    integers.SFPXOR,
    facts=Lanes(sub_unit=SIMPLE, reads=both, writes=result),
    setup=LANES,
    example="SFPXOR VC=0, VD=1",
    formula="VD = VD ^ VC",
)
