"""Programs that an ordinary compiler for RISC-V makes; tests that need it skip without one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

COMPILERS = ("riscv64-unknown-elf-gcc", "riscv32-unknown-elf-gcc", "riscv64-linux-gnu-gcc")
"""Debian has the first in gcc-riscv64-unknown-elf."""


def compiler() -> str:
    """A compiler's name; skips the test where there is none."""
    found = next((name for name in COMPILERS if shutil.which(name)), None)
    if found is None:
        pytest.skip(f"no compiler for RISC-V is installed: none of {', '.join(COMPILERS)}")
    return found


def linked(
    files: Sequence[Path], made: Path, start: int, *more: str, extensions: str = "im"
) -> Path:
    """Compile and link files for a core whose code begins at an address."""
    subprocess.run(
        [
            compiler(), f"-march=rv32{extensions}", "-mabi=ilp32", "-nostdlib", "-static",
            "-ffreestanding",
            f"-Wl,-Ttext={start:#x}", "-Wl,--no-relax", "-Wl,--build-id=none",
            "-Wl,--no-warn-rwx-segments", *more, "-o", str(made), *map(str, files),
        ],
        check=True,
        capture_output=True,
        text=True,
    )  # fmt: skip
    return made
