"""Configuration by name: where fields are, banks, global words, and what a write does besides."""

from __future__ import annotations

import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.layouts.layout import ConfigField
from nasm.targets.tensix.layouts.wormhole import FIELDS
from nasm.targets.tensix.scalar import config
from tests.tables import each
from tests.tensix.scalar.cores import made

FACTS = {
    "CFG_STATE_ID_StateID": ("thread", 0, 0, 1),
    "DEST_TARGET_REG_CFG_MATH_Offset": ("thread", 1, 0, 12),
    "SRCA_SET_SetOvrdWithAddr": ("thread", 3, 2, 1),
    "CLR_DVALID_SrcB_Disable": ("thread", 5, 1, 1),
    "ADDR_MOD_AB_SEC3_SrcBClear": ("thread", 13, 15, 1),
    "ADDR_MOD_DST_SEC7_FidelityIncr": ("thread", 30, 13, 2),
    "ADDR_MOD_PACK_SEC0_YdstIncr": ("thread", 31, 6, 4),
    "ADDR_MOD_PACK_SEC3_ZdstClear": ("thread", 34, 15, 1),
    "UNPACK_MISC_CFG_CfgContextCntReset_1": ("thread", 39, 12, 1),
    "ADDR_MOD_BIAS_SEC7_BiasClear": ("thread", 55, 4, 1),
    "ALU_FORMAT_SPEC_REG0_SrcA": ("config", 1, 17, 4),
    "ALU_FORMAT_SPEC_REG1_SrcB": ("config", 1, 21, 4),
    "ALU_ACC_CTRL_INT8_math_enabled": ("config", 1, 31, 1),
    "STACC_RELU_ReluThreshold": ("config", 2, 6, 16),
    "DISABLE_RISC_BP_Disable_bmp_clear_ncrisc": ("config", 2, 31, 1),
    "PCK0_ADDR_CTRL_ZW_REG_1_Wstride": ("config", 11, 12, 16),
    "PCK_EDGE_TILE_ROW_SET_SELECT_select": ("config", 20, 17, 8),
    "PACK_COUNTERS_SEC2_pack_reads_per_xy_plane": ("config", 26, 8, 8),
    "UNP1_ADDR_CTRL_XY_REG_0_Ystride": ("config", 38, 12, 12),
    "UNP1_ADDR_BASE_REG_1_Base": ("config", 48, 16, 16),
    "UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr": ("config", 41, 8, 1),
    "THCON_SEC0_REG0_TileDescriptor_YDim": ("config", 53, 0, 8),
    "THCON_SEC0_REG0_TileDescriptor_WDim": ("config", 54, 0, 8),
    "THCON_SEC1_REG0_TileDescriptor_ZDim": ("config", 93, 16, 8),
    "THCON_SEC1_REG0_TileDescriptor_DigestSize": ("config", 95, 24, 8),
    "THCON_SEC0_REG1_L1_Dest_addr": ("config", 57, 0, 32),
    "THCON_SEC1_REG8_Exp_section_size": ("config", 124, 16, 16),
    "THCON_SEC0_REG8_Sub_l1_tile_header_size": ("config", 86, 15, 1),
    "THCON_SEC1_REG1_Pack_L1_Acc": ("config", 99, 21, 1),
    "THCON_SEC0_REG2_Haloize_mode": ("config", 60, 8, 1),
    "THCON_SEC1_REG2_Unpack_if_sel_cntx7": ("config", 101, 23, 1),
    "THCON_SEC1_REG4_Base_cntx7_address": ("config", 111, 0, 32),
    "THCON_SEC0_REG5_Dest_cntx3_address": ("config", 73, 16, 16),
    "THCON_SEC1_REG5_Tile_x_dim_cntx2": ("config", 115, 0, 16),
    "THCON_SEC1_REG7_Unpack_out_data_format_cntx7": ("config", 123, 28, 4),
    "DEST_TARGET_REG_CFG_PACK_SEC3_Offset": ("config", 155, 0, 12),
    "PRNG_SEED_Seed_Val": ("config", 164, 0, 32),
    "RISC_PREFETCH_CTRL_Max_Req_Count": ("config", 186, 5, 8),
}


@each("name", FACTS)
def test_a_field_is_where_the_headers_have_it(name: str) -> None:
    assert FIELDS[name] == ConfigField(*FACTS[name])  # type: ignore[arg-type]


