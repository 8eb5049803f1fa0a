"""Fields of the configuration of Wormhole: names, words and bits, as the public headers give them.

Each thread has 57 words of 16 bits, a bank 188 of 32 bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nasm.targets.tensix.layouts.layout import ConfigLayout, ConfigWord, fields_by_name, sections

THREAD_WORDS: Final = 57
CONFIG_WORDS: Final = 188
SCALAR: Final = 52
"""The first word whose fields begin with THCON\\_; the scalar unit writes up to ``GLOBAL``."""
GLOBAL: Final = 152
"""The first word of which there is one; a write to it goes to both banks."""


DESCRIPTOR: Final = "REG0_TileDescriptor_"
"""What fields of the later words of a tile descriptor are called here: the headers name its first
word alone, the page of unpacks the fields. BlobsYStart lies in two words."""


_AB = "SrcAIncr:6 SrcACR:1 SrcAClear:1 SrcBIncr:6 SrcBCR:1 SrcBClear:1"
_DST = "DestIncr:10 DestCR:1 DestClear:1 DestCToCR:1 FidelityIncr:2 FidelityClear:1"
_PACK = (
    "YsrcIncr:4 YsrcCR:1 YsrcClear:1 YdstIncr:4 YdstCR:1 YdstClear:1 "
    "ZsrcIncr:1 ZsrcClear:1 ZdstIncr:1 ZdstClear:1"
)
_CONTEXT = "CfgContextOffset_{0}:4 CfgContextCntReset_{0}:1 CfgContextCntInc_{0}:1"

_THREAD = (
    ConfigWord(0, "CFG_STATE_ID_", "StateID:1"),
    ConfigWord(1, "DEST_TARGET_REG_CFG_MATH_", "Offset:12"),
    ConfigWord(2, "ADDR_MOD_SET_", "Base:1"),
    ConfigWord(3, "SRCA_SET_", "Base:2 SetOvrdWithAddr:1"),
    ConfigWord(4, "SRCB_SET_", "Base:2"),
    ConfigWord(5, "CLR_DVALID_", "SrcA_Disable:1 SrcB_Disable:1"),
    ConfigWord(6, "FIDELITY_BASE_", "Phase:2"),
    *sections(7, 8, "ADDR_MOD_AB_SEC{}_", _AB, 2),
    *sections(8, 8, "ADDR_MOD_AB_SEC{}_", "BiasCntIncr:4 BiasCntClear:1", 2),
    *sections(23, 8, "ADDR_MOD_DST_SEC{}_", _DST),
    *sections(31, 8, "ADDR_MOD_PACK_SEC{}_", _PACK),
    ConfigWord(39, "UNPACK_MISC_CFG_", f"{_CONTEXT.format(0)} -:2 {_CONTEXT.format(1)}"),
    *(
        ConfigWord(40 + i, "NOC_OVERLAY_MSG_CLEAR_", f"StreamId_{i}:6 -:2 MsgNum_{i}:3")
        for i in range(2)
    ),
    ConfigWord(
        42,
        "CG_CTRL_EN_",
        "Regblocks:1 Fpu:1 Fpu_mtile:1 Fpu_sfpu:1 Move:1 Packer:4 Unpacker:2 Xsearch:1 Thcon:1 "
        "Trisc:1 Retmux:1 Ithread:1",
    ),
    ConfigWord(43, "CG_CTRL_EN_", "-:2 Hyst:7"),
    ConfigWord(
        44,
        "CG_CTRL_KICK_",
        "Regblocks:1 Fpu:1 Move:1 Packer:4 Unpacker:2 Xsearch:1 Thcon:1 Trisc:1 Retmux:1 Ithread:1",
    ),
    ConfigWord(45, "PERF_CNT_CMD_", " ".join(f"Cmd{i}Start:1 Cmd{i}Stop:1" for i in range(4))),
    ConfigWord(46, "ENABLE_ACC_STATS_", "Enable:1"),
    ConfigWord(47, "FPU_BIAS_SEL_", "Pointer:1"),
    *sections(48, 8, "ADDR_MOD_BIAS_SEC{}_", "BiasIncr:4 BiasClear:1"),
    ConfigWord(56, "FP16A_FORCE_", "Enable:1"),
)

_XY, _ZW = "Xstride:12 Ystride:12", "Zstride:12 Wstride:16"
_ROW_SETS = " ".join(f"row_set_mapping_{i}:2" for i in range(16))
_FACE_SETS = " ".join(f"face_set_mapping_{i}:2" for i in range(16))
_COUNTERS = (
    "pack_per_xy_plane:8 pack_reads_per_xy_plane:8 pack_xys_per_tile:7 pack_yz_transposed:1 "
    "pack_per_xy_plane_offset:8"
)

_ALU = (
    ConfigWord(
        0,
        "ALU_FORMAT_SPEC_REG_",
        "SrcA_val:4 SrcA_override:1 SrcB_val:4 SrcB_override:1 Dstacc_val:4 Dstacc_override:1",
    ),
    ConfigWord(
        1,
        "ALU_ROUNDING_MODE_",
        "Fpu_srnd_en:1 Gasket_srnd_en:1 Packer_srnd_en:1 Padding:10 GS_LF:1 Bfp8_HF:1 "
        ".ALU_FORMAT_SPEC_REG0_SrcAUnsigned:1 .ALU_FORMAT_SPEC_REG0_SrcBUnsigned:1 "
        ".ALU_FORMAT_SPEC_REG0_SrcA:4 .ALU_FORMAT_SPEC_REG1_SrcB:4 .ALU_FORMAT_SPEC_REG2_Dstacc:4 "
        ".ALU_ACC_CTRL_Fp32_enabled:1 .ALU_ACC_CTRL_SFPU_Fp32_enabled:1 "
        ".ALU_ACC_CTRL_INT8_math_enabled:1",
    ),
    ConfigWord(
        2,
        "DISABLE_RISC_BP_Disable_",
        ".ALU_ACC_CTRL_Zero_Flag_disabled_src:1 .ALU_ACC_CTRL_Zero_Flag_disabled_dst:1 "
        ".STACC_RELU_ApplyRelu:4 .STACC_RELU_ReluThreshold:16 main:1 trisc:3 ncrisc:1 "
        "bmp_clear_main:1 bmp_clear_trisc:3 bmp_clear_ncrisc:1",
    ),
    ConfigWord(
        3, "ECC_SCRUBBER_", "Enable:1 Scrub_On_Error:1 Scrub_On_Error_Immediately:1 Delay:11"
    ),
    ConfigWord(4, "STATE_RESET_", "EN:1"),
    ConfigWord(5, "DEST_OFFSET_", "Enable:1"),
    ConfigWord(6, "DEST_REGW_BASE_", "Base:16"),
    ConfigWord(7, "INT_DESCALE_", "Enable:1 Mode:1"),
)

_STREAMS = (
    *sections(8, 2, "PCK0_ADDR_CTRL_XY_REG_{}_", _XY, 2),
    *sections(9, 2, "PCK0_ADDR_CTRL_ZW_REG_{}_", _ZW, 2),
    *sections(12, 2, "PCK0_ADDR_BASE_REG_{}_", "Base:16"),
    ConfigWord(
        14, "PCK_DEST_RD_CTRL_", "Read_32b_data:1 Read_unsigned:1 Read_int8:1 Round_10b_mant:1"
    ),
    ConfigWord(15, "PCK_EDGE_TILE_FACE_SET_SELECT_", "select:8 enable:1"),
    *sections(16, 4, "TILE_ROW_SET_MAPPING_{}_", _ROW_SETS),
    ConfigWord(
        20,
        "PCK_EDGE_OFFSET_SEC0_",
        "mask:16 .PCK_EDGE_MODE_mode:1 .PCK_EDGE_TILE_ROW_SET_SELECT_select:8",
    ),
    *(ConfigWord(20 + i, f"PCK_EDGE_OFFSET_SEC{i}_", "mask:16") for i in range(1, 4)),
    *sections(24, 4, "PACK_COUNTERS_SEC{}_", _COUNTERS),
    *sections(28, 4, "PACK_CONCAT_MASK_SEC{}_", "pack_concat_mask:16"),
    *sections(32, 4, "TILE_FACE_SET_MAPPING_{}_", _FACE_SETS),
    *sections(36, 2, "UNP{}_ADDR_CTRL_XY_REG_0_", _XY, 2),
    *sections(37, 2, "UNP{}_ADDR_CTRL_ZW_REG_0_", _ZW, 2),
    *sections(40, 2, "UNP{}_ADDR_BASE_REG_", "0_Base:16 1_Base:16", 8),
    *sections(
        41, 2, "UNP{}_", "FORCED_SHARED_EXP_shared_exp:8 ADD_DEST_ADDR_CNTR_add_dest_addr_cntr:1", 8
    ),
    ConfigWord(42, "UNP0_BLOBS_Y_START_CNTX_01_", "blobs_y_start:32"),
    ConfigWord(43, "UNP0_BLOBS_Y_START_CNTX_23_", "blobs_y_start:32"),
    *sections(44, 2, "UNP{}_ADDR_CTRL_XY_REG_1_", _XY, 2),
    *sections(45, 2, "UNP{}_ADDR_CTRL_ZW_REG_1_", _ZW, 2),
)


def _packer(first: int, name: str, zero: str) -> Iterator[ConfigWord]:
    """The four words of a packer."""
    prefix = f"THCON_{name}_"
    yield ConfigWord(first, prefix, "Row_start_section_size:16 Exp_section_size:16")
    yield ConfigWord(first + 1, prefix, "L1_Dest_addr:32")
    yield ConfigWord(
        first + 2,
        prefix,
        "Disable_zero_compress:1 Add_l1_dest_addr_offset:1 Addr_cnt_context:2 Out_data_format:4 "
        "In_data_format:4 Dis_shared_exp_assembler:1 Force_pack_per_max_xy_plane:1 "
        f"Enable_out_fifo:1 Sub_l1_tile_header_size:1 Source_interface_selection:1 {zero} "
        "L1_source_addr:8",
    )
    yield ConfigWord(
        first + 3,
        prefix,
        "Downsample_mask:16 Downsample_rate:3 Read_mode:1 Exp_threshold_en:1 Pack_L1_Acc:1 "
        "Disable_pack_zero_flags:1 -:1 Exp_threshold:8",
    )


def _each(name: str, width: int, contexts: range) -> str:
    return " ".join(f"{name}{i}:{width}" for i in contexts)


def descriptor_words(at: int, name: str) -> Iterator[ConfigWord]:
    """The fields of a tile descriptor, whose first word is ``at``."""
    yield ConfigWord(
        at,
        name + DESCRIPTOR,
        "InDataFormat:4 IsUncompressed:1 NoBFPExpSection:1 -:2 BlobsPerXYPlane:3 -:5 XDim:16",
    )
    yield ConfigWord(at + 1, name + DESCRIPTOR, "YDim:8 -:8 ZDim:8")
    yield ConfigWord(at + 2, name + DESCRIPTOR, "WDim:8 -:8 BlobsYStart_low:16")
    yield ConfigWord(at + 3, name + DESCRIPTOR, "BlobsYStart_high:16 -:8 DigestSize:8")


def _unpacker(section: int) -> Iterator[ConfigWord]:
    """The words of an unpacker, with those of the mover and of limits between them."""
    at, name = SCALAR + 40 * section, f"THCON_SEC{section}_"
    low, high = range(4), range(4, 8)
    yield ConfigWord(at, name + "REG0_", "TileDescriptor:32")
    yield from descriptor_words(at, name)
    yield ConfigWord(
        at + 8,
        name + "REG2_",
        "Out_data_format:4 Throttle_mode:2 Context_count:2 Haloize_mode:1 Tileize_mode:1 "
        "Unpack_Src_Reg_Set_Upd:1 Unpack_If_Sel:1 Upsample_rate:2 Ovrd_data_format:1 "
        f"Upsample_and_interleave:1 {_each('Shift_amount_cntx', 4, low)}",
    )
    yield ConfigWord(
        at + 9,
        name + "REG2_",
        f"{_each('Disable_zero_compress_cntx', 1, low)} {_each('Unpack_if_sel_cntx', 1, low)} "
        f"Force_shared_exp:1 -:7 {_each('Disable_zero_compress_cntx', 1, high)} "
        f"{_each('Unpack_if_sel_cntx', 1, high)}",
    )
    yield ConfigWord(at + 10, name + "REG2_", "Unpack_limit_address:17")
    yield ConfigWord(at + 11, name + "REG2_", "Unpack_fifo_size:17")
    yield ConfigWord(at + 12, name + "REG3_", "Base_address:32")
    for i in range(1, 8):
        yield ConfigWord(at + 12 + i, f"{name}REG{3 + i // 4}_", f"Base_cntx{i}_address:32")
    for i in (0, 2):
        pair = range(i, i + 2)
        addresses = " ".join(f"Dest_cntx{c}_address:16" for c in pair)
        yield ConfigWord(at + 20 + i // 2, name + "REG5_", addresses)
        yield ConfigWord(at + 22 + i // 2, name + "REG5_", _each("Tile_x_dim_cntx", 16, pair))
    yield ConfigWord(at + 24, name + "REG6_", "Source_address:32")
    yield ConfigWord(at + 25, name + "REG6_", "Destination_address:32")
    yield ConfigWord(at + 26, name + "REG6_", "Buffer_size:30 Transfer_direction:2")
    for i in low:
        formats = " ".join(
            f"Unpack_data_format_cntx{c}:4 Unpack_out_data_format_cntx{c}:4" for c in (i, i + 4)
        )
        offset = f"Offset_cntx{i}_address:16" if i else "Offset_address:16"
        yield ConfigWord(at + 28 + i, name + "REG7_", f"{offset} {formats}")
    for i, which in enumerate(("Pack_0_2", "Pack_1_3")):
        yield ConfigWord(at + 36 + 2 * i, name + "REG9_", f"{which}_limit_address:17")
        yield ConfigWord(at + 37 + 2 * i, name + "REG9_", f"{which}_fifo_size:17")


_ALL_ZERO = (
    "All_pack_disable_zero_compress:4 All_pack_disable_zero_compress_ovrd:1 "
    "Add_tile_header_size:1 -:1"
)
_ONE_ZERO = "Add_tile_header_size:1 -:6"

_GLOBAL = (
    *sections(GLOBAL, 4, "DEST_TARGET_REG_CFG_PACK_SEC{}_", "Offset:12 ZOffset:6"),
    ConfigWord(156, "CG_SRC_PIPELINE_", "GateSrcAPipeEn:1 GateSrcBPipeEn:1"),
    ConfigWord(157, "RISCV_IC_INVALIDATE_", "InvalidateAll:5"),
    *sections(158, 3, "TRISC_RESET_PC_SEC{}_", "PC:32"),
    ConfigWord(161, "TRISC_RESET_PC_OVERRIDE_", "Reset_PC_Override_en:3"),
    ConfigWord(162, "NCRISC_RESET_PC_", "PC:32"),
    ConfigWord(163, "NCRISC_RESET_PC_OVERRIDE_", "Reset_PC_Override_en:1"),
    ConfigWord(164, "PRNG_SEED_", "Seed_Val:32"),
    *sections(165, 16, "INT_DESCALE_VALUES_SEC{}_", "Value:32"),
    *sections(181, 3, "TRISC_END_PC_SEC{}_", "PC:32"),
    ConfigWord(184, "BRISC_END_PC_", "PC:32"),
    ConfigWord(185, "NOC_RISC_END_PC_", "PC:32"),
    ConfigWord(
        186, "RISC_PREFETCH_CTRL_", "Enable_Trisc:3 Enable_Brisc:1 Enable_NocRisc:1 Max_Req_Count:8"
    ),
)

_CONFIG = (
    *_ALU,
    *_STREAMS,
    *_unpacker(0),
    *_unpacker(1),
    *_packer(56, "SEC0_REG1", _ALL_ZERO),
    *_packer(84, "SEC0_REG8", _ONE_ZERO),
    *_packer(96, "SEC1_REG1", _ALL_ZERO),
    *_packer(124, "SEC1_REG8", _ONE_ZERO),
    *_GLOBAL,
)


FIELDS: Final = fields_by_name(_THREAD, _CONFIG)
"""Every field of Wormhole by name."""

WORMHOLE_LAYOUT: Final = ConfigLayout(
    FIELDS,
    thread_words=THREAD_WORDS,
    words=CONFIG_WORDS,
    scalar=SCALAR,
    shared=GLOBAL,
    thread_step=4,
    both_banks=False,
)
