"""The lines before the examples of rows, so that there is something for them to work on."""

from __future__ import annotations

from typing import Final

LANES: Final = "SFPLOADI VD=0, Mod0=0, Imm16=0x4000\nSFPLOADI VD=1, Mod0=0, Imm16=0xbf40"
"""L0 is 2.0 in every lane, L1 is -0.75."""

IN_DST: Final = f"{LANES}\nSFPSTORE VD=0, Mod0=2, Imm10=0\nSFPSTORE VD=1, Mod0=2, Imm10=2"
"""Rows 0 to 3 of Dst: 2.0 in even columns, -0.75 in odd ones."""

FROM_DST: Final = f"{IN_DST}\nSTALLWAIT BlockMask=0x40, ConditionMask=0x4000"
"""The same; the matrix unit waits for the vector unit."""

IN_SOURCES: Final = (
    f"{FROM_DST}\nMOVD2A Move4Rows=1, DstRow=0\nMOVD2B Move4Rows=1, DstRow=0\n"
    "MOVD2B SrcRow=16, Move4Rows=1, DstRow=0\nSETDVALID FlipSrcB=1, FlipSrcA=1"
)
"""Four such rows in SrcA, and twice in SrcB, which are the matrix unit's now."""

FLAGS: Final = "SFPENCC Imm2=3, Mod1=10"
"""Lanes are enabled by their flags, and all flags are set."""

SAVED_FLAGS: Final = f"{FLAGS}\nSFPPUSHC\nSFPSETCC VC=9, Mod1=2"
"""The same; such flags are on the stack, and then none is set any more."""

SEMAPHORE: Final = "SEMINIT NewMax=2, NewValue=1, SemaphoreMask=1"
"""Semaphore 0 is 1, and its maximum is 2."""

REGISTERS: Final = "SETDMAREG NewValue=6, ResultHalfReg=2\nSETDMAREG NewValue=7, ResultHalfReg=4"
"""GPR1 is 6, GPR2 is 7."""

IN_L1: Final = ".l1 x u32[64] input = iota\nSETDMAREG NewValue=16, ResultHalfReg=4"
"""x begins at address 0, as GPR1 has it; GPR2 is 16, which is the address of x[4]."""

MOVED: Final = """\
.l1 x u32[64] input = iota
.cfg THCON_SEC0_REG6_Source_address = 1
.cfg THCON_SEC0_REG6_Destination_address = 8
.cfg THCON_SEC0_REG6_Buffer_size = 2
.cfg THCON_SEC0_REG6_Transfer_direction = 3"""
"""The mover is to copy x[4] to x[11] over x[32] to x[39]: addresses are in units of 16 bytes."""

UNPACKED: Final = """\
.l1 x bf16[264] input = iota
.cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16
.cfg THCON_SEC0_REG0_TileDescriptor = 5 | 1 << 4 | 256 << 16
.cfg THCON_SEC0_REG2_Out_data_format = bf16
.cfg THCON_SEC0_REG5_Dest_cntx0_address = 64
@t0 .cfg SRCA_SET_SetOvrdWithAddr = 1
SETADCXX U0=1, X1Val=255, X0Val=0"""
"""Set unpacker 0 to read 256 numbers to SrcA, from byte 16 of L1 on, after the header."""

PACKED: Final = f"""\
.l1 x bf16[64] output
.cfg ALU_FORMAT_SPEC_REG2_Dstacc = bf16
.cfg PCK_EDGE_OFFSET_SEC0_mask = 0xffff
.cfg PCK0_ADDR_CTRL_XY_REG_0_Xstride = 2
.cfg PCK0_ADDR_CTRL_XY_REG_0_Ystride = 32
.cfg THCON_SEC0_REG1_Disable_zero_compress = 1
.cfg THCON_SEC0_REG1_In_data_format = bf16
.cfg THCON_SEC0_REG1_Out_data_format = bf16
.cfg THCON_SEC0_REG1_L1_Dest_addr = 0xffffffff
.cfg PACK_COUNTERS_SEC0_pack_reads_per_xy_plane = 16
SETADCXX PK=1, X1Val=63, X0Val=0
{IN_DST}
STALLWAIT BlockMask=4, ConditionMask=0x4000"""
"""Packer 0 is to write four rows of Dst to L1, from byte 0 on."""

EXPANDED: Final = """\
@t0 .cfg MOP1_OuterCount = 2
@t0 .cfg MOP1_InnerCount = 3
@t0 .cfg MOP1_StartOp: NOP
@t0 .cfg MOP1_EndOp0: NOP
@t0 .cfg MOP1_EndOp1: NOP
@t0 .cfg MOP1_LoopOp: SFPIADD VC=0, VD=0, Imm12=1, Mod1=1
@t0 .cfg MOP1_LoopOp1: NOP
@t0 .cfg MOP1_Loop0Last: SFPIADD VC=0, VD=0, Imm12=1, Mod1=1
@t0 .cfg MOP1_Loop1Last: SFPIADD VC=0, VD=0, Imm12=1, Mod1=1"""
"""The MOP expander is to add 1 to L0 six times."""

TABLE: Final = """\
SFPLOADI VD=0, Mod0=0, Imm16=0x4000
SFPLOADI VD=4, Mod0=0, Imm16=0x3f80
SFPLOADI VD=3, Mod0=0, Imm16=0x3f00"""
"""For what is looked up: L3 is 0.5, the coefficients in L0 and L4 are 2.0 and 1.0."""


# -- of Blackhole, where the condition of the vector unit is another bit, and banks have formats

FROM_DST_HERE: Final = f"{IN_DST}\nSTALLWAIT BlockMask=0x40, ConditionMask=0x800"
"""Four rows of Dst; the matrix unit waits for the vector unit."""

OF_CONFIGURATION: Final = (
    "@t0 .cfg DISABLE_IMPLIED_SRCA_FMT_Base = 1\n.cfg ALU_FORMAT_SPEC_REG0_SrcA = bf16"
)
"""The format of SrcA is that of the configuration, and not that of a bank."""

UNPACKED_HERE: Final = """\
.l1 x bf16[1032] input = iota
.cfg THCON_SEC0_REG0_TileDescriptor = 5 | 1 << 4
.cfg THCON_SEC0_REG2_Out_data_format = bf16
.cfg THCON_SEC0_REG2_Disable_zero_compress_cntx0 = 1
.cfg THCON_SEC0_REG5_Dest_cntx0_address = 64
.cfg THCON_SEC0_REG5_Tile_x_dim_cntx0 = 1024
@t0 .cfg SRCA_SET_SetOvrdWithAddr = 1
SETADCXX U1=1, U0=1, X1Val=1023, X0Val=0"""
"""Unpacker 0 is to read 1024 numbers to SrcA, from byte 16 of L1 on, after the header."""

IN_SOURCES_HERE: Final = f"""\
{UNPACKED_HERE}
.cfg THCON_SEC1_REG0_TileDescriptor = 5 | 1 << 4 | 1024 << 16
.cfg THCON_SEC1_REG2_Out_data_format = bf16
.cfg THCON_SEC1_REG2_Disable_zero_compress_cntx0 = 1
UNPACR WhichUnpacker=0, MultiContextMode=1, FlipSrc=1
UNPACR WhichUnpacker=1, MultiContextMode=1, FlipSrc=1"""
"""The numbers 0 to 1023 in SrcA and in SrcB, which are the matrix unit's once they are there."""

PACKED_HERE: Final = PACKED.replace("X1Val=63", "X1Val=15").replace("=0x4000", "=0x800")
"""The packer is to write four rows of Dst to L1, from byte 0 on."""
