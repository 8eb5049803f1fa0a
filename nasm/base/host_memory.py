"""How much memory this process may still take, and the refusal of what needs more.

Whichever is the least counts: what the computer has available, what the control groups of the
process leave (those of containers), and the limits of its shell (``ulimit -v``, ``ulimit -d``).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

from nasm.base import host_files
from nasm.base.problems import Refused, listed, number_of

PROC, CGROUPS = "/proc", "/sys/fs/cgroup"
"""Strings: ``pathlib`` would be imported for every command."""

NAMED = 3
"""How many of the largest needs a refusal names."""

LACKING = "not enough memory on this computer for this program"
"""The message of E0808 where memory has run out for an unknown need."""

UNLIMITED = 2**60
"""A limit of this many bytes is none: version 1 of control groups has no other word for it."""

Room = tuple[int, str]
"""Bytes, and the source of the number: the end of a sentence about what there is."""


_allowed: ContextVar[tuple[int, int] | None] = ContextVar("allowed", default=None)
"""What a caller allows: bytes in all, and how many the process held when it said so."""


@contextmanager
def limited(size: int | None) -> Iterator[None]:
    """Within it allocations may reach so many bytes; None is no limit."""
    if size is None:
        yield
        return
    token = _allowed.set((number_of("bytes", size), _resident_bytes()))
    try:
        yield
    finally:
        _allowed.reset(token)


def available() -> Room | None:
    """The bytes that may still be taken, and the source of the number; None if unknown."""
    return min((*_computer(), *_groups(), *_limits(), *_caller()), default=None)


def _caller() -> Iterator[Room]:
    """What the caller's own limit leaves."""
    allowed = _allowed.get()
    if allowed is not None:
        size, before = allowed
        yield max(0, size - max(0, _resident_bytes() - before)), "memory= leaves"


def _resident_bytes() -> int:
    """The bytes of memory that the process holds; 0 where nothing tells."""
    fields = _read(f"{PROC}/self/statm").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else 0


def room_for(needs: Iterable[tuple[str, int]], hint: str = "") -> None:
    """Refuse needs (of what, how many bytes) that go beyond the memory there is."""
    found = available()
    parts = sorted(((size, what) for what, size in needs if size), reverse=True)
    total = sum(size for size, _ in parts)
    if found is None or total <= found[0]:
        return
    largest = listed([f"{_size_text(size)} for {what}" for size, what in parts[:NAMED]], "and")
    rest = ", and smaller needs" if len(parts) > NAMED else ""
    raise Refused(
        "E0808",
        f"this needs {_size_text(total)} of memory: {largest}{rest}; "
        f"{found[1]} {_size_text(found[0])}",
        hint or "compare a part of the tensor, or run it where there is more memory",
    )


def lacking(error: BaseException) -> bool:
    """Whether an exception says that memory ran out.

    Under a limit of the shell a SystemError does so too: here and there Python fails to allocate
    something and forgets to say why. So does the import of a library that could not be mapped.
    """
    if isinstance(error, MemoryError):
        return True
    unmapped = isinstance(error, ImportError) and "failed to map segment" in str(error)
    return (unmapped or isinstance(error, SystemError)) and any(_limits())


def _size_text(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB" if size >= 2**30 else f"{size / 2**20:,.1f} MiB"


# -- the sources


def _computer() -> Iterator[Room]:
    """What the kernel believes can be taken without swapping; else the physical memory."""
    for line in _read(f"{PROC}/meminfo").splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            yield int(value.split()[0]) * 1024, "this computer has available"
            return
    with suppress(AttributeError, OSError, ValueError):
        pages = os.sysconf("SC_PHYS_PAGES")
        yield os.sysconf("SC_PAGE_SIZE") * pages, "this computer has"


def _groups() -> Iterator[Room]:
    """What the control groups of the process leave, from its own up to the root."""
    for line in _read(f"{PROC}/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            root, most, used, cache = CGROUPS, "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            root, most = f"{CGROUPS}/memory", "memory.limit_in_bytes"
            used, cache = "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        inner = [name for name in path.split("/") if name]
        for depth in range(len(inner), -1, -1):
            folder = "/".join([root, *inner[:depth]])
            limit = _number(f"{folder}/{most}")
            if limit is not None and limit < UNLIMITED:
                held = (_number(f"{folder}/{used}") or 0) - _statistic(
                    f"{folder}/memory.stat", cache
                )
                yield max(0, limit - held), "the control group (container) leaves"


def _limits() -> Iterator[Room]:
    """What ``ulimit`` leaves of address space and of data."""
    try:
        import resource
    except ImportError:  # no Unix
        return
    fields = _read(f"{PROC}/self/statm").split()
    page = resource.getpagesize()
    for kind, at, name in (("RLIMIT_AS", 0, "-v"), ("RLIMIT_DATA", 5, "-d")):
        soft = resource.getrlimit(getattr(resource, kind))[0]
        if soft != resource.RLIM_INFINITY:
            used = int(fields[at]) * page if len(fields) > at else 0
            yield max(0, soft - used), f"the limit of the shell (ulimit {name}) leaves"


def _statistic(path: str, name: str) -> int:
    for line in _read(path).splitlines():
        key, _, value = line.partition(" ")
        if key == name and value.strip().isdecimal():
            return int(value)
    return 0


def _number(path: str) -> int | None:
    text = _read(path).strip()
    return int(text) if text.isdecimal() else None


def _read(path: str) -> str:
    try:
        return host_files.read_text(path, errors="replace")
    except OSError:
        return ""
