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
    except KeyboardInterrupt:
        # All that is half made counts as old now: to look at it once more takes seconds, and who
        # was told to stop is not to wait for that.
        gc.freeze()
        gc.unfreeze()
        raise
    finally:
        if collecting:
            gc.enable()
