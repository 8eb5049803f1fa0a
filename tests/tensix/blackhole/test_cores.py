"""RISC-V cores of Blackhole: times, what they reach, and what they compute besides RV32IM.

Times are computed by hand from BabyRISCV and MemoryOrdering of the ISA documentation of Blackhole,
results from the definitions of the RISC-V manual, bit by bit.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.machine import Machine
from nasm.machine.records import Status
from nasm.targets.tensix.riscv.extensions import EXTENSIONS
from tests.parts import part
from tests.tensix.blackhole.cores import ran as run_of
from tests.tensix.core import machines
from tests.tensix.core.machines import held
from tests.tensix.riscv.test_cores import (
    CLOCK,
    CONFIG,
    GPRS,
    L1,
    LOCAL,
    MAILBOX,
    RESET,
    SEMAPHORES,
    core_starts,
    registers,
)

TDMA_STATUS, RESET_PC, OVERRIDE, KEPT = 0xFFB1101C, 0xFFB12228, 0xFFB12234, 0xFFB12224
WORDS = ".l1 x u32[64] @ 0 inout = iota\n"


def ran(text: str, **more: Any) -> Machine:
    machine = machines.made(text, target="blackhole", **more)
    machine.run(1_000_000)
    assert not machine.scheduler.blocked()
    return machine


def report(text: str) -> Any:
    return run_of(text).report()


# -- time


@pytest.mark.parametrize(
    ("address", "latency"),
    [(LOCAL, 2), (SEMAPHORES, 3), (GPRS, 4), (CONFIG, 4), (CLOCK, 7), (0xFFB18000, 8), (L1, 8)],
)
def test_what_uses_a_load_waits_for_its_latency(address: int, latency: int) -> None:
    machine = ran(f".l1 x u32[4] @ {L1} = iota\n.rv T0\nli a0, {address}\nlw a1, 0(a0)\nmv a2, a1")
    *_, load, use = core_starts(machine, "trisc0")
    assert use - load == latency


def test_a_product_is_used_after_two_cycles_in_which_another_may_start() -> None:
    machine = ran(".rv T0\nli a0, 3\nmul a1, a0, a0\nmul a2, a0, a0\nmv a3, a1\nmv a4, a2\nnop")
    assert core_starts(machine, "trisc0") == [*range(6)]
    machine = ran(".rv T0\nli a0, 3\nmul a1, a0, a0\nmv a3, a1\nnop")
    assert core_starts(machine, "trisc0") == [0, 1, 3, 4]


def test_eight_loads_from_l1_may_be_in_flight() -> None:
    loads = "\n".join(f"lw a{n}, 0(zero)" for n in range(8))
    assert core_starts(ran(f"{WORDS}.rv T0\n{loads}"), "trisc0") == [*range(8)]


def test_a_branch_takes_five_cycles_where_it_is_mispredicted() -> None:
    text = ".rv T0\nli a0, 3\nagain: addi a0, a0, -1\nbnez a0, again"
    program = nasm.assemble(
        f".target blackhole\n{text}\n", options={"riscv.branches": "mispredicted"}
    )
    session = nasm.Session(program)
    assert session.run().ticks == 1 + 3 * 1 + 2 * 5 + 1


def test_stores_to_one_line_of_l1_are_one() -> None:
    """Four words of 16 bytes are an entry of the queue; words of other lines are one each."""
    near = "".join(f"sw zero, {256 + 4 * n}(zero)\n" for n in range(12))
    assert core_starts(ran(f".rv T0\n{near}"), "trisc0") == [*range(12)]
    far = "".join(f"sw zero, {256 + 16 * n}(zero)\n" for n in range(8))
    assert core_starts(ran(f".rv T0\n{far}"), "trisc0") == [0, 1, 2, 3, 4, 6, 11, 16]
    apart = "sw zero, 256(zero)\nsw zero, 264(zero)\n" * 4  # 8 bytes from each other
    assert core_starts(ran(f".rv T0\n{apart}"), "trisc0") == [0, 1, 2, 3, 4, 6, 11, 16]


def test_a_status_register_says_that_stores_are_not_coalesced() -> None:
    near = "".join(f"sw zero, {256 + 4 * n}(zero)\n" for n in range(6))
    machine = ran(f".rv T0\nli t0, 1 << 12\ncsrw cfg0, t0\n{near}")
    starts = core_starts(machine, "trisc0")[2:]
    assert [at - starts[0] for at in starts] == [0, 1, 2, 3, 4, 6]


def test_a_load_waits_for_a_store_to_any_of_its_bytes() -> None:
    machine = ran(f"{WORDS}.rv T0\nsb zero, 256(zero)\nsb a0, 281(zero)\nlw a1, 280(zero)")
    assert core_starts(machine, "trisc0") == [0, 1, 6]
    assert [
        p.code for p in report(f"{WORDS}.rv T0\nsb zero, 9(zero)\nlw a1, 8(zero)").hazards
    ] == []


def test_a_fence_waits_for_stores_and_loads_and_the_next_for_it() -> None:
    stores = "".join(f"sw zero, {256 + 16 * n}(zero)\n" for n in range(3))
    machine = ran(f".rv T0\n{stores}fence\nnop")
    assert core_starts(machine, "trisc0") == [0, 1, 2, 11, 13]  # emitted at 1, 6 and 11
    machine = ran(f"{WORDS}.rv T0\nlw a0, 0(zero)\nfence\nnop")
    assert core_starts(machine, "trisc0") == [0, 8, 10]


def test_an_atomic_operation_waits_as_a_fence_and_takes_twelve_cycles() -> None:
    text = (
        f"{WORDS}.rv T0\nsw zero, 256(zero)\nli a1, 4\nli a2, 5\namoadd_w a0, a2, (a1)\nmv a3, a0"
    )
    machine = ran(text)
    assert core_starts(machine, "trisc0") == [0, 1, 2, 3, 15]
    assert registers(machine, "trisc0")[13] == 1
    assert held(machine).l1.read(4, 4).tolist() == [6, 0, 0, 0]


# -- results that are forwarded: the examples of MemoryOrdering

FUTURE = f".rv B\nli t0, {MAILBOX}\nli t1, 123\nlw t2, 0(t0)\n"


def test_the_seventh_instruction_after_a_load_that_waits_is_executed() -> None:
    chain = "mv t3, t0\nori t3, t3, 0\n" + "addi t3, t3, 0\n" * 4
    assert registers(ran(f"{FUTURE}{chain}sw t1, 0(t3)"), "brisc")[7] == 123
    assert (
        registers(
            ran(f"{FUTURE}mv t3, t0\n{'nop' + chr(10)}{'nop' + chr(10)}sw t1, 0(t3)"), "brisc"
        )[7]
        == 123
    )


@pytest.mark.parametrize("replaced", range(4))
def test_of_two_results_that_have_not_retired_none_is_forwarded(replaced: int) -> None:
    chain = ["addi t3, t3, 0"] * 4
    chain[replaced] = "nop"
    text = "\n".join((f"{FUTURE}mv t3, t0\nori t3, t3, 0", *chain, "sw t1, 0(t3)"))
    assert report(text).status is Status.DEADLOCK


# -- what is reached


def test_local_memories_are_twice_as_large_and_reached_by_all_cores() -> None:
    text = (
        "lui s0, 0xFFB01\nli t0, 11\nsw t0, 0x7FC(s0)\nli s1, 0xFFB1AFF0\nsb t0, 2(s1)\n"
        "li s2, 0xFFB147FC\nlw a0, 0(s2)\nli s2, 0xFFB157FC\nlw a1, 0(s2)\n.rv T1\nnop"
    )
    machine = ran(f".rv B\n{text}")
    assert registers(machine, "brisc")[10:12] == [0, 11]  # of 8 KiB, where a thread's core has 4
    assert held(machine).riscs[1].local[0xFF0 // 4] == 11 << 16
    machine = ran(f".rv NC\n{text.replace('T1', 'T2')}")
    assert held(machine).riscs[4].local[0x17FC // 4] == 11
    (problem,) = report(".rv T1\nlui s0, 0xFFB01\nlw a0, 0(s0)").problems
    assert (problem.code, "not mapped for the core of t1" in problem.message) == ("E0701", True)


def test_threads_are_pushed_to_and_b_sends_over_queues() -> None:
    text = (
        ".cfg SEM1_max = 15\n.rv T1\nli t0, 0xFFE80000\nlw a0, 0(t0)\nttinsn 0xA4000008\n"
        "lw a1, 4(t0)\nmv a2, a1\nli t1, 0xFFE80024\nlw a3, 0(t1)\nmv a4, a3\n"
        ".rv B\nli t0, 0xFFE90000\nli t1, 77\nsw t1, 0(t0)"
    )
    machine = ran(text)
    assert registers(machine, "trisc1")[10] == 77
    assert registers(machine, "trisc1")[14] == 1


def test_the_fifo_takes_no_more_than_29_that_have_not_passed_the_gate() -> None:
    gate = 0xA6000000 | 0x1FF << 15 | 2 << 2 | 1
    for core in ("T0", "T1", "T2"):
        text = f".cfg SEM1_max = 1\n.rv {core}\nttinsn {gate}\n" + "ttinsn 0xA4000010\n" * 60
        session = run_of(text)
        assert session.report().status is Status.DEADLOCK
        front = held(session.machine).fronts[int(core[1])]
        assert front.waiting(True) == 29


def test_a_store_to_both_banks_of_the_configuration() -> None:
    session = run_of(f".rv T0\nli t0, {CONFIG + 4 * (2 * 224 + 76)}\nli t1, 9\nsw t1, 0(t0)")
    assert held(session.machine).config[:, 76].tolist() == [9, 9]
    text = f".rv T0\nli t0, {CONFIG + 4 * (2 * 224 + 76)}\nlw t1, 0(t0)"
    assert [p.code for p in report(text).problems] == ["E0701"]
    machine = ran(f".rv T0\nli t0, {CONFIG + 4 * (3 * 224 + 68 + 41)}\nlw a0, 0(t0)",
                  set_up=lambda core: core.threads[1].config.__setitem__(41, 0x1234))  # fmt: skip
    assert registers(machine, "trisc0")[10] == 0x1234


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (".cfg NC_start = 0xFFC00000\n.rv NC\nnop", "E0701", "0xffc00000 is in no memory"),
        (".rv T0\nli t0, 0xFFBD8000\nlw a0, 0(t0)", "E0601", "Dst"),
        (".rv T0\nli t0, 0xFFB13138\nlw a0, 0(t0)", "E0601", "where the cores are"),
        (".rv NC\nli t0, 0xFFB11014\nlw a0, 0(t0)", "E0701", "not mapped for RISC-V NC"),
        (".rv T0\nword 0x100F", "E0701", "no instruction of these cores"),
        (".rv T0\nli a1, 0xFFB00000\namoadd_w a0, a2, (a1)", "E0701", "reach L1 alone"),
    ],
)
def test_what_is_not_there_is_refused_by_name(text: str, code: str, said: str) -> None:
    try:
        found = report(text).problems
    except Failure as failure:
        found = failure.problems
    assert [(p.code, said in f"{p.message}: {p.hint}") for p in found] == [(code, True)]


def test_a_reset_lets_a_core_begin_where_registers_say_with_its_memory_cleared() -> None:
    text = (
        f".cfg RISCV_DEBUG_REG_SOFT_RESET_0 = 1 << 13\n.cfg T1_start = 0x9000\n"
        f".rv B\nli s0, {RESET}\nli s1, {RESET_PC}\nli t0, 0x9000\nsw t0, 4(s1)\n"
        f"li t0, 2\nsw t0, 0xC(s1)\nlw a0, 4(s1)\nsw zero, 0(s0)\n"
        ".rv T1\nlui gp, 0xFFB00\nlw a0, 0(gp)\nli a1, 7\nsw a1, 0(gp)"
    )
    machine = ran(text)
    assert registers(machine, "brisc")[10] == 0x9000
    assert registers(machine, "trisc1")[11] == 7


@pytest.mark.parametrize(("kept", "left"), [(0, 0), (4, 7)])
def test_a_reset_clears_the_local_memory_unless_it_is_kept(kept: int, left: int) -> None:
    text = (
        f".rv B\nli s0, {RESET}\nli t0, {kept}\nli s1, {KEPT}\nsw t0, 0(s1)\n"
        + "nop\n" * 20
        + "li t0, 1 << 13\nsw t0, 0(s0)\n"
        ".rv T1\nlui gp, 0xFFB00\nli a1, 7\nsw a1, 0(gp)\nagain: addi a2, a2, 1\nj again"
    )
    session = nasm.Session(nasm.assemble(f".target blackhole\n{text}\n"))
    session.run(max_cycles=200)
    assert held(session.machine).riscs[1].local[0] == left


# -- status registers


def test_cycles_and_instructions_are_counted() -> None:
    machine = ran(".rv T0\nnop\nnop\nnop\ncsrr a0, cycle\ncsrr a1, instret\nrv_csrr a2, mhartid")
    assert registers(machine, "trisc0")[10:13] == [3, 4, 0]
    machine = ran(".rv T0\nli t0, 100\ncsrrw a0, mcycle, t0\ncsrr a1, cycle\ncsrr a2, mcycleh")
    assert registers(machine, "trisc0")[10:13] == [1, 102, 0]


def test_a_status_register_is_written_set_and_cleared() -> None:
    lines = (
        "li t0, 0xF0", "csrrw a0, hwa_mask, t0", "csrrsi a1, hwa_mask, 3", "csrrci a2, hwa_mask, 1",
        "csrrs a3, hwa_mask, zero", "csrrc a4, hwa_mask, t0", "csrrwi a5, hwa_mask, 9",
        "csrr a6, hwa_mask", "csrr a7, misa",
    )  # fmt: skip
    machine = ran(".rv T0\n" + "\n".join(lines))
    wanted = [0, 0xF0, 0xF3, 0xF2, 0xF2, 2, 9, 0x40201123]
    assert registers(machine, "trisc0")[10:18] == wanted


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("csrr a0, vl", "E0601"), ("csrr a0, 0x345", "E0701"),
        ("csrr a0, tt_cfg_sstatus0", "E0701"),
        ("csrrwi zero, cfg0, 2", "E0601"), ("csrr a0, mhpmcounter3", "E0601"),
    ],
)  # fmt: skip
def test_status_registers_that_are_not_modelled_are_refused(line: str, code: str) -> None:
    assert [p.code for p in report(f".rv T0\n{line}").problems] == [code]


# -- what is computed


def bits(value: int) -> list[int]:
    return [value >> at & 1 for at in range(32)]


def number(found: list[int]) -> int:
    return sum(bit << at for at, bit in enumerate(found))


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def _first(value: list[int]) -> int:
    return next((at for at, bit in enumerate(value) if bit), 32)


def _bytes(value: int) -> list[int]:
    return [value >> 8 * at & 255 for at in range(4)]


def _joined(found: list[int]) -> int:
    return sum(byte << 8 * at for at, byte in enumerate(found))


OF_TWO: dict[str, Callable[[int, int], int]] = {
    "sh1add": lambda a, b: (2 * a + b) % 2**32,
    "sh2add": lambda a, b: (4 * a + b) % 2**32,
    "sh3add": lambda a, b: (8 * a + b) % 2**32,
    "andn": lambda a, b: number([x & (1 - y) for x, y in zip(bits(a), bits(b), strict=True)]),
    "orn": lambda a, b: number([x | (1 - y) for x, y in zip(bits(a), bits(b), strict=True)]),
    "xnor": lambda a, b: number([int(x == y) for x, y in zip(bits(a), bits(b), strict=True)]),
    "min": lambda a, b: min(signed(a), signed(b)) % 2**32,
    "minu": min,
    "max": lambda a, b: max(signed(a), signed(b)) % 2**32,
    "maxu": max,
    "rol": lambda a, b: number([bits(a)[(at - b) % 32] for at in range(32)]),
    "ror": lambda a, b: number([bits(a)[(at + b) % 32] for at in range(32)]),
    "pack": lambda a, b: a % 65536 + b % 65536 * 65536,
}
OF_ONE: dict[str, Callable[[int], int]] = {
    "clz": lambda a: _first(bits(a)[::-1]),
    "ctz": lambda a: _first(bits(a)),
    "cpop": lambda a: sum(bits(a)),
    "sext.b": lambda a: number([*bits(a)[:8], *[bits(a)[7]] * 24]),
    "sext.h": lambda a: number([*bits(a)[:16], *[bits(a)[15]] * 16]),
    "orc.b": lambda a: _joined([255 if byte else 0 for byte in _bytes(a)]),
    "rev8": lambda a: _joined(_bytes(a)[::-1]),
    "brev8": lambda a: number([bits(a)[at ^ 7] for at in range(32)]),
    "zext_h": lambda a: a % 65536,
}
OF_A_NUMBER: dict[str, Callable[[int, int], int]] = {
    "rori": OF_TWO["ror"],
    "grevi": lambda a, by: number([bits(a)[at ^ by] for at in range(32)]),
}


@pytest.mark.parametrize("seed", part(range(40), 4))
def test_extensions_compute_what_the_manual_defines(seed: int) -> None:
    choose = random.Random(seed)
    known = (0, 1, 0x80000000, 0xFFFFFFFF, 0x7FFFFFFF, 0xFF00, 0x80)
    values = [choose.choice((choose.getrandbits(32), choose.choice(known))) for _ in range(2)]
    by = choose.randrange(32)
    lines, wanted = [], []
    for name, of in OF_TWO.items():
        lines.append(f"{name} a2, a0, a1")
        wanted.append(of(*values))
    for name, one in OF_ONE.items():
        lines.append(f"{name.replace('.', '_')} a2, a0")
        wanted.append(one(values[0]))
    for name, of in OF_A_NUMBER.items():
        lines.append(f"{name} a2, a0, {by}")
        wanted.append(of(values[0], by))
    text = [f".l1 x u32[64] @ 0 = zeros\n.rv T0\nli a0, {values[0]}\nli a1, {values[1]}"]
    for at, line in enumerate(lines):
        text += [line, f"sw a2, {4 * at}(zero)"]
    found = held(ran("\n".join(text))).l1.read(0, 4 * len(lines)).view("<u4").tolist()
    assert dict(zip(lines, found, strict=True)) == dict(zip(lines, wanted, strict=True))


ATOMIC: dict[str, Callable[[int, int], int]] = {
    "amoswap.w": lambda a, b: b,
    "amoadd.w": lambda a, b: (a + b) % 2**32,
    "amoxor.w": lambda a, b: a ^ b,
    "amoand.w": lambda a, b: a & b,
    "amoor.w": lambda a, b: a | b,
    "amomin.w": OF_TWO["min"],
    "amomax.w": OF_TWO["max"],
    "amominu.w": min,
    "amomaxu.w": max,
}


@pytest.mark.parametrize("name", sorted(ATOMIC))
def test_atomic_operations_give_what_was_there(name: str) -> None:
    line = name.replace(".", "_")
    text = f"{WORDS}.rv T0\nli a1, 20\nli a2, -3\n{line} a0, a2, (a1)\nlw a3, 20(zero)"
    machine = ran(f"{text}\nmv a4, a3")
    assert registers(machine, "trisc0")[10] == 5
    assert registers(machine, "trisc0")[14] == ATOMIC[name](5, 2**32 - 3)


def test_each_operation_is_tried() -> None:
    tried = {*OF_TWO, *OF_ONE, *OF_A_NUMBER, *ATOMIC}
    others = {name for name in EXTENSIONS if name.startswith("csr")}
    assert set(EXTENSIONS) <= tried | others
    assert len(others) == 6


def test_wormhole_has_none_of_them() -> None:
    with pytest.raises(Failure) as raised:
        nasm.assemble(".target wormhole\n.rv B\nandn a0, a1, a2\n")
    assert "Blackhole" in " ".join(f"{p.message} {p.hint}" for p in raised.value.problems)
    session = nasm.Session(nasm.assemble(".target wormhole\n.rv B\nword 0x40C5F533\n"))
    session.run()
    assert [p.code for p in session.report().problems] == ["E0701"]
