"""Operands of RISC-V instructions: registers by their names, and numbers of some bits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from nasm.base.problems import Refused, did_you_mean, quoted
from nasm.base.records import dataclass
from nasm.isa.kinds import WRONG_KIND, Kind
from nasm.targets.tensix.host.operands import WordValue
from nasm.targets.tensix.risc_state import RISC_REGISTERS
from nasm.targets.tensix.riscv.decode import MOST_PUSHED
from nasm.targets.tensix.riscv.formats import WordLayout
from nasm.views.value_text import value_text

USES: Final = {
    "zero": "0", "ra": "the return address", "sp": "the stack pointer", "gp": "the global pointer",
    "tp": "the thread pointer", "t": "a temporary", "s": "kept by what is called",
    "a": "an argument",
}  # fmt: skip
"""What the calling convention has registers for, by names or by their letters."""


def _named() -> Iterator[tuple[str, int]]:
    """Source: The RISC-V Instruction Set Manual, Volume I, 20191213, chapter 25."""
    yield from (("zero", 0), ("ra", 1), ("sp", 2), ("gp", 3), ("tp", 4))
    yield from ((f"t{n}", n + 5 if n < 3 else n + 25) for n in range(7))
    yield from ((f"s{n}", n + 8 if n < 2 else n + 16) for n in range(12))
    yield from ((f"a{n}", n + 10) for n in range(8))


CONVENTION: Final = dict(_named())
"""Registers by the names of the calling convention."""

NUMBERED: Final = {f"x{n}": n for n in range(RISC_REGISTERS)}
NAMES: Final = {**CONVENTION, "fp": 8, **NUMBERED}
TEXTS: Final = {number: name for name, number in CONVENTION.items()}
"""The name of each register in the calling convention."""


@dataclass(frozen=True, slots=True)
class CoreRegister(Kind):
    """A register of a RISC-V core, by its number or by the calling convention."""

    def accept(self, value: object) -> object:
        """Its number; raises Refused."""
        if isinstance(value, str):
            found = NAMES.get(value)
            if found is None:
                message = f"there is no register '{quoted(value)}'"
                raise Refused(WRONG_KIND, message, did_you_mean(value, NAMES) or "x0 to x31")
            return found
        if type(value) is int and 0 <= value < RISC_REGISTERS:
            return value
        raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")

    def format(self, value: object) -> str:
        """By the calling convention."""
        assert isinstance(value, int)
        return TEXTS[value]

    def describe(self) -> str:
        """What it accepts."""
        return "a register: x0 to x31, or zero, ra, sp, gp, tp, t0 to t6, s0 to s11, a0 to a7"

    @property
    def placeholder(self) -> str:
        """A word for a register."""
        return "register"

    @property
    def words(self) -> tuple[str, ...]:
        """The names."""
        return tuple(NAMES)

    @property
    def meanings(self) -> Mapping[str, str]:
        """What the calling convention has each for."""
        found = {}
        for name, number in CONVENTION.items():
            use = USES.get(name) or USES[name[0]]
            found[name] = f"x{number}: {use}"
        return found


@dataclass(frozen=True, slots=True)
class ImmediateNumber(Kind):
    """A number that an immediate holds; of the upper twenty bits either as they are, or signed."""

    form: WordLayout

    def accept(self, value: object) -> object:
        """The number; raises Refused."""
        form = self.form
        least = form.least if form.signed or form.bits < 20 else -(1 << (form.bits - 1))
        if type(value) is not int or not least <= value <= form.most:
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        return value if form.signed else value & ((1 << form.bits) - 1)

    def format(self, value: object) -> str:
        """In hexadecimal, if it is large."""
        assert isinstance(value, int)
        return str(value) if abs(value) < 4096 else hex(value)

    def describe(self) -> str:
        """What it accepts."""
        return f"an integer from {self.form.least} to {self.form.most}"

    @property
    def placeholder(self) -> str:
        """A word for a number."""
        return "integer"


@dataclass(frozen=True, slots=True)
class TensixWord(WordValue):
    """The word of a Tensix instruction that one word of RISC-V can push."""

    def accept(self, value: object) -> object:
        """The number; raises Refused."""
        if type(value) is not int or not 0 <= value < MOST_PUSHED:
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        return value

    def format(self, value: object) -> str:
        """With all its digits."""
        return f"{value:#010x}"

    def describe(self) -> str:
        """What it accepts."""
        return f"an integer from 0 to {MOST_PUSHED - 1:#x}"


def distance(form: WordLayout, target: int, address: int, label: Any) -> int:
    """How far a label is from an instruction; raises Refused if that does not fit."""
    found = target - address
    if form.fits(found):
        return found
    message = f"{label} is {found} bytes from here, and the word holds {form.least} to {form.most}"
    raise Refused("E0301", message, "a jump reaches 1 MiB, and what it jumps to may jump further")
