"""What effects do to a machine, by their type: jumps, transfers, rendezvous, and the like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from nasm.machine.kernels import Kernel
from nasm.machine.rendezvous import Rendezvous
from nasm.machine.transfers import BoundTransfer, Transfers
from nasm.sim.queues import Work
from nasm.sim.scheduler import Scheduler
from nasm.spec import effects
from nasm.spec.effects import Clear, Jump, Say, Transfer
from nasm.spec.instruction import Context
from nasm.spec.program import Program


class Effects:
    """Lets the instructions of one queue that return effects act on the machine."""

    def __init__(
        self,
        program: Program,
        queue: int,
        scheduler: Scheduler,
        transfers: Transfers,
        rendezvous: Rendezvous,
    ) -> None:
        self.queue, self.core = queue, program.queues[queue].core
        self.labels = program.queues[queue].labels
        self.base = self.core * program.generation.counters
        self.scheduler, self.transfers, self.rendezvous = scheduler, transfers, rendezvous
        self._by_type: dict[type[effects.Effect], Callable[..., Work]] = {
            Jump: self._jump,
            Transfer: self._transfer,
            Say: self._say,
            Clear: self._clear,
            effects.Rendezvous: self._rendezvous,
        }

    def work(self, work: Work, kernel: Kernel, context: Context, semaphore: int | None) -> Work:
        """Let an instruction act when it starts or when it completes, according to its effect."""
        assert context.row.effect is not None
        make = self._by_type[context.row.effect]
        return make(work, kernel, context, semaphore)

    def _jump(self, work: Work, kernel: Kernel, *_: Any) -> Work:
        labels = self.labels

        def start(_: int) -> int | None:
            target = kernel.values().target
            return None if target is None else labels[target]

        return replace(work, start=start, finish=_nothing, branches=True)

    def _say(self, work: Work, kernel: Kernel, *_: Any) -> Work:
        def start(_: int) -> None:
            self.scheduler.say(kernel.values().text)

        return replace(work, start=start, finish=_nothing)

    def _clear(self, work: Work, kernel: Kernel, *_: Any) -> Work:
        """Set semaphores of the core to 0 when the instruction completes."""
        clear: Clear = kernel.values()
        scheduler = self.scheduler

        def finish(_: Any) -> None:
            for number in range(self.base + clear.first, self.base + clear.last + 1):
                if scheduler.semaphores[number].value:
                    scheduler.post(number, "=", 0, scheduler.delay)

        return replace(work, start=_nothing, finish=finish)

    def _transfer(
        self, work: Work, kernel: Kernel, context: Context, semaphore: int | None
    ) -> Work:
        bound = self.transfers.bind(kernel.values(), context)
        return replace(work, start=partial(self._launch, bound, semaphore), finish=_nothing)

    def _launch(self, bound: BoundTransfer, semaphore: int | None, now: int) -> None:
        self.transfers.launch(bound, self.scheduler.acting, now, semaphore)

    def _rendezvous(self, work: Work, kernel: Kernel, context: Context, _: int | None) -> Work:
        return self.rendezvous.work(work.number, self.queue, context, kernel.values())

    def skip(
        self, work: Work, kernel: Kernel, context: Context, semaphore: int | None
    ) -> Work | None:
        """A transfer out of bounds that moves nothing, and posts; None if it may not."""
        if context.row.effect is not Transfer:
            return None
        transfer: Transfer = kernel.values()
        if not transfer.skips:
            return None
        bound = self.transfers.bind(replace(transfer, moves=()), context)
        return replace(work, start=partial(self._launch, bound, semaphore), finish=_nothing)


def _nothing(_: Any) -> None:
    return None
