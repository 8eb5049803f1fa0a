"""Pictures of runs, as `neuron-nasm profile --svg` and `neuron-nasm diff --svg` draw them."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from pathlib import Path

from nasm.apps.cli import main

ROOT = Path(__file__).resolve().parents[2]

PICTURES = {
    "matmul_tiled": "profile programs/matmul_tiled.nasm --no-what-if",
    "attention": "profile programs/attention.nasm --no-what-if",
    "late_stores": "diff programs/published/matmul_hoisted.nasm -D M=256 -D K=2048 -D N=2048 "
    "-D LAG=0 --vs -D LAG=18 --no-values",
    "tensix_matmul": "profile programs/tensix/matmul.nasm --no-what-if",
}
"""The pictures by name, each with the command that draws it."""


def pictures() -> dict[str, str]:
    """Every picture, by the name of its file."""
    return {f"{name}.svg": _drawn(command) for name, command in PICTURES.items()}


def _drawn(command: str) -> str:
    """What a command draws."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(ROOT):
        path = os.path.join(folder, "run.svg")
        with contextlib.redirect_stdout(io.StringIO()):
            code = main([*command.split(), "--svg", path])
        if code:
            raise SystemExit(f"{command}: exit code {code}")
        return Path(path).read_text(encoding="utf-8")
