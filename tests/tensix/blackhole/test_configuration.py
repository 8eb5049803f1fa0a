"""The configuration: words and bits copied by hand from the public headers of Blackhole."""

from __future__ import annotations

import nasm
from nasm.targets.tensix.chips import BLACKHOLE
from nasm.targets.tensix.scalar import configuring
from nasm.targets.tensix.scalar.config import field, set_field, write
from nasm.targets.tensix.settings import settings_of
from tests.tables import each
from tests.tensix.blackhole.cores import made, ran

FIELDS = BLACKHOLE.layout.fields

FACTS = {
    "DISABLE_IMPLIED_SRCA_FMT_Base": ("thread", 2, 0, 1),
    "SFPU_DEST_FMT_Base": ("thread", 4, 1, 4),
    "FIDELITY_BASE_Phase": ("thread", 11, 0, 2),
    "ADDR_MOD_AB_SEC7_SrcBClear": ("thread", 19, 15, 1),
    "ADDR_MOD_AB2_SEC1_SrcBIncr": ("thread", 21, 1, 1),
    "ADDR_MOD_DST_SEC0_DestIncr": ("thread", 28, 0, 10),
    "ADDR_MOD_PACK_SEC3_YsrcIncr": ("thread", 40, 0, 4),
    "ADDR_MOD_BIAS_SEC7_BiasClear": ("thread", 54, 4, 1),
    "TENSIX_TRISC_SYNC_TrackGPR": ("thread", 56, 2, 1),
    "ALU_ACC_CTRL_SFPU_Fp32_enabled": ("config", 1, 30, 1),
    "DEST_SP_BASE_Base": ("config", 7, 0, 16),
    "PCK0_ADDR_CTRL_XY_REG_0_Ystride": ("config", 12, 16, 16),
    "UNP0_ADDR_BASE_REG_1_Base": ("config", 49, 0, 18),
    "THCON_SEC0_REG1_Pack_L1_Acc": ("config", 71, 19, 1),
    "THCON_SEC1_REG3_Base_address": ("config", 124, 0, 32),
    "DEST_TARGET_REG_CFG_PACK_SEC3_ZOffset": ("config", 183, 12, 6),
    "PRNG_SEED_Seed_Val": ("config", 186, 0, 32),
    "SCRATCH_SEC2_val": ("config", 211, 0, 32),
    "DEST_ACCESS_CFG_remap_addrs": ("config", 220, 1, 1),
}


@each("name", FACTS)
def test_a_field_is_where_the_headers_have_it(name: str) -> None:
    assert tuple(FIELDS[name]) == FACTS[name]


def test_fields_of_a_word_share_no_bit_and_stay_inside_it() -> None:
    used: dict[tuple[str, int], int] = {}
    for name, at in FIELDS.items():
        if "TileDescriptor_" in name:
            continue
        bits = at.mask << at.shift
        assert not used.get((at.kind, at.word), 0) & bits, name
        used[at.kind, at.word] = used.get((at.kind, at.word), 0) | bits
    layout = BLACKHOLE.layout
    assert max(word for kind, word in used if kind == "thread") < layout.thread_words == 68
    assert max(word for kind, word in used if kind == "config") < layout.words == 224
    assert all(bits < 1 << (16 if kind == "thread" else 32) for (kind, _), bits in used.items())
    assert len(FIELDS) == 820 + 22  # and the fields of two tile descriptors


def test_what_wormhole_has_and_blackhole_lacks_is_no_setting() -> None:
    offered = settings_of(BLACKHOLE).offered
    assert "ADDR_MOD_SET_Base" not in offered
    assert {"MUTEX2", "MUTEX4"} <= set(offered)
    assert "MUTEX5" not in offered
    assert offered["ALU_FORMAT_SPEC_REG0_SrcA"].source.startswith(
        "Tenstorrent ISA documentation, Blackhole A0"
    )


def test_words_from_180_on_are_the_same_in_both_banks() -> None:
    core = made()
    write(core, 0, 179, 7)
    write(core, 0, 180, 9)
    assert core.config[:, 179].tolist() == [7, 0]
    assert core.config[:, 180].tolist() == [9, 9]


def test_a_scratch_word_is_masked_rotated_and_combined() -> None:
    core = made()
    set_field(core, 0, "SCRATCH_SEC1_val", 0x1234_56AB)
    write(core, 0, 20, 0xFFFF_0F0F)
    # eight bits, 0xAB, rotated right by 24: bits 8 to 15; these are cleared first
    configuring.CFGSHIFTMASK(core, 0, 0, 0, 7, 24, 1, 20)()
    assert int(core.config[0, 20]) == 0xFFFF_AB0F
    configuring.CFGSHIFTMASK(core, 0, 1, 7, 7, 0, 1, 20)()  # minus 0xAB, nothing cleared
    assert int(core.config[0, 20]) == 0xFFFF_AB0F - 0xAB
    assert int(core.config[1, 20]) == 0


def test_scratch_index_3_is_that_of_the_thread() -> None:
    for thread in range(3):
        core = made()
        for section in range(3):
            set_field(core, 0, f"SCRATCH_SEC{section}_val", section + 1)
        configuring.CFGSHIFTMASK(core, thread, 0, 0, 31, 0, 3, 20)()
        assert int(core.config[0, 20]) == thread + 1


def test_a_program_sets_and_writes_fields_by_name() -> None:
    session = ran(
        ".cfg SCRATCH_SEC0_val = 0x55\n@t1 .write ADDR_MOD_DST_SEC5_DestIncr = 4, "
        "ADDR_MOD_DST_SEC5_DestCR = 0, ADDR_MOD_DST_SEC5_DestClear = 0, "
        "ADDR_MOD_DST_SEC5_DestCToCR = 0, ADDR_MOD_DST_SEC5_FidelityIncr = 0, "
        "ADDR_MOD_DST_SEC5_FidelityClear = 0\n"
        "@t1 CFGSHIFTMASK MaskWidth=31, CfgIndex=70\n@t1 NOP"
    )
    core = session.machine.holds[0]
    assert core.threads[1].config[33] == 4
    assert core.config[0, 70] == 0x55
    assert field(core, 1, "SCRATCH_SEC0_val") == 0x55
    assert session.report().problems == ()


def test_l1_has_1536_kib() -> None:
    program = nasm.assemble(".target blackhole\n.l1 x u8[1572864]\n@t0 NOP\n")
    assert program.generation.memories["l1"].size == 1536 * 1024
