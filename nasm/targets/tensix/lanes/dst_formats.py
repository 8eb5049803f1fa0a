"""Data of Dst as 32 bits of a lane and back, by Mod0 of loads and stores.

Dst has a sign, then the mantissa, then the exponent; of 32 bits that is so in the high half.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from nasm.base.records import dataclass
from nasm.targets.tensix import chips
from nasm.targets.tensix.lanes.unit import Words

SRCB, FP16, BF16, FP32, INT32, INT8, UINT16, HI16 = range(8)
INT16, LO16, INT32_ALL, ZERO, INT32_SM, INT8_COMP, LO16_ONLY, HI16_ONLY = range(8, 16)
"""Mod0 of loads and stores."""

_SIGN = np.uint32(0x80000000)


def _complement(x: Words) -> Words:
    """Sign and magnitude to two's complement."""
    size = x & ~_SIGN
    return np.where(x >= _SIGN, -size, size)


def _magnitude(x: Words) -> Words:
    """Two's complement to sign and magnitude; the least number becomes -0."""
    sign = x & _SIGN
    return sign | np.where(sign > 0, -x, x) & ~_SIGN


def _signed(x: Words, shift: int, bits: int) -> Words:
    """Sign and magnitude of 16 bits, of which the magnitude is a field, to 32."""
    return (x >> 15) << 31 | x >> shift & ((1 << bits) - 1)


def _float_of_fp16(x: Words, infinite: bool) -> Words:
    """FP16 of Dst as a float; with ``infinite`` the largest number is infinity."""
    man, exp = x >> 5 & 0x3FF, x & 31
    result = (x >> 15) << 31 | (exp + 112 * (exp > 0).astype(np.uint32)) << 23 | man << 13
    if infinite:
        largest = x & 0x7FFF == 0x7FFF
        return np.where(largest, (x >> 15) << 31 | np.uint32(0x7F800000), result)
    return result


def _unshuffled(x: Words) -> Words:
    """Exponent and mantissa of a BF16 of Dst, in the low 16 bits, in the order of a float's."""
    return x & 0x8000 | (x & 0xFF) << 7 | x >> 8 & 0x7F


def _unshuffled32(x: Words) -> Words:
    """The same of 32 bits."""
    return LOADED_16[BF16][x >> 16] | x & 0xFFFF


def _shuffled(x: Words) -> Words:
    """The inverse of ``_unshuffled``."""
    return x & 0x8000 | (x & 0x7F) << 8 | x >> 7 & 0xFF


def _shuffled32(x: Words) -> Words:
    """The inverse of ``_unshuffled32``."""
    return _SHUFFLED[x >> 16] << 16 | x & 0xFFFF


def flushed(x: Words) -> Words:
    """Denormals are zeros of their sign."""
    return np.where(x & 0x7F800000 == 0, x & _SIGN, x)


def _to_fp16(x: Words) -> Words:
    """A float as FP16 of Dst: truncated, too small 0 of its sign, too large the largest number."""
    sign = (x >> 31) << 15
    exp = (x >> 23 & 255).astype(np.int32) - 112
    inside = (x >> 13 & 0x3FF) << 5 | (exp & 31).astype(np.uint32)
    result = np.where(exp > 31, np.uint32(0x7FFF), inside)
    return sign | np.where(exp <= 0, np.uint32(0), result)


def _to_int8(x: Words) -> Words:
    """Sign and ten bits of a magnitude, with the exponent 16."""
    return (x >> 31) << 15 | (x & 0x3FF) << 5 | np.uint32(16)


LOADED_32: Final[Mapping[int, Callable[[Words], Words]]] = {
    FP32: _unshuffled32,
    INT32: _unshuffled32,
    INT32_ALL: _unshuffled32,
    INT32_SM: lambda x: _complement(_unshuffled32(x)),
}
"""What a load makes of 32 bits of Dst."""

_ALL_16 = np.arange(1 << 16, dtype=np.uint32)

LOADED_16: Final[Mapping[int, Words]] = {
    FP16: _float_of_fp16(_ALL_16, False),
    BF16: _unshuffled(_ALL_16) << 16,
    INT8: _signed(_ALL_16, 5, 7),
    INT8_COMP: _complement(_signed(_ALL_16, 5, 10)),
    INT16: _signed(_ALL_16, 0, 15),
    UINT16: _ALL_16,
    LO16: _ALL_16,
    HI16: _ALL_16 << 16,
    LO16_ONLY: _ALL_16,
    HI16_ONLY: _ALL_16 << 16,
    ZERO: np.zeros_like(_ALL_16),
}
"""Tables of what it makes of 16 bits; the two that are ONLY keep the other half of VD."""

FP16_WITH_INFINITY: Final = _float_of_fp16(_ALL_16, True)

_SHUFFLED: Final = _shuffled(_ALL_16)
_FLUSHED: Final = _shuffled(flushed(_ALL_16 << 16) >> 16)

STORED: Final[Mapping[int, Callable[[Words], Words]]] = {
    FP16: _to_fp16,
    BF16: lambda x: _FLUSHED[x >> 16],
    FP32: _shuffled32,
    INT32: _shuffled32,
    INT32_ALL: _shuffled32,
    INT32_SM: lambda x: _shuffled32(_magnitude(x)),
    INT8: _to_int8,
    INT8_COMP: lambda x: _to_int8(_magnitude(x)),
    LO16_ONLY: lambda x: x & 0xFFFF,
    HI16_ONLY: lambda x: x >> 16,
    INT16: lambda x: (x >> 31) << 15 | x & 0x7FFF,
    UINT16: lambda x: x & 0xFFFF,
    LO16: lambda x: x << 16 | x >> 16,
    HI16: lambda x: x,
    ZERO: np.zeros_like,
}
"""What a store makes data of Dst of."""


@dataclass(frozen=True, slots=True, eq=False)
class DstFormats:
    """What loads and stores of a generation make of data, by Mod0."""

    loaded_32: Mapping[int, Callable[[Words], Words]]
    loaded_16: Mapping[int, Words]
    stored: Mapping[int, Callable[[Words], Words]]


WORMHOLE: Final = DstFormats(LOADED_32, LOADED_16, STORED)

BLACKHOLE: Final = DstFormats(
    {**LOADED_32, INT32_SM: _unshuffled32},
    {**LOADED_16, INT8: _signed(_ALL_16, 5, 8), INT8_COMP: _signed(_ALL_16, 5, 10)},
    {**STORED, INT32_SM: _shuffled32, INT8_COMP: _to_int8},
)
"""Modes of two's complement convert nothing, and INT8 has eight bits of magnitude."""

_OF_CHIPS: Final = {chips.WORMHOLE.name: WORMHOLE, chips.BLACKHOLE.name: BLACKHOLE}


def formats_of(chip: chips.Chip) -> DstFormats:
    """What loads and stores of a generation make of data."""
    return _OF_CHIPS[chip.name]


STORED_32: Final = frozenset({*LOADED_32, LO16, HI16})
"""Modes that write 32 bits; the others write 16."""
