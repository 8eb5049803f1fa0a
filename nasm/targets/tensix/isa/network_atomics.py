"""Atomic operations on words of another tile's L1.

Source: the public ISA documentation of Wormhole B0, NoC/Atomics. What each does pickles, as it may
be executed in another process than that of the tile which asks for it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.isa.effects import Atomic, Packet
from nasm.isa.instruction import Operand
from nasm.isa.kinds import Number
from nasm.targets.tensix.isa.network_operands import (
    ENGINE,
    HERE,
    PAGE,
    REQUEST,
    TENSORS,
    THERE,
    WORD,
    X_OF,
    Y_OF,
    address_of,
    aligned,
    connected,
    coordinates,
    network_of,
)
from nasm.targets.tensix.isa.table import ISA


def _words(whole: NDArray[Any]) -> NDArray[np.uint32]:
    return whole.view("<u4").copy()


def _increment(
    at_word: int, add: int, mask: int, whole: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    words = _words(whole)
    before = int(words[at_word])
    words[at_word] = (before + add & mask) | (before & ~mask & 0xFFFFFFFF)
    return words.view(np.uint8), np.array([before], "<u4").view(np.uint8)


def _compare(
    at_word: int, compare: int, new: int, whole: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    words = _words(whole)
    before = int(words[at_word])
    if before == compare:
        words[at_word] = new
    return words.view(np.uint8), np.array([before], "<u4").view(np.uint8)


def _swap(at_word: int, value: int, whole: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    words = _words(whole)
    before = words[at_word : at_word + 1].copy()
    words[at_word] = value & 0xFFFFFFFF
    return words.view(np.uint8), before.view(np.uint8)


def _swap_halves(
    at_word: int, value: int, mask: int, whole: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any]]:
    halves = whole.view("<u2").copy()
    before = _words(whole)[at_word : at_word + 1].copy()
    for n in range(8):
        if mask >> n & 1:
            halves[n] = value >> 16 * (n & 1) & 0xFFFF
    return halves.view(np.uint8), before.view(np.uint8)


def _word_of(where: Any) -> int:
    return address_of(where) >> 2 & 3


RESULT = Operand("Ret", HERE, "@", doc="the word of this tile that gets what was there")
TARGET_WORD = Operand("Dst", THERE, "@", doc="the word of another tile's L1")
_ATOMIC_RULES: Final = (connected("Dst"), aligned(4))


def _atomic(engine: str, where: Any, x: int, y: int, back: Any, act: Atomic) -> Packet:
    return Packet(network_of(engine), 4, back, where, coordinates(x, y), atomic=act)


@ISA.instruction(
    TARGET_WORD,
    RESULT,
    Operand("Add", WORD, doc="what is added"),
    X_OF,
    Y_OF,
    Operand(
        "IntWidth",
        Number(integer=True, low=0, high=31),
        default=31,
        doc="bits of the counter, less 1; those above stay",
        keyword=True,
    ),
    ENGINE,
    rules=_ATOMIC_RULES,
    posts=1,
    source=f"{PAGE}: Atomics, increment",
    setup=TENSORS,
    example="NOC_ATOMIC_INC v[0:1], w[0:1], 5  $got++",
    formula="Ret = Dst; Dst = Dst + Add, in IntWidth + 1 bits",
    **REQUEST,
)
def NOC_ATOMIC_INC(
    Dst: Any, Ret: Any, Add: int, X: int, Y: int, IntWidth: int, engine: str
) -> Packet:
    """Add to a word of another tile's L1; the word as it was comes back to this one."""
    return _atomic(
        engine, Dst, X, Y, Ret, partial(_increment, _word_of(Dst), Add, (2 << IntWidth) - 1)
    )


NIBBLE = Number(integer=True, low=0, high=15)


@ISA.instruction(
    TARGET_WORD,
    RESULT,
    Operand("Compare", NIBBLE, doc="what the word is compared with, 4 bits"),
    Operand("Set", NIBBLE, doc="what it becomes if it is that, 4 bits"),
    X_OF,
    Y_OF,
    ENGINE,
    rules=_ATOMIC_RULES,
    posts=1,
    source=f"{PAGE}: Atomics, compare and swap",
    setup=TENSORS,
    example="NOC_ATOMIC_CAS v[0:1], w[0:1], 0, 1  $got++",
    formula="Ret = Dst; if Dst == Compare: Dst = Set",
    **REQUEST,
)
def NOC_ATOMIC_CAS(
    Dst: Any, Ret: Any, Compare: int, Set: int, X: int, Y: int, engine: str
) -> Packet:
    """Set a word of another tile's L1 if it is a number; the word as it was comes back."""
    return _atomic(engine, Dst, X, Y, Ret, partial(_compare, _word_of(Dst), Compare, Set))


@ISA.instruction(
    TARGET_WORD,
    RESULT,
    Operand("Value", WORD, doc="what it becomes"),
    X_OF,
    Y_OF,
    Operand(
        "Mask",
        Number(integer=True, low=0, high=255),
        default=0,
        doc="which of the eight halfwords of the 16 bytes get halves of Value; 0: the word at Dst",
        keyword=True,
    ),
    ENGINE,
    rules=_ATOMIC_RULES,
    posts=1,
    source=f"{PAGE}: Atomics, swap by index and by mask",
    setup=TENSORS,
    example="NOC_ATOMIC_SWAP v[0:1], w[0:1], 7  $got++",
    formula="Ret = Dst; Dst = Value",
    **REQUEST,
)
def NOC_ATOMIC_SWAP(
    Dst: Any, Ret: Any, Value: int, X: int, Y: int, Mask: int, engine: str
) -> Packet:
    """Swap a word of another tile's L1, or halfwords of its 16 bytes; what was there comes back."""
    word = _word_of(Dst)
    act = partial(_swap_halves, word, Value, Mask) if Mask else partial(_swap, word, Value)
    return _atomic(engine, Dst, X, Y, Ret, act)
