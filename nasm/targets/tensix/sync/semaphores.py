"""Semaphores: SEMINIT, SEMPOST and SEMGET on any of the eight at once.

Source: their pages in the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.state import Coprocessor

MOST: Final = 15
"""What SEMPOST counts to, whatever the semaphore's maximum."""


@cache
def selected(mask: int) -> NDArray[np.bool_]:
    """The semaphores of a mask; not to be written."""
    found = np.unpackbits(np.uint8(mask), bitorder="little").view(np.bool_)
    found.flags.writeable = False
    return found


def SEMINIT(core: Coprocessor, thread: int, NewMax: int, NewValue: int, SemaphoreMask: int) -> None:
    """Set the values and maxima of semaphores."""
    core.semaphores[selected(SemaphoreMask)] = NewValue, NewMax


def SEMPOST(core: Coprocessor, thread: int, SemaphoreMask: int) -> None:
    """Add one to semaphores below 15."""
    values = core.semaphores[:, 0]
    values += selected(SemaphoreMask) & (values < MOST)


def SEMGET(core: Coprocessor, thread: int, SemaphoreMask: int) -> None:
    """Take one from semaphores above 0."""
    values = core.semaphores[:, 0]
    values -= selected(SemaphoreMask) & (values > 0)
