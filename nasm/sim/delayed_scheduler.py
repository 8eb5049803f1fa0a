"""A scheduler under other timings: the same rules, and other times.

What takes time it asks :class:`~nasm.sim.delays.Delays` about when it happens: each start, each
post, each transfer. A scheduler without them knows nothing of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nasm.base.records import replace
from nasm.sim.channels import Channels, Flight
from nasm.sim.counters import Counters
from nasm.sim.delays import Delays
from nasm.sim.queues import Queue, Task
from nasm.sim.resources import Resource
from nasm.sim.scheduler import Scheduler
from nasm.sim.service import START, Service, ServiceHost
from nasm.sim.waits import WaitHost, Waits

Supply = Sequence[tuple[int, int]]


class DelayedWaits(Waits):
    """Posts that waiters see as late as the delays say."""

    def __init__(self, host: WaitHost, semaphores: Counters, delays: Delays) -> None:
        super().__init__(host, semaphores)
        self.delays = delays

    def post(self, number: int, op: str, value: int, delay: int, poster: int | None = None) -> None:
        """Change a semaphore now; a queue that waits for it may start some ticks later."""
        pending = self.semaphores[number].pending
        least = pending[-1].at - self.host.now if pending else 0
        super().post(number, op, value, self.delays.hand_off(delay, least), poster)


class DelayedService(Service):
    """Transfers that take as long as the delays say."""

    def __init__(
        self, host: ServiceHost, cores: Sequence[Channels], supply: Supply, delays: Delays
    ) -> None:
        super().__init__(host, cores, supply)
        self.delays = delays

    def make(self, maker: Resource, ticks: int) -> int:
        """Occupy something outside the queues for the instruction that acts."""
        return super().make(maker, self.delays.some(ticks))

    def issue(self, flight: Flight, at: int) -> None:
        """Put a transfer in flight."""
        host = self.host
        self.delays.transfer(host.queues[flight.origin[0]], flight)
        super().issue(flight, host.now + self.delays.some(at - host.now))


class DelayedScheduler(Scheduler):
    """A scheduler that asks ``delays`` how long things take."""

    def __init__(
        self,
        semaphores: Counters,
        channels: Sequence[Channels],
        delay: int,
        *,
        delays: Delays,
        supply: Supply = (),
        **more: Any,
    ) -> None:
        super().__init__(semaphores, channels, delay, supply=supply, **more)
        self.delays = delays
        self.waits = DelayedWaits(self, semaphores, delays)
        self.service = DelayedService(self, channels, supply, delays)
        self.transfers = self.service.transfers

    def attempt(self, queue: Queue) -> None:
        """The first instruction of a queue may start late, too."""
        if queue.head is None:
            if queue.expand is not None and not self._entered(queue):
                return
            self.bring_up(queue, self.now)
            if queue.due > self.now:
                self.push(queue.due, START + queue.index, queue)
                return
        super().attempt(queue)

    def bring_up(self, queue: Queue, least: int) -> Task:
        """The next task becomes the head, and may start late."""
        task = super().bring_up(queue, least)
        lag = self.delays.lag(queue, task.latency)
        if lag:
            queue.due += lag
            if queue.asked:  # it is in line once it tries: until then others may go first
                queue.asked = False
                for resource in task.resources:
                    resource.waiting.pop(queue.index, None)
                    resource.passed.discard(queue.index)
        return task

    def _start(self, queue: Queue, task: Task, now: int) -> None:
        times = task.interval, task.latency
        if task.pace is not None:
            times = task.pace.at(task.key, now, *times)
        interval, latency = self.delays.work(queue, *times)
        super()._start(queue, replace(task, interval=interval, latency=latency, pace=None), now)

    def release(self, index: int, at: int) -> None:
        """Let a parked queue start its head at a tick, or at another."""
        ticks = at - self.now
        super().release(index, self.now + (self.delays.some(ticks) if ticks else 0))

    def save(self) -> Any:
        """Everything that changes, the delays included."""
        return super().save(), self.delays.save()

    def restore(self, saved: Any) -> None:
        """Everything as it was when it was saved."""
        own, delays = saved
        super().restore(own)
        self.delays.restore(delays)
