"""What a session tells: plain frozen records, which reports turn into tables or JSON.

Cycles are of the engine named beside them, ticks divide every clock, and microseconds are what
ticks are worth. Nothing in a record changes when the machine goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from nasm.problems import Problem
from nasm.source import Span


class Status(Enum):
    """Where a run stands."""

    READY = "not started"
    RUNNING = "running"
    FINISHED = "finished"
    DEADLOCK = "deadlock"
    FAULT = "fault"
    LIMIT = "cycle limit reached"


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


@dataclass(frozen=True, slots=True)
class QueueRecord:
    """One queue now. ``state`` is ``done``, ``waiting``, ``running`` or ``idle`` (empty).

    ``text`` is its next instruction, ``wait`` what it waits for, in the profiler's notation.
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
    """One bank of a banked memory: bytes per partition ever written, and who lives there."""

    core: int
    memory: str
    bank: int
    size: int
    written: int
    tensors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """What an engine did: instructions, and cycles of its own clock.

    ``busy`` is when one of its units worked, ``waiting`` when its next instruction was held up
    (by cause in ``waits``); ``utilisation`` is busy over the whole run. ``evidence`` splits the
    busy cycles by how well their cost is known. ``cycles`` is its counter when its last
    instruction completed.
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


@dataclass(frozen=True, slots=True)
class Mismatch:
    """An element that is not what was expected; ``index`` is its place in the left side."""

    index: tuple[int, ...]
    found: float
    wanted: float
    error: float


@dataclass(frozen=True, slots=True)
class ExpectationRecord:
    """An expectation and what was measured: ``summary`` is one line, ``worst`` the worst places."""

    text: str
    span: Span
    held: bool
    summary: str
    measured: float | None
    bound: float | None
    worst: tuple[Mismatch, ...] = ()


@dataclass(frozen=True, slots=True)
class RunReport:
    """A run at its end, or as far as it got; ``options`` are those not as they are by default."""

    status: Status
    program: str
    target: str
    generation: str
    ticks: int
    microseconds: float
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
    options: tuple[tuple[str, str | int], ...] = ()
    semaphores: tuple[SemaphoreRecord, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the program finished, without hazards, and all it promised holds."""
        return (
            self.status is Status.FINISHED
            and not self.problems
            and not self.hazards
            and all(e.held for e in self.expectations)
        )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long run has got."""

    instructions: int
    ticks: int
    microseconds: float
    elapsed: float
