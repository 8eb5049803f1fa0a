"""The vector unit: which lanes execute."""

from nasm.targets.tensix.isa.setups import FLAGS, SAVED_FLAGS
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.isa.vector import modes
from nasm.targets.tensix.isa.vector.registers import always, nothing
from nasm.targets.tensix.lanes import predication
from nasm.targets.tensix.lanes.facts import SIMPLE, Fields, Lanes, Registers, Role, mode_of
from nasm.targets.tensix.words.units import VECTOR
from nasm.targets.tensix.words.word import Word

UNIT = Family(__name__)


def _compared(fields: Fields) -> Registers:
    return nothing(fields) if mode_of(fields) & 9 else frozenset({fields["VC"]})


SFPSETCC = UNIT.row(
    Word(
        0x7B,
        "SFPSETCC",
        VECTOR,
        "Set lane flags by a comparison with zero.",
        "imm12_math[12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="Imm1[12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.COMPARED},
    ),
    predication.SFPSETCC,
    facts=Lanes(
        sub_unit=SIMPLE, reads=_compared, writes=nothing, sets_flags=always, after_shift=True
    ),
    setup=FLAGS,
    example="SFPSETCC VC=15, Mod1=6",
    formula="flag = a comparison of VC with 0, of lanes that execute",
)

SFPPUSHC = UNIT.row(
    Word(
        0x87,
        "SFPPUSHC",
        VECTOR,
        "Push the lane flags.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VD[7:4] 0[3:0]",
    ),
    predication.SFPPUSHC,
    facts=Lanes(sub_unit=SIMPLE, reads=nothing, writes=nothing, role=Role.PUSHES, after_shift=True),
    setup=FLAGS,
    example="SFPPUSHC",
    formula="push (flag, whether lanes use their flags)",
)

SFPPOPC = UNIT.row(
    Word(
        0x88,
        "SFPPOPC",
        VECTOR,
        "Pop the lane flags, or combine them with the top of the stack.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.POPPED},
    ),
    predication.SFPPOPC,
    facts=Lanes(
        sub_unit=SIMPLE,
        reads=nothing,
        writes=nothing,
        role=Role.POPS,
        sets_flags=always,
        after_shift=True,
    ),
    setup=SAVED_FLAGS,
    example="SFPPOPC",
    formula="flag and use = what was pushed, or flag combined with it",
)

SFPENCC = UNIT.row(
    Word(
        0x8A,
        "SFPENCC",
        VECTOR,
        "Switch predication by lane flags on or off.",
        "imm12_math[13:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="Imm2[13:12] VD[7:4] Mod1[3:0]",
        values={"Mod1": modes.PREDICATED},
    ),
    predication.SFPENCC,
    facts=Lanes(
        sub_unit=SIMPLE,
        reads=nothing,
        writes=nothing,
        sets_flags=always,
        reads_flags=False,
        after_shift=True,
    ),
    example=FLAGS,
    formula="flag = 1 or bit 1 of Imm2, and lanes use flags by bit 0",
)

SFPCOMPC = UNIT.row(
    Word(
        0x8B,
        "SFPCOMPC",
        VECTOR,
        "Complement the lane flags within what the stack enables: else.",
        "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VD[7:4]",
    ),
    predication.SFPCOMPC,
    facts=Lanes(
        sub_unit=SIMPLE, reads=nothing, writes=nothing, sets_flags=always, after_shift=True
    ),
    setup=SAVED_FLAGS,
    example="SFPCOMPC",
    formula="flag = top flag and not flag: the else of a condition",
)
