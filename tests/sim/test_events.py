"""The stream of events: what observers are told, with the cause of each start and who posted."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pytest

from nasm.sim.burst_plan import CompletedBurst
from nasm.sim.channels import Channels, Flight, Group, Portion
from nasm.sim.counters import Counters, Semaphore, Who
from nasm.sim.events import EVENTS, Observer
from nasm.sim.queues import Flying, Queue, Task, Work
from nasm.sim.repeated import Repeated
from nasm.sim.resources import Resources
from nasm.sim.scheduler import Scheduler
from nasm.views.regions import Region


class Told(Observer):
    """Writes down everything it is told."""

    def __init__(self) -> None:
        self.lines: list[tuple[Any, ...]] = []

    def head(self, queue: Queue, task: Task, now: int) -> None:
        self.lines.append(("head", queue.index, queue.pc, now))

    def idle(self, queue: Queue, now: int) -> None:
        self.lines.append(("idle", queue.index, queue.accounted, now, *queue.idling()))

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

    def met(self, queues: Sequence[int]) -> None:
        self.lines.append(("met", *queues))

    def finished(self, queue: Queue, done: Flying) -> None:
        self.lines.append(("finished", done.queue, done.pc, done.finish))

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        self.lines.append(("posted", number, semaphore.value, semaphore.by, now))

    def unchanged(self, number: int, semaphore: Semaphore, by: Who, now: int) -> None:
        self.lines.append(("unchanged", number, by, now))

    def made(self, queue: Queue, record: int, because: int, start: int, until: int) -> None:
        self.lines.append(("made", queue.index, record, because, start, until))

    def issued(self, flight: Flight, now: int) -> None:
        self.lines.append(("issued", flight.key, flight.origin, now))

    def queued(self, flight: Flight, now: int) -> None:
        self.lines.append(("queued", flight.key, now))

    def read(self, group: Group, now: int) -> None:
        cause = (group.cause, group.because)
        self.lines.append(("read", group.flight.key, group.shares, group.record, *cause, now))

    def parted(self, group: Group, other: Group, now: int) -> None:
        self.lines.append(("parted", group.record, other.record, other.shares, now))

    def landed(self, group: Group, now: int) -> None:
        times = (group.arrived, group.start, group.free, now)
        self.lines.append(("landed", group.record, group.channels, *times))

    def delivered(self, group: Group, now: int) -> None:
        self.lines.append(("delivered", group.record, now))

    def burst(self, queue: Queue, done: CompletedBurst) -> None:
        self.lines.append(("burst", queue.index, len(done.times.starts)))

    def repeated(self, mark: Any, rounds: Repeated) -> None:
        self.lines.append(("repeated", rounds.times, rounds.ticks))

    def acted(self, who: Who, tick: int) -> None:
        self.lines.append(("acted", who, tick))

    def altered(self, core: int, part: Hashable, record: int) -> None:
        self.lines.append(("altered", core, part, record))

    def passed(self, queue: int, core: int, parts: Sequence[Hashable], started: bool) -> None:
        self.lines.append(("passed", queue, core, *parts, started))

    def message_printed(self, queue: Queue, text: str, now: int) -> None:
        self.lines.append(("message_printed", queue.index, text, now))


def work(reads: tuple[Region, ...] = (), writes: tuple[Region, ...] = (), **more: Any) -> Work:
    return Work(-1, more.pop("start", lambda now: None), lambda _: None, reads, writes, **more)


BYTES = Region("m", (0, 1, 1), 0, 4, 0, ((1, 4),), 1)


class Bench:
    """A scheduler with queues of tasks, one unit each, and somebody who is told."""

    def __init__(self, delay: int = 3, channels: int = 0) -> None:
        self.scheduler = Scheduler(Counters(8, 2), [Channels(0, channels)], delay)
        self.units = Resources()
        self.told = Told()
        self.scheduler.observe(self.told)

    def queue(self, *tasks: dict[str, Any]) -> None:
        index = len(self.scheduler.queues)
        made = []
        for given in tasks:
            unit = self.units.named(0, given.get("unit", f"unit{index}"), shared="unit" in given)
            ticks, latency = given.get("ticks", 2), given.get("latency", given.get("ticks", 2))
            does, update = given.get("work") or work(), given.get("update")
            made.append((Task(does, ticks, latency, unit, update=update), given.get("wait")))
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


def test_idle_ticks_are_reported_with_what_they_are_charged_to() -> None:
    bench = Bench()
    bench.queue({"ticks": 1}, {"ticks": 4, "update": (2, "+", 1, False)})
    bench.queue({"wait": (2, ">=", 1)})
    assert bench.ran("idle") == [("idle", 1, 0, 8, "semaphore", 0)]
    assert bench.scheduler.queues[1].waiting == {("semaphore", 0): 8}


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


def test_an_event_that_is_set_already_is_reported_as_unchanged_and_not_as_posted() -> None:
    bench = Bench()
    event = 8  # behind eight semaphores
    bench.queue(*[{"ticks": 1, "update": (event, "=", 1, False)}] * 2)
    assert bench.ran("posted", "unchanged") == [
        ("posted", event, 1, (0, 0), 1),
        ("unchanged", event, (0, 1), 2),
    ]


class Cargo:
    """Tells who acted when it was read and written."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.acting: list[Who] = []

    def read(self, shares: Sequence[int]) -> Any:
        self.acting.append(self.bench.scheduler.acting)

    def write(self, shares: Sequence[int], payload: Any) -> None:
        self.acting.append(self.bench.scheduler.acting)

    def part(self, shares: Sequence[int], payload: Any, some: Sequence[int]) -> Any:
        return payload, payload


