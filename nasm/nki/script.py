"""A Python file run as ``__main__``, with NKI to be imported."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from nasm.base.problems import Failure, Problem, quoted
from nasm.nki.exceptions import NOT_RUN, permitted
from nasm.nki.installing import installed


def execute(path: str, words: Sequence[str], python: bool = True) -> int:
    """Run a file as Python would, with what it is called with; returns its exit code.

    What it raises passes through; raises Failure if there is no such file, and without reading it
    unless ``python`` is true.
    """
    permitted(path, python)
    if not os.path.isfile(path):
        raise Failure(Problem(NOT_RUN, f"no file {quoted(path)}"))
    with installed(), _called(path, words):
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as leaving:
            return _code(leaving)
    return 0


def _code(leaving: SystemExit) -> int:
    """The exit code of a script that leaves, as Python has it."""
    if leaving.code is None:
        return 0
    if isinstance(leaving.code, int):
        return leaving.code & 0xFF
    sys.stderr.write(f"{leaving.code}\n")
    return 1


@contextmanager
def _called(path: str, words: Sequence[str]) -> Iterator[None]:
    """``sys.argv`` and ``sys.path`` as a script finds them."""
    argv, places = sys.argv, list(sys.path)
    sys.argv = [path, *words]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        yield
    finally:
        sys.argv = argv
        sys.path[:] = places
