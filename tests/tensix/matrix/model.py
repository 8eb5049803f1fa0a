"""The matrix unit, one element at a time, in plain integers: written from the rules alone."""

from __future__ import annotations

Float = tuple[int, int, int]
"""A sign, an exponent field, a significand; 0 if the field is 0."""


def element(x: int, style: str) -> Float:
    """An element of SrcA or SrcB, with a significand of 11 bits."""
    sign, mantissa, exponent = x >> 18, x >> 8 & 0x3FF, x & 0xFF
    if style == "BF16":
        mantissa &= ~7
    if style == "FP16":
        exponent &= 0x1F
    return (sign, exponent, 1024 + mantissa) if exponent else (0, 0, 0)


def held(x: int, style: str, wide: bool) -> Float:
    """What Dst has, with a significand of 24 bits."""
    if wide:
        sign, exponent = x >> 31, x >> 16 & 0xFF
        mantissa = (x >> 24 & 0x7F) << 16 | x & 0xFFFF
    elif style == "FP16":
        sign, exponent, mantissa = x >> 15, x & 0x1F, (x >> 5 & 0x3FF) << 13
    else:
        sign, exponent, mantissa = x >> 15, x & 0xFF, (x >> 8 & 0x7F) << 16
    return (sign, exponent, (1 << 23) + mantissa) if exponent else (sign, 0, 0)


def stored(sign: int, exponent: int, mantissa: int, style: str, wide: bool) -> int:
    """A result in the layout of Dst; the mantissa has 23, 10 or 7 bits."""
    if wide:
        return sign << 31 | (mantissa >> 16) << 24 | exponent << 16 | mantissa & 0xFFFF
    if style == "FP16":
        return sign << 15 | mantissa << 5 | exponent
    return sign << 15 | mantissa << 8 | exponent


def adjustment(style: str, wide: bool, phase: int) -> int:
    base = (97 if wide else -15) if style == "FP16" else -127
    return base - 5 * (phase & 1) - 7 * (phase >> 1)


def product(a: Float, b: Float, adjust: int, phase: int) -> Float:
    """A product: its magnitude has 12 bits."""
    if not a[1] or not b[1]:
        return 0, max(adjust, 0), 0
    left = a[2] >> 1 & 31 if phase & 1 else a[2] >> 6
    right = (b[2] & 15) << 3 if phase & 2 else b[2] >> 4
    return a[0] ^ b[0], a[1] + b[1] + adjust, left * right


def group(products: list[Float]) -> Float:
    """Eight products, aligned and added: a sign, an exponent and a magnitude."""
    top = max(exponent for _, exponent, _ in products)
    if top <= 0:
        return 0, 0, 0
    total = 0
    for sign, exponent, magnitude in products:
        distance = min(top - exponent, 30)
        term = (2 * magnitude + (1 << distance)) >> distance + 1
        total += -term if sign else term
    return int(total < 0), top, abs(total)


def three(first: Float, second: Float, dst: Float, style: str, wide: bool) -> int:
    """Two sums and Dst, aligned, added, normalised, rounded, in the layout of Dst."""
    top = max(first[1], second[1], dst[1])
    if top <= 0:
        return 0
    total = 0
    terms = [(first, 13, first[0]), (second, 13, second[0]), (dst, 0, 0)]
    for (sign, exponent, magnitude), raised, less in terms:
        magnitude <<= raised
        distance = top - exponent
        if distance >= 31:
            magnitude = 0
        elif distance:
            magnitude = (magnitude + (1 << distance - 1) - less) >> distance
        if not wide:
            magnitude = (magnitude + 4096 - less) & ~0x1FFF
        total += -magnitude if sign else magnitude
    if not total:
        return 0
    sign, magnitude = int(total < 0), abs(total)
    kept = 24 if wide else 11 if style == "FP16" else 8
    exponent = top + magnitude.bit_length() - 24
    dropped = magnitude.bit_length() - kept
    if wide and total == -1:  # normalised 27 places too far
        exponent, dropped, magnitude = top + 4, 4, 1
        magnitude = 1 << kept - 1
    elif dropped > 0:
        magnitude = (magnitude + (1 << dropped - 1)) >> dropped
        if magnitude.bit_length() > kept:
            magnitude, exponent = magnitude >> 1, exponent + 1
    else:
        magnitude <<= -dropped
    if exponent <= 0:
        return 0
    mantissa = magnitude - (1 << kept - 1)
    if style == "FP16" and not wide:
        if exponent >= 32:
            exponent, mantissa = 31, 0x3FF
    elif exponent >= 255:
        exponent, mantissa = 255, 0
    return stored(sign, exponent, mantissa, style, wide)


NOTHING = (0, 0, 0)


