"""What a program may still do, looked up once: who posts a semaphore, who starts a transfer."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from nasm.analysis.deadlock.posts import Changing
from nasm.analysis.flow import Flow
from nasm.base.problems import Failure
from nasm.isa.effects import Rendezvous
from nasm.machine.effects import plan_of
from nasm.sim.counters import Who

if TYPE_CHECKING:
    from nasm.machine import Machine
    from nasm.sim.queues import Queue

MOST_BOUND = 2_000
"""Transfers of a program that are bound to know how they are split; of more nothing is known."""


class Future(NamedTuple):
    """A transfer that may still be started: its ring, and the ticks until its shares arrive.

    The ring is -1 where that is not known.
    """

    queue: int
    core: int
    ring: int
    dispatch: int


class ProgramFlows:
    """What the text of a program determines about its queues, at any pc."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.program = machine, machine.program
        self.changing = Changing(self.program)
        self._flows: dict[int, Flow] = {}
        self._size = len(self.program), len(self.program.instructions)

    @property
    def current(self) -> bool:
        """Whether the program is as long as it was: instructions may be typed."""
        return self._size == (len(self.program), len(self.program.instructions))

    def flow(self, queue: int) -> Flow:
        """Where a queue can go."""
        if queue not in self._flows:
            self._flows[queue] = Flow(self.program, queue)
        return self._flows[queue]

    def next_of(self, queue: Queue, pcs: list[int]) -> int | None:
        """Which of some instructions, in order, a queue would reach next; None if none."""
        if queue.done:
            return None
        typed = next((pc for pc in queue.ahead() if pc in pcs), None)
        if typed is not None:
            return typed
        pc = (*queue.resume, queue.pc)[0]
        return self._next_reached(queue, pc, pcs) if pc < queue.length else None

    def _next_reached(self, queue: Queue, pc: int, pcs: list[int]) -> int | None:
        """The same for a queue that continues at a pc of its program."""
        at, last = bisect_left(pcs, pc), bisect_left(pcs, queue.length)
        if not self.program.queues[queue.index].labels:
            return pcs[at] if at < last else None
        flow = self.flow(queue.index)
        ahead = itertools.chain(itertools.islice(pcs, at, last), itertools.islice(pcs, at))
        return next((other for other in ahead if flow.reaches(pc, other)), None)

    def posters(self, semaphore: int) -> Iterator[Who]:
        """The next instruction of each queue that updates a semaphore."""
        for index, pcs in self.changing.pcs(semaphore).items():
            pc = self.next_of(self.machine.scheduler.queues[index], pcs)
            if pc is not None:
                yield index, pc

    def takes(self, queue: int, pc: int) -> int:
        """Ticks from the start of an instruction, at the least, until waiters see its update."""
        update = self.program.updates[self.program.queues[queue].updates[pc]]
        if update is not None and update.at_read:
            return self.machine.scheduler.delay
        if not self.program.instruction(queue, pc).row.posts:
            return 1 + self.machine.scheduler.delay
        return 1 + min((future.dispatch for future in self._moving[queue]), default=0)

    # -- transfers to come

    @cached_property
    def _moving(self) -> list[dict[Future, list[int]]]:
        """What the transfers are like that each queue starts, and its pcs that start such."""
        program, found = self.program, list[dict[Future, list[int]]]()
        rows = enumerate(i.row for i in program.instructions)
        moving = {n: row.effect for n, row in rows if row.moves or row.effect is Rendezvous}
        meets = [n for n, effect in moving.items() if effect is Rendezvous]
        many = len(moving) - len(meets) > MOST_BOUND
        for queue, lines in enumerate(program.queues):
            unknown = [Future(queue, core, -1, 0) for core in range(program.cores)]
            known: dict[int, list[Future]] = dict.fromkeys(meets, unknown)
            mine: dict[Future, list[int]] = {}
            pcs = ((pc, n) for pc, n in enumerate(lines.instructions) if n in moving)
            for pc, number in pcs if moving else ():
                if number not in known:
                    known[number] = [unknown[lines.core] if many else self._future(queue, pc)]
                for future in known[number]:
                    mine.setdefault(future, []).append(pc)
            found.append(mine)
        return found

    def _future(self, queue: int, pc: int) -> Future:
        plan, core = None, self.program.queues[queue].core
        with suppress(Failure):
            plan = plan_of(self.machine.tasks[queue].fetch(pc)[0].work)
        if plan is None:
            return Future(queue, core, -1, 0)
        return Future(queue, core, plan.ring, plan.dispatch)

    def transfers(self) -> list[Future]:
        """What the transfers are like that may still be started."""
        queues = self.machine.scheduler.queues
        return [
            future
            for queue, moving in zip(queues, self._moving, strict=True)
            for future, pcs in moving.items()
            if self.next_of(queue, pcs) is not None
        ]
