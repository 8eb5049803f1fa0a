"""The last stage of the matrix unit's arithmetic: sums of products are added to Dst.

Three terms at most: two sums, and what Dst has. They are aligned at the largest exponent, rounded,
added as integers, and normalised. Sums round halves up, Dst rounds them away from zero. The public
documents give no exact model of it; the rules here are those of the public functional simulator,
restated, among them a sum of exactly -1 that is normalised 27 places too far.

All of it is computed in float64, and exact: terms are integers below 2^29, and what is scaled by
``AWAY`` has at most 24 bits before, so that a half, and nothing below it, goes past the half.

A number of Dst is unpacked to 1.m * 2^e with its exponent field e; infinity is 2^255, and zero has
no exponent. So numbers stay between the steps of a sequence of sums, and are packed once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.matrix.formats import (
    U32,
    Style,
    Styles,
    bf16_from_dst,
    dst_from_bf16,
    dst_from_fp16,
    fp16_from_dst,
    u32,
)

F64 = NDArray[np.float64]
Ints = NDArray[np.int64]

AWAY = 1 + 2.0**-40
"""Moves a half just past itself, so that rounding to even rounds halves away from zero."""

_EXPONENT = np.int64(0x7FF << 52)
_BIAS = 1023


class Rules(NamedTuple):
    """How sums are rounded and kept: as integers in units of 2^-``bits`` of the largest exponent.

    What is kept has ``fraction`` bits after the point, and is ``most`` at most. ``half`` and a
    floor round a term. In 16 bits a term is rounded twice, to 23 bits and then to 10: a half of the
    first in the second is what ``half`` has more. Where ``loses_one`` a sum of -1 becomes -2^27.
    """

    bits: int
    fraction: int
    most: float
    half: float
    loses_one: bool = False


@cache
def rules(style: Style, wide: bool, loses_one: bool = True) -> Rules:
    """FP16 sources have FP16 in Dst of 16 bits, all others BF16; 32 bits are FP32."""
    if wide:
        return Rules(23, 23, 2.0**255, 0.5, loses_one)
    if style is Style.FP16:
        return Rules(10, 10, (2 - 2.0**-10) * 2.0**31, 0.5 + 2.0**-14)
    return Rules(10, 7, 2.0**255, 0.5 + 2.0**-14)


@cache
def _numbers(style: Style, wide: bool) -> F64:
    """Numbers by the 16 bits that Dst has of them, or by the high half of their 32 bits."""
    bits = np.arange(1 << 16, dtype=np.uint32)
    short = style is Style.FP16 and not wide
    magnitude = (fp16_from_dst(bits) if short else bf16_from_dst(bits)).astype(np.int64) & 0x7FFF
    fraction = 10 if short else 7
    exact = magnitude + (_BIAS << fraction) << 52 - fraction
    exact = np.where(magnitude < 1 << fraction, 0, exact) | (bits >> 15).astype(np.int64) << 63
    numbers: F64 = exact.view(np.float64)
    return numbers


@cache
def _layouts(style: Style, wide: bool) -> NDArray[np.uint16]:
    """The inverse, by sign and whether a number is not 0, and 15 bits from the fraction's last."""
    index = np.arange(1 << 17)
    short = style is Style.FP16 and not wide
    magnitude = index + (1 << (10 if short else 7)) & 0x7FFF
    bits = np.where(index >> 15 & 1, index >> 16 << 15 | magnitude, 0)
    return (dst_from_fp16(bits) if short else dst_from_bf16(bits)).astype(np.uint16)


def unpacked(high: Any, low: Any, style: Style, wide: bool) -> F64:
    """Numbers of Dst by the 16 bits that it has of them; ``low`` are the low halves of 32 bits."""
    found: F64 = _numbers(style, wide).take(high)
    if wide:
        bits = found.view(np.int64)
        bits |= low.astype(np.int64) << 29
    return found


def packed(held: F64, style: Style, wide: bool) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Numbers as 16 bits of Dst, or as the high halves of 32 bits, and the low ones."""
    bits = held.view(np.int64)
    # A number that is not 0 is 2 or more, and has bit 62.
    index = bits >> (42 if style is Style.FP16 and not wide else 45)
    index &= 0x7FFF
    index |= (bits >> 62 & 3) << 15
    high = _layouts(style, wide).take(index)
    return high, (bits >> 29).astype(np.uint16) if wide else high


def added(held: F64, terms: Iterable[F64], largest: F64, how: Rules, *, tiny: bool = True) -> F64:
    """Numbers of Dst after terms were added to them.

    ``largest`` is 2 to the largest exponent of the terms, at least 1, where they are zero too.
    Without ``tiny`` no result is too small for its exponent.
    """
    power = (held.view(np.int64) & _EXPONENT).view(np.float64)
    scale = 2.0**how.bits / np.maximum(power, largest, out=power)
    total = scale * AWAY
    total *= held
    np.rint(total, out=total)
    for term in terms:
        term = term * scale
        term += how.half
        total += np.floor(term, out=term)
    lost = total == -1.0 if how.loses_one else None
    total /= scale
    if lost is not None and lost.any():
        total[lost] *= 2.0**27
    bits = total.view(np.int64)
    bits += 1 << 51 - how.fraction
    bits &= -1 << 52 - how.fraction
    if tiny:
        total[np.abs(total) < 2.0] = 0
    np.minimum(total, how.most, out=total)
    return np.maximum(total, -how.most, out=total)


def accumulate(terms: Iterable[F64], largest: F64, dst: Any, styles: Styles, wide: bool) -> U32:
    """What is in Dst after terms were added to it, as ``added`` has them.

    ``dst`` and the result are as Dst stores them, 32 bits where ``wide``, else 16.
    """
    stored, style = u32(dst), styles.a
    held = unpacked(stored >> 16 if wide else stored, stored & 0xFFFF, style, wide)
    high, low = packed(
        added(held, terms, largest, rules(style, wide, styles.loses_one)), style, wide
    )
    return u32(high.astype(np.uint32) << 16 | low) if wide else u32(high)
