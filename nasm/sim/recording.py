"""What a run was made of, in addition to its history: its tasks and its transfers, to replay it."""

from __future__ import annotations

from typing import Any

from nasm.isa.micro_instructions import Micro
from nasm.sim.channels import Flight
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.views.regions import Region

Issued = tuple[int, int]
"""A transfer: the number of the record that issued it, and the queue that it is of."""


class Recording(Observer):
    """The task of every start, by its number, and the transfers that were issued.

    ``fronts`` are those that represented a task until it was about to start, ``micros`` the places
    of instructions that others were expanded to.
    """

    def __init__(self) -> None:
        self.tasks: dict[int, Task] = {}
        self.fronts: dict[int, Task] = {}
        self.micros: dict[int, Micro] = {}
        self.flights: dict[Issued, Flight] = {}
        self._heads: dict[int, Task] = {}

    def reads(self, record: int) -> tuple[Region, ...]:
        """What an instruction reads, registers that address it among it."""
        front, reads = self.fronts.get(record), self.tasks[record].work.reads
        return reads if front is None else (*front.work.reads, *reads)

    def head(self, queue: Queue, task: Task, now: int) -> None:
        """Keep what a task expands to."""
        if task.expand is not None:
            self._heads[queue.index] = task

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Keep a task."""
        self.tasks[queue.record] = task
        if type(queue.pc) is Micro:
            self.micros[queue.record] = queue.pc
        if queue.index in self._heads:
            self.fronts[queue.record] = self._heads.pop(queue.index)

    def issued(self, flight: Flight, now: int) -> None:
        """Keep a transfer."""
        self.flights[flight.record, flight.origin[0]] = flight

    def save(self) -> Any:
        """How many there are of each."""
        counts = len(self.tasks), len(self.fronts), len(self.micros), len(self.flights)
        return counts, dict(self._heads)

    def restore(self, saved: Any) -> None:
        """Forget those that came later."""
        counts, heads = saved
        self._heads = dict(heads)
        kept: tuple[dict[Any, Any], ...] = self.tasks, self.fronts, self.micros, self.flights
        for one, count in zip(kept, counts, strict=True):
            while len(one) > count:
                one.popitem()
