"""Words worked out by hand from the bit positions of the documents, and what is refused."""

from __future__ import annotations

import pytest

from nasm.debugger.session import Session
from tests.tables import each
from tests.tensix.words.programs import made, problem, word


@each(
    ("line", "wanted"),
    [
        ("NOP", 0x02000000),
        ("MOP 1, 3, 0x1234", 0x01000000 | 1 << 23 | 3 << 16 | 0x1234),
        ("REPLAY start_idx=4, len=16, load_mode=1", 0x04000000 | 4 << 14 | 16 << 4 | 1),
        ("MVMUL 3, 1, 2, 8", 0x26000000 | 3 << 22 | 1 << 19 | 2 << 15 | 8),
        ("SFPMAD 1, 2, 3, 4, 5", 0x84000000 | 1 << 16 | 2 << 12 | 3 << 8 | 4 << 4 | 5),
        ("SFPLOADI 2, 0, 0x3f80", 0x71000000 | 2 << 20 | 0x3F80),
        ("SEMWAIT 0x1ff, 0x0a, 3", 0xA6000000 | 0x1FF << 15 | 0x0A << 2 | 3),
        ("STALLWAIT 0x40, 0x80", 0xA2000000 | 0x40 << 15 | 0x80),
        ("SEMINIT 4, 1, 2", 0xA3000000 | 4 << 20 | 1 << 16 | 2 << 2),
        ("SEMINIT max_value=4, init_value=1, sem_sel=2", 0xA3000000 | 4 << 20 | 1 << 16 | 2 << 2),
        ("WRCFG 5, 1, 0x123", 0xB0000000 | 5 << 16 | 1 << 15 | 0x123),
        ("RDCFG 5, 0x123", 0xB1000000 | 5 << 16 | 0x123),
        ("MOP_CFG 0x1234", 0x03001234),
        ("REPLAY 4, 16, 1, 0", 0x04000000 | 4 << 14 | 16 << 4 | 1 << 1),
        ("PACR 1, 1, 15, 0, 0, 1, 1", 0x41000000 | 1 << 15 | 1 << 12 | 15 << 8 | 1 << 1 | 1),
        ("SETADCXX 4, 1023, 1", 0x5E000000 | 4 << 21 | 1023 << 10 | 1),
        ("SETC16 12, 0xbeef", 0xB2000000 | 12 << 16 | 0xBEEF),
        ("RMWCIB2 0xf0, 0x50, 7", 0xB5000000 | 0xF0 << 16 | 0x50 << 8 | 7),
        ("SETRWC 0, 4, 8, 0, 0, 4", 0x37000000 | 4 << 18 | 8 << 14 | 4),
        ("SETADC 4, 1, 2, 0x3ffff", 0x50000000 | 4 << 21 | 1 << 20 | 2 << 18 | 0x3FFFF),
        ("XMOV", 0x40000000),
        ("SFPDIVP2 0xfff, 1, 2, 1", 0x76FFF121),
        ("SETPKEDGOF 1, 2, 3, 4", 0x1D000000 | 1 << 12 | 2 << 8 | 3 << 4 | 4),
    ],
)
def test_operands_are_written_in_the_order_of_the_macros(line: str, wanted: int) -> None:
    assert word(line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("MVMUL FlipSrcB=1, DstRow=3", 0x26000000 | 1 << 23 | 3),
        ("MVMUL FlipSrcA=1, dst=3", 0x26000000 | 1 << 22 | 3),
        ("SETADCXY ThreadOverride=2, Y1Val=5", 0x51000000 | 2 << 18 | 5 << 15),
        ("ZEROACC Revert=1, AddrMod=2, Mode=1", 0x10000000 | 1 << 18 | 2 << 15 | 1 << 19),
        ("UNPACR WhichUnpacker=1, Ch1YInc=2, Ch0ZInc=1", 0x42000000 | 1 << 23 | 2 << 21 | 1 << 15),
        ("SFPLOADMACRO MacroIndex=2, VDLo=1, Imm9=5, VDHi=1", 0x93000000 | 9 << 20 | 11),
        ("SFPSHFT2 VB=3, VD=1", 0x94000000 | 3 << 12 | 1 << 4),
        ("SFPSHFT2 Imm12=-1, VD=1", 0x94FFF010),
        ("SFPIADD Imm12=-2, VC=1", 0x79FFE100),
        ("SFPIADD 0xffe, 1", 0x79FFE100),
        ("PACR_SETREG Value10=3, AddrMid=1", 0x4A000000 | 1 << 23 | 3 << 12 | 15 << 8 | 1 << 2 | 2),
    ],
)
def test_documents_name_operands_and_their_parts(line: str, wanted: int) -> None:
    assert word(line) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("ADDDMAREG ResultReg=1, RightReg=2, LeftReg=3", 0x58000000 | 1 << 12 | 2 << 6 | 3),
        ("ADDDMAREG RightImm6=2, LeftReg=3", 0x58000000 | 1 << 23 | 2 << 6 | 3),
        ("SETDMAREG NewValue=0xabcd, ResultHalfReg=5", 0x45ABCD05),
        ("SETDMAREG 0, 0xabcd, 0, 5", 0x45ABCD05),
        ("SETDMAREG InputSource=3", 0x45000000 | 3 << 11 | 1 << 7),
        ("REG2FLOP ADCSel=2, InputReg=1", 0x48000000 | 1 << 21 | 2 << 9 | 1),
        ("REG2FLOP ThConCfgIndex=9, InputReg=1", 0x48000000 | 9 << 6 | 1),
        ("STOREIND Size=2, DataReg=4", 0x66000000 | 1 << 23 | 2 << 21 | 4 << 6),
        ("STOREIND 1, 0, 2, 0, 0, 4, 0", 0x66000000 | 1 << 23 | 2 << 21 | 4 << 6),
        ("STOREIND StoreToSrcB=1", 0x66000000 | 1 << 21),
    ],
)
def test_fields_tell_the_form(line: str, wanted: int) -> None:
    assert word(line) == wanted


