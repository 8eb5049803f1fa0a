"""The shift register that draws random numbers in every lane of the vector unit.

Source: the page of the vector unit in the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

import numpy as np

from nasm.targets.tensix.state import U32


def following(state: U32) -> U32:
    """The next states: a shift to the right, after the inverted parity of bits 0, 1, 21 and 31."""
    odd = state ^ state >> 1 ^ state >> 21 ^ state >> 31
    shifted: U32 = np.bitwise_or(~odd << 31, state >> 1, dtype=np.uint32)
    return shifted
