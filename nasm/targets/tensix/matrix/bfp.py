"""Block floats: 16 numbers that share an exponent, with a sign and a magnitude of 7, 3 or 1 bits.

BFP8, BFP4 and BFP2 have an exponent of 8 bits and become BF16; BFP8a, BFP4a and BFP2a have one of 5
bits and become FP16. There is no hidden bit. Sources: FloatBitPatterns.md (to BF16 and FP16; zero
with a sign is minus infinity), FormatConversion.md (from them; magnitudes round, halves away).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix.formats import BITS, FIVE_BIT_EXPONENT, Bits, Format, u32
from nasm.targets.tensix.state import U8

BLOCK = 16

_LEADING = np.array([8 - n.bit_length() for n in range(256)], np.uint32)
"""Leading zeros of a byte."""


def widened(x: Any, exponents: Any, form: Format) -> Bits:
    """Numbers of a block float as BF16 bits, or as FP16 bits for formats with 5 bits of exponent.

    ``x`` has sign and magnitude as they are stored, ``exponents`` the shared exponent of each; of
    one shape. Exponents of 8 bits wrap. Raises Refused if one of 5 bits becomes negative or has
    more bits, which is undefined.
    """
    datum = u32(x) << (8 - BITS[form])
    magnitude = datum << 1 & 0xFF
    zeros = _LEADING[magnitude]
    exponent = u32(exponents) - zeros & 0xFF
    fraction = magnitude << zeros & 0x7E
    sign = datum >> 7 << 15
    five = form in FIVE_BIT_EXPONENT
    if five and ((magnitude != 0) & (exponent > 31)).any():
        raise Refused(
            "E0701",
            f"a number of a {form.name} block has no exponent of 5 bits once it is normalised: "
            "the documents leave undefined what happens",
        )
    number = exponent << 10 | fraction << 3 if five else exponent << 7 | fraction
    infinite = 0x7C00 if five else 0x7F80
    return u32(sign | np.where(magnitude, number, np.where(sign, infinite, 0)))


def shared(x: Any, form: Format) -> tuple[Bits, Bits]:
    """Blocks (..., 16) of BF16 bits, or of FP16 bits, as their exponents (...) and numbers.

    The numbers (..., 16) are sign and magnitude as they are stored. The largest exponent is the
    block's; a magnitude rounds to 7 bits and stops at 127; shorter ones are the high bits of
    these. A magnitude of 0 has no sign.
    """
    x = u32(x)
    five = form in FIVE_BIT_EXPONENT
    field = x >> 10 & 31 if five else x >> 7 & 0xFF
    fraction = x >> 3 & 127 if five else x & 127
    top = field.max(axis=-1)
    shift = np.minimum(top[..., None] - field, 8)
    full = np.where(field, fraction | 128, fraction)
    magnitude = np.where(shift < 8, np.minimum(full + (np.uint32(1) << shift) >> shift + 1, 127), 0)
    bits = BITS[form]
    magnitude >>= 8 - bits
    return top, np.where(magnitude, magnitude | x >> 15 << bits - 1, 0).astype(np.uint32)


def packed(x: Any, form: Format) -> U8:
    """Numbers of 8, 4 or 2 bits as bytes, the first in the low bits; as many as fill bytes."""
    per = 8 // BITS[form]
    parts = u32(x).reshape(-1, per) << (np.arange(per, dtype=np.uint32) * BITS[form])
    data: U8 = np.bitwise_or.reduce(parts, axis=1).astype(np.uint8)
    return data


def unpacked(data: U8, form: Format) -> Bits:
    """Bytes as the numbers of 8, 4 or 2 bits in them."""
    per = 8 // BITS[form]
    shifts = np.arange(per, dtype=np.uint32) * BITS[form]
    numbers: Bits = (u32(data)[:, None] >> shifts & ((1 << BITS[form]) - 1)).reshape(-1)
    return numbers
