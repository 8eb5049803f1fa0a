"""Other timings: times change, and no rule does."""

from __future__ import annotations

import random
from typing import Any

from nasm.sim.channels import Group, Portion
from nasm.sim.counters import Counters, Semaphore, Who
from nasm.sim.delayed_scheduler import DelayedScheduler
from nasm.sim.delays import Delays, Jitter, parted
from nasm.sim.events import Observer
from nasm.sim.queues import Fetched, Flying, Queue, Task, Work
from nasm.sim.trace import Trace
from nasm.views.regions import intersect
from tests.parts import part
from tests.sim.random_runs import Run, drawn
from tests.tables import each

SEEDS = part(range(150), 25)


def records(trace: Trace) -> list[Any]:
    return [trace.instructions, trace.jobs, trace.posts]


@each("seed", SEEDS)
def test_delays_that_change_nothing_leave_every_record_as_it_is(seed: int) -> None:
    lines = drawn(random.Random(seed))
    plain, delayed = Trace(), Trace()
    Run(lines, plain)
    Run(lines, delayed, delays=Delays())
    assert records(plain) == records(delayed)


@each("seed", SEEDS)
def test_a_seed_has_one_run_and_others_have_others(seed: int) -> None:
    lines = drawn(random.Random(seed))
    traces = [Trace() for _ in range(3)]
    for trace, jitter in zip(traces, (7, 7, 8), strict=True):
        Run(lines, trace, delays=Jitter(jitter))
    assert records(traces[0]) == records(traces[1])
    if traces[0].instructions:  # two of the runs start none
        assert records(traces[0])[0] != records(traces[2])[0]


def test_what_a_seed_draws_is_the_same_on_every_computer() -> None:
    jitter = Jitter(1)
    found = [jitter.some(100), *jitter.work(queue(), 10, 20), jitter.hand_off(48, 0)]
    assert found == [1, 33, 62, 1]


def queue(index: int = 0, started: int = 0) -> Queue:
    made = Queue(0, "e", index, 1, _nothing)
    made.count = started
    return made


def _nothing(_: int) -> Fetched:
    raise AssertionError


class Rules(Observer):
    """Notes what breaks a rule of the machine: see "When an instruction starts"."""

    def __init__(self) -> None:
        self.broken: list[str] = []
        self.starts: dict[int, int] = {}
        self.finishes: dict[int, int] = {}

    def waited(self, queue: Queue, semaphore: int, by: Who | None, seen: int) -> None:
        assert queue.head is not None
        assert queue.wait is not None
        if by is None and queue.wait[2] > 0:
            self.broken.append("a wait is over that nobody posted for")

    def started(self, queue: Queue, task: Task, now: int) -> None:
        if now <= self.starts.get(queue.index, -1):
            self.broken.append("two starts of a queue at one tick, or out of order")
        self.starts[queue.index] = now
        for flying in queue.flight:
            if flying.finish > now and intersect(task.work.reads, flying.task.work.writes):
                self.broken.append("a read of what the queue is still writing")
        if queue.interval < 1 or queue.latency < queue.interval:
            self.broken.append("an interval longer than its latency")

    def finished(self, queue: Queue, done: Flying) -> None:
        if done.finish < self.finishes.get(queue.index, 0):
            self.broken.append("completions out of order")
        self.finishes[queue.index] = done.finish

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        if any(a.at > b.at for a, b in zip(semaphore.pending, semaphore.pending[1:], strict=False)):
            self.broken.append("posts that are seen out of order")
        if semaphore.pending and semaphore.pending[-1] is not semaphore.last:
            self.broken.append("a post that is seen before an earlier one")

    def landed(self, group: Group, now: int) -> None:
        if not group.start < group.free <= now:
            self.broken.append("shares that land before their channels are done")


@each("seed", SEEDS)
def test_under_other_timings_every_rule_holds(seed: int) -> None:
    lines, rules = drawn(random.Random(seed)), Rules()
    Run(lines, rules, delays=Jitter(seed))
    assert rules.broken == []


def test_times_reach_from_one_tick_to_eight_times_their_value() -> None:
    jitter = Jitter(3)
    found = [jitter.some(50) for _ in range(5_000)]
    assert min(found) == 1
    assert 350 < max(found) <= 400
    assert sum(t < 50 for t in found) > 1_000
    lags = [jitter.lag(queue(started=1), 50) for _ in range(4_000)]
    assert 700 < sum(lag > 0 for lag in lags) < 1_100
    assert 500 < max(lags) < 1_024


def test_a_portion_is_parted_by_the_kind_of_its_shares() -> None:
    portion = Portion(0b101101, (4, 5, 6, 7), 10, 20, 64)
    parts = list(parted(portion, lambda share: share % 2))
    assert [(p.channels, p.shares) for p in parts] == [(0b001001, (4, 6)), (0b100100, (5, 7))]
    assert {(p.busy, p.latency, p.bytes) for p in parts} == {(10, 20, 64)}


def test_saved_delays_draw_what_they_would_have_drawn() -> None:
    jitter = Jitter(5)
    jitter.work(queue(), 5, 5)
    saved = jitter.save()
    first = [jitter.work(queue(n % 3), 50, 90) for n in range(20)]
    jitter.restore(saved)
    assert [jitter.work(queue(n % 3), 50, 90) for n in range(20)] == first


class Late(Delays):
    """Lets the second task of queue 0 start 1,000 ticks late."""

    def lag(self, queue: Queue, latency: int) -> int:
        return 1_000 if (queue.index, queue.started) == (0, 1) else 0


def test_a_task_that_comes_late_is_in_no_line_meanwhile() -> None:
    trace = Trace()
    scheduler = DelayedScheduler(Counters(1, 0), [], 0, delays=Late())
    scheduler.observe(trace)
    for index in (0, 1):
        unit = scheduler.resources.named(0, "unit", shared=True)
        work = Work(-1, _no_work, _no_work)
        tasks = [(Task(work, 10, 10, unit), None) for _ in range(3)]
        scheduler.add_queue(Queue(0, f"e{index}", index, 3, tasks.__getitem__))
    scheduler.run(1_000)
    starts = [(queue, start) for _, queue, _, _, start, _ in trace.instructions]
    assert starts == [(0, 0), (1, 10), (1, 20), (1, 30), (0, 1_010), (0, 1_020)]


def _no_work(_: object) -> None:
    return None
