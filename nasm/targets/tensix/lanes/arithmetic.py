"""SFPMAD and its kin: products and sums of floats."""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.lanes.multiply_add import add, multiply, multiply_add
from nasm.targets.tensix.lanes.unit import Words, lanes, put, put_indirect
from nasm.targets.tensix.state import Bools, Coprocessor, Vector

INDIRECT_VA = 4
INDIRECT_VD = 8

_ZERO, _ONE = 9, 10
"""Registers that hold these."""


def SFPMAD(
    core: Coprocessor, thread: int, VA: int, VB: int, VC: int, VD: int, Mod1: int = 0
) -> None:
    """VD = VA * VB + VC; of Mod1 4 takes the number VA from L7 of each lane, 8 the number VD."""
    vector = core.vector
    held = vector.registers
    if Mod1 & INDIRECT_VA:
        result = multiply_add(indirect(vector), held[VB], held[VC])
    elif VC == _ZERO:
        result = multiply(held[VA], held[VB])
    elif VA == _ONE:
        result = add(held[VB], held[VC])
    else:
        result = multiply_add(held[VA], held[VB], held[VC])
    store(vector, VD, result, lanes(vector), Mod1 & INDIRECT_VD)


SFPADD = SFPMAD
"""VD = VA * VB + VC, with L10, which is 1, for VA by convention."""

SFPMUL = SFPMAD
"""VD = VA * VB + VC, with L9, which is 0, for VC by convention."""


def SFPMULI(
    core: Coprocessor, thread: int, Imm16: int, VD: int, Mod1: int = 0, *, VC: int | None = None
) -> None:
    """VD = Imm16 * VC, of a BF16; VC is VD but in macros. Mod1 8: VD from L7 of each lane."""
    vector = core.vector
    result = multiply(_bf16(Imm16), vector.registers[VD if VC is None else VC])
    store(vector, VD, result, lanes(vector), Mod1 & INDIRECT_VD)


def SFPADDI(
    core: Coprocessor, thread: int, Imm16: int, VD: int, Mod1: int = 0, *, VC: int | None = None
) -> None:
    """VD = Imm16 + VC, of a BF16; VC is VD but in macros. Mod1 8: VD from L7 of each lane."""
    vector = core.vector
    result = add(_bf16(Imm16), vector.registers[VD if VC is None else VC])
    store(vector, VD, result, lanes(vector), Mod1 & INDIRECT_VD)


def store(vector: Vector, VD: int, result: Words, where: Bools | None, by_l7: int) -> None:
    """Write a result into VD, or into the register that L7 names, lane by lane; never for L16."""
    if by_l7 and VD != 16:
        put_indirect(vector, result, where)
    else:
        put(vector, VD, result, where)


def indirect(vector: Vector) -> Words:
    """Of each lane the register that the low four bits of its L7 name."""
    held = vector.registers
    return np.choose((held[7] & 15).astype(np.intp), held[:16])


def _bf16(Imm16: int) -> Words:
    return np.full(1, Imm16 << 16, np.uint32)
