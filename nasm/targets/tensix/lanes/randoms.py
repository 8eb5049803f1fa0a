"""The random numbers of the vector unit: a shift register of 32 bits in every lane."""

from __future__ import annotations

from nasm.targets.tensix.lanes.unit import Words, assign
from nasm.targets.tensix.state import Bools, Vector


def advance(vector: Vector, where: Bools | None) -> Words:
    """What lanes draw: the states that they had; those that draw go on to the next."""
    drawn = vector.random.copy()
    assign(vector.random, following(drawn), where)
    return drawn


def following(state: Words) -> Words:
    """The next states: a shift to the right, behind the inverted parity of bits 0, 1, 21 and 31."""
    odd = state ^ state >> 1 ^ state >> 21 ^ state >> 31
    return (~odd << 31) | state >> 1
