"""Tiles on Blackhole: formats of banks, unpackers, the packer, and what they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, frexp, ldexp
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import nasm
from nasm.base.problems import Refused
from nasm.machine.records import Status
from nasm.targets.tensix.matrix import arithmetic, blackhole, moves
from nasm.targets.tensix.matrix.control import CLEARDVALID
from nasm.targets.tensix.matrix.formats import Format, dst_from_bf16, dst_from_fp32, src_from_bf16
from nasm.targets.tensix.matrix.pack_conversion import DstReading, NumberKind, early, late
from nasm.targets.tensix.matrix.unpack_conversion import fp16_from_fp8
from nasm.targets.tensix.scalar.config import set_field
from nasm.targets.tensix.state import MATRIX, Coprocessor
from tests.tables import each
from tests.tensix.blackhole.cores import made

THREAD = 1


def owned(**fields: int) -> Coprocessor:
    """A coprocessor whose banks are the matrix unit's, unpacked as bfloat16."""
    core = made()
    core.matrix.owner_a[:] = core.matrix.owner_b[:] = MATRIX
    core.matrix.implied_a[:] = core.matrix.implied_b[:] = Format.BF16
    for name, value in fields.items():
        set_field(core, THREAD, name, value)
    return core


def add(core: Coprocessor) -> None:
    arithmetic.ELWADD(core, THREAD, 0, 0, 0, 0, 0, 0, 0)


# -- formats of banks


@each(
    ("code", "own", "wanted"),
    [
        (Format.TF32, Format.BF16, 0x10), (Format.BF16, Format.TF32, 0),
        (Format.TF32, Format.TF32, 0x10), (Format.BF16, Format.BF16, 0),
    ],
)  # fmt: skip
def test_a_bank_is_taken_for_what_it_was_unpacked_to(
    code: Format, own: Format, wanted: int
) -> None:
    fields = {"ALU_FORMAT_SPEC_REG0_SrcA": own, "ALU_FORMAT_SPEC_REG1_SrcB": own}
    core = owned(ALU_ACC_CTRL_Fp32_enabled=1, **fields)
    core.matrix.implied_a[:] = core.matrix.implied_b[:] = code
    core.matrix.srca[0, :8] = 1 << 8 | 127  # 1 + 2^-10, of which bfloat16 has no bit
    add(core)
    assert int(core.matrix.dst[8, 0]) >> 9 == wanted  # the low half of row 0
    set_field(core, THREAD, "DISABLE_IMPLIED_SRCA_FMT_Base", 1)
    set_field(core, THREAD, "DISABLE_IMPLIED_SRCB_FMT_Base", 1)
    add(core)
    assert int(core.matrix.dst[8, 0]) >> 9 == (0x10 if own is Format.TF32 else 0)


def test_moves_of_srcb_go_by_the_format_of_its_bank() -> None:
    core = owned()
    core.matrix.implied_a[:], core.matrix.implied_b[:] = Format.FP16, Format.BF16
    core.matrix.srcb[0, 0] = src_from_bf16(0x4049)
    moves.MOVB2D(core, THREAD, 0, 0, 0, 0, 0, 0, 0)
    assert (core.matrix.dst[0] == dst_from_bf16(0x4049)).all()


@each("move", [moves.MOVD2A, moves.MOVD2B, moves.MOVA2D, moves.MOVDBGA2D])
def test_a_bank_that_no_unpack_has_given_has_no_format(move: Any) -> None:
    core = made()
    with pytest.raises(Refused, match=r"bank 0 of Src[AB] has no format"):
        move(core, THREAD, 0, 0, 0, 0, 0)
    set_field(core, THREAD, "DISABLE_IMPLIED_SRCA_FMT_Base", 1)
    move(core, THREAD, 0, 0, 0, 0, 0)


def test_a_reset_of_banks_makes_their_formats_fp32() -> None:
    core = owned()
    CLEARDVALID(core, THREAD, 0, 0, 0, 1)
    assert (*core.matrix.implied_a, *core.matrix.implied_b) == (0, 0, 0, 0)


# -- sums


