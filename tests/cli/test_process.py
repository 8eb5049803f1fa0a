"""The command as a process: streams, terminals, signals."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nasm import docstrings
from tests.cli.programs import COMMAND, ENDLESS, ENVIRONMENT, HALVES, MATMUL, process, written


def test_help_imports_nothing_heavy() -> None:
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from nasm.cli import main; main(['--help']); print(sorted(sys.modules))",
        ],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
        timeout=60,
    ).stdout.splitlines()[-1]
    for package in ("numpy", "rich", "lark", "ml_dtypes", "prompt_toolkit", "nasm.session"):
        assert f"'{package}'" not in found


@pytest.mark.parametrize("level", ["-O", "-OO"])
def test_without_docstrings_it_says_so_and_without_assertions_it_runs(level: str) -> None:
    def told(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, level, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=ENVIRONMENT,
            timeout=60,
        )
        return done.returncode, done.stdout, done.stderr

    command = told("-m", "nasm", "check", str(MATMUL))
    imported = told("-c", "import nasm; nasm.Builder")
    if level == "-O":
        assert command[0] == imported[0] == 0, command[2] + imported[2]
        return
    assert command == (2, "", f"neuron-nasm: {docstrings.NEEDED}\n")
    assert imported[2].endswith(f"\nImportError: {docstrings.NEEDED}\n")


def test_standard_input_is_a_program() -> None:
    done = process("run", "-", text=HALVES)
    assert done.code == 0
    assert done.out.startswith("<stdin> on NeuronCore-v2")
    assert process("check", "-", text=".target trn1\n@sync Npo").code == 2


def test_an_encoding_without_the_marks_gets_ascii() -> None:
    done = process("run", MATMUL, PYTHONIOENCODING="ascii")
    assert done.code == 0
    assert "ok C ~ A.T @ B" in done.out
    assert " us, " in done.out
    assert done.out.isascii()


@pytest.mark.parametrize(("text", "code"), [(HALVES, 0), (HALVES.replace("0.5\n", "0.25\n"), 1)])
def test_a_reader_that_leaves_is_no_error(tmp_path: Path, text: str, code: int) -> None:
    program = written(tmp_path, text)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "run", str(program)],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        env=ENVIRONMENT,
        timeout=60,
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == code


@pytest.mark.parametrize(("text", "code"), [(HALVES, 0), (HALVES.replace("0.5\n", "0.25\n"), 1)])
def test_a_reader_that_leaves_the_debugger_is_no_error(
    tmp_path: Path, text: str, code: int
) -> None:
    program = written(tmp_path, text)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*COMMAND, "repl", str(program), "-ex", "run", "-ex", "report"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        env=ENVIRONMENT,
        timeout=60,
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == code


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the device that is always full")
@pytest.mark.parametrize("verb", [["run", MATMUL], ["repl", MATMUL, "-ex", "run"]])
def test_a_full_disk_is_told(verb: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *verb],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=ENVIRONMENT,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"neuron-nasm: cannot write to standard output: ")


@contextmanager
def terminal(
    *arguments: object, **environment: str
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command with a terminal of 80 columns for output and errors; it does not outlive us."""
    ours, theirs = pty.openpty()
    cleaned = {k: v for k, v in ENVIRONMENT.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    child = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={**cleaned, "TERM": "xterm", "COLUMNS": "80", **environment},
    )
    os.close(theirs)
    try:
        yield child, ours
    finally:
        child.kill()
        child.wait()
        os.close(ours)


def read(ours: int, until: str = "", seconds: float = 60) -> str:
    """What a terminal shows, to its end or to a word."""
    found = b""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not (until and until.encode() in found):
        if select.select([ours], [], [], 0.1)[0]:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux's way of saying that the other side was closed
                break
            if not part:
                break
            found += part
    return found.decode()


def test_a_terminal_gets_colour_and_no_line_too_long(tmp_path: Path) -> None:
    program = written(tmp_path, HALVES.replace("  $loaded >= 16", " " * 60))
    with terminal("run", program, NO_COLOR="") as (child, ours):
        coloured = read(ours)
        assert child.wait() == 1
    assert "\x1b[1;35mhazard[E0501]" in coloured
    with terminal("run", program, NO_COLOR="1") as (child, ours):
        plain = read(ours)
        assert child.wait() == 1
    assert "\x1b" not in plain
    assert "hazard[E0501]" in plain
    # the path of the program itself cannot be folded
    lines = [line for line in plain.splitlines() if str(tmp_path) not in line]
    assert max(map(len, lines)) <= 80


def test_a_long_run_shows_its_progress_and_an_interrupt_says_how_far_it_got(tmp_path: Path) -> None:
    with terminal("run", written(tmp_path, ENDLESS)) as (child, ours):
        assert "instructions/s" in read(ours, "instructions/s")
        child.send_signal(signal.SIGINT)
        said = read(ours, seconds=20)
        assert child.wait(timeout=20) == 130
    assert "Traceback" not in said
    assert "interrupted after " in said
    assert "RegisterAlu" in said or "CompareBranch" in said
