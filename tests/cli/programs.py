"""Programs, and ways of running the command on them."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "programs"
MATMUL = str(PROGRAMS / "matmul.nasm")
COMMAND = [sys.executable, "-m", "nasm"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}

HALVES = """
.target trn1
.const N = 4
.hbm   X  bf16[128, N]  input = iota
.hbm   Y  bf16[128, N]  output
.sbuf  x  bf16[128, N]
.sem   loaded, halved, stored
@sync    DmaCopy         x, X                               $loaded += 16
@vector  TensorScalar    x, x, op0=multiply, operand0=0.5   $loaded >= 16  $halved++
@sync    DmaCopy         Y, x                               $halved >= 1   $stored += 16
@sync    EventSemaphore                                     $stored >= 16
.expect  Y == X * 0.5
"""
ENDLESS = """
.target trn1
@scalar
       RegisterMove   %r0, 1
again: RegisterAlu    %r0, %r0, 0, op=add
       CompareBranch  %r0, 0, op=greater, target=again
"""


class Ran:
    """What a command said and how it ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def document(self) -> dict[str, Any]:
        return json.loads(self.out)


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "program.nasm"
    path.write_text(text, encoding="utf-8")
    return path


def process(*arguments: object, text: str = "", **environment: str) -> Ran:
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=text.encode(),
        capture_output=True,
        check=False,
        env={**ENVIRONMENT, **environment},
        timeout=600,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


class Reader:
    """What a terminal shows, read on from where it was read to."""

    def __init__(self, ours: int) -> None:
        self.ours, self.held = ours, b""

    def __call__(self, until: str = "", seconds: float = 60) -> str:
        """What it shows next, to its end or to a word."""
        deadline = time.monotonic() + seconds
        wanted = until.encode()
        while not (until and wanted in self.held) and time.monotonic() < deadline:
            if select.select([self.ours], [], [], 0.1)[0]:
                try:
                    part = os.read(self.ours, 65536)
                except OSError:  # Linux's way of saying that the other side was closed
                    break
                if not part:
                    break
                self.held += part
        end = self.held.find(wanted) + len(wanted) if until and wanted in self.held else None
        assert not (until and end is None), f"no '{until}' in {self.held!r}"
        found, self.held = self.held[:end], self.held[len(self.held) if end is None else end :]
        return found.decode()


@contextmanager
def terminal(
    *arguments: object, **environment: str
) -> Iterator[tuple[subprocess.Popen[bytes], Reader]]:
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
        yield child, Reader(ours)
    finally:
        child.kill()
        child.wait()
        os.close(ours)
