"""Programs, and ways of running the command on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
again: RegisterAlu    %r1, %r0, 1, op=add
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
        timeout=60,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
