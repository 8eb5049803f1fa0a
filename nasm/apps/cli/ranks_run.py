"""``neuron-nasm run`` of a program with several ranks."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import program_names
from nasm.apps.cli.program_run import Run
from nasm.base import signals
from nasm.base.problems import Failure, Problem
from nasm.machine.records import RunReport, Status
from nasm.ranks.inputs import RANK

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.base.source_files import Given
    from nasm.program.program import Program
    from nasm.ranks.records import RanksReport
    from nasm.ranks.runs import RanksRun
    from nasm.runs.execution import Execution
    from nasm.views.tensor import Tensor
    from nasm.workers.places import ActorPlace


class RanksCommand(Run):
    """One run of all ranks; rank 0 is the session of what asks about the program."""

    def __init__(
        self, args: argparse.Namespace, screen: Screen, given: Given | None = None
    ) -> None:
        super().__init__(args, screen)
        self.given = given
        self.ranks: RanksRun
        self.found: RanksReport | None = None
        self.place: ActorPlace | None = None

    def go(self) -> int:
        """The whole of it where the ranks are asked to live; returns the exit code."""
        from nasm.workers.places import place_of

        if self.place is not None:  # it was known before what the program has
            return super().go()
        try:
            place = place_of(self.args.scheduler or self.args.jobs)
        except Failure as failure:
            return self.refused(failure.problems)
        with closing(place):
            if place.served:
                return 0
            self.place = place
            return super().go()

    def session(self, **more: Any) -> Execution:
        """The first of the ranks on their machines; raises Failure."""
        from nasm.apps.cli import programs
        from nasm.language.objects import Loaded
        from nasm.program.ranks import with_ranks
        from nasm.ranks.runs import RanksRun

        self._refuse_alone()
        args = self.args
        chosen = programs.settings(args, timing=self.figures(), hashes=self.hashes, **more)
        made = Loaded(self._kernel(), None) if program_names.kernel(args.program) else None
        made = made or chosen.assembled(self.source())
        program = with_ranks(made.program, args.ranks)
        settings = chosen.of_assembled(files=made.source is None)
        self.ranks = RanksRun(
            program, self.inputs(), settings, called=args.program, place=self.place
        )
        first = self.ranks.first
        first.source, first.called = made.source, args.program
        return first

    def _kernel(self) -> Program:
        """The program that a kernel becomes; raises Failure."""
        from nasm.apps.cli import programs

        self.traced = self.traced or programs.traced(self.args, self.figures())
        return self.traced.program

    def _refuse_alone(self) -> None:
        """What is made of a single machine only; raises Failure."""
        args = self.args
        wanted = {"--trace": args.trace, "--html": args.html, "--svg": args.svg}
        wanted |= {"--schedules": args.schedules, "--witness": args.witness}
        for option, given in wanted.items():
            if given:
                message = f"{option} is of one machine, and this program has several ranks"
                raise Failure(Problem("E0823", message, None, "leave it out"))

    def run(self, session: Execution) -> RunReport:
        """Run all ranks; a signal stops them between two events."""
        with signals.on_stop(self.ranks.halt) as heard:
            self.found = self.ranks.run()
        if heard.asked is not None:
            raise heard.asked
        self.judged = True
        return self.found.whole

    def store(self, session: Execution, status: Status, wanted: dict[str, Tensor]) -> None:
        """Write the outputs: of all ranks together, or each to a file with its number."""
        from nasm.apps.cli import files

        if status is not Status.FINISHED:
            if wanted:
                self.notes.append("no outputs are written: not every rank ran to its end")
            return
        for path, tensor in wanted.items():
            held = self.ranks.contents(tensor)
            parts = [(path, held)]
            if RANK in path:
                parts = [(path.replace(RANK, str(rank)), one) for rank, one in enumerate(held)]
            for name, array in parts:
                try:
                    self.written.append(files.put_array(tensor.name, name, array, tensor.dtype))
                except Failure as failure:
                    self.unwritten += failure.problems

    # -- messages

    def content(self) -> dict[str, Any]:
        """What its document has in addition."""
        from nasm.show import ranks

        return {} if self.found is None else ranks.document(self.found)

    def show(self, report: RunReport, notes: Sequence[str], shown: dict[str, Any]) -> None:
        """Print the report."""
        from nasm.show.ranks import ranks_report

        if self.found is not None:
            self.screen.show(*ranks_report(self.found, notes=notes, **shown))

    def stopped(self, session: Execution, stop: signals.StopSignal) -> int:
        """Report how far an interrupted run has got."""
        if self.telling:
            raise stop
        self.screen.clear()
        found = self.ranks.report()
        status = Status.TIMEOUT if stop.late else Status.INTERRUPTED
        self.found = found = self.ranks.stopped(found, status)
        more = [self.late(session, self.judged)] if stop.late else []
        code = self.tell(session, found.whole, stop.code, more)
        if not self.args.json and not stop.late:
            far = max(report.microseconds for report in found.ranks)
            self.screen.note(f"{stop} at {far:,.3f} µs; nothing was written")
        return code
