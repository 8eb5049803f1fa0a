"""``--files`` and ``--no-files``: what a program may read, and what a command line names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAM = """
.target trn1
.hbm A f32[2] input = "{start}"
@sync Nop
.expect A == "{golden}"
"""
OUTSIDE = "../secret/a.npy may not be read: it is not in"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("work", "secret"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "a.npy", np.arange(2, dtype=np.float32))
    for name, start in (("good", "a.npy"), ("bad", "../secret/a.npy")):
        text = PROGRAM.format(start=start, golden="a.npy")
        (tmp_path / "work" / f"{name}.nasm").write_text(text)
    (tmp_path / "secret" / "p.nasm").write_text(PROGRAM.format(start="a.npy", golden="a.npy"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


@pytest.mark.parametrize("verb", ["run", "check"])
def test_a_program_reads_from_the_folder_alone(home: Path, ran: Any, verb: str) -> None:
    assert ran(verb, "bad.nasm").code == 0
    assert ran(verb, "good.nasm", "--files", ".").code == 0
    bad = ran(verb, "bad.nasm", "--files", home / "work")
    assert bad.code == 2
    assert "error[E0801]" in bad.err + bad.out
    assert OUTSIDE in bad.err + bad.out
    none = ran(verb, "good.nasm", "--no-files")
    assert none.code == 2
    assert "a.npy may not be read: programs may read no files" in none.err + none.out


@pytest.mark.parametrize("verb", ["run", "check", "repl"])
def test_a_folder_that_is_none_is_refused(home: Path, ran: Any, verb: str) -> None:
    done = ran(verb, "good.nasm", "--files", "none")
    assert done.code == 2
    assert "no folder none, from which the program may read" in done.err + done.out


def test_one_of_the_two_options_is_given(home: Path, ran: Any) -> None:
    done = ran("run", "good.nasm", "--files", ".", "--no-files")
    assert done.code == 2
    assert "--no-files: not allowed with argument --files" in done.err


def test_what_the_command_line_names_is_read_all_the_same(home: Path, ran: Any) -> None:
    text = PROGRAM.replace('"{start}"', "zeros").replace('"{golden}"', "[0, 1]")
    (home / "secret" / "q.nasm").write_text(text)
    given = ("../secret/q.nasm", "--in", "A=../secret/a.npy")
    assert ran("run", *given, "--files", ".").code == 0
    assert ran("run", *given, "--no-files").code == 0
    assert ran("repl", *given, "--no-files", "-ex", "run").code == 0


def test_the_debugger_loads_programs_of_the_folder_alone(home: Path, ran: Any) -> None:
    def repl(*given: object) -> tuple[int, str]:
        done = ran("repl", *given)
        return done.code, done.out + done.err

    code, said = repl("good.nasm", "--files", ".", "-ex", "load ../secret/p.nasm", "-ex", "run")
    assert code == 2
    assert "../secret/p.nasm may not be read: it is not in ." in said
    assert "good.nasm stays as it was" in said
    code, said = repl("--files", ".", "-ex", "load ../secret/p", "-ex", "load ../secret/p")
    assert (code, said.count("may not be read")) == (2, 2)
    assert repl("good.nasm", "--files", ".", "-ex", "load", "-ex", "load good.nasm")[0] == 0
    code, said = repl("good.nasm", "--files", ".", "-ex", "load bad.nasm")
    assert code == 2
    assert OUTSIDE in said
    (home / "work" / "plain.nasm").write_text(".target trn1\n@sync Nop\n")
    assert repl("plain.nasm", "--no-files", "-ex", "load")[0] == 0
    code, said = repl("plain.nasm", "--no-files", "-ex", "load good.nasm")
    assert code == 2
    assert "good.nasm may not be read: programs may read no files" in said
    # the program that the command line names is free, what it reads is not
    assert repl("../secret/p.nasm", "--files", ".")[0] == 2
    assert repl("../secret/p.nasm", "--files", "../secret", "-ex", "load")[0] == 0
