"""Ports: asked for last, held for an interval, given to whoever has waited longest."""

from __future__ import annotations

import random
from itertools import pairwise

from nasm.sim.counters import Counters
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task, Work
from nasm.sim.resources import Resource, Resources
from nasm.sim.scheduler import Scheduler
from tests.parts import part
from tests.tables import each

WORK = Work(-1, lambda now: None, lambda payload: None)
Given = tuple[int, tuple[str, ...]]
"""Ticks of a task, and its ports."""


class Starts(Observer):
    """Every start: queue, number in it, tick, cause and what ended it, as the number of a start."""

    def __init__(self) -> None:
        self.found: list[tuple[int, int, int, str, int]] = []

    def started(self, queue: Queue, task: Task, now: int) -> None:
        self.found.append((queue.index, queue.pc, now, queue.cause, queue.because))


def ran(*queues: list[Given]) -> tuple[Starts, Scheduler, dict[str, Resource]]:
    """Queues of tasks on units of their own, run to the end."""
    scheduler, starts, resources = Scheduler(Counters(0, 0), [], 0), Starts(), Resources()
    scheduler.observe(starts)
    ports = {}
    for index, given in enumerate(queues):
        unit = resources.named(0, f"unit{index}")
        for _, names in given:
            ports.update({name: resources.named(0, name, shared=True) for name in names})
        tasks = [
            (Task(WORK, ticks, ticks, unit, ports=tuple(ports[n] for n in names)), None)
            for ticks, names in given
        ]
        scheduler.add_queue(Queue(0, f"e{index}", index, len(tasks), tasks.__getitem__))
    scheduler.run(100_000)
    assert scheduler.idle
    return starts, scheduler, ports


def test_two_engines_at_one_port_take_the_sum_of_both_and_the_one_says_it_waited() -> None:
    starts, scheduler, _ = ran([(10, ("port",))] * 2, [(7, ("port",))] * 2)
    assert starts.found == [
        (0, 0, 0, "queue", -1),
        (1, 0, 10, "port", 0),
        (0, 1, 17, "port", 1),
        (1, 1, 27, "port", 2),
    ]
    busy, idle = scheduler.queues[1].times(34)
    assert (busy, idle) == (14, {("port", None): 20})


def test_engines_at_different_ports_and_without_any_run_side_by_side() -> None:
    starts, _, _ = ran([(10, ("a",))] * 2, [(10, ("b",))] * 2, [(10, ())] * 2)
    assert [s[2] for s in starts.found] == [0, 0, 0, 10, 10, 10]


def test_who_needs_two_ports_holds_none_while_the_other_is_taken() -> None:
    # queue 1 waits for b until 30; a is free from 10 on, and queue 2 may have it until then
    starts, _, _ = ran([(10, ("a",))], [(5, ()), (5, ("a", "b"))], [(8, ("a",))], [(30, ("b",))])
    assert sorted(starts.found) == [
        (0, 0, 0, "queue", -1),
        (1, 0, 0, "queue", -1),
        (1, 1, 30, "port", 2),
        (2, 0, 10, "port", 0),
        (3, 0, 0, "queue", -1),
    ]


def test_who_needs_two_ports_is_passed_over_once_and_not_for_ever() -> None:
    # queues 0 and 2 would hand the two ports back and forth for ever
    starts, _, _ = ran(
        [(10, ("a",))] * 6, [(1, ()), (5, ("a", "b"))], [(7, ())] + [(10, ("b",))] * 6
    )
    (at,) = (s[2] for s in starts.found if s[:2] == (1, 1))
    assert at == 20


@each("seed", part(range(200), 40))
def test_ports_are_used_while_somebody_may_and_nothing_is_passed_over_twice(seed: int) -> None:
    rng = random.Random(seed)
    engines = rng.randint(2, 4)
    queues = [
        [
            (rng.randint(1, 9), tuple(n for n in "ab" if rng.random() < 0.5))
            for _ in range(rng.randint(1, 12))
        ]
        for _ in range(engines)
    ]
    starts, _, _ = ran(*queues)
    begun = {(q, pc): now for q, pc, now, _, _ in starts.found}
    for name in "ab":
        held = sorted(
            (begun[q, pc], begun[q, pc] + ticks, q)
            for q, tasks in enumerate(queues)
            for pc, (ticks, names) in enumerate(tasks)
            if name in names
        )
        assert all(end <= start for (_, end, _), (start, _, _) in pairwise(held))
        for q, tasks in enumerate(queues):
            for pc, (_, names) in enumerate(tasks):
                if name not in names:
                    continue
                ready = begun[q, pc - 1] + tasks[pc - 1][0] if pc else 0
                inside = [h[2] for h in held if ready < h[0] < begun[q, pc] and h[2] != q]
                assert len(set(inside)) == len(inside) or names != (name,), (name, q, pc, inside)
                if names == (name,):  # whenever it waits, somebody else has the port
                    at = ready
                    while at < begun[q, pc]:
                        over = [h for h in held if h[0] <= at < h[1]]
                        reserved = any(
                            len(queues[o][p][1]) == 2 and begun[o, p] > at
                            for o, p in begun
                            if name in queues[o][p][1]
                        )
                        assert over or reserved, (name, q, pc, at)
                        at = over[0][1] if over else at + 1
