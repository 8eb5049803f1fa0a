"""What the vector unit has to know of each instruction besides its values, as its row declares it.

Which sub-unit executes it, which registers and flags it uses and how long these take, what it does
to Dst and to the stack of flags, and what has to hold for many of them to be executed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from functools import cache
from typing import Final

from nasm.base.records import dataclass, field
from nasm.targets.tensix.chips import Chip
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.words import FIRST

Fields = Mapping[str, int]
Registers = frozenset[int]

LOAD, SIMPLE, MAD, ROUND, STORE = "load", "simple", "MAD", "round", "store"
"""The sub-units."""

NO_REGISTERS: Final[Registers] = frozenset()
_NO_MODES: Final[frozenset[int]] = frozenset()


class Role(Enum):
    """What the vector unit, or a macro, treats in a way of its own; one instruction each."""

    PLAIN = "plain"
    LOADS = "loads"
    STORES = "stores"
    MACRO = "macro"
    IDLES = "idles"
    PUSHES = "pushes"
    POPS = "pops"
    CONFIGURES = "configures"


def mode_of(fields: Fields) -> int:
    """The field that selects what an instruction does; 0 where it has none."""
    return fields.get("Mod1", fields.get("Mod0", 0))


def _never(fields: Fields) -> bool:
    return False


def _draws_nothing(fields: Fields, quirks: Quirks) -> bool:
    return False


def _unchanged(reads: Registers, writes: Registers, fields: Fields) -> tuple[Registers, Registers]:
    return reads, writes


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """One instruction of the vector unit.

    Attributes:
        sub_unit: The sub-unit that executes it when it is issued.
        reads: Registers that it may read, by its fields.
        writes: Registers that it may write, by its fields.
        put_off: Sub-units to which a macro can put it off; its own, unless that is of loads.
        role: What is treated in a way of its own.
        reads_flags: It executes only in the lanes that flags enable.
        all_lanes: Modes in which it ignores flags anyway.
        sets_flags: Whether it may write flags, by its fields.
        latency: Cycles after which what it writes can be read.
        slow_modes: Modes in which these are two, and its sub-unit is busy for both.
        interlocked: The unit waits for it, and takes nothing but the idle one in the cycle after,
            where it takes two cycles.
        scoreboard: The unit delays what reads what it writes, by what the unit knows of that.
        seen: What the unit knows of what it reads; None if that is all.
        after_shift: It may start in the cycle after one of ``slow_modes`` on either sub-unit of
            shifts.
        dst_index: It may be used, or means more registers, where ENABLE_DEST_INDEX is set.
        indexed: What it reads and writes there.
        dst_address: Of what reads Dst, the fixed part of the address, by its fields.
        modes: Modes that are not refused; None if none is.
        draws: Whether random numbers advance, by its fields.
    """

    sub_unit: str
    reads: Callable[[Fields], Registers]
    writes: Callable[[Fields], Registers]
    put_off: tuple[str, ...] = ()
    role: Role = Role.PLAIN
    reads_flags: bool = True
    all_lanes: frozenset[int] = _NO_MODES
    sets_flags: Callable[[Fields], bool] = _never
    latency: int = 1
    slow_modes: frozenset[int] = _NO_MODES
    interlocked: bool = False
    scoreboard: bool = False
    seen: Callable[[Fields], Registers] | None = None
    after_shift: bool = False
    dst_index: bool = False
    indexed: Callable[[Registers, Registers, Fields], tuple[Registers, Registers]] = _unchanged
    dst_address: Callable[[Fields], int] | None = None
    modes: Collection[int] | None = None
    draws: Callable[[Fields, Quirks], bool] = _draws_nothing

    @property
    def put_off_to(self) -> tuple[str, ...]:
        """Sub-units to which a macro can put it off."""
        return self.put_off or (() if self.sub_unit == LOAD else (self.sub_unit,))

    def is_slow(self, fields: Fields) -> bool:
        """Whether its sub-unit is busy with it for two cycles."""
        return bool(self.slow_modes) and fields["Mod1"] in self.slow_modes

    def latency_of(self, fields: Fields) -> int:
        """After how many cycles what it writes can be read."""
        slow = self.slow_modes and fields["Mod1"] in self.slow_modes
        return 2 if slow else self.latency


@dataclass(frozen=True, slots=True)
class VectorFacts:
    """An instruction of the vector unit: what is declared of it, and what executes it."""

    facts: Lanes
    act: Callable[..., None] = field(repr=False)


VectorTable = dict[str, VectorFacts]

LANES: Final[VectorTable] = {}
"""Every instruction of the vector unit of the first generation, by its mnemonic."""

LANES_ON: Final[dict[str, VectorTable]] = {FIRST: LANES}
"""Those of every generation, by its name."""


def declare(lanes: VectorTable, mnemonic: str, facts: Lanes, act: Callable[..., None]) -> None:
    """Add an instruction; raises TypeError if another one has its role."""
    for other, known in lanes.items():
        if facts.role is not Role.PLAIN and known.facts.role is facts.role:
            raise TypeError(f"{mnemonic} {facts.role.value}, as {other} does")
    lanes[mnemonic] = VectorFacts(facts, act)


def lanes_of(chip: Chip) -> VectorTable:
    """The instructions of the vector unit of a generation."""
    return LANES_ON[chip.name]


def facts_of(mnemonic: str, lanes: VectorTable = LANES) -> Lanes:
    """What is declared of an instruction of the vector unit."""
    return lanes[mnemonic].facts


@cache
def the(role: Role) -> str:
    """The mnemonic of the instruction that has a role."""
    return next(mnemonic for mnemonic, known in LANES.items() if known.facts.role is role)


__all__ = [
    "LANES",
    "LANES_ON",
    "Fields",
    "Lanes",
    "Role",
    "VectorFacts",
    "VectorTable",
    "declare",
    "facts_of",
    "lanes_of",
    "mode_of",
    "the",
]
