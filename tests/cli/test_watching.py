"""``--watch``: a program is run or checked again when a file that it asked for changes."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nasm.apps.cli import main
from nasm.apps.cli.file_watch import CLEAR
from nasm.base import files

pytestmark = pytest.mark.turns(3)

TEXT = """\
.target trn1
.include "shared.nasm"
.hbm A f32[4] input
.hbm C f32[4] output
.sem s
@sync DmaCopy C, A  $s += 16
@sync EventSemaphore $s >= 16
.expect C == WANTED
"""
KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl
from parts.factors import FACTOR


@nki.jit
def scaled(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=FACTOR)
    nisa.dma_copy(dst=y, src=tile)
    print("times", FACTOR)
    return y
"""
LONG = 30
"""Seconds after which a test gives up waiting; none of them waits for time to pass."""


class Watched:
    """A watching process; ``until`` reads its output up to some words."""

    def __init__(self, folder: Path, *words: str, terminal: bool = False) -> None:
        self._seen = ""
        out = subprocess.PIPE
        self._reader = -1
        if terminal:
            self._reader, out = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nasm", *words],
            cwd=folder,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        if terminal:
            os.close(out)
        else:
            assert self.process.stdout is not None
            self._reader = self.process.stdout.fileno()
        self._timer = threading.Timer(LONG, self.process.kill)
        self._timer.start()

    def until(self, words: str) -> str:
        while words not in self._seen:
            try:
                more = os.read(self._reader, 4096).decode()
            except OSError:
                more = ""
            assert more, f"no {words!r} in {self._seen!r}"
            self._seen += more
        at = self._seen.index(words) + len(words)
        found, self._seen = self._seen[:at], self._seen[at:]
        return found

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(LONG)

    def close(self) -> None:
        self._timer.cancel()
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        else:
            os.close(self._reader)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "copy.nasm").write_text(TEXT, encoding="utf-8")
    (tmp_path / "shared.nasm").write_text(".const WANTED = 7\n", encoding="utf-8")
    np.save(tmp_path / "A.npy", np.full(4, 7, np.float32))
    return tmp_path


@pytest.fixture
def watched(folder: Path) -> Iterator[Watched]:
    made = Watched(folder, "run", "copy.nasm", "--watch", "--in", "A=A.npy")
    yield made
    made.close()


def test_what_is_included_and_what_is_read_is_watched(folder: Path, watched: Watched) -> None:
    assert "PASS" in watched.until("watching 3 files; Ctrl-C ends\n")
    (folder / "shared.nasm").write_text(".const WANTED = 81\n", encoding="utf-8")
    again = watched.until("Ctrl-C ends\n")
    assert "--- again: shared.nasm changed\n" in again
    assert "FAIL" in again
    np.save(folder / "A.npy", np.full(4, 81, np.float32))
    again = watched.until("Ctrl-C ends\n")
    assert "--- again: A.npy changed\n" in again
    assert "PASS" in again
    assert watched.interrupt() == 0


def test_a_program_that_is_wrong_for_a_while_is_reported_so(folder: Path, watched: Watched) -> None:
    watched.until("Ctrl-C ends\n")
    (folder / "copy.nasm").write_text("what is this\n", encoding="utf-8")
    assert "error[E0" in watched.until("watching 1 file; Ctrl-C ends\n")
    (folder / "copy.nasm").rename(folder / "away.nasm")
    assert "copy.nasm" in watched.until("Ctrl-C ends\n")
    assert watched.interrupt() == 2


def test_a_terminal_is_cleared(folder: Path) -> None:
    watched = Watched(folder, "check", "copy.nasm", "--watch", terminal=True)
    try:
        assert watched.until("Ctrl-C ends").startswith(CLEAR)
        (folder / "shared.nasm").write_text(".const WANTED = 8  ; now\n", encoding="utf-8")
        assert CLEAR in watched.until("Ctrl-C ends")
        assert watched.interrupt() == 0
    finally:
        watched.close()


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """A kernel that imports a module of a package without ``__init__.py`` beside it."""
    (tmp_path / "scale.py").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "factors.py").write_text("FACTOR = 2.0\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("verb", ["run", "check"])
def test_a_kernel_and_what_it_imports_from_its_folder_are_watched(verb: str, kernel: Path) -> None:
    watched = Watched(kernel, verb, "scale.py:scaled", "--watch", "--in", "x=iota[128,8]")
    try:
        assert "times 2.0" in watched.until("watching 2 files; Ctrl-C ends\n")
        # of one length and within one second, as a hasty edit is
        (kernel / "parts" / "factors.py").write_text("FACTOR = 3.0\n", encoding="utf-8")
        again = watched.until("Ctrl-C ends\n")
        assert f"--- again: {os.path.join('parts', 'factors.py')} changed\n" in again
        assert "times 3.0" in again
        (kernel / "scale.py").write_text(KERNEL.replace("times", "by"), encoding="utf-8")
        assert "by 3.0" in watched.until("Ctrl-C ends\n")
        assert watched.interrupt() == 0
    finally:
        watched.close()


def test_a_module_that_is_wrong_or_missing_for_a_while_is_watched(kernel: Path) -> None:
    watched = Watched(kernel, "run", "scale.py:scaled", "--watch", "--in", "x=iota[128,8]")
    factors = kernel / "parts" / "factors.py"
    try:
        watched.until("Ctrl-C ends\n")
        factors.write_text("FACTOR = = 2.0\n", encoding="utf-8")
        again = watched.until("watching 2 files; Ctrl-C ends\n")
        assert "error[E0656]" in again
        assert "FACTOR = = 2.0" in again
        factors.rename(kernel / "parts" / "away.py")
        assert "No module named" in watched.until("Ctrl-C ends\n")
        factors.write_text("FACTOR = 5.0\n", encoding="utf-8")
        assert "times 5.0" in watched.until("Ctrl-C ends\n")
    finally:
        watched.close()


def test_what_is_written_is_not_watched(folder: Path) -> None:
    words = ("--in", "A=A.npy", "--out", "C=A.npy", "--watch")
    watched = Watched(folder, "run", "copy.nasm", *words)
    try:
        watched.until("watching 2 files; Ctrl-C ends\n")
        assert watched.interrupt() == 0
    finally:
        watched.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "-", "--watch"], "standard input can be read once"),
        (["check", "-", "--watch"], "standard input can be read once"),
        (["run", "copy.nasm", "--watch", "--json"], "--json does not go with --watch"),
        (["check", "copy.nasm", "--watch", "--timeout", "3"], "--timeout does not go with"),
        (["run", "copy.nasm", "--watch", "--trace", "-"], "standard output"),
    ],
)
def test_what_cannot_be_done_again_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    printed = capsys.readouterr()
    assert said in printed.err + printed.out


def test_files_are_noted_as_they_were_when_they_were_asked_for_first(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with files.noting() as noted:
        with pytest.raises(FileNotFoundError):
            files.regular(str(path))
        path.write_bytes(b"1")
        files.regular(str(path)).close()
    assert noted == {str(path): None}
    path.unlink()
    files.note(str(path))
    assert files.state(str(path)) is None