def issues(bench: Bench, *flights: tuple[int, int, int, list[Portion]]) -> Work:
    """Work that issues transfers: each a key, a ring, when it arrives, and its shares."""

    def start(now: int) -> None:
        for key, ring, at, portions in flights:
            more = {"semaphore": 3, "notify": 2}
            flight = Flight(key, (0, 0), 0, ring, portions, Cargo(bench), **more)
            bench.scheduler.service.issue(flight, now + at)

    return work(start=start)


def test_a_transfer_is_issued_queued_read_by_those_that_are_alike_and_lands() -> None:
    bench = Bench(channels=3)
    alike, other = Portion(0b11, (0, 1), 4, 6, 64), Portion(0b100, (2,), 2, 3, 32)
    bench.queue({"work": issues(bench, (7, 0, 10, [alike, other])), "ticks": 1})
    assert bench.ran("issued", "queued", "read", "landed", "delivered", "posted") == [
        ("issued", 7, (0, 0), 0),
        ("queued", 7, 10),
        ("read", 7, (0, 1), 1, "arrival", 0, 10),  # the instruction's start was number 0
        ("read", 7, (2,), 2, "arrival", 0, 10),
        ("landed", 2, 0b100, 10, 10, 12, 13),
        ("delivered", 2, 13),
        ("posted", 3, 1, (0, 0), 13),
        ("landed", 1, 0b11, 10, 10, 14, 16),
        ("delivered", 1, 16),
        ("posted", 3, 3, (0, 0), 16),
    ]
    assert not bench.scheduler.transfers


def test_shares_that_had_to_wait_name_those_that_had_the_channel() -> None:
    bench = Bench(channels=1)
    first, second = Portion(1, (0,), 4, 6, 64), Portion(1, (0,), 5, 6, 64)
    flights = (7, 0, 10, [first]), (8, 0, 11, [second])
    bench.queue({"work": issues(bench, *flights), "ticks": 1})
    assert bench.ran("read") == [
        ("read", 7, (0,), 1, "arrival", 0, 10),
        ("read", 8, (0,), 2, "channel", 1, 14),
    ]


def test_shares_that_are_held_up_on_some_channels_part() -> None:
    bench = Bench(channels=2)
    both, one = Portion(0b11, (0, 1), 8, 8, 64, 4), Portion(0b10, (0,), 3, 3, 8, 1)
    bench.queue({"work": issues(bench, (7, 0, 10, [both]), (8, 1, 13, [one])), "ticks": 1})
    assert bench.ran("read", "parted", "landed") == [
        ("read", 7, (0, 1), 1, "arrival", 0, 10),
        ("parted", 1, 2, (1,), 13),
        ("read", 8, (0,), 3, "channel", 2, 14),  # behind the second packet of two ticks
        ("landed", 3, 0b10, 13, 14, 17, 17),
        ("landed", 1, 0b01, 10, 10, 18, 18),
        ("landed", 2, 0b10, 10, 10, 21, 21),
    ]


def test_what_waits_for_one_value_of_a_counter_sees_each() -> None:
    for op, wanted in (("==", [1, 2, 3]), (">=", [3])):
        bench = Bench(channels=3)
        portion = Portion(0b111, (0, 1, 2), 4, 6, 64)
        bench.queue({"work": issues(bench, (7, 0, 10, [portion])), "ticks": 1})
        bench.queue({"wait": (3, op, 2)})
        posts = [(value, tick) for _, _, value, _, tick in bench.ran("posted")]
        assert posts == [(value, 16) for value in wanted]
        assert [line[3] for line in bench.told.lines if line[:2] == ("started", 1)] == [18]


def test_shares_that_read_and_land_act_for_who_issued_them_what_acted_last() -> None:
    bench = Bench(channels=1)
    cargo = Cargo(bench)

    def start(now: int) -> None:
        flight = Flight(1, (0, 0), 0, 0, [Portion(1, (0,), 4, 6, 64)], cargo, semaphore=3)
        bench.scheduler.service.issue(flight, now + 10)

    bench.queue({"work": work(start=start), "ticks": 1})
    bench.queue(*[{"ticks": 1}] * 15)  # one of them completes before each of the two
    (posted,) = bench.ran("posted")
    assert posted == ("posted", 3, 1, (0, 0), 16)
    assert cargo.acting == [(0, 0), (0, 0)]


def test_what_an_instruction_says_is_reported_once() -> None:
    bench = Bench()
    bench.queue({"work": work(start=lambda now: bench.scheduler.say("hello"))})
    assert bench.ran("message_printed") == [("message_printed", 0, "hello", 0)]


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
