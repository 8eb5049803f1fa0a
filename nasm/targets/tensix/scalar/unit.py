"""The scalar unit as a whole: who keeps it while waiting, and the instructions that only wait.

Sources: the pages of the scalar unit, FLUSHDMA and DMANOP in the public ISA documentation of
Wormhole B0. It executes one instruction at a time. Flushes, what waits for a value of L1, and
stores to SrcA and SrcB wait inside of it: the code that finds that one of them has to wait calls
``hold``.
"""

from __future__ import annotations

from typing import Final

from nasm.isa.core_state import Blocked
from nasm.targets.tensix.state import NO_THREAD, Coprocessor
from nasm.targets.tensix.sync.conditions import unmet
from nasm.targets.tensix.unit_queries import BusyUnits, thread_name

DEFAULT_FLUSH: Final = 0xF
"""What FLUSHDMA waits for if no condition is selected: C0 to C3."""


def hold(core: Coprocessor, thread: int) -> None:
    """Note that an instruction of a thread is in the scalar unit, and waits."""
    core.scalar_owner = thread


def release(core: Coprocessor, thread: int) -> None:
    """Note that what a thread's instruction waited for has come."""
    if core.scalar_owner == thread:
        core.scalar_owner = NO_THREAD


def waits_for_unit(core: Coprocessor, thread: int) -> Blocked | None:
    """What keeps an instruction out of the scalar unit: one of another thread that waits there."""
    owner = core.scalar_owner
    if owner in (NO_THREAD, thread):
        return None
    message = f"an instruction of {thread_name(owner)} waits in the scalar unit"
    return Blocked("unit", message, by=(owner,))


def waits_to_flush(
    core: Coprocessor, thread: int, ConditionMask: int, units: BusyUnits
) -> Blocked | None:
    """What keeps FLUSHDMA from continuing; no condition means all four."""
    text = [*unmet(core, thread, ConditionMask or DEFAULT_FLUSH, units)]
    return Blocked("flush", ", ".join(text)) if text else None


def FLUSHDMA(core: Coprocessor, thread: int, ConditionMask: int) -> None:
    """Nothing but the wait before it: ``waits_to_flush``."""
    release(core, thread)


def DMANOP(core: Coprocessor, thread: int) -> None:
    """Nothing, for a cycle of the scalar unit."""


def NOP(core: Coprocessor, thread: int) -> None:
    """Nothing, for a cycle of the thread."""
