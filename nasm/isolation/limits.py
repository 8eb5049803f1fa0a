"""What a child process may take, and what it was kept from."""

from __future__ import annotations

from nasm.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What each of the child processes may take; ``deadline`` is for all of them together.

    ``cpu`` and ``deadline`` are seconds of processor time and of real time, ``memory`` bytes of
    address space, ``file_size`` bytes of each file that is written, ``files`` how many are open at
    once, ``output`` bytes that are kept of each of standard output and standard error.
    """

    cpu: int = 60
    deadline: float = 120.0
    memory: int = 4 << 30
    file_size: int = 64 << 20
    files: int = 64
    output: int = 64 << 10

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
                raise ValueError(f"limit {name}: wanted a number above 0, found {value!r}")


@dataclass(frozen=True, slots=True)
class Protection:
    """Something that a child process was kept from, if it is ``active``, and by what."""

    name: str
    active: bool
    by: str
