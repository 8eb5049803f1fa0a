"""What a core holds in addition to memories, and what that makes an instruction wait for.

A target may have each core hold an object: what its queues share, such as mutexes, register files
or FIFOs. Semantics change it in place, conditions look at it, and the machine saves and restores it
with everything else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nasm.base.records import dataclass, field
from nasm.base.source import Span
from nasm.isa.effects import Packet
from nasm.isa.network import Crossing
from nasm.isa.tile_grid import TilePlace


def over(engine: str, unit: str) -> Hashable:
    """The part that changes when a unit has done what an engine has started."""
    return "over", engine, unit


class Holds(Protocol):
    """What a core holds: everything in it that changes is saved, and restored in place."""

    def save(self) -> Any:
        """Everything that changes; what is returned never does."""

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""


class Bytes(Protocol):
    """A linear memory of a core, or one that cores share, by byte address."""

    def read(self, address: int, count: int) -> NDArray[np.uint8]:
        """A copy of some bytes; raises Refused for any that the memory does not have."""

    def write(self, address: int, data: NDArray[np.uint8]) -> None:
        """Put bytes at an address; raises Refused for any that the memory does not have."""


Place = Hashable
"""The place of an instruction, as the machine knows it; None for nowhere."""


class EngineLines(Protocol):
    """The instructions of an engine's queue, as its program has them."""

    @property
    def queue(self) -> int:
        """The number of the queue, of which places have the first half."""

    @property
    def labels(self) -> Mapping[str, int]:
        """The pcs that labels name."""

    def __len__(self) -> int:
        """How many there are."""

    def instruction(self, pc: int) -> Any:
        """The instruction at a pc."""

    def span(self, pc: int) -> Span | None:
        """Where the instruction at a pc is written."""


