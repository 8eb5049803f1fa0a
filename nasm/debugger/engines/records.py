"""Engines at a moment, as records: what each executes, what is next, and why that waits."""

from __future__ import annotations

from nasm.base.drawing import Drawn
from nasm.base.problems import clean, counted
from nasm.base.records import dataclass
from nasm.base.source import Span, brief
from nasm.debugger.engines.transfers import TransferRecord
from nasm.machine.records import Status, Units


@dataclass(frozen=True, slots=True)
class Location:
    """An instruction: the engine whose it is, with its core where there are several, and its pc.

    ``rounds`` says in which round of which loop of the text it is written, and in which call of
    which macro. The pc is -1 for what
    was done by hand, which no instruction did. ``file`` is empty if the line is one of the
    program's own text.
    """

    engine: str
    pc: int
    line: int | None
    rounds: str = ""
    file: str = ""

    @property
    def where(self) -> str:
        """Its line, or its pc if it was written on none."""
        return f"pc {self.pc}" if self.line is None else brief(self.line, self.file)

    def __str__(self) -> str:
        if self.pc < 0:
            return self.engine
        return f"{self.engine} pc {self.pc}" + (f", {self.where}" if self.line else "")


@dataclass(frozen=True, slots=True, repr=False)
class Doing:
    """An instruction in flight: it started and completes at these ticks.

    Its unit is occupied until the tick ``busy``.
    """

    at: Location
    text: str
    span: Span | None
    started: int
    until: int
    busy: int

    def __repr__(self) -> str:
        return clean(f"<{self.at}: {self.text}, until tick {self.until}>")


@dataclass(frozen=True, slots=True, repr=False)
class Hold:
    """One thing that keeps an instruction from starting.

    ``kind`` is ``semaphore``, ``notification``, ``data``, ``unit``, ``port``, ``ready``, ``core``,
    ``condition``, ``turn`` or ``over``; ``reason`` continues "the engine", ``brief`` is shorter.
    It ends at the tick ``until``: not before that if it is not ``certain``, and None if that is not
    known. ``by`` are the instructions that would end it, ``transfers`` those in flight that would.
    For a semaphore ``what`` is the wait alone, and ``detail`` names the posters; it is ``enough``
    if sufficient posts are in flight.
    """

    kind: str
    reason: str
    until: int | None = None
    certain: bool = True
    by: tuple[Location, ...] = ()
    semaphore: str = ""
    value: int = 0
    wanted: int = 0
    transfers: tuple[TransferRecord, ...] = ()
    what: str = ""
    detail: str = ""
    brief: str = ""
    enough: bool = False

    def __repr__(self) -> str:
        return clean(f"<{self.reason}>")


@dataclass(frozen=True, slots=True, repr=False)
class EngineContext:
    """What one engine does now.

    ``engine`` is what it is called, ``cycle`` its own counter, ``doing`` what it executes, oldest
    first. ``at``, ``text`` and ``span`` are its next instruction, None and empty if it has none;
    ``holds`` is what keeps that from starting, what ends last in front. It starts at the tick
    ``starts``, not before that if it is not ``certain``, and None if that is not known.
    ``expansion`` says of which instructions it is one, if another was expanded to these, ``origin``
    which slot of a buffer or a template it was.
    """

    engine: str
    core: int
    index: int
    cycle: int
    length: int
    completed: int
    doing: tuple[Doing, ...] = ()
    at: Location | None = None
    text: str = ""
    span: Span | None = None
    holds: tuple[Hold, ...] = ()
    starts: int | None = None
    certain: bool = False
    expansion: str = ""
    origin: str = ""

    @property
    def idle(self) -> bool:
        """Whether it neither executes anything nor has anything left to do."""
        return self.at is None and not self.doing

    @property
    def why(self) -> str:
        """Why its next instruction has not started; empty if it has none."""
        return self.holds[0].reason if self.holds else "starts now" if self.at else ""

    @property
    def brief(self) -> str:
        """The same in fewer words."""
        return (self.holds[0].brief if self.holds else "") or self.why

    def __repr__(self) -> str:
        does = f"{self.at} {self.why}" if self.at else "idle" if self.idle else "in flight"
        return clean(f"<{self.engine} at cycle {self.cycle}: {does}>")


@dataclass(frozen=True, slots=True, repr=False)
class Context(Drawn):
    """What all engines do at a tick, and the transfers in flight."""

    tick: int
    status: Status
    engines: tuple[EngineContext, ...]
    transfers: tuple[TransferRecord, ...]
    units: Units

    @property
    def now(self) -> int:
        """The tick, as a session calls it."""
        return self.tick

    def __repr__(self) -> str:
        left = sum(not engine.idle for engine in self.engines)
        text = f"{counted(left, 'engine')} with something to do"
        return f"<context at tick {self.tick}: {text}, {len(self.transfers)} transfers in flight>"
