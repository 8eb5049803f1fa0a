"""The largest of a column. The other kind of pool is a product of matrices (``multiply``).

After GMPOOL.md. Numbers are compared by sign and {exponent, magnitude}; the exponent of an element
is that of SrcA plus that of the element of SrcB that scales its row, and Dst is read to match.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.base.records import dataclass
from nasm.targets.tensix.matrix.formats import U32, Format, Style, u32

_ORDER = np.array([4, 5, 6, 7, 0, 1, 2, 3, *range(8, 16)])
"""Rows of SrcA in the order in which they are looked at: of equal ones the last wins."""

_INDEX = np.array([0, 3, 6, 1, 4, 7, 2, 5, *[-1] * 8])
"""What is reported of a row of SrcA, by its number; rows from 8 on report nothing."""


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Numbers while they are compared: a sign, an exponent of 9 bits, a magnitude of 10."""

    sign: NDArray[np.int64]
    exponent: NDArray[np.int64]
    magnitude: NDArray[np.int64]

    def keys(self) -> NDArray[np.int64]:
        """What orders them."""
        key = (self.exponent << 10) + self.magnitude
        return np.where(self.sign, -key, key)


def dst_format(style: Style, wide: bool, argmax: bool) -> Format:
    """What Dst is read as and written as."""
    if style is Style.INT8 or (style is Style.TF32 and argmax):
        return Format.INT32
    if wide and not argmax:
        return Format.TF32
    return Format.FP16 if style is Style.FP16 else Format.BF16


def _of_dst(x: NDArray[np.int64], layout: Format) -> _Numbers:
    sign = x >> 31 & 1
    if layout is Format.INT32:
        return _Numbers(sign, (x >> 10 & 0x3F) + ((x >> 24 & 7) << 6), x & 0x3FF)
    if layout is Format.FP16:
        return _Numbers(sign, (x >> 16 & 0x1F) + 15, x >> 21 & 0x3FF)
    low = x >> 13 & 7 if layout is Format.TF32 else 0
    return _Numbers(sign, (x >> 16 & 0xFF) + 127, (x >> 24 & 0x7F) << 3 | low)


def _to_dst(n: _Numbers, layout: Format) -> NDArray[np.int64]:
    sign = n.sign << 31
    if layout is Format.INT32:
        return sign | (n.exponent & 7) << 10 | n.magnitude
    if layout is Format.FP16:
        bits = sign | n.magnitude << 21 | (n.exponent - 15 & 0x1F) << 16
        return np.where(n.exponent & 0x3F, bits, 0)
    bits = sign | (n.magnitude & 0x3F8) << 21 | (n.exponent - 127 & 0xFF) << 16
    if layout is Format.TF32:
        bits |= (n.magnitude & 7) << 13
    return np.where(n.exponent, bits, 0)


def _scaled(a: U32, b: U32, style: Style) -> _Numbers:
    """Elements of SrcA (..., 16, 16), their rows scaled by a row of SrcB (..., 16)."""
    exponent, scale = (a & 0xFF).astype(np.int64), (b & 0xFF).astype(np.int64)[..., None]
    magnitude = (a >> 8 & (0x3F8 if style is Style.BF16 else 0x3FF)).astype(np.int64)
    sign = (a >> 18).astype(np.int64)
    five = 0x1F if style is Style.FP16 else 0xFF
    total = np.zeros_like(exponent) if style is Style.INT8 else (exponent & five) + (scale & five)
    zero, lowest = exponent == 0, np.broadcast_to(scale == 0, exponent.shape)
    return _Numbers(
        np.where(lowest, 1, np.where(zero, 0, sign)),
        np.where(lowest, 0x1FF, np.where(zero, 0, total)),
        np.where(lowest, 0x3FF, np.where(zero, 0, magnitude)),
    )


def gmpool(a: Any, b: Any, dst: Any, style: Style, wide: bool, argmax: bool) -> U32:
    """A row of Dst after the largest of each column of SrcA, and of it, was written to it.

    ``a`` (..., 16, 16) are elements of SrcA, ``b`` (..., 16) a row of SrcB, ``dst`` and the result
    (..., 16) have 32 bits: what is stored in 16 is in the high half. An undefined row of Dst is
    given as all ones. With ``argmax`` the low bits say in which row it was.
    """
    layout = dst_format(style, wide, argmax)
    held = u32(dst).astype(np.int64)
    rows, old = _scaled(u32(a), u32(b), style), _of_dst(held, layout)
    keys = np.concatenate([old.keys()[..., None, :], rows.keys()[..., _ORDER, :]], axis=-2)
    chosen = 16 - keys[..., ::-1, :].argmax(axis=-2)[..., None, :]

    def pick(before: Any, candidates: Any) -> Any:
        ordered = np.concatenate([before[..., None, :], candidates[..., _ORDER, :]], axis=-2)
        return np.take_along_axis(ordered, chosen, axis=-2)[..., 0, :]

    best = _Numbers(
        pick(old.sign, rows.sign),
        pick(old.exponent, rows.exponent),
        pick(old.magnitude, rows.magnitude),
    )
    if not argmax:
        return _to_dst(best, layout).astype(np.uint32)
    turn = held + 0x100 & 0xF00
    index = turn | _reported(keys, held, turn)
    value = index if layout is Format.INT32 else _to_dst(best, layout) | index
    return value.astype(np.uint32)


def _reported(
    keys: NDArray[np.int64], held: NDArray[np.int64], turn: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The index of 8 bits: of the last row of the first eight that was the largest until then."""
    until = np.maximum.accumulate(keys, axis=-2)[..., :-1, :]
    wins = (keys[..., 1:, :] >= until) & (_INDEX[_ORDER] >= 0)[:, None]
    last = 15 - wins[..., ::-1, :].argmax(axis=-2)
    found = (turn >> 4) + _INDEX[_ORDER][last]
    return np.where(wins.any(axis=-2), found, held & 0xFF)
