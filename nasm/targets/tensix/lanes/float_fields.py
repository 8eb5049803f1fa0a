"""Sign, exponent and mantissa of floats: taken out, replaced, added to."""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.lanes.integers import set_flags
from nasm.targets.tensix.lanes.unit import lanes, put
from nasm.targets.tensix.state import Coprocessor

_SIGN = np.uint32(0x80000000)
_EXPONENT = np.uint32(0x7F800000)
_MANTISSA = np.uint32(0x007FFFFF)


def SFPEXEXP(core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """VD = exponent of VC - 127; of Mod1 1: with its bias, 2 and 8: flags.

    2 makes a flag of whether the result is negative, 8 inverts the flag.
    """
    vector = core.vector
    where = lanes(vector)
    result = ((vector.registers[VC] >> 23) & 255) - np.uint32(0 if Mod1 & 1 else 127)
    put(vector, VD, result, where)
    if VD < 8:
        set_flags(vector, result >= _SIGN if Mod1 & 2 else None, Mod1 & 8, where)


def SFPEXMAN(core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """VD = mantissa of VC with its hidden bit; of Mod1 1: without."""
    mantissa = core.vector.registers[VC] & _MANTISSA
    result = mantissa if Mod1 & 1 else mantissa | np.uint32(1 << 23)
    put(core.vector, VD, result, lanes(core.vector))


def SFPSETEXP(
    core: Coprocessor,
    thread: int,
    Imm8: int,
    VC: int,
    VD: int,
    Mod1: int = 0,
    *,
    VB: int | None = None,
) -> None:
    """VD = VC with another exponent: the low bits of VB, which is VD but in macros.

    Of Mod1 1 takes Imm8, 2 the exponent of VB.
    """
    held = core.vector.registers
    c = held[VC] & ~_EXPONENT
    b = held[VD if VB is None else VB]
    if Mod1 & 1:
        result = c | np.uint32(Imm8 << 23)
    else:
        result = c | (b & _EXPONENT if Mod1 & 2 else (b & 255) << 23)
    put(core.vector, VD, result, lanes(core.vector))


def SFPSETMAN(
    core: Coprocessor,
    thread: int,
    Imm12: int,
    VC: int,
    VD: int,
    Mod1: int = 0,
    *,
    VB: int | None = None,
) -> None:
    """VD = VC with the mantissa of VB, which is VD but in macros; of Mod1 1: with Imm12 above."""
    held = core.vector.registers
    b = held[VD if VB is None else VB]
    mantissa = np.uint32(Imm12 << 11) if Mod1 & 1 else b & _MANTISSA
    put(core.vector, VD, (held[VC] & ~_MANTISSA) | mantissa, lanes(core.vector))


def SFPSETSGN(
    core: Coprocessor,
    thread: int,
    Imm1: int,
    VC: int,
    VD: int,
    Mod1: int = 0,
    *,
    VB: int | None = None,
) -> None:
    """VD = VC with the sign of VB, which is VD but in macros; of Mod1 1: with the sign Imm1."""
    held = core.vector.registers
    b = held[VD if VB is None else VB]
    sign = np.uint32(Imm1 << 31) if Mod1 & 1 else b & _SIGN
    put(core.vector, VD, (held[VC] & ~_SIGN) | sign, lanes(core.vector))


def SFPDIVP2(core: Coprocessor, thread: int, Imm8: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """VD = VC with the exponent Imm8; of Mod1 1: with Imm8 added to it, but of Inf and NaN."""
    c = core.vector.registers[VC]
    result = (c & ~_EXPONENT) | np.uint32(Imm8 << 23)
    if Mod1 & 1:
        added = (c & ~_EXPONENT) | ((c + np.uint32(Imm8 << 23)) & _EXPONENT)
        result = np.where(c & _EXPONENT == _EXPONENT, c, added)
    put(core.vector, VD, result, lanes(core.vector))