def test_a_sum_of_minus_one_unit_is_that() -> None:
    # 2 - 1 - (1 + 2^-23), in Dst of 32 bits, is a unit of the last place of 1
    one, more = np.float32(1), np.float32(1) + np.float32(2) ** -23
    core = owned(ALU_ACC_CTRL_Fp32_enabled=1)
    core.matrix.srca[0, :8] = src_from_bf16(0x3F80)
    bits = dst_from_fp32((-more).view(np.uint32))
    core.matrix.dst[:8], core.matrix.dst[8:16] = bits >> 16, bits & 0xFFFF
    core.matrix.defined[:16] = True
    arithmetic.ELWADD(core, THREAD, 0, 0, 1, 0, 0, 0, 0)
    wanted = dst_from_fp32(np.float32(one - more).view(np.uint32))
    assert int(core.matrix.dst[0, 0]) << 16 | int(core.matrix.dst[8, 0]) == int(wanted)


# -- what clears


@each(
    ("mode", "wide", "where", "counter", "absolute", "cleared"),
    [
        (1, 0, 1, 0, 0, [*range(16, 32)]), (1, 0, 1, 512, 0, [*range(528, 544)]),
        (1, 0, 1, 512, 1, [*range(16, 32)]), (1, 1, 1, 0, 0, [*range(32, 40), *range(48, 56)]),
        (1, 1, 0, 256, 0, [*range(512, 520), *range(528, 536)]), (7, 0, 0, 0, 0, [*range(1024)]),
        (2, 0, 1, 0, 0, [*range(512, 1024)]), (6, 0, 0, 0, 0, [*range(512)]), (0, 0, 3, 8, 0, [11]),
    ],
)  # fmt: skip
def test_rows_that_zeroacc_clears(
    mode: int, wide: int, where: int, counter: int, absolute: int, cleared: list[int]
) -> None:
    core = owned(DEST_ACCESS_CFG_zeroacc_absolute_tile_mode=absolute)
    core.matrix.defined[:] = True
    core.threads[THREAD].rows.dst = counter
    blackhole.ZEROACC(core, THREAD, mode, wide, 0, 0, where)
    left = np.flatnonzero(~core.matrix.defined)
    # a row of 32 bits has two of 16, of which the first says whether it is defined
    assert [row for row in left.tolist() if not wide or not row & 8] == cleared


@each(("mode", "wide", "flags", "where"), [(0, 1, 0, 0), (8, 0, 0, 0), (1, 0, 1, 0), (1, 0, 0, 64)])
def test_zeroacc_refuses_what_no_source_describes(
    mode: int, wide: int, flags: int, where: int
) -> None:
    with pytest.raises(Refused, match="ZEROACC of"):
        blackhole.ZEROACC(owned(), THREAD, mode, wide, flags, 0, where)


def turn(core: Coprocessor, **fields: int) -> None:
    names = "Unpack_block_selection Set_Dvalid Clr_to1_fmt_Ctrl Bank_Clr_Ctrl Src_ClrVal_Ctrl"
    blackhole.UNPACR_NOP(
        core, 0, **{**dict.fromkeys(names.split(), 0), "Unpack_Pop": 1, **fields}
    )()


def test_a_turn_clears_a_bank_and_gives_it_with_the_format_of_its_unpacker() -> None:
    core = made()
    set_field(core, 0, "THCON_SEC1_REG2_Out_data_format", Format.FP16)
    core.matrix.srcb[:] = 7
    turn(core, Unpack_block_selection=1, Set_Dvalid=1)
    m = core.matrix
    assert (m.srcb[0].any(), m.srcb[1].all(), m.unpack_b) == (False, True, 1)
    assert (m.owner_b.tolist(), m.implied_b.tolist()) == ([MATRIX, 0], [Format.FP16, -1])


def test_a_turn_makes_srca_minus_infinity() -> None:
    core = made()
    turn(core, Src_ClrVal_Ctrl=1, Bank_Clr_Ctrl=1)
    assert (core.matrix.srca == 0x7FFFF).all()
    assert core.matrix.owner_a.tolist() == [0, 0]


