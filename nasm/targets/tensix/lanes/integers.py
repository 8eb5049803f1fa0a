"""Integers and bits: SFPIADD, SFPAND, SFPOR, SFPXOR, SFPNOT, SFPLZ, SFPSHFT, SFPABS.

Where an instruction reads VD as its second source, VB names another one in macros.
"""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.unit import Words, assign, lanes, put
from nasm.targets.tensix.state import Bools, Coprocessor, Vector

_SIGN = np.uint32(1 << 31)


def signed12(Imm12: int) -> int:
    """A field of 12 bits as the number that it is in two's complement."""
    return (Imm12 & 0xFFF) - ((Imm12 & 0x800) << 1)


def SFPIADD(
    core: Coprocessor,
    thread: int,
    Imm12: int,
    VC: int,
    VD: int,
    Mod1: int = 0,
    *,
    VB: int | None = None,
) -> None:
    """VD = VC + VB; of Mod1 1: VC + Imm12, 2: VC - VB, 4: leave the flags, 8: invert them.

    A flag becomes whether the result is negative.
    """
    vector = core.vector
    held, where = vector.registers, lanes(vector)
    c, b = held[VC], held[VD if VB is None else VB]
    if Mod1 & 1:
        result = c + np.uint32(signed12(Imm12) & 0xFFFFFFFF)
    else:
        result = c - b if Mod1 & 2 else c + b
    put(vector, VD, result, where)
    if VD < 8:
        set_flags(vector, None if Mod1 & 4 else result >= _SIGN, Mod1 & 8, where)


def set_flags(vector: Vector, flag: Bools | None, invert: int, where: Bools | None) -> None:
    """Set flags, if there is something to set them to, and then invert them if asked."""
    if invert:
        flag = ~(vector.flag if flag is None else flag)
    if flag is not None:
        assign(vector.flag, flag, where)


def SFPAND(core: Coprocessor, thread: int, VC: int, VD: int, *, VB: int | None = None) -> None:
    """VD = VB & VC."""
    held = core.vector.registers
    put(core.vector, VD, held[VD if VB is None else VB] & held[VC], lanes(core.vector))


def SFPOR(core: Coprocessor, thread: int, VC: int, VD: int, *, VB: int | None = None) -> None:
    """VD = VB | VC."""
    held = core.vector.registers
    put(core.vector, VD, held[VD if VB is None else VB] | held[VC], lanes(core.vector))


def SFPXOR(core: Coprocessor, thread: int, VC: int, VD: int, *, VB: int | None = None) -> None:
    """VD = VB ^ VC."""
    held = core.vector.registers
    put(core.vector, VD, held[VD if VB is None else VB] ^ held[VC], lanes(core.vector))


def SFPNOT(core: Coprocessor, thread: int, VC: int, VD: int) -> None:
    """VD = ~VC."""
    put(core.vector, VD, ~core.vector.registers[VC], lanes(core.vector))


def SFPLZ(core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """VD = leading zeros of VC, 32 of 0. Of Mod1 4 clears the sign of VC first.

    2 makes a flag of whether that value is other than 0, 8 inverts the flag.
    """
    vector = core.vector
    where = lanes(vector)
    c = vector.registers[VC] & ~(_SIGN if Mod1 & 4 else np.uint32(0))
    put(vector, VD, leading_zeros(c), where)
    if VD < 8:
        set_flags(vector, c != 0 if Mod1 & 2 else None, Mod1 & 8, where)


def leading_zeros(values: Words) -> Words:
    """How many zeros come before the first one of 32 bits."""
    return 32 - np.frexp(values.astype(np.float64))[1].astype(np.uint32)


def SFPSHFT(
    core: Coprocessor,
    thread: int,
    Imm12: int,
    VC: int,
    VD: int,
    Mod1: int = 0,
    *,
    VB: int | None = None,
) -> None:
    """VD = VB shifted left by VC, or to the right by -VC; of Mod1 1 takes Imm12 for VC."""
    vector = core.vector
    held = vector.registers
    b = held[VD if VB is None else VB]
    result = shifted_by(b, signed12(Imm12)) if Mod1 & 1 else shifted(b, held[VC])
    put(vector, VD, result, lanes(vector))


def shifted(values: Words, amounts: Words) -> Words:
    """Values shifted left by their amounts mod 32, to the right where these are negative."""
    right = amounts >= _SIGN
    return np.where(right, values >> (-amounts & 31), values << (amounts & 31))


def shifted_by(values: Words, amount: int) -> Words:
    """The same for one amount."""
    return values << np.uint32(amount & 31) if amount >= 0 else values >> np.uint32(-amount & 31)


def SFPABS(
    core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0, quirks: Quirks = DOCUMENTED
) -> None:
    """VD = |VC|, in two's complement, of which the least number stays; of Mod1 1: of a float.

    Negative NaNs stay as they are.
    """
    c = core.vector.registers[VC]
    negative = c >= _SIGN
    if Mod1 & 1:
        negative &= c < 0xFF800000 + (not quirks.abs_keeps_minus_infinity)
        result = np.where(negative, c & ~_SIGN, c)
    else:
        result = np.where(negative, -c, c)
    put(core.vector, VD, result, lanes(core.vector))
