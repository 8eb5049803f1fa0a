"""What a program may still do, looked up once: who posts a semaphore, who starts a transfer."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from nasm.machine.effects import plan_of
from nasm.machine.flow import Flow
from nasm.machine.supply import Changing
from nasm.problems import Failure
from nasm.sim.counters import Who
from nasm.spec.effects import Rendezvous, Transfer

if TYPE_CHECKING:
    from nasm.machine import Machine
    from nasm.sim.queues import Queue

MOST_BOUND = 2_000
"""Transfers of a program that are bound to know how they are split; of more nothing is known."""


class Future(NamedTuple):
    """A transfer that may still be started: its ring, and the ticks until its shares arrive.

    The ring is -1 where that is not known.
    """

    core: int
    ring: int
    dispatch: int
    notify: int


class Outlook:
    """What the text of a program says of its queues, wherever they stand."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.program = machine, machine.program
        self.changing = Changing(self.program)
        self._flows: dict[int, Flow] = {}

    def flow(self, queue: int) -> Flow:
        """Where a queue can go."""
        if queue not in self._flows:
            self._flows[queue] = Flow(self.program, queue)
        return self._flows[queue]

    def next_of(self, queue: Queue, pcs: list[int]) -> int | None:
        """Which of some instructions, in order, a queue would come to next; None if to none."""
        if queue.done:
            return None
        if not self.program.queues[queue.index].labels:
            at = bisect_left(pcs, queue.pc)
            return pcs[at] if at < len(pcs) else None
        flow = self.flow(queue.index)
        left = [pc for pc in pcs if flow.reaches(queue.pc, pc)]
        return min(left, key=lambda pc: (pc < queue.pc, pc), default=None)

    def posters(self, semaphore: int) -> Iterator[Who]:
        """The next instruction of each queue that updates a semaphore."""
        for index, pcs in self.changing.pcs(semaphore).items():
            pc = self.next_of(self.machine.scheduler.queues[index], pcs)
            if pc is not None:
                yield index, pc

    # -- transfers to come

    @cached_property
    def _moving(self) -> dict[int, dict[int, tuple[Future, ...]]]:
        """The instructions that start transfers, by queue and pc, and what these are like."""
        program, found = self.program, dict[int, dict[int, tuple[Future, ...]]]()
        kinds = {n for n, i in enumerate(program.instructions) if i.row.effect is Transfer}
        meets = {n for n, i in enumerate(program.instructions) if i.row.effect is Rendezvous}
        few = len(kinds) <= MOST_BOUND
        for queue, lines in enumerate(program.queues):
            known: dict[int, tuple[Future, ...]] = {}
            for pc, number in enumerate(lines.instructions):
                if number in kinds and number not in known:
                    known[number] = (self._future(queue, pc, few),)
                elif number in meets:
                    known[number] = tuple(Future(core, -1, 0, 0) for core in range(program.cores))
            found[queue] = {
                pc: known[number] for pc, number in enumerate(lines.instructions) if number in known
            }
        return found

    def _future(self, queue: int, pc: int, bound: bool) -> Future:
        plan, core = None, self.program.queues[queue].core
        if bound:
            try:
                plan = plan_of(self.machine.tasks[queue].fetch(pc)[0].work)
            except Failure:
                plan = None
        if plan is None:
            return Future(core, -1, 0, 0)
        return Future(core, plan.ring, plan.dispatch, plan.notify)

    def transfers(self) -> set[Future]:
        """What the transfers are like that may still be started."""
        found: set[Future] = set()
        for queue in self.machine.scheduler.queues:
            by_pc = self._moving[queue.index]
            if queue.done or not by_pc:
                continue
            if not self.program.queues[queue.index].labels:
                left = [pc for pc in by_pc if pc >= queue.pc]
            else:
                flow = self.flow(queue.index)
                left = [pc for pc in by_pc if flow.reaches(queue.pc, pc)]
            found.update(future for pc in left for future in by_pc[pc])
        return found
