"""Where PACR reads and writes, what it makes of numbers, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix import dst
from nasm.targets.tensix.matrix.formats import Format, dst_from_bf16, dst_from_fp32
from nasm.targets.tensix.matrix.pack import PACR
from nasm.targets.tensix.matrix.streams import add_bf16, add_fp16, add_fp32, add_integers
from nasm.targets.tensix.state import Coprocessor, Packer
from tests.tensix.matrix.machine import PACKERS, configure, coprocessor, packs, set_x

AT = 0x10000
F = Format


def numbered() -> Any:
    """BF16 bits, a number for each place in the first 64 rows."""
    return np.arange(1024, dtype=np.uint16).reshape(64, 16) + 0x3F80


def ready(target: Format = F.BF16, count: int = 256, **settings: int) -> tuple[Coprocessor, Any]:
    """A coprocessor with numbers in Dst, of which packer 0 alone packs some."""
    core = coprocessor()
    dst.write(core.matrix, np.arange(64), dst_from_bf16(numbered()), wide=False)
    fields = packs(core, AT, F.BF16, target, False, count)
    configure(core, settings)
    return core, {**fields, "PackerMask": 1}


def run(core: Coprocessor, fields: dict[str, int], **changed: int) -> None:
    PACR(core, 0, **{**fields, **changed})()


def halves(core: Coprocessor, count: int, at: int = AT) -> list[int]:
    return core.l1.read(at, 2 * count).view(np.uint16).tolist()  # type: ignore[no-any-return]


def test_a_packer_moves_a_face_to_l1() -> None:
    core, fields = ready()
    run(core, fields)
    assert halves(core, 256) == numbered().reshape(-1)[:256].tolist()
    assert not any(halves(core, 8, AT + 512))


def test_four_packers_have_a_face_each_and_addresses_relative_to_the_first() -> None:
    core, fields = ready()
    for i, section in enumerate(PACKERS):
        start = 1 << 31 | AT // 16 - 1 if not i else 32 * i - 1
        configure(core, {f"THCON_{section}_L1_Dest_addr": start})
    run(core, fields, PackerMask=15)
    assert halves(core, 1024) == numbered().reshape(-1).tolist()


def test_undefined_rows_are_zeros() -> None:
    core, fields = ready()
    core.matrix.defined[1] = False
    run(core, fields)
    assert halves(core, 48)[16:32] == [0] * 16


def test_output_goes_on_until_an_instruction_is_the_last() -> None:
    core, fields = ready(count=12)
    run(core, fields, Last=0)
    assert halves(core, 16) == [*range(0x3F80, 0x3F88), *[0] * 8]
    configure(core, {"THCON_SEC0_REG1_L1_Dest_addr": 0x20000 // 16 - 1})
    core.threads[0].adc[2, 0, 1, 0] = 1
    core.l1.bytes[AT + 48 : AT + 64] = 0xFF
    run(core, fields)
    assert halves(core, 24) == [*range(0x3F80, 0x3F8C), *range(0x3F90, 0x3F9C)]
    run(core, fields, Flush=1)
    assert halves(core, 32)[24:] == [0xFFFF] * 8
    run(core, fields)
    assert halves(core, 12, 0x20000) == list(range(0x3F90, 0x3F9C))


def test_a_rest_is_padded_with_zeros() -> None:
    core, fields = ready(count=12)
    core.l1.bytes[AT : AT + 64] = 0xFF
    run(core, fields)
    assert halves(core, 32) == [*range(0x3F80, 0x3F8C), *[0] * 4, *[0xFFFF] * 16]


def test_modifiers_move_counters_of_both_channels() -> None:
    core, fields = ready(ADDR_MOD_PACK_SEC2_YsrcIncr=4, ADDR_MOD_PACK_SEC2_YdstIncr=1)
    configure(core, {"PCK0_ADDR_CTRL_XY_REG_1_Ystride": 32})
    run(core, fields, AddrMod=2)
    adc = core.threads[0].adc[2]
    assert (adc[0, 1, 0], adc[1, 1, 0]) == (4, 1)
    run(core, fields)
    # Y 1 times 32, in units of 16 bytes.
    assert halves(core, 16, AT + 512) == numbered()[4].tolist()


def test_an_edge_mask_is_chosen_by_the_row_in_the_tile() -> None:
    core, fields = ready(
        PCK_EDGE_OFFSET_SEC1_mask=0x00FF, TILE_ROW_SET_MAPPING_0_row_set_mapping_1=1
    )
    run(core, fields)
    found = np.array(halves(core, 48)).reshape(3, 16)
    assert found[1].tolist() == [*numbered()[1, :8].tolist(), *[0] * 8]
    assert found[2].tolist() == numbered()[2].tolist()
    configure(core, {"PCK_EDGE_MODE_mode": 1})
    run(core, fields)
    assert halves(core, 48)[24:32] == [0xFF80] * 8


def test_the_place_in_the_tile_goes_on_until_an_instruction_is_the_last() -> None:
    core, fields = ready(count=16, TILE_ROW_SET_MAPPING_0_row_set_mapping_1=1)
    for last, kept in ((1, True), (0, True), (1, False), (1, True)):
        run(core, fields, Last=last)
        at = AT if kept else AT + 32
        assert any(halves(core, 16, at)) == kept


def test_output_counters_count_256_bytes() -> None:
    core, fields = ready(count=16, PCK0_ADDR_CTRL_XY_REG_1_Ystride=24)
    core.threads[0].adc[2, 1, 1, 0] = 1
    run(core, fields)
    assert halves(core, 16, AT + 256) == numbered()[0].tolist()


def test_packers_are_relative_by_bit_31_alone() -> None:
    core, fields = ready(count=16, THCON_SEC0_REG1_L1_Dest_addr=1 << 30 | AT // 16 - 1)
    configure(core, {"THCON_SEC0_REG8_L1_Dest_addr": 0x20000 // 16 - 1})
    run(core, fields, PackerMask=3)
    assert halves(core, 16) == numbered()[0].tolist()
    assert halves(core, 16, 0x20000) == numbered()[16].tolist()


def test_relu_clamps() -> None:
    core, fields = ready(STACC_RELU_ApplyRelu=3, STACC_RELU_ReluThreshold=0x3F82)
    run(core, fields)
    assert halves(core, 5) == [0x3F80, 0x3F81, 0x3F82, 0x3F82, 0x3F82]


def test_small_exponents_can_be_zero() -> None:
    core, fields = ready(THCON_SEC0_REG1_Exp_threshold_en=1, THCON_SEC0_REG1_Exp_threshold=128)
    run(core, fields)
    assert halves(core, 256) == [0] * 128 + list(range(0x4000, 0x4080))


def test_exponents_are_counted() -> None:
    core, fields = ready(ENABLE_ACC_STATS_Enable=1)
    run(core, fields)
    found = core.packers[0].histogram
    assert (found[127 & 31], found[128 & 31], found.sum()) == (128, 128, 256)
    assert core.packers[0].largest_exponent == 128
    run(core, fields)
    assert found[127 & 31] == 255


def test_block_floats_have_their_exponents_in_a_section_in_front() -> None:
    core, fields = ready(F.BFP8, count=32, THCON_SEC0_REG1_Exp_section_size=1)
    run(core, fields)
    assert core.l1.read(AT, 16).tolist() == [127, 127, *[0] * 14]
    assert core.l1.read(AT + 16, 2).tolist() == [64, 65]


def test_32_bits_of_dst_become_fp32() -> None:
    core = coprocessor()
    bits = np.arange(256, dtype=np.uint32).reshape(16, 16) * 0x10203 + 0x3F800000
    dst.write(core.matrix, np.arange(16), dst_from_fp32(bits), wide=True)
    run(core, packs(core, AT, F.FP32, F.FP32, True, 256), PackerMask=1)
    assert core.l1.read(AT, 1024).view(np.uint32).tolist() == bits.reshape(-1).tolist()


def test_l1_accumulates_what_is_there_when_the_write_comes() -> None:
    core, fields = ready(count=16, THCON_SEC0_REG1_Pack_L1_Acc=1)
    core.matrix.dst[0] = dst_from_bf16(0x3F80)
    done = PACR(core, 0, **fields)
    core.l1.write(AT, np.full(16, 0x4000, np.uint16).view(np.uint8))
    done()
    assert halves(core, 16) == [0x4040] * 16


def test_sums_in_l1_by_hand() -> None:
    assert add_fp32([0x3F800000, 0x7F800000, 1], [0x33800000, 0xFF800000, 1]).tolist() == [
        0x3F800000,
        0x7FC00000,
        0,
    ]
    # 1 + 2^-8 is a half, and rounds to even; infinity and its negative make a NaN.
    assert add_bf16([0x3F80, 0x3F81, 0x7F80], [0x3B80, 0x3B80, 0xFF80]).tolist() == [
        0x3F80,
        0x3F82,
        0x7FC0,
    ]
    # So is 1 + 2^-11 in FP16.
    assert add_fp16([0x3C00, 0x3C01], [0x1000, 0x1000]).tolist() == [0x3C00, 0x3C02]
    # The largest number stays; one that cancels is it as well, from an exponent of 30 on.
    assert add_fp16([0x7FFF, 0x7800, 0x3C00], [0x7FFF, 0xF800, 0xBC00]).tolist() == [
        0x7FFF,
        0x7FFF,
        0,
    ]
    assert add_integers([5, 0x7FFFFFFF], [0x80000007, 1]).tolist() == [0x80000002, 0x7FFFFFFF]


@pytest.mark.parametrize(
    ("settings", "fields", "said"),
    [
        ({"THCON_SEC0_REG1_Disable_zero_compress": 0}, {}, "packer 0 compresses"),
        ({"THCON_SEC0_REG1_Downsample_mask": 0x5555}, {}, "packer 0 downsamples"),
        ({"THCON_SEC0_REG1_Source_interface_selection": 1}, {}, "reads L1 instead of Dst"),
        ({"ALU_ROUNDING_MODE_Packer_srnd_en": 1}, {}, "rounds stochastically"),
        ({}, {"PackerMask": 5}, "PackerMask 0b0101"),
        ({"THCON_SEC0_REG1_Out_data_format": F.INT8}, {}, "no packer makes INT8 of BF16"),
        ({"THCON_SEC0_REG1_In_data_format": F.FP16}, {}, "input format is FP16; what comes in"),
        ({"THCON_SEC0_REG1_L1_Dest_addr": 0x16FFF}, {}, "bytes 0x170000 to 0x170200 of L1"),
    ],
)
def test_what_is_not_known_is_refused(
    settings: dict[str, int], fields: dict[str, int], said: str
) -> None:
    core, usual = ready(**settings)
    with pytest.raises(Refused, match=said):
        run(core, usual, **fields)


def test_x_counters_that_end_before_they_begin_are_refused() -> None:
    core, fields = ready()
    set_x(core, 2, 5, 3)
    with pytest.raises(Refused, match="from X 5 to 3"):
        run(core, fields)


def test_packer_state_is_saved_with_everything_else() -> None:
    core, fields = ready(count=12)
    run(core, fields, Last=0)
    saved = core.save()
    run(core, fields)
    core.restore(saved)
    assert core.packers[0].buffered.tolist() == [0, 0, 8]
    assert not core.packers[0].needs_address[2]


ALIKE: tuple[dict[str, int], ...] = (
    {},
    {"STACC_RELU_ApplyRelu": 1},
    {"STACC_RELU_ApplyRelu": 2, "STACC_RELU_ReluThreshold": 0x4000},
    {"ENABLE_ACC_STATS_Enable": 1},
    {"PCK_EDGE_OFFSET_SEC1_mask": 0xFF, "TILE_ROW_SET_MAPPING_0_row_set_mapping_1": 1},
    {"THCON_SEC1_REG1_Exp_threshold_en": 1, "THCON_SEC1_REG1_Exp_threshold": 130},
    {f"THCON_{PACKERS[1]}_Out_data_format": F.FP32},
    {"DEST_TARGET_REG_CFG_PACK_SEC2_Offset": 3},
    {"DEST_TARGET_REG_CFG_PACK_SEC3_Offset": 1020},
    {"ALU_FORMAT_SPEC_REG_Dstacc_override": 1, "ALU_FORMAT_SPEC_REG_Dstacc_val": F.TF32},
)
"""Settings of which packers that start together, or only some of them, do the same."""


def arrays(p: Packer) -> tuple[Any, ...]:
    return p.histogram, p.addresses, p.needs_address, p.buffers, p.buffered


def kept(core: Coprocessor) -> list[object]:
    """All that a pack may change."""
    packers = [
        (p.position, p.largest_exponent, *(part.tolist() for part in arrays(p)))
        for p in core.packers
    ]
    return [packers, core.l1.read(AT, 0x5000).tolist()]


@pytest.mark.parametrize("settings", ALIKE, ids=lambda one: "-".join(one))
def test_packers_together_do_what_each_does_alone(settings: dict[str, int]) -> None:
    for count in (256, 48, 24):
        found: list[list[object]] = []
        for masks in ((15,), (1, 2, 4, 8)):
            found.append([])
            core, fields = ready(count=count)
            dst.write(core.matrix, [5, 40], dst_from_bf16(numbered()[:2] | 0x8000), wide=False)
            core.matrix.defined[18] = False
            for i, section in enumerate(PACKERS):
                configure(core, {f"THCON_{section}_L1_Dest_addr": (AT + 0x1000 * i) // 16 - 1})
            configure(core, settings)
            for last in (0, 0, 1):
                for mask in masks:
                    run(core, fields, PackerMask=mask, Last=last)
                found[-1] += kept(core)
        assert found[0] == found[1]
