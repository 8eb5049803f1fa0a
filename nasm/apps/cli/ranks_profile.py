"""``neuron-nasm profile`` of a program with several ranks: of one of them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import program_names
from nasm.apps.cli.profile_run import Profiling
from nasm.base import signals
from nasm.base.problems import Failure, Problem
from nasm.machine.outlines import NO_VALUES
from nasm.machine.records import RunReport

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.base.source_files import Given
    from nasm.language.objects import Loaded
    from nasm.ranks.records import RanksReport
    from nasm.ranks.runs import RanksRun
    from nasm.runs.execution import Execution


class RanksProfiling(Profiling):
    """All ranks are run and watched; one is reported, by default that which ended last."""

    def __init__(
        self, args: argparse.Namespace, screen: Screen, given: Given | None = None
    ) -> None:
        super().__init__(args, screen)
        self.given = given
        self.whole = True  # nothing is run again
        self.made: Loaded
        self.ranks: RanksRun
        self.found: RanksReport | None = None

    def session(self, **more: Any) -> Execution:
        """All ranks on their machines, of which the one that is asked for; raises Failure."""
        from nasm.apps.cli import programs
        from nasm.language.objects import Loaded

        args, hint = self.args, "name it: --rank 0"
        if args.tables is not None and args.rank is None:
            raise Failure(Problem("E0823", "--tables are of one rank", None, hint))
        chosen = programs.settings(args, timing=self.figures(), **more)
        if program_names.kernel(args.program):
            self.traced = self.traced or programs.traced(args, self.figures())
            self.made = Loaded(self.traced.program, None)
        else:
            self.made = chosen.assembled(self.source())
        return self._begin(more)

    def _begin(self, more: dict[str, Any]) -> Execution:
        """Make all ranks; raises Failure."""
        from nasm.apps.cli import programs
        from nasm.program.ranks import with_ranks
        from nasm.ranks.runs import RanksRun

        args, self.found = self.args, None
        chosen = programs.settings(args, timing=self.figures(), **more)
        program = with_ranks(self.made.program, args.ranks)
        count = program.ranks
        if args.rank is not None and args.rank >= count:
            message = f"--rank {args.rank}: the program has {count}, numbered from 0"
            raise Failure(Problem("E0823", message))
        settings = chosen.of_assembled(files=self.made.source is None)
        self.ranks = RanksRun(program, self.inputs(), settings, called=args.program)
        return self._rank(args.rank or 0)

    def _rank(self, number: int) -> Execution:
        """One of the ranks."""
        execution = self.ranks.executions[number]
        execution.source, execution.called = self.made.source, self.args.program
        return execution

    def run(self, session: Execution) -> RunReport:
        """Run all ranks; a signal stops them between two events."""
        if self.found is None:
            with signals.on_stop(self.ranks.halt) as heard:
                self.found = self.ranks.run()
            if heard.asked is not None:
                raise heard.asked
            self.judged = True
        return self.found.ranks[self._number(session)]

    def _number(self, session: Execution) -> int:
        return self.ranks.executions.index(session)

    def again(self, session: Execution, report: RunReport) -> Execution | None:
        """The rank that is reported; all of them with values, if they turn out to need some."""
        assert self.found is not None
        problems = (one for each in self.found.ranks for one in each.problems)
        if any(one.code == NO_VALUES for one in problems) and self.args.values is None:
            made = self._begin({"values": True, "profile": True})
            self.begin_tables(made)
            self.run(made)
        number = self.found.slowest if self.args.rank is None else self.args.rank
        self._note(number)
        return self._rank(number)

    def _note(self, number: int) -> None:
        """Which rank it is, and how long it waited for others."""
        found = self.found
        assert found is not None
        units = found.ranks[number].units
        waits, exchanging = (
            f"{units.microseconds(ticks[number]):,.3f} µs"
            for ticks in (found.waits, found.exchanging)
        )
        last = ", which ended last" if number == found.slowest else ""
        self.notes.append(
            f"this is rank {number} of {len(found.ranks)}{last}: it waited {waits} for other "
            f"ranks, and its collectives took {exchanging}"
        )
