"""What a profile tells: plain frozen records, all times in ticks unless they say otherwise."""

from __future__ import annotations

from nasm.analysis.profile.what_if import WhatIf
from nasm.base.drawing import Drawn
from nasm.base.problems import Problem, in_line, listed
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.base.suppressions import AllowedProblem
from nasm.isa.figures import FigureSet
from nasm.machine.records import Status, Units

MOVERS = "DMA"
"""What posted, if it was no engine."""


@dataclass(frozen=True, slots=True)
class Stall:
    """Ticks in which no instruction of an engine was at work, and why.

    ``by`` says of a semaphore who made the post that ended the wait: an engine, or DMA. It is empty
    for one that nothing posted to, and for other causes.
    """

    cause: str
    by: str
    ticks: int

    def __str__(self) -> str:
        return f"{self.cause} of {self.by}" if self.by else self.cause


@dataclass(frozen=True, slots=True)
class EngineTimes:
    """Where the time of an engine went: ``busy``, its ``stalls`` and ``empty`` are all of it.

    ``active`` is how long any of its instructions had started and not completed.
    """

    core: int
    engine: str
    name: str
    instructions: int
    busy: int
    stalls: tuple[Stall, ...]
    empty: int
    active: int


@dataclass(frozen=True, slots=True)
class Moved:
    """What was moved apart from the engines, on one ring or (``ring`` is None) on all of a core.

    ``active`` is how long any share had started and not landed, ``busy`` the ticks of all channels
    together, ``channels`` how many of them moved something.
    """

    core: int
    ring: int | None
    transfers: int
    active: int
    busy: int
    bytes: int
    descriptors: int
    channels: int

    @property
    def bytes_per_descriptor(self) -> float:
        """The mean size of a descriptor."""
        return self.bytes / max(1, self.descriptors)


@dataclass(frozen=True, slots=True)
class Bound:
    """A time that the run cannot go below as long as something stays as it is.

    ``above`` names the bound that this one is part of, ``gap`` how much shorter it is, in
    microseconds as well; ``meaning`` says what it is the time of.
    """

    name: str
    microseconds: float
    above: str
    gap: float
    meaning: str


@dataclass(frozen=True, slots=True)
class Rates:
    """What was computed and moved, and what the machine could; None is what it does not say.

    ``adjusted`` are the operations in units of those that the peak is given for; ``minimum`` are
    the bytes of ``memory``, outside of the cores, if each were read once, or written once.
    ``intensity`` is operations per byte, ``ridge`` the intensity at which the memory's peak feeds
    the engines' peak. That peak is the one of ``peak`` numbers, as the vendor has it; what begins
    with ``dtype`` is the same of the peak of the dtypes that were computed in. By it the
    ``verdict`` is made.
    """

    flops: int
    transposes: int
    adjusted: float
    adjusted_transposes: float
    read: int
    written: int
    minimum: int
    memory: str
    mfu: float | None
    hfu: float | None
    mbu: float | None
    intensity: float | None
    ridge: float | None
    mfu_limit: float | None
    peak: str
    dtype_mfu: float | None
    dtype_hfu: float | None
    dtype_ridge: float | None
    dtype_mfu_limit: float | None
    verdict: str

    @property
    def other_peak(self) -> bool:
        """Whether the dtypes that were computed in have another peak than ``peak`` numbers."""
        return self.dtype_mfu != self.mfu or self.dtype_hfu != self.hfu


@dataclass(frozen=True, slots=True)
class Finding:
    """Something of a line that costs time: how often, what was found, and what is the limit."""

    problem: Problem
    count: int
    found: float
    limit: float
    unit: str


@dataclass(frozen=True, slots=True)
class Spent:
    """What some of the critical path was: who did what, for how long; ``title`` is who in prose."""

    who: str
    title: str
    doing: str
    ticks: int

    def __str__(self) -> str:
        return f"{self.title} {self.doing}"


