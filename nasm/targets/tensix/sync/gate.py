"""The wait gate: STALLWAIT, SEMWAIT and STREAMWAIT are remembered there, and what they block.

Sources: the pages of STALLWAIT, SEMWAIT and the sync unit of the public ISA documentation of
Wormhole B0. A latch is forgotten the cycle after its conditions were met, all at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.targets.tensix import streams
from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.state import NO_STREAM, Coprocessor, Latch
from nasm.targets.tensix.sync.conditions import parts, unmet, unmet_semaphores
from nasm.targets.tensix.unit_queries import STREAMS_PART, BusyUnits, semaphore_parts

ALL_BLOCKS: Final = 0x1FF
DEFAULT_BLOCK: Final = 1 << 6
"""What is blocked if no block bit is set: the matrix unit."""
LAG: Final = 1
"""Cycles from when the conditions are met until the latch is gone."""
_UNKNOWN: Final = -1

_blocked: Final = lru_cache(maxsize=1 << 10)(Blocked)
"""Makes one of each: most are asked for again and again."""


def STALLWAIT(core: Coprocessor, thread: int, BlockMask: int, ConditionMask: int) -> None:
    """Latch a wait for units and banks; no condition means all units but some, no block bit B6."""
    _latch(core, thread, BlockMask, ConditionMask or core.chip.default_conditions)


def SEMWAIT(
    core: Coprocessor, thread: int, BlockMask: int, SemaphoreMask: int, ConditionMask: int
) -> None:
    """Latch a wait for semaphores; without a condition it is one for units, C0 to C6.

    Raises:
        Refused: No condition, where that is undefined.
    """
    if ConditionMask:
        _latch(core, thread, BlockMask, ConditionMask, SemaphoreMask, of_semaphores=True)
    elif core.chip is WORMHOLE:
        _latch(core, thread, BlockMask, core.chip.default_conditions)
    else:
        message = "SEMWAIT with ConditionMask 0 is undefined"
        raise Refused("E0701", message, "1 waits while a semaphore is 0, 2 while it is full")


def STREAMWAIT(
    core: Coprocessor,
    thread: int,
    BlockMask: int,
    TargetValueLo: int,
    ConditionIndex: int,
    StreamSelect: int,
) -> None:
    """Latch a wait for a stream: until its phase, or its count of messages, has reached a target.

    Words of the thread have the upper bits of the target, and which stream is selected.
    """
    _latch(core, thread, BlockMask, 1 << ConditionIndex)
    latch = core.threads[thread].latch
    latch.ordering = latch.units = 0
    latch.stream = streams.selected(core, thread, StreamSelect)
    latch.target = streams.target(core, thread, ConditionIndex, TargetValueLo)


def _latch(
    core: Coprocessor,
    thread: int,
    block: int,
    conditions: int,
    semaphores: int = 0,
    *,
    of_semaphores: bool = False,
) -> None:
    latch = core.threads[thread].latch
    latch.block, latch.conditions = block or DEFAULT_BLOCK, conditions
    latch.semaphores, latch.of_semaphores, latch.stream = semaphores, of_semaphores, NO_STREAM
    latch.since, latch.met = latch.looked, _UNKNOWN
    latch.ordering, latch.units = (0, 0) if of_semaphores else (latch.block, conditions)


def waits_for(core: Coprocessor, thread: int, units: BusyUnits) -> list[str]:
    """What a thread's latch waits for, a clause each; none if all is met, or nothing is latched."""
    latch = core.threads[thread].latch
    if not latch.block:
        return []
    if latch.stream != NO_STREAM:
        return _unmet_stream(core, latch)
    if latch.of_semaphores:
        return [*unmet_semaphores(core, latch.semaphores, latch.conditions)]
    return [*unmet(core, thread, latch.conditions, units)]


def _unmet_stream(core: Coprocessor, latch: Latch) -> list[str]:
    """What a wait for a stream waits for."""
    counts = latch.conditions >> 1
    number = streams.RECEIVED_NUMBER if counts else streams.PHASE_NUMBER
    found = streams.read(core, latch.stream, number)
    if found >= latch.target:
        return []
    what = "has received {} messages" if counts else "is in phase {}"
    return [f"stream {latch.stream} {what.format(found)}, not {latch.target} yet (C{counts})"]


def latched(latch: Latch) -> str:
    """The instruction that a latch remembers."""
    if latch.stream != NO_STREAM:
        return STREAMWAIT.__name__
    return (SEMWAIT if latch.of_semaphores else STALLWAIT).__name__


def look(core: Coprocessor, thread: int, units: BusyUnits) -> None:
    """Have the gate look at its latch, as it does each cycle; forget one that is over.

    It has to be called whenever something of the core starts or ends, and before an instruction
    is let through; calling it more often changes nothing.
    """
    latch = core.threads[thread].latch
    latch.looked = units.now
    if not latch.block:
        return
    if latch.met == _UNKNOWN and not waits_for(core, thread, units):
        latch.met = max(units.now, latch.since + 1)
    if latch.met != _UNKNOWN and latch.met + LAG <= units.now:
        if latch.of_semaphores:
            core.passed(thread, semaphore_parts(latch.semaphores))
        _forget(latch)


def _forget(latch: Latch) -> None:
    latch.block = latch.conditions = latch.semaphores = 0
    latch.of_semaphores, latch.met, latch.stream = False, _UNKNOWN, NO_STREAM


def blocked(
    core: Coprocessor, thread: int, block_bits: int, units: BusyUnits, *, every: bool = False
) -> Blocked | None:
    """What holds up an instruction at the gate: a latch that has any of its block bits.

    With ``every`` only a latch that has all of them. ``look`` has been called.
    """
    latch = core.threads[thread].latch
    if not latch.block & block_bits or (every and latch.block != ALL_BLOCKS):
        return None
    on: tuple[str, ...]
    if latch.stream != NO_STREAM:
        cause, on = "streamwait", (STREAMS_PART,)
    elif latch.of_semaphores:
        cause, on = "semwait", semaphore_parts(latch.semaphores)
    else:
        cause, on = "stallwait", parts(core, latch.conditions)
    if latch.met != _UNKNOWN:
        message = "the gate opens a cycle after its conditions are met"
        return Blocked(cause, message, latch.met + LAG, on=on)
    return _blocked(cause, ", ".join(waits_for(core, thread, units)), on=on)
