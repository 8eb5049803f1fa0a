"""The command as a process: streams, terminals, signals."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from nasm.apps.cli import command
from nasm.base import docstrings
from tests.cli.programs import (
    COMMAND,
    ENDLESS,
    ENVIRONMENT,
    HALVES,
    MATMUL,
    process,
    terminal,
    written,
)
from tests.parts import part

pytestmark = pytest.mark.turns(8)


IMPORTS = Path(__file__).with_name("imports.txt")
"""Which command imports which modules of nasm and of what it depends on."""

STARTS = {
    "--help": ("--help",),
    "run": ("run", "-q", str(MATMUL)),
    "check": ("check", str(MATMUL)),
    "repl": ("repl", str(MATMUL), "-ex", "quit"),
}
SHOWING = """
import sys
from nasm.apps.cli import main
main(sys.argv[1:])
outside = {"lark", "ml_dtypes", "numpy", "prompt_toolkit", "pygments", "rich"}
print("imported:", *(name for name in sys.modules if name in outside or name[:5] == "nasm."))
print("inspect" in sys.modules, "tomllib" in sys.modules)
"""


@pytest.mark.parametrize("given", ["", "30"])
def test_idle_threads_of_products_sleep_soon_unless_asked_otherwise(monkeypatch, given) -> None:
    monkeypatch.setenv("OPENBLAS_THREAD_TIMEOUT", given)
    if not given:
        monkeypatch.delenv("OPENBLAS_THREAD_TIMEOUT")
    monkeypatch.setattr(sys, "argv", ["neuron-nasm", "--version"])
    assert command.run(None) == 0
    assert os.environ["OPENBLAS_THREAD_TIMEOUT"] == (given or "22")


def test_each_command_imports_what_it_needs() -> None:
    """What few command lines need costs every start.

    ``NASM_ACCEPT_IMPORTS=1 pytest tests/cli/test_process.py -k imports`` writes the list anew.
    """
    begun = {
        start: subprocess.Popen(
            [sys.executable, "-c", SHOWING, *words],
            stdout=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        )
        for start, words in STARTS.items()
    }
    found: dict[str, list[str]] = {}
    for start, process_ in begun.items():
        *_, imported, others = process_.communicate(timeout=600)[0].splitlines()
        assert others.endswith("False")
        assert start != "--help" or others == "False False"
        for name in imported.split()[1:]:
            found.setdefault(name, []).append(start)
    now = {f"{name}: {' '.join(starts)}" for name, starts in found.items()}
    if os.environ.get("NASM_ACCEPT_IMPORTS"):
        IMPORTS.write_text("\n".join(sorted(now)) + "\n", encoding="utf-8")
    known = set(IMPORTS.read_text(encoding="utf-8").splitlines())
    joined, left = sorted(now - known), sorted(known - now)
    assert not joined, "imported at a start, and not before:\n" + "\n".join(joined)
    assert not left, "no longer imported like that:\n" + "\n".join(left)


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["-O", "-OO"])
def test_without_docstrings_it_says_so_and_without_assertions_it_runs(level: str) -> None:
    def problems_of(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [sys.executable, level, *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=ENVIRONMENT,
            timeout=600,
        )
        return done.returncode, done.stdout, done.stderr

    command = problems_of("-m", "nasm", "check", str(MATMUL))
    imported = problems_of("-c", "import nasm; nasm.Builder")
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
        timeout=600,
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == code


VERBS = [
    ["run", MATMUL],
    ["run", MATMUL, "--json"],
    ["run", MATMUL, "--out", "C=/dev/stdout"],
    ["check", MATMUL],
    ["print", MATMUL],
    ["isa", "Max8"],
    ["explain", "--json"],
    ["help", "run"],
    ["--version"],
    ["repl", MATMUL, "-ex", "run", "-ex", "report"],
]
"""Commands that print something."""


def to(where: int | IO[bytes], *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The command with its output going somewhere."""
    return subprocess.run(
        [*COMMAND, *arguments],
        stdout=where,
        stderr=subprocess.PIPE,
        check=False,
        env=ENVIRONMENT,
        timeout=600,
    )


@pytest.mark.parametrize("verb", part(VERBS, 2), ids=" ".join)
def test_output_that_cannot_be_written_brings_no_traceback(verb: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    left = to(writing, *verb)
    os.close(writing)
    assert left.returncode == 0
    assert left.stderr == b"" or "C=/dev/stdout" in verb  # there the report is
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, *verb],
        stderr=subprocess.PIPE,
        check=False,
        env=ENVIRONMENT,
        timeout=600,
    )
    assert b"Traceback" not in left.stderr + closed.stderr
    assert closed.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the device that is always full")
