"""What atomic operations of packets make of 16 aligned bytes of L1, and the word that comes back.

Source: the public ISA documentation of Wormhole B0, NoC/Atomics. ``read`` is the number of the word
that comes back, ``at`` of that which is changed: of four, and mostly the same. All of them pickle:
one may be made in another process than that of the tile which asks for it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.isa.effects import Atomic

_WORD = 0xFFFFFFFF


def _words(whole: NDArray[Any]) -> NDArray[np.uint32]:
    return whole.view("<u4").copy()


Changed = tuple[NDArray[Any], NDArray[Any]]


def incrementing(read: int, at: int, add: int, width: int) -> Atomic:
    """Add to the lower ``width`` + 1 bits of a word, and leave those above."""
    return partial(_increment, read, at, add, (2 << width) - 1)


def _increment(read: int, at: int, add: int, mask: int, whole: NDArray[Any]) -> Changed:
    words = _words(whole)
    back, before = words[read : read + 1].copy(), int(words[at])
    words[at] = (before + add & mask) | (before & ~mask & _WORD)
    return words.view(np.uint8), back.view(np.uint8)


def comparing(read: int, at: int, compare: int, new: int) -> Atomic:
    """Set a word if it is a number."""
    return partial(_compare, read, at, compare, new)


def _compare(read: int, at: int, compare: int, new: int, whole: NDArray[Any]) -> Changed:
    words = _words(whole)
    back = words[read : read + 1].copy()
    if int(words[at]) == compare:
        words[at] = new
    return words.view(np.uint8), back.view(np.uint8)


def swapping(read: int, at: int, value: int) -> Atomic:
    """Set a word."""
    return partial(_swap, read, at, value)


def _swap(read: int, at: int, value: int, whole: NDArray[Any]) -> Changed:
    words = _words(whole)
    back = words[read : read + 1].copy()
    words[at] = value & _WORD
    return words.view(np.uint8), back.view(np.uint8)


def masking(read: int, value: int, mask: int) -> Atomic:
    """Set some of the eight halfwords to those of a value."""
    return partial(_mask, read, value, mask)


def _mask(read: int, value: int, mask: int, whole: NDArray[Any]) -> Changed:
    halves = whole.view("<u2").copy()
    back = _words(whole)[read : read + 1].copy()
    for n in range(8):
        if mask >> n & 1:
            halves[n] = value >> 16 * (n & 1) & 0xFFFF
    return halves.view(np.uint8), back.view(np.uint8)
