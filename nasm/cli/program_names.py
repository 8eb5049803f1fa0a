"""What a program is that the command line names: a text, a kernel of a file, a script."""

from __future__ import annotations

PYTHON = ".py"


def kernel(program: str | None) -> bool:
    """Whether it is ``kernel.py:name``, or a Python file of which no kernel is named."""
    return program is not None and file_of(program).endswith(PYTHON)


def script(program: str) -> bool:
    """Whether it is a Python file, to be run as it is."""
    return program.endswith(PYTHON)


def file_of(program: str) -> str:
    """The file that it is in."""
    path, _, name = program.rpartition(":")
    return path if path.endswith(PYTHON) and "/" not in name else program
