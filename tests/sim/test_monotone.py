"""Time is a maximum of sums: where nothing is shared, what is taken away makes nothing later.

Queues of random tasks wait for counters that only rise, read what earlier tasks of theirs write,
and issue transfers that have a channel each.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import partial

from nasm.sim.channels import Channels, Flight, Portion
from nasm.sim.counters import Counters
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task, Work
from nasm.sim.resources import Resources
from nasm.sim.scheduler import Scheduler
from nasm.views.regions import Region
from tests.parts import part
from tests.tables import each

COUNTERS, PLACES = 4, 3


@dataclass(frozen=True)
class Line:
    """A task: what it takes, waits for, posts to, reads, writes, and the ticks of its transfer."""

    interval: int
    drain: int
    unit: int
    wait: tuple[int, int] | None
    post: tuple[int, bool] | None
    reads: int | None
    writes: int | None
    moves: tuple[int, int, int] | None


Lines = list[list[Line]]


def drawn(rng: random.Random) -> Lines:
    def line() -> Line:
        moves = rng.random() < 0.3
        return Line(
            rng.randint(1, 9),
            rng.randint(0, 9),
            rng.randint(0, 1),
            (rng.randrange(COUNTERS), rng.randint(1, 4)) if rng.random() < 0.4 else None,
            (rng.randrange(COUNTERS), rng.random() < 0.3) if rng.random() < 0.8 else None,
            rng.randrange(PLACES) if rng.random() < 0.4 else None,
            rng.randrange(PLACES) if rng.random() < 0.4 else None,
            (rng.randint(1, 20), rng.randint(1, 30), rng.randint(0, 9)) if moves else None,
        )

    return [[line() for _ in range(rng.randint(1, 10))] for _ in range(rng.randint(2, 4))]


def region(place: int | None) -> tuple[Region, ...]:
    if place is None:
        return ()
    return (Region("m", (0, 1, 1), 4 * place, 4 * place + 4, 4 * place, ((1, 4),), 1),)


class Starts(Observer):
    def __init__(self) -> None:
        self.at: dict[tuple[int, int], int] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        self.at[queue.index, queue.pc] = now


def starts(queues: Lines) -> dict[tuple[int, int], int]:
    """When every task starts that ever does."""
    channels = [Channels(0, sum(map(len, queues)))]
    scheduler, told, units = Scheduler(Counters(COUNTERS, 0), channels, 5), Starts(), Resources()
    scheduler.observe(told)
    number = 0
    for index, lines in enumerate(queues):
        tasks = []
        for line in lines:
            begin, post = _nothing, line.post
            if line.moves is not None:
                begin, post = partial(_issue, scheduler, number, index, line), None
                number += 1
            unit = units.named(0, f"{index}.{line.unit}")
            task = Task(
                Work(-1, begin, _nothing, region(line.reads), region(line.writes)),
                line.interval,
                line.interval + line.drain,
                unit,
                update=(post[0], "+", 1, post[1]) if post else None,
            )
            tasks.append((task, (line.wait[0], ">=", line.wait[1]) if line.wait else None))
        scheduler.add_queue(Queue(0, f"e{index}", index, len(tasks), tasks.__getitem__))
    scheduler.run(100_000)
    assert scheduler.idle
    return told.at


def _nothing(_: object) -> None:
    return None


class Cargo:
    """No bytes."""

    read = write = part = lambda *_: None


def _issue(scheduler: Scheduler, number: int, queue: int, line: Line, now: int) -> None:
    assert line.moves is not None
    busy, dispatch, notify = line.moves
    semaphore = line.post[0] if line.post else None
    portion = Portion(1 << number, (0,), busy, busy, 1)
    flight = Flight(
        number, (queue, 0), 0, 0, [portion], Cargo(), semaphore=semaphore, notify=notify
    )
    scheduler.service.issue(flight, now + dispatch)


def shorter(rng: random.Random, queues: Lines) -> Lines:
    """The same with a wait taken away, or an interval shortened."""
    changed = [list(lines) for lines in queues]
    lines = rng.choice(changed)
    at = rng.randrange(len(lines))
    line = lines[at]
    if line.wait is not None and rng.random() < 0.5:
        lines[at] = replace(line, wait=None)
    elif line.moves is not None and rng.random() < 0.5:
        lines[at] = replace(line, moves=(rng.randint(1, line.moves[0]), *line.moves[1:]))
    else:
        lines[at] = replace(line, interval=rng.randint(1, line.interval))
    return changed


@each("seed", part(range(400), 80))
def test_removing_a_wait_or_shortening_an_interval_makes_nothing_later(seed: int) -> None:
    rng = random.Random(seed)
    queues = drawn(rng)
    before = starts(queues)
    after = starts(shorter(rng, queues))
    assert set(after) >= set(before)  # what ran at all still does
    assert not {key: (at, after[key]) for key, at in before.items() if after[key] > at}
