"""The command told to stop: by signals, by a limit of time, and at every stage."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
import pytest

from nasm.apps.cli import streams
from tests.cli.programs import (
    COMMAND,
    ENDLESS,
    ENVIRONMENT,
    HALVES,
    MATMUL,
    Reader,
    process,
    written,
)
from tests.parts import part

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
IDS = ["SIGINT", "SIGTERM", "SIGHUP"]
SAID = {130: "interrupted", 143: "terminated", 129: "hung up"}


@contextmanager
def running(
    *arguments: object, ignored: int | None = None
) -> Iterator[tuple[subprocess.Popen[bytes], Reader]]:
    """The command with its output in a pipe and its errors on a terminal: that shows progress."""
    ours, theirs = pty.openpty()

    def ignore() -> None:
        if ignored is not None:
            signal.signal(ignored, signal.SIG_IGN)

    child = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**ENVIRONMENT, "TERM": "dumb"},
        preexec_fn=ignore,
    )
    os.close(theirs)
    try:
        yield child, Reader(ours)
    finally:
        child.kill()
        child.communicate()
        os.close(ours)


def end(child: subprocess.Popen[bytes]) -> tuple[int, str]:
    """The exit code of a command, and its output."""
    out, _ = child.communicate(timeout=300)
    assert b"Traceback" not in out
    return child.returncode, out.decode()


# ---------------------------------------------------------------- while it runs


@pytest.mark.turns(6)
@pytest.mark.parametrize(("number", "code"), part(SIGNALS, 1), ids=part(IDS, 1))
def test_a_signal_ends_a_run_with_a_report_of_how_far_it_got(
    tmp_path: Path, number: int, code: int
) -> None:
    y = tmp_path / "y.npy"
    text = ENDLESS.replace(".target trn1\n", ".target trn1\n.hbm Y f32[4] output = zeros\n")
    with running("run", written(tmp_path, text), "--out", f"Y={y}") as (child, shown):
        shown("instructions/s")
        child.send_signal(number)
        returned, out = end(child)
        said = shown()
    assert returned == code
    assert out.startswith(f"{tmp_path}/program.nasm on NeuronCore-v2")
    assert out.splitlines()[-1] == "FAIL: interrupted"
    assert f"{SAID[code]} after " in said
    assert "nothing was written" in said
    assert "scalar pc " in said
    assert os.listdir(tmp_path) == ["program.nasm"]


@pytest.mark.turns(6)
@pytest.mark.parametrize(("number", "code"), part(SIGNALS, 1), ids=part(IDS, 1))
def test_a_signal_ends_a_run_with_a_document(tmp_path: Path, number: int, code: int) -> None:
    with running("run", written(tmp_path, ENDLESS), "--json") as (child, shown):
        shown("instructions/s")
        child.send_signal(number)
        child.send_signal(number)  # as `timeout` does: the second is an echo of the first
        returned, out = end(child)
    document = json.loads(out)
    assert (returned, document["exit_code"]) == (code, code)
    assert document["status"] == "interrupted"
    assert document["time"]["cycles"] > 0
    assert (document["trace_hash"], document["outputs"]) == ("", [])


@pytest.mark.turns(6)
def test_a_signal_that_is_ignored_from_outside_stays_ignored(tmp_path: Path) -> None:
    program = written(tmp_path, ENDLESS)
    with running("run", program, "--json", ignored=signal.SIGHUP) as (child, shown):
        shown("instructions/s")
        child.send_signal(signal.SIGHUP)
        shown("instructions/s")
        child.send_signal(signal.SIGTERM)
        assert end(child)[0] == 143


@pytest.mark.parametrize("how", ["--json", "--quiet", "--color=never"])
def test_a_limit_of_time_ends_a_run_in_words_of_its_own(ran: Any, tmp_path: Path, how: str) -> None:
    trace = tmp_path / "t.json"
    program = written(tmp_path, ENDLESS)
    assert ran("run", program, "--max-cycles", "10").code == 1  # all is imported then
    done = ran("run", program, "--timeout", "0.3", "--trace", trace, how)
    assert done.code == 124
    assert done.err == ""
    assert json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    if how == "--json":
        assert done.document["status"] == "timeout"
        (problem,) = done.document["problems"]
        assert (problem["code"], problem["line"] in (5, 6)) == ("E0516", True)
        return
    assert "hazard[E0516]: still running after 0.3 s: scalar at pc " in done.out
    assert done.out.splitlines()[-1] == "FAIL: time limit reached"


def test_a_limit_of_time_that_is_not_reached_changes_nothing(ran: Any) -> None:
    plain, limited = (ran("run", MATMUL, "--json", *more) for more in ((), ("--timeout", "1e9")))
    assert plain.out == limited.out


# ---------------------------------------------------------------- before and after


@pytest.mark.turns(6)
@pytest.mark.parametrize("verb", ["run", "check"])
@pytest.mark.parametrize(("number", "code"), part(SIGNALS, 1), ids=part(IDS, 1))
def test_a_signal_while_a_program_is_loaded_leaves_a_document(
    tmp_path: Path, verb: str, number: int, code: int
) -> None:
    pipe = tmp_path / "program.nasm"
    os.mkfifo(pipe)
    with running(verb, pipe, "--json") as (child, shown):
        with pipe.open("wb"):  # once it is open at the other end, it is being read
            child.send_signal(number)
            returned, out = end(child)
        assert shown().strip() == f"neuron-nasm: {SAID[code]}"
    document = json.loads(out)
    assert (returned, document["exit_code"], document["problems"]) == (code, code, [])
    if verb == "run":
        assert (document["program"], document["status"]) == (str(pipe), "interrupted")


LONG = """.target trn1
@vector
.for i in 0..10
.for j in 0..90000
RegisterMove %r1, i * 90000 + j
.end
.end
"""


@pytest.mark.turns(6)
def test_a_limit_of_time_counts_from_the_start(tmp_path: Path) -> None:
    long = written(tmp_path, LONG)
    done = process("check", MATMUL, long, "--timeout", "5", "--json")
    assert done.code == 124
    assert [file["ok"] for file in done.document["files"]] == [True]
    (problem,) = done.document["problems"]
    assert problem["code"] == "E0516"
    assert problem["message"] == "the time of --timeout was up before all files were checked"


@pytest.mark.turns(6)
def test_a_signal_while_results_are_written_says_which_are(tmp_path: Path) -> None:
    pipe, x = tmp_path / "pipe", tmp_path / "x.npy"
    os.mkfifo(pipe)
    text = HALVES.replace("N = 4", "N = 4096")  # more than a pipe takes
    program = written(tmp_path, text)
    given = (f"--out=x={x}", f"--out=Y={pipe}", "--json")
    with running("run", program, *given) as (child, _), pipe.open("rb"):
        child.send_signal(signal.SIGTERM)
        returned, out = end(child)
    document = json.loads(out)
    assert (returned, document["status"]) == (143, "interrupted")
    assert [o["tensor"] for o in document["outputs"]] == ["x"]
    assert np.load(x).shape == (128, 4096)
    assert sorted(os.listdir(tmp_path)) == ["pipe", "program.nasm", "x.npy"]


@pytest.mark.turns(6)
@pytest.mark.parametrize("verb", [["explain"], ["run", MATMUL]])
def test_a_signal_while_the_document_is_printed_brings_no_second_one(
    ran: Any, monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    write = streams.write

    def half(stream: IO[str], text: str) -> None:
        if text.startswith("{"):
            write(stream, "{half")
            os.kill(os.getpid(), signal.SIGTERM)
        write(stream, text)

    monkeypatch.setattr(streams, "write", half)
    done = ran(*verb, "--json")
    assert (done.code, done.out) == (143, "{half")
    assert done.err == "neuron-nasm: terminated\n"


@pytest.mark.turns(6)
def test_a_ctrl_c_in_the_first_moments_is_reported_in_a_line() -> None:
    # It strikes while the module that hears signals is imported itself.
    early = (
        "import builtins, sys\n"
        "found = builtins.__import__\n"
        "def strike(name, *given, **named):\n"
        "    if name == 'threading':\n"
        "        builtins.__import__ = found\n"
        "        import os, signal\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return found(name, *given, **named)\n"
        "from nasm.apps.cli import main\n"
        "sys.modules.pop('threading', None)\n"
        "builtins.__import__ = strike\n"
        f"sys.exit(main(['run', {MATMUL!r}, '--json']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", early], capture_output=True, check=False, env=ENVIRONMENT, timeout=60
    )
    assert done.returncode == 130
    assert done.stderr == b"neuron-nasm: interrupted\n"
    assert json.loads(done.stdout)["status"] == "interrupted"


# ---------------------------------------------------------------- the debugger


@contextmanager
def debugger(tmp_path: Path, *arguments: object) -> Iterator[tuple[int, Reader]]:
    """The debugger on a terminal that is its own; its process and our side."""
    child, ours = pty.fork()
    if child == 0:
        env = {**ENVIRONMENT, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
        env["XDG_DATA_HOME"] = str(tmp_path / "data")
        os.execve(sys.executable, [*COMMAND, "repl", *map(str, arguments)], env)
    try:
        yield child, Reader(ours)
    finally:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        with suppress(OSError):
            os.close(ours)


def left(child: int) -> int:
    """The exit code of a process that leaves."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    pytest.fail("it did not leave")


