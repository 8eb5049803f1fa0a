"""The mover, the packers and the unpackers."""

from nasm.targets.tensix.core import costs, durations, instruction_start, waits
from nasm.targets.tensix.isa import modes
from nasm.targets.tensix.isa.setups import MOVED, PACKED, UNPACKED
from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.matrix import pack, unpack
from nasm.targets.tensix.scalar import mover
from nasm.targets.tensix.words.groups import SettingGroup
from nasm.targets.tensix.words.units import BUFFER, MOVER, PACK, UNPACK
from nasm.targets.tensix.words.word import Described, Word

UNIT = Family(__name__)

XMOV = UNIT.row(
    Word(
        0x40,
        "XMOV",
        MOVER,
        "Start the mover: a copy of aligned 16-byte units.",
        "Mov_block_selection[23] Last[22:0]",
        forms="0[23]",
    ),
    mover.XMOV,
    cost=costs.of_move,
    lasts=durations.of_move,
    starts=instruction_start.moving,
    setup=MOVED,
    example="XMOV",
    formula="L1 = L1 or zeros, by the configuration of the mover",
    hazard="It works while its thread continues: wait for it with ConditionMask XMOV, before "
    "what it moved is used, and before its configuration changes.",
)

PACR = UNIT.row(
    Word(
        0x41,
        "PACR",
        PACK,
        "Pack elements of Dst into L1.",
        "AddrMode[16:15] ZeroWrite[12] PackSel[11:8] OvrdThreadId[7] Concat[4] Flush[1] Last[0]",
        forms="0[23] AddrMod[16:15] ZeroWrite[12] PackerMask[11:8] OvrdThreadId[7] Concat[4] "
        "Flush[1] Last[0]",
        values={"ZeroWrite": modes.ZEROS_PACKED, "PackerMask": modes.PACKERS},
    ),
    pack.PACR,
    cost=costs.of_pack,
    lasts=durations.of_pack,
    starts=instruction_start.packing,
    setup=PACKED,
    example="PACR PackerMask=1, Last=1",
    formula="L1[address of each packer] = Dst, converted; or += with Pack_L1_Acc",
    hazard="Packers 0 to 3 write to THCON_SEC0_REG1_L1_Dest_addr, THCON_SEC0_REG8_…, "
    "THCON_SEC1_REG1_… and THCON_SEC1_REG8_…, in units of 16 bytes and less 1, from the rows of "
    "Dst at DEST_TARGET_REG_CFG_PACK_SEC0_Offset to SEC3_Offset. "
    "It waits for the packers that it names. It does not wait for Dst: post a semaphore "
    "after STALLWAIT with ConditionMask MATH, or WAIT_SFPU, and wait for it here (E0553). "
    "Before addresses change, and before Dst is given back, wait with ConditionMask PACK.",
)

UNPACR = UNIT.row(
    Word(
        0x42,
        "UNPACR",
        UNPACK,
        "Unpack elements of L1 into SrcA, SrcB or Dst; or step a context, or drop cached rows.",
        "Unpack_block_selection[23] AddrMode[22:15] CfgContextCntInc[13] "
        "CfgContextId[12:10] AddrCntContextId[9:8] OvrdThreadId[7] SetDatValid[6] "
        "rareb_en[5] ZeroWrite2[4] AutoIncContextID[3] RowSearch[2] SearchCacheFlush[1] "
        "Last[0]",
        forms={
            "regular": "WhichUnpacker[23] Ch1YInc[22:21] Ch1ZInc[20:19] Ch0YInc[18:17] "
            "Ch0ZInc[16:15] 0[13] ContextNumber[12:10] ContextADC[9:8] "
            "MultiContextMode[7] FlipSrc[6] AllDatumsAreZero[4] "
            "UseContextCounter[3] RowSearch[2] 0[1]",
            "context counter": "WhichUnpacker[23] 1[13] 0[1]",
            "flush cache": "WhichUnpacker[23] MultiContextMode[7] 1[1]",
        },
        values={"WhichUnpacker": modes.UNPACKERS, "rareb_en": modes.RAREFIED},
    ),
    unpack.UNPACR,
    cost=costs.of_unpack,
    lasts=durations.of_unpack,
    starts=instruction_start.unpacking,
    waits=waits.to_unpack,
    setup=UNPACKED,
    settings=SettingGroup.DESCRIPTOR,
    example="UNPACR WhichUnpacker=0, FlipSrc=1",
    formula="SrcA, SrcB or Dst = L1[address], converted",
    hazard="It reads from THCON_SEC0_REG3_Base_address, or THCON_SEC1_…, in units of 16 bytes and "
    "less 1 if a header is skipped; the tile descriptor and counters say where from there. "
    "It waits for its unpacker, and 2 cycles after another one for its addresses. It does "
    "not wait for what writes L1. Before its addresses or formats change, wait with "
    "ConditionMask UNPACK.",
)

UNPACR_NOP = UNIT.row(
    Word(
        0x43,
        "UNPACR_NOP",
        UNPACK,
        "Clear a bank, set it valid, or only take a turn of the unpacker.",
        "Unpack_block_selection[23] NoOp[22:0]",
        described=Described.YAML,
        values={"NoOp": modes.TURNS, "Unpack_block_selection": modes.TURNED},
    ),
    unpack.UNPACR_NOP,
    cost=costs.of_unpack_nop,
    starts=instruction_start.clearing,
    waits=waits.to_clear,
    example="UNPACR_NOP Unpack_block_selection=1, NoOp=7",
    formula="a bank = 0 or minus infinity, or is given to the matrix unit",
    hazard="It waits for its unpacker.",
)

PACR_SETREG = UNIT.row(
    Word(
        0x4A,
        "PACR_SETREG",
        PACK,
        "Flush the packers and write to a register of the memory map.",
        "Push[23] AddrSel[22] WrData[21:12] PackSel[11:8] StreamId[7:2] Flush[1] Last[0]",
        forms="1[23] AddrSel[22] Value10[21:12] 0xF[11:8] AddrMid[7:2] 1[1]",
    ),
    cost=costs.FRONT,
    formula="a register of the memory map = Value10, after the packers are flushed",
    hazard="It is not executed: what registers do outside of the coprocessor is not modelled.",
)

TBUFCMD = UNIT.row(Word(0x4B, "TBUFCMD", BUFFER, "Reserved; named only.", described=Described.NAME))
