"""Floating-point operations: what an instruction does, and of how much of the machine's peak."""

from __future__ import annotations

from nasm.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Flops:
    """The floating-point operations of an instruction.

    ``count`` is how many it does, ``weight`` how much longer each takes than one of those that the
    peak of the machine is given for. Those of a transpose only move.
    """

    count: int
    weight: float = 1.0
    transpose: bool = False
