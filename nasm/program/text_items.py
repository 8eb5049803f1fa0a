"""What a text says beyond lines at their places: kept until all of the text is known.

Moments, drains and loops at run time take instructions, waits and updates that depend on the rest
of the text. They are kept here by position: how many lines had been appended before. When the text
is complete the queues are rewritten, with all that it takes (``nasm/sync/loops_and_moments.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from nasm.base.records import dataclass, field
from nasm.base.source import Span


class Round(NamedTuple):
    """An index of a moment that the variable of a loop at run time moves: the variable plus this.

    ``loop`` is the loop's number.
    """

    loop: int
    offset: int


class DeferredMoment(NamedTuple):
    """A moment by its name and indices."""

    name: str
    indices: tuple[int | Round, ...] = ()


class MomentMention(NamedTuple):
    """Where a line posts a moment or comes after one; ``at_read`` posts when reading is over.

    If nothing posts it by its name, which is a macro's own, it is the one of that name in the file:
    ``otherwise``. ``earlier`` says for each index whether it is written as one of an earlier round
    of a ``.for``: -1 where earlier rounds have smaller numbers, 1 where greater ones, else 0.
    """

    moment: DeferredMoment
    span: Span
    at_read: bool = False
    otherwise: str = ""
    earlier: tuple[int, ...] = ()


@dataclass(slots=True)
class Moments:
    """What one line says of moments."""

    posts: tuple[MomentMention, ...] = ()
    afters: tuple[MomentMention, ...] = ()

    def at(self, span: Span) -> Moments:
        """The same, mentioned elsewhere."""
        posts, afters = ([m._replace(span=span) for m in n] for n in (self.posts, self.afters))
        return Moments(tuple(posts), tuple(afters))


class PlacedLabel(NamedTuple):
    """A label of a queue is here."""

    queue: int
    name: str


class Drain(NamedTuple):
    """A queue waits here until its transfers have landed; those of all queues with ``every``."""

    queue: int
    every: bool
    span: int
    chain: int


@dataclass(slots=True)
class Control:
    """What a queue does to go through a loop: numbers of instructions.

    Before the label at the head comes ``enter`` and, where there may be no round, ``leave``, which
    branches to the end. After the body come ``step`` and ``back``, which branches to the head if
    there is another round.
    """

    enter: tuple[int, ...]
    leave: int | None
    step: tuple[int, ...]
    back: int


@dataclass(slots=True)
class RunTimeLoop:
    """A loop at run time and the items of its body.

    ``parts`` are of the queues that go through it; no other has a line in it. ``number`` is what
    indices of moments call it, ``step`` what a round adds to its variable; there are so many
    ``rounds``, if that is known. ``left`` says that a branch in the body may leave it before its
    rounds are over. ``registers`` are those of each queue that the text does not name, by their
    numbers, with what they hold.
    """

    number: int
    head: str
    end: str
    step: int = 1
    parts: dict[int, Control] = field(default_factory=dict)
    body: list[Item] = field(default_factory=list)
    span: int = 0
    chain: int = 0
    left: bool = False
    registers: dict[int, dict[int, str]] = field(default_factory=dict)
    rounds: int | None = None


def _nowhere(name: str) -> Span | None:
    """No branch was left out."""
    return None


Item = range | PlacedLabel | Drain | RunTimeLoop
"""Lines by their positions, or what is between two lines."""


class Recorded:
    """All that a text says, in its order; ``moments`` are by the position of their line.

    A position is how many lines the builder had appended before. ``passed`` finds where the text
    posts a moment of some name in a branch that was not taken.
    """

    def __init__(self) -> None:
        self.moments: dict[int, Moments] = {}
        self.passed: Callable[[str], Span | None] = _nowhere
        self.loops = 0
        self._open: list[list[Item]] = [[]]
        self._reached = 0
        self._needed = False

    def __bool__(self) -> bool:
        return self._needed or bool(self.moments)

    def settle(self) -> None:
        """Let moments that a macro comes after, and does not post itself, be those of the file."""
        posted = {m.moment.name for line in self.moments.values() for m in line.posts}
        for line in self.moments.values():
            line.afters = tuple(
                m._replace(moment=m.moment._replace(name=m.otherwise))
                if m.otherwise and m.moment.name not in posted
                else m
                for m in line.afters
            )

    def label(self, position: int, label: PlacedLabel) -> None:
        """A label is at a position."""
        self._reach(position)
        self._open[-1].append(label)

    def drain(self, position: int, drain: Drain) -> None:
        """A queue waits at a position for its transfers."""
        self._reach(position)
        self._open[-1].append(drain)
        self._needed = True

    def begin(self, position: int, loop: RunTimeLoop) -> None:
        """The body of a loop begins at a position."""
        self._reach(position)
        self._open[-1].append(loop)
        self._open.append(loop.body)
        self._needed = True

    def end(self, position: int) -> None:
        """The body of the innermost loop ends at a position."""
        self._reach(position)
        self._open.pop()

    def items(self, position: int) -> list[Item]:
        """All items, once so many lines were appended."""
        self._reach(position)
        return self._open[0]

    def _reach(self, position: int) -> None:
        if position > self._reached:
            self._open[-1].append(range(self._reached, position))
            self._reached = position
