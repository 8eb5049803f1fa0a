"""Opcodes and places of fields, copied by hand from tt-llk's ``assembly.yaml`` of Blackhole."""

from __future__ import annotations

import random

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.printing.words import text_of, words_of
from nasm.targets import TARGETS
from nasm.targets.tensix import TARGET
from tests.parts import part
from tests.tables import each
from tests.tensix.blackhole.cores import GENERATION, ROWS, WORDS

ADDED = {
    "RESOURCEDECL": (0x05, "op_class 0 resources 4 linger_time 13"),
    "MOVDBGB2D": (0x0C, "dst 0 movb2d_instr_mod 11 addr_mode 14 src 17 dest_32b_lo 23"),
    "SFPLE": (0x96, "instr_mod1 0 lreg_dest 4 lreg_c 8 imm12_math 12"),
    "SFPGT": (0x97, "instr_mod1 0 lreg_dest 4 lreg_c 8 imm12_math 12"),
    "SFPMUL24": (0x98, "instr_mod1 0 lreg_dest 4 lreg_src_c 8 lreg_src_b 12 lreg_src_a 16"),
    "SFPARECIP": (0x99, "instr_mod1 0 lreg_dest 4 lreg_c 8 imm12_math 12"),
    "STREAMWAIT": (0xA7, "wait_stream_sel 0 target_sel 3 target_value 4 stall_res 15"),
    "STREAMWRCFG": (0xB7, "CfgReg 0 StreamRegAddr 11 stream_id_sel 21"),
    "CFGSHIFTMASK": (
        0xB8,
        "CfgReg 0 scratch_sel 8 right_cshift_amt 10 mask_width 15 operation 20 "
        "disable_mask_on_old_val 23",
    ),
}
"""Opcode, and each operand with its first bit."""

MOVED = {
    "MOVD2A": "dst 0 instr_mod 12 addr_mode 14 src 17 dest_32b_lo 23",
    "MOVB2A": "srcb 0 instr_mod 12 addr_mode 14 srca 17",
    "MOVB2D": "dst 0 movb2d_instr_mod 11 addr_mode 14 src 17 dest_32b_lo 23",
    "ZEROACC": "where 0 addr_mode 14 clear_zero_flags 17 use_32_bit_mode 18 clear_mode 19",
    "SHIFTXB": "shift_row 0 rot_shift 10 addr_mode 14",
    "MVMUL": "dst 0 addr_mode 14 instr_mod19 19 clear_dvalid 22",
    "ELWADD": "dst 0 addr_mode 14 instr_mod19 19 dest_accum_en 21 clear_dvalid 22",
    "MPOOL3S1": "dst 0 index_en 14 pool_addr_mode 15 clear_dvalid 22",
    "GAPOOL": "dst 0 max_pool_index_en 14 pool_addr_mode 15 instr_mod19 19 clear_dvalid 22",
    "PACR": "Last 0 Flush 1 CtxtCtrl 2 Concat 4 OvrdThreadId 7 ReadIntfSel 8 ZeroWrite 12 "
    "AddrCntContext 13 AddrMode 15 DstAccessMode 17 RowPadZero 18 CfgContext 21",
    "PACR_SETREG": "Last 0 Flush 1 StreamId 2 AddrSel 8 DisableStall 10 Unused 12 ModeSel 22 "
    "Push 23",
    "UNPACR": "Last 0 SearchCacheFlush 1 RowSearch 2 AutoIncContextID 3 ZeroWrite2 4 "
    "srcb_bcast 5 SetDatValid 6 OvrdThreadId 7 AddrCntContextId 8 CfgContextId 10 "
    "CfgContextCntInc 13 AddrMode 15 Unpack_block_selection 23",
    "UNPACR_NOP": "Unpack_Pop 0 Src_ClrVal_Ctrl 2 Bank_Clr_Ctrl 4 Stall_Clr_Cntrl 5 "
    "Clr_to1_fmt_Ctrl 6 Set_Dvalid 8 Msg_Clr_Cnt 12 Stream_Id 16 Unpacker_Select 23",
    "SFPLOAD": "dest_reg_addr 0 sfpu_addr_mode 13 instr_mod0 16 lreg_ind 20",
    "SFPSTORE": "dest_reg_addr 0 sfpu_addr_mode 13 instr_mod0 16 lreg_ind 20",
    "MOP": "zmask_lo16_or_loop_count 0 loop_count 16 mop_type 23",
    "STALLWAIT": "wait_res 0 stall_res 15",
}


