"""What instructions of the vector unit do on Blackhole, where that is not what they do on Wormhole.

Sources: their pages in the ISA documentation of Blackhole A0. What those call current behaviour of
silicon that is not guaranteed is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.lanes import conversions, integers, predication, tables
from nasm.targets.tensix.lanes.arithmetic import INDIRECT_VA, INDIRECT_VD, indirect, store
from nasm.targets.tensix.lanes.fused import fused
from nasm.targets.tensix.lanes.predication import COMBINED
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.randoms import advance
from nasm.targets.tensix.lanes.unit import Words, assign, lanes, put, undefined
from nasm.targets.tensix.state import Bools, Coprocessor, Vector

_SIGN: Final = np.uint32(1 << 31)
_NEGATE_VA, _NEGATE_VC = 1, 2
_SET_CC, _MUTATE_STACK, _MUTATE_OR, _SET_VD = 1, 2, 4, 8
_BITS_23: Final = 0x7FFFFF
_ZERO_REGISTER: Final = 9

_LEAST: Final[Mapping[int, int]] = {0: 0x400000, 2: 0x7FFFFF}
"""What is cut off, aligned to 23 bits, rounds up from here on: to nearest, and to zero."""


# -- floats


def SFPMAD(
    core: Coprocessor, thread: int, VA: int, VB: int, VC: int, VD: int, Mod1: int = 0
) -> None:
    """VD = VA * VB + VC; of Mod1 1 negates VA, 2 VC; 4 and 8 take numbers from L7 of each lane."""
    vector = core.vector
    held = vector.registers
    a = indirect(vector) if Mod1 & INDIRECT_VA else held[VA]
    a = a ^ _SIGN if Mod1 & _NEGATE_VA else a
    c = held[VC] ^ _SIGN if Mod1 & _NEGATE_VC else held[VC]
    store(vector, VD, fused(a, held[VB], c), lanes(vector), Mod1 & INDIRECT_VD)


def SFPMULI(
    core: Coprocessor, thread: int, Imm16: int, VD: int, Mod1: int = 0, *, VC: int | None = None
) -> None:
    """VD = Imm16 * VC + 0, of a BF16; VC is VD but in macros. Mod1 2 negates it."""
    vector = core.vector
    result = fused(_bf16(Imm16), _addend(vector, VD, Mod1, VC), np.zeros(1, np.uint32))
    store(vector, VD, result, lanes(vector), Mod1 & INDIRECT_VD)


def SFPADDI(
    core: Coprocessor, thread: int, Imm16: int, VD: int, Mod1: int = 0, *, VC: int | None = None
) -> None:
    """VD = 1 * Imm16 + VC, of a BF16; VC is VD but in macros. Mod1 2 negates it."""
    vector = core.vector
    result = fused(_bf16(0x3F80), _bf16(Imm16), _addend(vector, VD, Mod1, VC))
    store(vector, VD, result, lanes(vector), Mod1 & INDIRECT_VD)


def _addend(vector: Vector, VD: int, Mod1: int, VC: int | None) -> Words:
    c = vector.registers[VD if VC is None else VC]
    return c ^ _SIGN if Mod1 & _NEGATE_VC else c


def _bf16(number: int) -> Words:
    return np.full(1, number << 16, np.uint32)


def SFPLUT(core: Coprocessor, thread: int, VD: int, Mod0: int = 0) -> None:
    """As on Wormhole, with the multiply-add of Blackhole."""
    tables.SFPLUT(core, thread, VD, Mod0, combine=fused)


def SFPLUTFP32(
    core: Coprocessor, thread: int, VD: int, Mod1: int = 0, quirks: Quirks = DOCUMENTED
) -> None:
    """As on Wormhole, with the multiply-add of Blackhole."""
    tables.SFPLUTFP32(core, thread, VD, Mod1, quirks, combine=fused)


RECIPROCALS: Final = np.floor(128 * (2 / (1 + (np.arange(128) + 0.5) / 128) - 1) + 0.5).astype(
    np.uint32
)
"""By the top seven bits of a mantissa those of its reciprocal, at the middle of the interval.

