"""What all instructions of the vector unit share: which lanes execute, and where results go.

Registers may have axes between their number and their lanes, and flags before theirs: everything
here is done for all of these at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from nasm.base.problems import Refused
from nasm.targets.tensix.state import COLUMNS, LANES, U16, U32, Bools, Vector

Words: TypeAlias = Any
"""An array of uint32; NumPy's types forget that where one is shifted by a number."""

ENABLE_FP16A_INF = 1 << 0
DISABLE_BACKDOOR_LOAD = 1 << 1
ENABLE_DEST_INDEX = 1 << 2
CAPTURE_DEFAULT_DEST_INDEX = 1 << 3
BLOCK_DEST_WR_FROM_SFPU = 1 << 4
BLOCK_SFPU_RD_FROM_DEST = 1 << 5
DEST_RD_COL_EXCHANGE = 1 << 6
DEST_WR_COL_EXCHANGE = 1 << 7
EXCHANGE_SRCB_SRCC = 1 << 8
ROW_MASK = 12
"""Bits of LaneConfig; of ROW_MASK the place of the first of four."""

TEMPLATES = 12
"""The first VD of instructions that become templates instead of being executed."""


def undefined(message: str, hint: str = "") -> Refused:
    """What the documents leave undefined."""
    return Refused("E0701", message, hint)


def lanes(vector: Vector) -> Bools | None:
    """Lanes that execute, or None if all do."""
    flag, uses = vector.flag, vector.uses_flag
    if not np.count_nonzero(uses) and not np.count_nonzero(vector.lane_config):
        return None
    if flag.ndim > 1:
        executing: Bools = flag | ~uses
        if vector.lane_config.any():
            executing &= _unmasked(vector.lane_config)
        return None if executing.all() else executing
    return _lanes(uses.tobytes(), flag.tobytes(), vector.lane_config.tobytes())


@lru_cache(maxsize=1 << 12)
def _lanes(uses: bytes, flag: bytes, lane_config: bytes) -> Bools | None:
    of_flags = ~np.frombuffer(uses, np.bool_) | np.frombuffer(flag, np.bool_)
    found = of_flags & _unmasked(np.frombuffer(lane_config, np.uint32))
    found.setflags(write=False)
    return None if found.all() else found


def _unmasked(lane_config: Words) -> Any:
    rows = np.arange(LANES // COLUMNS)[:, None] + ROW_MASK
    return (lane_config >> rows & 1 == 0).reshape(LANES)


def configured(vector: Vector, bit: int) -> Bools | None:
    """Lanes for which LaneConfig has a bit, or None if it has it nowhere."""
    return _configured(vector.lane_config.tobytes(), bit)


@lru_cache(maxsize=1 << 12)
def _configured(lane_config: bytes, bit: int) -> Bools | None:
    found = np.tile(np.frombuffer(lane_config, np.uint32) & bit != 0, LANES // COLUMNS)
    found.setflags(write=False)
    return found if found.any() else None


def both(some: Bools | None, others: Bools | None) -> Bools | None:
    """Lanes that are in both; None are all."""
    if some is None or others is None:
        return others if some is None else some
    return some & others


def put(vector: Vector, VD: int, values: ArrayLike, where: Bools | None) -> None:
    """Write a register in some lanes. L8 to L15 keep what they have."""
    if VD < 8 or VD == 16:
        assign(vector.registers[VD], values, where)


def assign(target: U16 | U32 | Bools, values: ArrayLike, where: Bools | None) -> None:
    """Write an array in some lanes."""
    if where is None:
        target[...] = values
    else:
        np.copyto(target, values, where=where)


def put_indirect(vector: Vector, values: Words, where: Bools | None) -> None:
    """Write in each lane the register that the low four bits of its L7 name."""
    numbers = vector.registers[7] & 15
    for VD in range(8):
        put(vector, VD, values, numbers == VD if where is None else (numbers == VD) & where)


def backdoor(vector: Vector, word: int, VD: int) -> bool:
    """Put a word into a template of macros, if it goes there instead of being executed.

    It does if its VD is 12 to 15 and DISABLE_BACKDOOR_LOAD is not set, unless it configures, or is
    a macro itself.

    Returns:
        Whether it went there.

    Raises:
        Refused: The columns differ in that, or some lane does not execute.
    """
    if VD < TEMPLATES:
        return False
    disabled = vector.lane_config & DISABLE_BACKDOOR_LOAD != 0
    if disabled.all():
        return False
    if disabled.any():
        raise undefined(
            f"VD is {VD}, and DISABLE_BACKDOOR_LOAD is set in some columns only",
            "set it in all columns, or in none",
        )
    if lanes(vector) is not None:
        raise undefined(
            f"VD is {VD}: it would become template {VD - TEMPLATES}, but not all lanes execute",
            "load templates before lanes are disabled",
        )
    vector.templates[VD - TEMPLATES] = word
    return True
