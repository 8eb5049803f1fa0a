"""Macros of the vector unit in programs: templates that instructions become, and their use."""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.core.tensix import Tensix
from tests.tensix.core.machines import hazards, held, ran, starts

TEMPLATES = """
@t1 SFPSWAP VC=9, VD=12, Mod1=15
@t1 SFP_STOCH_RND VD=13, Mod1=6
"""
MACRO = """
@t1 SFPLOADI VD=0, Mod0=10, Imm16=0x0084
@t1 SFPLOADI VD=0, Mod0=8, Imm16=0x5b55
@t1 SFPCONFIG VD=4
@t1 SFPCONFIG Imm16=0x106, VD=8, Mod1=1
"""
"""Macro 0: template 0 on VD in the next cycle, template 1 two later into L16, then a store of L16
in 16 bits."""
USE = "@t1 SFPLOADMACRO MacroIndex=0\n" + "@t1 SFPNOP\n" * 4


def numbers(core: Tensix) -> None:
    """2.5, -3, 131072 and 7 as BF16 in lanes 0 to 3: sign, mantissa, exponent."""
    core.matrix.dst[:4] = 0
    core.matrix.dst[0, :8:2] = 0x2080, 0xC080, 0x0090, 0x6081
    core.matrix.defined[:4] = True


def test_an_instruction_with_a_high_destination_becomes_a_template_with_its_opcode() -> None:
    vector = held(ran(TEMPLATES)).vector
    assert set(vector.templates[0].tolist()) == {0x920009CF}
    assert set(vector.templates[1].tolist()) == {0x8E0000D6}
    assert not vector.registers[:8].any()


def test_a_template_neither_reads_nor_delays() -> None:
    first = "@t1 SFPMAD VA=0, VB=0, VC=0, VD=0\n"
    done = ran(first + "@t1 SFPSWAP VC=0, VD=12, Mod1=1\n@t1 SFPLOADI VD=1\n")
    assert hazards(done) == []
    assert starts(done, 1) == [0, 1, 2]
    wrong = ran(first + "@t1 SFPSWAP VC=0, VD=1, Mod1=1\n@t1 SFPLOADI VD=1\n")
    assert hazards(wrong) == ["E0551"]
    assert starts(wrong, 1) == [0, 1, 3]


def test_a_macro_makes_unsigned_integers_of_floats() -> None:
    core = held(ran(TEMPLATES + MACRO + USE, set_up=numbers))
    assert core.matrix.dst[0, :8:2].tolist() == [3, 0, 65535, 7]


def test_the_greater_value_of_all_rows_has_two_modes() -> None:
    def either(mode: int) -> list[int]:
        def registers(core: Tensix) -> None:
            core.vector.registers[0] = np.where(np.arange(32) % 2, 0x3F800000, 0xC0400000)

        core = held(ran(f"@t1 SFPSWAP VC=9, VD=0, Mod1={mode}", set_up=registers))
        found: list[int] = core.vector.registers[0].tolist()
        return found

    assert either(9) == either(15) == [0, 0x3F800000] * 16
