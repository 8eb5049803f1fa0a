"""Atomic operations on words of another tile's L1.

Source: the public ISA documentation of Wormhole B0, NoC/Atomics.
"""

from __future__ import annotations

from typing import Any, Final

from nasm.isa.effects import Atomic, Packet
from nasm.isa.instruction import Operand
from nasm.isa.kinds import Number
from nasm.targets.tensix.isa.network_operands import (
    ENGINE,
    HERE,
    ID,
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
    labels,
    network_of,
)
from nasm.targets.tensix.isa.table import ISA
from nasm.targets.tensix.noc import atomics


def _word_of(where: Any) -> int:
    return address_of(where) >> 2 & 3


RESULT = Operand("Ret", HERE, "@", doc="the word of this tile that gets what was there")
TARGET_WORD = Operand("Dst", THERE, "@", doc="the word of another tile's L1")
_ATOMIC_RULES: Final = (connected("Dst"), aligned(4))


def _atomic(
    engine: str, where: Any, to: tuple[int, ...], back: Any, act: Atomic, identity: int
) -> Packet:
    return Packet(network_of(engine), 4, back, where, to, atomic=act, **labels(identity))


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
    ID,
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
    Dst: Any, Ret: Any, Add: int, X: int, Y: int, IntWidth: int, Id: int, engine: str
) -> Packet:
    """Add to a word of another tile's L1; the word as it was comes back to this one."""
    word = _word_of(Dst)
    act = atomics.incrementing(word, word, Add, IntWidth)
    return _atomic(engine, Dst, coordinates(X, Y), Ret, act, Id)


NIBBLE = Number(integer=True, low=0, high=15)


@ISA.instruction(
    TARGET_WORD,
    RESULT,
    Operand("Compare", NIBBLE, doc="what the word is compared with, 4 bits"),
    Operand("Set", NIBBLE, doc="what it becomes if it is that, 4 bits"),
    X_OF,
    Y_OF,
    ID,
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
    Dst: Any, Ret: Any, Compare: int, Set: int, X: int, Y: int, Id: int, engine: str
) -> Packet:
    """Set a word of another tile's L1 if it is a number; the word as it was comes back."""
    word = _word_of(Dst)
    act = atomics.comparing(word, word, Compare, Set)
    return _atomic(engine, Dst, coordinates(X, Y), Ret, act, Id)


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
    ID,
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
    Dst: Any, Ret: Any, Value: int, X: int, Y: int, Mask: int, Id: int, engine: str
) -> Packet:
    """Swap a word of another tile's L1, or halfwords of its 16 bytes; what was there comes back."""
    word = _word_of(Dst)
    act = atomics.masking(word, Value, Mask) if Mask else atomics.swapping(word, word, Value)
    return _atomic(engine, Dst, coordinates(X, Y), Ret, act, Id)
