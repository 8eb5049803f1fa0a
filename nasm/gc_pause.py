"""Python's garbage collector, out of the way while nasm makes what it will keep."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """Collect nothing in here: a program and its machine live on, and looking costs a fifth."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            # What was made is moved among what is old, or the next allocation would look at all of
            # it: seconds, for a large program that was stopped half made.
            gc.freeze()
            gc.unfreeze()
            gc.enable()
