"""The verb ``profile``: a run that is told as where its time went."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.text import Text

from nasm.cli import files
from nasm.cli.running import Run
from nasm.cli.screen import Screen
from nasm.machine.outlines import NO_VALUES
from nasm.problems import Problem, counted
from nasm.profile.what_if import Outcome
from nasm.records import RunReport
from nasm.report import json_profile, jsonable, profile, timeline
from nasm.report.diagnostics import diagnostic
from nasm.session import Session
from nasm.spec.memory import Tensor


class Profiling(Run):
    """One ``neuron-nasm profile``."""

    def load(self) -> tuple[Session, dict[str, Tensor]]:
        """The program on a machine that is watched; without values, as long as it can do so."""
        return self.session(values=False, profile=True), {}

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        super().__init__(args, screen)
        self.outcomes: list[Outcome] = []

    def again(self, session: Session, report: RunReport) -> Session | None:
        """With values, if the run turns out to depend on some and nobody forbids it."""
        needs = any(problem.code == NO_VALUES for problem in report.problems)
        if not needs or self.args.values is not None:
            return None
        inputs = files.arrays(self.args.inputs)  # and nothing is read again: it may be a pipe
        made = Session(session.program, inputs, values=True, profile=True)
        made.source = session.source
        return made

    def tell(
        self, session: Session, report: RunReport, code: int, more: Sequence[Problem] = ()
    ) -> int:
        """Print the profile; returns the exit code."""
        if self.args.timeline is not None:
            return self.draw(session, code, (*report.problems, *more))
        if not self.whole and self.args.what_if:
            self.whole = True  # told to stop meanwhile, there are as many as there are
            self.outcomes += session.what_if()
        self.telling = True
        slack, screen = self.args.path or self.args.json, self.screen
        found = session.profile(outcomes=self.outcomes, slack=slack)
        problems = (*report.problems, *more)
        if self.args.json:
            content = json_profile.profile(found)
            content["hazards"] = jsonable.problems(report.hazards)
            content["problems"] = jsonable.problems(problems)
            return int(self.args.answer.give(code, **content))
        generation, whole = session.program.generation, self.args.path
        parts = profile.screen(
            found, generation, width=screen.width, ascii_only=screen.ascii_only, whole=whole
        )
        screen.show(*parts)
        self.wrong(problems)
        if report.hazards:
            said = f"{counted(len(report.hazards), 'hazard')}: 'neuron-nasm run' shows them"
            screen.show(Text(), Text(said, "magenta"))
        return code

    def draw(self, session: Session, code: int, problems: Sequence[Problem]) -> int:
        """Print the timeline; returns the exit code."""
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
        """Print what is wrong with the run."""
        for problem in problems:
            self.screen.show(Text(), diagnostic(problem, self.screen.width))
