"""What shells complete: files made of the parsers, which the package brings with it."""

from __future__ import annotations

from pathlib import Path

from nasm.base import host_files
from nasm.base.problems import Failure, Problem

FILES = {"bash": "neuron-nasm.bash", "zsh": "_neuron-nasm", "fish": "neuron-nasm.fish"}
"""The file of each shell, as the shell wants it to be called."""

SHELLS = tuple(FILES)


def text(shell: str) -> str:
    """What makes a shell complete the command; raises Failure if the file cannot be read."""
    inside = Path(__file__).parents[2] / "shells"
    folder = inside if inside.is_dir() else inside.parent.parent / "grammar" / "shells"
    path = folder / FILES[shell]
    try:
        return host_files.read_text(path)
    except OSError as error:
        message = f"cannot read {path}: {error.strerror or error}"
        hint = "it is part of the package: install it again"
        raise Failure(Problem("E0801", message, None, hint)) from None
