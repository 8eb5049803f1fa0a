"""What a packer makes of a number in Dst: the bits that L1 gets.

Source: FormatConversion.md, ReLU.md, ExponentThresholding.md and EdgeMasking.md of the packers; how
they round, flush and saturate is what the public simulator does. A number goes through an early
conversion (which rounds), edge mask, ReLU, threshold, and a late conversion (which cuts off).
Between them it has one of the kinds below. Pure functions of arrays.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.targets.tensix.matrix import formats as f
from nasm.targets.tensix.matrix.formats import BLOCK_FLOATS, FIVE_BIT_EXPONENT, Bits, Format
from nasm.targets.tensix.matrix.unpack_conversion import fp16_from_fp32


class NumberKind(Enum):
    """The format of a number within a packer."""

    FP32 = "exponent of 8 bits, as FP32 bits"
    FP16 = "exponent of 5 bits, as FP16 bits"
    INT32 = "32 bits, sign and magnitude"
    INT16 = "16 bits"
    INT8 = "8 bits"


KINDS = {
    Format.FP32: NumberKind.FP32, Format.TF32: NumberKind.FP32,
    Format.BF16: NumberKind.FP32, Format.BFP8: NumberKind.FP32,
    Format.FP16: NumberKind.FP16, Format.FP8: NumberKind.FP16, Format.BFP8A: NumberKind.FP16,
    Format.INT32: NumberKind.INT32, Format.INT16: NumberKind.INT16, Format.INT8: NumberKind.INT8,
}  # fmt: skip
"""What intermediate formats are; the others are of L1 alone."""


@dataclass(frozen=True, slots=True)
class DstReading:
    """How Dst is read (PCK_DEST_RD_CTRL): the format numbers get, 32 bits or 16, and flags.

    ``shift`` is that of integers which become narrower; ``to_fp16`` whether the late conversion
    goes to FP16, which decides what ``round_10`` means for BF16. ``narrows`` says that with
    ``round_10`` FP16 can be made of numbers with an exponent of 8 bits, as on Blackhole: of 32 bits
    only after ReLU, so that they are FP32 until then.
    """

    form: Format
    wide: bool
    raw: bool = False
    unsigned: bool = False
    round_10: bool = False
    shift: int = 0
    to_fp16: bool = False
    narrows: bool = False


def _refused(how: DstReading) -> Refused:
    source = "32 bits" if how.wide else "16 bits"
    flags = ", raw" if how.raw else ", unsigned" if how.unsigned else ""
    return Refused(
        "E0701",
        f"no packer makes {how.form.name} of {source} of Dst by its early conversion{flags}",
    )


def _rounded(x: Bits, bits: int) -> Bits:
    """FP32 bits with so many of mantissa: halves away from zero, NaN as infinity, no denormals."""
    nan = (x & 0x7FFFFFFF) > 0x7F800000
    x = np.where(nan, x & 0xFF800000, x)
    half = np.uint32(1 << 22 - bits)
    cut = x + half & np.uint32(0xFFFFFFFF << 23 - bits & 0xFFFFFFFF)
    return np.where(cut & 0x7F800000, cut, 0).astype(np.uint32)


def _integers(x: Bits, how: DstReading) -> Bits:
    """32 bits of sign and magnitude as INT8 or as unsigned 8 bits."""
    if how.raw:
        return x & 0xFF if how.unsigned else x >> 24 & 0x80 | x & 0x7F
    magnitude = x & 0x7FFFFFFF
    if how.shift:
        magnitude = magnitude + np.uint32(1 << how.shift - 1) >> how.shift
    if how.unsigned:
        return np.where(x >> 31, 0, np.minimum(magnitude, 255)).astype(np.uint32)
    return f.u32(x >> 24 & 0x80 | np.minimum(magnitude, 127))


def _early_wide(x: Bits, how: DstReading) -> tuple[Bits, NumberKind]:
    form = how.form
    if form is Format.INT16:  # the page says no; the public simulator and typecast kernels do so
        return x >> 16, NumberKind.INT16
    x = f.fp32_from_dst(x)
    if form is Format.INT32:
        return x, NumberKind.INT32
    if form is Format.INT8:
        return _integers(x, how), NumberKind.INT8
    if form is Format.FP32:
        return (_rounded(x, 10) if how.round_10 and not how.raw else x), NumberKind.FP32
    if form is Format.TF32:
        return (x if how.raw else _rounded(x, 10)), NumberKind.FP32
    if form in (Format.BF16, Format.BFP8):
        if how.raw:
            return x & 0xFFFF0000, NumberKind.FP32
        ten = form is Format.BF16 and how.round_10 and how.to_fp16
        return _rounded(x, 10 if ten else 7 if form is Format.BF16 else 6), NumberKind.FP32
    if form is Format.FP16 and how.narrows and how.round_10 and not how.raw:
        return _rounded(x, 10), NumberKind.FP32
    raise _refused(how)


def _early_fp16(x: Bits, how: DstReading) -> tuple[Bits, NumberKind]:
    if how.form is Format.FP8:
        if not how.raw:
            raise _refused(how)
        return x & 0xFF00, NumberKind.FP16
    if how.form is Format.BFP8A:
        if how.raw:
            return x & 0xFFF8, NumberKind.FP16
        x = np.where((x & 0x7FFF) > 0x7FF7, x & 0x8000 | 0x7FF0, x) + np.uint32(8) & 0xFFF0
    return (x if how.raw else np.where(x & 0x7C00, x, 0).astype(np.uint32)), NumberKind.FP16


def early(stored: Any, how: DstReading) -> tuple[Bits, NumberKind]:
    """Numbers as Dst stores them, of 32 or 16 bits, in the intermediate format; raises Refused."""
    x: Bits = f.u32(stored)
    form = how.form
    if how.wide:
        return _early_wide(x, how)
    if form is Format.INT16:
        return x, NumberKind.INT16
    if form is Format.INT8 and how.raw and not how.unsigned:
        return x >> 8 & 0x80, NumberKind.INT8
    if form is Format.FP16 and how.narrows and how.round_10:
        return fp16_from_fp32(f.bf16_from_dst(x) << 16), NumberKind.FP16
    if form in (Format.FP16, Format.FP8, Format.BFP8A):
        return _early_fp16(f.fp16_from_dst(x), how)
    x = f.bf16_from_dst(x) << 16
    if form in (Format.BF16, Format.BFP8):
        if how.raw:
            return x, NumberKind.FP32
        return _rounded(x, 7 if form is Format.BF16 else 6), NumberKind.FP32
    if not how.raw and (form is Format.TF32 or (form is Format.FP32 and how.round_10)):
        return _rounded(x, 10), NumberKind.FP32
    raise _refused(how)


MINUS_INFINITY = {NumberKind.FP32: 0xFF800000, NumberKind.FP16: 0xFFFF}
"""The value where an edge mask puts minus infinity."""

_SIGN = {
    NumberKind.FP32: 1 << 31,
    NumberKind.FP16: 1 << 15,
    NumberKind.INT32: 1 << 31,
    NumberKind.INT16: 1 << 15,
    NumberKind.INT8: 1 << 7,
}


def relu(x: Bits, kind: NumberKind, mode: int, threshold: int) -> Bits:
    """Numbers after ReLU of mode 0 to 3, with a threshold as BF16 or FP16 bits.

    Mode 1 makes 0 of what is negative, 2 of what is not above the threshold, 3 stops there as well:
    in 32 bits it compares the high 19, as the simulator does. Raises Refused.
    """
    if not mode:
        return x
    x = np.where(x & _SIGN[kind], 0, x).astype(np.uint32)
    if mode == 1:
        return x
    if kind not in MINUS_INFINITY:
        message = f"ReLU mode {mode} of {kind.name} numbers: no source has other modes than 0 and 1"
        raise Refused("E0701", message)
    if threshold & 0x8000:
        message = f"ReLU mode {mode} with threshold {threshold:#06x}: documents leave it undefined"
        raise Refused("E0701", message)
    limit = np.uint32(threshold << 16 if kind is NumberKind.FP32 else threshold)
    if mode == 2:
        return np.where(x <= limit, 0, x).astype(np.uint32)
    cut = 13 if kind is NumberKind.FP32 else 0
    return np.where(x >> cut > limit >> cut, limit, x)


def exponents(x: Bits, kind: NumberKind) -> Bits | None:
    """What histograms and thresholds see of numbers; None of 8-bit integers."""
    if kind is NumberKind.FP16:
        return x >> 10 & 31
    if kind is NumberKind.INT16:
        return x & 0xFF
    return None if kind is NumberKind.INT8 else x >> 23 & 0xFF


def thresholded(x: Bits, kind: NumberKind, least: int) -> Bits:
    """Floats whose exponent field is below a threshold are 0; integers stay."""
    field = exponents(x, kind)
    if kind not in MINUS_INFINITY or field is None:
        return x
    return np.where(field < least, 0, x).astype(np.uint32)


def _bf16(x: Bits, kind: NumberKind, source: Format) -> Bits:
    """BF16 bits; denormals become +0 where bits are cut off."""
    if kind is NumberKind.FP16:
        wide = x & 0x8000 | (x >> 10 & 31) + 112 << 7 | x >> 3 & 127
        return np.where(x & 0x7C00, wide, 0).astype(np.uint32)
    half = x >> 16
    if source in (Format.BF16, Format.BFP8):
        return half
    return np.where(half & 0x7F80, half, 0).astype(np.uint32)


def _fp16(x: Bits, kind: NumberKind, source: Format, kept: int) -> Bits:
    """FP16 bits with so many of mantissa; denormals become +0 where bits are cut off."""
    if kind is NumberKind.FP32:
        return fp16_from_fp32(x) & np.uint32(-1 << 10 - kept & 0xFFFF)
    has = {Format.FP16: 10, Format.BFP8A: 7, Format.FP8: 2}[source]
    if has <= kept:
        return x
    return np.where(x & 0x7C00, x & (-1 << 10 - kept & 0xFFFF), 0).astype(np.uint32)


def _fp32(x: Bits, kind: NumberKind) -> Bits:
    """FP32 bits; of an FP16 without exponent the mantissa alone."""
    if kind is NumberKind.FP32:
        return x
    sign, rest = (x & 0x8000) << 16, x & 0x7FFF
    return sign | np.where(x & 0x7C00, rest + np.uint32(112 << 10), rest) << 13


def _fp8(x: Bits) -> Bits:
    """FP16 bits as FP8 with an exponent of 4 bits: what is too large is the largest, cut off."""
    exponent = x >> 10 & 31
    inside = (exponent.astype(np.int32) - 8).clip(0, 15).astype(np.uint32) << 3 | x >> 7 & 7
    rest = np.where(exponent <= 8, 0, np.where(exponent >= 24, 0x7F, inside))
    return f.u32(x >> 8 & 0x80 | rest)


def late(
    x: Bits, kind: NumberKind, source: Format, target: Format, four_bits: bool = False
) -> Bits:
    """Numbers of the intermediate format as those of a format in L1; raises Refused.

    ``source`` is what the packer takes them for. Of block floats these are the BF16 or FP16 bits
    that share an exponent next. ``four_bits`` says that FP8 has an exponent of 4 bits.
    """
    if kind is not KINDS.get(source):
        raise Refused(
            "E0701", f"the packer's input format is {source.name}; what comes in has {kind.value}"
        )
    if kind not in MINUS_INFINITY:
        if target.name != kind.name:
            raise Refused("E0701", f"no packer makes {target.name} of {source.name} in the end")
        return x
    if target in (Format.INT32, Format.INT16, Format.INT8):
        raise Refused("E0701", f"no packer makes {target.name} of {source.name} in the end")
    if target is Format.TF32 and source is Format.FP32:
        raise Refused(
            "E0701",
            "no packer makes TF32 of FP32 in the end",
            "let the early conversion round: an intermediate format of TF32",
        )
    if target in (Format.FP32, Format.TF32):
        return _fp32(x, kind)
    if target is Format.FP8 and four_bits:
        if source is not Format.FP16:
            raise Refused(
                "E0701",
                f"no source says how packers make FP8 with 4 bits of exponent of {source.name}",
                "let the early conversion make FP16",
            )
        return _fp8(x)
    if target is Format.FP8:
        return _fp16(x, kind, source, 2) >> 8
    if target in FIVE_BIT_EXPONENT:
        return _fp16(x, kind, source, 7 if target in BLOCK_FLOATS else 10)
    return _bf16(x, kind, source)
