"""What a program is that the command line names: a text, a kernel of a file, a script."""

from __future__ import annotations

import argparse

from nasm.nki.kernel_argument import split


def kernel(program: str | None) -> bool:
    """Whether it is ``kernel.py:name``, or a Python file of which no kernel is named."""
    return program is not None and split(program) is not None


def script(program: str) -> bool:
    """Whether it is a Python file, to be run as it is."""
    named = split(program)
    return named is not None and not named[1]


def file_of(program: str) -> str:
    """The file that it is in."""
    named = split(program)
    return program if named is None else named[0]


def python(args: argparse.Namespace) -> bool:
    """Whether the command may run Python: neither --no-python nor --no-files was given."""
    return bool(args.python) and args.files is not False
