"""Fields of the configuration of Blackhole: names, words and bits, as the public headers give them.

Each thread has 68 words of 16 bits, a bank 224 of 32 bits. Source: the vendor's simulator, which
takes them from ``cfg_defines.h``, to which the ISA documentation of Blackhole A0 refers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nasm.targets.tensix.layouts.layout import ConfigLayout, ConfigWord, fields_by_name, sections
from nasm.targets.tensix.layouts.wormhole import descriptor_words

_SCALAR: Final = 64
"""The first word whose fields begin with THCON\\_."""
_SHARED: Final = 180
"""The first word of which there is one."""
_SECTION: Final = 48
"""Words of a section of THCON."""

_THREAD = (
    ConfigWord(0, "CFG_STATE_ID_", "StateID:1"),
    ConfigWord(1, "DEST_TARGET_REG_CFG_MATH_", "Offset:12"),
    ConfigWord(2, "DISABLE_IMPLIED_SRCA_FMT_", "Base:1"),
    ConfigWord(3, "DISABLE_IMPLIED_SRCB_FMT_", "Base:1"),
    ConfigWord(4, "SFPU_DEST_FMT_", "Enable:1 Base:4"),
    ConfigWord(5, "SRCA_SET_", "Base:2 SetOvrdWithAddr:1"),
    ConfigWord(6, "SRCB_SET_", "Base:2"),
    ConfigWord(7, "CLR_DVALID_", "SrcA_Disable:1 SrcB_Disable:1"),
    ConfigWord(8, "SCBD_BANK_MASK_32b_", "Enable:1"),
    ConfigWord(9, "PACK_SCBD_BANK_MASK_32b_", "Enable:1"),
    ConfigWord(10, "UNPACK_SCBD_BANK_MASK_32b_", "Enable:1"),
    ConfigWord(11, "FIDELITY_BASE_", "Phase:2"),
    *sections(
        12,
        8,
        "ADDR_MOD_AB_SEC{}_",
        "SrcAIncr:6 SrcACR:1 SrcAClear:1 SrcBIncr:6 SrcBCR:1 SrcBClear:1",
    ),
    *sections(20, 8, "ADDR_MOD_AB2_SEC{}_", "SrcAIncr:1 SrcBIncr:1"),
    *sections(
        28,
        8,
        "ADDR_MOD_DST_SEC{}_",
        "DestIncr:10 DestCR:1 DestClear:1 DestCToCR:1 FidelityIncr:2 FidelityClear:1",
    ),
    ConfigWord(36, "SFPU_STACK_", "Incr:10"),
    *sections(
        37,
        4,
        "ADDR_MOD_PACK_SEC{}_",
        "YsrcIncr:4 YsrcCR:1 YsrcClear:1 YdstIncr:4 YdstCR:1 YdstClear:1 ZsrcIncr:1 "
        "ZsrcClear:1 ZdstIncr:1 ZdstClear:1",
    ),
    ConfigWord(
        41,
        "UNPACK_MISC_CFG_",
        "CfgContextOffset_0:4 CfgContextCntReset_0:1 CfgContextCntInc_0:1 -:2 "
        "CfgContextOffset_1:4 CfgContextCntReset_1:1 CfgContextCntInc_1:1 "
        "CfgContextCntReset_metadata:1 CfgContextCntReset_metadata_zstart:1",
    ),
    ConfigWord(42, "NOC_OVERLAY_MSG_CLEAR_", "StreamId_0:6 -:2 MsgNum_0:3"),
    ConfigWord(43, "NOC_OVERLAY_MSG_CLEAR_", "StreamId_1:6 -:2 MsgNum_1:3"),
    ConfigWord(
        44,
        "PERF_CNT_CMD_",
        "Cmd0Start:1 Cmd0Stop:1 Cmd1Start:1 Cmd1Stop:1 Cmd2Start:1 Cmd2Stop:1 "
        "Cmd3Start:1 Cmd3Stop:1",
    ),
    ConfigWord(45, "ENABLE_ACC_STATS_", "Enable:1"),
    ConfigWord(46, "FPU_BIAS_SEL_", "Pointer:1"),
    *sections(47, 8, "ADDR_MOD_BIAS_SEC{}_", "BiasIncr:4 BiasClear:1"),
    ConfigWord(55, "FP16A_FORCE_", "Enable:1"),
    ConfigWord(
        56,
        "TENSIX_TRISC_SYNC_",
        "TrackGlobalCfg:1 EnSubdividedCfgForUnpacr:1 TrackGPR:1 TrackTDMARegs:1 "
        "TrackTensixInstructions:1",
    ),
    ConfigWord(57, "STREAMWAIT_PHASE_HI_", "Val:10"),
    ConfigWord(58, "STREAMWAIT_NUM_MSGS_HI_", "Val:7"),
    *sections(59, 4, "STREAM_ID_SYNC_SEC{}_", "BankSel:6"),
    *sections(63, 4, "STREAM_ID_TRISC_SEC{}_", "BankSel:6"),
    ConfigWord(67, "TENSIX_CSR_CONFIG_", "RawBusyStatus:1"),
)

_SECTION_WORDS = (
    ConfigWord(0, "REG0_", "TileDescriptor:32"),
    ConfigWord(4, "REG1_", "Row_start_section_size:16 Exp_section_size:16"),
    ConfigWord(5, "REG1_", "L1_Dest_addr:32"),
    ConfigWord(
        6,
        "REG1_",
        "Disable_zero_compress:1 Add_l1_dest_addr_offset:1 Disable_pack_zero_flags:1 "
        "ovrd_default_throttle_mode:1 Out_data_format:4 In_data_format:4 "
        "Dis_shared_exp_assembler:1 Auto_set_last_pacr_intf_sel:1 Enable_out_fifo:1 "
        "Sub_l1_tile_header_size:1 Source_interface_selection:1 pack_start_intf_pos:4 "
        "All_pack_disable_zero_compress_ovrd:1 Add_tile_header_size:1 "
        "pack_dis_y_pos_start_offset:1 L1_source_addr:8",
    ),
    ConfigWord(
        7,
        "REG1_",
        "Downsample_mask:16 Downsample_rate:3 Pack_L1_Acc:1 Exp_threshold_en:1 -:1 "
        "Unp_LF8_4b_exp:1 Pac_LF8_4b_exp:1 Exp_threshold:8",
    ),
    ConfigWord(
        8,
        "REG2_",
        "Out_data_format:4 Throttle_mode:2 Context_count:2 Haloize_mode:1 "
        "Tileize_mode:1 Unpack_Src_Reg_Set_Upd:1 Unpack_If_Sel:1 Upsample_rate:2 "
        "Ovrd_data_format:1 Upsample_and_interleave:1 Shift_amount_cntx0:4 "
        "Shift_amount_cntx1:4 Shift_amount_cntx2:4 Shift_amount_cntx3:4",
    ),
    ConfigWord(
        9,
        "REG2_",
        "Disable_zero_compress_cntx0:1 Disable_zero_compress_cntx1:1 "
        "Disable_zero_compress_cntx2:1 Disable_zero_compress_cntx3:1 "
        "Unpack_if_sel_cntx0:1 Unpack_if_sel_cntx1:1 Unpack_if_sel_cntx2:1 "
        "Unpack_if_sel_cntx3:1 Force_shared_exp:1 Context_count_non_log2:3 "
        "Context_count_non_log2_en:1 -:3 Disable_zero_compress_cntx4:1 "
        "Disable_zero_compress_cntx5:1 Disable_zero_compress_cntx6:1 "
        "Disable_zero_compress_cntx7:1 Unpack_if_sel_cntx4:1 Unpack_if_sel_cntx5:1 "
        "Unpack_if_sel_cntx6:1 Unpack_if_sel_cntx7:1 Metadata_x_end:8",
    ),
    ConfigWord(10, "REG2_", "Unpack_limit_address:17"),
    ConfigWord(11, "REG2_", "Unpack_fifo_size:17"),
    ConfigWord(12, "REG3_", "Base_address:32"),
    ConfigWord(13, "REG3_", "Base_cntx1_address:32"),
    ConfigWord(14, "REG3_", "Base_cntx2_address:32"),
    ConfigWord(15, "REG3_", "Base_cntx3_address:32"),
    ConfigWord(16, "REG4_", "Base_cntx4_address:32"),
    ConfigWord(17, "REG4_", "Base_cntx5_address:32"),
    ConfigWord(18, "REG4_", "Base_cntx6_address:32"),
    ConfigWord(19, "REG4_", "Base_cntx7_address:32"),
    ConfigWord(20, "REG5_", "Dest_cntx0_address:16 Dest_cntx1_address:16"),
    ConfigWord(21, "REG5_", "Dest_cntx2_address:16 Dest_cntx3_address:16"),
    ConfigWord(22, "REG5_", "Tile_x_dim_cntx0:16 Tile_x_dim_cntx1:16"),
    ConfigWord(23, "REG5_", "Tile_x_dim_cntx2:16 Tile_x_dim_cntx3:16"),
    ConfigWord(24, "REG6_", "Source_address:32"),
    ConfigWord(25, "REG6_", "Destination_address:32"),
    ConfigWord(26, "REG6_", "Buffer_size:30 Transfer_direction:2"),
    ConfigWord(27, "REG6_", "Metadata_misc:32"),
    ConfigWord(
        28,
        "REG7_",
        "Offset_address:16 Unpack_data_format_cntx0:4 Unpack_out_data_format_cntx0:4 "
        "Unpack_data_format_cntx4:4 Unpack_out_data_format_cntx4:4",
    ),
    ConfigWord(
        29,
        "REG7_",
        "Offset_cntx1_address:16 Unpack_data_format_cntx1:4 "
        "Unpack_out_data_format_cntx1:4 Unpack_data_format_cntx5:4 "
        "Unpack_out_data_format_cntx5:4",
    ),
    ConfigWord(
        30,
        "REG7_",
        "Offset_cntx2_address:16 Unpack_data_format_cntx2:4 "
        "Unpack_out_data_format_cntx2:4 Unpack_data_format_cntx6:4 "
        "Unpack_out_data_format_cntx6:4",
    ),
    ConfigWord(
        31,
        "REG7_",
        "Offset_cntx3_address:16 Unpack_data_format_cntx3:4 "
        "Unpack_out_data_format_cntx3:4 Unpack_data_format_cntx7:4 "
        "Unpack_out_data_format_cntx7:4",
    ),
    ConfigWord(32, "REG8_", "Row_start_section_size:16 Exp_section_size:16"),
    ConfigWord(33, "REG8_", "L1_Dest_addr:32"),
    ConfigWord(
        34,
        "REG8_",
        "Disable_zero_compress:1 Add_l1_dest_addr_offset:1 Disable_pack_zero_flags:1 "
        "Unused1:1 Out_data_format:4 In_data_format:4 Dis_shared_exp_assembler:1 "
        "Auto_set_last_pacr_intf_sel:1 Enable_out_fifo:1 Sub_l1_tile_header_size:1 "
        "Source_interface_selection:1 Add_tile_header_size:1 "
        "pack_dis_y_pos_start_offset:1 unpack_tile_offset:5 L1_source_addr:8",
    ),
    ConfigWord(
        35,
        "REG8_",
        "Downsample_mask:16 Downsample_rate:3 Pack_L1_Acc:1 Exp_threshold_en:1 -:3 Exp_threshold:8",
    ),
    ConfigWord(36, "REG9_", "Pack_0_2_limit_address:17"),
    ConfigWord(37, "REG9_", "Pack_0_2_fifo_size:17"),
    ConfigWord(38, "REG9_", "Pack_1_3_limit_address:17"),
    ConfigWord(39, "REG9_", "Pack_1_3_fifo_size:17"),
    ConfigWord(40, "REG10_", "Unpack_limit_address:17"),
    ConfigWord(41, "REG10_", "Unpack_fifo_size:17 Unpack_limit_address_en:1"),
    ConfigWord(42, "REG10_", "Unpacker_Reg_Wr_Addr:24"),
    ConfigWord(43, "REG10_", "Packer_Reg_Wr_Addr:24"),
    ConfigWord(44, "REG11_", "Metadata_l1_addr:32"),
    ConfigWord(45, "REG11_", "Metadata_limit_addr:32"),
    ConfigWord(46, "REG11_", "Metadata_fifo_size:32"),
    ConfigWord(
        47, "REG11_", "Metadata_z_cntr_rst_unpacr_count:8 Metadata_cntxt_switch_unpacr_count:8"
    ),
)
"""The words of either section of THCON, counted from its first."""


def _scalar() -> Iterator[ConfigWord]:
    for section in (0, 1):
        at, name = _SCALAR + _SECTION * section, f"THCON_SEC{section}_"
        for word in _SECTION_WORDS:
            yield ConfigWord(at + word.number, name + word.prefix, word.fields)
        yield from descriptor_words(at, name)


_CONFIG = (
    ConfigWord(
        0,
        "ALU_FORMAT_SPEC_REG_",
        "SrcA_val:4 SrcA_override:1 SrcB_val:4 SrcB_override:1 Dstacc_val:4 Dstacc_override:1",
    ),
    ConfigWord(
        1,
        "ALU_",
        "ROUNDING_MODE_Fpu_srnd_en:1 ROUNDING_MODE_Gasket_srnd_en:1 "
        "ROUNDING_MODE_Packer_srnd_en:1 ROUNDING_MODE_Padding:10 "
        "ROUNDING_MODE_GS_LF:1 ROUNDING_MODE_Bfp8_HF:1 "
        "FORMAT_SPEC_REG0_SrcAUnsigned:1 FORMAT_SPEC_REG0_SrcBUnsigned:1 "
        "FORMAT_SPEC_REG0_SrcA:4 FORMAT_SPEC_REG1_SrcB:4 FORMAT_SPEC_REG2_Dstacc:4 "
        "ACC_CTRL_Fp32_enabled:1 ACC_CTRL_SFPU_Fp32_enabled:1 "
        "ACC_CTRL_INT8_math_enabled:1",
    ),
    ConfigWord(
        2,
        "",
        ".ALU_ACC_CTRL_Zero_Flag_disabled_src:1 "
        ".ALU_ACC_CTRL_Zero_Flag_disabled_dst:1 .STACC_RELU_ApplyRelu:4 "
        ".STACC_RELU_ReluThreshold:16 .DISABLE_RISC_BP_Disable_main:1 "
        ".DISABLE_RISC_BP_Disable_trisc:3 .DISABLE_RISC_BP_Disable_ncrisc:1 "
        ".DISABLE_RISC_BP_Disable_bmp_clear_main:1 "
        ".DISABLE_RISC_BP_Disable_bmp_clear_trisc:3 "
        ".DISABLE_RISC_BP_Disable_bmp_clear_ncrisc:1",
    ),
    ConfigWord(
        3,
        "",
        ".ECC_SCRUBBER_Enable:1 .ECC_SCRUBBER_Scrub_On_Error:1 "
        ".ECC_SCRUBBER_Scrub_On_Error_Immediately:1 .ECC_SCRUBBER_Delay:11 "
        ".RISC_DEST_ACCESS_CTRL_SEC0_no_swizzle:1 "
        ".RISC_DEST_ACCESS_CTRL_SEC0_unsigned_int:1 .RISC_DEST_ACCESS_CTRL_SEC0_fmt:3 "
        ".RISC_DEST_ACCESS_CTRL_SEC1_no_swizzle:1 "
        ".RISC_DEST_ACCESS_CTRL_SEC1_unsigned_int:1 .RISC_DEST_ACCESS_CTRL_SEC1_fmt:3 "
        ".RISC_DEST_ACCESS_CTRL_SEC2_no_swizzle:1 "
        ".RISC_DEST_ACCESS_CTRL_SEC2_unsigned_int:1 .RISC_DEST_ACCESS_CTRL_SEC2_fmt:3",
    ),
    ConfigWord(4, "STATE_RESET_", "EN:1"),
    ConfigWord(5, "DEST_OFFSET_", "Enable:1"),
    ConfigWord(6, "DEST_REGW_BASE_", "Base:16"),
    ConfigWord(7, "DEST_SP_BASE_", "Base:16"),
    ConfigWord(8, "INT_DESCALE_", "Enable:1 Mode:1"),
    ConfigWord(12, "PCK0_ADDR_CTRL_XY_REG_0_", "Xstride:16 Ystride:16"),
    ConfigWord(13, "PCK0_ADDR_CTRL_ZW_REG_0_", "Zstride:16 Wstride:16"),
    ConfigWord(14, "PCK0_ADDR_CTRL_XY_REG_1_", "Xstride:16 Ystride:16"),
    ConfigWord(15, "PCK0_ADDR_CTRL_ZW_REG_1_", "Zstride:16 Wstride:16"),
    *sections(16, 2, "PCK0_ADDR_BASE_REG_{}_", "Base:18"),
    ConfigWord(
        18, "PCK_DEST_RD_CTRL_", "Read_32b_data:1 Read_unsigned:1 Read_int8:1 Round_10b_mant:1"
    ),
    ConfigWord(19, "PCK_EDGE_TILE_FACE_SET_SELECT_", "select:8 enable:1"),
    *sections(
        20,
        4,
        "TILE_ROW_SET_MAPPING_{}_row_set_mapping_",
        "0:2 1:2 2:2 3:2 4:2 5:2 6:2 7:2 8:2 9:2 10:2 11:2 12:2 13:2 14:2 15:2",
    ),
    ConfigWord(24, "PCK_EDGE_", "OFFSET_SEC0_mask:16 MODE_mode:1 TILE_ROW_SET_SELECT_select:8"),
    ConfigWord(25, "PCK_EDGE_OFFSET_SEC1_", "mask:16"),
    ConfigWord(26, "PCK_EDGE_OFFSET_SEC2_", "mask:16"),
    ConfigWord(27, "PCK_EDGE_OFFSET_SEC3_", "mask:16"),
    *sections(
        28,
        4,
        "PACK_COUNTERS_SEC{}_",
        "pack_per_xy_plane:8 pack_reads_per_xy_plane:8 pack_xys_per_tile:7 "
        "pack_yz_transposed:1 auto_ctxt_inc_xys_cnt:8",
    ),
    *sections(32, 4, "PACK_CONCAT_MASK_SEC{}_pack_concat_", "mask:16"),
    *sections(
        36,
        4,
        "TILE_FACE_SET_MAPPING_{}_face_set_mapping_",
        "0:2 1:2 2:2 3:2 4:2 5:2 6:2 7:2 8:2 9:2 10:2 11:2 12:2 13:2 14:2 15:2",
    ),
    ConfigWord(40, "PACK_GLOBAL_CFG_CTL_pack_disable_fast_tile_end_", "drain:1"),
    ConfigWord(44, "UNP0_ADDR_CTRL_XY_REG_0_", "Xstride:16 Ystride:16"),
    ConfigWord(45, "UNP0_ADDR_CTRL_ZW_REG_0_", "Zstride:16 Wstride:16"),
    ConfigWord(46, "UNP1_ADDR_CTRL_XY_REG_0_", "Xstride:16 Ystride:16"),
    ConfigWord(47, "UNP1_ADDR_CTRL_ZW_REG_0_", "Zstride:16 Wstride:16"),
    *sections(48, 2, "UNP0_ADDR_BASE_REG_{}_", "Base:18"),
    ConfigWord(
        50, "UNP0_", "FORCED_SHARED_EXP_shared_exp:8 ADD_DEST_ADDR_CNTR_add_dest_addr_cntr:1"
    ),
    ConfigWord(51, "UNP0_BLOBS_Y_START_CNTX_01_blobs_y_", "start:32"),
    ConfigWord(52, "UNP0_BLOBS_Y_START_CNTX_23_blobs_y_", "start:32"),
    ConfigWord(53, "UNP0_NOP_REG_CLR_VAL_nop_reg_clr_", "val:32"),
    ConfigWord(56, "UNP0_ADDR_CTRL_XY_REG_1_", "Xstride:16 Ystride:16"),
    ConfigWord(57, "UNP0_ADDR_CTRL_ZW_REG_1_", "Zstride:16 Wstride:16"),
    ConfigWord(58, "UNP1_ADDR_CTRL_XY_REG_1_", "Xstride:16 Ystride:16"),
    ConfigWord(59, "UNP1_ADDR_CTRL_ZW_REG_1_", "Zstride:16 Wstride:16"),
    *sections(60, 2, "UNP1_ADDR_BASE_REG_{}_", "Base:18"),
    ConfigWord(
        62, "UNP1_", "FORCED_SHARED_EXP_shared_exp:8 ADD_DEST_ADDR_CNTR_add_dest_addr_cntr:1"
    ),
    ConfigWord(63, "UNP1_NOP_REG_CLR_VAL_nop_reg_clr_", "val:32"),
    *sections(180, 4, "DEST_TARGET_REG_CFG_PACK_SEC{}_", "Offset:12 ZOffset:6"),
    ConfigWord(184, "CG_SRC_PIPELINE_", "GateSrcAPipeEn:1 GateSrcBPipeEn:1"),
    ConfigWord(185, "RISCV_IC_INVALIDATE_", "InvalidateAll:5"),
    ConfigWord(186, "PRNG_SEED_Seed_", "Val:32"),
    *sections(187, 16, "INT_DESCALE_VALUES_SEC{}_", "Value:32"),
    *sections(203, 3, "TRISC_END_PC_SEC{}_", "PC:32"),
    ConfigWord(206, "BRISC_END_PC_", "PC:32"),
    ConfigWord(207, "NOC_RISC_END_PC_", "PC:32"),
    ConfigWord(
        208, "RISC_PREFETCH_CTRL_", "Enable_Trisc:3 Enable_Brisc:1 Enable_NocRisc:1 Max_Req_Count:8"
    ),
    *sections(209, 3, "SCRATCH_SEC{}_", "val:32"),
    ConfigWord(212, "L1_CACHE_TAG_SEARCH_ACCEL_", "Search_Enable:1 Start_Addr:17"),
    ConfigWord(213, "L1_CACHE_TAG_SEARCH_ACCEL_End_", "Addr:17"),
    ConfigWord(214, "L1_CACHE_TAG_SEARCH_ACCEL_Tag_Value_", "low:32"),
    ConfigWord(215, "L1_CACHE_TAG_SEARCH_ACCEL_Tag_Value_", "high:32"),
    ConfigWord(216, "L1_CACHE_TAG_SEARCH_ACCEL_", "Tag_Width:2 Valid_bit_section_start_addr:17"),
    ConfigWord(217, "L1_CACHE_TAG_SEARCH_ACCEL_Valid_bit_section_end_", "addr:17"),
    ConfigWord(218, "L1_CACHE_TAG_SEARCH_ACCEL_Data_Valid_", "bit_section_start_addr:17 chk:1"),
    ConfigWord(
        219,
        "L1_CACHE_TAG_SEARCH_ACCEL_",
        "Data_Valid_offset:24 Tag_inv:1 Tag_inv_all:1 Tag_alloc:1",
    ),
    ConfigWord(
        220,
        "DEST_ACCESS_CFG_",
        "swizzle_32b:1 remap_addrs:1 disable_full_write_dest_q_bypass:1 "
        "zeroacc_absolute_tile_mode:1",
    ),
    ConfigWord(
        221,
        "SRC_ACCESS_CFG_",
        "math_view_srca_as_one_bank:1 math_view_srcb_as_one_bank:1 "
        "disable_contig_srca_dvalid_phase:1 disable_contig_srcb_dvalid_phase:1",
    ),
    ConfigWord(222, "CHICKEN_BITS_sfpu_scbd_", "disable:1"),
)

BLACKHOLE_LAYOUT: Final = ConfigLayout(
    fields_by_name(_THREAD, (*_CONFIG, *_scalar())),
    thread_words=68,
    words=224,
    scalar=_SCALAR,
    shared=_SHARED,
    thread_step=1,
    both_banks=True,
)
