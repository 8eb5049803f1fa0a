"""Random operands for the matrix unit: many near each other, and special ones mixed in."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.targets.tensix.matrix.formats import Style, Styles

Rng = np.random.Generator


def _mixed(rng: Rng, usual: Any, special: tuple[int, ...], share: float) -> Any:
    return np.where(rng.random(usual.shape) < share, rng.choice(special, usual.shape), usual)


def sources(rng: Rng, shape: tuple[int, ...], style: Style, spread: int) -> Any:
    """Elements of SrcA or SrcB: exponents at most ``spread`` from 1.0, but for special ones."""
    sign = rng.integers(0, 2, shape)
    mantissa = _mixed(rng, rng.integers(0, 1024, shape), (0, 1, 8, 15, 512, 1023), 0.2)
    if style is Style.INT8:
        exponent = np.full(shape, 16)
    elif style is Style.FP16:
        exponent = _mixed(rng, 15 + rng.integers(-spread, spread + 1, shape), (0, 1, 30, 31), 0.05)
        exponent = exponent.clip(0, 31)
    else:
        exponent = 127 + rng.integers(-spread, spread + 1, shape)
        exponent = _mixed(rng, exponent, (0, 1, 63, 64, 254, 255), 0.05).clip(0, 255)
    return (sign << 18 | mantissa << 8 | exponent).astype(np.uint32)


def stored(rng: Rng, shape: tuple[int, ...], style: Style, wide: bool, spread: int) -> Any:
    """What Dst has, as it is stored."""
    sign = rng.integers(0, 2, shape)
    if style is Style.INT8:
        whole = rng.integers(0, 1 << 20, shape)
        whole = _mixed(rng, whole, (0, 1, (1 << 31) - 1, (1 << 31) - 1000), 0.2)
        high = sign << 15 | (whole >> 16 & 0x7F) << 8 | whole >> 23
        return (high << 16 | whole & 0xFFFF).astype(np.uint32)
    if style is Style.FP16 and not wide:
        exponent = _mixed(rng, 15 + rng.integers(-spread, spread + 1, shape), (0, 1, 31), 0.1)
        return (sign << 15 | rng.integers(0, 1024, shape) << 5 | exponent.clip(0, 31)).astype(
            np.uint32
        )
    exponent = _mixed(rng, 129 + rng.integers(-spread, spread + 1, shape), (0, 1, 254, 255), 0.1)
    high = sign << 15 | rng.integers(0, 128, shape) << 8 | exponent.clip(0, 255)
    if not wide:
        return high.astype(np.uint32)
    low = _mixed(rng, rng.integers(0, 1 << 16, shape), (0, 1, 0x8000, 0xFFFF), 0.2)
    return (high << 16 | low).astype(np.uint32)


def same(style: Style) -> Styles:
    """One style for both operands."""
    return Styles(style, style)
