"""Python's garbage collector, out of the way while nasm makes what it will keep."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 20_000
"""New objects that take some ten milliseconds to look at."""

MOST = 5_000_000
"""Objects that count as old before all are looked at."""

_frozen = False
"""Whether `lasting` or `imported` froze objects. Python would count them all to answer that."""

_aged = 0
"""How many objects count as old that nothing has looked at."""


@contextmanager
def paused() -> Iterator[None]:
    """Collect nothing in here: a program and its machine live on, and looking costs a fifth."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    except KeyboardInterrupt:
        # All that is half made counts as old now: to look at it once more takes seconds, and a
        # signal should not wait for that.
        gc.freeze()
        _unfreeze()
        raise
    finally:
        if collecting:
            gc.enable()


def lasting() -> None:
    """All that there is lives on for long: never look at it, but when this is called again.

    What of it has been given up since is collected then. It is for a command that has loaded a
    large program: at its prompt Python would look through all of that, which takes longer than most
    answers.
    """
    if _frozen:
        _unfreeze()
        gc.collect()
    _freeze()


@contextmanager
def answering() -> Iterator[None]:
    """Collect nothing in here, where a command is answered; much that it made counts as old then.

    Otherwise Python looks at what a run has made while one of the next commands is answered, which
    takes longer than most answers. Once that may be too much, all is looked at.
    """
    global _aged
    with paused():
        yield
        new = gc.get_count()[0]
        if new > MANY:
            gc.freeze()
            if not _frozen:
                gc.unfreeze()
            _aged += new
    if _aged > MOST:
        _aged = 0
        if _frozen:
            lasting()
        else:
            gc.collect()


@contextmanager
def imported() -> Iterator[None]:
    """What is imported in here lives as long as the process: never look at it.

    So it is with all that there was before. That is right for a command that begins, and is done
    once: what it makes later, it may give up.
    """
    with paused():
        yield
        if not _frozen:
            _freeze()


def _freeze() -> None:
    global _frozen
    gc.freeze()
    _frozen = True


def _unfreeze() -> None:
    global _frozen
    gc.unfreeze()
    _frozen = False