def places(name: str) -> dict[str, int]:
    encoding = ROWS[name].encoding
    assert encoding is not None
    return {one.name: one.low for one in encoding.operands}


def wanted(text: str) -> dict[str, int]:
    names = text.split()
    return dict(zip(names[::2], map(int, names[1::2]), strict=True))


def test_there_are_137_opcodes_nine_of_them_new() -> None:
    before = set(TARGET.words(TARGET.generations[0]).rows)  # type: ignore[union-attr]
    assert len(before) == 128
    assert {code: row.name for code, row in WORDS.rows.items() if code not in before} == {
        code: name for name, (code, _) in ADDED.items()
    }
    assert len(WORDS.rows) == 137


@each("name", ADDED)
def test_what_is_new_has_its_operands_where_the_macros_have_them(name: str) -> None:
    assert places(name) == wanted(ADDED[name][1])


@each("name", MOVED)
def test_operands_have_moved(name: str) -> None:
    assert places(name) == wanted(MOVED[name])


def test_other_words_are_as_on_wormhole() -> None:
    alike = 0  # 31 of these 128 have operands of other names, or at other bits
    for name, row in ROWS.items():
        base = TARGET.isa.rows[name]
        if row.encoding is not None and base.encoding is not None and name not in ADDED:
            assert row.encoding.code == base.encoding.code
            alike += row.encoding.operands == base.encoding.operands
    assert alike == 128 - 31


@each("name", part(list(ROWS), 30))
def test_words_become_a_text_and_these_words_again(name: str) -> None:
    row, random_ = ROWS[name], random.Random(name)
    assert row.encoding is not None
    made = [
        row.encoding.code << 24 | random_.getrandbits(24) & row.encoding.known for _ in range(40)
    ]
    known = [word for word in made if not WORDS.reason(word)]
    assert known or name == "REPLAY"
    text = text_of(TARGET, "blackhole", {"t1": known})
    assert words_of(assemble(Source("words.nasm", text), TARGETS)).get("t1", []) == known


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("SFPLOAD VD=1, Mod0=2, AddrMod=7, Imm10=4", 0x70000000 | 1 << 20 | 2 << 16 | 7 << 13 | 4),
        ("MVMUL AddrMod=5, DstRow=8", 0x26000000 | 5 << 14 | 8),
        ("SFPMUL24 VA=1, VB=2, VC=9, VD=3, Mod1=UPPER", 0x98000000 | 0x12930 | 1),
        ("STALLWAIT STALL_MATH, WAIT_SFPU", 0xA2000000 | 0x40 << 15 | 0x800),
        ("SFP_STOCH_RND RoundingMode=ZERO, VC=1, VD=2", 0x8E000000 | 2 << 21 | 1 << 8 | 2 << 4),
        ("SFPAND VB=3, VC=1, VD=2, Mod1=USE_VB", 0x7E003121),
        ("CFGSHIFTMASK AluMode=SUB, ScratchIndex=3, CfgIndex=9", 0xB8000000 | 7 << 20 | 3 << 8 | 9),
    ],
)
def test_names_of_fields_and_values_are_those_of_blackhole(line: str, word: int) -> None:
    program = nasm.assemble(f".target blackhole\n@t1 {line}\n")
    assert words_of(program)["t1"] == [word]


@pytest.mark.parametrize("line", ["SFPGT VC=0, VD=1, Mod1=1", "SFPARECIP VC=0, VD=1"])
def test_wormhole_lacks_what_is_new(line: str) -> None:
    with pytest.raises(Failure) as raised:
        nasm.assemble(f".target wormhole\n@t1 {line}\n")
    (problem,) = raised.value.problems
    assert problem.code == "E0408"
    assert "Blackhole" in f"{problem.message} {problem.hint}"


def test_every_row_says_where_it_is_documented() -> None:
    sources = {name: row.source for name, row in ROWS.items()}
    assert [name for name, text in sources.items() if "Blackhole A0" not in text] == []
    assert GENERATION is not None