@dataclass(frozen=True, slots=True)
class Link:
    """An engine, or DMA, in a chain: its ticks of the critical path, and those it was busy in all.

    ``name`` is who in prose.
    """

    name: str
    ticks: int
    busy: int


@dataclass(frozen=True, slots=True)
class EngineChain:
    """Engines and DMA that take turns on the critical path, none of them busy for most of the run.

    ``rounds`` is how often at least two of them had their turn; ``links`` have the longest on the
    path first.
    """

    links: tuple[Link, ...]
    rounds: int


@dataclass(frozen=True, slots=True)
class PathLine:
    """What a line of the program has of the critical path, in so many steps.

    ``edge`` is how most of it got onto the path, ``parts`` what it is made of: see
    :class:`nasm.analysis.profile.path.PathStep`. ``slack`` is how much later the line could have
    started each time without making the run longer, if that was asked for; lines without steps are
    not on it.
    """

    queue: str
    span: Span | None
    text: str
    ticks: int
    steps: int
    edge: str
    parts: tuple[tuple[str, int], ...]
    slack: int | None = None


@dataclass(frozen=True, slots=True)
class UnitTimes:
    """How many ticks a unit was busy that the queues of a core share, and with what."""

    core: int
    unit: str
    instructions: int
    busy: int


@dataclass(frozen=True, slots=True, repr=False)
class Profile(Drawn):
    """Where the time of a run went. ``entry_and_exit`` are microseconds not in it.

    ``spent`` is what the critical path is made of, ``chain`` who takes turns on it where nothing
    else bounds the run, ``path`` the same line by line, ``evidence`` by
    how well it is known, and ``busy`` so the cycles that engines were busy; ``outcomes`` are runs
    without something, those that save most first, if they were asked for. ``allowed`` are findings
    that are ignored, ``unused`` notes on what allows none. ``units`` are those that the queues of
    a core share. ``scale`` is what its ticks are worth, ``channels`` how many a core has.
    ``str`` of it is what ``neuron-nasm profile`` prints.
    """

    status: Status
    program: str
    target: str
    generation: str
    options: tuple[tuple[str, str | int], ...]
    timing: tuple[FigureSet, ...]
    ticks: int
    microseconds: float
    scale: Units
    channels: int
    entry_and_exit: float | None
    engines: tuple[EngineTimes, ...]
    moved: tuple[Moved, ...]
    bounds: tuple[Bound, ...]
    rates: Rates
    findings: tuple[Finding, ...]
    spent: tuple[Spent, ...]
    path: tuple[PathLine, ...]
    evidence: tuple[tuple[str, int], ...]
    busy: tuple[tuple[str, int], ...]
    outcomes: tuple[WhatIf, ...] = ()
    problems: tuple[Problem, ...] = ()
    allowed: tuple[AllowedProblem, ...] = ()
    unused: tuple[Problem, ...] = ()
    units: tuple[UnitTimes, ...] = ()
    chain: EngineChain | None = None

    @property
    def ticks_per_microsecond(self) -> int:
        """What a tick is worth."""
        return self.scale.ticks

    @property
    def verdict(self) -> str:
        """What bound the run, in a sentence with a number; empty if nothing happened."""
        total = sum(part.ticks for part in self.spent)
        if not total:
            return ""
        if self.chain:
            names = listed([link.name for link in self.chain.links], "and")
            idle = [f"{100 * (1 - link.busy / self.ticks):.0f} %" for link in self.chain.links]
            turns = f"{names} take turns {self.chain.rounds:,} times on the critical path"
            return f"bound by a chain: {turns} and are idle for {listed(idle, 'and')} of the run"
        most = self.spent[0]
        return f"bound by {most}: {100 * most.ticks / total:.0f} % of the critical path"

    @property
    def title(self) -> str:
        """Which program ran on which machine, with the options that are not the default."""
        chosen = "".join(f", {name}={value}" for name, value in self.options)
        return f"{in_line(self.program) or 'a program'} on {self.generation}{chosen}"

    def __repr__(self) -> str:
        return f"<profile of {self.title}: {self.microseconds:,.3f} µs>"
