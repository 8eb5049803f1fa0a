"""The MX formats as plain loops, from nki.isa.nc_matmul_mx and nki.isa.quantize_mx.

Nothing is nasm's. Numbers are Python floats. A scale byte is a power of two with a bias of 127.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from tests.neuron.scalar import f

Array = Any
Fours = list[list[list[float]]]

ELEMENTS = {
    "float8_e5m2_x4": (ml_dtypes.float8_e5m2, 8, 15, 57344.0),
    "float8_e4m3fn_x4": (ml_dtypes.float8_e4m3fn, 8, 8, 448.0),
    "float4_e2m1fn_x4": (ml_dtypes.float4_e2m1fn, 4, 2, 6.0),
}
"""What each of four values is, its bits, the largest exponent and the largest value."""


@cache
def value_of(code: int, dtype: str) -> float:
    """One of the four: sign, exponent and mantissa by their widths."""
    kind = ELEMENTS[dtype][0]
    with np.errstate(all="ignore"):
        return float(np.array([code], np.uint8).view(kind).astype(np.float32)[0])


def four(word: int, dtype: str) -> list[float]:
    """The values of an element, the first in the lowest bits."""
    bits = ELEMENTS[dtype][1]
    return [value_of((word >> (bits * q)) & ((1 << bits) - 1), dtype) for q in range(4)]


def power(byte: int, inf: bool = False) -> float:
    if byte == 255:
        return math.inf if inf else math.nan
    return math.ldexp(1.0, byte - 127)


def scale_row(group: int) -> int:
    """Where the scales of a group of 8 partitions stand, counted from the first scale's."""
    return 32 * (group // 4) + group % 4


def dequantised(data: Array, scale: Array, dtype: str, inf: bool = False) -> Fours:
    """[K][N][4] from x4 elements [K, N] and a scale tile of the hardware's layout."""

    def element(k: int, n: int) -> list[float]:
        factor = power(int(scale[scale_row(k // 8)][n]), inf)
        return [f(value * factor) for value in four(int(data[k][n]), dtype)]

    return [[element(k, n) for n in range(len(data[k]))] for k in range(len(data))]


def product(stationary: Fours, moving: Fours) -> Array:
    """dst[m, n] = sum over k and q; exact sums, rounded to float32 once."""
    ks, ms, ns = len(stationary), len(stationary[0]), len(moving[0])
    result = np.zeros((ms, ns), np.float32)
    for m in range(ms):
        for n in range(ns):
            terms = [stationary[k][m][q] * moving[k][n][q] for k in range(ks) for q in range(4)]
            finite = all(math.isfinite(t) for t in terms)
            result[m, n] = _once(terms) if finite else sum(terms)
    return result


def _once(terms: list[float]) -> Any:
    """The exact sum, rounded to float32 once: by way of a float64 it may be rounded twice."""
    exact = sum(map(Fraction, terms))
    near = np.float32(f(math.fsum(terms)))
    if not np.isfinite(near):
        return near
    around = [near, *(np.nextafter(near, np.float32(end)) for end in (-np.inf, np.inf))]
    finite = [x for x in around if np.isfinite(x)]
    return min(finite, key=lambda x: (abs(Fraction(float(x)) - exact), x.view(np.uint32) & 1))


def quantised(src: Array, dtype: str, ocp: bool = False) -> tuple[list[list[int]], list[list[int]]]:
    """x4 words [P][F / 4], and scale bytes [P / 8][F / 4]."""
    kind, _, most, largest = ELEMENTS[dtype]
    partitions, columns = src.shape
    words = [[0] * (columns // 4) for _ in range(partitions)]
    scales = [[0] * (columns // 4) for _ in range(partitions // 8)]
    for g in range(partitions // 8):
        for c in range(columns // 4):
            block = [[float(src[8 * g + i, 4 * c + k]) for k in range(4)] for i in range(8)]
            byte = _byte(max(_exponent(x) for row in block for x in row), most - (not ocp))
            scales[g][c] = byte
            for i, row in enumerate(block):
                for k, x in enumerate(row):
                    scaled = x / math.ldexp(1.0, byte - 127)
                    if math.isfinite(scaled):
                        scaled = min(max(scaled, -largest), largest)
                    with np.errstate(all="ignore"):
                        code = int(np.array([scaled], np.float32).astype(kind).view(np.uint8)[0])
                    words[8 * g + i][c] |= code << (8 * k)
    return words, scales


def _exponent(x: float) -> int:
    """floor(log2(|x|)) + 127 as float32's exponent field has it."""
    if math.isnan(x) or math.isinf(x):
        return 255
    if abs(x) < math.ldexp(1.0, -126):
        return 0
    return math.frexp(abs(x))[1] - 1 + 127


def _byte(exponent: int, most: int) -> int:
    return min(max(0, exponent - most), 254)
