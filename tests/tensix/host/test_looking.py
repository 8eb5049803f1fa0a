"""What the debugger and the formatter show of cores and of what they push."""

from __future__ import annotations

import nasm
from nasm.base.source import Source
from nasm.language.formatting.formatter import formatted

TEXT = """
.target wormhole
.cfg SEM0_max = 1
@t1
SEMWAIT  BlockMask=0x1ff, SemaphoreMask=1, ConditionMask=1
NOP
@trisc1 ADDI  7, 0, 0x2a
@t1
NOP
NOP
@trisc1 LW  TENSIX_MAILBOX3_BASE
@t2 NOP
@trisc2 SW  TENSIX_MAILBOX1_BASE, 5
"""


def stopped() -> nasm.Session:
    session = nasm.Session(nasm.assemble(TEXT))
    session.run()
    return session


def test_what_is_in_front_of_the_gate_is_shown() -> None:
    session = stopped()
    (front,) = [part for part in session.engines.held() if part.name == "front"]
    assert front.rows == (("t1", "0 of 16", "", "1 of 8", "2 of 2"),)
    (riscv,) = [part for part in session.engines.held() if part.name == "riscv"]
    assert riscv.rows == (
        ("trisc0", "mailbox from trisc2", "00000005"),
        ("trisc1", "x7", "0000002a"),
    )


def test_each_queue_shows_what_belongs_to_it() -> None:
    session = stopped()
    parts = {part.name: part for part in session.engines.held("trisc1")}
    assert [row[1] for row in parts["riscv"].rows] == ["x7"]
    assert parts["front"].rows == ()
    parts = {part.name: part for part in session.engines.held("t1")}
    assert len(parts["front"].rows) == 1


def test_a_deadlock_says_what_each_waits_for() -> None:
    session = nasm.Session(nasm.assemble(TEXT))
    (hazard,) = session.run().problems
    assert hazard.code == "E0510"
    said = " ".join(note.message for note in hazard.notes)
    assert "semaphore 0 is 0" in said
    assert "the mailbox from the core of t2 is empty" in said


def test_a_write_of_an_instruction_is_formatted_as_a_setting_is() -> None:
    lines = "@t1 .write   MOP1_LoopOp:ELWADD  AddrMod=1\n@t1 .cfg  MOP1_LoopOp:ELWADD  AddrMod=1\n"
    write, cfg = formatted(Source("x.nasm", f".target wormhole\n{lines}")).splitlines()[1:]
    assert write.replace(".write", ".cfg") == cfg
