"""Conversions of unpackers and packers, one number at a time, in plain integers."""

from __future__ import annotations


def block_float(x: int, exponent: int, bits: int, five: bool) -> int:
    """A number of a block as BF16 bits, or FP16 bits."""
    x <<= 8 - bits
    sign, magnitude = x >> 7, x & 0x7F
    if not magnitude:
        return (0xFC00 if five else 0xFF80) if sign else 0
    while not magnitude & 0x40:
        magnitude, exponent = magnitude << 1, exponent - 1 & 0xFF
    fraction = (magnitude & 0x3F) << 1
    return sign << 15 | (exponent << 10 | fraction << 3 if five else exponent << 7 | fraction)


def block(values: list[int], bits: int, five: bool) -> tuple[int, list[int]]:
    """BF16 or FP16 bits as a shared exponent and numbers of so many bits."""

    def parts(x: int) -> tuple[int, int, int]:
        exponent = x >> 10 & 31 if five else x >> 7 & 255
        mantissa = x >> 3 & 127 if five else x & 127
        return x >> 15, exponent, mantissa + (128 if exponent else 0)

    split = [parts(x) for x in values]
    top = max(exponent for _, exponent, _ in split)
    found = []
    for sign, exponent, magnitude in split:
        shift = top - exponent
        short = 0 if shift >= 8 else min((magnitude + (1 << shift)) >> shift + 1, 127)
        short >>= 8 - bits
        found.append(short | sign << bits - 1 if short else 0)
    return top, found


def fp32_to_fp16(x: int) -> int:
    sign, exponent = x >> 16 & 0x8000, (x >> 23 & 255) - 112
    if exponent < 0:
        return sign
    return sign | (0x7FFF if exponent > 31 else exponent << 10 | x >> 13 & 0x3FF)


def fp16_to_fp32(x: int) -> int:
    exponent = x >> 10 & 31
    return (x & 0x8000) << 16 | (exponent + 112 if exponent else 0) << 23 | (x & 0x3FF) << 13


def fp32_to_bf16_rounded(x: int, mantissa: int = 7) -> int:
    """FP32 bits with a shorter mantissa: halves away, NaN to infinity, nothing small."""
    if x & 0x7FFFFFFF > 0x7F800000:
        x &= 0xFF800000
    dropped = 23 - mantissa
    x = (x + (1 << dropped - 1)) >> dropped << dropped
    return x if x & 0x7F800000 else 0


def int8(x: int, unsigned: bool) -> int:
    """INT8 as an element of SrcA or SrcB."""
    sign = 0 if unsigned else x >> 7
    magnitude = x - (sign << 7)
    return sign << 18 | magnitude << 8 | (16 if magnitude else 0)