@pytest.mark.turns(6)
@pytest.mark.parametrize(("number", "code"), SIGNALS[1:], ids=IDS[1:])
def test_a_signal_at_the_prompt_leaves_the_terminal_as_it_was_and_keeps_the_history(
    tmp_path: Path, number: int, code: int
) -> None:
    with debugger(tmp_path, MATMUL) as (child, shown):
        before = termios.tcgetattr(shown.ours)
        shown("(nasm)")
        os.write(shown.ours, b"p $loaded\r")
        shown(" = 0\r\n")
        shown("(nasm)")
        assert termios.tcgetattr(shown.ours) != before
        os.kill(child, number)
        said = shown()
        after = termios.tcgetattr(shown.ours)
        assert left(child) == code
    assert "Traceback" not in said
    assert f"neuron-nasm: {SAID[code]}" in said
    assert after == before
    assert "p $loaded" in (tmp_path / "data/neuron-nasm/history").read_text(encoding="utf-8")


@pytest.mark.turns(6)
def test_ctrl_c_stops_a_run_and_a_signal_leaves_from_the_next(tmp_path: Path) -> None:
    with debugger(tmp_path, written(tmp_path, ENDLESS)) as (child, shown):
        shown("(nasm)")
        os.write(shown.ours, b"run\r")
        shown("(Ctrl-C stops)")
        os.write(shown.ours, b"\x03")
        assert "'continue' resumes" in shown("'continue' resumes")
        shown("(nasm)")
        os.write(shown.ours, b"continue\r")
        shown("(Ctrl-C stops)")
        os.kill(child, signal.SIGTERM)
        said = shown()
        assert left(child) == 143
    assert "stopped at " in said
    assert "'continue' resumes" not in said
    assert "Traceback" not in said


@pytest.mark.turns(6)
@pytest.mark.parametrize("keys", [b"", b"run\r"])
def test_a_terminal_that_goes_takes_the_debugger_with_it(tmp_path: Path, keys: bytes) -> None:
    with debugger(tmp_path, written(tmp_path, ENDLESS)) as (child, shown):
        shown("(nasm)")
        if keys:
            os.write(shown.ours, keys)
            shown("(Ctrl-C stops)")
        os.close(shown.ours)
        assert left(child) == 129


@pytest.mark.turns(6)
@pytest.mark.parametrize(("number", "code"), part(SIGNALS, 1), ids=part(IDS, 1))
def test_a_signal_ends_unattended_commands(tmp_path: Path, number: int, code: int) -> None:
    program = written(tmp_path, ENDLESS)
    child = subprocess.Popen(
        [*COMMAND, "repl", str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**ENVIRONMENT, "PYTHONUNBUFFERED": "1"},
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        child.stdin.write(b"step 10\n")
        child.stdin.flush()
        assert child.stdout.readline()  # it has read that, and runs or reads on
        child.stdin.write(b"run\n")
        child.stdin.flush()
        child.send_signal(number)
        out, _ = child.communicate(timeout=300)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == code
    assert b"Traceback" not in out
