"""The debug interface: one core pauses another, looks at it, changes it, and lets it continue."""

from __future__ import annotations

import pytest

from tests.tensix.core.machines import ran
from tests.tensix.riscv.test_cores import problems, registers, session

SLOW, PAUSE, STEP, RESUME = 1 << 31, 1, 2, 4
READ, WRITE, LOAD, STORE, CLEAR, WRITE_PC = 8, 16, 32, 64, 128, 256
TO_T0 = 1 << 17


def write(index: int, value: int) -> str:
    """Write DR(index) of T0; s0 has the address of the interface."""
    return f"""
    sw   zero, 0(s0)
    li   t1, {value:#x}
    sw   t1, 4(s0)
    li   t1, {1 << 31 | TO_T0 | 1 << 16 | index:#x}
    sw   t1, 0(s0)"""


def read(index: int, to: str) -> str:
    """Read DR(index) of T0 into a register."""
    return f"""
    sw   zero, 0(s0)
    li   t1, {1 << 31 | TO_T0 | index:#x}
    sw   t1, 0(s0)
    lw   {to}, 12(s0)"""


def register_of(number: int, to: str) -> str:
    return write(2, number) + write(1, SLOW | READ) + read(4, to)


COUNTING = """
.rv T0
    li   a1, 100
count:
    addi a0, a0, 1
    bne  a0, a1, count
    addi a2, a2, 7
"""
B = "\n.rv B\nli s0, 0xFFB12080" + write(1, SLOW)


def test_a_core_is_paused_and_its_registers_are_read_and_written() -> None:
    machine = ran(
        COUNTING
        + B
        + write(1, SLOW | PAUSE)
        + read(0, "s1")
        + register_of(10, "s2")
        + register_of(32, "s3")
        + write(2, 10)
        + write(3, 90)
        + write(1, SLOW | WRITE)
        + register_of(10, "s4")
        + write(1, SLOW | RESUME)
    )
    status, before, pc, after = (registers(machine, "brisc")[n] for n in (9, 18, 19, 20))
    assert (status, after) == (1, 90)
    assert 0 < before < 90
    assert pc in (0x6004, 0x6008)
    assert registers(machine, "trisc0")[10:13] == [100, 100, 7]


def test_a_core_is_stepped() -> None:
    """Each step adds one, or branches."""
    machine = ran(
        COUNTING
        + B
        + write(1, SLOW | PAUSE)
        + register_of(10, "s2")
        + (write(1, SLOW | STEP) + read(0, "s1")) * 4
        + register_of(10, "s3")
        + write(1, SLOW | RESUME)
    )
    found = registers(machine, "brisc")
    assert found[19] - found[18] == 2
    assert found[9] == 1
    assert registers(machine, "trisc0")[12] == 7


def test_a_breakpoint_pauses_after_its_line_and_a_watchpoint_at_its_store() -> None:
    wait = "\nli s5, 300\nw{n}: addi s5, s5, -1\nbnez s5, w{n}"
    lines = """
.rv T0
    li   a3, 200
wait:
    addi a3, a3, -1
    bnez a3, wait
    addi a0, zero, 1
    addi a0, a0, 1
    nop
    nop
    sw   a0, 256(zero)
    nop
"""
    machine = ran(
        lines
        + ".rv B\nli s0, 0xFFB12080"
        + write(10, 0x6010)
        + write(11, 256)
        + write(5, 8 | 10 << 4)
        + write(1, SLOW)
        + wait.format(n=1)
        + read(0, "s1")
        + register_of(32, "s2")
        + write(5, 10 << 4)
        + write(1, SLOW | RESUME)
        + wait.format(n=2)
        + read(0, "s3")
        + write(1, SLOW | RESUME)
    )
    found = registers(machine, "brisc")
    assert (found[9], found[18]) == (1 | 2 | 1 << 8, 0x6014)
    assert found[19] == 1 | 4 | 1 << 9


def test_memory_is_read_and_written_as_the_core_does() -> None:
    """Its local memory, which no other core reaches."""
    machine = ran(
        COUNTING
        + B
        + write(1, SLOW | PAUSE)
        + write(2, 0xFFB00010)
        + write(3, 77)
        + write(1, SLOW | STORE)
        + write(3, 0)
        + write(1, SLOW | LOAD)
        + read(4, "s1")
        + write(1, SLOW | CLEAR)
        + register_of(11, "s2")
        + write(4, 0)
        + write(2, 11)
        + write(3, 3)
        + write(1, SLOW | WRITE)
        + write(1, SLOW | RESUME)
    )
    assert registers(machine, "brisc")[9] == 77
    assert registers(machine, "brisc")[18] == 0
    assert registers(machine, "trisc0")[10:13] == [3, 3, 7]


def test_an_ebreak_pauses_and_the_pc_may_be_written() -> None:
    lines = ".rv T0\nli a0, 5\nebreak\naddi a0, a0, 1\nnop\n"
    look = "\nli s5, 20\nw: addi s5, s5, -1\nbnez s5, w" + read(0, "s1") + register_of(32, "s2")
    machine = ran(lines + B + look + write(1, SLOW | RESUME))
    assert registers(machine, "brisc")[9] == 1 | 8
    assert registers(machine, "brisc")[18] == 0x6008
    assert registers(machine, "trisc0")[10] == 6


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (write(1, RESUME), "is not paused: only a pause may be commanded"),
        (write(1, PAUSE) + write(1, RESUME), "without slow execution mode"),
        (write(7, 0), "has no debug register DR(7)"),
        (write(1, PAUSE) + write(2, 33) + write(1, READ), "there is no register 33"),
        (write(1, SLOW | PAUSE) + write(1, SLOW | WRITE_PC), "without bit 1 of DR(1)"),
    ],
)
def test_what_the_interface_does_not_allow(lines: str, said: str) -> None:
    found = problems(COUNTING + "\n.rv B\nli s0, 0xFFB12080" + lines)
    assert any(said in message for _, message in found), found


def test_a_core_that_stays_paused_is_at_its_end() -> None:
    assert session(COUNTING + B + write(1, SLOW | PAUSE)).report().problems == ()
