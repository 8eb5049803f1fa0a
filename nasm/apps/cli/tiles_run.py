"""``neuron-nasm run`` with workers: for the tiles of a program, if it has several and one rank."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from nasm.apps.cli.program_run import Run
from nasm.apps.cli.ranks_run import RanksCommand
from nasm.base import signals
from nasm.base.problems import Failure
from nasm.base.records import replace
from nasm.machine.records import RunReport, Status

if TYPE_CHECKING:
    import argparse

    from nasm.apps.cli.screen import Screen
    from nasm.runs.execution import Execution
    from nasm.tiles.runs import TilesRun
    from nasm.workers.places import ActorPlace


class TilesCommand(Run):
    """One run whose tiles are in groups, each in a worker; a program of ranks has another one."""

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        super().__init__(args, screen)
        self.place: ActorPlace | None = None
        self.tiles: TilesRun | None = None
        self.found: RunReport | None = None

    def go(self) -> int:
        """The whole of it where it is asked to be; returns the exit code."""
        from nasm.workers.places import place_of

        try:
            place = place_of(self.args.scheduler or self.args.jobs)
        except Failure as failure:
            return self.refused(failure.problems)
        with closing(place):
            if place.served:
                return 0
            self.place = place
            return super().go()

    def several(self, failure: Failure) -> Run | None:
        """What runs a program of several ranks, in the same workers."""
        made = super().several(failure)
        if isinstance(made, RanksCommand):
            made.place = self.place
        return made

    def session(self, **more: Any) -> Execution:
        """The program on a machine, with its inputs as arrays; raises Failure."""
        return super().session(**{**more, "reruns": True})

    def run(self, session: Execution) -> RunReport:
        """Run its tiles; a signal stops them between two windows."""
        from nasm.tiles.runs import TilesRun

        assert self.place is not None
        self.tiles = TilesRun(session, self.place)
        with signals.on_stop(self.tiles.halt) as heard:
            self.found = self.tiles.run(
                max_cycles=self.args.max_cycles,
                max_instructions=self.most,
                progress=self.screen.progress,
                hashes=self.hashes,
            )
        if heard.asked is not None:
            raise heard.asked
        self.judged = True
        if self.tiles.alone:
            self.notes.append(f"it ran in one process: {self.tiles.alone}")
        return self.found

    def stopped(self, session: Execution, stop: signals.StopSignal) -> int:
        """Report how far an interrupted run has got."""
        if self.telling or self.found is None or self.found.status is not Status.RUNNING:
            return super().stopped(session, stop)
        self.screen.clear()
        status = Status.TIMEOUT if stop.late else Status.INTERRUPTED
        found = replace(self.found, status=status)
        more = [self.late(session, self.judged)] if stop.late else []
        code = self.tell(session, found, stop.code, more)
        if not self.args.json and not stop.late:
            self.screen.note(f"{stop} at {found.microseconds:,.3f} µs; nothing was written")
        return code
