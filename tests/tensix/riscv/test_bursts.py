"""Bursts of a core: what comes of lines that are executed at once is as one by one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from nasm.machine import Machine
from tests.parts import part
from tests.tensix.core.machines import held, made

THREES = ("add", "sub", "xor", "sll", "sltu", "mul", "mulh", "div", "remu", "and")
NAMES = ("a0", "a1", "a2", "a3", "s1", "t1", "zero")


def straight(choose: random.Random) -> str:
    """A random line that reaches no more than the local memory."""
    kind = choose.randrange(12)
    one, two, to = (choose.choice(NAMES) for _ in range(3))
    if kind < 6:
        return f"{choose.choice(THREES)} {to}, {one}, {two}"
    if kind < 9:
        return f"addi {to}, {one}, {choose.randrange(-2048, 2048)}"
    if kind == 9:
        return f"lw {to}, {4 * choose.randrange(8)}(gp)"
    if kind == 10:
        return f"sw {to}, {4 * choose.randrange(8)}(gp)"
    return f"li {to}, {choose.getrandbits(32):#x}"


def program(choose: random.Random, core: str) -> str:
    """Loops of random lines, in which branches skip some."""
    lines = [f".rv {core}", "lui gp, 0xFFB00"]
    for loop in range(3):
        lines += [f"li t0, {choose.randrange(3, 30)}", f"loop{loop}:"]
        for at in range(choose.randrange(2, 25)):
            if choose.random() < 0.1:
                test = choose.choice(("beq", "bne", "blt", "bgeu"))
                lines.append(f"{test} {choose.choice(NAMES)}, a0, over{loop}_{at}")
                lines += [straight(choose) for _ in range(2)]
                lines.append(f"over{loop}_{at}:")
            lines.append(straight(choose))
        lines += ["addi t0, t0, -1", f"bnez t0, loop{loop}"]
    return "\n".join(lines)


def left(machine: Machine) -> Any:
    """What a run has left: what it did and when, where its time went, what cores hold."""
    scheduler = machine.scheduler
    times = [queue.times(scheduler.now) for queue in scheduler.queues]
    cores = [repr(risc.save()) for risc in held(machine).riscs]
    return machine.summary.digest(), scheduler.now, scheduler.retired, times, cores


def compare(text: str, most: int = 1_000_000, target: str = "wormhole") -> int:
    """Run a text one by one and in bursts; how many more events the former has."""
    one, many = made(text, target=target), made(text, target=target)
    for machine in (one, many):
        assert machine.trace is not None
        machine.scheduler.ignore(machine.trace)  # which keeps records of single starts
    events = [one.run(most), many.run(most, bursts=True)]
    assert left(one) == left(many)
    return events[0] - events[1]


@pytest.mark.parametrize("seed", part(range(120), 3))
def test_bursts_of_a_core_change_nothing_but_the_events(seed: int) -> None:
    choose = random.Random(seed)
    compare(program(choose, choose.choice(("B", "T1", "NC"))))


@pytest.mark.parametrize("seed", part(range(120), 3))
def test_bursts_of_a_core_of_blackhole_change_nothing_but_the_events(seed: int) -> None:
    choose = random.Random(seed)
    text = program(choose, choose.choice(("B", "T1", "NC")))
    text = text.replace("and ", "andn ").replace("xor ", "sh2add ").replace("sll ", "rol ")
    compare(text, target="blackhole")


def test_a_loop_of_additions_takes_few_events() -> None:
    text = ".rv B\nli a0, 1000\nloop:\naddi a1, a1, 3\naddi a0, a0, -1\nbnez a0, loop"
    assert compare(text) > 5_900  # of 6,000: each line starts and completes


@pytest.mark.parametrize("seed", part(range(60), 1))
def test_bursts_end_before_what_others_do(seed: int) -> None:
    choose = random.Random(seed)
    wait = "li t5, 0xFFEC1000\nlw t6, 0(t5)"  # of RISC-V B: what T0 sends
    send = "li t5, 0xFFEC0000\nsw a0, 0(t5)"
    compare(f"{program(choose, 'B')}\n{wait}\n{program(choose, 'T0').replace('loop', 'l')}\n{send}")


def test_a_run_may_end_within_a_burst() -> None:
    text = program(random.Random(1), "B")
    for events in (50, 333):
        one, many = made(text), made(text)
        one.run(10**6, until=events)
        many.run(10**6, until=events, bursts=True)
        one.run(10**6)
        many.run(10**6, bursts=True)
        assert left(one) == left(many)
