"""Cores run ahead of loads and stores that cannot be processed, as far as MemoryOrdering says.

The examples of that page are programs here, with what it says becomes of them; times are by hand.
"""

from __future__ import annotations

import pytest

from nasm.machine.records import Status
from nasm.targets.tensix.risc_state import B
from tests.tensix.core.machines import held, made, ran
from tests.tensix.riscv.test_cores import (
    LOCAL,
    MAILBOX,
    PUSHES,
    RESET,
    SEMPOST,
    core_starts,
    problems,
    registers,
    session,
)

GATE = 0xA6000000 | 0x1FF << 15 | 2 << 2 | 1
"""SEMWAIT: everything waits while semaphore 1 is 0."""
MORE = "ttinsn 0xA4000010\n"
FULL = f".cfg SEM1_max = 1\n.cfg SEM2_max = 15\n.rv T1\nttinsn {GATE}\n{26 * MORE}"
"""26 words in front of a gate of t1 that SEMWAIT has closed: there is no room for another one."""
FUTURE = f".rv B\nli t0, {MAILBOX}\nli t1, 123\nlw t2, 0(t0)\n"


def nops(count: int) -> str:
    return "nop\n" * count


def opened(count: int) -> str:
    """Code of B that opens the gate of t1 after some cycles."""
    return f".rv B\n{nops(count)}li t0, {PUSHES}\nli a0, {SEMPOST}\nsw a0, 0(t0)\n"


# -- the examples of the page


def test_a_mailbox_is_read_from_the_future() -> None:
    machine = ran(f"{FUTURE}sw t1, 0(t0)\nmv t4, t2")
    assert registers(machine, "brisc")[7] == 123
    _, _, load, store, use = core_starts(machine, "brisc")
    assert (store - load, use - store) == (1, 1 + 3)  # pushed, seen in the next cycle, 3 to load


def test_the_queue_of_eight_and_forwarding_reach_to_the_seventh() -> None:
    chain = "mv t3, t0\n" + "addi t3, t3, 0\n" * 5
    machine = ran(f"{FUTURE}{chain}sw t1, 0(t3)")
    assert registers(machine, "brisc")[7] == 123
    assert core_starts(machine, "brisc") == [*range(10)]


@pytest.mark.parametrize("replaced", range(5))
def test_a_nop_in_between_hangs(replaced: int) -> None:
    chain = ["addi t3, t3, 0"] * 5
    chain[replaced] = "nop"
    report = session("\n".join((f"{FUTURE}mv t3, t0", *chain, "sw t1, 0(t3)"))).report()
    assert report.status is Status.DEADLOCK
    said = "\n".join(str(problem) for problem in report.problems)
    assert "t3 is not there yet: the mailbox from RISC-V B is empty" in said


def test_an_eighth_instruction_hangs() -> None:
    report = session(f"{FUTURE}" + "nop\n" * 7 + "sw t1, 0(t0)").report()
    assert report.status is Status.DEADLOCK
    said = "\n".join(str(problem) for problem in report.problems)
    assert "8 instructions are in its load/store unit" in said


def test_a_load_may_miss_a_store_to_some_of_its_bytes() -> None:
    text = FULL.replace("ttinsn", f"li t0, {LOCAL}\nli a0, -1\nsw a0, 0(t0)\nttinsn", 1)
    behind = f"{MORE}sw zero, 0(t0)\nlhu t1, 2(t0)\nlw t2, 0(t0)\n{opened(90)}"
    machine = ran(text + behind)
    assert registers(machine, "trisc1")[6:8] == [0xFFFF, 0]
    ((code, message),) = problems(text + behind)
    assert code == "E0866"
    assert "0xffb00002, where a store to 0xffb00000 is still to write" in message


# -- stores


def test_four_stores_wait_in_the_queue_and_the_core_runs_ahead() -> None:
    stuck = made(f"{FULL}{MORE}{MORE}{MORE}addi a0, zero, 7\nsw a0, 8(zero)\nnop")
    stuck.run(10_000)
    assert registers(stuck, "trisc1")[10] == 7
    (found,) = [q for q in stuck.scheduler.queues if q.engine == "trisc1"]
    assert found.blocked is not None
    assert found.blocked.cause == "fifo"
    assert "4 stores are in its queue: the FIFO in front of" in found.blocked.reason
    assert found.started == 27 + 5


def test_stores_leave_in_order_one_a_cycle() -> None:
    """The gate opens; a word passes each cycle, and so does a store that waits for room."""
    late = "".join(f"li a0, {n}\nsw a0, {4 * n}(t0)\n" for n in (1, 2))
    text = FULL.replace("ttinsn", f"li t0, {LOCAL}\nttinsn", 1)
    machine = ran(f"{text}ttinsn 0xA4000010\n{late}lw a1, 8(t0)\nlw a2, 4(t0)\n{opened(60)}")
    assert registers(machine, "trisc1")[11:13] == [2, 1]
    assert held(machine).semaphores[2, 0] == 15


