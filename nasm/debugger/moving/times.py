"""Times as a user writes them, in ticks."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from nasm.base.problems import Refused, quoted
from nasm.runs.inspection import Inspection
from nasm.sim.queues import NEVER

WRONG = "E0822"

_TIME = re.compile(r"(\d[\d_]*|\d{1,3}(?:,\d{3})+)?(\.\d+)?\s*(us|µs|ns|cycles?)?")


def tick(held: Inspection, text: str) -> int:
    """The tick of a text such as ``5000`` or ``5,000 cycles`` (of the base clock), or ``2.5us``.

    Raises Refused.
    """
    found = _TIME.fullmatch(text.strip())
    if found is None or not (found[1] or found[2]):
        hint = "a cycle as in 5000, or a time as in 2.5us; commas separate thousands only"
        raise Refused(WRONG, f"wanted a cycle or a time, found '{quoted(text)}'", hint)
    digits = (found[1] or "0").replace("_", "").replace(",", "")
    number = Fraction(digits + (found[2] or ""))
    generation = held.program.generation
    unit = Fraction(generation.base.cycle)
    if found[3] in ("us", "µs", "ns"):
        unit = Fraction(generation.ticks, 1000 if found[3] == "ns" else 1)
    ticks = math.ceil(number * unit)
    if ticks >= NEVER:
        raise Refused(WRONG, f"no run lasts as long as '{quoted(text)}'")
    return ticks
