"""Conversions, block floats, tiles: against the scalar model, and facts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix import bfp, formats, pack_conversion, unpack_conversion
from nasm.targets.tensix.matrix.formats import BITS, BLOCK_FLOATS, FIVE_BIT_EXPONENT, Format
from nasm.targets.tensix.matrix.pack_conversion import DstReading, NumberKind
from nasm.targets.tensix.matrix.tiles import encode, tile_bytes, tilize, untilize
from tests.tensix.matrix import model_formats as model
from tests.tensix.matrix.tiles import decode_tiles, encode_tiles

F = Format
BLOCKS = sorted(BLOCK_FLOATS)


def fp32_samples(count: int = 10_000) -> np.ndarray:
    rng = np.random.default_rng(1)
    near = rng.standard_normal(count) * 2.0 ** rng.integers(-30, 30, count)
    bits = near.astype(np.float32).view(np.uint32)
    special = [0, 1 << 31, 1, 0x7F800000, 0x7FC00001, 0xFFFFFFFF, 0x007FFFFF, 0x38000000,
               0x37FFFFFF, 0x477FFFFF, 0x47FFFFFF, 0x48000000, 0x3F808000, 0x3F807FFF]  # fmt: skip
    return np.concatenate([bits, rng.integers(0, 1 << 32, count, np.uint32), np.uint32(special)])


@pytest.mark.parametrize("form", BLOCKS, ids=lambda f: f.name)
def test_numbers_of_blocks_widen_as_the_model_says(form: Format) -> None:
    rng = np.random.default_rng(2)
    five = form in FIVE_BIT_EXPONENT
    x = rng.integers(0, 1 << BITS[form], 4000)
    exponents = rng.integers(7, 32, 4000) if five else rng.integers(0, 256, 4000)
    wanted = [
        model.block_float(*pair, BITS[form], five)
        for pair in zip(x.tolist(), exponents.tolist(), strict=True)
    ]
    assert bfp.widened(x, exponents, form).tolist() == wanted


@pytest.mark.parametrize("form", BLOCKS, ids=lambda f: f.name)
def test_blocks_share_the_largest_exponent_as_the_model_says(form: Format) -> None:
    rng = np.random.default_rng(3)
    five = form in FIVE_BIT_EXPONENT
    values = rng.integers(0, 1 << 16, (500, 16))
    if not five:
        values = values & 0x83FF | rng.integers(14, 17, (500, 1)) << 10
    top, numbers = bfp.shared(values, form)
    wanted = [model.block(row, BITS[form], five) for row in values.tolist()]
    assert top.tolist() == [t for t, _ in wanted]
    assert numbers.tolist() == [n for _, n in wanted]


def test_a_block_by_hand() -> None:
    # 1.0 and -1.5 share 127: 64 and 96 of 2^-6. 0.0117 = 1.5 * 2^-7 rounds to 1, half of it to 0.
    values = np.zeros((1, 16), np.uint32)
    values[0, :4] = [0x3F80, 0xBFC0, 0x3C40, 0xBBC0]
    top, numbers = bfp.shared(values, F.BFP8)
    assert (top.tolist(), numbers[0, :4].tolist()) == ([127], [64, 0x80 | 96, 1, 0])
    assert bfp.shared(values, F.BFP4)[1][0, :4].tolist() == [4, 8 | 6, 0, 0]
    assert bfp.shared(values, F.BFP2)[1][0, :4].tolist() == [1, 2 | 1, 0, 0]


def test_zero_with_a_sign_is_minus_infinity() -> None:
    assert bfp.widened([0x80], [130], F.BFP8).tolist() == [0xFF80]
    assert bfp.widened([0x8], [20], F.BFP4A).tolist() == [0xFC00]


def test_an_exponent_of_five_bits_does_not_wrap() -> None:
    with pytest.raises(Refused, match="no exponent of 5 bits"):
        bfp.widened([1], [3], F.BFP8A)


def test_numbers_of_two_and_four_bits_begin_in_the_low_bits() -> None:
    assert bfp.packed([1, 2, 3, 0, 3, 3, 0, 1], F.BFP2).tolist() == [0b00111001, 0b01001111]
    assert bfp.packed([0xA, 0x5], F.BFP4).tolist() == [0x5A]
    assert bfp.unpacked(np.array([0x5A], np.uint8), F.BFP4).tolist() == [0xA, 0x5]


@pytest.mark.parametrize(
    ("target", "one"),
    [
        (F.FP16, lambda x: model.fp32_to_fp16(x)),
        (F.BF16, lambda x: (x if x & 0x7F800000 else x & 0x80000000) >> 16),
    ],
    ids=["FP16", "BF16"],
)
def test_unpackers_cut_off_fp32(target: Format, one: object) -> None:
    x = fp32_samples()
    found = unpack_conversion.converted(x, None, F.FP32, target, to_dst=False)
    back = formats.src_from_fp16 if target is F.FP16 else formats.src_from_bf16
    assert found.tolist() == [int(back(one(v))) for v in x.tolist()]  # type: ignore[operator]


@pytest.mark.parametrize("unsigned", [False, True])
def test_int8_has_a_dummy_exponent(unsigned: bool) -> None:
    x = np.arange(256, dtype=np.uint32)
    found = unpack_conversion.converted(x, None, F.INT8, F.INT8, to_dst=False, unsigned=unsigned)
    assert found.tolist() == [model.int8(v, unsigned) for v in range(256)]


def test_an_unpacker_widens_nothing() -> None:
    with pytest.raises(Refused, match="no unpacker makes FP32 in SrcA or SrcB of FP32 in L1"):
        unpack_conversion.checked(F.FP32, F.FP32, to_dst=False)
    with pytest.raises(Refused, match="no unpacker makes BF16 in Dst of FP16 in L1"):
        unpack_conversion.checked(F.FP16, F.BF16, to_dst=True)


@pytest.mark.parametrize(("form", "kept"), [(F.BF16, 7), (F.TF32, 10), (F.BFP8, 6)])
def test_the_early_conversion_rounds_halves_away(form: Format, kept: int) -> None:
    x = fp32_samples()
    found, kind = pack_conversion.early(formats.dst_from_fp32(x), DstReading(form, wide=True))
    assert kind is NumberKind.FP32
    assert found.tolist() == [model.fp32_to_bf16_rounded(v, kept) for v in x.tolist()]


def test_raw_reads_keep_nan_and_denormals() -> None:
    x = np.array([0x7FC00001, 0x00000001], np.uint32)
    found, _ = pack_conversion.early(formats.dst_from_fp32(x), DstReading(F.FP32, wide=True))
    assert found.tolist() == x.tolist()
    how = DstReading(F.BF16, wide=True, raw=True)
    cut, _ = pack_conversion.early(formats.dst_from_fp32(x), how)
    assert cut.tolist() == [0x7FC00000, 0]


def test_integers_are_shifted_rounded_and_saturated() -> None:
    x = np.array([5, 6, 1000, 0x80000000 | 1000, 0x80000000 | 3], np.uint32)
    how = DstReading(F.INT8, wide=True, shift=2)
    found, _ = pack_conversion.early(formats.dst_from_fp32(x), how)
    assert found.tolist() == [1, 2, 127, 255, 0x81]
    how = DstReading(F.INT8, wide=True, unsigned=True)
    assert pack_conversion.early(formats.dst_from_fp32(x), how)[0].tolist() == [5, 6, 255, 0, 0]


def test_16_bits_of_an_integer_are_the_high_half_of_32_as_they_are_stored() -> None:
    # the public simulator, and what typecasts to 16 bits rely on; the documents have no such case
    found, kind = pack_conversion.early([0x12345678, 0xFFFF0001], DstReading(F.INT16, wide=True))
    assert (found.tolist(), kind) == ([0x1234, 0xFFFF], pack_conversion.NumberKind.INT16)


def test_no_packer_widens_bf16_early() -> None:
    with pytest.raises(Refused, match="no packer makes FP32 of 16 bits of Dst"):
        pack_conversion.early([0], DstReading(F.FP32, wide=False))


def test_the_late_conversion_saturates_and_cuts_off() -> None:
    x = fp32_samples()
    found = pack_conversion.late(x, NumberKind.FP32, F.FP32, F.FP16)
    assert found.tolist() == [model.fp32_to_fp16(v) for v in x.tolist()]
    fp8 = pack_conversion.late(x, NumberKind.FP32, F.FP32, F.FP8)
    assert fp8.tolist() == [model.fp32_to_fp16(v) >> 8 for v in x.tolist()]


def test_the_late_conversion_widens_exactly() -> None:
    x = np.arange(1 << 16, dtype=np.uint32)
    wide = pack_conversion.late(x, NumberKind.FP16, F.FP16, F.FP32)
    assert wide.tolist() == [model.fp16_to_fp32(v) for v in x.tolist()]


def test_relu_by_mode() -> None:
    x = np.array([0xBF800000, 0x00000000, 0x3F000000, 0x3F800000, 0x40000000], np.uint32)
    modes = [pack_conversion.relu(x, NumberKind.FP32, mode, 0x3F80).tolist() for mode in range(4)]
    assert modes == [
        x.tolist(),
        [0, 0, 0x3F000000, 0x3F800000, 0x40000000],
        [0, 0, 0, 0, 0x40000000],
        [0, 0, 0x3F000000, 0x3F800000, 0x3F800000],
    ]
    with pytest.raises(Refused, match="threshold 0x8000"):
        pack_conversion.relu(x, NumberKind.FP32, 2, 0x8000)
    for kind in (NumberKind.INT32, NumberKind.INT16, NumberKind.INT8):
        for mode in (2, 3):
            with pytest.raises(Refused, match="no source has other modes than 0 and 1"):
                pack_conversion.relu(x, kind, mode, 0x3F80)


def test_a_tile_is_four_faces() -> None:
    x = np.arange(64 * 96).reshape(64, 96)
    tiles = tilize(x)
    assert tiles.shape == (6, 4, 16, 16)
    assert tiles[0, 1, 0, 0] == x[0, 16]
    assert tiles[0, 2, 0, 0] == x[16, 0]
    assert tiles[4, 3, 2, 1] == x[32 + 16 + 2, 32 + 16 + 1]
    assert np.array_equal(untilize(tiles, 64, 96), x)
    with pytest.raises(Refused, match="tiles are 32 by 32; found 32 by 40"):
        tilize(np.zeros((32, 40)))


@pytest.mark.parametrize(
    ("form", "size", "error"),
    [
        (F.FP32, 4096, 0), (F.TF32, 4096, 2.0**-11), (F.BF16, 2048, 2.0**-8),
        (F.FP16, 2048, 2.0**-11), (F.FP8, 1024, 2.0**-3), (F.BFP8, 1088, 2.0**-6),
        (F.BFP8A, 1088, 2.0**-6), (F.BFP4, 576, 2.0**-2), (F.BFP4A, 576, 2.0**-2),
        (F.BFP2, 320, 1), (F.BFP2A, 320, 1),
    ],
    ids=lambda v: v.name if isinstance(v, Format) else "",
)  # fmt: skip
def test_arrays_become_bytes_and_arrays_again(form: Format, size: int, error: float) -> None:
    rng = np.random.default_rng(4)
    x = (rng.choice([-1, 1], (64, 32)) * rng.uniform(1, 2, (64, 32))).astype(np.float32)
    data = encode_tiles(x, form)
    assert len(data) == 2 * size == 2 * tile_bytes(form)
    back = decode_tiles(data, form, 64, 32)
    assert np.abs(back - x).max() <= error * 2
    again = encode_tiles(back, form)
    assert np.array_equal(decode_tiles(again, form, 64, 32), back)


@pytest.mark.parametrize("form", [F.INT8, F.INT16, F.INT32], ids=lambda f: f.name)
def test_integers_have_a_sign_and_a_magnitude_in_l1(form: Format) -> None:
    x = np.arange(-512, 512).reshape(32, 32) // 5
    assert np.array_equal(decode_tiles(encode_tiles(x, form), form, 32, 32), x)
    assert encode([-2], form)[-1] >> 7 == 1
    with pytest.raises(Refused, match="goes from"):
        encode([1 << 40], form)


def test_halves_round_to_even_in_arrays() -> None:
    assert encode([1 + 2.0**-8, 1 + 3 * 2.0**-8], F.BF16).view(np.uint16).tolist() == [
        0x3F80,
        0x3F82,
    ]
    assert encode([1e9, -1e9, 1e-9], F.FP16).view(np.uint16).tolist() == [0x7FFF, 0xFFFF, 0]