def test_fields_of_a_word_share_no_bit_and_stay_inside_it() -> None:
    taken: dict[tuple[str, int], int] = {}
    for name, at in FIELDS.items():
        assert at.word < {"thread": 57, "config": 188}[at.kind], name
        assert at.shift + at.width <= {"thread": 16, "config": 32}[at.kind], name
        bits = at.mask << at.shift
        if name.rpartition("_")[0] in FIELDS and "TileDescriptor" in name:
            continue  # a part of the descriptor
        assert not taken.get((at.kind, at.word), 0) & bits, name
        taken[at.kind, at.word] = taken.get((at.kind, at.word), 0) | bits
    assert len(FIELDS) == 261 + 542 + 10


def test_a_field_is_written_without_the_rest_of_its_word() -> None:
    core = made()
    core.config[0, 1] = 0xFFFFFFFF
    config.set_field(core, 1, "ALU_FORMAT_SPEC_REG1_SrcB", 5)
    assert core.config[0, 1] == 0xFFFFFFFF & ~(0xF << 21) | 5 << 21
    assert config.field(core, 1, "ALU_FORMAT_SPEC_REG1_SrcB") == 5
    config.set_field(core, 2, "ADDR_MOD_DST_SEC1_DestIncr", 0x3FF)
    assert [int(t.config[24]) for t in core.threads] == [0, 0, 0x3FF]
    assert config.field(core, 0, "ADDR_MOD_DST_SEC1_DestIncr") == 0


def test_each_thread_chooses_its_bank() -> None:
    core = made()
    config.set_field(core, 1, "CFG_STATE_ID_StateID", 1)
    config.write(core, 0, 60, 10)
    config.write(core, 1, 60, 11)
    assert core.config[:, 60].tolist() == [10, 11]
    assert [config.read(core, t, 60) for t in range(3)] == [10, 11, 10]


def test_global_words_are_in_both_banks() -> None:
    core = made()
    config.write(core, 0, 151, 7)
    config.write(core, 0, 152, 8)
    assert core.config[:, 151:153].tolist() == [[7, 8], [0, 8]]


def test_a_state_reset_clears_the_bank_but_not_what_is_global() -> None:
    core = made()
    core.config[...] = 3
    config.write(core, 0, 4, 0)
    assert not core.config[0, :152].any()
    assert (core.config[1] == 3).all()
    assert (core.config[0, 152:] == 3).all()
    core.config[...] = 3
    config.write_bits(core, 0, 4, 0, 0xFF)
    assert core.config[0, 4] == 0
    assert core.config[0, 3] == 3


def test_a_seed_reaches_all_lanes_and_the_same_seed_the_same() -> None:
    core = made()
    config.write(core, 0, 164, 1)
    first = core.vector.random.copy()
    assert len(set(first.tolist())) == 32
    # XNOR of bits 31, 21, 1 and 0 comes in above: 32 steps, and two from a lane to the one below.
    state = 1
    for step in range(32 + 2 * 32):
        taps = (state >> 31) + (state >> 21) + (state >> 1) + state & 1
        state = state >> 1 | (1 - taps) << 31
        if step > 32 and step % 2:
            assert first[31 - (step - 33) // 2] == state
    config.write_bits(core, 0, 164, 0, 0xFF)
    assert (core.vector.random != first).any()
    config.write(core, 2, 164, 1)
    assert (core.vector.random == first).all()


def test_context_counters_are_reset_by_their_bits_alone() -> None:
    core = made()
    for thread in core.threads:
        thread.context = (3, 5)
    config.write_thread(core, 1, 39, 0x1000)
    config.write_thread(core, 0, 39, 0x0010)
    config.write_thread(core, 2, 39, 0x0F0F)
    assert [t.context for t in core.threads] == [(0, 5), (3, 0), (3, 5)]


def test_what_is_not_there_is_refused() -> None:
    core = made()
    with pytest.raises(Refused, match="no field of the configuration is called SRCA_SET_Bas") as no:
        config.field(core, 0, "SRCA_SET_Bas")
    assert "'SRCA_SET_Base'" in no.value.hint
    with pytest.raises(Refused, match="wanted 0 to 3, found 4"):
        config.set_field(core, 0, "SRCA_SET_Base", 4)
    with pytest.raises(Refused, match="words 0 to 187; found 188"):
        config.write(core, 0, 188, 0)
    with pytest.raises(Refused, match="words 0 to 56; found 57"):
        config.write_thread(core, 0, 57, 0)