def test_what_a_core_has_begun_is_done_after_its_last_line() -> None:
    machine = ran(f"{FULL}ttinsn 0xA4000010\nsw a0, 8(zero)\nebreak\n{opened(60)}")
    assert held(machine).late == 0
    assert held(machine).l1.read(8, 4).tolist() == [0, 0, 0, 0]


# -- loads


def sender(count: int, values: int = 1) -> str:
    lines = "".join(f"li a0, {40 + n}\nsw a0, 0(t0)\n" for n in range(values))
    return f".rv B\nli t0, {MAILBOX + 0x1000}\n{nops(count)}{lines}"


def test_a_later_writer_of_the_register_wins() -> None:
    machine = ran(f".rv T0\nli t0, {MAILBOX}\nlw a0, 0(t0)\nli a0, 5\nmv a1, a0\n{sender(20)}")
    assert registers(machine, "trisc0")[10:12] == [5, 5]
    assert core_starts(machine, "trisc0") == [0, 1, 2, 3]


def test_loads_of_one_mailbox_are_processed_in_order() -> None:
    text = f".rv T0\nli t0, {MAILBOX}\nlw a0, 0(t0)\nlw a1, 0(t0)\nlw a2, 0(t0)\nmv a3, a2\n"
    machine = ran(f"{text}{sender(20, 3)}")
    assert registers(machine, "trisc0")[10:14] == [40, 41, 42, 42]
    assert core_starts(machine, "trisc0")[:4] == [0, 1, 2, 3]


def test_other_regions_answer_meanwhile_but_no_more_than_four_loads_are_in_flight() -> None:
    loads = "lw a0, 0(t0)\nlw a1, 256(zero)\nlw a2, 260(zero)\nlw a3, 264(zero)\nlw a4, 268(zero)\n"
    text = f".l1 x u32[4] @ 256 = iota\n.rv T0\nli t0, {MAILBOX}\n{loads}{sender(40)}"
    machine = ran(text)
    assert core_starts(machine, "trisc0") == [0, 1, 2, 3, 4, 9]  # the first of L1 is back then
    assert registers(machine, "trisc0")[10:15] == [40, 0, 1, 2, 3]


def test_a_load_without_a_register_is_run_ahead_of_by_seven() -> None:
    machine = ran(f".rv T0\nli t0, {MAILBOX}\nlw zero, 0(t0)\n{nops(8)}{sender(40)}")
    found = core_starts(machine, "trisc0")
    push = core_starts(machine, "brisc")[-1]
    assert found[:9] == [*range(9)]
    assert found[9] == push + 1 + 3 - 1  # it enters the unit as the load leaves


def test_reset_gives_up_what_was_begun() -> None:
    machine = ran(f"""
.rv T0
    li   t0, {MAILBOX}
    lw   a1, 260(zero)
    bnez a1, over
    lw   a0, 0(t0)
    addi a2, a0, 1
over:
    nop
.rv B
    li   t0, {RESET}
    li   a0, 1 << 12
    li   a1, 40
wait:
    addi a1, a1, -1
    bnez a1, wait
    sw   a0, 260(zero)
    sw   a0, 0(t0)
    sw   zero, 0(t0)
.l1 counts u32[4] @ 256 = zeros
""")
    assert held(machine).late == 0
    assert registers(machine, "trisc0")[12] == 0


def test_a_load_after_one_of_ttsync_is_reported_unless_that_is_used() -> None:
    sync, again = 0xFFE80004, f"li t1, {MAILBOX}\nlw a1, 4(t1)\n"
    text = f".rv T0\nli t0, {sync}\nttinsn {SEMPOST}\nlw a0, 0(t0)\n"
    head = ".cfg SEM1_max = 15\n"
    other = ".rv B\nnop\n"
    assert [code for code, _ in problems(f"{head}{text}{again}{other}")] == ["E0867"]
    assert problems(f"{head}{text}andi a0, a0, 0\n{again}{other}") == []
    assert problems(f"{head}{text}{nops(7)}{again}{other}") == []


def test_stepping_and_going_back_change_nothing() -> None:
    mails = f"li t0, {MAILBOX + 0x2000}\nli a0, 9\nsw a0, 0(t0)\n"
    text = (
        f"{FULL}ttinsn 0xA4000010\nli t0, {MAILBOX}\nlw a0, 0(t0)\nmv a1, a0\n{opened(60)}{mails}"
    )
    whole = ran(text)
    stepped = made(text)
    while stepped.run(1):
        stepped.restore(stepped.save())
    for name in ("trisc1", "brisc"):
        assert core_starts(stepped, name) == core_starts(whole, name)
        assert registers(stepped, name) == registers(whole, name)
    assert registers(whole, "trisc1")[11] == 9
    assert held(whole).riscs[B].pipeline.late == ()
