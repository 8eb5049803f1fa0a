"""What a session tells: plain frozen records, which reports turn into tables or JSON.

Cycles are of the engine named with them, ticks divide every clock, and microseconds are what
ticks are worth. Nothing in a record changes when the machine runs on. ``repr`` of a record is one
line, ``str`` what a report says of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, NamedTuple, Self, TypeVar

from nasm.base.drawing import Drawn
from nasm.base.problems import Problem, clean, counted, in_line
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.base.suppressions import AllowedProblem, as_errors
from nasm.isa.figures import FigureSet
from nasm.language.expectations.records import ExpectationRecord
from nasm.program.program import SpilledBytes

T = TypeVar("T")

MOST_INSTRUCTIONS = 10_000_000
"""Default limit of instructions that one run completes: about a minute."""

MOST_PROFILED = 1_000_000
"""The same of a run whose history is kept, which takes less than 1 KB for each of them."""

MOST_EXAMINED = 100_000
"""The same of a program that is examined: a few seconds."""

EXAMINED = frozenset((*(f"E053{n}" for n in range(6)), "E0544", "E0545"))
"""Codes of what an examination finds, and no run."""


class Status(Enum):
    """The progress of a run."""

    READY = "not started"
    RUNNING = "running"
    FINISHED = "finished"
    DEADLOCK = "deadlock"
    FAULT = "fault"
    LIMIT = "limit reached"
    TIMEOUT = "time limit reached"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Units:
    """What numbers in records are worth.

    So many ``ticks`` are a microsecond, so many a ``cycle`` of the base clock. Numbers and names
    have their core's number in front of them if the program uses several ``cores``.
    """

    ticks: int
    cycle: int
    cores: int = 1
    names: tuple[str, ...] = ()

    def microseconds(self, ticks: int) -> float:
        """Ticks in microseconds."""
        return ticks / self.ticks

    def moment(self, tick: int) -> str:
        """The time it is at a tick: '3.358 µs, cycle 4,701'."""
        return f"{self.microseconds(tick):,.3f} µs, cycle {tick // self.cycle:,}"

    def taken(self, ticks: int) -> str:
        """How long something took: '3.358 µs, 4,701 cycles at 1.4 GHz'."""
        cycles, clock = ticks // self.cycle, self.ticks / 1000 / self.cycle
        return f"{self.microseconds(ticks):,.3f} µs, {cycles:,} cycles at {clock:g} GHz"

    def named(self, core: int, what: str | int) -> str:
        """A name or a number of something of a core."""
        name = self.names[core] if self.names else core
        return f"{name}.{what}" if self.cores > 1 else str(what)


class Rows(Drawn, tuple[T, ...]):
    """Records of one kind: a tuple, and drawn a table. ``units`` are those of their numbers."""

    kind: type[T]
    units: Units

    def __new__(cls, kind: type[T], records: Iterable[T], units: Units) -> Self:
        """Records, as a tuple takes them."""
        made = super().__new__(cls, records)
        made.kind, made.units = kind, units
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.kind, tuple(self), self.units


class Moment(NamedTuple):
    """A moment of a run, between two events; of two, the later one is greater.

    ``position`` counts the events that were processed, ``tick`` is the time it is, ``changes``
    counts what was changed by hand so far. ``poised`` says that the start of an instruction comes
    next, and that nothing keeps it from starting any more.
    """

    position: int
    tick: int
    changes: int
    poised: bool


@dataclass(frozen=True, slots=True)
class Executed:
    """An instruction that completed; times in ticks, ``waited`` in the engine's cycles."""

    core: int
    engine: str
    queue: int
    pc: int
    text: str
    span: Span | None
    head: int
    start: int
    finish: int
    waited: int


@dataclass(frozen=True, slots=True)
class Message:
    """What an instruction said, and when: it was read from memory at ``ticks``.

    ``queue`` is what its queue is called: its engine, with the core where there are several.
    """

    queue: str
    core: int
    engine: str
    pc: int
    span: Span | None
    ticks: int
    microseconds: float
    text: str

    def __str__(self) -> str:
        text = f"{self.queue} pc {self.pc} at {self.microseconds:,.3f} µs: {self.text}"
        return clean(text.replace("\n", "\n    "))


def left_out(count: int) -> list[str]:
    """A line about the messages that were not kept, if there are any."""
    return [f"… and {counted(count, 'later message')}, not kept"] if count else []


@dataclass(frozen=True, slots=True)
class QueueRecord:
    """One queue now. ``state`` is ``done``, ``waiting``, ``running`` or ``idle`` (empty).

    ``text`` is its next instruction, ``wait`` what it waits for, in the profiler's notation.
    ``blocker`` is the resource that its next instruction waits for, and who occupies it.
    """

    core: int
    engine: str
    index: int
    pc: int
    length: int
    state: str
    text: str
    wait: str
    in_flight: tuple[str, ...]
    span: Span | None
    completed: int
    blocker: str = ""


@dataclass(frozen=True, slots=True)
class SemaphoreRecord:
    """One semaphore or event now, and the engines parked on it."""

    core: int
    number: int
    name: str
    value: int
    waiting: tuple[str, ...]
    event: bool = False


@dataclass(frozen=True, slots=True)
class ChannelRecord:
    """One channel (DMA engine) now; ``busy`` in ticks, ``pending`` jobs not yet started."""

    core: int
    index: int
    jobs: int
    bytes: int
    busy: int
    pending: int
    moving: bool


