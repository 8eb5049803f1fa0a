"""Seeding the random generators of the vector unit, as a write to the configuration does.

Source: the public simulator; the ISA documentation says only that such a write seeds them all.
"""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.shift_register import following
from nasm.targets.tensix.state import LANES, Coprocessor


def reseed(core: Coprocessor, value: int) -> None:
    """Seed the generators of all 32 lanes: 32 steps, then two from each lane to the one below."""
    state = np.array([value], np.uint32)
    for _ in range(32):
        state = following(state)
    for lane in reversed(range(LANES)):
        state = following(following(state))
        core.vector.random[lane] = state[0]
