"""Mutexes: ATGETM and ATRELM.

Source: their pages in the public ISA documentation. How many there are depends on the generation.
"""

from __future__ import annotations

from typing import Final

from nasm.isa.core_state import Blocked
from nasm.targets.tensix.state import NO_THREAD, THREADS, Coprocessor
from nasm.targets.tensix.unit_queries import mutex_part, thread_name

_SYNC: Final = 1 << 1


def waits_for_mutex(core: Coprocessor, thread: int, Index: int) -> Blocked | None:
    """What keeps ATGETM from starting."""
    if Index not in core.chip.mutexes:
        return _never(Index)
    owner = int(core.mutexes[Index])
    if owner in (NO_THREAD, thread):
        return None
    message = f"mutex {Index} is held by {thread_name(owner)}"
    return Blocked("mutex", message, by=(owner,), on=(mutex_part(Index),))


def waits_to_release(core: Coprocessor, Index: int) -> Blocked | None:
    """What keeps ATRELM from starting: a mutex that is not there."""
    return None if Index in core.chip.mutexes else _never(Index)


def _never(index: int) -> Blocked:
    return Blocked("mutex", f"there is no mutex {index}: the instruction waits forever", by=())


def want(core: Coprocessor, thread: int, Index: int) -> None:
    """Note that an ATGETM has reached the gate, so that a release may be fair to it."""
    core.threads[thread].wants = Index


def ATGETM(core: Coprocessor, thread: int, Index: int) -> None:
    """Take a mutex that is free, or the thread's own."""
    core.threads[thread].wants = NO_THREAD
    core.mutexes[Index] = thread


def ATRELM(core: Coprocessor, thread: int, Index: int) -> None:
    """Give up a mutex; one that the thread does not hold stays as it is.

    If both of the others wait for it at their gates, the next thread in turn gets it.
    """
    if core.mutexes[Index] != thread:
        return
    core.mutexes[Index] = NO_THREAD
    turns = [(thread + 1) % THREADS, (thread + 2) % THREADS]
    if all(_waits(core, other, Index) for other in turns):
        core.mutexes[Index] = turns[0]


def _waits(core: Coprocessor, thread: int, index: int) -> bool:
    own = core.threads[thread]
    return own.wants == index and not own.latch.block & _SYNC