These are the 128 numbers that the page lists.
"""


def SFPARECIP(core: Coprocessor, thread: int, VB: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """VD = about 1 / VC; of Mod1 1: about 1 / abs(VC) where VB is negative, else VC.

    Raises:
        Refused: Another Mod1: the page has 896 numbers for it, which are not taken over.
    """
    vector = core.vector
    if Mod1 > 1:
        message = f"SFPARECIP with Mod1 {Mod1} is not modelled on Blackhole A0: its table of powers"
        raise Refused("E0601", message, "Mod1 is 0 or 1")
    c = vector.registers[VC]
    size = c & ~_SIGN
    near = 253 - (size >> 23) << 23 | RECIPROCALS[size >> 16 & 127] << 16
    found = np.where(size < 0x7E800000, near, 0)
    found = np.where(size < 0x00800000, 0x7F800000, found).astype(np.uint32)
    negative = vector.registers[VB] >= _SIGN
    found = np.where(negative, found, c) if Mod1 else found | c & _SIGN
    put(vector, VD, found, lanes(vector))


def SFP_STOCH_RND(
    core: Coprocessor,
    thread: int,
    RoundingMode: int,
    Imm5: int,
    VB: int,
    VC: int,
    VD: int,
    UseImm5: int,
    Mod1: int,
    quirks: Quirks = DOCUMENTED,
) -> None:
    """As on Wormhole; RoundingMode 0 is to nearest, 1 at random, 2 to zero. It always draws.

    Raises:
        Refused: Another RoundingMode.
    """
    vector = core.vector
    if RoundingMode == 3:
        raise undefined("SFP_STOCH_RND: RoundingMode is 3", "it is 0, 1 or 2")
    where = lanes(vector)
    drawn: Any = advance(vector, where) & _BITS_23
    least = drawn if RoundingMode == 1 else np.uint32(_LEAST[RoundingMode])
    if not quirks.rounding_bias:
        least = least + (RoundingMode > 0)
    result = conversions.rounded(vector, VC, VB, Imm5, UseImm5, Mod1, least)
    put(vector, VD, result, where)


# -- integers


def SFPAND(core: Coprocessor, thread: int, VB: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """VD = VD & VC, or VB & VC with Mod1 1."""
    integers.SFPAND(core, thread, VC, VD, VB=VB if Mod1 & 1 else VD)


def SFPOR(core: Coprocessor, thread: int, VB: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """VD = VD | VC, or VB | VC with Mod1 1."""
    integers.SFPOR(core, thread, VC, VD, VB=VB if Mod1 & 1 else VD)


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
    """VD = VB shifted left by VC, or right by -VC. Of Mod1 1: by Imm12, 5: VC by Imm12.

    2 copies the sign where it shifts to the right. VB is VD but in macros.

    Raises:
        Refused: A reserved Mod1.
    """
    if Mod1 in (4, 6) or Mod1 > 7:
        raise undefined(f"SFPSHFT: Mod1 is {Mod1}, which is reserved", "it is 0 to 3, 5 or 7")
    vector = core.vector
    held = vector.registers
    values = held[VC if Mod1 & 4 else VD if VB is None else VB]
    by = np.uint32(integers.signed12(Imm12) & 0xFFFFFFFF) if Mod1 & 1 else held[VC]
    by = np.broadcast_to(by, values.shape)
    result = integers.shifted(values, by)
    if Mod1 & 2:
        right = values.view(np.int32) >> (-by & 31).astype(np.int32)
        result = np.where(by >= _SIGN, right.view(np.uint32), result)
    put(vector, VD, result, lanes(vector))


def SFPCAST(core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0) -> None:
    """Of Mod1 0 and 1 as on Wormhole; 2: the magnitude of VC in two's complement.

    3 exchanges sign and magnitude for two's complement, either way.

    Raises:
        Refused: A reserved Mod1.
    """
    if Mod1 > 3:
        raise undefined(f"SFPCAST: Mod1 is {Mod1}, which is reserved", "it is 0 to 3")
    vector = core.vector
    c = vector.registers[VC]
    if Mod1 < 2:
        conversions.SFPCAST(core, thread, VC, VD, Mod1)
        return
    found = np.where(c >= _SIGN, -c, c)
    put(vector, VD, found if Mod1 == 2 else found | c & _SIGN, lanes(vector))


def SFPMUL24(
    core: Coprocessor, thread: int, VA: int, VB: int, VC: int, VD: int, Mod1: int = 0
) -> None:
    """VD = the low 23 bits of VA * VB; of Mod1 1: the high ones of the product of their low 23.

    4 and 8 take the numbers VA and VD from L7 of each lane.

    Raises:
        Refused: A reserved Mod1, or a VC that is not zero.
    """
    if Mod1 & 2:
        raise undefined(f"SFPMUL24: Mod1 is {Mod1}, of which bit 1 is reserved", "clear it")
    vector = core.vector
    held, where = vector.registers, lanes(vector)
    if VC != _ZERO_REGISTER and (held[VC] if where is None else held[VC][where]).any():
        message = f"SFPMUL24 adds VC, register {VC}, in a way that is not guaranteed"
        raise undefined(message, f"write VC={_ZERO_REGISTER}, which is 0")
    a = (indirect(vector) if Mod1 & INDIRECT_VA else held[VA]).astype(np.uint64)
    b = held[VB].astype(np.uint64)
    high = (a & _BITS_23) * (b & _BITS_23) >> np.uint64(23)
    result = (high if Mod1 & 1 else a * b & _BITS_23).astype(np.uint32)
    store(vector, VD, result, where, Mod1 & INDIRECT_VD)


# -- flags


def SFPLE(
    core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0, *, VB: int | None = None
) -> None:
    """Whether VB <= VC, in sign and magnitude: to flags, the stack or VD, by Mod1.

    VB is VD but in macros.
    """
    _compare(core.vector, VC, VD, Mod1, VB, greater=False)


def SFPGT(
    core: Coprocessor, thread: int, VC: int, VD: int, Mod1: int = 0, *, VB: int | None = None
) -> None:
    """Whether VB > VC, in sign and magnitude: to flags, the stack or VD, by Mod1.

    VB is VD but in macros.
    """
    _compare(core.vector, VC, VD, Mod1, VB, greater=True)


def _compare(vector: Vector, VC: int, VD: int, Mod1: int, VB: int | None, *, greater: bool) -> None:
    held, where = vector.registers, lanes(vector)
    found: Bools = _ordered(held[VC]) < _ordered(held[VD if VB is None else VB])
    found = found if greater else ~found
    if Mod1 & _SET_VD:
        put(vector, VD, np.where(found, np.uint32(0xFFFFFFFF), np.uint32(0)), where)
    if Mod1 & _SET_CC:
        assign(vector.flag, found, where)
    if Mod1 & _MUTATE_STACK and vector.stack:
        flag, uses = predication.top(vector, False)
        flag = flag | found if Mod1 & _MUTATE_OR else flag & found
        vector.stack = (*vector.stack[:-1], (flag.tobytes(), uses.tobytes()))


def _ordered(values: Words) -> Words:
    """Numbers in the order of sign and magnitude, -0 before +0."""
    signed = values.view(np.int32)
    return signed ^ (signed >> 31 & 0x7FFFFFFF)


def SFPPUSHC(core: Coprocessor, thread: int, Mod1: int = 0) -> None:
    """Push the flags and their uses; with Mod1 put them into the top of the stack instead.

    Of Mod1 1 to 12 combine the flags of the top with the present ones, 13 inverts the present ones
    first, 14 and 15 put all in use, as true or as false.

    Raises:
        Refused: Pushing, and there are eight entries; or there is no top.
    """
    vector = core.vector
    if Mod1 == 0:
        predication.SFPPUSHC(core, thread)
        return
    if not vector.stack:
        message = f"SFPPUSHC with Mod1 {Mod1} and an empty stack of flags"
        raise undefined(message, "SFPPUSHC with Mod1 0 comes before it")
    flag, _ = predication.top(vector, False)
    uses = vector.uses_flag
    if Mod1 <= len(COMBINED):
        flag = COMBINED[Mod1 - 1](flag, vector.flag)
    elif Mod1 == 13:
        np.logical_not(vector.flag, out=vector.flag)
        flag = vector.flag
    else:
        flag, uses = np.full_like(vector.flag, Mod1 == 14), np.full_like(vector.flag, True)
    vector.stack = (*vector.stack[:-1], (flag.tobytes(), uses.tobytes()))
