"""Arrays of a program as bytes of L1, and back: tiles of 32 by 32, and every format.

A tile is four faces of 16 by 16, row by row: top left, top right, bottom left, bottom right; tiles
are stored row by row. A tile of block floats begins with its shared exponents, padded to 16 bytes.
Integers have a sign and a magnitude there. What is too long for a format is rounded to nearest
even, in block floats as packers do; NaN exists in FP32, TF32 and BF16 alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix.bfp import BLOCK, packed, shared, unpacked, widened
from nasm.targets.tensix.matrix.formats import (
    BITS,
    BLOCK_FLOATS,
    FIVE_BIT_EXPONENT,
    Bits,
    Format,
    u32,
)
from nasm.targets.tensix.state import U8

TILE, FACE = 32, 16
_INTEGERS = {Format.INT8: 7, Format.INT16: 15, Format.INT32: 31}
_LINE = 16


def tilize(x: Any) -> NDArray[Any]:
    """An array (..., rows, columns) as tiles (..., tiles, 4, 16, 16); raises Refused."""
    x = np.asarray(x)
    rows, columns = x.shape[-2:]
    if rows % TILE or columns % TILE:
        raise Refused("E0301", f"tiles are 32 by 32; found {rows} by {columns}")
    halves = rows // TILE, 2, FACE, columns // TILE, 2, FACE
    faces = np.moveaxis(x.reshape(*x.shape[:-2], *halves), -3, -5)
    faces = np.swapaxes(faces, -2, -3)
    return np.ascontiguousarray(faces).reshape(*x.shape[:-2], -1, 4, FACE, FACE)


def untilize(tiles: Any, rows: int, columns: int) -> NDArray[Any]:
    """Tiles (..., tiles, 4, 16, 16) as an array (..., rows, columns)."""
    x = np.asarray(tiles)
    lead = x.shape[:-4]
    faces = x.reshape(*lead, rows // TILE, columns // TILE, 2, 2, FACE, FACE)
    faces = np.moveaxis(np.swapaxes(faces, -2, -3), -5, -3)
    return np.ascontiguousarray(faces).reshape(*lead, rows, columns)


def tile_bytes(form: Format, count: int = TILE * TILE) -> int:
    """Bytes of so many numbers in L1, with their shared exponents."""
    data = count * BITS[form] // 8
    if form not in BLOCK_FLOATS:
        return data
    return data + -(-(count // BLOCK) // _LINE) * _LINE


def _rounded(bits: Bits, dropped: int) -> Bits:
    """FP32 bits without so many of mantissa, nearest even; NaN stays NaN."""
    odd = bits >> dropped & 1
    nan = (bits & 0x7FFFFFFF) > 0x7F800000
    half = u32(bits + np.uint32((1 << dropped - 1) - 1) + odd) >> dropped
    return np.where(nan, bits >> dropped | 1 << 22 - dropped, half)


def _five(x: NDArray[np.float32], mantissa: int) -> Bits:
    """Floats with an exponent of 5 bits, of which none is infinite, in the low bits."""
    bits = x.view(np.uint32)
    short = _rounded(bits & 0x7FFFFFFF, 23 - mantissa).astype(np.int64) - (112 << mantissa)
    short = np.where(np.isnan(x), (32 << mantissa) - 1, short)
    least = 1 << mantissa
    short = np.where(short < least, 0, np.minimum(short, (32 << mantissa) - 1))
    return u32(short) | bits >> 31 << 5 + mantissa


def _bits(x: NDArray[np.float32], form: Format) -> Bits:
    """Floats as the bits of a format; of block floats the BF16 or FP16 bits that share."""
    bits = x.view(np.uint32)
    if form is Format.FP32:
        return bits
    if form is Format.TF32:
        return _rounded(bits, 13) << 13
    if form in (Format.FP16, Format.FP8):
        return _five(x, 10 if form is Format.FP16 else 2)
    if form in FIVE_BIT_EXPONENT:
        return _five(x, 10)
    if form is Format.BF16:
        return _rounded(bits, 16)
    return np.where(bits & 0x7F800000, bits >> 16, 0)


def _encoded_integers(values: Any, form: Format) -> Bits:
    whole = np.asarray(values).astype(np.int64)
    most = (1 << _INTEGERS[form]) - 1
    if whole.size and np.abs(whole).max() > most:
        wrong = whole.reshape(-1)[np.abs(whole).argmax()]
        raise Refused("E0301", f"{form.name} goes from -{most} to {most}; found {wrong}")
    return u32(np.abs(whole)) | (whole < 0).astype(np.uint32) << _INTEGERS[form]


def _as_bytes(bits: Bits, form: Format) -> U8:
    if BITS[form] == 8:
        return bits.astype(np.uint8)
    return bits.astype(np.uint32 if BITS[form] == 32 else np.uint16).view(np.uint8)


def encode(values: Any, form: Format) -> U8:
    """Numbers, of any shape in C order, as bytes of L1; raises Refused.

    Block floats need whole blocks of 16; the bytes are then those of one tile of any size.
    """
    if form in _INTEGERS:
        return _as_bytes(_encoded_integers(values, form).reshape(-1), form)
    floats = np.ascontiguousarray(values, np.float32).reshape(-1)
    bits = _bits(floats, form)
    if form not in BLOCK_FLOATS:
        return _as_bytes(bits, form)
    if len(bits) % BLOCK:
        raise Refused("E0301", f"{form.name} has blocks of 16 numbers; found {len(bits)}")
    top, numbers = shared(bits.reshape(-1, BLOCK), form)
    padding = np.zeros(-len(top) % _LINE, np.uint8)
    return np.concatenate([top.astype(np.uint8), padding, packed(numbers, form)])


def decode(data: U8, form: Format, count: int) -> NDArray[Any]:
    """Bytes of L1 as numbers: float32, of integers int32."""
    if form in _INTEGERS:
        width = {8: np.uint8, 16: np.uint16, 32: np.uint32}[BITS[form]]
        whole = u32(data.view(width)[:count])
        magnitude = (whole & ((1 << _INTEGERS[form]) - 1)).astype(np.int32)
        return np.where(whole >> _INTEGERS[form], -magnitude, magnitude)
    bits: Bits
    if form in BLOCK_FLOATS:
        start = tile_bytes(form, count) - count * BITS[form] // 8
        exponents = np.repeat(u32(data[: count // BLOCK]), BLOCK)
        bits = widened(unpacked(data[start:], form)[:count], exponents, form)
    elif BITS[form] == 8:
        bits = u32(data[:count]) << 8
    elif BITS[form] == 32:
        return data.view(np.float32)[:count].copy()
    else:
        bits = u32(data.view(np.uint16)[:count])
    if form not in FIVE_BIT_EXPONENT:
        return (bits << 16).view(np.float32)
    bits = u32(bits)
    magnitude = np.where(bits & 0x7C00, (bits & 0x7FFF) + np.uint32(112 << 10) << 13, 0)
    return u32((bits & 0x8000) << 16 | magnitude).view(np.float32)
