"""The hook with the modules of NKI in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nasm.nki.hook import entered
from nasm.nki.modules import made


@contextmanager
def installed() -> Iterator[None]:
    """Let ``import nki`` find these modules; afterwards it finds what it found before.

    It may be entered again, and by several threads: the modules are there until the last has left.
    """
    with entered(made):
        yield
