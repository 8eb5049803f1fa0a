"""The example of every row is a program that runs and changes something, or refuses in words."""

from __future__ import annotations

from typing import Any

import numpy as np

import nasm
from nasm.isa.instruction import Row
from nasm.machine.records import Status
from nasm.show.examples import whole
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.engine_names import RISCV_PREFIX
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.word import Described
from tests.parts import part
from tests.tables import each

ROWS = list(TARGET.rows(TARGET.generations[0]))
NAMES = {name for name, word in WORDS.items() if word.described is Described.NAME}
REFUSED = {"LOADREG": "E0701", "STOREREG": "E0701", "PACR_SETREG": "E0601"}
"""What reaches registers of devices that are not here, and what is not written yet."""

IDLE = {"NOP", "DMANOP", "SFPNOP", "FLUSHDMA", "GATESRCRST", "CLREXPHIST"} | {
    "PUSH", "LW", "POLL", "BNE", "BLT", "RVOPS", "PUSHED", "NOC_BARRIER", "NOC_SEMWAIT",
    "rv_beq", "rv_bge", "rv_bgeu", "rv_fence", "rv_fence_i", "rv_word", "rv_space", "rv_org",
    "rv_nop", "rv_beqz", "rv_blez", "rv_bltz",
    "rv_end", "rv_seqz", "rv_sltz", "rv_bgt", "rv_bgtu",
}  # fmt: skip
"""What leaves nothing behind: it waits, or clears what only hardware or packers fill."""


def ran(text: str) -> nasm.Session:
    session = nasm.Session(nasm.assemble(text))
    session.run(max_cycles=10_000)
    return session


def held(session: nasm.Session) -> Any:
    """What the coprocessors hold, L1 and counters, but for what is under way."""
    counted = [session.machine.scheduler.semaphores[n].value for n in (0, 16)]
    return [*map(of_core, session.machine.holds), counted]


def of_core(core: Any) -> Any:
    assert isinstance(core, Coprocessor)
    names = ("vector", "matrix", "packers", "threads", "config", "semaphores", "mutexes")
    saved = [getattr(core, name) for name in names]
    saved += [part for risc in core.riscs for part in (risc.registers, risc.local)]
    saved.append(np.array([risc.paused for risc in core.riscs]))
    parts = [repr([p.save() for p in x] if isinstance(x, tuple) else save(x)) for x in saved]
    return parts, core.l1.read(0, 1024).tolist()


def save(part: Any) -> Any:
    return part.save() if hasattr(part, "save") else part.tolist()


@each("row", part(ROWS, 22), ids=lambda row: str(row.name))
def test_the_example_of_a_row_runs_and_shows_something(row: Row) -> None:
    text = whole(row, TARGET, "wormhole")
    session = ran(text)
    report = session.report()
    code = "E0701" if row.name in NAMES else REFUSED.get(row.name)
    if code is not None:
        (problem,) = report.problems
        assert (report.status, problem.code) == (Status.FAULT, code)
        assert row.name in problem.message
        return
    said = [problem.message for problem in (*report.problems, *report.hazards)]
    assert (report.status, said) == (Status.FINISHED, [])
    lines = text.splitlines()
    assert lines[-1] == f"@{row.engines[0]} {row.example}"
    idle = "@t0 NOP" if row.encoding is not None else "@trisc0 RVOPS"
    if row.name.startswith(RISCV_PREFIX):
        idle = "@trisc0 rv_fence"
    if row.name == "PUSHED":
        idle = lines[-1]  # it is there without being written
    without = ran("\n".join([*lines[:-1], idle]))
    assert (held(session) == held(without)) is (row.name in IDLE)


@each("row", [row for row in ROWS if row.encoding], ids=lambda row: str(row.name))
def test_a_page_says_what_is_computed_and_who_waits(row: Row) -> None:
    page = row.doc
    if row.name in NAMES:
        assert "No public source says what it computes" in page
        assert not row.formula
        return
    assert row.formula
    assert row.encoding is not None
    where, *others = page.split("\n\n")[1:]
    assert "executed by" in where
    # What follows is of its time, of what it waits for, or of what has to wait for it.
    waits = ("wait", "cycle", "execute", "sees it", "holds", "idle")
    assert any(word in text for text in others for word in waits) or row.name in IDLE
    modes = ("Mod0", "Mod1", "ConditionMask", "BlockMask", "clear_mode", "PackerMask")
    for one in row.encoding.fields():
        known = not one.mask & row.encoding.free
        if one.name in modes and known:
            assert one.values is not None, f"{one.name} has no table of values"
