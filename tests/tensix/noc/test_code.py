"""RISC-V code on tiles: each has its own, packets may not overwrite it, and order knows it."""

from __future__ import annotations

import io

import numpy as np
import pytest

from nasm.apps.repl import move_commands  # noqa: F401  (declares the commands)
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Shell
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.targets import TARGETS

PROGRAM = """\
.target wormhole
.tile 4, 1
.l1   b  u32[8]  @ 0x2000 output = zeros
.rv B
    li      t0, 0x2000
    li      t1, 9
    sw      t1, 4(t0)
    ebreak
.rv T1
    li      t0, 0x5000
    li      t1, 9
    ttinsn  0xA4000008
    sw      t1, 0(t0)
    ebreak
.tile 1, 1
.l1   a  u32[8]  @ 0x4000  output = zeros
.rv B
    li      t0, 0x4000
    li      t1, 7
    sw      t1, 0(t0)
    ebreak
@noc0
"""


def session(lines: str = "") -> Session:
    return Session.load(Source("t.nasm", PROGRAM + lines), targets=TARGETS)


def test_each_tile_has_its_own_code() -> None:
    made = session()
    report = made.run()
    assert [p.message for p in (*report.problems, *report.hazards)] == []
    assert np.asarray(made.read("a")).tolist() == [7, *7 * [0]]
    assert np.asarray(made.read("b")).tolist() == [0, 9, *6 * [0]]


@pytest.mark.parametrize(
    ("line", "refused"),
    [("NOC_WRITE_POSTED 0x8, a, X=4, Y=1", "of the 32 bytes at 0x8 of tile 4-1"),
     ("NOC_WRITE 0x9FE4, a, X=4, Y=1", "of the 32 bytes at 0x9fe4 of tile 4-1"),
     ("NOC_INLINE_WRITE 0xA004, 1, X=4, Y=1", "of the 4 bytes at 0xa004 of tile 4-1"),
     ("NOC_MULTICAST_POSTED 0x8, a, X0=3, Y0=1, X1=4, Y1=1", "of the 32 bytes at 0x8 of tile 4-1"),
     ("NOC_READ 0x8, b, Bytes=32", "of the 32 bytes at 0x8 of tile 1-1")],
)  # fmt: skip
def test_code_is_not_overwritten_by_packets(line: str, refused: str) -> None:
    (problem,) = session(line).run().problems
    assert problem.message == f"{refused} some are code of RISC-V cores"
    assert problem.code == "E0325"
    assert problem.span is not None
    assert problem.span.line == PROGRAM.count("\n") + 1


def test_stores_of_code_are_ordered_with_packets() -> None:
    found = session("NOC_WRITE_POSTED b, a").run().hazards
    assert {p.code for p in found} == {"E0502"}
    texts = [p.message for p in found]
    assert any("1-1.noc0 pc 0 (NOC_WRITE_POSTED)" in x and "4-1.brisc pc 2" in x for x in texts)


def test_a_tile_is_stepped_by_its_name() -> None:
    made = session()
    first = made.step("4-1", 3)
    assert sum(made.name(one).startswith("4-1.") for one in first) == 3
    last = made.step("1-1")
    assert made.name(last[-1]).startswith("1-1.")


def test_a_tile_is_stepped_at_the_prompt() -> None:
    written = io.StringIO()
    shell = Shell(ReplScreen(written, "never"))
    shell.adopt(session())
    shell.execute("step 2 4-1")
    assert "4-1.brisc" in written.getvalue()
    written.truncate(0)
    shell.execute("step 99 1-1")
    assert "1-1 has nothing left to do: " in written.getvalue()
