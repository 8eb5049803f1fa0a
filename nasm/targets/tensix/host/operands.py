"""Operands of the RISC-V cores: addresses, by number or name, and words of 32 bits."""

from __future__ import annotations

from nasm.base.problems import Refused, did_you_mean, quoted
from nasm.base.records import dataclass
from nasm.isa.kinds import WRONG_KIND, Kind
from nasm.targets.tensix.address_names import ADDRESSES, address_text
from nasm.views.value_text import value_text

NAMED = "GPR0 to GPR63, SEM0 to SEM7, MOP1_LoopOp and others"


@dataclass(frozen=True, slots=True)
class Address(Kind):
    """An address of a word."""

    def accept(self, value: object) -> object:
        """The address; raises Refused."""
        if isinstance(value, str):
            found = ADDRESSES.get(value)
            if found is None:
                message = f"no address is called '{quoted(value)}'"
                raise Refused(WRONG_KIND, message, did_you_mean(value, ADDRESSES))
            return found
        if type(value) is not int or not 0 <= value < 1 << 32:
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        if value & 3:
            raise Refused(WRONG_KIND, f"{value:#x} is not a multiple of 4")
        return value

    def format(self, value: object) -> str:
        """By its name, if it has one."""
        assert isinstance(value, int)
        return address_text(value)

    def describe(self) -> str:
        """What it accepts."""
        return f"an address that is a multiple of 4, or a name: {NAMED}"

    @property
    def placeholder(self) -> str:
        """A word for an address."""
        return "address"

    @property
    def words(self) -> tuple[str, ...]:
        """The names."""
        return tuple(ADDRESSES)

    @property
    def numeric(self) -> bool:
        """A program's own names come first."""
        return True


LEAST, MOST = -(1 << 31), (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class WordValue(Kind):
    """A word of 32 bits, with a sign or without."""

    def accept(self, value: object) -> object:
        """The number; raises Refused."""
        if type(value) is not int or not LEAST <= value <= MOST:
            raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")
        return value

    def format(self, value: object) -> str:
        """In hexadecimal, if it is large."""
        assert isinstance(value, int)
        return str(value) if abs(value) < 1 << 16 else f"{value:#x}"

    def describe(self) -> str:
        """What it accepts."""
        return f"an integer from {LEAST} to {MOST:#x}"

    @property
    def placeholder(self) -> str:
        """A word for a number."""
        return "integer"
