"""A queue that is sent elsewhere by hand, between any two events."""

from __future__ import annotations

from heapq import heapify

from nasm.sim.queues import ORDER, Queue
from nasm.sim.scheduler import Scheduler
from nasm.sim.service import START


def divert(scheduler: Scheduler, queue: Queue, pc: int, resume: tuple[int, ...] = ()) -> None:
    """Let a queue continue at another pc, and then at those where it should ``resume``.

    Its next task is taken back, which must not have arrived at a rendezvous: it is in no line any
    more, and nothing that is to come is for it.
    """
    now, index, head, heap = scheduler.now, queue.index, queue.head, scheduler.heap
    scheduler.poised = False  # what starts next may be something else
    for tell in scheduler.listeners["idle"]:
        tell(queue, now)
    queue.account(now)
    if queue.parked:
        assert queue.wait is not None
        scheduler.semaphores[queue.wait[0]].parked.remove(index)
    scheduler.gates.forget(queue)
    for resource in () if head is None else (*head.resources, *head.ports):
        resource.waiting.pop(index, None)
        resource.passed.discard(index)
    heap[:] = [e for e in heap if e[3] is not queue or e[1] < START]
    heapify(heap)
    queue.head = queue.wait = queue.behind = queue.blocker = None
    queue.asked = queue.parked = queue.waited = False
    queue.resume, queue.cause, queue.poster = resume, ORDER, None
    if head is None or pc is not queue.pc:  # else it stays where it is, expanded or not
        queue.enter(pc)
    queue.done = queue.pc >= queue.length and not resume
    if not queue.done:
        last = queue.flight[-1].start if queue.flight else -1
        scheduler.bring_up(queue, max(now, last + 1))
        scheduler.push(queue.due, START + index, queue)
