"""The standard streams: closed, full, left by their readers, or short of characters."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from nasm.base import host_files

PLAINER = {
    "✓": "ok",
    "✗": "x",
    "µ": "u",
    "…": "...",
    "×": "x",
    "→": "->",
    "–": "-",
    "—": "-",
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "·": "-",
}
"""Replacements for characters that the terminal's encoding does not have."""


class Unwritable(Exception):
    """Standard output cannot be written to: the disk is full, say."""


def prepare() -> None:
    """Make sure that all streams exist and can show every character, if only by another."""
    if sys.stdin is None:
        sys.stdin = host_files.text(os.devnull)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, host_files.text(os.devnull, "w"))
        stream = getattr(sys, name)
        encoding = (getattr(stream, "encoding", None) or "utf-8").lower()
        if not encoding.startswith("utf") and hasattr(stream, "reconfigure"):
            codecs.register_error("nasm.plainer", _plainer)
            stream.reconfigure(errors="nasm.plainer")


def _plainer(problem: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs: says it in ASCII."""
    assert isinstance(problem, UnicodeEncodeError)
    missing = problem.object[problem.start : problem.end]
    return "".join(PLAINER.get(c, "?") for c in missing), problem.end


def write(stream: IO[str], text: str) -> None:
    """Write; raises Unwritable, but not when the reader has left (``| head``)."""
    with writing(stream):
        stream.write(text)


def flush(stream: IO[str]) -> None:
    """Flush; raises Unwritable, but not when the reader has left."""
    with writing(stream):
        stream.flush()


@contextmanager
def writing(stream: IO[str]) -> Iterator[None]:
    """What is done in here writes to a stream; raises Unwritable as :func:`write` does.

    Where standard error cannot be written to nothing can be reported.
    """
    try:
        yield
    except BrokenPipeError:
        leave(stream)
    except OSError as problem:
        leave(stream)
        if stream is not sys.stderr:
            raise Unwritable(problem.strerror or str(problem)) from None


def leave(stream: IO[str]) -> None:
    """Discard all further output, the interpreter's own flush at exit included."""
    with suppress(OSError, ValueError):  # it may be no file at all
        number = stream.fileno()
        null = host_files.descriptor(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)
