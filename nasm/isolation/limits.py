"""What a child process may take, and what keeps it to that."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable
from contextlib import suppress

from nasm.base.records import dataclass
from nasm.isolation import landlock, syscalls


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


def restrict(
    limits: Limits, writable: Iterable[str], readable: Iterable[str] | None
) -> list[Protection]:
    """Put everything in force for this process that the system has; says what that is."""
    _limit("RLIMIT_CORE", 0)
    made = [
        Protection("processor time", _limit("RLIMIT_CPU", limits.cpu, 1), "RLIMIT_CPU"),
        Protection("memory", _limit("RLIMIT_AS", limits.memory), "RLIMIT_AS"),
        Protection("size of files", _limit("RLIMIT_FSIZE", limits.file_size), "RLIMIT_FSIZE"),
        Protection("number of open files", _limit("RLIMIT_NOFILE", limits.files), "RLIMIT_NOFILE"),
    ]
    made.append(Protection("writing files", landlock.restrict(writable, readable), "Landlock"))
    if readable is not None:
        made.append(Protection("reading files", made[-1].active, "Landlock"))
    filtered = syscalls.restrict()
    made.append(Protection("network", filtered, "seccomp"))
    made.append(Protection("signals to other processes", filtered, "seccomp"))
    made.append(_no_processes(filtered))
    return made


def _no_processes(filtered: bool) -> Protection:
    """No other process can be started: by the filter, or by a limit that does not bind root."""
    if filtered:
        return Protection("processes", True, "seccomp")
    return Protection("processes", _limit("RLIMIT_NPROC", 0) and os.getuid() != 0, "RLIMIT_NPROC")


def _limit(name: str, value: float, grace: int = 0) -> bool:
    """Set a limit, never above what there is already; whether the system keeps it."""
    kind = getattr(resource, name, None)
    if kind is None:
        return False
    most = resource.getrlimit(kind)[1]
    hard = int(value) + grace if most == resource.RLIM_INFINITY else min(int(value) + grace, most)
    with suppress(ValueError, OSError):
        resource.setrlimit(kind, (min(int(value), hard), hard))
        return True
    return False
