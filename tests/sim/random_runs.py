"""Random runs of the scheduler with everything that it knows: for tests of what watches a run.

Queues of tasks have units of their own and ports in common; they wait and post, also as soon as
they start; some units are made ready, some tasks meet one of another queue, and some issue
transfers, whose shares are cut at packets, for which descriptors are made, and which cores share.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

from nasm.isa.pace import Pace
from nasm.sim.channels import Channels, Flight, Portion
from nasm.sim.counters import Counters
from nasm.sim.delayed_scheduler import DelayedScheduler
from nasm.sim.delays import Delays
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task, Work
from nasm.sim.resources import Resource
from nasm.sim.scheduler import Scheduler
from nasm.views.regions import Region

COUNTERS, PLACES, DELAY, NOTIFY, DISPATCH = 4, 3, 5, 7, 11


@dataclass(frozen=True)
class Move:
    """A transfer: its ring, its portions as (channels, busy, latency, packets), what is made."""

    ring: int
    portions: tuple[tuple[int, int, int, int], ...]
    urgency: int
    making: int
    counter: int | None


@dataclass(frozen=True)
class Line:
    """A task: see Task. ``key`` is what its unit must have been made ready for."""

    interval: int
    drain: int
    unit: int
    wait: tuple[int, str, int] | None
    update: tuple[int, str, int, bool] | None
    reads: int | None
    writes: int | None
    sets: bool
    uses: bool
    ports: tuple[str, ...]
    key: int | None
    slow: int
    move: Move | None
    meets: bool


Lines = list[list[Line]]


class Table(Pace):
    """Makes a unit ready for 6 ticks when the key changes."""

    def __init__(self) -> None:
        self.key: Hashable = None

    def ahead(self, key: Hashable) -> int:
        before, self.key = self.key, key
        return 0 if before in (None, key) else 6

    def save(self) -> Any:
        return self.key

    def restore(self, saved: Any) -> None:
        self.key = saved


class Slow(Pace):
    """Every third start is slower by its key."""

    def __init__(self) -> None:
        self.count = 0

    def at(self, key: Hashable, now: int, interval: int, latency: int) -> tuple[int, int]:
        assert isinstance(key, int)
        self.count += 1
        more = key if self.count % 3 == 0 else 0
        return interval + more, latency + more

    def save(self) -> Any:
        return self.count

    def restore(self, saved: Any) -> None:
        self.count = saved


def drawn(rng: random.Random) -> Lines:
    """Some queues; the first two may meet."""
    queues = rng.randint(2, 4)
    made: Lines = [[_line(rng) for _ in range(rng.randint(1, 12))] for _ in range(queues)]
    for number in range(rng.choice((0, 0, 1, 2))):
        for lines in made[:2]:
            lines.insert(min(len(lines), 3 * number), _meeting(rng))
    return made


WAITS = (">=", ">=", ">=", "==")
UPDATES = (("+", 1), ("+", 2), ("+", 1), ("=", 2), ("+", -1))


def _line(rng: random.Random) -> Line:
    def perhaps(chance: float, make: Callable[[], Any]) -> Any:
        return make() if rng.random() < chance else None

    kind = rng.random()
    moves = rng.random() < 0.3
    return Line(
        rng.randint(1, 9),
        rng.randint(0, 9),
        rng.randint(0, 1),
        perhaps(0.35, lambda: (rng.randrange(COUNTERS), rng.choice(WAITS), rng.randint(0, 3))),
        perhaps(0.8, lambda: (rng.randrange(COUNTERS), *rng.choice(UPDATES), rng.random() < 0.3)),
        perhaps(0.4, lambda: rng.randrange(PLACES)),
        perhaps(0.4, lambda: rng.randrange(PLACES)),
        rng.random() < 0.1,
        rng.random() < 0.1,
        tuple(name for name in "ab" if rng.random() < 0.2),
        rng.randint(0, 2) if kind < 0.2 and not moves else None,
        rng.randint(1, 9) if kind > 0.8 and not moves else 0,
        _move(rng) if moves else None,
        False,
    )


def _move(rng: random.Random) -> Move:
    left, portions = 15, []
    while left:
        channels = left & rng.choice((15, 15, 1, 3, 5, 8)) or left
        left ^= channels
        busy = rng.choice((0, rng.randint(1, 12), rng.randint(1, 40)))
        portions.append((channels, busy, busy + rng.randint(0, 9), rng.randint(1, 5)))
        if rng.random() < 0.5:
            break
    return Move(
        rng.randrange(3),
        tuple(portions),
        rng.choice((0, 0, 1)),
        rng.choice((0, 0, 0, rng.randint(1, 30))),
        rng.choice((None, *range(COUNTERS))),
    )


def _meeting(rng: random.Random) -> Line:
    return Line(
        rng.randint(1, 5), 2, 0, None, None, None, None, False, False, (), None, 0, None, True
    )


class Run:
    """A scheduler with queues of such lines; ``hung`` says whether it is stuck in the end."""

    def __init__(
        self,
        lines: Lines,
        *observers: Observer,
        interlock: bool = True,
        delays: Delays | None = None,
    ) -> None:
        self.tables = [Table() for _ in lines]
        self.slows = [Slow() for _ in lines]
        self.ready = [0] * len(lines)
        self.scheduler = scheduler = (
            Scheduler if delays is None else partial(DelayedScheduler, delays=delays)
        )(
            Counters(COUNTERS, 0),
            [Channels(0, 4)],
            DELAY,
            interlock=interlock,
            paces=[*self.tables, *self.slows],
        )
        for observer in observers:
            scheduler.observe(observer)
        self.key = 0
        self.here: list[int] = []
        for index, its in enumerate(lines):
            tasks = [(self._task(index, n, line), line.wait) for n, line in enumerate(its)]
            scheduler.add_queue(Queue(0, f"e{index}", index, len(tasks), tasks.__getitem__))
        scheduler.run(1_000_000)
        assert scheduler.idle
        self.hung = bool(scheduler.blocked())

    def _task(self, index: int, number: int, line: Line) -> Task:
        named = self.scheduler.resources.named
        start = partial(self._start, index, line)
        work = Work(-1, start, _nothing, region(line.reads), region(line.writes))
        work.uses = ("value",) if line.uses else ()
        work.sets = ("value",) if line.sets else ()
        if line.uses:
            work.gate = partial(self.ready.__getitem__, index)
        if line.meets:
            work.arrive = partial(self._arrive, index)
        paced = line.key is not None or line.slow
        return Task(
            work,
            line.interval,
            line.interval + line.drain,
            named(0, f"{index}.{line.unit}"),
            update=None if line.move and line.move.counter is not None else line.update,
            ports=tuple(named(0, name, shared=True) for name in line.ports),
            pace=None if not paced else self.slows[index] if line.slow else self.tables[index],
            key=line.slow or line.key,
        )

    def _start(self, index: int, line: Line, now: int) -> None:
        if line.sets:
            self.ready[index] = now + line.interval
        if line.move is None:
            return
        move, scheduler = line.move, self.scheduler
        self.key += 1
        flight = Flight(
            self.key,
            scheduler.acting,
            0,
            move.ring,
            [
                Portion(channels, tuple(range(channels.bit_count())), busy, latency, 4, packets)
                for channels, busy, latency, packets in move.portions
            ],
            Nothing(),
            semaphore=move.counter,
            notify=NOTIFY,
            urgency=move.urgency,
            dispatch=DISPATCH,
        )
        at = now + DISPATCH
        if move.making:
            maker: Resource = scheduler.resources.named(0, "maker")
            flight.made = scheduler.service.make(maker, move.making)
            at = max(at, maker.free_at)
        scheduler.service.issue(flight, at)

    def _arrive(self, index: int, now: int) -> None:
        self.here.append(index)
        if len(self.here) == 2:
            for one in self.here:
                self.scheduler.release(one, now)
            self.here.clear()


def region(place: int | None) -> tuple[Region, ...]:
    """The bytes of a place."""
    if place is None:
        return ()
    return (Region("m", (0, 1, 1), 4 * place, 4 * place + 4, 4 * place, ((1, 4),), 1),)


def _nothing(_: object) -> None:
    return None


class Nothing:
    """Bytes that nobody takes or delivers."""

    def read(self, *_: object) -> None:
        """None."""

    def write(self, *_: object) -> None:
        """None."""

    def part(self, *_: object) -> tuple[None, None]:
        """None."""
        return None, None
