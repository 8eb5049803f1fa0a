"""The example of every row is a program that runs and changes something, or refuses in words."""

from __future__ import annotations

from typing import Any

import nasm
from nasm.isa.instruction import Row
from nasm.machine.records import Status
from nasm.show.examples import whole
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.word import Described
from tests.parts import part
from tests.tables import each

NAMES = {name for name, word in WORDS.items() if word.described is Described.NAME}
REFUSED = {"LOADREG": "E0701", "STOREREG": "E0701", "PACR_SETREG": "E0601"}
"""What reaches registers of devices that are not here, and what is not written yet."""

IDLE = {"NOP", "DMANOP", "SFPNOP", "FLUSHDMA", "GATESRCRST", "CLREXPHIST"}
"""What leaves nothing behind: it waits, or clears what only hardware or packers fill."""


def ran(text: str) -> nasm.Session:
    session = nasm.Session(nasm.assemble(text))
    session.run(max_cycles=10_000)
    return session


def held(session: nasm.Session) -> Any:
    """What the coprocessor holds, and L1, but for what is under way."""
    core = session.machine.holds[0]
    assert isinstance(core, Coprocessor)
    names = ("vector", "matrix", "packers", "threads", "config", "semaphores", "mutexes")
    saved = [getattr(core, name) for name in names]
    parts = [repr([p.save() for p in x] if isinstance(x, tuple) else save(x)) for x in saved]
    return parts, core.l1.read(0, 1024).tolist()


def save(part: Any) -> Any:
    return part.save() if hasattr(part, "save") else part.tolist()


@each("row", part(list(TARGET.isa), 22), ids=lambda row: str(row.name))
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
    without = ran("\n".join([*lines[:-1], "@t0 NOP"]))
    assert (held(session) == held(without)) is (row.name in IDLE)