@each(
    ("line", "code", "said"),
    [
        ("MVMUL dst=1024", "E0301", "from 0 to 1023 (bits 9..0), found 1024"),
        ("MVMUL FlipSrcA=2", "E0301", "FlipSrcA of MVMUL: wanted an integer from 0 to 1 (bit 22)"),
        ("MVMUL AddrMod=-1", "E0301", "from 0 to 3 (bits 16..15), found -1"),
        ("MVMUL DstRow=1.5", "E0301", "found 1.5"),
        ("SFPIADD Imm12=-2049", "E0301", "from -2048 to 2047, or its bits (bits 23..12)"),
        ("MVMUL clear_dvalid=0, FlipSrcA=1", "E0309", "both have bit 22"),
        ("MVMUL 0, FlipSrcB=1", "E0309", "both have bit 23"),
        ("SETDMAREG NewValue=1, InputSource=1", "E0309", "both have bits 14..11"),
        ("REG2FLOP ThConCfgIndex=1, Shift8=1", "E0309", "fields of different forms"),
        (
            "ADDDMAREG OpBisConst=0, RightImm6=1",
            "E0309",
            "RightImm6 of ADDDMAREG is a field of its form 'immediate', in which bit 23 is 1; "
            "found OpBisConst=0",
        ),
        (
            "STOREIND SizeSel=1, OffsetHalfReg=3, StoreToSrcB=1",
            "E0309",
            "StoreToSrcB of STOREIND is a field of its form 'Src', in which bits 23..22 are 0; "
            "found SizeSel=1",
        ),
        ("SETDMAREG 1, 0xabcd, 0, 5", "E0309", "reaches into Payload_SigSelSize"),
        ("MVMUL DstRwo=1", "E0309", "no operand 'DstRwo'"),
        ("PACR_SETREG Push=0", "E0323", "bit 23 is 0"),
        ("MOVA2D instr_mod=1", "E0323", "bit 12 is set, and no document says for what"),
        (".word 0xff000000", "E0323", "no instruction has the opcode 0xff"),
        (".word 0x26007c00", "E0323", "MVMUL: bits 14..10 are set"),
        (".word 1 << 32", "E0301", "from 0 to 4294967295"),
        (".word -1", "E0301", "found -1"),
    ],
)
def test_what_no_word_holds_is_refused(line: str, code: str, said: str) -> None:
    found = problem(line)
    assert (found.code, said in found.message) == (code, True), found.message


def test_a_part_that_is_misspelt_is_meant() -> None:
    assert "did you mean 'DstRow'?" in problem("MVMUL DstRwo=1").hint


def test_a_word_is_the_instruction_that_it_is() -> None:
    [found] = made(".word 0x26400008").instructions
    [written] = made("MVMUL FlipSrcA=1, dst=8").instructions
    assert (found.row, found.operands) == (written.row, written.operands)


def test_a_negative_exponent_comes_with_the_bits_of_its_sign() -> None:
    [found] = made(".word 0x76ffe121").instructions
    assert found.operands[:4] == (0xFFE, 1, 2, 1)
    assert word("SFPDIVP2 Imm8=0xfe, VC=1, VD=2, Mod1=1") == 0x760FE121


def test_a_word_of_a_loop_follows_its_variable() -> None:
    lines = (".for k in 0..3", ".word 0xb2000000 | k", ".end")
    made_of = [i.operands[:2] for i in made(*lines).instructions]
    assert made_of == [(0, 0), (0, 1), (0, 2)]


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("RAREB", "E0701", "RAREB has no public semantics"),
        (".word 0xff000000, data=true", "E0701", "the word 0xff000000 is no instruction"),
    ],
)
def test_what_has_no_meaning_is_not_executed(line: str, code: str, said: str) -> None:
    report = Session(made(line)).run()
    [found] = report.problems
    assert (found.code, found.message.startswith(said)) == (code, True)
