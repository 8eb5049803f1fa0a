"""What a comparison tells: plain frozen records, all times in microseconds.

Of everything that two runs have in common there are two values, ``a`` and ``b``; one is None where
that run has no such thing.
"""

from __future__ import annotations

from nasm.analysis.profile.records import Moved, Profile
from nasm.base.problems import Problem
from nasm.base.records import dataclass
from nasm.base.source import Span

BUSY, EMPTY = "busy", "empty"
"""What an engine does besides waiting: see :class:`nasm.analysis.profile.records.EngineTimes`."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A name that does not mean the same on both sides: a program, a target, a constant."""

    kind: str
    name: str
    a: str
    b: str

    def __str__(self) -> str:
        named = f"{self.kind} {self.name}".rstrip()
        return f"{named}: {self.a or 'not set'} and {self.b or 'not set'}"


@dataclass(frozen=True, slots=True)
class Change:
    """The time of an engine that went the same way in both runs: ``busy``, a cause, ``empty``.

    ``by`` says of a semaphore who made the post that ended the wait.
    """

    engine: str
    cause: str
    by: str
    a: float
    b: float

    @property
    def change(self) -> float:
        """How much more of it there is in b."""
        return self.b - self.a

    @property
    def what(self) -> str:
        """The cause as a reader wants it."""
        return self.cause if self.cause in (BUSY, EMPTY) else f"waits for {self.by or self.cause}"


@dataclass(frozen=True, slots=True)
class OnPath:
    """What a line of a program has of a critical path: its time, share of the path, and steps."""

    queue: str
    span: Span | None
    text: str
    microseconds: float
    share: float
    steps: int


@dataclass(frozen=True, slots=True)
class PathChange:
    """A line of either program on the critical paths: one is None if it is not on that path."""

    a: OnPath | None
    b: OnPath | None

    @property
    def change(self) -> float:
        """How much more of the path it is in b."""
        return (self.b.microseconds if self.b else 0.0) - (self.a.microseconds if self.a else 0.0)


@dataclass(frozen=True, slots=True)
class MovedChange:
    """What a core moved: see :class:`nasm.analysis.profile.records.Moved`.

    ``active`` is in microseconds.
    """

    core: int
    a: Moved | None
    b: Moved | None
    active_a: float
    active_b: float


@dataclass(frozen=True, slots=True)
class FirstElement:
    """The first element of a tensor that differs, in row-major order; None is uninitialised."""

    index: tuple[int, ...]
    a: float | None
    b: float | None


@dataclass(frozen=True, slots=True)
class TensorChange:
    """An output of either run. ``apart`` says why there is nothing to compare, if so.

    Otherwise ``count`` elements of ``elements`` differ, ``first`` is the first of them, and
    ``largest`` the greatest difference: NaN where a number meets one, None where no element that
    differs has a value on both sides. NaNs are equal, and so are 0 and -0.
    """

    name: str
    a: str
    b: str
    elements: int = 0
    count: int = 0
    first: FirstElement | None = None
    largest: float | None = None
    apart: str = ""

    @property
    def equal(self) -> bool:
        """Whether both runs leave the same in it."""
        return not self.count and not self.apart


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Two runs side by side.

    ``differences`` are what tells the programs and their machines apart; ``engines`` where the time
    of every engine went, ``path`` the lines of both critical paths: in both, what got slower comes
    first. ``tensors`` are the outputs in the order of their declaration, empty where ``without``
    says why values were not compared.
    """

    a: Profile
    b: Profile
    differences: tuple[Difference, ...]
    engines: tuple[Change, ...]
    path: tuple[PathChange, ...]
    moved: tuple[MovedChange, ...]
    tensors: tuple[TensorChange, ...]
    without: str
    hazards_a: tuple[Problem, ...]
    hazards_b: tuple[Problem, ...]

    @property
    def change(self) -> float:
        """How much longer b takes."""
        return self.b.microseconds - self.a.microseconds

    @property
    def ratio(self) -> float | None:
        """The same as a part of a; None if that takes no time."""
        return self.change / self.a.microseconds if self.a.microseconds else None

    @property
    def first_tensor(self) -> TensorChange | None:
        """The first output that differs."""
        return next((tensor for tensor in self.tensors if not tensor.equal), None)

    def __repr__(self) -> str:
        times = f"{self.a.microseconds:,.3f} µs and {self.b.microseconds:,.3f} µs"
        return f"<comparison of {self.a.title} and {self.b.title}: {times}>"
