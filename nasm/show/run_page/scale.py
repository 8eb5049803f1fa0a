"""Times on an axis: where its marks are, and what they say. All of it in microseconds."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor, log10

STEPS = (1, 2, 5, 10)
UNITS = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"), (1e-3, "ns"))


def label(micro: float) -> str:
    """A time in the unit in which it is at least 1."""
    size, unit = next((u for u in UNITS if abs(micro) >= u[0] * 0.9995), UNITS[-1])
    return f"{micro / size:,.4g} {unit}"


def ticks(begin: float, end: float, count: int) -> Iterator[tuple[float, str]]:
    """At most about so many marks between two times, each with its text."""
    rough = (end - begin) / count
    power = 10.0 ** floor(log10(rough))
    step = next(s * power for s in STEPS if s * power >= rough * 0.999)
    size, unit = next((u for u in UNITS if end >= u[0]), UNITS[-1])
    for n in range(ceil(begin / step - 1e-9), floor(end / step + 1e-9) + 1):
        yield n * step, f"{n * step / size:,.10g} {unit}"
