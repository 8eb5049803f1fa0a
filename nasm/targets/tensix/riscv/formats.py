"""How the words of RV32 instructions hold registers and immediates.

Source: The RISC-V Instruction Set Manual, Volume I, 20191213, sections 2.2 and 2.3.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from nasm.base.records import dataclass

WORD: Final = 0xFFFFFFFF

RD, RS1, RS2 = 7, 15, 20
"""Where the five bits of each register begin."""


class ImmediatePiece(NamedTuple):
    """Bits of an immediate: ``width`` of them, from bit ``low`` of the word to bit ``to`` of it."""

    low: int
    width: int
    to: int


@dataclass(frozen=True, slots=True)
class WordLayout:
    """Which registers a word names, and where its immediate is.

    ``bits`` is how many the immediate has, those below ``step`` included, which are 0.
    """

    name: str
    registers: tuple[int, ...]
    pieces: tuple[ImmediatePiece, ...] = ()
    bits: int = 0
    step: int = 1
    signed: bool = True

    @property
    def least(self) -> int:
        """The least immediate."""
        return -(1 << (self.bits - 1)) if self.signed and self.bits else 0

    @property
    def most(self) -> int:
        """The greatest immediate."""
        if not self.bits:
            return 0
        return (1 << (self.bits - self.signed)) - self.step

    def fits(self, value: int) -> bool:
        """Whether an immediate can be held."""
        return self.least <= value <= self.most and not value % self.step

    def encode(self, registers: Iterable[int], immediate: int) -> int:
        """The bits of registers, in the order of the format, and of an immediate that fits."""
        word = 0
        for at, number in zip(self.registers, registers, strict=True):
            word |= number << at
        for low, width, to in self.pieces:
            word |= (immediate >> to & ((1 << width) - 1)) << low
        return word

    def immediate(self, word: int) -> int:
        """The immediate of a word, with its sign."""
        value = 0
        for low, width, to in self.pieces:
            value |= (word >> low & ((1 << width) - 1)) << to
        if self.signed and self.bits and value >> (self.bits - 1):
            value -= 1 << self.bits
        return value


def _pieces(*of: tuple[int, int, int]) -> tuple[ImmediatePiece, ...]:
    return tuple(ImmediatePiece(*one) for one in of)


REGISTERS_ONLY: Final = WordLayout("R", (RD, RS1, RS2))
IMMEDIATE: Final = WordLayout("I", (RD, RS1), _pieces((20, 12, 0)), 12)
SHIFT: Final = WordLayout("I, a shift", (RD, RS1), _pieces((20, 5, 0)), 5, signed=False)
STORED: Final = WordLayout("S", (RS2, RS1), _pieces((25, 7, 5), (7, 5, 0)), 12)
BRANCHES: Final = WordLayout(
    "B", (RS1, RS2), _pieces((31, 1, 12), (7, 1, 11), (25, 6, 5), (8, 4, 1)), 13, step=2
)
UPPER: Final = WordLayout("U", (RD,), _pieces((12, 20, 0)), 20, signed=False)
JUMPS: Final = WordLayout(
    "J", (RD,), _pieces((31, 1, 20), (12, 8, 12), (20, 1, 11), (21, 10, 1)), 21, step=2
)
NONE: Final = WordLayout("no operands", ())
ONE_REGISTER: Final = WordLayout("R, of one register", (RD, RS1))
ATOMICS: Final = WordLayout("R, of an address", (RD, RS2, RS1))
STATUS: Final = WordLayout(
    "I, of a status register", (RD, RS1), _pieces((20, 12, 0)), 12, signed=False
)
STATUS_NUMBER: Final = WordLayout(
    "I, of a status register and a number",
    (RD,),
    _pieces((20, 12, 0), (15, 5, 12)),
    17,
    signed=False,
)
"""The formats; the immediate of U is the upper twenty bits as a number."""


def register_at(word: int, at: int) -> int:
    """The register that a word names from a bit on."""
    return word >> at & 31


def signed(value: int) -> int:
    """A word as a number with a sign."""
    return value - (1 << 32) if value >> 31 else value