@dataclass(frozen=True, slots=True)
class BankRecord:
    """One bank of a banked memory: bytes per partition that are initialised, and its tensors."""

    core: int
    memory: str
    bank: int
    size: int
    written: int
    tensors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """What an engine did: instructions, and cycles of its own clock.

    ``busy`` is while one of its units was occupied, ``waiting`` while its next instruction was
    stalled (by cause in ``waits``); ``utilisation`` is busy over the whole run. ``evidence`` splits
    the busy cycles by how well their cost is known. ``cycles`` is its counter when its last
    instruction completed. ``place`` is what reports call its core, if the program has several.
    """

    core: int
    engine: str
    instructions: int
    busy: int
    waiting: int
    waits: tuple[tuple[str, int], ...]
    cycles: int
    utilisation: float
    evidence: tuple[tuple[str, int], ...]
    place: str = ""


def beside(entry_and_exit: float | None) -> str:
    """What launch and exit of a program take on a device, in words; empty if that is not known."""
    if not entry_and_exit:
        return ""
    return f"a device adds about {round(entry_and_exit, 1):,g} µs for launch and exit"


CHANGES = 5
"""Changes by hand that a report names in its line."""


@dataclass(frozen=True, slots=True, repr=False)
class RunReport(Drawn):
    """A run at its end, or as far as it got; ``options`` are those not as they are by default.

    ``timing`` are the timing figures that were set. ``entry_and_exit`` are the microseconds that a
    device takes in addition to these for the program as a whole, None if that is not known.
    ``messages`` are the first ones; ``messages_left_out`` says how many more there were. Of a run
    without ``values`` so many expectations were ``not_judged``: they ask for some. ``against`` is
    what other runs of the program show against it, in a few words each. ``allowed`` are problems
    that are ignored; races were looked for if it was ``checked``. ``changes`` are those that were
    made by hand, as they could be typed again. ``spilled`` are bytes that tiles without room on the
    chip move; ``overlap`` is within how many calls of a kernel some go before earlier ones.
    ``mfu`` are its useful operations over the peak of the dtypes that were computed in, None
    without any. ``units`` are those of its ticks. ``str`` of it is what ``neuron-nasm run``
    prints.
    """

    status: Status
    program: str
    target: str
    generation: str
    ticks: int
    microseconds: float
    units: Units
    engines: tuple[EngineRecord, ...]
    evidence: tuple[tuple[str, int], ...]
    channel_bytes: int
    hazards: tuple[Problem, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    expectations: tuple[ExpectationRecord, ...]
    trace_hash: str
    memory_hash: str
    messages: tuple[Message, ...] = ()
    messages_left_out: int = 0
    options: tuple[tuple[str, str | int], ...] = ()
    semaphores: tuple[SemaphoreRecord, ...] = ()
    timing: tuple[FigureSet, ...] = ()
    values: bool = True
    not_judged: int = 0
    entry_and_exit: float | None = None
    against: tuple[str, ...] = ()
    allowed: tuple[AllowedProblem, ...] = ()
    checked: bool = True
    changes: tuple[str, ...] = ()
    spilled: SpilledBytes = SpilledBytes()
    overlap: int = 0
    mfu: float | None = None

    @property
    def ok(self) -> bool:
        """Whether the program finished, without hazards, and all it promised holds."""
        return not self.reasons

    @property
    def title(self) -> str:
        """Which program ran on which machine, with the options that are not the default."""
        chosen = "".join(f", {name}={value}" for name, value in self.options)
        alone = "" if self.values else ", without values"
        return f"{in_line(self.program) or 'a program'} on {self.generation}{chosen}{alone}"

    @property
    def beside(self) -> str:
        """What a device takes in addition to the time of the run; empty if that is not known."""
        more = beside(self.entry_and_exit)
        return more and f"{more} (not in the time above)"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is not ok, in a few words each; empty if it is."""
        failed = sum(not e.held for e in self.expectations)
        count = len(self.expectations)
        finished = self.status is Status.FINISHED
        found = (
            (not finished, self.status.value),
            (self.hazards, as_errors(self.hazards)),
            (failed, f"{failed} of {counted(count, 'expectation')} failed"),
            (finished and self.problems, "expectations could not be evaluated"),
        )
        return (*(text for holds, text in found if holds), *self.against)

    @property
    def unasked(self) -> str:
        """How many expectations were not judged, in a sentence; empty if all were."""
        if not self.not_judged:
            return ""
        asks = "asks" if self.not_judged == 1 else "ask"
        return f"not judged: {counted(self.not_judged, 'expectation')} that {asks} for values"

    @property
    def unchecked(self) -> str:
        """That a run was not checked, in a sentence; empty if it was."""
        return "" if self.checked else "unchecked: races and unwritten outputs were not looked for"

    @property
    def by_hand(self) -> str:
        """What was changed by hand, in a line; empty if nothing was."""
        if not self.changes:
            return ""
        text = [in_line(" ".join(change.split())) for change in self.changes[:CHANGES]]
        more = len(self.changes) - len(text)
        return f"changed by hand: {'; '.join(text)}" + (f"; and {more:,} more" if more else "")

    @property
    def promises(self) -> str:
        """What a run that is ok has shown: how many expectations it met."""
        count = len(self.expectations)
        met = f"{counted(count, 'expectation')} met" if count else ""
        return ", ".join(filter(None, (met, self.unasked))) or "the program has no expectations"

    def __repr__(self) -> str:
        text = ", ".join(self.reasons) or "ok"
        return f"<run of {self.title}: {text}, {self.microseconds:,.3f} µs>"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long run has got."""

    instructions: int
    ticks: int
    microseconds: float
    elapsed: float
