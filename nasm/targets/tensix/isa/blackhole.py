"""Blackhole: how instructions differ there from their rows, which are as Wormhole has them.

Names, order and places of operands are those of tt-llk's macros (``assembly.yaml`` of Blackhole).
What is not listed is as on Wormhole, as the public simulator has both. What Blackhole adds is in
rows of its own, in the files of the units.
"""

from typing import Final

from nasm.base.records import replace
from nasm.isa.field_values import bits_of_mask, one_of
from nasm.targets.tensix.isa.declared import RowChange
from nasm.targets.tensix.isa.table import CHANGES, ChipChanges
from nasm.targets.tensix.isa.vector.blackhole import CHANGED as OF_VECTOR
from nasm.targets.tensix.words.units import MATRIX, PACK, UNPACK
from nasm.targets.tensix.words.word import Described, Word

CONDITIONS: Final = bits_of_mask(
    "",
    """
    0x1    C0  THCON              the scalar unit has requests of the thread in flight
    0x2    C1  UNPACK0            unpacker 0 has an instruction of the thread
    0x4    C2  UNPACK1            unpacker 1 has an instruction of the thread
    0x6    -   UNPACK             either unpacker has
    0x8    C3  PACK0/PACK         the packer has an instruction of the thread
    0x10   C4  MATH               the matrix unit has an instruction of the thread
    0x20   C5  SRCA_CLR           the unpackers do not own their bank of SrcA
    0x40   C6  SRCB_CLR           the unpackers do not own their bank of SrcB
    0x80   C7  SRCA_VLD           the matrix unit does not own its bank of SrcA
    0x100  C8  SRCB_VLD           the matrix unit does not own its bank of SrcB
    0x200  C9  XMOV               the mover has requests in flight
    0x400  C10 TRISC_CFG          the thread's RISC-V core has requests in flight
    0x800  C11 WAIT_SFPU/SFPU1    the vector unit has an instruction of the thread
    0x1000 C12 CFGEXU             the configuration unit has an instruction of any thread
    """,
)

ADDR_MODS: Final = one_of(
    "", "\n".join(f"{n} - ADDR_MOD_{n} counters move by ADDR_MOD_…_SEC{n}" for n in range(8))
)

_FORMATS: Final = "banks of SrcA and SrcB have implied formats there, and sums other roundings"
_UNPACKS: Final = "unpackers note the formats of banks there, and have other limits"
_PACKS: Final = "one packer there reads up to four rows of Dst, in place of four packers"

_DOCUMENTED: Final = RowChange(described=Described.DOCS)


def _matrix(moved: str = "", word: Word | None = None) -> RowChange:
    """An instruction of the matrix unit: it assembles, and is not executed."""
    return RowChange(
        moved=moved, word=word, values={"AddrMod": ADDR_MODS}, setup="", missing=_FORMATS
    )


_MOVED: Final = _matrix("addr_mode[16:14] AddrMod[16:14]")
_LONE: Final = RowChange(moved="addr_mode[16:14]", values={"addr_mode": ADDR_MODS})
_POOL: Final = RowChange(moved="addr_mode>pool_addr_mode[17:15] dst[13:0]")

_ZEROACC: Final = Word(
    0x10,
    "ZEROACC",
    MATRIX,
    "Clear rows of Dst, or mark them as undefined.",
    "clear_mode[23:19] use_32_bit_mode[18] clear_zero_flags[17] addr_mode[16:14] where[9:0]",
)

_PACR: Final = Word(
    0x41,
    "PACR",
    PACK,
    "Pack elements of Dst into L1.",
    "CfgContext[22:21] RowPadZero[20:18] DstAccessMode[17] AddrMode[16:15] AddrCntContext[14:13] "
    "ZeroWrite[12] ReadIntfSel[11:8] OvrdThreadId[7] Concat[6:4] CtxtCtrl[3:2] Flush[1] Last[0]",
    values={"AddrMode": one_of("", "0 - ADDR_MOD_0 counters move by ADDR_MOD_PACK_SEC0")},
)

_PACR_SETREG: Final = Word(
    0x4A,
    "PACR_SETREG",
    PACK,
    "Flush the packer and write to a register of the memory map.",
    "Push[23] ModeSel[22] Unused[21:12] DisableStall[11:10] AddrSel[9:8] StreamId[7:2] Flush[1] "
    "Last[0]",
)

