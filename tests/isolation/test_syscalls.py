"""The filter of system calls, step by step as Linux would execute it, for both machines."""

from __future__ import annotations

import pytest

from nasm.isolation import syscalls

ALLOWED, REFUSED, UNKNOWN = 0x7FFF0000, 0x00050001, 0x00050026
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ME = 4242


def asked(machine: str, number: int, first: int = 0, architecture: int | None = None) -> int:
    """What becomes of a system call."""
    data = {0: number, 4: architecture or ARCHITECTURES[machine], 16: first}
    steps, at, held = syscalls.program(machine, ME), 0, 0
    while True:
        code, yes, no, constant = steps[at]
        at += 1
        if code == 0x06:
            return constant
        if code == 0x20:
            held = data[constant]
        elif code == 0x15:
            at += yes if held == constant else no
        elif code == 0x35:
            at += yes if held >= constant else no
        else:
            assert code == 0x45
            at += yes if held & constant else no


@pytest.mark.parametrize(
    ("machine", "write", "socket", "clone", "kill", "prlimit"),
    [("x86_64", 1, 41, 56, 62, 302), ("aarch64", 64, 198, 220, 129, 261)],
)
def test_what_is_refused(
    machine: str, write: int, socket: int, clone: int, kill: int, prlimit: int
) -> None:
    assert asked(machine, write) == ALLOWED
    assert asked(machine, socket) == REFUSED
    assert asked(machine, clone, 0x11) == REFUSED  # a process
    assert asked(machine, clone, 0x3D0F00) == ALLOWED  # a thread
    assert asked(machine, 435) == UNKNOWN  # clone3: the C library falls back to clone
    assert [asked(machine, kill, who) for who in (ME, 0, 1, 2**32 - 1)] == [ALLOWED, *[REFUSED] * 3]
    assert [asked(machine, prlimit, who) for who in (ME, 0, 1)] == [ALLOWED, ALLOWED, REFUSED]
    assert asked(machine, write, architecture=0x40000003) == REFUSED  # the 32-bit ABI
    assert asked(machine, write | 0x40000000) == REFUSED


def test_no_other_machine_has_one() -> None:
    with pytest.raises(KeyError):
        syscalls.program("riscv64", ME)
