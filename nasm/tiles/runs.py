"""A run of a program whose tiles are simulated in groups, each in a process of its own.

Groups are executed window by window. A window ends before anything that is sent in it can be at
another tile, so that each group has all it needs at its begin. What they tell is put in the order
of one machine, which then has the results: values, ticks, trace and reports are those of a run in
one process. What does not fit, and a run that does not end well, is run again by that machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from nasm.analysis.hazards.endless_loops import Endless
from nasm.base import gc_pause
from nasm.base.problems import Failure, Problem
from nasm.isa.effects import OutsideCall, Rendezvous
from nasm.machine.findings import Findings
from nasm.machine.group_packets import Unfit
from nasm.machine.negative_counters import BelowZero
from nasm.machine.records import MOST_INSTRUCTIONS, Progress, RunReport, Status
from nasm.order.observer import Watch
from nasm.order.tile_watch import TileWatch
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.sim.queues import NEVER
from nasm.sim.trace import Summary, Trace
from nasm.tiles.groups import Groups
from nasm.tiles.hosting import GroupHost
from nasm.tiles.interface import divided
from nasm.tiles.merging import Merging
from nasm.tiles.whole import WholeMachine
from nasm.workers.actors import WorkerLost
from nasm.workers.places import ActorPlace

LOST = "E0870"


def apart(program: Program) -> str:
    """Why the tiles of a program cannot be simulated in groups; empty if they can."""
    if not program.tiles or program.cores < 2:
        return "it has one tile"
    if program.ranks > 1:
        return "it has several ranks"
    if any(one.row.effect is OutsideCall for one in program.instructions):
        return "its host reaches every tile"
    if any(one.row.effect is Rendezvous for one in program.instructions):
        return "its cores meet without a network"
    return ""


class TilesRun:
    """The tiles of an execution's program in ``count`` groups, wherever a place has them.

    The execution has not begun; its inputs are arrays. ``windows`` is how many there were, in which
    groups were asked ``calls`` times to execute what they have. ``alone`` is why one machine ran
    all of it, if one did.
    """

    def __init__(self, execution: Execution, place: ActorPlace, count: int | None = None) -> None:
        self.execution, self.place = execution, place
        program = execution.program
        self.count = max(1, min(program.cores, place.width if count is None else count))
        self.windows = self.calls = 0
        self.halted = False
        self.alone = apart(program) or _watched(execution)

    def halt(self) -> None:
        """End the run between two windows."""
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
        """Run to the end, as :meth:`Execution.run` does; raises Failure if a worker is lost.

        The report of a run that was halted is of where its groups were; the execution is then where
        it began.
        """
        run = self.execution
        if not self.alone:
            cycle = run.program.generation.base.cycle
            until = NEVER if max_cycles is None else max_cycles * cycle
            most = NEVER if max_instructions is None else max_instructions
            try:
                with gc_pause.paused():
                    ended = self._windows(until, most, progress)
                run.status = Status.RUNNING
                if not ended:
                    report = run.report(hashes=False)
                    run.restart()
                    run.met_halt()
                    return report
            except Unfit as unfit:
                self.alone = str(unfit)
                run.restart()
            except WorkerLost as lost:
                raise Failure(_lost(lost)) from None
        return run.run(
            max_cycles=max_cycles,
            max_instructions=max_instructions,
            progress=progress,
            hashes=hashes,
        )

    # -- windows

    def _windows(self, until: int, most: int, progress: Callable[[Progress], None] | None) -> bool:
        """Execute window after window to the end; whether it came there, and was not halted.

        Raises Unfit where one machine has to do it.
        """
        groups, whole = self._made()
        begun = called = time.monotonic()
        while not groups.over:
            groups.advance()
            self.windows, self.calls = self.windows + 1, groups.calls
            if self.halted:
                whole.stop(groups.each("places"), groups.now)
                return False
            _check(groups, until, most)
            if progress is not None and time.monotonic() - called >= 0.2:
                called = time.monotonic()
                spent = self.execution.microseconds(groups.now)
                progress(Progress(groups.retired, groups.now, spent, called - begun))
        groups.finish()
        whole.finish(groups.each("state", groups.now), groups.now, groups.retired)
        return True

    def _made(self) -> tuple[Groups, WholeMachine]:
        """The groups, and what gets what they tell in its order."""
        run, count = self.execution, self.count
        program, machine = run.program, run.machine
        division, whole = divided(program, count), WholeMachine(machine)
        owned: list[list[int]] = [[] for _ in range(count)]
        for number, lines in enumerate(program.queues):
            if len(lines):
                owned[division.groups[lines.core]].append(number)
        checked = isinstance(machine.watch, TileWatch)
        more = division, run.inputs, run.files, machine.values, checked
        actors = self.place.made(GroupHost, [(run.assembled, n, *more) for n in range(count)])
        network = None if machine.packets is None else machine.packets.network
        assert network is not None, "tiles have a network"
        merging = Merging(len(program.queues), owned, whole.hear)
        return Groups(actors, network.soonest, merging.merge), whole


def _watched(execution: Execution) -> str:
    """What observes an execution and has to observe one machine; empty if nothing does."""
    if execution.settings.profile:
        return "its profile is kept"
    known = Watch, Findings, Summary, Trace, Endless, BelowZero
    observers = execution.machine.scheduler.observers
    return "" if all(isinstance(one, known) for one in observers) else "something observes its run"


def _check(groups: Groups, until: int, most: int) -> None:
    """Whether the groups can continue: raises Unfit."""
    for one in groups.found:
        if one.alone:
            raise Unfit(one.alone)
    if groups.now > until or groups.retired > most:
        raise Unfit("it has met a limit")


def _lost(lost: WorkerLost) -> Problem:
    """That a worker has ended."""
    message = f"a worker that had tiles of the program has ended: {lost.where}"
    return Problem(LOST, message, None, "what it was doing is lost: run it again")
