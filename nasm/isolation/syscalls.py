"""A filter of system calls (seccomp): no other process, no network, no other process's affairs.

The filter is a program of the classic BPF, which Linux runs before each system call. Sources:
seccomp(2), bpf(4), and the tables of system calls of Linux for x86-64 and for arm64.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
from collections.abc import Iterator

_DENIED = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chmod": (90, None),
    "chown": (92, None),
    "connect": (42, 203),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "fork": (57, None),
    "fremovexattr": (199, 16),
    "fsetxattr": (190, 7),
    "futimesat": (261, None),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "lchown": (94, None),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "mount": (165, 40),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "removexattr": (197, 14),
    "removexattrat": (466, 466),
    "rt_tgsigqueueinfo": (297, 240),
    "semget": (64, 190),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "setxattr": (188, 5),
    "setxattrat": (463, 463),
    "shmget": (29, 194),
    "socket": (41, 198),
    "tkill": (200, 130),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "utime": (132, None),
    "utimensat": (280, 88),
    "utimes": (235, None),
    "vfork": (58, None),
}
"""System calls that are refused, with their numbers on x86-64 and on arm64.

They make processes, reach the network or other processes, change what Landlock does not guard
(modes, owners, times and attributes of files), or leave objects of System V IPC. """

_OWN = {
    "kill": (62, 129),
    "prlimit64": (302, 261),
    "rt_sigqueueinfo": (129, 138),
    "tgkill": (234, 131),
}
"""System calls that are refused unless they are about the calling process."""

_CLONE, _CLONE3 = (56, 220), (435, 435)
_THREAD = 0x10000  # CLONE_THREAD
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000  # numbers from here on are of another ABI of x86-64

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST = 0, 4, 16  # offsets in seccomp_data
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER, _PARENT_DEATH = 38, 22, 2, 1  # of prctl(2)

Step = tuple[int, int, int, int]
"""An instruction of BPF: code, how many to skip if true, if false, and its constant."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def program(machine: str, process: int) -> list[Step]:
    """The filter for a machine, in the process of this number; KeyError for other machines."""
    column, architecture = _ARCHITECTURES[machine]
    return list(_steps(column, architecture, process))


def _steps(column: int, architecture: int, process: int) -> Iterator[Step]:
    refuse = (_RETURN, 0, 0, _ERROR | _EPERM)
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield _EQUAL, 1, 0, architecture
    yield refuse
    yield _LOAD, 0, 0, _NUMBER
    yield _AT_LEAST, 0, 1, _X32
    yield refuse
    for numbers in _DENIED.values():
        number = numbers[column]
        if number is not None:
            yield _EQUAL, 0, 1, number
            yield refuse
    yield _EQUAL, 0, 1, _CLONE3[column]  # its flags are in memory, which no filter can read
    yield _RETURN, 0, 0, _ERROR | _ENOSYS
    yield _EQUAL, 0, 4, _CLONE[column]
    yield _LOAD, 0, 0, _FIRST
    yield _ANY_BIT, 1, 0, _THREAD
    yield refuse
    yield _RETURN, 0, 0, _ALLOW
    for name, numbers in _OWN.items():
        yield _EQUAL, 0, 5, numbers[column]
        yield _LOAD, 0, 0, _FIRST
        yield _EQUAL, 2, 0, process
        yield _EQUAL, 1, 0, 0 if name == "prlimit64" else process
        yield refuse
        yield _RETURN, 0, 0, _ALLOW
    yield _RETURN, 0, 0, _ALLOW


def no_new_privileges() -> bool:
    """Let no program that is started have more rights than this one; whether that is so."""
    return _prctl(_NO_NEW_PRIVILEGES, 1, 0)


def end_with_parent() -> bool:
    """Let the system end this process when the thread that started it ends; whether it will."""
    return _prctl(_PARENT_DEATH, signal.SIGKILL, 0)


def restrict() -> bool:
    """Put the filter in force for this process, for good; whether the system could."""
    try:
        steps = program(platform.machine(), os.getpid())
    except KeyError:
        return False
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    filled = _Program(len(steps), code)
    return no_new_privileges() and _prctl(_SET_SECCOMP, _FILTER, ctypes.addressof(filled))


def _prctl(option: int, first: int, second: int) -> bool:
    try:
        call = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):  # no Linux
        return False
    words = [ctypes.c_ulong(each) for each in (first, second, 0, 0)]
    return bool(call(option, *words) == 0)
