"""SFPLOADMACRO on Blackhole: what only its sub-units can put off, and how."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.chips import BLACKHOLE
from nasm.targets.tensix.lanes.macros import SFPLOADMACRO, displaced, pass_cycle, pending_of
from nasm.targets.tensix.scalar.config import set_field
from nasm.targets.tensix.state import Coprocessor
from tests.tensix.blackhole.cores import bits, made, ran, register

SIMPLE, MAD, STORE = 0, 8, 24
LOADED = 3


def byte(kind: int, delay: int = 0, *, to_16: bool = False, vb: bool = False) -> int:
    return kind | delay << 3 | to_16 << 6 | vb << 7


def word(mnemonic: str, fields: Mapping[str, int]) -> int:
    encoding = BLACKHOLE.words.by_name[mnemonic].encoding
    return encoding.code << 24 | sum(encoding.parts[name].put(n) for name, n in fields.items())


def put_off(sequence: int, mnemonic: str, fields: Mapping[str, int]) -> Coprocessor:
    """After a macro with one template that loads 3 into L1, and the cycle after it."""
    core = made()
    core.matrix.dst[:8] = LOADED
    core.vector.macro_misc[...] = 6
    core.vector.registers[5], core.vector.registers[6] = 10, 2
    core.vector.sequences[2] = sequence
    core.vector.templates[0] = word(mnemonic, fields)
    SFPLOADMACRO(core, 0, 2, VDLo=1, Mod0=6, AddrMod=0, Imm9=0, VDHi=0)
    pass_cycle(core)
    return core


@pytest.mark.parametrize(
    ("mnemonic", "fields", "vb", "wanted"),
    [
        # without vb VC is what is loaded, and VB what the template has for VD: L5, which is 10
        ("SFPGT", {"VC": 6, "VD": 5, "Mod1": 8}, False, 0xFFFFFFFF),  # 10 > 3
        ("SFPLE", {"VC": 6, "VD": 5, "Mod1": 8}, False, 0),  # 10 <= 3
        ("SFPGT", {"VC": 6, "VD": 5, "Mod1": 8}, True, 0xFFFFFFFF),  # 3 > 2
        ("SFPLE", {"VC": 5, "VD": 6, "Mod1": 8}, True, 0xFFFFFFFF),  # 3 <= 10
        ("SFPSHFT", {"Imm12": 0, "VC": 6, "VD": 5, "Mod1": 0}, False, 10 << 3),
        ("SFPSHFT", {"Imm12": 0, "VC": 6, "VD": 5, "Mod1": 0}, True, 3 << 2),
        ("SFPSHFT", {"Imm12": 4, "VC": 6, "VD": 5, "Mod1": 5}, False, 3 << 4),
        ("SFPAND", {"VB": 5, "VC": 6, "VD": 6, "Mod1": 1}, False, 10 & 3),
        ("SFPOR", {"VB": 5, "VC": 6, "VD": 6, "Mod1": 1}, True, 3 | 2),
    ],
)  # fmt: skip
def test_the_load_is_one_source_and_the_template_has_the_other(
    mnemonic: str, fields: Mapping[str, int], vb: bool, wanted: int
) -> None:
    core = put_off(byte(4, vb=vb) << SIMPLE, mnemonic, fields)
    assert set(core.vector.registers[1].tolist()) == {wanted}


def test_a_product_of_integers_is_of_the_unit_that_multiplies_and_adds() -> None:
    fields = {"VA": 5, "VB": 0, "VC": 9, "VD": 0, "Mod1": 0}
    core = put_off(byte(4, vb=True) << MAD, "SFPMUL24", fields)
    assert set(core.vector.registers[1].tolist()) == {30}
    core = put_off(byte(4, vb=True) << SIMPLE, "SFPMUL24", fields)
    assert set(core.vector.registers[1].tolist()) == {LOADED}


def test_a_reciprocal_is_simple_and_goes_where_it_is_sent() -> None:
    core = made()
    core.matrix.dst[:8] = 0x0081  # 4.0 as Dst has a BF16
    core.vector.sequences[0] = byte(4, to_16=True) << SIMPLE
    core.vector.templates[0] = word("SFPARECIP", {"VB": 0, "VC": 0, "VD": 0, "Mod1": 0})
    SFPLOADMACRO(core, 0, 0, VDLo=1, Mod0=2, AddrMod=0, Imm9=0, VDHi=0)
    assert displaced(core, "SFPGT") is not None
    assert displaced(core, "SFPMUL24") is None
    pass_cycle(core)
    assert core.vector.registers[1].tolist() == bits(4.0).tolist()
    assert (np.abs(core.vector.registers[16].view(np.float32) - 0.25) < 0.002).all()


def test_an_immediate_is_added_to_what_is_loaded() -> None:
    fields = {"Imm16": 0x3F80, "VD": 5, "Mod1": 0}
    core = made()
    core.matrix.dst[:8] = 0x0081
    core.vector.registers[5] = bits(10.0)
    core.vector.sequences[0] = byte(4) << MAD
    core.vector.sequences[1] = byte(4, vb=True) << MAD
    core.vector.templates[0] = word("SFPADDI", fields)
    found = []
    for macro in (0, 1):
        SFPLOADMACRO(core, 0, macro, VDLo=1, Mod0=2, AddrMod=0, Imm9=0, VDHi=0)
        pass_cycle(core)
        found.append(float(core.vector.registers[1].view(np.float32)[0]))
    assert found == [5.0, 11.0]


def test_a_store_makes_what_a_store_of_blackhole_makes() -> None:
    core = put_off(byte(3) << STORE, "SFPNOP", {})
    assert pending_of(core.vector) == ()
    core.vector.macro_misc[...] = 12  # INT32_SM, which converts nothing
    core.vector.sequences[2] = byte(3, to_16=True) << STORE
    core.vector.registers[16] = 0xFFFFFFFF
    SFPLOADMACRO(core, 0, 2, VDLo=1, Mod0=6, AddrMod=0, Imm9=0, VDHi=0)
    pass_cycle(core)
    assert (core.matrix.dst[0, ::2] == 0xFFFF).all()
    assert (core.matrix.dst[8, ::2] == 0xFFFF).all()


def test_a_store_of_a_stack_is_refused_and_a_load_of_one_moves_it() -> None:
    with pytest.raises(Refused, match="says whether that moves the stack of rows"):
        _stacked()
    core = made()
    set_field(core, 0, "SFPU_STACK_Incr", 4)
    core.threads[0].rows.stack = 4
    core.vector.macro_misc[...] = 6
    core.vector.sequences[0] = byte(3) << STORE
    SFPLOADMACRO(core, 0, 0, VDLo=1, Mod0=10, AddrMod=0, Imm9=0, VDHi=0)
    assert core.threads[0].rows.stack == 0
    assert [one.at for one in pending_of(core.vector)] == [0]


def _stacked() -> None:
    core = made()
    core.vector.macro_misc[...] = 10
    core.vector.sequences[0] = byte(3) << STORE
    SFPLOADMACRO(core, 0, 0, VDLo=1, Mod0=6, AddrMod=0, Imm9=0, VDHi=0)


def test_a_program_puts_off_what_wormhole_has_not() -> None:
    session = ran(
        """
        @t1 SFPLOADI VD=0, Mod0=2, Imm16=9
        @t1 SFPSTORE VD=0, Mod0=6, Imm10=0
        @t1 SFPLOADI VD=2, Mod0=2, Imm16=5
        @t1 SFPGT VC=0, VD=12, Mod1=8
        @t1 SFPLOADI VD=0, Mod0=10, Imm16=0x0084
        @t1 SFPLOADI VD=0, Mod0=8, Imm16=0
        @t1 SFPCONFIG VD=4
        @t1 SFPLOADI VD=0, Mod0=2, Imm16=5
        @t1 SFPLOADMACRO MacroIndex=0, VDLo=3, Mod0=6, AddrMod=7, Imm9=0
        @t1 SFPNOP
        @t1 SFPNOP
        """
    )
    assert session.report().problems == ()
    assert set(register(session, 3)) == {0xFFFFFFFF}  # 9 > 5: VC is L0, VB what was loaded
