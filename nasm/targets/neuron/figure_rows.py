"""How rows of figures are written: the same on every generation, carried over, or one each."""

from __future__ import annotations

from nasm.isa.evidence import Evidence, Fact
from nasm.isa.figures import Figure, FigureUse

DOC, MEAS, ASSUMED = Evidence.DOCUMENTED, Evidence.MEASURED, Evidence.ASSUMED
TIME, RATE, LIMIT = FigureUse.TIME, FigureUse.RATE, FigureUse.LIMIT
VERSIONS = ("v2", "v3", "v4")


def everywhere(
    name: str,
    unit: str,
    meaning: str,
    value: float,
    evidence: Evidence,
    source: str,
    use: FigureUse = TIME,
) -> Figure:
    """A figure that is the same on every generation."""
    facts = dict.fromkeys(VERSIONS, Fact(value, evidence, source))
    return Figure(name, unit, meaning, facts, use)


def carried(name: str, unit: str, meaning: str, value: float, source: str) -> Figure:
    """A figure measured on v3, and assumed to be the same on v2 and v4."""
    there = Fact(value, ASSUMED, f"carried over from v3: {source}")
    return Figure(name, unit, meaning, {"v2": there, "v3": Fact(value, MEAS, source), "v4": there})


def each(
    name: str, unit: str, meaning: str, v2: Fact, v3: Fact, v4: Fact, *, use: FigureUse = TIME
) -> Figure:
    """A figure that differs between generations."""
    return Figure(name, unit, meaning, {"v2": v2, "v3": v3, "v4": v4}, use)
