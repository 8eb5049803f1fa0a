"""What effects do to a machine: jumps, transfers, meetings, cleared semaphores, messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nasm.machine import moves
from nasm.machine.bind import Bound
from nasm.machine.meetings import Meetings
from nasm.machine.scattered import ScatteredTransfer
from nasm.spec.effects import Clear, Jump, Rendezvous, Say, Transfer
from nasm.spec.instruction import Context

if TYPE_CHECKING:
    from nasm.machine.machine import Machine


class Acts:
    """Lets instructions that return effects act on a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.meetings = Meetings(machine, self)
        self._flights = 0
        self._plans = 0

    def effective(self, queue: int, bound: Bound, context: Context, semaphore: int | None) -> None:
        """Let an instruction act when it starts, or when it completes, as its effect is."""
        labels = self.machine.program.queues[queue].labels
        inner = bound.start
        plans: list[moves.BoundTransfer] = []
        bound.branches = True
        fixed = None
        if not bound.reads and bound.gate is None:  # a pure function of nothing that changes
            fixed = inner(0)
            if isinstance(fixed, Transfer):
                plans.append(self.plan(fixed, context))
            elif isinstance(fixed, Rendezvous):
                self.meetings.hold(queue, bound, context, fixed)
                return
            elif isinstance(fixed, Clear):
                self._clear(queue, bound, fixed)
                return

        def start(now: int) -> int | None:
            effect = fixed or inner(now)
            if isinstance(effect, Jump):
                return labels[effect.target] if effect.target is not None else None
            if isinstance(effect, Transfer):
                if not plans:
                    plans.append(self.plan(effect, context))
                pc = self.machine.scheduler.queues[queue].pc
                self.launch(plans[0], queue, pc, now, semaphore)
            if isinstance(effect, Say):
                self._say(effect, queue, now)
            return None

        bound.start = start
        bound.finish = _nothing

    def skip(self, queue: int, bound: Bound, context: Context, semaphore: int | None) -> bool:
        """Let a move whose address is out of bounds move nothing, and post; False if it may not."""
        effect = bound.start(0)
        if not isinstance(effect, Transfer) or not effect.skips:
            return False
        nothing = self.plan(replace(effect, moves=()), context)

        def start(now: int) -> None:
            pc = self.machine.scheduler.queues[queue].pc
            self.launch(nothing, queue, pc, now, semaphore)

        bound.branches, bound.start, bound.finish = True, start, _nothing
        return True

    def plan(self, move: Transfer, context: Context) -> moves.BoundTransfer:
        """A move as the target splits it, bound to the memories."""
        plan = self.machine.program.target.plan
        assert plan is not None, "the target has a moving instruction and no plan for it"
        transfer = plan(move, context.generation, context.engine)
        addressed = any(v.offsets is not None for views in move.moves for v in views)
        make = ScatteredTransfer if addressed else moves.BoundTransfer
        return make(self.machine, move, transfer, self.fresh())

    def fresh(self) -> int:
        """A number below -1 for a plan, or for a start of one that differs from the others."""
        self._plans += 1
        return -1 - self._plans

    def launch(
        self,
        plan: moves.BoundTransfer,
        queue: int,
        pc: int,
        now: int,
        semaphore: int | None = None,
        landed: Callable[[], None] | None = None,
    ) -> None:
        """Start a transfer for an instruction; ``landed`` is called when all of it has."""
        self._flights += 1
        key = self._flights
        scheduler = self.machine.scheduler
        shipment = plan.start(queue, pc, semaphore, key, landed)
        scheduler.transfers[key] = (queue, pc, plan.reads, plan.writes, plan.number)
        if plan.tangled:
            self.machine.hazards.tangled(queue, pc)
        scheduler.submit(shipment, now + plan.transfer.dispatch)

    def _clear(self, queue: int, bound: Bound, clear: Clear) -> None:
        """Set semaphores of the core to 0 when the instruction completes."""
        scheduler = self.machine.scheduler
        base = self.machine.program.queues[queue].core * scheduler.per_core

        def finish(_: Any, __: int) -> None:
            for number in range(base + clear.first, base + clear.last + 1):
                if scheduler.semaphores[number].value:
                    scheduler.post(number, "=", 0, scheduler.delay)

        bound.branches, bound.start, bound.finish = False, _none, finish

    def _say(self, effect: Say, queue: int, now: int) -> None:
        machine = self.machine
        core, pc = machine.program.queues[queue].core, machine.scheduler.queues[queue].pc
        machine.trace.messages.append((core, queue, pc, now, effect.text))


def _nothing(_: Any, __: int) -> None:
    return None


def _none(_: int) -> None:
    return None
