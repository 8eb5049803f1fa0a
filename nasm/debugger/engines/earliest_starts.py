"""The earliest time at which each queue can start its next instruction in every execution.

A queue that waits for a semaphore cannot continue before enough has been posted; the poster may
have to wait itself. So the bounds follow from each other, starting from what is in flight.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from nasm.sim.counters import Semaphore, holds
from nasm.sim.queues import NEVER, Queue, Wait

if TYPE_CHECKING:
    from nasm.debugger.engines.future_posts import ProgramFlows
    from nasm.machine import Machine


class _Post(NamedTuple):
    """A post that waiters may see from a tick on; any amount if that is None."""

    tick: int
    amount: int | None


def earliest(machine: Machine, flows: ProgramFlows, lands: Callable[[int], int]) -> list[int]:
    """A tick for each queue before which its next instruction cannot start.

    ``lands`` gives the tick before which a transfer in flight, by its key, cannot have landed
    anything.
    """
    scheduler = machine.scheduler
    queues = scheduler.queues
    found = [NEVER if queue.done else max(scheduler.now, _ready(queue)) for queue in queues]
    waits = {q.index: wait for q in queues if not q.done and (wait := _wait(machine, q))}
    known = {number: _known(machine, number, lands) for number, _, _ in waits.values()}
    least = list(found)
    for index in waits:
        found[index] = NEVER
    for _ in queues:
        before = list(found)
        for index, (number, op, value) in waits.items():
            posts = [*known[number], *_to_come(machine, flows, number, index, before)]
            seen = _reached(machine, number, op, value, posts)
            found[index] = max(least[index], seen)
        if found == before:
            break
    return found


def _ready(queue: Queue) -> int:
    """When everything but a semaphore that the next instruction needs is there."""
    task, behind = queue.head, queue.behind
    tick = 0 if queue.parked or queue.blocked is not None else queue.due
    if task is not None:
        tick = max(tick, task.free_at)
    return max(tick, behind.finish) if behind is not None else tick


def _wait(machine: Machine, queue: Queue) -> Wait | None:
    """The wait of a queue's next instruction, if it is not over."""
    if queue.waited or queue.arrived is not None:
        return None
    lines = machine.program.queues[queue.index]
    return machine.program.waits[lines.waits[queue.pc]]


def _known(machine: Machine, number: int, lands: Callable[[int], int]) -> list[_Post]:
    """Posts in flight: made and not seen, of instructions in flight and of transfers."""
    scheduler = machine.scheduler
    semaphore = scheduler.semaphores.get(number) or Semaphore()
    found = [_Post(p.at, p.value if p.op == "+" else None) for p in semaphore.pending]
    for queue in scheduler.queues:
        for flying in queue.flight:
            update, at = flying.task.update, flying.finish + scheduler.delay
            if update is not None and update[0] == number and not update[3]:
                found.append(_Post(at, update[2] if update[1] == "+" else None))
            if number in flying.task.work.clears:
                found.append(_Post(at, None))
    for flight in scheduler.transfers.values():
        if flight.semaphore == number:
            found.append(_Post(lands(flight.key) + flight.notify, flight.unposted))
    return found


def _to_come(
    machine: Machine, flows: ProgramFlows, number: int, mine: int, found: list[int]
) -> list[_Post]:
    """Posts of instructions that have not started: each any number of times."""
    return [
        _Post(min(NEVER, found[queue] + flows.takes(queue, pc)), None)
        for queue, pc in flows.posters(number)
        if queue != mine and found[queue] < NEVER
    ]


def _reached(machine: Machine, number: int, op: str, value: int, posts: list[_Post]) -> int:
    """When a condition can hold at the earliest."""
    semaphore = machine.scheduler.semaphores.get(number) or Semaphore()
    have = semaphore.seen
    if holds(have, op, value):
        return 0
    for post in sorted(posts, key=lambda post: post.tick):
        if post.amount is None or op != ">=" or post.amount < 0:
            return post.tick
        have += post.amount
        if have >= value:
            return post.tick
    return NEVER
