"""Blackhole: how instructions differ there from their rows, which are as Wormhole has them.

Names, order and places of operands are those of tt-llk's macros (``assembly.yaml`` of Blackhole).
What is not listed is as on Wormhole, as the public simulator has both. What Blackhole adds is in
rows of its own, in the files of the units.
"""

from typing import Any, Final

from nasm.base.records import replace
from nasm.isa.field_values import bits_of_mask, one_of
from nasm.targets.tensix.core import costs, waits
from nasm.targets.tensix.isa import modes as own_modes
from nasm.targets.tensix.isa.declared import RowChange
from nasm.targets.tensix.isa.matrix import modes
from nasm.targets.tensix.isa.setups import (
    FROM_DST_HERE,
    IN_SOURCES_HERE,
    OF_CONFIGURATION,
    PACKED_HERE,
    UNPACKED_HERE,
)
from nasm.targets.tensix.isa.table import CHANGES, ChipChanges
from nasm.targets.tensix.isa.vector.blackhole import CHANGED as OF_VECTOR
from nasm.targets.tensix.matrix import blackhole
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

INTERFACES: Final = one_of(
    "",
    """
    0b0000 - ALL_INTF_ACTIVE          all four rows
    0b1111 - ALL_INTF_ACTIVE_ONES     all four rows
    0b0001 - SINGLE_INTF_ACTIVE       the first row
    0b0011 - TWO_INTFS_ACTIVE         rows 0 and 1
    0b0111 - THREE_INTFS_ACTIVE       rows 0 to 2
    0b0101 - _0th_AND_2nd_INTF_ACTIVE rows 0 and 2
    0b1010 - _1st_AND_3rd_INTF_ACTIVE rows 1 and 3
    """,
    scope="p_pacr",
)

_DOCUMENTED: Final = RowChange(described=Described.DOCS)


def _matrix(moved: str = "addr_mode[16:14] AddrMod[16:14]", **more: Any) -> RowChange:
    """An instruction of the matrix unit, which names all address modifiers."""
    return RowChange(
        moved=moved, values={"AddrMod": ADDR_MODS}, **{"setup": IN_SOURCES_HERE, **more}
    )


_OF_SOURCES: Final = _matrix()
_OF_DST: Final = f"{OF_CONFIGURATION}\n{FROM_DST_HERE}"
_LONE: Final = RowChange(moved="addr_mode[16:14]", values={"addr_mode": ADDR_MODS})
_POOL: Final = RowChange(moved="addr_mode>pool_addr_mode[17:15] dst[13:0]")

_ZEROACC: Final = Word(
    0x10,
    "ZEROACC",
    MATRIX,
    "Clear rows of Dst, or mark them as undefined.",
    "clear_mode[23:19] use_32_bit_mode[18] clear_zero_flags[17] addr_mode[16:14] where[9:0]",
    values={"clear_mode": modes.CLEARED_BITS, "addr_mode": ADDR_MODS},
)

