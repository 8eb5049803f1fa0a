"""What an instruction at the wait gate waits for, and who is asked what units are doing."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Wait(NamedTuple):
    """Why an instruction may not start yet.

    ``cause`` is what its idle time is called; ``said`` a clause for people: "mutex 3 is held by
    t1". It is over at cycle ``until`` if that is known. ``by`` are threads of which one has to go
    on for it to end; none if any of them may do.
    """

    cause: str
    said: str
    until: int | None = None
    by: tuple[int, ...] = ()


class Units(Protocol):
    """Which units are at work, and when it is; the machine knows."""

    @property
    def now(self) -> int:
        """The cycle."""

    def busy(self, unit: str, thread: int) -> bool:
        """Whether a unit has an instruction of a thread in any of its stages.

        Units are unpack0, unpack1, pack0 to pack3, matrix, vector; mover, whose requests count
        whoever made them; and host, what the thread's RISC-V core sent that is not processed.
        """


def thread_name(thread: int) -> str:
    """As programs write it."""
    return f"t{thread}"
