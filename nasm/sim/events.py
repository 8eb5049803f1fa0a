"""The stream of events: what a scheduler tells its observers.

Everything that watches a run is an :class:`Observer`: the trace, the race test, whatever profiles
or stops it. An observer receives those events whose methods it defines; an event that none defines
costs nothing. All times are ticks. An observer changes nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nasm.sim.burst_plan import CompletedBurst
    from nasm.sim.channels import Flight, Group
    from nasm.sim.counters import Semaphore, Who
    from nasm.sim.queues import Flying, Queue, Task
    from nasm.sim.repeated import Repeated


class Observer:
    """Receives events. It can save and restore what it remembers of a run."""

    def head(self, queue: Queue, task: Task, now: int) -> None:
        """A task reached the head of its queue; ``now`` is when it can start at the earliest."""

    def idle(self, queue: Queue, now: int) -> None:
        """A queue was idle up to now, since ``queue.accounted``; ``queue.idling()`` says why."""

    def waited(self, queue: Queue, semaphore: int, by: Who | None, seen: int) -> None:
        """A wait at the head of a queue is over at ``seen``; ``by`` made the last post to it."""

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """A task starts at the pc of its queue, and has read nothing yet.

        ``queue.cause`` and ``queue.blocker`` say what let it start: the unit, the port, the post,
        the data or the arrival that it waited for last, or just its turn; ``queue.because`` is the
        number of the start or the shares that ended that wait, -1 if nothing had to.
        ``queue.record`` is its own number, ``queue.interval`` and ``queue.latency`` how long it
        takes this time. ``task.work`` has the regions it reads and writes.
        """

    def readied(
        self, queue: Queue, task: Task, record: int, because: int, start: int, until: int
    ) -> None:
        """The unit of the next task of a queue is made ready, from ``start`` to ``until``.

        ``record`` is the number of this, ``because`` of what it had to wait for, and
        ``queue.cause`` says how.
        """

    def arrived(self, queue: Queue, task: Task, record: int, now: int) -> None:
        """A task waits to be released from now on, because nothing else keeps it from starting.

        ``record`` is the number of this; ``queue.cause`` and ``queue.because`` say what let it
        happen.
        """

    def met(self, queues: Sequence[int]) -> None:
        """The last one arrived: the next tasks of these queues are released together."""

    def finished(self, queue: Queue, done: Flying) -> None:
        """A task completed: its results have appeared, its post has not been made."""

    def burst(self, queue: Queue, done: CompletedBurst) -> None:
        """Tasks were executed at once, and completed; nothing else is reported of them.

        While an observer receives heads, idle time, starts or completions, but not this, there are
        no bursts.
        """

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """A semaphore was changed, by ``semaphore.by``."""

    def unchanged(self, number: int, semaphore: Semaphore, by: Who, now: int) -> None:
        """A post set a bit that was set, or cleared one that was clear."""

    def made(self, queue: Queue, record: int, because: int, start: int, until: int) -> None:
        """Something is made apart from the queues for the instruction at the pc of a queue.

        That takes from ``start`` to ``until``. ``record`` is the number of this, ``because`` of
        the instruction, or of what was made before if that is not done yet.
        """

    def issued(self, flight: Flight, now: int) -> None:
        """An instruction issued a transfer."""

    def queued(self, flight: Flight, now: int) -> None:
        """The shares of a transfer reached the rings of their channels."""

    def read(self, group: Group, now: int) -> None:
        """Shares of a transfer start and are about to read their bytes.

        ``group.free`` is when their channels are done with them, if nothing gets in between.
        """

    def parted(self, group: Group, other: Group, now: int) -> None:
        """Of shares that have started together some go their own way from now on, as ``other``.

        It has a number of its own, though its start is the one that was reported.
        """

    def landed(self, group: Group, now: int) -> None:
        """Shares are about to write their bytes, and then post."""

    def delivered(self, group: Group, now: int) -> None:
        """Shares have written their bytes, and not posted yet."""

    def acted(self, who: Who, tick: int) -> None:
        """Something has changed in a core that an instruction had left for a tick, which is past.

        It was not observed between two events; it is reported while another one acts, or is
        queried.
        """

    def altered(self, core: int, part: Hashable, record: int) -> None:
        """A part of what a core holds is changed, by the start that has a number."""

    def passed(self, queue: int, core: int, parts: Sequence[Hashable], started: bool) -> None:
        """A queue has waited for parts of what its core holds to be as they are now.

        What it starts next had to, or what it has ``started``.
        """

    def message_printed(self, queue: Queue, text: str, now: int) -> None:
        """The instruction at the pc of a queue said something."""

    def repeated(self, mark: Any, rounds: Repeated) -> None:
        """All that has happened since a mark has happened some times more.

        While an observer receives anything of what happens then, but not this, nothing is repeated.
        """

    def mark(self) -> Any:
        """What it has to know of a moment if what happens after that may be repeated."""
        return None

    def since(self, mark: Any) -> bool:
        """Whether it still has all that has happened since a mark."""
        return True

    def save(self) -> Any:
        """What it remembers, as it is."""
        return None

    def restore(self, saved: Any) -> None:
        """Remember what was saved, and nothing that came later."""


EVENTS = tuple(
    name
    for name in vars(Observer)
    if not name.startswith("_") and name not in ("mark", "since", "save", "restore")
)
"""The events that an observer may define."""


def listeners(observers: Sequence[Observer], event: str) -> tuple[Any, ...]:
    """The methods of those observers that define an event."""
    return tuple(getattr(observer, event) for observer in observers if _defines(observer, event))


_ONE_BY_ONE = ("head", "idle", "started", "finished", "acted")


def hear_bursts(observers: Sequence[Observer]) -> bool:
    """Whether all observers of single tasks accept bursts as well."""
    return all(
        _defines(observer, "burst") or not any(_defines(observer, e) for e in _ONE_BY_ONE)
        for observer in observers
    )


_APART = (
    "unchanged", "message_printed", "burst", "repeated", "arrived", "met", "altered", "passed",
)  # fmt: skip
"""Events of what is not repeated."""


def hear_rounds(observers: Sequence[Observer]) -> bool:
    """Whether all observers of what can be repeated accept that it is reported at once."""
    return all(
        _defines(observer, "repeated")
        or not any(_defines(observer, event) for event in EVENTS if event not in _APART)
        for observer in observers
    )


def _defines(observer: Observer, event: str) -> bool:
    return getattr(type(observer), event) is not getattr(Observer, event)