class Surroundings(Protocol):
    """What an object that a core holds can reach."""

    @property
    def core(self) -> int:
        """The number of the core."""

    @property
    def now(self) -> int:
        """The tick of the run."""

    @property
    def place(self) -> Place:
        """The place of the instruction that starts, completes or is queried now."""

    @property
    def record(self) -> int:
        """The number of the start that acts now: of what starts, completes, or landed last."""

    def changed(self, *parts: Hashable, record: int | None = None) -> None:
        """Tell that parts of what the core holds change now, by names that its target gives them.

        Who changes them is what acts now, or a start of before by its number: see ``Blocked.on``.
        """

    def passed(self, engine: int, *parts: Hashable, started: bool = False) -> None:
        """Tell that an engine, by its number within the core, has waited for some parts.

        What it starts next, or what it has ``started``, comes after those that changed them before.
        """

    def memory(self, name: str) -> Bytes:
        """A linear memory that programs address by number, by its name."""

    def lines(self, engine: str) -> EngineLines | None:
        """The instructions of an engine of the core; None if the program has no queue for it."""

    @property
    def network(self) -> Any:
        """The network of the target that joins the tiles of a chip; None if there is none."""

    @property
    def tile(self) -> TilePlace:
        """Where the tile of the core is in a network."""

    def send(self, packet: Packet) -> Sequence[Crossing]:
        """Send a packet for the instruction that acts now; raises Refused where it cannot go.

        What comes of it at each receiver is returned.
        """

    def heard(self, engine: int, part: Hashable) -> None:
        """Tell that what an engine has started looks at a part which answers to packets change.

        If no packet of the core is left whose answer would change it, that comes after all of them.
        """

    def restart(self, engine: int) -> None:
        """Let an engine that has reached its end begin again in the next tick, with its first line.

        What lets it begin is what acts now. One that has not is left as it is.
        """

    def late(self, place: Place, tick: int, act: Callable[[], None]) -> None:
        """Do what the instruction at a place left for a tick, which has come.

        It is that one's, whichever access to the core triggers it: what it reports is of its place,
        what it is refused as well, and observers are notified that it has acted.
        """

    def report(
        self,
        code: str,
        text: str,
        hint: str,
        others: Sequence[tuple[Place, str]] = (),
        warning: bool = False,
    ) -> None:
        """Tell of something wrong with the instruction of now, which the hardware does not refuse.

        ``others`` are earlier ones that have to do with it, each with a clause that begins with a
        verb: what it does. The run continues; a code is reported once per line.
        """


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why an instruction may not start yet, though nothing else keeps it from starting.

    ``cause`` is what its idle time is called, a word; ``reason`` a clause for people that says how
    it is: "mutex 3 is held by t1". It is asked again ``until`` a tick, if that is known, and after
    every start and completion of its core. ``by`` are the queues, by number within the core, of
    which one has to continue for it to end; none if any of them may do. ``on`` are the parts of
    what the core holds that it waits for, by the names under which their changes are reported: the
    last change of one of them has ended it. ``hint`` is what may be wrong if nothing ends it.
    Without ``completions`` it is not asked after these: starts end it, or what is due at a tick.
    One that is ``noted`` is only asked after a change of what it is ``on``, each of which its
    target reports.
    """

    cause: str
    reason: str
    until: int | None = None
    by: tuple[int, ...] = ()
    on: tuple[Hashable, ...] = ()
    hint: str = ""
    completions: bool = True
    noted: bool = False


class Burst(Protocol):
    """Instructions of a queue that a core can execute at once: what comes of it is as one by one.

    The first starts now; ``starts`` are ticks after that, ``latencies`` ticks from each start to
    its completion. All occupy one unit, each for as long as the first. ``stalls`` names those that
    start later than their unit is free, by number, each with the cause of its idle time.
    """

    @property
    def starts(self) -> Sequence[int]:
        """When each starts."""

    @property
    def latencies(self) -> Sequence[int]:
        """How long each takes."""

    @property
    def stalls(self) -> Sequence[tuple[int, str]]:
        """What comes late, and why."""

    @property
    def route(self) -> Sequence[int] | None:
        """The pcs of what is executed, where some of it jumps; None for one after the other.

        Where the queue continues then the target answers when it is asked to expand what follows.
        """

    def perform(self, count: int, place: Callable[[int], Place]) -> bool:
        """Execute the first ones, of which ``place`` tells the places by number.

        Returns False where that cannot be done at once, and has changed nothing then.
        """

    @property
    def settle(self) -> Callable[[], None]:
        """What each does at its completion that completes after the start of the last.

        Anything else that an earlier instruction would do at its completion keeps a burst from
        being made before that.
        """


class Unfinished(NamedTuple):
    """Something that an engine of a core, by its number within it, has left open at its end.

    ``idle`` is what keeps one from beginning: it is so of an engine that has executed nothing.
    """

    engine: int
    message: str
    hint: str
    idle: bool = False


class Fifo:
    """A queue of so many entries between two stages: who pushes waits while it is full.

    ``name`` is what sentences call it, and the part that changes on a push or a take. The
    conditions of those that do are its ``full`` and ``empty``; ``by`` says which queues would end
    that.
    """

    __slots__ = ("_entries", "capacity", "name")

    def __init__(self, name: str, capacity: int) -> None:
        self.name, self.capacity = name, capacity
        self._entries: deque[Any] = deque()

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Any:
        return iter(self._entries)

    def full(self, count: int = 1, by: tuple[int, ...] = ()) -> Blocked | None:
        """What keeps so many entries from being pushed."""
        if len(self) + count <= self.capacity:
            return None
        return self._blocked(f"holds {len(self)} of {self.capacity}", by)

    def empty(self, count: int = 1, by: tuple[int, ...] = ()) -> Blocked | None:
        """What keeps so many entries from being taken."""
        if len(self) >= count:
            return None
        held = f"holds {len(self)} of the {count} wanted" if len(self) else "is empty"
        return self._blocked(held, by)

    def _blocked(self, how: str, by: tuple[int, ...]) -> Blocked:
        return Blocked("fifo", f"{self.name} {how}", by=by, on=(self.name,))

    def push(self, entry: Any) -> None:
        """Append an entry to the others; there is room."""
        assert len(self) < self.capacity, self.name
        self._entries.append(entry)

    def take(self) -> Any:
        """The entry that came first; there is one."""
        return self._entries.popleft()

    def save(self) -> Any:
        """The entries, none of which ever changes."""
        return tuple(self._entries)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        self._entries = deque(saved)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A part of what a core holds, as it is: an array, a small table, or both.

    ``array`` is what expressions compute with: of a ``dtype`` by name, else of its own; ``known``
    says which elements are (None: all). What is set is rounded to the dtype ``stored``, if that is
    another. ``rows`` are lines of a table under ``heads``. ``summary`` is
    how it is now, in a few words: who owns it, what it waits for. One that ``rests`` is as always.
    """

    array: NDArray[Any] | None = None
    known: NDArray[np.bool_] | None = None
    dtype: str = ""
    stored: str = ""
    summary: str = ""
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    rests: bool = False

    @property
    def resting(self) -> bool:
        """Whether there is nothing to tell of it: no words, no rows, and no element but zeros."""
        if self.rests:
            return True
        if self.summary or self.rows:
            return False
        if self.array is None:
            return True
        there = self.array if self.known is None else self.array[self.known]
        return not there.any() and (self.known is None or not self.known.any())


Put = Callable[[Any, NDArray[Any], NDArray[np.bool_]], None]
"""Puts into what a core holds some elements of a part: an array of the shape in which the part is
seen, as it is stored, and which of its elements to take. Raises Refused, and changes nothing then.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of what a core holds, for display: its name in expressions, and what it is.

    ``read`` takes what the core holds, changes nothing, and returns what is not changed later.
    ``items`` are names that expressions have for its items, in their order. If it is ``by_queue``
    the first cell of its rows, or without a table the first axis of its array, says which queue
    of the core it belongs to. What can be set by hand has a ``put``, and for items, by their names,
    maybe ``words`` for numbers. ``data`` says that results are computed from its elements: it is a
    register file, and no counter or setting.
    """

    name: str
    what: str
    read: Callable[[Any], Seen]
    items: tuple[str, ...] = ()
    by_queue: bool = False
    put: Put | None = None
    words: Mapping[str, Mapping[str, int]] = field(default_factory=dict, compare=False)
    data: bool = False

    @property
    def names(self) -> dict[str, int | None]:
        """The names that it has in expressions, with the number in it that each represents."""
        return {self.name: None, **{name: number for number, name in enumerate(self.items)}}
