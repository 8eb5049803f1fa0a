"""One ``neuron-nasm profile``: a run, and where its time went."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nasm.apps.cli.answer import BROKEN, OK, REFUSED
from nasm.apps.cli.program_run import Run, file_of
from nasm.base.problems import Problem, Severity, folded, in_line
from nasm.base.suppressions import as_errors
from nasm.machine.records import RunReport, Status
from nasm.show import jsonable

if TYPE_CHECKING:
    from nasm.analysis.profile.what_if import WhatIf
    from nasm.apps.cli.screen import Screen
    from nasm.apps.cli.tables import TableFolder, WrittenTable
    from nasm.runs.execution import Execution
    from nasm.views.tensor import Tensor


class Profiling(Run):
    """One ``neuron-nasm profile``."""

    undone, drawn_at_once = "all that would help was known", False

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        super().__init__(args, screen)
        self.outcomes: list[WhatIf] = []
        self.tables: TableFolder | None = None
        self.kept: list[WrittenTable] = []

    def go(self) -> int:
        """The whole of it; returns the exit code."""
        try:
            return super().go()
        finally:
            if self.tables is not None:
                self.tables.drop()

    def load(self) -> tuple[Execution, dict[str, Tensor]]:
        """The program on a machine that is watched; without values, as long as it can do so."""
        session = self.session(values=False, profile=True)
        self.check({})
        self.begin_tables(session)
        return session, {}

    def begin_tables(self, session: Execution) -> None:
        """Write the tables of a session from now on, if they are wanted; raises Failure."""
        args = self.args
        if self.tables is not None:
            self.tables.drop()
        if args.tables is not None:
            from nasm.apps.cli.tables import TableFolder
            from nasm.show.table_files import FORMATS

            others = [("it is the program", file_of(args.program))]
            others += [(f"the input {name} is read from it", path) for name, path in args.inputs]
            if args.timing is not None:
                others.append(("the timing is read from it", args.timing))
            self.tables = TableFolder(session, args.tables, args.format or FORMATS[0], others)

    def store(self, session: Execution, status: Status, wanted: dict[str, Tensor]) -> None:
        """Write what is left of the tables."""
        super().store(session, status, wanted)
        tables, self.tables = self.tables, None
        if tables is not None:
            try:
                self.kept, unwritten = tables.keep()
            finally:
                tables.drop()
            self.unwritten += unwritten

    @property
    def files_written(self) -> list[str]:
        """The tables."""
        return [item.file for item in self.kept]

    def again(self, session: Execution, report: RunReport) -> Execution | None:
        """With values, if the run turns out to depend on some and this is not forbidden."""
        from nasm.apps.cli import programs
        from nasm.machine.outlines import NO_VALUES
        from nasm.runs.execution import Execution

        needs = any(problem.code == NO_VALUES for problem in report.problems)
        if not needs or self.args.values is not None:
            return None
        chosen = programs.settings(self.args, values=True, profile=True).of_assembled()
        # Nothing is read again: it may be a pipe.
        made = Execution(session.program, self.inputs(), settings=chosen)
        made.source, made.called = session.source, session.called
        self.begin_tables(made)
        return made

    def tell(
        self, session: Execution, report: RunReport, code: int, more: Sequence[Problem] = ()
    ) -> int:
        """Print the profile; returns the exit code."""
        from rich.text import Text

        from nasm.show import json_profile, profile
        from nasm.show.documents import plain
        from nasm.show.tables import allowed_lines

        if self.args.timeline is not None:
            return self.draw(session, code, (*report.problems, *more))
        if not self.whole and self.args.what_if:
            self.whole = True  # if a signal stops it, those so far
            self.outcomes += session.what_if()
        self.telling = True
        slack, screen = self.args.path or self.args.json, self.screen
        found = session.profile(outcomes=self.outcomes, slack=slack)
        self.draw_pages(session, found)
        if self.unwritten:
            code = REFUSED
        problems = (*report.problems, *more)
        if code == OK and any(f.problem.severity is Severity.ERROR for f in found.findings):
            code = BROKEN  # --strict
        if self.unwritten:
            self.screen.problems(self.unwritten)
        if self.args.json:
            content = json_profile.profile(found) | plain(report, json_profile.OF_RUN)
            content["allowed"] += jsonable.allowed(report.allowed)
            content["problems"] = jsonable.problems((*problems, *self.unwritten))
            content |= plain(self, json_profile.TABLES)
            return int(self.args.answer.give(code, **content))
        width, ascii_only, whole = screen.width, screen.ascii_only, self.args.path
        screen.show(*profile.screen(found, width=width, ascii_only=ascii_only, whole=whole))
        self.wrong(problems)
        if self.kept:
            names = ", ".join(f"{t.table} ({t.rows:,})" for t in self.kept)
            text = f"tables in {in_line(self.args.tables)}: {names} rows"
            screen.show(Text(), *map(Text, folded(text, "  ", screen.width)))
        for note in self.notes:
            screen.show(Text(), Text(note))
        if report.hazards:
            text = f"{as_errors(report.hazards)}: 'neuron-nasm run' shows them"
            screen.show(Text(), Text(text, "magenta"))
        screen.show(*allowed_lines(report.allowed, screen.width))
        if report.unchecked:
            screen.show(Text(), Text(report.unchecked, "yellow"))
        return code

    def draw(self, session: Execution, code: int, problems: Sequence[Problem]) -> int:
        """Print the timeline; returns the exit code."""
        from nasm.show import profile, timeline

        self.telling = True
        begin, end = self.args.timeline
        program, screen = session.program, self.screen
        names = [program.queue_name(n) for n in range(len(program.queues))]
        width = timeline.room([*names, "0.ring 15"], screen.width or profile.WIDTH)
        found = session.timeline(width, begin, end)
        screen.show(*timeline.shown(found, program.generation.ticks, screen.ascii_only))
        self.wrong(problems)
        return code

    def wrong(self, problems: Sequence[Problem]) -> None:
        """Print the problems of the run."""
        from rich.text import Text

        from nasm.show.diagnostics import diagnostic

        for problem in problems:
            self.screen.show(Text(), diagnostic(problem, self.screen.width))
