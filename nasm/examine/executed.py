"""What a run executed: its steps, and what each reads and writes by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

from nasm.examine.touches import Touches
from nasm.machine.machine import Machine
from nasm.order.skeleton import Change, Issue, Step, Wait
from nasm.sim.channels import Flight
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.sim.regions import Region


class Executed(NamedTuple):
    """An instruction that was executed, without its transfer."""

    pc: int
    step: Step
    reads: tuple[Region, ...]
    writes: tuple[Region, ...]


class Log(Observer):
    """Every instruction that was executed, queue by queue, in order.

    ``unsteady`` is the first that sets a counter, clears some or takes one down; events that are
    set once go up like any other.
    """

    def __init__(self, machine: Machine, touches: Touches) -> None:
        self.program, self.touches = machine.program, touches
        self.queues: list[list[Executed]] = [[] for _ in machine.program.queues]
        self.unsteady: tuple[int, int] | None = None
        self._set: set[int] = set()
        self._met: dict[tuple[object, int], int] = {}
        self._meetings: dict[tuple[object, int], int] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Keep an instruction."""
        at, log = (queue.index, queue.pc), self.queues[queue.index]
        column = self.program.queues[queue.index]
        awaited = self.program.waits[column.waits[queue.pc]]
        wait = None if awaited is None else Wait(awaited.semaphore, awaited.op, awaited.value)
        meeting = self._meeting(at, queue.core)
        step = Step(queue.index, len(log), wait, self._change(at), None, -1, meeting)
        addresses = tuple(
            region for region in self.touches.of(*at).taken if region.place == self._registers(at)
        )
        log.append(
            Executed(
                queue.pc,
                step,
                tuple(dict.fromkeys((*task.work.reads, *addresses))),
                task.work.writes,
            )
        )

    def _registers(self, at: tuple[int, int]) -> str:
        return self.touches.machine.state.registers[at[0]].place

    def _change(self, at: tuple[int, int]) -> Change | None:
        """What an instruction itself does to a counter."""
        queue, pc = at
        update = self.program.updates[self.program.queues[queue].updates[pc]]
        instruction = self.program.instruction(queue, pc)
        event = update is not None and self.program.generation.counter(update.semaphore)[2]
        if update is None or instruction.row.posts:
            steady = not self.touches.clears(queue, pc)
        elif update.op == "+":
            steady = update.value >= 0
        else:
            steady = event and update.value == 1 and update.semaphore not in self._set
            self._set.add(update.semaphore)
        if not steady and self.unsteady is None:
            self.unsteady = at
        if update is None or instruction.row.posts:
            return None
        return Change(update.semaphore, "+", update.value, update.at_read)

    def _meeting(self, at: tuple[int, int], core: int) -> int:
        """The number of the meeting that an instruction takes part in; -1 of none."""
        key = self.touches.meeting(*at)
        if key is None:
            return -1
        nth = self._met[key, core] = self._met.get((key, core), -1) + 1
        return self._meetings.setdefault((key, nth), len(self._meetings))

    def issued(self, flight: Flight, now: int) -> None:
        """Keep what an instruction issues; what a meeting moves posts nothing."""
        queue, _ = flight.origin
        log = self.queues[queue]
        if flight.semaphore is None or not log:
            return
        done = log[-1]
        issue = Issue(flight.semaphore, flight.left)
        log[-1] = done._replace(step=replace(done.step, issue=issue))

    def save(self) -> Any:
        """How much there is."""
        counts = [len(log) for log in self.queues]
        return counts, self.unsteady, set(self._set), dict(self._met), dict(self._meetings)

    def restore(self, saved: Any) -> None:
        """Forget what came later."""
        counts, self.unsteady, known, met, meetings = saved
        self._set, self._met, self._meetings = set(known), dict(met), dict(meetings)
        for log, count in zip(self.queues, counts, strict=True):
            del log[count:]
