"""In which unit lengths of time are shown: those shown side by side in the same."""

from __future__ import annotations

from nasm.base.records import dataclass

SHORT, SHORTEST = 10.0, 0.1
"""Of what is shorter, in microseconds, parts are shown in ns; and then with a decimal."""


@dataclass(frozen=True, slots=True)
class Lengths:
    """How lengths are shown, all of them given in microseconds: by the longest of them.

    ``of_micro`` are so many of the ``unit`` as make a microsecond.
    """

    unit: str
    of_micro: int
    decimals: int
    finer: int

    @classmethod
    def up_to(cls, longest: float) -> Lengths:
        """How parts of something so long are shown: that a thousandth of it can be read."""
        if longest >= SHORT:
            return cls("µs", 1, 1, 3)
        decimals = 1 if longest < SHORTEST else 0
        return cls("ns", 1000, decimals, decimals)

    def number(self, micro: float) -> str:
        """A length without its unit."""
        return f"{micro * self.of_micro:,.{self.decimals}f}"

    def with_unit(self, micro: float) -> str:
        """A length with its unit."""
        return f"{self.number(micro)} {self.unit}"

    def finely(self, micro: float) -> str:
        """A length to the nanosecond, with its unit."""
        return f"{micro * self.of_micro:,.{self.finer}f} {self.unit}"

    def each(self, micro: float) -> str:
        """A length that many are counted in, to four digits, with its unit."""
        return f"{micro * self.of_micro:,.4g} {self.unit}"
