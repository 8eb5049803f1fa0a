"""Waits for streams of the NoC overlay, their registers, and what else only Blackhole has."""

from __future__ import annotations

from pathlib import Path

import pytest

import nasm
from nasm.machine.records import Status
from nasm.targets.tensix import TARGET
from tests.tensix.blackhole.cores import ran
from tests.tensix.core.machines import held, made, starts
from tests.tensix.riscv.test_cores import registers

FOLDER = Path(__file__).parents[3] / "programs" / "tensix" / "blackhole"
STREAM = 0xFFB40000
PHASE, HEADER, BASE, RECEIVED, SIZE, SPACE, UPDATE = 29, 34, 28, 259, 10, 297, 270


def register(stream: int, number: int) -> int:
    return STREAM + 0x1000 * stream + 4 * number


def stored(*values: tuple[int, int, int]) -> str:
    """Code of B that stores to registers of streams."""
    lines = [f"li t0, {register(s, n)}\nli t1, {value}\nsw t1, 0(t0)" for s, n, value in values]
    return ".rv B\n" + "\n".join(lines) + "\n"


def loaded(stream: int, number: int, before: str) -> int:
    session = ran(f"{before}li t0, {register(stream, number)}\nlw a0, 0(t0)\nmv a1, a0")
    assert [p.message for p in session.report().problems] == []
    return registers(session.machine, "brisc")[11]


@pytest.mark.parametrize(
    ("stores", "number", "wanted"),
    [
        ([(3, PHASE, 7)], PHASE, 7),
        ([(3, PHASE, 0x123456)], PHASE, 0x23456),  # of 20 bits
        ([(3, BASE, 100), (3, PHASE, 7)], PHASE, 7),  # added and subtracted again
        ([(3, PHASE, 7), (3, BASE, 100)], PHASE, (7 - 100) % 2**20),
        ([(3, PHASE, 7), (3, HEADER, 0xABCDE003)], PHASE, 10),
        ([(3, HEADER, 0xABCDE003)], HEADER, 0xABCDE000),
        ([(2, PHASE, 7)], PHASE, 0),
        ([(3, RECEIVED, 7)], RECEIVED, 0),
        ([(3, SIZE, 0x20005)], SPACE, 5),  # of 17 bits
        ([(3, SIZE, 5), (3, UPDATE, 9 << 6)], SPACE, 14),
        ([(3, SIZE, 5), (3, SPACE, 9)], SPACE, 5),
    ],
)
def test_registers_of_an_idle_stream(
    stores: list[tuple[int, int, int]], number: int, wanted: int
) -> None:
    assert loaded(3, number, stored(*stores)) == wanted


WAIT = "@t1\n.cfg STREAM_ID_SYNC_SEC1_BankSel = 6\n"


def test_a_wait_ends_a_cycle_after_the_phase_is_there() -> None:
    """B stores the phase at 4, the gate sees that at 5 and opens at 6; SFPNOP takes a cycle."""
    wait = "STREAMWAIT BlockMask=STALL_SFPU, TargetValueLo=9, StreamSelect=1\nSFPNOP\n"
    machine = made(f"{WAIT}{wait}{stored((6, PHASE, 9))}", target="blackhole")
    machine.run(1000)
    numbers = {queue.engine: n for n, queue in enumerate(machine.program.queues)}
    *_, store = starts(machine, numbers["brisc"])
    assert starts(machine, numbers["t1"]) == [0, store + 2]


@pytest.mark.parametrize(
    ("condition", "settings", "said"),
    [
        ("PHASE", "", "stream 6 is in phase 8, not 9 yet (C0)"),
        ("NUM_MSGS", "", "stream 6 has received 0 messages, not 9 yet (C1)"),
        ("PHASE", ".cfg STREAMWAIT_PHASE_HI_Val = 2", "stream 6 is in phase 8, not 2057 yet (C0)"),
    ],
)
def test_a_wait_that_nothing_ends_says_what_for(condition: str, settings: str, said: str) -> None:
    text = "STREAMWAIT BlockMask=STALL_SFPU, TargetValueLo=9, StreamSelect=1"
    text += f", ConditionIndex={condition}"
    session = ran(f"{WAIT}{settings}\n{text}\nSFPNOP\n{stored((6, PHASE, 8))}")
    report = session.report()
    assert report.status is Status.DEADLOCK
    assert said in " ".join(f"{p.message} {p.notes}" for p in report.problems)


