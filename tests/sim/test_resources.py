"""Resources: what tasks occupy, its parts, alternatives, and whose turn it is."""

from __future__ import annotations

from nasm.sim.counters import Counters
from nasm.sim.queues import Queue, Task, Work
from nasm.sim.resources import Needs, Resource, ResourceClaim, Resources
from nasm.sim.scheduler import Scheduler
from nasm.sim.trace import Trace

WORK = Work(-1, lambda now: None, lambda payload: None)


def timed(*queues: list[Task]) -> list[list[int]]:
    """When the tasks of each queue start."""
    scheduler, trace = Scheduler(Counters(0, 0), [], 0), Trace()
    scheduler.observe(trace)
    for index, its in enumerate(queues):
        tasks = [(task, None) for task in its]
        scheduler.add_queue(Queue(0, "engine", index, len(tasks), tasks.__getitem__))
    scheduler.run(1000)
    assert scheduler.idle
    return [
        [start for _, queue, _, _, start, _ in trace.instructions if queue == index]
        for index in range(len(queues))
    ]


def whole(unit: Resource, ticks: int) -> Task:
    return Task(WORK, ticks, ticks, unit)


def parts(unit: Resource, ticks: int, *of: Resource) -> Task:
    return Task(WORK, ticks, ticks, unit, Needs(((ResourceClaim(unit, of),),)))


def either(first: Resource, second: Resource, ticks: int) -> Task:
    return Task(
        WORK, ticks, ticks, first, Needs(((ResourceClaim(first),), (ResourceClaim(second),)))
    )


def both(first: Resource, second: Resource, ticks: int) -> Task:
    return Task(WORK, ticks, ticks, first, Needs(((ResourceClaim(first), ResourceClaim(second)),)))


UNIT, A, B, C = "unit", "a", "b", "c"


def named(*names: str) -> list[Resource]:
    """Resources that every queue may want."""
    resources = Resources()
    return [resources.named(0, name, shared=True) for name in names]


def test_tasks_in_different_parts_of_a_unit_run_side_by_side() -> None:
    unit, a, b = named(UNIT, A, B)
    assert timed([parts(unit, 10, a), parts(unit, 10, b), parts(unit, 10, a)]) == [[0, 1, 10]]


def test_the_whole_unit_waits_for_every_part_and_a_part_for_the_whole() -> None:
    unit, a, b = named(UNIT, A, B)
    tasks = [parts(unit, 10, a), parts(unit, 30, b), whole(unit, 5), parts(unit, 5, a)]
    assert timed(tasks) == [[0, 1, 31, 36]]


def test_a_part_that_overlaps_two_others_waits_for_both() -> None:
    unit, a, b, c = named(UNIT, A, B, C)
    tasks = [parts(unit, 10, a), parts(unit, 30, b), parts(unit, 5, a, b), parts(unit, 5, c)]
    assert timed(tasks) == [[0, 1, 31, 32]]


def test_an_alternative_serves_while_the_first_choice_is_busy() -> None:
    unit, spare = named(UNIT, "spare")
    assert timed([either(unit, spare, 10)] * 4) == [[0, 1, 10, 11]]
    unit, spare = named(UNIT, "spare")
    assert timed([whole(spare, 10), either(unit, spare, 10), whole(spare, 10)]) == [[0, 1, 10]]


def test_what_is_asked_for_together_is_taken_together_or_not_at_all() -> None:
    port, unit, other = named("port", UNIT, "other")
    # at 5 the port is free, but the other unit is busy until 9: the third may have the port
    assert timed(
        [whole(port, 5), both(port, unit, 5)], [whole(unit, 9)], [whole(other, 5), whole(port, 3)]
    ) == [[0, 9], [0], [0, 5]]


def test_queues_take_turns_at_a_resource_and_who_waited_longest_comes_first() -> None:
    (port,) = named("port")
    first, second = [whole(port, 10)] * 3, [whole(port, 10)] * 3
    assert timed(first, second) == [[0, 20, 40], [10, 30, 50]]


def test_of_queues_that_have_waited_equally_long_the_first_declared_goes_first() -> None:
    port, a, b = named("port", A, B)
    assert timed(
        [whole(port, 10)], [whole(a, 4), whole(port, 10)], [whole(b, 4), whole(port, 10)]
    ) == [[0], [0, 10], [0, 20]]


def test_who_waited_longer_goes_before_an_earlier_queue() -> None:
    port, a, b = named("port", A, B)
    later = [whole(a, 4), whole(a, 1), whole(port, 10)]  # at the head from 5 on
    earlier = [whole(b, 4), whole(port, 10)]  # from 1 on
    assert timed([whole(port, 10)], later, earlier) == [[0], [0, 4, 20], [0, 10]]


def test_a_stall_says_which_resource_it_waits_for_and_who_has_it() -> None:
    (port,) = named("port")
    scheduler = Scheduler(Counters(0, 0), [], 0)
    for index in range(2):
        tasks = [(whole(port, 10), None)]
        scheduler.add_queue(Queue(0, "engine", index, 1, tasks.__getitem__))
    scheduler.run(2)
    waiting = scheduler.queues[1]
    assert (waiting.cause, waiting.blocker, port.holder) == ("unit", port, (0, 0))
