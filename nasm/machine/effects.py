"""What effects do to a machine, by their type: jumps, transfers, rendezvous, and the like."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from nasm.base.records import replace
from nasm.isa import effects
from nasm.isa.effects import Clear, Jump, Plan, Say, Transfer
from nasm.machine.rank_meetings import RankMeetings
from nasm.machine.rendezvous import RendezvousPoint
from nasm.machine.transfers import Transfers
from nasm.program.program import Program
from nasm.program.shapes import Shape
from nasm.sim.queues import Work
from nasm.sim.scheduler import Scheduler

if TYPE_CHECKING:
    from nasm.machine.outside_calls import OutsideCalls
    from nasm.machine.packets import Packets


class Computed(Protocol):
    """An instruction bound to what it computes."""

    def values(self) -> Any:
        """What the semantics make of what is there now."""


class Effects:
    """Lets the instructions of one queue that return effects act on the machine."""

    CACHES = ("_plans",)

    def __init__(
        self,
        program: Program,
        queue: int,
        scheduler: Scheduler,
        transfers: Transfers,
        rendezvous: RendezvousPoint,
        packets: Packets | None,
        outside: OutsideCalls | None,
        ranks: RankMeetings,
    ) -> None:
        self.queue, self.core = queue, program.queues[queue].core
        self.lines = program.queues[queue]
        self.base = self.core * program.generation.counters
        self.scheduler, self.transfers, self.rendezvous = scheduler, transfers, rendezvous
        self.packets, self.outside = packets, outside
        self.ranks = ranks
        self._plans: dict[Shape, Plan] = {}
        self._by_type: dict[type[effects.Effect], Callable[..., Work]] = {
            Jump: self._jump,
            Transfer: self._transfer,
            Say: self._say,
            Clear: self._clear,
            effects.Rendezvous: self._rendezvous,
            effects.Packet: self._packet,
            effects.UntilAnswered: self._drain,
            effects.OutsideCall: self._outside,
            effects.RankExchange: self._exchange,
        }

    def work(self, work: Work, kernel: Computed, shape: Shape, semaphore: int | None) -> Work:
        """Let an instruction act when it starts or when it completes, according to its effect."""
        assert shape.row.effect is not None
        make = self._by_type[shape.row.effect]
        return make(work, kernel, shape, semaphore)

    def _jump(self, work: Work, kernel: Computed, *_: Any) -> Work:
        lines = self.lines  # a text that is typed in adds to its labels

        def start(_: int) -> int | None:
            target = kernel.values().target
            return None if target is None else lines.labels[target]

        return _acting(work, start, branches=True)

    def _say(self, work: Work, kernel: Computed, *_: Any) -> Work:
        def start(_: int) -> None:
            self.scheduler.say(kernel.values().text)

        return _acting(work, start)

    def _clear(self, work: Work, kernel: Computed, *_: Any) -> Work:
        """Set semaphores of the core to 0 when the instruction completes."""
        clear: Clear = kernel.values()
        scheduler = self.scheduler
        numbers = work.clears = range(self.base + clear.first, self.base + clear.last + 1)

        def finish(_: Any) -> None:
            for number in numbers:
                if scheduler.semaphores[number].value:
                    scheduler.waits.post(number, "=", 0, scheduler.delay)

        return _acting(work, _nothing, finish)

    def _transfer(self, work: Work, kernel: Computed, shape: Shape, semaphore: int | None) -> Work:
        transfer: Transfer = kernel.values()
        plan = self._plans.get(shape)
        if plan is None:
            plan = self._plans[shape] = self.transfers.plan(transfer, shape.context)
        return self._launching(work, transfer, plan, semaphore)

    def _launching(self, work: Work, transfer: Transfer, plan: Plan, semaphore: int | None) -> Work:
        """Work that starts a transfer for its own instruction."""
        bound = self.transfers.bind(transfer, plan)
        return _acting(work, partial(self.transfers.launch, bound, semaphore))

    def _rendezvous(self, work: Work, kernel: Computed, shape: Shape, _: int | None) -> Work:
        return self.rendezvous.work(work.number, self.queue, shape.context, kernel.values())

    def _packet(self, work: Work, kernel: Computed, shape: Shape, semaphore: int | None) -> Work:
        packets, signals = self.packets, shape.row.signals
        assert packets is not None, "the target has packets and no network"
        bound = packets.bind(kernel.values(), self.core, semaphore, signals)

        def start(now: int) -> None:
            packets.launch(bound, signals, self.scheduler.acting, now)

        return _acting(work, start)

    def _drain(self, work: Work, kernel: Computed, *_: Any) -> Work:
        assert self.packets is not None
        work.condition = partial(self.packets.outstanding, self.queue, kernel.values())
        return _acting(work, _nothing)

    def _outside(self, work: Work, kernel: Computed, *_: Any) -> Work:
        assert self.outside is not None, "the target has calls, and nothing outside"
        return self.outside.work(work, self.queue, self.core, kernel.values())

    def _exchange(self, work: Work, kernel: Computed, shape: Shape, _: int | None) -> Work:
        return self.ranks.work(work.number, self.queue, kernel.values())

    def skip(
        self, work: Work, kernel: Computed, shape: Shape, semaphore: int | None
    ) -> Work | None:
        """A transfer out of bounds that moves nothing, and posts; None if it may not."""
        if shape.row.effect is not Transfer:
            return None
        transfer: Transfer = kernel.values()
        if not transfer.skips:
            return None
        nothing = replace(transfer, moves=())
        plan = self.transfers.plan(nothing, shape.context)
        return self._launching(work, nothing, plan, semaphore)


def plan_of(work: Work) -> Plan | None:
    """How the transfer that some work starts is split; None if it starts none."""
    start = work.start
    if not isinstance(start, partial) or start.func.__name__ != Transfers.launch.__name__:
        return None
    plan: Plan = start.args[0].plan
    return plan


def _nothing(_: Any) -> None:
    return None


def _acting(
    work: Work,
    start: Callable[[int], Any],
    finish: Callable[[Any], None] = _nothing,
    branches: bool = False,
) -> Work:
    """Work that was just bound, with what acts in the place of what stores."""
    work.start, work.finish, work.branches = start, finish, branches
    return work
