"""Where UNPACR reads and writes, and when banks change hands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix.formats import (
    INFINITE,
    Format,
    dst_from_bf16,
    src_from_bf16,
    src_from_tf32,
)
from nasm.targets.tensix.matrix.tiles import encode
from nasm.targets.tensix.matrix.unpack import UNPACR, UNPACR_NOP
from nasm.targets.tensix.state import MATRIX, UNPACKERS, Coprocessor
from tests.tensix.matrix.machine import configure, coprocessor, set_x, unpacks

AT = 0x4000
F = Format


def numbered(count: int = 1024) -> Any:
    """BF16 bits that are all different."""
    return np.arange(count, dtype=np.uint16) + 0x3F80


def ready(unpacker: int = 0, count: int = 1024, **settings: int) -> tuple[Coprocessor, Any]:
    """A coprocessor with numbers in L1; the fields of an UNPACR that reads them."""
    core = coprocessor()
    core.l1.write(AT, numbered(4096).view(np.uint8))
    fields = unpacks(core, unpacker, AT, F.BF16, F.BF16, count)
    configure(core, settings)
    return core, fields


def run(core: Coprocessor, fields: dict[str, int], **changed: int) -> None:
    done = UNPACR(core, 0, **{**fields, **changed})
    if done is not None:
        done()


def test_a_tile_fills_a_bank_row_by_row() -> None:
    for unpacker in (0, 1):
        core, fields = ready(unpacker)
        run(core, fields)
        bank = (core.matrix.srcb if unpacker else core.matrix.srca)[0]
        assert np.array_equal(bank, src_from_bf16(numbered()).reshape(64, 16))


def test_the_bank_is_passed_when_the_numbers_are_there() -> None:
    core, fields = ready()
    done = UNPACR(core, 0, **fields)
    m = core.matrix
    assert (m.unpack_a, m.owner_a.tolist()) == (1, [UNPACKERS, UNPACKERS])
    assert not m.srca.any()
    assert done is not None
    done()
    assert m.owner_a.tolist() == [MATRIX, UNPACKERS]
    assert m.srca[0].any()


def test_two_unpacks_fill_two_banks() -> None:
    core, fields = ready()
    run(core, fields)
    core.l1.write(AT, np.zeros(2048, np.uint8))
    run(core, fields)
    m = core.matrix
    assert m.srca[0].any()
    assert not m.srca[1].any()
    assert (m.unpack_a, m.owner_a.tolist()) == (0, [MATRIX, MATRIX])


def test_unpacker_0_transposes_faces() -> None:
    core, fields = ready(THCON_SEC0_REG2_Haloize_mode=1)
    run(core, fields)
    faces = src_from_bf16(numbered()).reshape(4, 16, 16)
    assert np.array_equal(core.matrix.srca[0].reshape(4, 16, 16), faces.swapaxes(1, 2))


def test_rows_of_a_row_major_array_become_rows_of_a_tile() -> None:
    # A stride of 0x50 * 16 bytes: 4 bits in each of three fields, from 16 bytes on.
    core, fields = ready(
        count=256,
        THCON_SEC0_REG2_Tileize_mode=1,
        THCON_SEC0_REG2_Shift_amount_cntx0=0,
        THCON_SEC0_REG2_Shift_amount_cntx1=5,
    )
    run(core, fields)
    rows = np.arange(16)[:, None] * 640 + np.arange(16)
    wanted = src_from_bf16(core.l1.bytes[AT:].view(np.uint16)[rows])
    assert np.array_equal(core.matrix.srca[0, :16], wanted)


def test_fp32_in_dst_keeps_all_its_bits() -> None:
    core = coprocessor()
    values = np.linspace(1, 2, 32, dtype=np.float32)
    core.l1.write(AT, values.view(np.uint8))
    fields = unpacks(core, 0, AT, F.FP32, F.FP32, 32)
    configure(
        core,
        {
            "THCON_SEC0_REG2_Unpack_if_sel_cntx0": 1,
            "SRCA_SET_SetOvrdWithAddr": 0,
            "THCON_SEC0_REG5_Dest_cntx0_address": 64 + 8 * 16,
        },
    )
    run(core, fields)
    bits = values.view(np.uint32).reshape(2, 16)
    high = dst_from_bf16(bits >> 16)
    assert np.array_equal(core.matrix.dst[16:18], high)
    assert np.array_equal(core.matrix.dst[24:26], bits & 0xFFFF)


def test_counters_say_where_to_begin() -> None:
    # A tile of 64 by 2 by 2: W, Z and Y at 0, 1 and 1 begin at (1 * 2 + 1) * 64.
    core, fields = ready(1, 16, UNP1_ADDR_CTRL_XY_REG_1_Ystride=32)
    core.config[:, 92] = F.BF16 | 1 << 4 | 64 << 16
    core.config[:, 93] = 2 | 2 << 16
    adc = core.threads[0].adc[1]
    adc[0, 1, 0] = adc[0, 2, 0] = 1
    adc[1, 1, 0] = 3
    set_x(core, 1, 16, 31)
    run(core, fields, Ch0YInc=2, Ch1YInc=1, Ch0ZInc=3)
    wanted = src_from_bf16(numbered(4096)[3 * 64 + 16 : 3 * 64 + 32])
    assert np.array_equal(core.matrix.srcb[0, 3], wanted)
    assert (adc[0, 1, 0], adc[0, 2, 0], adc[1, 1, 0]) == (3, 4, 4)


def test_a_search_of_rows_begins_at_0_or_at_a_blob() -> None:
    core, fields = ready(1, 64)
    set_x(core, 1, 5, 16)
    run(core, fields, RowSearch=1)
    assert np.array_equal(core.matrix.srcb[0, 0], src_from_bf16(numbered(16)))
    assert not core.matrix.srcb[0, 1].any()
    # Two blobs, at rows 1 and 2: the first is 16 numbers from 16 on, the second ends with the tile.
    core, fields = ready(1, 64)
    core.config[:, 92] |= 2 << 8
    core.config[:, 94] = 0x21 << 16
    set_x(core, 1, 0, 0)
    run(core, fields, RowSearch=1)
    assert np.array_equal(core.matrix.srcb[0, 0], src_from_bf16(numbered(32)[16:]))
    assert not core.matrix.srcb[0, 1].any()


def test_a_context_has_addresses_of_its_own() -> None:
    core, fields = ready(
        count=16,
        UNPACK_MISC_CFG_CfgContextOffset_0=1,
        THCON_SEC0_REG3_Base_cntx1_address=AT // 16 - 1 + 2,
        THCON_SEC0_REG7_Offset_cntx1_address=1,
        THCON_SEC0_REG5_Dest_cntx1_address=64 + 160,
        THCON_SEC0_REG5_Tile_x_dim_cntx1=256,
        THCON_SEC0_REG2_Disable_zero_compress_cntx1=1,
    )
    run(core, fields)
    assert np.array_equal(core.matrix.srca[0, 10], src_from_bf16(numbered(64)[24:40]))


def test_the_context_counter_goes_around() -> None:
    core, fields = ready(count=16, THCON_SEC0_REG2_Context_count=1)
    configure(core, {"THCON_SEC0_REG2_Disable_zero_compress_cntx1": 1})
    run(core, fields, UseContextCounter=1)
    assert core.threads[0].context == (1, 0)
    run(core, fields, CfgContextCntInc=1)
    assert core.threads[0].context == (0, 0)


def test_the_first_four_rows_of_unpacker_0_are_dropped() -> None:
    core, fields = ready(count=96, THCON_SEC0_REG5_Dest_cntx0_address=0)
    run(core, fields)
    wanted = src_from_bf16(numbered(96)[64:]).reshape(2, 16)
    assert np.array_equal(core.matrix.srca[0, :2], wanted)
    assert not core.matrix.srca[0, 2:].any()


def test_rows_follow_each_other_where_the_configuration_says_so() -> None:
    core, fields = ready(
        count=256, SRCA_SET_SetOvrdWithAddr=0, THCON_SEC0_REG2_Unpack_Src_Reg_Set_Upd=1
    )
    run(core, fields, FlipSrc=0)
    assert core.threads[0].src_row == (16, 0)
    run(core, fields)
    one = src_from_bf16(numbered(256)).reshape(16, 16)
    assert np.array_equal(core.matrix.srca[0, :32], np.concatenate([one, one]))
    assert core.threads[0].src_row == (0, 0)


def test_block_floats_find_their_exponents_in_front() -> None:
    core = coprocessor()
    values = np.linspace(-3, 3, 1024, dtype=np.float32)
    core.l1.write(AT, encode(values, F.BFP8))
    fields = unpacks(core, 0, AT, F.BFP8, F.BFP8, 1024)
    run(core, fields)
    sign = core.matrix.srca[0].reshape(-1) >> 18
    assert sign.tolist() == (core.matrix.srca[0].reshape(-1) != 0).tolist()[:512] + [0] * 512
    # The first block has 2^1: -3 is 96 of 2^-6 of it.
    assert core.matrix.srca[0, 0, 0] == src_from_bf16(0xC040)


def test_an_exponent_can_be_forced() -> None:
    core = coprocessor()
    core.l1.write(AT, np.full(16, 64, np.uint8))
    fields = unpacks(core, 1, AT, F.BFP8, F.BFP8, 16)
    configure(
        core, {"THCON_SEC1_REG2_Force_shared_exp": 1, "UNP1_FORCED_SHARED_EXP_shared_exp": 130}
    )
    run(core, fields)
    assert (core.matrix.srcb[0, 0] == src_from_bf16(0x4100)).all()


def test_upsampling_puts_zeros_behind_numbers() -> None:
    core, fields = ready(1, 8, THCON_SEC1_REG2_Upsample_rate=1)
    run(core, fields)
    assert core.matrix.srcb[0, 0, ::2].tolist() == src_from_bf16(numbered(8)).tolist()
    assert not core.matrix.srcb[0, 0, 1::2].any()


def test_zeros_can_be_written_instead() -> None:
    core, fields = ready()
    core.matrix.srca[0] = 5
    run(core, fields, AllDatumsAreZero=1)
    assert not core.matrix.srca[0].any()


def test_fp32_becomes_tf32_by_truncation() -> None:
    core = coprocessor()
    core.l1.write(AT, np.full(16, 0x3FFFFFFF, np.uint32).view(np.uint8))
    run(core, unpacks(core, 0, AT, F.FP32, F.TF32, 16))
    assert (core.matrix.srca[0, 0] == src_from_tf32(0x3FFFFFFF >> 13)).all()


@pytest.mark.parametrize(
    ("settings", "fields", "said"),
    [
        ({"THCON_SEC0_REG2_Disable_zero_compress_cntx0": 0}, {}, "is compressed"),
        ({"THCON_SEC0_REG2_Out_data_format": F.FP16}, {}, "no unpacker makes FP16 in SrcA"),
        ({"THCON_SEC0_REG3_Base_address": 0x16FFF}, {}, "bytes 0x170000 to 0x170800 of L1"),
        ({"THCON_SEC0_REG5_Dest_cntx0_address": 96}, {}, "row 65 of SrcA"),
        ({}, {"ContextADC": 3}, "ContextADC 3"),
        ({"THCON_SEC0_REG2_Unpack_if_sel_cntx0": 1, "THCON_SEC0_REG2_Haloize_mode": 1}, {},
         "to Dst with a column shift or transposed"),
    ],
)  # fmt: skip
def test_what_is_undefined_is_refused(
    settings: dict[str, int], fields: dict[str, int], said: str
) -> None:
    core, usual = ready(**settings)
    with pytest.raises(Refused, match=said):
        run(core, usual, **fields)


def test_unpacr_nop_clears_a_bank_or_hands_it_over() -> None:
    core = coprocessor()
    m = core.matrix
    m.srca[:] = m.srcb[:] = 7
    for unpacker, what in ((0, 5), (1, 1), (1, 7)):
        done = UNPACR_NOP(core, 0, unpacker, what)
        assert done is not None
        done()
    assert (m.srca[0] == INFINITE).all()
    assert (m.srca[1] == 7).all()
    assert not m.srcb[0].any()
    assert (m.unpack_b, m.owner_b.tolist()) == (1, [MATRIX, UNPACKERS])
    with pytest.raises(Refused, match="UNPACR_NOP 0x3"):
        UNPACR_NOP(core, 0, 0, 3)