_PACR: Final = Word(
    0x41,
    "PACR",
    PACK,
    "Pack elements of Dst into L1.",
    "CfgContext[22:21] RowPadZero[20:18] DstAccessMode[17] AddrMode[16:15] AddrCntContext[14:13] "
    "ZeroWrite[12] ReadIntfSel[11:8] OvrdThreadId[7] Concat[6:4] CtxtCtrl[3:2] Flush[1] Last[0]",
    values={
        "AddrMode": one_of(
            "",
            "\n".join(
                f"{n} - ADDR_MOD_{n} counters move by ADDR_MOD_PACK_SEC{n}" for n in range(4)
            ),
        ),
        "ReadIntfSel": INTERFACES,
        "DstAccessMode": one_of(
            "",
            """
            0 - DST_ACCESS_NORMAL_MODE   rows next to each other
            1 - DST_ACCESS_STRIDED_MODE  rows 16 apart
            """,
            scope="p_pacr",
        ),
        "ZeroWrite": one_of(
            "",
            """
            0 - P_ZERO_OUTPUT_DISABLED/NO_ZERO_WRITE  what Dst has
            1 - P_ZERO_OUTPUT_ENABLED/ZERO_WRITE      zeros
            """,
            scope="p_pacr",
        ),
    },
    meanings={"ReadIntfSel": "the rows that are read, of a group of four: bit n is row n"},
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
    forms="Unpack_block_selection[23] Stream_Id[22:16] Msg_Clr_Cnt[15:12] Set_Dvalid[11:8] "
    "Clr_to1_fmt_Ctrl[7:6] Stall_Clr_Cntrl[5] Bank_Clr_Ctrl[4] Src_ClrVal_Ctrl[3:2] "
    "Unpack_Pop[1:0]",
    values={
        "Unpack_block_selection": own_modes.TURNED,
        "Unpack_Pop": one_of(
            "",
            """
            0 - UNP_POP  frees buffers of the overlay, which is not modelled
            1 - CLR_SRC  clears a bank
            2 - UNP_NOP  nothing, for a turn of the unpacker
            """,
            scope="p_unpacr_nop",
        ),
        "Src_ClrVal_Ctrl": one_of(
            "",
            """
            0 - CLR_SRC_0       to 0
            1 - CLR_SRC_NEGINF  to minus infinity, of SrcA
            2 - CLR_SRC_1       to 1
            3 - CLR_SRC_IMM     to a number of the configuration
            """,
            scope="p_unpacr_nop",
        ),
    },
    meanings={
        "Unpack_block_selection": "which unpacker",
        "Set_Dvalid": "bit 0: the bank belongs to the matrix unit then",
        "Bank_Clr_Ctrl": "1 clears both banks",
        "Stall_Clr_Cntrl": "the clearing waits until the unpackers own the matrix unit's bank, "
        "or with 1 their own",
    },
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
    **dict.fromkeys(("LOADREG", "STOREREG"), _DOCUMENTED),
    "XMOV": RowChange(missing="its page has differences of Blackhole that no source gives"),
    "ZEROACC": RowChange(
        word=_ZEROACC,
        semantics=blackhole.ZEROACC,
        setup=FROM_DST_HERE,
        example="ZEROACC clear_mode=1, where=0",
    ),
    **dict.fromkeys(("MOVA2D", "MVMUL", "ELWMUL", "ELWADD", "ELWSUB"), _OF_SOURCES),
    **dict.fromkeys(("DOTPV", "SHIFTXB"), replace(_OF_SOURCES, described=Described.TREE)),
    **dict.fromkeys(("MOVD2A", "MOVD2B"), _matrix(setup=_OF_DST)),
    "MOVDBGA2D": _matrix(
        setup=f"{_OF_DST}\nMOVD2A Move4Rows=1, DstRow=0", described=Described.TREE
    ),
    "MOVB2A": RowChange(
        moved="addr_mode[16:14] instr_mod[13:12]",
        values={"addr_mode": ADDR_MODS},
        setup=IN_SOURCES_HERE,
    ),
    "MOVB2D": _matrix(
        "instr_mod>movb2d_instr_mod[13:11] addr_mode[16:14] AddrMod[16:14] Move4Rows[13] "
        "Broadcast1RowTo8[12] BroadcastCol0[11]"
    ),
    **dict.fromkeys(
        ("GMPOOL", "GAPOOL"), _matrix("addr_mode>pool_addr_mode[17:15] AddrMod[17:15]")
    ),
    **dict.fromkeys(("CONV3S1", "CONV3S2", "MFCONV3S1"), _LONE),
    **dict.fromkeys(("MPOOL3S1", "APOOL3S1", "MPOOL3S2", "APOOL3S2"), _POOL),
    **dict.fromkeys(("ZEROSRC", "TRNSPSRCB", "CLEARDVALID"), RowChange(setup=IN_SOURCES_HERE)),
    "SHIFTXA": RowChange(setup=IN_SOURCES_HERE, described=Described.TREE),
    "CLREXPHIST": RowChange(described=Described.TREE),
    "SETDVALID": RowChange(
        described=Described.DOCS,
        semantics=blackhole.SETDVALID,
        hazard="Which format a bank has then is undefined: what needs it is refused, unless the "
        "thread sets DISABLE_IMPLIED_SRCA_FMT_Base or DISABLE_IMPLIED_SRCB_FMT_Base. UNPACR_NOP "
        "with Set_Dvalid gives it one. Its page discourages its use.",
    ),
    "PACR": RowChange(
        word=_PACR,
        described=Described.DOCS,
        semantics=blackhole.PACR,
        costs=costs.of_interfaces,
        setup=PACKED_HERE,
        example="PACR Last=1",
        formula="L1[address] = 1 to 4 rows of Dst, converted; or += with Pack_L1_Acc",
        hazard="It writes to THCON_SEC0_REG1_L1_Dest_addr, in units of 16 bytes less 1, from the "
        "rows of Dst at DEST_TARGET_REG_CFG_PACK_SEC0_Offset, of each the numbers that X selects, "
        "16 at most. It waits for the packer, and not for Dst: post a semaphore after STALLWAIT "
        "with ConditionMask MATH, or WAIT_SFPU, and wait for it here (E0553). Before addresses "
        "change, and before Dst is given back, wait with ConditionMask PACK.",
    ),
    "PACR_SETREG": RowChange(
        word=_PACR_SETREG,
        setup="",
        example="PACR_SETREG Push=1, AddrSel=1",
        missing="what registers do outside of the coprocessor is not modelled either",
    ),
    "UNPACR": RowChange(
        moved="rareb_en>srcb_bcast[5]",
        described=Described.DOCS,
        setup=UNPACKED_HERE,
        example="UNPACR WhichUnpacker=0, MultiContextMode=1, FlipSrc=1",
    ),
    "UNPACR_NOP": RowChange(
        word=_UNPACR_NOP,
        described=Described.YAML,
        semantics=blackhole.UNPACR_NOP,
        waits=waits.to_clear_by_fields,
        setup="",
        example="UNPACR_NOP Unpacker_Select=1, Set_Dvalid=1, Unpack_Pop=1",
    ),
}

CHANGES["blackhole"] = ChipChanges("Blackhole A0", {**_OTHERS, **OF_VECTOR})