@each(
    "fields",
    [
        {"Unpack_Pop": 0}, {"Unpack_Pop": 3}, {"Clr_to1_fmt_Ctrl": 3}, {"Src_ClrVal_Ctrl": 2},
        {"Src_ClrVal_Ctrl": 1, "Unpack_block_selection": 1},
    ],
)  # fmt: skip
def test_turns_that_no_source_describes_are_refused(fields: dict[str, int]) -> None:
    with pytest.raises(Refused, match="UNPACR_NOP"):
        turn(made(), **fields)


# -- FP8, and FP16 of what has an exponent of 8 bits


def normal(bits: int) -> bool:
    return bool(bits & 0x78) and bits & 0x7F != 0x7F


def half(bits: int) -> float:
    """FP16 bits of the hardware, where the exponent 31 is as others."""
    sign, exponent, fraction = bits >> 15, bits >> 10 & 31, bits & 1023
    return (-1) ** sign * ldexp(1024 + fraction, exponent - 25) if exponent else 0.0


def test_fp8_of_four_bits_is_unpacked_exactly() -> None:
    codes = np.arange(256, dtype=np.uint8)
    wanted = codes.view(ml_dtypes.float8_e4m3fn).astype(np.float64)
    found = fp16_from_fp8(codes.astype(np.uint32), True)
    for code, number in zip(codes.tolist(), found.tolist(), strict=True):
        if normal(code):
            assert half(number) == wanted[code]
    assert (int(found[0x7F]), int(found[0xFF]), int(found[0x80])) == (0x5FFF, 0xDFFF, 0x8000)


def test_fp8_of_five_bits_is_unpacked_exactly_but_for_the_largest() -> None:
    codes = np.arange(256, dtype=np.uint8)
    wanted = codes.view(ml_dtypes.float8_e5m2).astype(np.float64)
    found = fp16_from_fp8(codes.astype(np.uint32), False)
    for code, number in zip(codes.tolist(), found.tolist(), strict=True):
        if code & 0x7C and code & 0x7C != 0x7C:
            assert half(number) == wanted[code]
    assert (int(found[0x7F]), int(found[0x7E]), int(found[0xFF])) == (0x7FFF, 0x7E00, 0xFFFF)


def cut_to_fp8(value: float) -> float:
    """The largest normal number of FP8 with four bits of exponent that is not larger."""
    every = np.array([c for c in range(0x08, 0x80)], np.uint8)
    numbers = every.view(ml_dtypes.float8_e4m3fn).astype(np.float64)
    numbers[-1] = 480.0  # all ones are a number here
    below = numbers[numbers <= abs(value)]
    return float(np.copysign(below.max() if len(below) else 0.0, value))


def test_fp8_of_four_bits_is_packed_by_cutting_off() -> None:
    bits = np.arange(1 << 16, dtype=np.uint32)[::37]
    found = late(bits, NumberKind.FP16, Format.FP16, Format.FP8, four_bits=True)
    for number, code in zip(bits.tolist(), found.tolist(), strict=True):
        wanted = cut_to_fp8(half(number))
        exponent, fraction = code >> 3 & 15, code & 7
        value = ldexp(8 + fraction, exponent - 10) if exponent else 0.0
        assert np.copysign(value, -1 if code >> 7 else 1) == wanted


def rounded_to_half(value: float) -> float:
    """The nearest FP16 of the hardware, halves away from zero; what is too large is the largest."""
    if not value:
        return 0.0
    fraction, exponent = frexp(abs(value))
    near = ldexp(floor(ldexp(fraction, 11) + 0.5), exponent - 11)
    if near < 2.0**-14:
        return 0.0
    return float(np.copysign(min(near, 131008.0), value))


def numbers() -> Iterator[float]:
    rng = np.random.default_rng(5)
    for scale in range(-13, 20):
        yield from (rng.standard_normal(20) * 2.0**scale).astype(np.float32).tolist()
    yield from (1 + 2**-11, -(1 + 2**-11), 65504.0, 131008.0, 1e30, -1e30, 0.0)


