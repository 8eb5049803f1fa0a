"""A run of a program whose tiles are simulated in groups, each in a process of its own.

Groups are executed window by window. A window ends before anything that is sent in it can be at
another tile, so that each group has all it needs at its begin. What they tell is put in the order
of one machine, which then has the results: values, ticks, trace and reports are those of a run in
one process. What does not fit, and a run that does not end well, is run again by that machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nasm.base.problems import Failure, Problem, counted
from nasm.isa.effects import Packet, Rendezvous
from nasm.machine.group_packets import Launch, Payload, Unfit
from nasm.machine.records import MOST_INSTRUCTIONS, Progress, RunReport
from nasm.order.tile_watch import TileWatch
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.sim.group_scheduler import KeptEvent
from nasm.sim.queues import NEVER
from nasm.tiles.hosting import GroupHost
from nasm.tiles.interface import Division, Reached, Window, divided
from nasm.tiles.merging import Merging, Revoked
from nasm.tiles.whole import WholeMachine
from nasm.workers.actors import Actor, WorkerLost
from nasm.workers.places import ActorPlace

LOST = "E0870"


def apart(program: Program) -> str:
    """Why the tiles of a program cannot be simulated in groups; empty if they can."""
    if not program.tiles or program.cores < 2:
        return "it has one tile"
    if program.ranks > 1:
        return "it has several ranks"
    if any(one.row.effect is Rendezvous for one in program.instructions):
        return "its cores meet without a network"
    if any(u is not None and (u.op != "+" or u.value < 0) for u in program.updates):
        return "it takes counts back from semaphores"
    return ""


class TilesRun:
    """The tiles of an execution's program in ``count`` groups, wherever a place has them.

    ``windows`` is how many there were; ``alone`` is why one machine ran all of it, if one did.
    """

    def __init__(self, execution: Execution, place: ActorPlace, count: int | None = None) -> None:
        self.execution, self.place = execution, place
        program = execution.program
        self.count = max(1, min(program.cores, place.width if count is None else count))
        self.windows = 0
        self.halted = False
        self.alone = apart(program)
        settings = execution.settings
        if settings.profile:
            self.alone = "its profile is kept"

    def halt(self) -> None:
        """End the run; what is reported is where one machine is then."""
        self.halted = True
        self.execution.halt()

    def run(
        self,
        *,
        max_cycles: int | None = None,
        max_instructions: int | None = MOST_INSTRUCTIONS,
        progress: Callable[[Progress], None] | None = None,
        hashes: bool = True,
    ) -> RunReport:
        """Run to the end, as :meth:`Execution.run` does; raises Failure if a worker is lost."""
        run = self.execution
        if not self.alone:
            cycle = run.program.generation.base.cycle
            until = NEVER if max_cycles is None else max_cycles * cycle
            most = NEVER if max_instructions is None else max_instructions
            try:
                self._windows(until, most, progress)
            except Unfit as unfit:
                self.alone = str(unfit)
            except WorkerLost as lost:
                raise Failure(_lost(lost)) from None
        if self.alone and not self.halted:
            run.restart()
        return run.run(
            max_cycles=max_cycles,
            max_instructions=max_instructions,
            progress=progress,
            hashes=hashes,
        )

    # -- windows

    def _windows(
        self, until: int, most: int, progress: Callable[[Progress], None] | None
    ) -> None:
        """Execute window after window; raises Unfit where one machine has to do it."""
        program, machine = self.execution.program, self.execution.machine
        division = divided(program, self.count)
        whole = WholeMachine(machine)
        owned: list[list[int]] = [[] for _ in range(self.count)]
        for number, lines in enumerate(program.queues):
            if len(lines):
                owned[division.groups[lines.core]].append(number)
        merging = Merging(len(program.queues), owned, whole.hear)
        actors = self._made(division)
        assert machine.packets is not None
        network = machine.packets.network
        assert network is not None
        soonest = network.soonest
        launches: list[Launch] = []
        payloads: list[list[Payload]] = [[] for _ in actors]
        events: list[Sequence[KeptEvent]] = []
        end, begun, called = soonest, time.monotonic(), time.monotonic()
        while True:
            windows = [Window(end, launches, some) for some in payloads]
            found = self._each(actors, "advance", [(window,) for window in windows])
            self.windows += 1
            self._check(found, until, most)
            merging.merge(events, [one.revoked for one in found])
            events = [one.kept for one in found]
            launches = sorted((l for one in found for l in one.launches), key=_order)
            payloads = [[] for _ in actors]
            for payload in (p for one in found for p in one.payloads):
                payloads[payload.group].append(payload)
            if progress is not None and time.monotonic() - called >= 0.2:
                called = time.monotonic()
                progress(self._progress(found, called - begun))
            if launches:
                end += soonest
                continue
            coming = [one.next for one in found if one.next is not None]
            if not coming:
                break
            sends = any(one.sends for one in found)
            end = max(end, min(coming)) + soonest if sends else NEVER
        merging.merge(events, [() for _ in found])
        if not all(self._each(actors, "ended", [()] * len(actors))):
            raise Unfit("not every queue is at its end")
        now, retired = max(one.now for one in found), sum(one.retired for one in found)
        states = self._each(actors, "state", [(now,)] * len(actors))
        whole.finish(states, now, retired)

    def _made(self, division: Division) -> list[Actor]:
        run = self.execution
        machine = run.machine
        checked = isinstance(machine.watch, TileWatch)
        each = [
            (run.assembled, n, division, run.inputs, run.files, machine.values, checked)
            for n in range(self.count)
        ]
        return self.place.made(GroupHost, each)

    def _check(self, found: Sequence[Reached], until: int, most: int) -> None:
        """Whether the groups can continue: raises Unfit."""
        if self.halted:
            raise Unfit("it was halted")
        for one in found:
            if one.alone:
                raise Unfit(one.alone)
        if max(one.now for one in found) > until or sum(one.retired for one in found) > most:
            raise Unfit("it has met a limit")

    @staticmethod
    def _each(actors: Sequence[Actor], method: str, args: Sequence[Sequence[Any]]) -> list[Any]:
        """Call all groups, side by side."""
        replies = [actor.call(method, *some) for actor, some in zip(actors, args, strict=True)]
        return [reply.result() for reply in replies]

    def _progress(self, found: Sequence[Reached], elapsed: float) -> Progress:
        now, machine = max(one.now for one in found), self.execution.machine
        retired = sum(one.retired for one in found)
        return Progress(retired, now, machine.microseconds(now), elapsed)


def _order(launch: Launch) -> tuple[int, int]:
    return launch.order


def _lost(lost: WorkerLost) -> Problem:
    """That a worker has ended."""
    message = f"a worker that had tiles of the program has ended: {lost.where}"
    return Problem(LOST, message, None, "what it was doing is lost: run it again")
