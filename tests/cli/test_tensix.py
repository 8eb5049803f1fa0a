"""The commands that know no machine, with a Tensix program: they answer, in words that fit it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from nasm.apps.lsp.analysis import analyse
from nasm.apps.lsp.completion import completions
from nasm.apps.lsp.hover import hover
from nasm.apps.lsp.positions import Position
from tests.cli.programs import Ran

PROGRAM = """\
.target wormhole
.l1 x u32[64] input = iota
.cfg SEM1_max = 2
@t0
    SETDMAREG NewValue=16, ResultHalfReg=4
    LOADIND Size=1, OffsetHalfReg=4, ResultReg=3, AddrReg=1
    SEMPOST SemaphoreMask=2
@t1
    SFPLOADI VD=0, Mod0=0, Imm16=0x4000
    REPLAY Index=0, Count=3, Exec=1, Load=1
    SFPMAD VA=0, VB=0, VC=10, VD=1
    SFPNOP
    SFPSTORE VD=1, Mod0=2, Imm10=0
    REPLAY Index=0, Count=3
@t2
    SEMWAIT BlockMask=0x1ff, SemaphoreMask=2, ConditionMask=1
    SEMGET SemaphoreMask=2
"""
COMMANDS = (
    "check", "check --json", "run", "run --json", "run --no-values", "run --schedules 3",
    "run --trace t.json", "run --option sfpu.stack_bug=no", "profile", "profile --json",
    "profile --path", "profile --timeline", "profile --tables tables", "profile --no-what-if",
    "print", "list", "fmt --diff", "asm --words", "asm -o p.nobj",
)  # fmt: skip
NEURON = re.compile(r"\b(neuroncore|sbuf|psum|hbm|trn\d|inf2|pool|activation)\b", re.I)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "p.nasm"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_answers_in_words_that_fit(ran: Any, program: Path, command: str) -> None:
    verb, *options = command.split()
    done = ran(verb, program, *options)
    assert done.code == (1 if options in (["--no-values"], ["--diff"]) else 0)
    assert "E0901" not in done.out + done.err
    assert not NEURON.search(done.out + done.err)


def test_an_editor_is_answered_everywhere(program: Path) -> None:
    text = program.read_text(encoding="utf-8")
    analysis = analyse(text, str(program))
    pages = 0
    for number, line in enumerate(text.splitlines()):
        for at in range(0, len(line) + 1, 3):
            said = hover(analysis, Position(number, at))
            offered = completions(analysis, line[:at])
            told = (said[0] if said else "") + " ".join(map(str, offered))
            assert not NEURON.search(told) or ".target" in line
            pages += said is not None
    assert pages > 20


@pytest.mark.parametrize(("verb", "said"), [("sync", "its own instructions"), ("nki", "kernel.py")])
def test_what_is_not_for_it_is_refused(ran: Any, program: Path, verb: str, said: str) -> None:
    done = ran(verb, program)
    assert done.code == 2
    assert said in done.err


def hashes(done: Ran) -> tuple[str, str]:
    found = json.loads(done.out)
    return found["trace_hash"], found["memory_hash"]


def test_what_is_printed_assembled_and_formatted_is_the_same_program(
    ran: Any, program: Path
) -> None:
    wanted = hashes(ran("run", "--json", program))
    printed = ran("print", program).out
    assert ran("asm", program, "-o", "p.nobj").code == 0
    assert ran("dis", "p.nobj").out == printed
    Path("q.nasm").write_text(printed, encoding="utf-8")
    assert ran("fmt", program).code == 0
    assert [hashes(ran("run", "--json", p)) for p in ("p.nobj", "q.nasm", program)] == [wanted] * 3
    assert ran("diff", program, "q.nasm").code == 0


LINES = (
    "step 3", "info held", "info queues", "info registers", "info semaphores", "why t2",
    "break line 14", "continue", "back 2", "list", "help MVMUL", "print x[0:4]", "delete", "run",
    "info time",
)  # fmt: skip


def test_a_session_of_the_debugger(ran: Any, program: Path) -> None:
    done = ran("repl", program, *(word for line in LINES for word in ("-ex", line)))
    said = done.out + done.err
    assert "defect" not in said
    assert not NEURON.search(said)
    assert "semaphore 1 is 0" in said
    assert "finished at 0.01" in said
