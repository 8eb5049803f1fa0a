"""Semaphores and events in full: who waits, who has posted, and who still can."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from nasm.analysis.deadlock.posts import Supply
from nasm.base.problems import clean
from nasm.base.records import dataclass
from nasm.debugger.engines.context import Scene
from nasm.debugger.engines.records import Location
from nasm.sim.counters import TRANSFER, Semaphore, Who
from nasm.sim.events import Observer

if TYPE_CHECKING:
    from nasm.debugger.moving.past import Past

REMEMBERED = 20
"""Changes of a semaphore that are remembered: of more, the last."""


@dataclass(frozen=True, slots=True, repr=False)
class Changed:
    """A change that a semaphore has seen: its value since a tick, and who made it."""

    tick: int
    value: int
    by: Location
    transfer: bool

    def __repr__(self) -> str:
        return clean(f"<{self.value} since tick {self.tick}, by {self.by}>")


@dataclass(frozen=True, slots=True, repr=False)
class Pending:
    """A post that waiters do not see before a tick."""

    at: int
    change: str
    by: Location

    def __repr__(self) -> str:
        return clean(f"<{self.change} at tick {self.at}, by {self.by}>")


@dataclass(frozen=True, slots=True, repr=False)
class Waiting:
    """An engine that waits, and for what; it continues at the tick ``until``, None if not known."""

    at: Location
    op: str
    value: int
    until: int | None

    def __repr__(self) -> str:
        return clean(f"<{self.at} waits for {self.op} {self.value}>")


@dataclass(frozen=True, slots=True, repr=False)
class Poster:
    """A line that updates a semaphore: by how much each time, how often it did, and still would.

    The counts are of instructions; a transfer posts in so many ``shares``, as they land. With
    ``maybe`` more than ``ahead`` may come: that is not known.
    """

    at: Location
    op: str
    value: int
    shares: int
    made: int
    ahead: int
    maybe: bool

    @property
    def change(self) -> str:
        """What one of its instructions does, as a program writes it."""
        return _change(self.op, self.value)

    def __repr__(self) -> str:
        more = ", perhaps more" if self.maybe else ""
        return clean(f"<{self.at} {self.change}: {self.made} made, {self.ahead} ahead{more}>")


@dataclass(frozen=True, slots=True, repr=False)
class Counter:
    """A semaphore or event now: ``value``, of which waiters see ``seen``.

    ``moving`` is what transfers in flight will still post.
    """

    name: str
    core: int
    number: int
    event: bool
    value: int
    seen: int
    pending: tuple[Pending, ...]
    waiting: tuple[Waiting, ...]
    posters: tuple[Poster, ...]
    moving: int

    def __repr__(self) -> str:
        return clean(f"<${self.name} = {self.value}>")


def counter(scene: Scene, index: int) -> Counter:
    """A semaphore or event by its number among all."""
    machine, program = scene.machine, scene.program
    semaphore = machine.scheduler.semaphores.get(index) or Semaphore()
    core, number, event = program.generation.counter(index)
    ahead = [post for post in semaphore.pending if post.at > scene.now and not scene.ended]
    seen = semaphore.seen
    for post in semaphore.pending[: len(semaphore.pending) - len(ahead)]:
        seen = seen + post.value if post.op == "+" else post.value
    return Counter(
        program.semaphore_name(index),
        core,
        number,
        bool(event),
        semaphore.value,
        seen,
        tuple(Pending(p.at, _change(p.op, p.value), scene.place(p.by)) for p in ahead),
        tuple(_waiting(scene, queue) for queue in semaphore.parked),
        posters(scene, index),
        sum(f.left for f in machine.scheduler.transfers.values() if f.semaphore == index),
    )


def _change(op: str, value: int) -> str:
    if op == "=":
        return f"= {value}"
    return f"{'-' if value < 0 else '+'}= {abs(value)}"


def _waiting(scene: Scene, index: int) -> Waiting:
    queue = scene.scheduler.queues[index]
    assert queue.wait is not None
    found = scene.engine(queue)
    until = next((h.until for h in found.holds if h.semaphore and h.certain), None)
    return Waiting(scene.place((index, queue.pc)), queue.wait[1], queue.wait[2], until)


def posters(scene: Scene, index: int) -> tuple[Poster, ...]:
    """Every line that updates a semaphore, in the order of queues."""
    supply, found = Supply(scene.machine, scene.flows.changing), []
    for updater in supply.updaters(index):
        pc = supply.coming(updater) if updater.coming else updater.pcs[0]
        found.append(
            Poster(
                scene.place((updater.queue, pc)),
                updater.op,
                updater.value,
                updater.shares,
                updater.made,
                updater.ahead,
                updater.maybe,
            )
        )
    return tuple(found)


# -- history


class _Posts(Observer):
    """The last changes of one semaphore."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.found: deque[tuple[int, int, Who | None, bool]] = deque(maxlen=REMEMBERED)

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        if number == self.number and semaphore.last is not None:
            last = semaphore.last
            self.found.append((now, semaphore.value, last.by, last.poster == TRANSFER))


def history(past: Past, scene: Scene, index: int, most: int = REMEMBERED) -> tuple[Changed, ...]:
    """The last changes of a semaphore, the latest last: the run is done again to see them."""
    found: list[tuple[int, int, Who | None, bool]] = []
    with past.excursion():
        for _, end in past.intervals():
            posts = _Posts(index)
            past.replay(end, posts)
            found = [*posts.found, *found][-most:]
            if len(found) >= most or past.running.asked:
                break
    return tuple(Changed(tick, value, scene.place(by), moved) for tick, value, by, moved in found)
