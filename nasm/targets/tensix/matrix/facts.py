"""What the matrix unit has to know of each instruction besides its values, as its row declares it.

How long it takes, which banks it waits for, which rows of Dst it uses, how long it keeps others
out, and how it is done where many are at once. Figures are those of the documents, in cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from nasm.base.records import dataclass
from nasm.targets.tensix.state import RowCounters

Fields = Mapping[str, int]


class UnitTiming(NamedTuple):
    """Cycles until the unit takes the next instruction, and until the result is there."""

    interval: int
    latency: int
    source: str


class Banks(NamedTuple):
    """Which banks have to be the matrix unit's before an instruction starts."""

    a: bool = False
    b: bool = False


NO_BANK, ONLY_A, ONLY_B, BOTH = Banks(), Banks(a=True), Banks(b=True), Banks(a=True, b=True)


def always(fields: Fields) -> bool:
    """Whatever its fields are."""
    return True


def never(fields: Fields) -> bool:
    """Whatever its fields are, not."""
    return False


def eight_rows(fields: Fields) -> int:
    """An aligned block."""
    return 8


class DstRows(NamedTuple):
    """The rows of Dst that an instruction uses: whether it reads and writes them, and how many."""

    reads: Callable[[Fields], bool] = never
    writes: bool = True
    count: Callable[[Fields], int] = eight_rows


class Move(NamedTuple):
    """Where a move between register files writes, and the cycles for which it keeps others out.

    Those into SrcA or SrcB let others into the same file follow at once. Those into Dst keep out
    only what reads Dst, whichever rows.
    """

    into: str
    holds: int


NO_MOVE: Final = Move("", 0)


class SourceRows(NamedTuple):
    """The eight rows of SrcB of a product, and which of the eight rows of Dst it writes."""

    of_b: tuple[int, ...]
    kept: tuple[bool, ...]


Product = Callable[[Fields, RowCounters, int], SourceRows]
"""The rows of a product, by its fields, the row counters and its row of Dst."""


MovedRows = Callable[[Fields, RowCounters, int], tuple[range, range]]
"""The rows of SrcA and of Dst of a move, by its fields, the row counters, and what is added to that
of Dst."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixFacts:
    """One instruction of the matrix unit.

    Attributes:
        timing: How long it takes; None if it is known by name only.
        banks: The banks it waits for.
        dst: The rows of Dst that it uses, if it uses any.
        after_moves: It waits for moves into Dst, wherever in Dst it reads; what always reads does.
        move: Of a move between register files, and of what keeps others out as one does.
        moved: Of a move from SrcA to Dst that is done together with others, its rows.
        product: Of a product that is computed together with others, its rows.
        counts: Of what moves row counters and nothing else if it flips no bank, what does that.
    """

    timing: UnitTiming | None
    banks: Banks = NO_BANK
    dst: DstRows | None = None
    after_moves: bool = False
    move: Move = NO_MOVE
    moved: MovedRows | None = None
    product: Product | None = None
    counts: Callable[..., None] | None = None

    def holds(self, later: MatrixFacts) -> int:
        """Cycles after it started in which the unit does not take another instruction."""
        into, cycles = self.move
        if into == "Dst":
            waits = later.after_moves or (later.dst is not None and later.dst.reads is always)
            return cycles if waits else 0
        return 0 if into and later.move.into == into else cycles


CYCLE: Final = UnitTiming(1, 1, "MatrixUnit")

MATRIX_UNIT: Final[dict[str, MatrixFacts]] = {}
"""Every instruction of the matrix unit, by its mnemonic."""


def timing_of(mnemonic: str) -> UnitTiming:
    """How long an instruction takes that is executed."""
    timing = MATRIX_UNIT[mnemonic].timing
    assert timing is not None
    return timing