def test_a_wait_for_a_phase_that_is_there_holds_the_next_instruction_for_a_cycle() -> None:
    session = ran(f"{WAIT}STREAMWAIT BlockMask=STALL_SFPU, StreamSelect=1\nSFPNOP\nSFPNOP")
    assert session.report().ticks == 4  # at 0, 2 and 3


def test_a_later_wait_takes_the_place_of_one_for_a_stream() -> None:
    text = "STREAMWAIT BlockMask=STALL_SFPU, StreamSelect=1\nSTALLWAIT BlockMask=STALL_SFPU\nSFPNOP"
    assert ran(f"{WAIT}{text}").report().status is Status.FINISHED


def test_a_register_of_a_stream_is_written_to_the_configuration() -> None:
    lines = (
        "STALLWAIT BlockMask=STALL_CFG, ConditionMask=THCON\nSTREAMWRCFG StreamSelect=1, "
        "RegIndex=29, CfgIndex=76\nNOP\nNOP"
    )
    at = (register(6, PHASE) - 0xFFB00000) >> 2
    session = ran(f"{WAIT}.cfg GPR3 = 77\nSTOREREG DataReg=3, AddrLo={at}\n{lines}")
    assert held(session.machine).config[0, 76] == 77
    assert held(session.machine).config[1, 76] == 0


def test_what_streams_are_not_modelled_for_is_refused() -> None:
    (problem,) = ran("@t1 STREAMWRCFG RegIndex=40, CfgIndex=76").report().problems
    assert (problem.code, "register 40" in problem.message) == ("E0601", True)
    (problem,) = ran("@t1 STREAMWRCFG RegIndex=29, CfgIndex=300").report().problems
    assert problem.code == "E0701"


# -- others

OFF = "".join(f".cfg DISABLE_IMPLIED_{name}_FMT_Base = 1\n" for name in ("SRCA", "SRCB"))


def test_resources_may_be_declared_which_changes_nothing_else() -> None:
    session = ran("@t1\nSFPNOP\nRESOURCEDECL Resources=0x1FF, Class=13\nSFPNOP")
    assert session.report().status is Status.FINISHED
    assert session.machine.scheduler.retired >= 2


def test_a_move_of_srcb_for_debugging_waits_for_no_bank() -> None:
    setup = f".cfg ALU_FORMAT_SPEC_REG1_SrcB = bf16\n@t1\n{OFF}"
    text = f"{setup}MOVDBGB2D DstRow=8"
    assert ran(text).report().status is Status.FINISHED
    assert ran(text.replace("DBG", "")).report().status is Status.DEADLOCK


def test_a_bank_that_is_set_valid_has_no_format() -> None:
    text = "@t0 SETDVALID FlipSrcB=1\n@t1\n{0}MOVB2D DstRow=8"
    (problem,) = ran(text.format("")).report().problems
    assert problem.code == "E0701"
    report = ran(".cfg ALU_FORMAT_SPEC_REG1_SrcB = bf16\n" + text.format(
        OFF)).report()  # fmt: skip
    assert report.status is Status.FINISHED


def test_the_program_of_streams_runs_and_is_restored_from_half_way() -> None:
    session = nasm.Session(FOLDER / "stream.nasm")
    session.run()
    report = session.report()
    assert [e.held for e in report.expectations] == [True, True]
    assert held(session.machine).config[0, 76] == 10


def test_the_rows_that_nothing_executes_are_in_the_pages_table() -> None:
    text = (Path(__file__).parents[3] / "docs" / "tensix.md").read_text(encoding="utf-8")
    part = text.partition("## What differs on Blackhole")[2].partition("\n## ")[0]
    for name in ("XMOV", "PACR_SETREG", "TBUFCMD", "MFCONV3S1"):
        assert f"[{name}](isa/tensix/{name}.md)" in part
    assert TARGET.isa.rows["STREAMWAIT"].since == "blackhole"


@pytest.mark.parametrize(
    "lines",
    [
        "REPLAY Index=0, Count=2, Load=1\nRESOURCEDECL\nSFPNOP",
        ".cfg MOP1_OuterCount = 1\n.cfg MOP1_InnerCount = 1\n.cfg MOP1_LoopOp: RESOURCEDECL\n"
        "MOP Template=DOUBLE_LOOP",
    ],
)
def test_a_declaration_that_expanders_meet_is_refused(lines: str) -> None:
    problems = ran(f"@t1\n{lines}\n").report().problems
    assert [p.code for p in problems] == ["E0701"]
    assert "RESOURCEDECL" in problems[0].message