@pytest.mark.parametrize("verb", part(VERBS, 2), ids=" ".join)
def test_a_full_disk_is_reported(verb: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = to(full, *verb)
    assert done.returncode == 2
    if "C=/dev/stdout" in verb:
        said = b"error[E0806]: cannot write /dev/stdout: No space left on device\n"
    else:
        said = b"neuron-nasm: cannot write to standard output: No space left on device\n"
    assert done.stderr.startswith(said)


MISTAKES = [["run", "no.nasm"], ["run"], ["repl", "no.nasm", "-ex", "run"]]


@pytest.mark.parametrize("verb", part(MISTAKES, 1))
def test_errors_that_cannot_be_reported_bring_the_same_code(verb: list[str]) -> None:
    for where in (">&-", ">/dev/full"):
        code = subprocess.run(
            ["sh", "-c", f'exec "$@" >/dev/null 2{where}', "sh", *COMMAND, *verb],
            check=False,
            env=ENVIRONMENT,
            timeout=600,
        ).returncode
        assert code == 2


@pytest.mark.parametrize("path", ["-", "/dev/stdout"])
def test_an_array_goes_through_a_pipe_and_the_report_beside_it(path: str) -> None:
    done = subprocess.run(
        [*COMMAND, "run", MATMUL, "--out", f"C={path}"],
        capture_output=True,
        check=True,
        env=ENVIRONMENT,
        timeout=600,
    )
    assert np.load(io.BytesIO(done.stdout)).shape == (128, 512)
    assert done.stderr.decode().splitlines()[-1] == "PASS: 1 expectation met"


def test_a_result_goes_to_the_end_of_the_file_that_standard_output_is(tmp_path: Path) -> None:
    whole = tmp_path / "whole.npy"
    with whole.open("wb") as out:
        out.write(b"before")
        out.flush()
        done = to(out, "run", MATMUL, "--out", f"C={whole}")
    assert done.returncode == 0
    assert np.load(io.BytesIO(whole.read_bytes().removeprefix(b"before"))).shape == (128, 512)


def test_an_array_on_standard_output_is_refused_where_the_document_goes() -> None:
    done = process("run", MATMUL, "--out", "C=/dev/stdout", "--json")
    assert done.code == 2
    (problem,) = done.document["problems"]
    assert problem["code"] == "E0813"
    assert problem["message"].endswith("the JSON document goes there")


def test_a_terminal_gets_colour_and_no_line_too_long(tmp_path: Path) -> None:
    program = written(tmp_path, HALVES.replace("  $loaded >= 16", " " * 60))
    with terminal("run", program, NO_COLOR="") as (child, shown):
        coloured = shown()
        assert child.wait() == 1
    assert "\x1b[1;35mhazard[E0502]" in coloured
    with terminal("run", program, NO_COLOR="1") as (child, shown):
        plain = shown()
        assert child.wait() == 1
    assert "\x1b" not in plain
    assert "hazard[E0502]" in plain
    # the path of the program itself cannot be folded
    lines = [line for line in plain.splitlines() if str(tmp_path) not in line]
    assert max(map(len, lines)) <= 80


def test_a_long_run_shows_its_progress_and_an_interrupt_says_how_far_it_got(tmp_path: Path) -> None:
    with terminal("run", written(tmp_path, ENDLESS)) as (child, shown):
        assert "instructions/s" in shown("instructions/s")
        child.send_signal(signal.SIGINT)
        said = shown()
        assert child.wait(timeout=20) == 130
    assert "Traceback" not in said
    assert "interrupted after " in said
    assert "RegisterAlu" in said or "CompareBranch" in said


def test_a_trace_whose_reader_leaves_or_whose_disk_is_full_is_no_defect() -> None:
    full = subprocess.run(
        f"{sys.executable} -m nasm run {MATMUL} --trace - >/dev/full",
        shell=True,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=600,
    )
    assert full.returncode == 2
    assert full.stderr.startswith("error[E0806]: cannot write /dev/stdout: No space left")
    left = subprocess.run(
        [
            "bash",
            "-o",
            "pipefail",
            "-c",
            f"{sys.executable} -m nasm run {MATMUL} --trace - | head -c 1",
        ],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=600,
    )
    assert (left.returncode, left.stdout) == (0, "{")
    assert "E0901" not in left.stderr


@pytest.mark.parametrize(
    ("given", "code"),
    part(
        [
            (["repl", MATMUL], 0),
            (["repl", "-"], 2),
            (["repl", MATMUL, "-x", "-"], 0),
            (["run", "-"], 2),
        ],
        1,
    ),
)
def test_a_closed_standard_input_is_an_empty_one(given: list[str], code: int) -> None:
    done = subprocess.run(
        f"{sys.executable} -m nasm {' '.join(given)} <&-",
        shell=True,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=600,
    )
    assert done.returncode == code, done.stderr
    assert "E0901" not in done.stderr


@pytest.mark.parametrize("columns", part(["0", "\u00b2", "-3", ""], 1))
def test_a_width_that_is_none_is_not_believed(columns: str) -> None:
    for verb, said in (("run", "expectation met"), ("repl", "quit")):
        done = subprocess.run(
            [*COMMAND, verb, MATMUL, *(["-ex", "help"] if verb == "repl" else [])],
            capture_output=True,
            text=True,
            check=False,
            env={**ENVIRONMENT, "COLUMNS": columns},
            timeout=600,
        )
        assert done.returncode == 0
        assert said in done.stdout


@pytest.mark.thorough
def test_a_newline_in_the_name_of_a_file_begins_no_line(tmp_path: Path) -> None:
    name = "a\nPASS: 1 expectation met\n.nasm"
    (tmp_path / name).write_text(HALVES.replace("* 0.5", "* 0.25"), encoding="utf-8")
    results = ("--out", f"Y={tmp_path}/y\nPASS", "--trace", f"{tmp_path}/t\nPASS")
    for verb, more in (("run", results), ("check", ()), ("repl", ("-ex", "list", "-ex", "run"))):
        done = process(verb, tmp_path / name, *more)
        assert done.out
        assert not [x for x in (done.out + done.err).splitlines() if x.startswith("PASS")]
