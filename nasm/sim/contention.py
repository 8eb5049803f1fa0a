"""Contention: queues that want the same resources line up, and one of them goes first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from nasm.sim.queues import Queue, Task
from nasm.sim.resources import Resource


class ContentionHost(Protocol):
    """What contention needs of a scheduler."""

    now: int
    queues: list[Queue]

    def retry(self, queue: Queue, tick: int) -> None:
        """Let a queue try to start its head at a tick, and not before."""

    def retry_last(self, queue: Queue, tick: int) -> None:
        """The same, but after all that try at that tick."""


class Contention:
    """Says who of several queues may have a resource: who has waited longest, then by order.

    What it remembers is with the resources: see :class:`Resource`.
    """

    def __init__(self, host: ContentionHost) -> None:
        self.host = host

    def stand(self, queue: Queue, resources: Sequence[Resource], now: int) -> None:
        """Line up for resources, from now on unless it does already."""
        queue.asked = True
        for resource in resources:
            resource.waiting.setdefault(queue.index, now)

    def ports(self, queue: Queue, task: Task, now: int) -> bool:
        """Whether a task can have the ports that it wants now; if not, it waits for its turn."""
        for port in task.ports:
            if port.waiting or port.free_at > now:
                break
        else:
            return True
        last = max(task.ports, key=lambda port: port.free_at)
        if last.free_at <= now:
            return not self.yields(queue, task.ports, "port")
        queue.cause, queue.blocker, queue.because = "port", last, last.record
        self.stand(queue, task.ports, now)
        self.host.retry(queue, last.free_at)
        return False

    def yields(self, queue: Queue, resources: Sequence[Resource], cause: str) -> bool:
        """Whether another queue goes first, so that this one tries again after it.

        One that has waited longer does if it is due now, or was passed over before.
        """
        host, now = self.host, self.host.now
        for resource in resources:
            asked = resource.waiting.get(queue.index, now)
            for index, since in resource.waiting.items():
                due = host.queues[index].due
                passed = index in resource.passed and due >= now
                if (since, index) < (asked, queue.index) and (due == now or passed):
                    if due > now:
                        self.stand(queue, resources, now)
                        queue.cause, queue.blocker = cause, resource
                        queue.because = resource.record
                    host.retry_last(queue, due)
                    return True
        return False
