"""The stream of events: what observers are told, with the cause of each start and who posted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from nasm.sim.channels import Channel, Flight
from nasm.sim.counters import Counters, Semaphore, Who
from nasm.sim.events import EVENTS, Observer
from nasm.sim.queues import Flying, Queue, Task, Work
from nasm.sim.regions import Region
from nasm.sim.resources import Resources
from nasm.sim.scheduler import Scheduler


class Told(Observer):
    """Writes down everything it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []

    def head(self, queue: Queue, task: Task, now: int) -> None:
        self.lines.append(("head", queue.index, queue.pc, now))

    def waited(self, queue: Queue, semaphore: int, by: Who | None, seen: int) -> None:
        self.lines.append(("waited", queue.index, queue.pc, semaphore, by, seen))

    def started(self, queue: Queue, task: Task, now: int) -> None:
        blocker = getattr(queue.blocker, "name", queue.blocker)
        self.lines.append(("started", queue.index, queue.pc, now, queue.cause, blocker))

    def readied(
        self, queue: Queue, task: Task, record: int, because: int, start: int, until: int
    ) -> None:
        self.lines.append(("readied", queue.index, queue.pc, record, because, start, until))

    def arrived(self, queue: Queue, task: Task, record: int, now: int) -> None:
        self.lines.append(("arrived", queue.index, queue.pc, record, now))

    def finished(self, queue: Queue, done: Flying) -> None:
        self.lines.append(("finished", done.queue, done.pc, done.finish))

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        self.lines.append(("posted", number, semaphore.value, semaphore.by, now))

    def unchanged(self, number: int, semaphore: Semaphore, by: Who, now: int) -> None:
        self.lines.append(("unchanged", number, by, now))

    def issued(self, flight: Flight, now: int) -> None:
        self.lines.append(("issued", flight.key, flight.origin, now))

    def queued(self, flight: Flight, now: int) -> None:
        self.lines.append(("queued", flight.key, now))

    def read(self, flight: Flight, shares: Sequence[int], now: int) -> None:
        self.lines.append(("read", flight.key, tuple(shares), now))

    def landed(
        self,
        flight: Flight,
        shares: Sequence[int],
        channels: Sequence[Channel],
        began: int,
        now: int,
    ) -> None:
        at = tuple(channel.index for channel in channels)
        self.lines.append(("landed", flight.key, tuple(shares), at, began, now))

    def said(self, queue: Queue, text: str, now: int) -> None:
        self.lines.append(("said", queue.index, text, now))


def work(reads: tuple[Region, ...] = (), writes: tuple[Region, ...] = (), **more: Any) -> Work:
    return Work(-1, more.pop("start", lambda now: None), lambda _: None, reads, writes, **more)


BYTES = Region("m", (0, 1, 1), 0, 4, 0, ((1, 4),), 1)


class Bench:
    """A scheduler with queues of tasks, one unit each, and somebody who is told."""

    def __init__(self, delay: int = 3, channels: int = 0) -> None:
        self.scheduler = Scheduler(Counters(8, 2), [Channel(0, n) for n in range(channels)], delay)
        self.units = Resources()
        self.told = Told()
        self.scheduler.observe(self.told)

    def queue(self, *tasks: dict[str, Any]) -> None:
        index = len(self.scheduler.queues)
        made = []
        for given in tasks:
            unit = self.units.named(0, given.get("unit", f"unit{index}"), index)
            ticks, latency = given.get("ticks", 2), given.get("latency", given.get("ticks", 2))
            made.append(
                Task(
                    given.get("work") or work(),
                    ticks,
                    latency,
                    unit,
                    wait=given.get("wait"),
                    update=given.get("update"),
                )
            )
        self.scheduler.add_queue(Queue(0, f"e{index}", index, len(made), made.__getitem__))

    def ran(self, *kinds: str) -> list[tuple[Any, ...]]:
        self.scheduler.run(1000)
        assert self.scheduler.idle
        return [line for line in self.told.lines if not kinds or line[0] in kinds]


def test_every_event_is_one_that_this_test_writes_down() -> None:
    assert {name for name in EVENTS if name in vars(Told)} == set(EVENTS)


def test_a_task_comes_to_the_head_starts_for_its_unit_and_finishes() -> None:
    bench = Bench()
    bench.queue({"ticks": 5}, {"ticks": 4, "latency": 6})
    assert bench.ran() == [
        ("head", 0, 0, 0),
        ("started", 0, 0, 0, "queue", None),
        ("head", 0, 1, 5),
        ("finished", 0, 0, 5),
        ("started", 0, 1, 5, "unit", "unit0"),
        ("finished", 0, 1, 11),
    ]


def test_a_start_names_who_posted_what_it_waited_for() -> None:
    bench = Bench()
    bench.queue({"ticks": 1}, {"ticks": 4, "update": (2, "+", 1, False)})
    bench.queue({"wait": (2, ">=", 1)})
    assert bench.ran("posted", "waited") == [
        ("posted", 2, 1, (0, 1), 5),
        ("waited", 1, 0, 2, (0, 1), 8),  # three ticks later
    ]
    assert ("started", 1, 0, 8, "semaphore", (0, 1)) in bench.told.lines


