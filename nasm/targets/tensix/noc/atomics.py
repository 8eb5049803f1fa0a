"""What atomic operations of packets make of 16 aligned bytes of L1, and the word that comes back.

Source: the public ISA documentation of Wormhole B0, NoC/Atomics. ``read`` is the number of the word
that comes back, ``at`` of that which is changed: of four, and mostly the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.isa.effects import Atomic

_WORD = 0xFFFFFFFF


def _words(whole: NDArray[Any]) -> NDArray[np.uint32]:
    return whole.view("<u4").copy()


def incrementing(read: int, at: int, add: int, width: int) -> Atomic:
    """Add to the lower ``width`` + 1 bits of a word, and leave those above."""
    mask = (2 << width) - 1

    def act(whole: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        words = _words(whole)
        back, before = words[read : read + 1].copy(), int(words[at])
        words[at] = (before + add & mask) | (before & ~mask & _WORD)
        return words.view(np.uint8), back.view(np.uint8)

    return act


def comparing(read: int, at: int, compare: int, new: int) -> Atomic:
    """Set a word if it is a number."""

    def act(whole: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        words = _words(whole)
        back = words[read : read + 1].copy()
        if int(words[at]) == compare:
            words[at] = new
        return words.view(np.uint8), back.view(np.uint8)

    return act


def swapping(read: int, at: int, value: int) -> Atomic:
    """Set a word."""

    def act(whole: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        words = _words(whole)
        back = words[read : read + 1].copy()
        words[at] = value & _WORD
        return words.view(np.uint8), back.view(np.uint8)

    return act


def masking(read: int, value: int, mask: int) -> Atomic:
    """Set some of the eight halfwords to those of a value."""

    def act(whole: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        halves = whole.view("<u2").copy()
        back = _words(whole)[read : read + 1].copy()
        for n in range(8):
            if mask >> n & 1:
                halves[n] = value >> 16 * (n & 1) & 0xFFFF
        return halves.view(np.uint8), back.view(np.uint8)

    return act