_UNPACR_NOP: Final = Word(
    0x43,
    "UNPACR_NOP",
    UNPACK,
    "Clear a bank, set it valid, or only take a turn of the unpacker.",
    "Unpacker_Select[23] Stream_Id[22:16] Msg_Clr_Cnt[15:12] Set_Dvalid[11:8] "
    "Clr_to1_fmt_Ctrl[7:6] Stall_Clr_Cntrl[5] Bank_Clr_Ctrl[4] Src_ClrVal_Ctrl[3:2] "
    "Unpack_Pop[1:0]",
)

_OTHERS: Final = {
    **dict.fromkeys(("MOP_CFG", "SEMINIT", "SEMPOST", "SEMGET", "SETC16", "WRCFG"), _DOCUMENTED),
    **dict.fromkeys(("RDCFG", "RMWCIB0", "RMWCIB1", "RMWCIB2", "RMWCIB3"), _DOCUMENTED),
    "MOP": RowChange(moved="zmask_lo16>zmask_lo16_or_loop_count[15:0]", described=Described.DOCS),
    "REPLAY": _DOCUMENTED,
    "ATGETM": RowChange(described=Described.DOCS, meanings={"Index": "the mutex: 0, or 2 to 4"}),
    "ATRELM": RowChange(meanings={"Index": "the mutex: 0, or 2 to 4"}),
    "STALLWAIT": RowChange(
        moved="wait_res[14:0] ConditionMask[12:0]",
        described=Described.DOCS,
        values={"ConditionMask": CONDITIONS, "wait_res": CONDITIONS},
        meanings={
            "ConditionMask": "what they wait for: while any of these holds; 0 means C0 to C3"
        },
        example="STALLWAIT BlockMask=0x40, ConditionMask=0x800",
    ),
    "SEMWAIT": RowChange(
        described=Described.DOCS, meanings={"ConditionMask": "what they wait for; 0 is undefined"}
    ),
    **dict.fromkeys(
        ("LOADREG", "STOREREG"), RowChange(missing="nor are the devices whose registers it reaches")
    ),
    "XMOV": RowChange(missing="its page has differences of Blackhole that no source gives"),
    "ZEROACC": replace(_matrix(word=_ZEROACC), example="ZEROACC clear_mode=3"),
    **dict.fromkeys(("MOVD2A", "MOVDBGA2D", "MOVD2B", "MOVA2D", "SHIFTXB", "MVMUL"), _MOVED),
    **dict.fromkeys(("ELWMUL", "ELWADD", "ELWSUB", "DOTPV"), _MOVED),
    "MOVB2A": _matrix("addr_mode[16:14] instr_mod[13:12]"),
    "MOVB2D": _matrix(
        "instr_mod>movb2d_instr_mod[13:11] addr_mode[16:14] AddrMod[16:14] Move4Rows[13] "
        "Broadcast1RowTo8[12] BroadcastCol0[11]"
    ),
    **dict.fromkeys(
        ("GMPOOL", "GAPOOL"), _matrix("addr_mode>pool_addr_mode[17:15] AddrMod[17:15]")
    ),
    **dict.fromkeys(("CONV3S1", "CONV3S2", "MFCONV3S1"), _LONE),
    **dict.fromkeys(("MPOOL3S1", "APOOL3S1", "MPOOL3S2", "APOOL3S2"), _POOL),
    **dict.fromkeys(
        ("ZEROSRC", "TRNSPSRCB", "SHIFTXA", "CLEARDVALID", "GATESRCRST", "CLREXPHIST", "SETDVALID"),
        RowChange(setup="", missing=_FORMATS),
    ),
    "PACR": RowChange(
        word=_PACR,
        described=Described.DOCS,
        setup="",
        example="PACR ReadIntfSel=1, Last=1",
        missing=_PACKS,
    ),
    "PACR_SETREG": RowChange(
        word=_PACR_SETREG, setup="", example="PACR_SETREG Push=1, AddrSel=1", missing=_PACKS
    ),
    "UNPACR": RowChange(
        moved="rareb_en>srcb_bcast[5]", described=Described.DOCS, setup="", missing=_UNPACKS
    ),
    "UNPACR_NOP": RowChange(
        word=_UNPACR_NOP,
        described=Described.YAML,
        setup="",
        example="UNPACR_NOP Unpacker_Select=1, Set_Dvalid=1",
        missing=_UNPACKS,
    ),
}

CHANGES["blackhole"] = ChipChanges("Blackhole A0", {**_OTHERS, **OF_VECTOR})
