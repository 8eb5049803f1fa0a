"""Proofs that two programs are equal, without the short cut of the same instructions."""

from __future__ import annotations

from nasm.program.program import Program
from nasm.runs.equal.compare import _compared
from nasm.runs.equal.followed import FollowedProgram, follow
from nasm.runs.equal.records import Equality
from nasm.runs.equal.shadow import TooCoarse, unit_of
from nasm.runs.equal.value_numbers import ValueNumbers

MOST = 40_000


class Prover:
    """Compares programs with one that is followed once."""

    def __init__(self, program: Program, unit: int = 0) -> None:
        self.program, self.unit = program, unit or unit_of((program,))
        self.numbers = ValueNumbers()
        self.side = follow(program, self.numbers, self.unit, MOST)

    @property
    def followed(self) -> bool:
        """Whether it has one result that is known."""
        return not self.side.reason

    def proves(self, other: Program) -> bool:
        """Whether another program is proved to have the same results."""
        found = self.verdict(other)
        return found is not None and found.ok

    def verdict(self, other: Program) -> Equality | None:
        """What a comparison finds; None if one of the two has no result that is known."""
        side: FollowedProgram
        try:
            side = follow(other, self.numbers, self.unit, MOST)
        except TooCoarse:
            return Prover(self.program, 1).verdict(other)
        if side.reason or self.side.reason:
            return None
        outputs = [t.name for t in self.program.tensors.values() if t.role in ("output", "inout")]
        return _compared(self.numbers, self.side, side, tuple(outputs), (0, 0))
