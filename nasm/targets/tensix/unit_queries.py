"""Who is asked what units are doing, by what waits for them."""

from __future__ import annotations

from functools import cache
from typing import Protocol


class BusyUnits(Protocol):
    """Which units are at work, and when it is; the machine knows."""

    @property
    def now(self) -> int:
        """The tick, which is a cycle."""

    def busy(self, unit: str, thread: int) -> bool:
        """Whether a unit has an instruction of a thread in any of its stages.

        Units are unpack0, unpack1, pack0 to pack3, matrix, vector; mover, whose requests are
        counted regardless of their thread; host, what the thread's RISC-V core sent that is not
        processed; and cfg, the configuration unit, with what any thread has there for longer than
        a cycle.
        """


STREAMS_PART = "streams"
"""The part that changes when a register of a stream of the overlay does."""

SRC = "src"
"""The part that changes when a bank of SrcA or SrcB changes owners."""


@cache
def semaphore_parts(mask: int) -> tuple[str, ...]:
    """The semaphores of a mask as parts of the coprocessor that change."""
    return tuple(f"semaphore {n}" for n in range(8) if mask >> n & 1)


def mutex_part(index: int) -> str:
    """A mutex as a part of the coprocessor that changes."""
    return f"mutex {index}"


def thread_name(thread: int) -> str:
    """As programs write it."""
    return f"t{thread}"


def core_text(number: int) -> str:
    """A RISC-V core in words: by the thread that it pushes to, if that is one alone."""
    return f"the core of t{number}" if number < 3 else f"RISC-V {'B' if number == 3 else 'NC'}"
