"""Which files a process may write, or reach at all (Landlock, from Linux 6.2 on).

Source: the kernel's documentation, userspace-api/landlock, and linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Iterable

from nasm.isolation import syscalls

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # numbers of its system calls, on every machine
_VERSION, _BENEATH = 1, 1
_TRUNCATES = 3
"""The first version that guards truncate(2) as well: with an older one a file could be emptied."""

_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_READS = _EXECUTE | _READ_FILE | _READ_FOLDER
_ALL = (1 << 15) - 1
"""The rights of version 3: reading, writing, making, removing, renaming, truncating."""
_OF_FILES = _EXECUTE | 1 << 1 | _READ_FILE | 1 << 14


def available() -> bool:
    """Whether the system has it, and all that is needed of it."""
    return _call(_CREATE, None, 0, _VERSION) >= _TRUNCATES


def restrict(writable: Iterable[str], readable: Iterable[str] | None) -> bool:
    """Let this process write below some folders alone, for good; whether the system could.

    With ``readable`` it can read below these and below ``writable`` alone.
    """
    if not available():
        return False
    handled = _ALL if readable is not None else _ALL & ~_READS
    attribute = ctypes.create_string_buffer(struct.pack("=Q", handled), 8)
    rules = _call(_CREATE, ctypes.addressof(attribute), 8, 0)
    if rules < 0:
        return False
    try:
        allowed = [(path, _ALL) for path in writable]
        allowed += [(path, _READS) for path in readable or ()]
        return (
            all(_add(rules, path, rights & handled) for path, rights in allowed)
            and syscalls.no_new_privileges()
            and _call(_RESTRICT, rules, 0, 0) == 0
        )
    finally:
        os.close(rules)


def _add(rules: int, path: str, rights: int) -> bool:
    """Allow something below a path; one that is not there needs nothing."""
    try:
        place = os.open(path, getattr(os, "O_PATH", os.O_RDONLY) | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, place), 12)
        return not rights or _call(_ADD, rules, _BENEATH, ctypes.addressof(rule), 0) == 0
    finally:
        os.close(place)


def _call(number: int, *arguments: int | None) -> int:
    try:
        call = ctypes.CDLL(None, use_errno=True).syscall
    except (OSError, AttributeError):
        return -1
    if not hasattr(os, "O_PATH"):  # no Linux, where the number would mean something else
        return -1
    call.restype = ctypes.c_long
    words = [None if word is None else ctypes.c_ulong(word) for word in arguments]
    return int(call(ctypes.c_long(number), *words))