def test_fp16_of_32_bits_of_dst_rounds_once() -> None:
    values = np.array(list(numbers()), np.float32)
    values = values[(np.abs(values) >= 2.0**-13) | (values == 0)]
    how = DstReading(Format.FP16, wide=True, round_10=True, narrows=True, to_fp16=True)
    between, kind = early(dst_from_fp32(values.view(np.uint32)), how)
    assert kind is NumberKind.FP32
    exact = [rounded_to_half(float(v)) for v in values]
    rounded = between.astype(np.uint32).view(np.float32)
    assert [min(abs(v), 131008.0) for v in rounded.tolist()] == [abs(v) for v in exact]


def test_fp16_of_32_bits_is_refused_where_nothing_rounds() -> None:
    with pytest.raises(Refused, match="no packer makes FP16 of 32 bits"):
        early(np.zeros(1, np.uint32), DstReading(Format.FP16, wide=True, narrows=True))


# -- the packer's interfaces

PACKS = """\
.target blackhole
.l1 y u16[128] output = zeros
.cfg ALU_FORMAT_SPEC_REG2_Dstacc = bf16
.cfg PCK_EDGE_OFFSET_SEC0_mask = {mask}
.cfg PCK0_ADDR_CTRL_XY_REG_0_Ystride = 32
.cfg THCON_SEC0_REG1_Disable_zero_compress = 1
.cfg THCON_SEC0_REG1_In_data_format = bf16
.cfg THCON_SEC0_REG1_Out_data_format = bf16
.cfg THCON_SEC0_REG1_L1_Dest_addr = 0xffffffff
.cfg PACK_COUNTERS_SEC0_pack_reads_per_xy_plane = 16
@t2
SETADCXX PK=1, X1Val={last}, X0Val=0
SETADC CntSetMask=4, Channel=0, XYZW=1, NewValue={row}
.for n in 0..8                              ; a row and half of its columns: the number of both
    SFPLOADI VD=0, Mod0=0, Imm16=0x4000 + n
    SFPSTORE VD=0, Mod0=2, Imm10=(n // 2) * 4 + 2 * (n % 2)
.end
STALLWAIT BlockMask=4, ConditionMask=0x800
PACR ReadIntfSel={mask_of}, Last=1
"""


def packed(mask_of: int, last: int = 15, row: int = 0, mask: int = 0xFFFF) -> Any:
    text = PACKS.format(mask_of=mask_of, last=last, row=row, mask=mask)
    session = nasm.Session(nasm.assemble(text))
    report = session.run(max_cycles=10_000)
    assert report.status is Status.FINISHED, [p.message for p in report.problems]
    return np.asarray(session.evaluate("y").array).reshape(-1, 16)


