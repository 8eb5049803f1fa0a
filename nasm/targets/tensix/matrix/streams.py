"""What packers put into L1: addresses, buffers of 16 bytes, and accumulation onto what is there.

Sources: OutputAddressGenerator.md; the sums of accumulation are what the public simulator computes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base.records import dataclass
from nasm.targets.tensix.matrix.formats import Bits, Format, u32
from nasm.targets.tensix.state import U8, Packer

ROW_STARTS, EXPONENTS, DATA = range(3)
"""Streams of a packer. Row starts are of compressed data alone."""

LINE = 16
"""Bytes that are written at once."""


@dataclass(frozen=True, slots=True)
class L1Write:
    """Bytes for L1, a multiple of 16, and the format in which they are added, if they are."""

    address: int
    data: U8
    added: Format | None = None


def emitted(p: Packer, stream: int, data: U8, flush: bool, added: Format | None) -> L1Write | None:
    """Append bytes to a stream; what is full is written, with ``flush`` the rest after zeros."""
    held = int(p.buffered[stream])
    whole = np.concatenate([p.buffers[stream, :held], data])
    if flush and len(whole) % LINE:
        whole = np.concatenate([whole, np.zeros(-len(whole) % LINE, np.uint8)])
    ready = len(whole) // LINE * LINE
    rest = whole[ready:]
    p.buffers[stream, : len(rest)] = rest
    p.buffered[stream] = len(rest)
    if not ready:
        return None
    address = int(p.addresses[stream])
    p.addresses[stream] = address + ready
    return L1Write(address, whole[:ready], added)


def _flushed(x: Bits) -> Bits:
    return np.where(x & 0x7F800000, x, x & 0x80000000).astype(np.uint32)


def add_fp32(old: Any, new: Any) -> Bits:
    """Sums of FP32 bits: nearest even, no denormals, one NaN."""
    with np.errstate(all="ignore"):
        total = _flushed(u32(old)).view(np.float32) + _flushed(u32(new)).view(np.float32)
    bits = total.view(np.uint32)
    return np.where(np.isnan(total), 0x7FC00000, _flushed(bits)).astype(np.uint32)


def add_integers(old: Any, new: Any) -> Bits:
    """Sums of integers of sign and magnitude, saturated."""

    def value(x: Any) -> Any:
        magnitude = (u32(x) & 0x7FFFFFFF).astype(np.int64)
        return np.where(u32(x) >> 31, -magnitude, magnitude)

    total = value(old) + value(new)
    magnitude = np.minimum(np.abs(total), 0x7FFFFFFF).astype(np.uint32)
    return u32(magnitude | (total < 0).astype(np.uint32) << 31)


def add_bf16(old: Any, new: Any) -> Bits:
    """Sums of BF16 bits: nearest even, no denormals.

    A NaN is a very large number, an old one the largest of all; two infinities of different signs
    make the NaN 0x7FC0.
    """
    old, new = u32(old), u32(new)
    largest = np.finfo(np.float64).max
    x, y = _as_double(old), _as_double(new)
    x = np.where((old & 0x7FFF) > 0x7F80, np.where(old >> 15, -largest, largest), x)
    with np.errstate(all="ignore"):
        total = x + y
    bits = np.where(np.isnan(total), 0.0, total).view(np.int64)
    field = (bits >> 52 & 0x7FF) - 1023 + 127
    half = (1 << 44) - 1 + (bits >> 45 & 1)
    rounded = (field << 7) + ((bits & (1 << 52) - 1) + half >> 45)
    kept = np.where(field <= 0, 0, np.where(field >= 255, 0x7F80, rounded))
    opposite = ((old ^ new) == 0x8000) & ((old & 0x7FFF) == 0x7F80)
    sign = (bits >> 63 & 1) << 15
    return np.where(opposite, 0x7FC0, sign | kept).astype(np.uint32)


def _as_double(x: Bits) -> Any:
    """BF16 bits as float64; exponent 255 continues the range, but for infinity."""
    field, fraction = (x >> 7 & 0xFF).astype(np.int64), (x & 0x7F).astype(np.float64)
    value = np.where(field, np.ldexp(1 + fraction / 128, field - 127), 0.0)
    value = np.where((x & 0x7FFF) == 0x7F80, np.inf, value)
    return np.where(x >> 15, -value, value)


def add_fp16(old: Any, new: Any) -> Bits:
    """Sums of FP16 bits: nearest even, no denormals and no infinity.

    What is too large is the largest number. So is, by a fault of the hardware, what is too small,
    and a difference of 0 of two numbers with exponents of 30 and 31.
    """
    old, new = u32(old), u32(new)
    with np.errstate(all="ignore"):
        bits = (_as_float(old) + _as_float(new)).view(np.uint32)
    field = (bits >> 23 & 0xFF).astype(np.int64) - 112
    fraction = bits & 0x7FFFFF
    rounded = (field << 10) + (fraction + 0xFFF + (fraction >> 13 & 1) >> 13)
    result = np.where(field < 0, 0x7FFF, np.where(field == 0, 0, np.minimum(rounded, 0x7FFF)))
    cancelled = np.where((old >> 10 & 31) >= 30, 0x7FFF, 0)
    result = np.where(bits & 0x7FFFFFFF, result, cancelled)
    return u32(bits >> 16 & 0x8000 | result)


def _as_float(x: Bits) -> Any:
    """FP16 bits as float32; the exponent 31 is like others."""
    magnitude = np.where(x & 0x7C00, (x & 0x7FFF) + np.uint32(112 << 10) << 13, 0)
    return ((x & 0x8000) << 16 | magnitude).astype(np.uint32).view(np.float32)


ADDERS = {
    Format.FP32: add_fp32,
    Format.INT32: add_integers,
    Format.BF16: add_bf16,
    Format.FP16: add_fp16,
}
"""Formats that can be accumulated in L1."""


def summed(old: U8, new: U8, form: Format) -> U8:
    """Bytes of L1 after others were added to them."""
    width = np.uint32 if form in (Format.FP32, Format.INT32) else np.uint16
    total = ADDERS[form](old.view(width), new.view(width)).astype(width)
    data: U8 = total.view(np.uint8)
    return data
