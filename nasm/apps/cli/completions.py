"""What shells complete: files made of the parsers, which the package brings with it."""

from __future__ import annotations

from pathlib import Path

from nasm.base import host_files

FILES = {"bash": "neuron-nasm.bash", "zsh": "_neuron-nasm", "fish": "neuron-nasm.fish"}
"""The file of each shell, as the shell wants it to be called."""

SHELLS = tuple(FILES)


def text(shell: str) -> str:
    """What makes a shell complete the command."""
    inside = Path(__file__).parents[2] / "shells"
    folder = inside if inside.is_dir() else inside.parent.parent / "grammar" / "shells"
    return host_files.read_text(folder / FILES[shell])
