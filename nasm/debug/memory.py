"""Memories as they are now: who owns which bytes, and how much of them was written."""

from __future__ import annotations

import numpy as np

from nasm.inspection import Inspection
from nasm.machine.outlines import NoValues
from nasm.spec.view import View


def written(held: Inspection, name: str) -> float:
    """How much of a tensor is initialised, from 0 to 1."""
    tensor = held.program.tensors[name]
    if not held.values:
        raise NoValues.of(name)
    access = held.machine.addresses.access(View.whole(tensor))
    if access.complete:
        return 1.0
    known = access.known()
    return int(np.count_nonzero(known)) / known.size