def test_a_wait_that_held_when_it_came_names_the_latest_post() -> None:
    bench = Bench(delay=0)
    bench.queue({"ticks": 1, "update": (2, "+", 1, True)})
    bench.queue({"ticks": 9}, {"wait": (2, ">=", 1)})
    (line,) = bench.ran("waited")
    assert line == ("waited", 1, 1, 2, (0, 0), 9)


def test_a_start_names_the_instruction_whose_result_it_waited_for() -> None:
    bench = Bench()
    bench.queue(
        {"ticks": 1, "unit": "a"},
        {"work": work(writes=(BYTES,)), "ticks": 1, "latency": 7, "unit": "a"},
        {"work": work(reads=(BYTES,)), "unit": "b"},
    )
    assert ("started", 0, 2, 8, "data", (0, 1)) in bench.ran("started")


def test_a_start_names_the_resource_that_another_queue_had() -> None:
    bench = Bench()
    bench.queue({"unit": "port", "ticks": 6})
    bench.queue({"unit": "port"})
    assert bench.ran("started")[1] == ("started", 1, 0, 6, "unit", "port")


def test_who_is_held_for_an_arrival_says_so() -> None:
    bench = Bench()
    release = bench.scheduler.release
    bench.queue({"work": work(arrive=lambda now: release(0, now + 4))})
    assert bench.ran("started", "arrived") == [
        ("arrived", 0, 0, 0, 0),
        ("started", 0, 0, 4, "core", None),
    ]


def test_an_event_that_is_set_already_is_told_as_unchanged_and_not_as_posted() -> None:
    bench = Bench()
    event = 8  # behind eight semaphores
    bench.queue(*[{"ticks": 1, "update": (event, "=", 1, False)}] * 2)
    assert bench.ran("posted", "unchanged") == [
        ("posted", event, 1, (0, 0), 1),
        ("unchanged", event, (0, 1), 2),
    ]


def test_a_transfer_is_issued_queued_read_share_by_share_and_lands() -> None:
    bench = Bench(channels=2)

    def start(now: int) -> None:
        flight = Flight(
            7,
            (0, 0),
            0,
            [(0, 4, 6, 64), (1, 4, 6, 64), (1, 2, 3, 32)],
            lambda shares: None,
            lambda shares, payload: None,
            semaphore=3,
            notify=2,
        )
        bench.scheduler.issue(flight, now + 10)

    bench.queue({"work": work(start=start), "ticks": 1})
    assert bench.ran("issued", "queued", "read", "landed", "posted") == [
        ("issued", 7, (0, 0), 0),
        ("queued", 7, 10),
        ("read", 7, (0, 1), 10),
        ("read", 7, (2,), 14),
        ("landed", 7, (0, 1), (0, 1), 10, 16),
        ("posted", 3, 1, (0, 0), 16),
        ("posted", 3, 2, (0, 0), 16),
        ("landed", 7, (2,), (1,), 14, 17),
        ("posted", 3, 3, (0, 0), 17),
    ]
    assert not bench.scheduler.transfers


def test_shares_that_read_and_land_act_for_who_issued_them_whoever_acted_last() -> None:
    bench = Bench(channels=1)
    acting: list[Who] = []

    def start(now: int) -> None:
        def note(*_: Any) -> None:
            acting.append(bench.scheduler.acting)

        flight = Flight(1, (0, 0), 0, [(0, 4, 6, 64)], note, note, semaphore=3)
        bench.scheduler.issue(flight, now + 10)

    bench.queue({"work": work(start=start), "ticks": 1})
    bench.queue(*[{"ticks": 1}] * 15)  # one of them completes before each of the two
    (posted,) = bench.ran("posted")
    assert posted == ("posted", 3, 1, (0, 0), 16)
    assert acting == [(0, 0), (0, 0)]


def test_what_an_instruction_says_is_told_once() -> None:
    bench = Bench()
    bench.queue({"work": work(start=lambda now: bench.scheduler.say("hello"))})
    assert bench.ran("said") == [("said", 0, "hello", 0)]


def test_an_observer_that_is_ignored_hears_nothing_more_and_changes_nothing() -> None:
    bench = Bench()
    bench.queue({"ticks": 3}, {"ticks": 3})
    bench.scheduler.run(2)
    bench.scheduler.ignore(bench.told)
    before = len(bench.told.lines)
    bench.scheduler.run(100)
    assert len(bench.told.lines) == before
    assert bench.scheduler.retired == 2


def test_an_observer_of_nothing_is_not_called() -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in EVENTS:
            patch.setattr(Observer, name, lambda *_: pytest.fail("called"))
        bench = Bench()
        bench.scheduler.observe(Observer())
        bench.queue({"ticks": 3})
        assert bench.ran("finished")
