"""Which lanes execute: SFPSETCC, SFPENCC, SFPPUSHC, SFPPOPC, SFPCOMPC.

All but SFPSETCC act on all lanes, whether they execute or not.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.lanes.unit import assign, lanes
from nasm.targets.tensix.state import Bools, Coprocessor, Vector

STACK = 8
"""How many entries the stack of flags has room for."""

COMBINED: tuple[Callable[[Bools, Bools], Bools], ...] = (
    lambda a, b: b,
    lambda a, b: ~b,
    lambda a, b: a & b,
    lambda a, b: a | b,
    lambda a, b: a & ~b,
    lambda a, b: a | ~b,
    lambda a, b: ~a & b,
    lambda a, b: ~a | b,
    lambda a, b: ~a & ~b,
    lambda a, b: ~a | ~b,
    lambda a, b: a ^ b,
    lambda a, b: ~(a ^ b),
)
"""What becomes of a flag and the topmost one, by Mod1 of SFPPOPC from 1 on."""


def SFPSETCC(core: Coprocessor, thread: int, Imm1: int, VC: int, Mod1: int = 0) -> None:
    """Make flags of a comparison of VC with 0, by Mod1: 0 less, 2 other, 4 not less, 6 equal.

    8 clears them, 1 takes Imm1. Where flags are not in use they become false. -0 is less than 0.
    """
    vector = core.vector
    c = vector.registers[VC]
    if Mod1 & 8:
        flag: Bools = np.zeros(1, np.bool_)
    elif Mod1 & 1:
        flag = np.full(1, Imm1 != 0)
    else:
        flag = c != 0 if Mod1 & 2 else c >> 31 != 0
        if Mod1 & 4:
            flag = ~flag
    assign(vector.flag, flag & vector.uses_flag, lanes(vector))


def SFPENCC(core: Coprocessor, thread: int, Imm2: int, Mod1: int = 0) -> None:
    """Put flags in use or not: Mod1 2 as bit 0 of Imm2 says, else 1 the opposite.

    Flags become true, or with Mod1 8 what bit 1 of Imm2 says.
    """
    vector = core.vector
    if Mod1 & 2:
        vector.uses_flag[...] = Imm2 & 1 != 0
    elif Mod1 & 1:
        np.logical_not(vector.uses_flag, out=vector.uses_flag)
    vector.flag[...] = Imm2 & 2 != 0 if Mod1 & 8 else True


def SFPPUSHC(core: Coprocessor, thread: int) -> None:
    """Push the flags and their uses.

    Raises:
        Refused: There are eight entries already.
    """
    vector = core.vector
    if len(vector.stack) >= STACK:
        raise Refused(
            "E0701",
            f"SFPPUSHC with {len(vector.stack)} entries on the stack of flags, which has room for "
            f"{STACK}",
            "SFPPOPC before another SFPPUSHC",
        )
    vector.stack = (*vector.stack, (vector.flag.tobytes(), vector.uses_flag.tobytes()))


def SFPPOPC(core: Coprocessor, thread: int, Mod1: int = 0, quirks: Quirks = DOCUMENTED) -> None:
    """Pop flags and their uses; with Mod1 combine them with the topmost, which stay there.

    Of Mod1 1 to 12 combine (``COMBINED``), 13 inverts the flags, 14 and 15 put all of them in use,
    as true or as false. The top of an empty stack is false, and not in use.

    Raises:
        Refused: Popping, and there is nothing.
    """
    vector = core.vector
    flag, uses = top(vector, False)
    if Mod1 == 0:
        if not vector.stack:
            raise Refused(
                "E0701", "SFPPOPC with an empty stack of flags", "SFPPUSHC comes before SFPPOPC"
            )
        vector.stack = vector.stack[:-1]
        vector.flag[...], vector.uses_flag[...] = flag, uses
        return
    if len(vector.stack) == STACK and quirks.stack_bug:
        vector.stack = (vector.stack[-1], *vector.stack[1:])
    if Mod1 <= len(COMBINED):
        vector.uses_flag[...] = uses
        vector.flag[...] = COMBINED[Mod1 - 1](vector.flag, flag)
    elif Mod1 == 13:
        np.logical_not(vector.flag, out=vector.flag)
    else:
        vector.uses_flag[...] = True
        vector.flag[...] = Mod1 == 14


def SFPCOMPC(core: Coprocessor, thread: int) -> None:
    """Switch to the lanes of an else: those set on top of the stack, and not set now.

    They become false where they or those of the top are not in use. An empty stack has all set.
    """
    vector = core.vector
    flag, uses = top(vector, True)
    vector.flag[...] = uses & vector.uses_flag & flag & ~vector.flag


def top(vector: Vector, empty: bool) -> tuple[Bools, Bools]:
    """The topmost flags and their uses; those of an empty stack are as given."""
    if not vector.stack:
        return np.full(1, empty), np.full(1, empty)
    flag, uses = (np.frombuffer(part, np.bool_) for part in vector.stack[-1])
    return flag.reshape(vector.flag.shape), uses.reshape(vector.uses_flag.shape)
