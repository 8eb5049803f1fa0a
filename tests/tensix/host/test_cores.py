"""Lines of the RISC-V cores: what they store and load, when, and what waits for what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.language.printing.text import text
from nasm.machine.records import Status
from tests.tensix.core.machines import hazards, held, made, ran, starts

LOOPS = """
@t1
.write MOP1_OuterCount = 2, MOP1_InnerCount = 4
.write MOP1_StartOp: NOP
.write MOP1_EndOp0: NOP
.write MOP1_LoopOp: SFPNOP
.write MOP1_LoopOp1: NOP
.write MOP1_Loop0Last: INCRWC DstInc=2
.write MOP1_Loop1Last: INCRWC DstInc=1
"""


def names(machine: Any, queue: int) -> list[str]:
    """What a queue has executed, in order."""
    found = []
    lines = machine.program.queues[queue]
    for _, at, pc, _, _, _ in machine.trace.instructions:
        if at == queue:
            micro = getattr(pc, "instruction", None)
            row = (micro or machine.program.instructions[lines.instructions[int(pc)]]).row
            found.append(row.name)
    return found


def core_of(machine: Any, thread: int) -> int:
    """The number of the queue of the core of a thread."""
    return next(n for n, q in enumerate(machine.program.queues) if q.engine == f"trisc{thread}")


# -- pushes


def test_a_core_pushes_an_instruction_a_cycle_which_starts_a_cycle_later() -> None:
    machine = ran("@t0\nNOP\nNOP\n@trisc0 SW GPR1, 5\n@t0 NOP")
    assert starts(machine, 0) == [1, 2, 4]
    assert starts(machine, core_of(machine, 0)) == [0, 1, 2, 3]
    assert held(machine).threads[0].registers[1] == 5


def test_what_comes_before_a_line_of_the_core_is_pushed_before_it_and_the_rest_at_the_end() -> None:
    program = made("@t2\nNOP\nNOP\n@trisc2 ADDI 1, 0, 3\n@t2 NOP\nNOP\n@t0 NOP").program
    (lines,) = [q for q in program.queues if q.engine == "trisc2"]
    texts = [program.instructions[n] for n in lines.instructions]
    assert [(i.row.name, i.operands[0]) for i in texts] == [("PUSH", 2), ("ADDI", 1), ("PUSH", 2)]
    assert not [q for q in program.queues if q.engine == "trisc0"]


@pytest.mark.parametrize(("thread", "most"), [(0, 42), (1, 26), (2, 26)])
def test_a_full_fifo_stalls_the_core(thread: int, most: int) -> None:
    """The wait at the gate is open to no NOP until semaphore 0 is posted, at tick 100 or so."""
    other = (thread + 1) % 3
    wait = "SEMWAIT BlockMask=0x1ff, SemaphoreMask=1, ConditionMask=1"
    late = "\n".join(["NOP"] * 100)
    lines = f".cfg SEM0_max = 1\n@t{other}\n{late}\nSEMPOST SemaphoreMask=1\n"
    machine = made(f"{lines}@trisc{thread} RVOPS\n@t{thread}\n{wait}\n" + "NOP\n" * 60)
    machine.run(1_000_000, until=90)
    (blocked,) = [q for q in machine.scheduler.queues if q.engine == f"trisc{thread}"]
    depth = 32 if thread == 0 else 16
    assert blocked.blocked is not None
    assert blocked.blocked.reason.endswith(f"of t{thread} holds {depth} of {depth}")
    machine.run(1_000_000)
    assert not machine.scheduler.blocked()
    pushes = starts(machine, core_of(machine, thread))
    # RVOPS at 0; the wait is pushed at 1; ``most`` words after it are in front of the gate.
    assert pushes[: most + 2] == [*range(most + 2)]
    posted = max(starts(machine, other)) + 1
    gate = starts(machine, thread)
    assert gate[1] > posted
    assert (
        pushes[most + 2] == gate[1] + 1
    )  # a word passes the gate: in the next cycle there is room


def test_a_queue_that_is_not_pushed_says_so() -> None:
    machine = made("@t0 NOP\n@trisc0 LW TENSIX_MAILBOX2_BASE\n@t0 NOP")
    machine.run(1_000_000)
    queues = {q.engine: q for q in machine.scheduler.queues}
    found = queues["t0"].blocked, queues["trisc0"].blocked
    assert [b.reason for b in found if b is not None] == [
        "the RISC-V core of t0 has not pushed it",
        "the mailbox from the core of t1 is empty",
    ]


# -- the words of the expander


def test_words_of_the_expander_are_rewritten_between_two_templates() -> None:
    lines = LOOPS + (
        "MOP Template=1\n@trisc1 LW MOPExpanderDoneCheck\n"
        "@t1\n.write MOP1_OuterCount = 1\n.write MOP1_Loop0Last: NOP\nMOP Template=1\n"
    )
    machine = ran(lines)
    first = [*["SFPNOP"] * 3, "INCRWC"] * 2
    assert names(machine, 1) == [*first, *["SFPNOP"] * 3, "NOP"]
    assert hazards(machine) == []
    assert held(machine).threads[1].rows.dst == 3
    # Eight stores, the push at 8; eight words leave the expander from 9 to 16, the load waits
    # until 17 and takes 3 cycles; two stores, and the push at 22.
    assert starts(machine, 1) == [*range(9, 17), *range(23, 27)]


def test_a_rewrite_while_the_expander_works_is_a_hazard_at_its_line() -> None:
    lines = LOOPS + "MOP Template=1\n.write MOP1_OuterCount = 1\nMOP Template=1\n"
    session = nasm.Session(nasm.assemble(f".target wormhole\n{lines}"))
    report = session.run()
    (hazard,) = report.hazards
    assert hazard.code == "E0557"
    assert "OuterCount" in hazard.message
    assert hazard.span is not None
    assert hazard.span.text.startswith(".write MOP1_OuterCount = 1")


def test_a_template_may_leave_the_expander_while_its_words_wait_at_the_gate() -> None:
    """Ten words fit between the expander and the gate, by the depths of the FIFOs."""
    lines = (
        ".cfg SEM0_max = 1\n@t0 NOP\n"
        + LOOPS.replace("OuterCount = 2", "OuterCount = {outer}")
        + "SEMWAIT BlockMask=0x1ff, SemaphoreMask=1, ConditionMask=1\nMOP Template=1\n"
        "@trisc1 LW MOPExpanderDoneCheck\n@trisc1 SW SEM0, 0\n"
    )
    few = ran(lines.format(outer=2))  # 8 words
    assert len(names(few, 1)) == 1 + 8
    many = made(lines.format(outer=3))  # 12 words: the load waits for the gate, and that for a post
    many.run(1_000_000)
    assert many.scheduler.blocked()


# -- loops


COUNTED = """
.l1 x u32[8] @ 0x1000 output = zeros
@t1 NOP
@trisc1 ADDI 5, 0, 4
@trisc1 ADDI 6, 0, 0
again: @trisc1 SW 0x1000, Rs=5, Base=6
@t1
SFPNOP
INCRWC DstInc=1
@trisc1 ADDI 6, 6, 4
@trisc1 ADDI 5, 5, -1
@trisc1 BNE 5, 0, again
@t1 SETRWC DstVal=0
"""


def test_a_loop_of_the_core_pushes_the_same_lines_in_each_round() -> None:
    machine = ran(COUNTED)
    assert names(machine, 1) == ["NOP", *["SFPNOP", "INCRWC"] * 4, "SETRWC"]
    assert held(machine).l1.read(0x1000, 20).view(np.uint32).tolist() == [4, 3, 2, 1, 0]
    # The push at 0 and two sums; a round is a store, two pushes, two sums and a branch: 6 cycles.
    rounds = [3 + 6 * n for n in range(4)]
    assert starts(machine, 1) == [1, *(at + k for at in rounds for k in (2, 3)), 28]
    branches = [at + 5 for at in rounds]
    assert set(branches) <= set(starts(machine, core_of(machine, 1)))


def test_a_loop_may_count_up_and_rewrite_what_it_pushes() -> None:
    machine = ran(
        LOOPS
        + "@trisc1 ADDI 1, 0, 1\n@trisc1 ADDI 2, 0, 4\n"
        + "again: @trisc1 LW MOPExpanderDoneCheck\n@trisc1 SW MOP1_OuterCount, Rs=1\n"
        + "@t1 MOP Template=1\n@trisc1 ADDI 1, 1, 1\n@trisc1 BLT 1, 2, again\n@t1 NOP\n"
    )
    assert hazards(machine) == []
    assert names(machine, 1).count("INCRWC") == 1 + 2 + 3
    assert names(machine, 1).count("SFPNOP") == 3 * (1 + 2 + 3)


def test_signs_count_in_a_comparison() -> None:
    machine = ran(
        "@t0 NOP\n@trisc0 ADDI 1, 0, -3\nagain: @trisc0 ADDI 1, 1, 1\n@trisc0 BLT 1, 0, again\n"
        "@trisc0 SW GPR9, Rs=1\n"
    )
    assert held(machine).threads[0].registers[9] == 0
    assert len(starts(machine, core_of(machine, 0))) == 1 + 1 + 3 * 2 + 1


def test_a_store_belongs_to_the_region_that_its_line_names() -> None:
    lines = "@t0 NOP\n@trisc0 ADDI 1, 0, 0x1000\n@trisc0 SW GPR0, 1, Base=1\n"
    (problem,) = nasm.Session(nasm.assemble(f".target wormhole\n{lines}")).run().problems
    assert "0xffe01000" in problem.message


# -- registers, configuration, memory


def test_stores_reach_registers_configuration_and_l1() -> None:
    machine = ran(
        ".l1 x u32[2] @ 0x100 output = zeros\n@t0 NOP\n"
        "@trisc0 SW GPR63, 0xdeadbeef\n@trisc0 SW 0xffe00004, -1\n"
        "@trisc0 SW 0xffef0000 + 4 * 57, 9\n@trisc0 SW 0xffef0000 + 4 * (188 + 57), 8\n"
        "@trisc0 SW 0xffef0000 + 4 * 160, 7\n@trisc0 SW 0x104, 0x12345678\n"
        "@trisc0 SW 0xffb00010, 6\n@trisc0 LW 0xffb00010, 5\n@trisc0 LW GPR63, 6\n"
        "@trisc0 ADDI 7, 5, 100\n@trisc0 SW 0x100, Rs=7"
    )
    core = held(machine)
    assert core.threads[0].registers[[63, 1]].tolist() == [0xDEADBEEF, 0xFFFFFFFF]
    assert core.config[:, [57, 160]].tolist() == [[9, 7], [8, 7]]  # 160 is global: in both banks
    assert core.l1.read(0x100, 8).view(np.uint32).tolist() == [106, 0x12345678]
    assert core.riscs[0].registers[[0, 5, 6, 7]].tolist() == [0, 6, 0xDEADBEEF, 106]


def test_loads_take_the_cycles_of_their_region_and_stores_to_l1_five() -> None:
    machine = ran(
        ".l1 x u32[4] @ 0x100 = zeros\n@t0 NOP\n"
        "@trisc0 LW 0xffb00000\n@trisc0 LW SEM0\n@trisc0 LW GPR0\n"
        "@trisc0 LW RISCV_DEBUG_REG_WALL_CLOCK_L, 9\n@trisc0 LW 0x100\n"
        "@trisc0 SW 0x100, 1\n@trisc0 SW GPR1, 1\n@trisc0 SW 0x104, 1\n@trisc0 RVOPS Count=3\n"
        "@trisc0 ADDI 1, 0, 1"
    )
    # The push at 0, then 2, 3, 4, 7 and 8 cycles; to L1 a store every five.
    found = starts(machine, core_of(machine, 0))
    assert found == [0, 1, 3, 6, 10, 17, 25, 26, 30, 31, 34]
    assert held(machine).riscs[0].registers[9] == 10


def test_the_clock_and_resets_are_reached_by_instructions_of_threads_too() -> None:
    machine = ran(
        "@t0\n.cfg GPR4 = 0x10000\n"
        "STOREREG DataReg=4, AddrLo=(0xffb121b0 - 0xffb00000) // 4\n"
        "LOADREG ResultReg=8, AddrLo=(0xffb121f0 - 0xffb00000) // 4\n"
        "LOADREG ResultReg=9, AddrLo=(0xffb121b0 - 0xffb00000) // 4",
        set_up=lambda core: core.matrix.srcb.fill(5),
    )
    core = held(machine)
    assert core.threads[0].registers[9] == 0x10000
    assert core.threads[0].registers[8] == 3 + 10  # it starts at 3, and arrives ten cycles later
    assert not core.matrix.srcb.any()


def test_a_reset_of_banks_gives_them_back_to_the_unpackers() -> None:
    def given(core: Any) -> None:
        core.matrix.owner_a[:] = 1
        core.matrix.owner_b[:] = 1
        core.matrix.matrix_a = core.matrix.unpack_a = core.matrix.unpack_b = 1
        core.matrix.srca.fill(3)

    machine = ran(
        "@t0 NOP\n@trisc0 SW RISCV_DEBUG_REG_SOFT_RESET_0, 1 << 15 | 1 << 20", set_up=given
    )
    matrix = held(machine).matrix
    assert (matrix.owner_a.tolist(), matrix.owner_b.tolist()) == ([0, 0], [1, 1])
    assert (matrix.matrix_a, matrix.unpack_a, matrix.unpack_b) == (0, 0, 1)
    assert matrix.srca[:, :, 4:8].any() == 0
    assert (matrix.srca[:, :, [0, 3, 8, 15]] == 3).all()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("SW 0xffb20000, 1", "reaches NoC 0, which nasm does not model"),
        ("LW MOP1_LoopOp", "what a load of these gives is undefined"),
        ("SW 0xffe40000, 1", "instructions are lines of the thread"),
        ("SW TENSIX_MAILBOX0_BASE, 1", "that of RISC-V B, for which there is no code"),
        ("SW RISCV_DEBUG_REG_SOFT_RESET_0, 1", "bits 0 of the soft reset are not modelled"),
        ("SW 0xffef0000 + 4 * 376, 1", "cores cannot write the configuration of t0"),
        ("LW 0xffb11018", "a load at 0xffb11018 reaches TDMA-RISC"),
    ],
)
def test_what_is_not_modelled_is_refused_by_name(line: str, said: str) -> None:
    report = nasm.Session(nasm.assemble(f".target wormhole\n@t0 NOP\n@trisc0 {line}\n")).run()
    (problem,) = report.problems
    assert report.status is Status.FAULT
    assert said in problem.message
    assert problem.span is not None
    assert problem.span.text == line


# -- semaphores and mailboxes


def test_a_core_posts_and_takes_semaphores_and_polls_them() -> None:
    machine = ran(
        ".cfg SEM2_value = 3\n.cfg SEM2_max = 5\n@t0 NOP\n@t1 NOP\n"
        "@trisc0 SW SEM2, 0\n@trisc0 SW SEM2, 3\n@trisc0 SW SEM2, 1\n"
        "@trisc1 POLL SEM2, 2\n@trisc1 SW SEM7, 0"
    )
    assert held(machine).semaphores[[2, 7], 0].tolist() == [2, 1]


def test_values_go_through_mailboxes_in_order_and_four_at_most() -> None:
    lines = "@t1 NOP\n@t2 NOP\n" + "".join(
        f"@trisc1 SW TENSIX_MAILBOX3_BASE, {n}\n" for n in range(11, 17)
    )
    machine = made(lines + "@trisc2 LW 0xffec2004, 9\n")  # whether there is one
    machine.run(1_000_000)
    (sender,) = [q for q in machine.scheduler.queues if q.engine == "trisc1"]
    assert sender.blocked is not None
    assert "hold 4 values" in sender.blocked.reason
    assert held(machine).riscs[2].boxes == ((), (11, 12, 13, 14), (), (), ())
    loads = "".join(f"@trisc2 LW TENSIX_MAILBOX2_BASE, {n}\n" for n in range(1, 7))
    machine = ran(lines + loads)
    assert held(machine).riscs[2].registers[1:7].tolist() == [11, 12, 13, 14, 15, 16]


def test_the_core_waits_for_all_of_its_thread() -> None:
    machine = ran(
        "@t1\nZEROACC Mode=ALL_OF_DST\n@trisc1 LW CoprocessorDoneCheck\n@trisc1 ADDI 1, 0, 1"
    )
    gate, core = starts(machine, 1), starts(machine, core_of(machine, 1))
    until = machine.trace.instructions  # type: ignore[union-attr]
    ends = max(end for _, queue, _, _, _, end in until if queue == 1)
    assert gate == [1]
    assert core == [0, ends, ends + 3]


# -- stores and what is pushed


@pytest.mark.parametrize(
    ("between", "codes"),
    [
        ("", ["E0558"]),
        ("@t0 STALLWAIT BlockMask=0x1ff, ConditionMask=TRISC_CFG", []),
        ("@trisc0 LW GPR4", []),
        ("@t0 STALLWAIT BlockMask=0x1ff, ConditionMask=MATH", ["E0558"]),
        ("@trisc0 LW 0xffef0000", ["E0558"]),  # another region
    ],
)
def test_an_instruction_may_overtake_a_store_of_a_register_that_it_reads(
    between: str, codes: list[str]
) -> None:
    machine = ran(f"@t0 NOP\n@trisc0 SW GPR4, 1\n{between}\n@t0 WRCFG InputReg=4, CfgIndex=57\n")
    assert hazards(machine) == codes


def test_a_register_that_nothing_reads_may_be_stored() -> None:
    assert hazards(ran("@t0 NOP\n@trisc0 SW GPR4, 1\n@t0 WRCFG InputReg=5, CfgIndex=57\n")) == []


@pytest.mark.parametrize(
    ("wait", "codes"), [("", ["E0557"]), ("@trisc0 LW CoprocessorDoneCheck", [])]
)
def test_a_store_may_come_too_early_for_what_was_pushed_before(wait: str, codes: list[str]) -> None:
    machine = ran(
        ".cfg SEM0_max = 1\n@t1\n" + "NOP\n" * 20 + "SEMPOST SemaphoreMask=1\n"
        "@t0\nSEMWAIT BlockMask=0x1ff, SemaphoreMask=1, ConditionMask=1\n"
        f"WRCFG InputReg=4, CfgIndex=57\n{wait}\n@trisc0 SW GPR4, 1\n"
    )
    assert hazards(machine) == codes
    assert held(machine).config[0, 57] == (1 if codes else 0)


# -- programs


def errors(lines: str) -> list[str]:
    with pytest.raises(Failure) as failure:
        nasm.assemble(f".target wormhole\n{lines}\n")
    return [problem.code for problem in failure.value.problems]


def test_every_instruction_is_pushed_once() -> None:
    assert errors("@trisc0 PUSH\n@t0\nNOP\nNOP") == ["E0248"]
    assert errors("@trisc0 PUSH Count=3\n@t0\nNOP\nNOP") == ["E0248"]
    assert errors("@t0 NOP\n@trisc0 ADDI 1, 0, 1\n@trisc0 PUSH") == ["E0248"]
    last = "again: @trisc0 ADDI 1, 1, 1\n@t0 NOP\n@trisc0 BLT 1, 2, again"
    assert errors(f"@t0 NOP\n{last}") == ["E0248"]
    nasm.assemble(f".target wormhole\n@t0 NOP\n{last}\n@t0 NOP")
    nasm.assemble(".target wormhole\n@trisc0 PUSH Count=2\n@trisc0 ADDI 1, 0, 1\n@t0\nNOP\nNOP")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("@trisc0 SW 0x102, 1", "E0301"),
        ("@trisc0 SW 0x80000000, 1", "E0701"),
        ("@trisc0 SW GPR64, 1", "E0301"),
        ("@trisc0 SW GPR1, 1, 2", "E0301"),
        ("@t0 SW GPR1, 1", "E0408"),
        ("@t0 .write SEM1_value = 1, SEM1_max = 1 host=1", "E0244"),
        ("@t0 .write ADDR_MOD_SET_Base = 1 host=1", "E0244"),
        ("@t0 .write REPLAY3: NOP", "E0244"),
        ("@t0 .write GPR3 = 1 host=2", "E0301"),
        ("@trisc0 .cfg GPR3 = 1", "E0244"),
        ("@trisc0 NOP", "E0408"),
        ("@trisc0 .word 0x02000000", "E0248"),
        ("again: @trisc0 ADDI 1, 1, 1\n@trisc0 BNE 1, 0, agian", "E0207"),
        ("@trisc0 POLL TENSIX_MAILBOX2_BASE, 1", "E0301"),
        ("@trisc0 POLL CoprocessorDoneCheck, 1", "E0301"),
    ],
)
def test_errors(line: str, code: str) -> None:
    assert errors(f"@t0 NOP\n{line}") == [code]


TWICE = LOOPS + (
    "MOP Template=1\n@trisc1 LW MOPExpanderDoneCheck\n@t1\n.write MOP1_OuterCount = 3\n"
    ".write GPR4 = 7 host=1\nMOP Template=1\nNOP\n@trisc1 LW CoprocessorDoneCheck\n"
)


@pytest.mark.parametrize("lines", [TWICE, COUNTED])
def test_printed_programs_run_as_the_first(lines: str) -> None:
    program = nasm.assemble(f".target wormhole\n{lines}")
    first = nasm.Session(program).run()
    again = nasm.Session(nasm.assemble(text(program))).run()
    assert first.ok
    assert (first.trace_hash, first.memory_hash) == (again.trace_hash, again.memory_hash)


@pytest.mark.parametrize("lines", [TWICE, COUNTED])
def test_going_back_and_forth_ends_as_a_run(lines: str) -> None:
    program = nasm.assemble(f".target wormhole\n{lines}")
    whole = nasm.Session(program).run()
    session = nasm.Session(program)
    for _ in range(12):
        session.step(count=7)
        session.back(3)
    assert session.run().trace_hash == whole.trace_hash
