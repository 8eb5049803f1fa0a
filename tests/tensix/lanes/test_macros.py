"""SFPLOADMACRO: what it puts off, and when that executes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.lanes.conversions import SFPLOADI
from nasm.targets.tensix.lanes.macros import SFPLOADMACRO, displaced, due, pass_cycle, pending_of
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words import WORDS
from tests.tensix.lanes.compare import Flat

Instruction = tuple[str, Mapping[str, int]]

MINUS: Instruction = ("SFPMUL", {"VA": 11, "VB": 0, "VC": 9, "VD": 0, "Mod1": 0})
INVERT: Instruction = ("SFPNOT", {"VC": 0, "VD": 0})
SIMPLE, MAD, ROUND, STORE = 0, 8, 16, 24


def byte(kind: int, delay: int = 0, *, to_16: bool = False, vb: bool = False) -> int:
    return kind | delay << 3 | to_16 << 6 | vb << 7


@pytest.fixture
def core() -> Coprocessor:
    """One with 16-bit data in Dst, 3, and 2 for stores in the mode UINT16."""
    made = Coprocessor(Flat())
    made.matrix.dst[:8] = 3
    made.vector.macro_misc[...] = 6
    return made


def macro(
    core: Coprocessor, sequence: int, *templates: Instruction, Mod0: int = 6, VD: int = 1
) -> None:
    core.vector.sequences[2] = sequence
    for number, template in enumerate(templates):
        core.vector.templates[number] = word(*template)
    SFPLOADMACRO(core, 0, 2, VDLo=VD & 3, Mod0=Mod0, AddrMod=0, Imm9=0, VDHi=VD >> 2)


def word(mnemonic: str, fields: Mapping[str, int]) -> int:
    encoding = WORDS[mnemonic].encoding
    return encoding.code << 24 | sum(encoding.parts[name].put(n) for name, n in fields.items())


def nothing() -> None:
    return None


def test_a_delay_of_0_is_the_next_cycle_and_each_more_one_later(core: Coprocessor) -> None:
    macro(core, byte(4) << SIMPLE | byte(3, 2) << STORE, INVERT)
    held = core.vector.registers
    assert (held[1] == 3).all()
    pass_cycle(core)
    assert (held[1] == 0xFFFFFFFC).all()
    pass_cycle(core)
    assert (core.matrix.dst[0] == 3).all()
    pass_cycle(core)
    assert (core.matrix.dst[0, ::2] == 0xFFFC).all()
    assert pending_of(core.vector) == ()


def test_where_one_counts_instructions_all_do(core: Coprocessor) -> None:
    core.vector.macro_misc[...] = 6 | 1 << 8  # the simple sub-unit
    macro(core, byte(4, 1) << SIMPLE | byte(3, 1) << STORE, INVERT)
    for _ in range(3):
        pass_cycle(core)
    assert [p.delay for p in pending_of(core.vector)] == [1, 1]
    pass_cycle(core, nothing)
    assert len(due(core.vector)) == 2
    pass_cycle(core)
    assert (core.vector.registers[1] == 0xFFFFFFFC).all()


def test_what_executes_at_once_reads_what_was_before(core: Coprocessor) -> None:
    core.matrix.dst[:8] = 0x3F80
    macro(core, byte(4, to_16=True) << SIMPLE | byte(5, vb=True) << MAD, INVERT, MINUS, Mod0=7)
    pass_cycle(core, lambda: SFPLOADI(core, 0, VD=2, Mod0=2, Imm16=5))
    assert (core.vector.registers[16] == 0xC07FFFFF).all()
    assert (core.vector.registers[1] == 0xBF800000).all()
    assert (core.vector.registers[2] == 5).all()


def test_the_instruction_that_is_issued_for_the_same_sub_unit_is_displaced(
    core: Coprocessor,
) -> None:
    macro(core, byte(4, 1) << SIMPLE, INVERT)
    assert displaced(core, "SFPAND") is None
    pass_cycle(core)
    assert displaced(core, "SFPAND") == due(core.vector)[0]
    assert displaced(core, "SFPMAD") is None
    assert displaced(core, "SFPLOAD") is None


def test_a_later_macro_takes_the_place_of_what_is_due_at_the_same_time(core: Coprocessor) -> None:
    macro(core, byte(4, 3) << SIMPLE, INVERT)
    pass_cycle(core)
    macro(core, byte(4, 2) << SIMPLE, ("SFPABS", {"VC": 0, "VD": 0, "Mod1": 0}))
    assert [(p.mnemonic, p.delay) for p in pending_of(core.vector)] == [("SFPABS", 2)]


@pytest.mark.parametrize(
    ("vb", "wanted"),
    [
        (False, 3 - 10),
        (True, 20 - 3),
    ],  # VC - VB: the load is VC, and VB what was VD, or the other way
)
def test_the_load_is_one_source_and_the_template_has_the_other(
    core: Coprocessor, vb: bool, wanted: int
) -> None:
    core.vector.registers[5], core.vector.registers[6] = 10, 20
    minus = ("SFPIADD", {"Imm12": 0, "VC": 6, "VD": 5, "Mod1": 2 | 4})
    macro(core, byte(4, vb=vb) << SIMPLE, minus)
    pass_cycle(core)
    assert (core.vector.registers[1] == wanted & 0xFFFFFFFF).all()


def test_a_shift_by_an_immediate_keeps_its_source_unless_the_load_is_it(core: Coprocessor) -> None:
    core.vector.registers[4] = 7
    shift = ("SFPSHFT2", {"Imm12": 4, "VC": 0, "VD": 0, "Mod1": 6})
    macro(core, byte(4) << ROUND, shift)
    pass_cycle(core)
    assert (core.vector.registers[1] == 7 << 4).all()
    macro(core, byte(4, vb=True) << ROUND, shift)
    pass_cycle(core)
    assert (core.vector.registers[1] == 3 << 4).all()


def test_a_store_goes_where_the_load_was_whatever_moved(core: Coprocessor) -> None:
    macro(core, byte(4) << SIMPLE | byte(3, 1) << STORE, INVERT)
    pass_cycle(core)
    core.threads[0].rows.dst = 100
    pass_cycle(core)
    assert (core.matrix.dst[:4, ::2] == 0xFFFC).all()
    assert core.threads[0].rows.dst == 100
    assert not core.matrix.dst[100:108].any()


def test_a_store_may_have_the_mode_of_the_load(core: Coprocessor) -> None:
    core.vector.macro_misc[...] = 6 | 1 << 6  # macro 2
    macro(core, byte(3) << STORE, Mod0=15)
    pass_cycle(core)
    assert [p for p in pending_of(core.vector)] == []
    assert (core.matrix.dst[:4] == 3).all()
    core.vector.registers[1] = 0x00090000
    macro(core, byte(3, to_16=True) << STORE, Mod0=14)
    core.vector.registers[16] = 0x12345678
    pass_cycle(core)
    assert (core.matrix.dst[:4, ::2] == 0x5678).all()


def test_what_a_sub_unit_cannot_execute_is_nothing(core: Coprocessor) -> None:
    macro(core, byte(4) << MAD, INVERT)
    assert [p.mnemonic for p in pending_of(core.vector)] == ["SFPNOP"]
    pass_cycle(core)
    assert (core.vector.registers[1] == 3).all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda v: None, "the sequence has SFPNOT for store"),
        (lambda v: v.sequences.__setitem__((2, 3), 0), "sequence 2 differs between columns"),
        (lambda v: v.sequences.__setitem__(2, 1), "the sequence has 1 for simple"),
    ],
)
def test_what_is_undefined_is_refused_and_changes_nothing(
    core: Coprocessor, change: Callable[[object], None], said: str
) -> None:
    core.vector.sequences[2], core.vector.templates[0] = byte(4) << STORE, word(*INVERT)
    change(core.vector)
    before = core.vector.registers.copy()
    with pytest.raises(Refused, match=said):
        SFPLOADMACRO(core, 0, 2, 0, 6, 0, 0, 0)
    assert np.array_equal(core.vector.registers, before)


@pytest.mark.parametrize("number", [0, 0xC0 << 24, 0x26 << 24])  # no opcode, none, MVMUL
def test_what_is_no_instruction_of_the_unit_is_nothing(core: Coprocessor, number: int) -> None:
    core.vector.templates[3], core.vector.sequences[1] = number, byte(7) << SIMPLE
    SFPLOADMACRO(core, 0, 1, VDLo=0, Mod0=6, AddrMod=0, Imm9=0, VDHi=0)
    assert [p.mnemonic for p in pending_of(core.vector)] == ["SFPNOP"]


def test_what_is_put_off_is_saved_and_restored(core: Coprocessor) -> None:
    macro(core, byte(4, 1) << SIMPLE, INVERT)
    saved = core.save()
    pass_cycle(core)
    pass_cycle(core)
    core.restore(saved)
    assert [p.delay for p in pending_of(core.vector)] == [1]
    assert (core.vector.registers[1] == 3).all()
