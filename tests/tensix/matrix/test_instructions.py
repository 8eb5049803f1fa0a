"""Which rows and banks the instructions of the matrix unit use, and what they leave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix import arithmetic, control, dst, moves
from nasm.targets.tensix.matrix.formats import (
    INFINITE,
    Format,
    Style,
    bf16_from_dst,
    dst_from_fp32,
    fp32_from_dst,
    src_from_bf16,
    src_from_tf32,
)
from nasm.targets.tensix.matrix.multiply import mvmul
from nasm.targets.tensix.matrix.src import source_format
from nasm.targets.tensix.state import MATRIX, UNPACKERS, Coprocessor
from tests.tensix.matrix.machine import configure, coprocessor
from tests.tensix.matrix.operands import same

NO_FLIP = {"FlipSrcA": 0, "FlipSrcB": 0}
ONE = int(src_from_bf16(0x3F80))


def filled(seed: int = 0, **settings: int) -> Coprocessor:
    """BF16 in all banks; every row of Dst is defined."""
    core = coprocessor(ALU_FORMAT_SPEC_REG0_SrcA=Format.BF16, **settings)
    rng, m = np.random.default_rng(seed), core.matrix
    for bank in (m.srca, m.srcb):
        small = rng.integers(0, 2, bank.shape) << 15 | rng.integers(0x3E00, 0x4100, bank.shape)
        bank[...] = src_from_bf16(small)
    m.dst[:] = rng.integers(0, 1 << 16, m.dst.shape)
    m.defined[:] = True
    return core


def changed(core: Coprocessor, run: Any) -> list[int]:
    """The rows of Dst that differ afterwards."""
    before = core.matrix.dst.copy()
    run()
    return [int(r) for r in np.flatnonzero((core.matrix.dst != before).any(axis=1))]


def test_mvmul_adds_fields_counters_and_offsets_and_aligns_rows() -> None:
    core = filled(DEST_TARGET_REG_CFG_MATH_Offset=64, DEST_REGW_BASE_Base=16)
    rows = core.threads[0].rows
    rows.dst, rows.srca, rows.srcb = 9, 17, 26
    m = core.matrix
    wanted = mvmul(m.srca[0, 16:32], m.srcb[0, 24:32], m.dst[96:104], same(Style.BF16), False, 0)
    found = changed(core, lambda: arithmetic.MVMUL(core, 0, 0, 0, 0, 0, DstRow=8))
    assert set(found) <= set(range(96, 104))
    assert found
    assert np.array_equal(m.dst[96:104], wanted)


def test_mvmul_of_one_row_writes_every_second_of_seven() -> None:
    core = filled()
    core.threads[0].rows.srcb = 5
    run = lambda: arithmetic.MVMUL(core, 0, 0, 0, BroadcastSrcBRow=1, AddrMod=0, DstRow=16)  # noqa: E731
    assert changed(core, run) == [16, 18, 20, 22]


def test_a_block_of_sixteen_rows_does_not_go_on_at_row_0() -> None:
    core = filled()
    core.threads[0].rows.srca = 56
    with pytest.raises(Refused, match="16 rows of SrcA from row 56 on"):
        arithmetic.MVMUL(core, 0, 0, 0, 0, 0, 0)


def test_gapool_writes_four_rows() -> None:
    core = filled()
    run = lambda: arithmetic.GAPOOL(core, 0, **NO_FLIP, AddrMod=0, DstRow=12)  # noqa: E731
    assert changed(core, run) == [12, 13, 14, 15]


def test_an_undefined_row_is_zero_to_a_product_and_minus_infinity_to_a_pool() -> None:
    core = filled()
    control.ZEROACC(core, 0, UseDst32b=0, Mode=3, Revert=0, AddrMod=0, Imm10=0)
    m = core.matrix
    m.srca[0, :16], m.srcb[0] = np.where(np.eye(16), ONE, 0), ONE
    arithmetic.MVMUL(core, 0, 0, 0, 0, 0, 0)
    assert (dst.read16(m, np.arange(8)) == 0x007F).all()
    m.srca[0, :16] = ONE | 1 << 18
    arithmetic.GMPOOL(core, 0, **NO_FLIP, AddrMod=0, ArgMax=0, DstRow=16)
    assert (dst.read16(m, np.arange(16, 20)) == [[0x807F]] + [[0]] * 3).all()
    assert m.defined.nonzero()[0].tolist() == [*range(8), *range(16, 20)]


def test_rows_of_32_bits_lie_over_two_rows_of_16() -> None:
    # Row 9 of 32 bits: 9 & 0x1F8 = 8, shifted 16; 9 & 0x207 = 1; so 17, and its low halves 25.
    core = coprocessor()
    dst.write(core.matrix, np.array([9]), np.full((1, 16), 0x12345678), wide=True)
    assert int(dst.adjusted(9)) == 17
    assert (core.matrix.dst[17] == 0x1234).all()
    assert (core.matrix.dst[25] == 0x5678).all()
    assert core.matrix.defined.nonzero()[0].tolist() == [17, 25]
    assert len({int(dst.adjusted(row)) for row in range(1024)}) == 512


def test_a_flip_hands_over_the_bank_and_moves_on() -> None:
    core = filled()
    m = core.matrix
    m.owner_a[:] = m.owner_b[:] = MATRIX
    arithmetic.ELWMUL(core, 0, 0, 1, 0, 0, 0, 0)
    assert (m.owner_a.tolist(), m.owner_b.tolist()) == ([UNPACKERS, MATRIX], [MATRIX, MATRIX])
    assert (m.matrix_a, m.matrix_b, m.unpack_a) == (1, 0, 0)
    configure(core, {"CLR_DVALID_SrcB_Disable": 1})
    arithmetic.ELWMUL(core, 0, 1, 0, 0, 0, 0, 0)
    assert (m.owner_b.tolist(), m.matrix_b) == ([MATRIX, MATRIX], 1)


def test_elements_of_srcb_are_broadcast() -> None:
    core = filled()
    m = core.matrix
    m.srca[0, :8], m.srcb[0] = 0, 0
    m.srcb[0, 3] = ONE
    m.srcb[0, 3, 0] = 0
    core.threads[0].rows.srcb = 3
    flags = {"AddDst": 0, "BroadcastSrcBRow": 1, "BroadcastSrcBCol0": 0}
    arithmetic.ELWADD(core, 0, **NO_FLIP, **flags, AddrMod=0, DstRow=0)
    assert (m.dst[:8] == [0] + [0x007F] * 15).all()
    arithmetic.ELWADD(core, 0, **NO_FLIP, **{**flags, "BroadcastSrcBCol0": 1}, AddrMod=0, DstRow=0)
    assert not m.dst[:8].any()


def test_moves_between_src_and_dst_keep_the_bits_of_a_format() -> None:
    core = filled()
    m, before = core.matrix, core.matrix.srca[0].copy()
    moves.MOVA2D(core, 0, 0, SrcRow=8, AddrMod=0, Move8Rows=1, DstRow=40)
    moves.MOVD2A(core, 0, 0, SrcRow=48, AddrMod=0, Move4Rows=1, DstRow=44)
    assert np.array_equal(m.srca[0, 48:52], before[12:16])
    moves.MOVD2B(core, 0, 0, SrcRow=3, AddrMod=0, Move4Rows=0, DstRow=41)
    assert np.array_equal(m.srcb[0, 3], before[9])


def test_four_rows_of_srcb_move_to_aligned_rows() -> None:
    core = filled()
    m = core.matrix
    moves.MOVB2D(core, 0, 0, 7, 0, Move4Rows=1, Broadcast1RowTo8=0, BroadcastCol0=0, DstRow=14)
    wanted = m.srcb[0, 4:8] >> 3 & 0xFF00 | m.srcb[0, 4:8] & 0xFF
    assert np.array_equal(m.dst[12:16], wanted)
    moves.MOVB2A(core, 0, srca=20, addr_mode=0, instr_mod=2, srcb=8)
    assert np.array_equal(m.srca[0, 20:24], m.srcb[0, 8:12])
    with pytest.raises(Refused, match="MOVB2A with instr_mod 0"):
        moves.MOVB2A(core, 0, srca=20, addr_mode=0, instr_mod=0, srcb=8)


@pytest.mark.parametrize(
    ("of_a", "of_b", "wanted"),
    [
        (Format.TF32, Format.TF32, 0xC1234000),  # sign, exponent and mantissa of 10 bits
        (Format.TF32, Format.BF16, 0xC1230000),
        (Format.TF32, Format.FP16, 0x81234000),  # without three bits of the exponent
        (Format.BF16, Format.BF16, 0xC123),
        (Format.BF16, Format.TF32, 0xC123),
        (Format.BF16, Format.FP16, 0x8123),
    ],
)
def test_a_move_from_srcb_has_the_bits_of_its_own_format(
    of_a: Format, of_b: Format, wanted: int
) -> None:
    # MOVB2D of the public simulator 1.10: a mask by SrcB, before the format of SrcA places the bits
    core = coprocessor(ALU_FORMAT_SPEC_REG0_SrcA=of_a, ALU_FORMAT_SPEC_REG1_SrcB=of_b)
    m = core.matrix
    m.srcb[0, 0] = src_from_tf32(0xC1234000 >> 13)
    moves.MOVB2D(core, 0, 0, 0, 0, Move4Rows=0, Broadcast1RowTo8=0, BroadcastCol0=0, DstRow=0)
    if of_a is Format.TF32:
        found = fp32_from_dst(dst.read32(m, np.array([0])))
    else:
        found = bf16_from_dst(m.dst[:1])
    assert (found == wanted).all()


def test_a_move_of_tf32_fills_32_bits() -> None:
    core = coprocessor(ALU_FORMAT_SPEC_REG0_SrcA=Format.TF32, ALU_ACC_CTRL_Fp32_enabled=1)
    m = core.matrix
    m.srca[0, 0] = src_from_tf32(0x40490FDB >> 13)
    moves.MOVA2D(core, 0, 0, SrcRow=0, AddrMod=0, Move8Rows=0, DstRow=9)
    assert (fp32_from_dst(dst.read32(m, np.array([9]))) == 0x40490000).all()
    moves.MOVD2B(core, 0, 0, SrcRow=7, AddrMod=0, Move4Rows=0, DstRow=9)
    assert np.array_equal(m.srcb[0, 7], m.srca[0, 0])


def test_a_move_can_fill_the_low_half() -> None:
    core = filled()
    m = core.matrix
    dst.write(m, np.array([0]), np.full((1, 16), 0xAAAA0000), wide=True)
    m.srcb[0, 2] = ONE
    moves.MOVB2D(core, 0, 1, 2, 0, Move4Rows=0, Broadcast1RowTo8=0, BroadcastCol0=0, DstRow=0)
    assert (dst.read32(m, np.array([0])) == 0xAAAA007F).all()


def test_moves_flush_what_has_no_exponent_unless_reported_not_to() -> None:
    core = filled()
    m = core.matrix
    m.srca[0, 0] = 0x7F << 11
    moves.MOVA2D(core, 0, 0, 0, 0, 0, 0)
    assert not m.dst[0].any()
    configure(core, {"ALU_ACC_CTRL_Zero_Flag_disabled_src": 1})
    moves.MOVA2D(core, 0, 0, 0, 0, 0, 0)
    assert (m.dst[0] == 0x7F00).all()


def test_lane_config_keeps_columns_from_being_moved() -> None:
    core = filled()
    core.vector.lane_config[:] = 1 << 10
    before = core.matrix.dst.copy()
    moves.MOVB2D(core, 0, 0, 0, 0, Move4Rows=0, Broadcast1RowTo8=1, BroadcastCol0=0, DstRow=0)
    assert np.array_equal(core.matrix.dst[:8, 1::2], before[:8, 1::2])
    assert (core.matrix.dst[:8, ::2] != before[:8, ::2]).any()


def test_a_narrow_dst_has_no_low_half() -> None:
    with pytest.raises(Refused, match="UseDst32bLo while Dst has 16 bits"):
        moves.MOVD2A(filled(), 0, 1, 0, 0, 0, 0)


def test_shifts_move_a_column_in_or_around() -> None:
    core = filled()
    m, rows = core.matrix, np.arange(64)[:, None] * 16 + np.arange(16)
    m.srca[0], m.srcb[0] = rows, rows
    core.threads[0].rows.srcb = 4
    moves.SHIFTXB(core, 0, AddrMod=0, ShiftInZero=0, SrcRow=2)
    assert m.srcb[0, 6].tolist() == [*range(97, 112), 96]
    moves.SHIFTXB(core, 0, AddrMod=0, ShiftInZero=1, SrcRow=2)
    assert m.srcb[0, 6].tolist() == [*range(98, 112), 96, 0]
    moves.MOVD2A(core, 0, 0, SrcRow=36, AddrMod=0, Move4Rows=0, DstRow=0)
    moves.SHIFTXA(core, 0, Direction=2)
    assert m.srca[0, 1].tolist() == [0, *range(33 * 16, 33 * 16 + 15)]


def test_srcb_is_transposed_in_place() -> None:
    core = filled()
    before = core.matrix.srcb[0].copy()
    moves.TRNSPSRCB(core, 0)
    assert np.array_equal(core.matrix.srcb[0, 16:32], before[16:32].T)
    assert np.array_equal(core.matrix.srcb[0, :16], before[:16])


@pytest.mark.parametrize(
    ("fields", "rows"),
    [
        ({"Mode": 0, "Imm10": 7}, [7]),
        ({"Mode": 1, "Imm10": 2}, list(range(32, 48))),
        ({"Mode": 1, "Imm10": 1, "UseDst32b": 1}, list(range(32, 64))),
        ({"Mode": 1, "Imm10": 0xFF}, []),
        ({"Mode": 2, "Imm10": 1}, list(range(512, 1024))),
        ({"Mode": 2, "Imm10": 0}, list(range(512))),
        ({"Mode": 3, "Imm10": 0}, list(range(1024))),
    ],
)
def test_zeroacc_makes_rows_undefined(fields: dict[str, int], rows: list[int]) -> None:
    core = filled()
    control.ZEROACC(core, 0, **{"UseDst32b": 0, "Revert": 0, "AddrMod": 0, **fields})
    assert np.flatnonzero(~core.matrix.defined).tolist() == rows


def test_zeroacc_moves_counters_in_its_small_modes_alone() -> None:
    core = filled(ADDR_MOD_DST_SEC1_DestIncr=8)
    fields = {"UseDst32b": 0, "Revert": 0, "AddrMod": 1}
    control.ZEROACC(core, 0, **fields, Mode=1, Imm10=0xFF)
    control.ZEROACC(core, 0, **fields, Mode=2, Imm10=0)
    assert core.threads[0].rows.dst == 8


def test_zerosrc_chooses_banks() -> None:
    core = filled()
    m = core.matrix
    m.matrix_a = 1
    control.ZEROSRC(core, 0, 1, 1, BothBanks=0, ClearSrcB=0, ClearSrcA=1)
    assert (m.srca[1] == INFINITE).all()
    assert (m.srca[0] != INFINITE).all()
    control.ZEROSRC(core, 0, 0, 0, BothBanks=1, ClearSrcB=1, ClearSrcA=0)
    assert not m.srcb.any()


def test_setrwc_takes_values_or_adds_them_to_carriage_returns() -> None:
    core = coprocessor()
    rows = core.threads[0].rows
    rows.srca_cr, rows.dst, rows.fidelity = 60, 1020, 2
    names = "FlipSrcB FlipSrcA DstCtoCr DstCr SrcBCr SrcACr DstVal SrcBVal SrcAVal Fidelity Dst"
    none = dict.fromkeys(f"{names} SrcB SrcA".split(), 0)
    control.SETRWC(core, 0, **{**none, "SrcACr": 1, "SrcAVal": 15, "SrcA": 1, "Fidelity": 1})
    assert (rows.srca, rows.srca_cr, rows.fidelity) == (11, 11, 0)
    control.SETRWC(core, 0, **{**none, "DstCtoCr": 1, "DstVal": 8})
    assert (rows.dst, rows.dst_cr) == (4, 4)


def test_incrwc_increments_counters_or_their_carriage_returns() -> None:
    core = coprocessor()
    rows = core.threads[0].rows
    rows.dst, rows.dst_cr, rows.srcb = 100, 32, 63
    control.INCRWC(core, 0, DstCr=1, SrcBCr=0, SrcACr=0, DstInc=8, SrcBInc=2, SrcAInc=1)
    assert (rows.dst, rows.dst_cr, rows.srcb, rows.srca) == (40, 40, 1, 1)


def test_cleardvalid_moves_on_or_stays_or_resets() -> None:
    core = coprocessor()
    m = core.matrix
    m.owner_a[:] = m.owner_b[:] = MATRIX
    control.CLEARDVALID(core, 0, FlipSrcB=1, FlipSrcA=0, KeepReadingSameSrc=1, Reset=0)
    assert (m.owner_b.tolist(), m.matrix_b) == ([UNPACKERS, MATRIX], 0)
    control.CLEARDVALID(core, 0, FlipSrcB=0, FlipSrcA=1, KeepReadingSameSrc=0, Reset=0)
    assert (m.owner_a.tolist(), m.matrix_a) == ([UNPACKERS, MATRIX], 1)
    control.CLEARDVALID(core, 0, FlipSrcB=0, FlipSrcA=0, KeepReadingSameSrc=0, Reset=1)
    assert not m.owner_a.any()
    assert not m.owner_b.any()
    assert not m.matrix_a


def test_setdvalid_hands_over_what_unpackers_have() -> None:
    core = coprocessor(SRCB_SET_Base=1)
    core.threads[0].src_row = (9, 9)
    control.SETDVALID(core, 0, FlipSrcB=1, FlipSrcA=0)
    m = core.matrix
    assert (m.owner_b.tolist(), m.unpack_b, m.unpack_a) == ([MATRIX, UNPACKERS], 1, 0)
    assert core.threads[0].src_row == (9, 16)


def test_a_code_of_no_format_is_refused() -> None:
    core = coprocessor(ALU_FORMAT_SPEC_REG0_SrcA=12)
    with pytest.raises(Refused, match="12, which is the code of no data format"):
        source_format(core, 0)


def test_pools_read_the_row_of_32_bits() -> None:
    core = filled(ALU_ACC_CTRL_Fp32_enabled=1)
    m = core.matrix
    dst.write(m, np.arange(8, 12), np.full((4, 16), int(dst_from_fp32(0x40800000))), wide=True)
    m.srca[0, :16], m.srcb[0] = ONE, ONE
    arithmetic.GMPOOL(core, 0, **NO_FLIP, AddrMod=0, ArgMax=0, DstRow=8)
    assert (fp32_from_dst(dst.read32(m, np.arange(8, 12)))[:, 0] == [0x40800000, 0, 0, 0]).all()