@each(
    ("mask", "row", "rows"),
    [
        (0, 0, [0, 1, 2, 3]), (15, 4, [4, 5, 6, 7]), (1, 0, [0]), (3, 0, [0, 1]), (3, 2, [2, 3]),
        (7, 0, [0, 1, 2]), (5, 0, [0, 2]), (10, 0, [1, 3]), (8, 8, [11]), (1, 3, [3]),
    ],
)  # fmt: skip
def test_each_interface_packs_a_row(mask: int, row: int, rows: list[int]) -> None:
    found = packed(mask, row=row)
    for at, one in enumerate(rows):
        even, odd = (0x4000 + 2 * (one // 4) + column for column in (0, 1))
        assert found[at].tolist() == [even, odd] * 8
    assert (found[len(rows) :] == 0).all()


def test_x_selects_numbers_of_each_row() -> None:
    assert packed(3, last=7).ravel()[:17].tolist() == [0x4000, 0x4001] * 8 + [0]


def test_an_edge_mask_leaves_columns_out() -> None:
    assert packed(1, mask=0x000F)[0].tolist() == [0x4000, 0x4001] * 2 + [0] * 12


@each(
    ("text", "said"),
    [
        ("ReadIntfSel=3", "rows 3 to 4 of Dst"), ("ReadIntfSel=1, CtxtCtrl=1", "with CtxtCtrl"),
        ("ReadIntfSel=1, RowPadZero=1", "RowPadZero"), ("ReadIntfSel=1, CfgContext=1", "CfgCon"),
        ("ReadIntfSel=1, OvrdThreadId=1", "OvrdThreadId"),
    ],
)  # fmt: skip
def test_the_packer_refuses_what_no_source_describes(text: str, said: str) -> None:
    head = PACKS.partition("PACR")[0].format(mask_of=0, last=15, row=3, mask=0xFFFF)
    session = nasm.Session(nasm.assemble(f"{head}PACR {text}, Last=1\n"))
    report = session.run(max_cycles=10_000)
    assert said in report.problems[0].message


UNTILIZED = """\
.target blackhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/blackhole/math.nasm"
.include "lib/tensix/blackhole/pack.nasm"
.l1 a bf16[32, 32] tiled @ 0x4000 input
.l1 c {form}[32, 32] @ 0x10000 output
formats(wide={wide})
unpack_tile(0x4000)
acquire_dst()
copy_tile(wide={wide})
release_dst()
pack_untilized(0x10000, {form})
"""


@each(("form", "wide"), [("bf16", 0), ("f32", 1)])
def test_rows_16_apart_make_a_tile_rows_of_numbers(form: str, wide: int) -> None:
    text = UNTILIZED.format(form=form, wide=wide)
    a = np.random.default_rng(1).standard_normal((32, 32)).astype(ml_dtypes.bfloat16)
    session = nasm.Session(nasm.assemble(text), {"a": a})
    report = session.run(max_cycles=10_000)
    assert (report.status, report.problems, report.hazards) == (Status.FINISHED, (), ())
    found = np.asarray(session.evaluate("c").array).astype(np.float32)
    assert np.array_equal(found, a.astype(np.float32))
    core = session.machine.holds[0]
    shown = np.asarray(session.evaluate("dst").array)[:64].astype(np.float32)
    faces = a.astype(np.float32).reshape(2, 16, 2, 16).transpose(0, 2, 1, 3).reshape(64, 16)
    assert np.array_equal(shown, faces)  # rows are shown by the numbers that instructions give
    assert isinstance(core, Coprocessor)
    assert core.matrix.order == 3


@each(
    ("text", "ordered", "said"),
    [
        ("ReadIntfSel=3, DstAccessMode=1", 0, "while rows of Dst are in their usual order"),
        ("ReadIntfSel=5, DstAccessMode=1", 1, "ReadIntfSel 0b0101"),
        ("ReadIntfSel=7, DstAccessMode=1", 1, "rows 32 to 64 of Dst"),
    ],
)
def test_rows_16_apart_are_refused_where_no_source_says_more(
    text: str, ordered: int, said: str
) -> None:
    head = PACKS.partition("PACR")[0].format(mask_of=0, last=15, row=32, mask=0xFFFF)
    order = "".join(
        f".cfg DEST_ACCESS_CFG_{name} = {ordered}\n" for name in ("remap_addrs", "swizzle_32b")
    )
    head = head.replace("@t2\n", f"{order}@t2\n")
    session = nasm.Session(nasm.assemble(f"{head}PACR {text}, Last=1\n"))
    report = session.run(max_cycles=10_000)
    assert said in report.problems[0].message


def test_zeroacc_of_rows_in_another_order_is_refused() -> None:
    core = owned(DEST_ACCESS_CFG_remap_addrs=1)
    with pytest.raises(Refused, match="while rows of Dst are in another order"):
        blackhole.ZEROACC(core, THREAD, 1, 0, 0, 0, 0)
    blackhole.ZEROACC(core, THREAD, 2, 0, 0, 0, 0)


SAMPLE = Path(__file__).parents[3] / "programs" / "tensix" / "blackhole" / "matmul.nasm"


@each("settings", [{}, {"DST32": 1}, {"FP32": 1, "PHASES": 4}, {"FP32": 1, "DST32": 1}])
def test_the_sample_keeps_what_it_promises(settings: dict[str, int]) -> None:
    report = nasm.Session(nasm.assemble(SAMPLE, defines=settings)).run()
    assert (report.status, report.problems, report.hazards) == (Status.FINISHED, (), ())
    assert [one.held for one in report.expectations] == [True]
