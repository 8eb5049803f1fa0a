"""The verb ``profile``: a run that is told as where its time went."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from nasm.cli.running import Run
from nasm.machine.outlines import NO_VALUES
from nasm.problems import Problem, counted
from nasm.records import RunReport
from nasm.report import json_profile, jsonable, profile
from nasm.report.diagnostics import diagnostic
from nasm.session import Session
from nasm.spec.memory import Tensor


class Profiling(Run):
    """One ``neuron-nasm profile``."""

    def load(self) -> tuple[Session, dict[str, Tensor]]:
        """The program on a machine that is watched; without values, as long as it can do so."""
        return self.session(values=False, profile=True), {}

    def again(self, report: RunReport) -> Session | None:
        """With values, if the run turns out to depend on some and nobody forbids it."""
        needs = any(problem.code == NO_VALUES for problem in report.problems)
        if not needs or self.args.values is not None:
            return None
        return self.session(values=True, profile=True)

    def tell(
        self, session: Session, report: RunReport, code: int, more: Sequence[Problem] = ()
    ) -> int:
        """Print the profile; returns the exit code."""
        self.telling = True
        found, screen = session.profile(), self.screen
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
        for problem in problems:
            screen.show(Text(), diagnostic(problem, screen.width))
        if report.hazards:
            said = f"{counted(len(report.hazards), 'hazard')}: 'neuron-nasm run' shows them"
            screen.show(Text(), Text(said, "magenta"))
        return code
