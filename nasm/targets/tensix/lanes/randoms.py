"""The random numbers of the vector unit: a shift register of 32 bits in every lane."""

from __future__ import annotations

from nasm.targets.tensix.lanes.unit import Words, assign
from nasm.targets.tensix.shift_register import following
from nasm.targets.tensix.state import Bools, Vector


def advance(vector: Vector, where: Bools | None) -> Words:
    """What lanes draw: the states that they had; those that draw advance to the next."""
    drawn = vector.random.copy()
    assign(vector.random, following(drawn), where)
    return drawn
