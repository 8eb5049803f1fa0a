"""The units that execute instructions, and which bits of a block mask hold these back.

The bits are B0 to B8 of waits at the gate. Source: Tenstorrent ISA documentation, Wormhole B0, the
page of waits for units ("Block mask").
"""

from __future__ import annotations

from nasm.base.records import dataclass


@dataclass(frozen=True, slots=True)
class TensixUnit:
    """A unit; ``blocked`` are the bits of a block mask that hold its instructions back.

    With ``every`` only all of them together do.
    """

    name: str
    blocked: tuple[int, ...]
    every: bool = False

    @property
    def gate(self) -> str:
        """Which bits of a block mask hold its instructions back at the wait gate, as a clause."""
        if not self.blocked:
            return "it never reaches the wait gate"
        bits = [f"B{bit}" for bit in self.blocked]
        if self.every:
            return f"the wait gate holds it back if a block mask has all of {bits[0]} to {bits[-1]}"
        if len(bits) == _BITS:
            return "the wait gate holds it back whichever bit a block mask has"
        return f"the wait gate holds it back if a block mask has {' or '.join(bits)}"


_BITS = 9
_ALL = tuple(range(_BITS))

FRONT = TensixUnit("front end", ())
NOTHING = TensixUnit("miscellaneous unit", _ALL, every=True)
SYNC = TensixUnit("sync unit", (1,))
STALLS = TensixUnit("sync unit", _ALL)
SCALAR = TensixUnit("scalar unit", (0, 5))
RESET = TensixUnit("scalar unit", (0,))
CONFIG = TensixUnit("configuration unit", (7,))
MISC = TensixUnit("miscellaneous unit", (0,))
MATRIX = TensixUnit("matrix unit", (6,))
VECTOR = TensixUnit("vector unit", (8,))
MOVER = TensixUnit("mover", (0, 4))
PACK = TensixUnit("packers", (0, 2))
UNPACK = TensixUnit("unpackers", (0, 3))
BUFFER = TensixUnit("packers", (0,))
