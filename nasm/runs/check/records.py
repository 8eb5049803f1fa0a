"""What an examination tells: plain frozen records, which reports turn into tables or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.base.problems import Problem, Severity, counted
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.base.suppressions import AllowedProblem

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.analysis.order_question import OrderAnswer
    from nasm.runs.waits.records import WaitReport

LIMIT, VALUES = "limit", "values"
"""Why a program was not followed to its end: it is longer, or continues as its values decide."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """Another tensor with some of the same bytes of each partition, ``low`` up to ``high``.

    ``meets`` says whether there was a time at which both were in use.
    """

    name: str
    low: int
    high: int
    meets: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """A tensor in its memory: which bytes of each partition it owns, and when.

    It is in use from its first write to its last use, in microseconds; both are None if the run
    touched it nowhere. An input is in use from the start, an output to the end. ``writers`` and
    ``readers`` are engines, those whose transfers it was with ``DMA`` appended.
    """

    name: str
    partition: int
    partitions: int
    low: int
    high: int
    begin: float | None
    end: float | None
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    sharing: tuple[Sharing, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryMap:
    """The tensors of a memory by address. ``size`` is bytes per partition, 0 if it has no end.

    ``placed`` bytes of each partition have an owner; ``most`` of them are in use at one time, for
    the first time ``at`` so many microseconds. ``bank`` is the bytes of a bank, 0 without banks.
    """

    memory: str
    core: int
    size: int
    bank: int
    placed: int
    most: int
    at: float
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class Executable:
    """An instruction by its place: its pc, its name, and where it is in the text."""

    pc: int
    name: str
    span: Span | None


@dataclass(frozen=True, slots=True)
class Reliance:
    """A line that reads an earlier result of its own engine, which only the interlock orders.

    It does so ``count`` times of the ``of`` that it was executed. ``what`` is a tensor or a
    register. Of several rounds ``reader`` and ``writer`` are the first two that do.
    """

    queue: str
    reader: Executable
    writer: Executable
    what: str
    count: int
    of: int


@dataclass(frozen=True, slots=True, repr=False)
class Examination:
    """What is known of a program before it is run with values.

    ``problems`` are errors, then warnings and notes, in the order of the text; those that are
    ``allowed`` are apart. ``ended`` says where it ended when it was followed without its values:
    ``finished``, ``deadlock`` or ``fault`` if that is all there is to know, ``limit`` if it is
    longer, or ``values`` if they decide how it continues. ``instructions`` completed until then, in
    so many ``microseconds``. ``relied`` is what depends on an interlock, None if that was not asked
    for. ``order`` answers why two lines are in order, ``waits`` what the waits could be instead, if
    that was asked. ``ways`` is on how many
    ways through the branches that values decide it was followed.
    """

    ended: str
    instructions: int
    microseconds: float
    problems: tuple[Problem, ...]
    allowed: tuple[AllowedProblem, ...]
    memories: tuple[MemoryMap, ...]
    relied: tuple[Reliance, ...] | None
    order: OrderAnswer | None = None
    waits: WaitReport | None = None
    ways: int = 1

    @property
    def whole(self) -> bool:
        """Whether all of the program was followed."""
        return self.ended not in (LIMIT, VALUES)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """What fails the program."""
        return tuple(p for p in self.problems if p.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What does not, and is likely to be wrong."""
        return tuple(p for p in self.problems if p.severity is Severity.WARNING)

    @property
    def notes(self) -> tuple[Problem, ...]:
        """What is worth knowing."""
        return tuple(p for p in self.problems if p.severity is Severity.NOTE)

    @property
    def ok(self) -> bool:
        """Whether nothing fails the program."""
        return not self.errors

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.problems)) or "nothing was found"

    def __repr__(self) -> str:
        found = f"{counted(len(self.errors), 'error')}, {counted(len(self.warnings), 'warning')}"
        return f"<examination, {'whole' if self.whole else 'in part'}: {found}>"
