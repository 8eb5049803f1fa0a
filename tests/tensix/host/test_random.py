"""A thread that is pushed executes what it executes with all of its lines at once."""

from __future__ import annotations

import random
from typing import Any

import pytest

import nasm
from nasm.machine.records import Status
from tests.parts import part

SET_UP = """
.target wormhole
.cfg SEM0_max = 3
.l1 x u32[64] @ 0x1000 = zeros
@t0
.cfg MOP1_OuterCount = 2
.cfg MOP1_InnerCount = 3
.cfg MOP1_StartOp: NOP
.cfg MOP1_EndOp0: REPLAY Index=0, Count=2
.cfg MOP1_EndOp1: NOP
.cfg MOP1_LoopOp: SFPNOP
.cfg MOP1_LoopOp1: NOP
.cfg MOP1_Loop0Last: DMANOP
.cfg MOP1_Loop1Last: INCRWC DstInc=1
REPLAY Index=0, Count=3, Load=1
NOP
SFPNOP
DMANOP
"""
OF_THREAD = (
    "NOP", "SFPNOP", "DMANOP", "MOP Template=1", "MOP_CFG MaskHi=3", "REPLAY Index=0, Count=3",
    "REPLAY Index=1, Count=2, Load=1, Exec=1\nNOP\nSFPNOP", "SETDMAREG 0, 5, 0, 8",
    "SEMPOST SemaphoreMask=1", "SEMGET SemaphoreMask=1", "ZEROACC Mode=ALL_OF_DST",
    "STALLWAIT BlockMask=0x1ff, ConditionMask=0x4000", "WRCFG InputReg=4, CfgIndex=57",
)  # fmt: skip
OF_CORE = (
    "ADDI 1, 1, 1", "RVOPS Count=3", "LW MOPExpanderDoneCheck", "LW CoprocessorDoneCheck",
    "SW GPR9, 3", "SW SEM1, 0", "LW GPR4, 7", "LW RISCV_DEBUG_REG_WALL_CLOCK_L, 8",
    "SW 0x1010, Rs=7", "LW 0x1010", "SW 0xffef0000 + 4*60, 5", "SW TENSIX_MAILBOX1_BASE, 4",
    "LW 0xffec1004, 3",
)  # fmt: skip


def executed(session: nasm.Session) -> list[tuple[str, Any]]:
    """What t0 executed, in order."""
    program, found = session.program, []
    assert session.machine.trace is not None
    for _, queue, pc, *_ in session.machine.trace.instructions:
        if program.queues[queue].engine == "t0":
            one = getattr(pc, "instruction", None) or program.instruction(queue, pc)
            found.append((one.row.name, one.operands))
    return found


@pytest.mark.parametrize("seed", part(range(60), 8))
def test_pushing_changes_no_order(seed: int) -> None:
    draw = random.Random(seed)
    plain, pushed = [], []
    for _ in range(draw.randrange(5, 60)):
        line = draw.choice(OF_THREAD)
        plain.append(line)
        pushed.append(f"@t0\n{line}")
        if draw.random() < 0.3:
            pushed.append(f"@trisc0 {draw.choice(OF_CORE)}")
    pushed += ["@t0 NOP", "@trisc0 LW CoprocessorDoneCheck"]
    texts = "\n".join([*plain, "NOP"]), "\n".join(pushed)
    one, other = (nasm.Session(nasm.assemble(f"{SET_UP}{text}\n"), trace=True) for text in texts)
    reports = one.run(max_cycles=50_000), other.run(max_cycles=50_000)
    assert [report.status for report in reports] == [Status.FINISHED] * 2
    assert executed(one) == executed(other)
    again = nasm.Session(other.program)
    for _ in range(10):
        again.step(count=draw.randrange(1, 9))
        again.back(draw.randrange(1, 4))
    assert again.run(max_cycles=50_000).trace_hash == reports[1].trace_hash
