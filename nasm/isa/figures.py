"""The figures of a target: what is known of its hardware in numbers, a row each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from nasm.base.problems import rounded
from nasm.base.records import dataclass
from nasm.isa.evidence import Fact


class FigureUse(Enum):
    """What a figure is used for, and so which numbers it may be."""

    TIME = "time"
    RATE = "rate"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of the hardware: unit, meaning, and what it is on each generation that has it.

    What a ``use`` of TIME says may be 0; by a RATE something is divided; a LIMIT decides which
    programs are legal, and no time.
    """

    name: str
    unit: str
    meaning: str
    facts: Mapping[str, Fact]
    use: FigureUse = FigureUse.TIME

    @property
    def grouped(self) -> dict[Fact, list[str]]:
        """Its facts, each with the generations of which it holds."""
        found: dict[Fact, list[str]] = {}
        for generation, fact in self.facts.items():
            found.setdefault(fact, []).append(generation)
        return found


@dataclass(frozen=True, slots=True)
class FigureSet:
    """A timing figure that was set, by what ``source`` says; ``default`` is what it was before."""

    name: str
    unit: str
    value: float
    default: float
    source: str

    def __str__(self) -> str:
        return f"{self.name} {self.value:,.10g} instead of {rounded(self.default)} {self.unit}"


def figures_line(figures: Sequence[FigureSet]) -> str:
    """The timing figures that were set, in a line; empty if none was."""
    text = dict.fromkeys(figure.source for figure in figures)
    parts = (f"{by}: {', '.join(str(f) for f in figures if f.source == by)}" for by in text)
    return "; ".join(parts)
