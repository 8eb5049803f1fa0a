"""Which bits of a block mask hold an instruction back: the table of STALLWAIT's page, by row."""

from __future__ import annotations

import pytest

from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.word import Described

TABLE = {
    (): "MOP MOP_CFG REPLAY",
    (0,): "ADDRCRXY ADDRCRZW INCADCXY INCADCZW RSTDMA SETADC SETADCXX SETADCXY SETADCZW SETDVALID",
    (0, 2): "PACR PACR_SETREG",
    (0, 3): "UNPACR UNPACR_NOP",
    (0, 4): "XMOV",
    (0, 5): "ADDDMAREG ATCAS ATINCGET ATINCGETPTR ATSWAP BITWOPDMAREG CMPDMAREG DMANOP FLUSHDMA "
    "LOADIND LOADREG MULDMAREG REG2FLOP SETDMAREG SHIFTDMAREG STOREIND STOREREG SUBDMAREG",
    (1,): "ATGETM ATRELM SEMGET SEMINIT SEMPOST SEMWAIT",
    (6,): "CLEARDVALID CLREXPHIST DOTPV ELWADD ELWMUL ELWSUB GAPOOL GATESRCRST GMPOOL INCRWC "
    "MOVA2D MOVB2A MOVB2D MOVD2A MOVD2B MOVDBGA2D MVMUL SETRWC SHIFTXA SHIFTXB TRNSPSRCB ZEROACC "
    "ZEROSRC",
    (7,): "RDCFG RMWCIB0 RMWCIB1 RMWCIB2 RMWCIB3 SETC16 WRCFG",
    tuple(range(9)): "STALLWAIT NOP",
}
"""Those of the vector unit are left out, which all begin alike, and those known by name only."""


@pytest.mark.parametrize("bits", TABLE)
def test_an_instruction_is_held_back_by_the_documented_bits(bits: tuple[int, ...]) -> None:
    assert {name: WORDS[name].unit.blocked for name in TABLE[bits].split()} == dict.fromkeys(
        TABLE[bits].split(), bits
    )


def test_instructions_of_the_vector_unit_are_held_back_by_the_last_bit() -> None:
    listed = " ".join(TABLE.values()).split()
    rest = [w for n, w in WORDS.items() if n not in listed and w.described is not Described.NAME]
    assert [w.mnemonic for w in rest if not w.mnemonic.startswith("SFP")] == []
    assert {w.unit.blocked for w in rest} == {(8,)}


def test_nop_alone_takes_all_bits_at_once() -> None:
    assert [name for name, word in WORDS.items() if word.unit.every] == ["NOP"]