def mvmul(a: list[int], b: list[int], dst: int, style: str, wide: bool, phase: int) -> int:
    """One element of Dst: a column of SrcA, a row of SrcB."""
    if style == "INT8":
        total = sum(int8_a(x, phase) * int8_b(y, phase) for x, y in zip(a, b, strict=True))
        return add_int(total, dst)
    adjust = adjustment(style, wide, phase)
    every = [
        product(element(x, style), element(y, style), adjust, phase)
        for x, y in zip(a, b, strict=True)
    ]
    return three(group(every[:8]), group(every[8:]), held(dst, style, wide), style, wide)


def elwmul(a: int, b: int, dst: int, style: str, wide: bool, phase: int) -> int:
    if style == "INT8":
        return add_int(int8_a(a, phase) * int8_b(b, phase), dst)
    adjust = adjustment(style, wide, phase)
    found = product(element(a, style), element(b, style), adjust, phase)
    if found[1] <= 0:
        found = 0, max(adjust, 0), 0
    return three(found, NOTHING, held(dst, style, wide), style, wide)


def elwadd(a: int, b: int, dst: int, style: str, wide: bool, *, minus: bool, add: bool) -> int:
    if style == "INT8":
        total = magnitude_of(a) + (-magnitude_of(b) if minus else magnitude_of(b))
        return add_int(total, dst if add else 0)
    x, y = element(a, style), element(b, style)
    if minus and y[1]:
        y = 1 - y[0], y[1], y[2]
    if (x[1], x[2]) < (y[1], y[2]):
        x, y = y, x
    distance = x[1] - y[1]
    small = y[2]
    if distance >= 12:
        small = 0
    elif distance:
        small = (small + (1 << distance - 1)) >> distance
    total = x[2] + small if x[0] == y[0] else x[2] - small
    exponent = x[1]
    if wide and style == "FP16":
        exponent = exponent + 112 if exponent else 97
    old = held(dst, style, wide) if add else NOTHING
    return three((x[0], exponent, total), NOTHING, old, style, wide)


def magnitude_of(x: int) -> int:
    return -(x >> 8 & 0x3FF) if x >> 18 else x >> 8 & 0x3FF


def int8_a(x: int, phase: int) -> int:
    kept = 0x01F if phase & 1 else 0x0E0
    return magnitude_of(x & (0x400FF | kept << 8))


def int8_b(x: int, phase: int) -> int:
    kept = 0x00F if phase & 2 else 0x3F0
    return magnitude_of(x & (0x400FF | kept << 8))


def add_int(total: int, dst: int) -> int:
    """Sign and magnitude of 32 bits, its high half laid out as a BF16."""
    magnitude = (dst >> 16 & 0xFF) << 23 | (dst >> 24 & 0x7F) << 16 | dst & 0xFFFF
    total += -magnitude if dst >> 31 else magnitude
    most = (1 << 31) - 1
    total = max(-most, min(most, total))
    return stored(int(total < 0), abs(total) >> 23, abs(total) & 0x7FFFFF, "FP32", True)


def largest(a: list[int], b: list[int], dst: int, style: str, wide: bool) -> int:
    """GMPOOL of a column without an index; ``dst`` has 32 bits, 16 of them in the high half."""
    if wide:
        low = dst >> 13 & 7
        best = dst >> 31, (dst >> 16 & 0xFF) + 127, (dst >> 24 & 0x7F) << 3 | low
    elif style == "FP16":
        best = dst >> 31, (dst >> 16 & 0x1F) + 15, dst >> 21 & 0x3FF
    else:
        best = dst >> 31, (dst >> 16 & 0xFF) + 127, (dst >> 24 & 0x7F) << 3

    def key(n: Float) -> int:
        return (-1 if n[0] else 1) * ((n[1] << 10) + n[2])

    for i in (4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15):
        x, scale = a[i], b[i] & 0xFF
        if not scale:
            found = 1, 511, 1023
        elif not x & 0xFF:
            found = 0, 0, 0
        elif style == "FP16":
            found = x >> 18, (x & 0x1F) + (scale & 0x1F), x >> 8 & 0x3FF
        else:
            found = x >> 18, (x & 0xFF) + scale, x >> 8 & (0x3FF if style == "TF32" else 0x3F8)
        if key(found) >= key(best):
            best = found
    sign, exponent, magnitude = best
    if style == "FP16" and not wide:
        if not exponent & 0x3F:
            return 0
        return sign << 31 | magnitude << 21 | (exponent - 15 & 0x1F) << 16
    if not exponent:
        return 0
    result = sign << 31 | (magnitude >> 3) << 24 | (exponent - 127 & 0xFF) << 16
    return result | (magnitude & 7) << 13 if wide else result
