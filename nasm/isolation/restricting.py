"""What keeps a child process to its limits: everything of it that the system has."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable
from contextlib import suppress

from nasm.isolation import landlock, syscalls
from nasm.isolation.limits import Limits, Protection


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
