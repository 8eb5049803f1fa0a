"""The verb ``nki`` with a script: it calls its kernels, and each of its runs is told."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from nasm.apps.cli import kernels, program_names
from nasm.apps.cli.exit_codes import BROKEN, REFUSED
from nasm.apps.cli.running import exit_code
from nasm.apps.cli.screen import Screen
from nasm.base.problems import Failure, Problem, counted
from nasm.machine.records import RunReport
from nasm.nki.exceptions import telling
from nasm.nki.jit import Kernel, launching, name_of
from nasm.nki.running import run
from nasm.nki.script import execute
from nasm.show import jsonable


class Script:
    """One ``neuron-nasm nki script.py``."""

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        self.args, self.screen = args, screen
        self.reports: list[RunReport] = []

    def go(self) -> int:
        """The whole of it; returns the exit code."""
        args = self.args
        problems: tuple[Problem, ...] = ()
        try:
            with kernels.prints_aside(args), launching(self.launch), telling():
                code = execute(args.program, args.words, program_names.python(args))
        except Failure as failure:
            problems = failure.problems
            raised = {problem.code for problem in problems} == {kernels.RAISED}
            code = BROKEN if raised else REFUSED
        code = code or max((exit_code(report) for report in self.reports), default=0)
        if self.args.json:
            return self.document(code, problems)
        self.screen.clear()
        if problems:
            self.screen.problems(problems)
        return code

    def launch(self, kernel: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call of a kernel: run, told in a line, and what it returns."""
        given = self.args
        made = run(
            kernel,
            *args,
            target=given.target,
            options=dict(given.options),
            timing=given.timing,
            max_cycles=given.max_cycles,
            max_instructions=given.max_instructions,
            strict=given.strict,
            allow=given.allow,
            checked=given.checked,
            **kwargs,
        )
        report = replace(made.report, program=name_of(kernel))
        self.reports.append(report)
        if not given.json:
            self.tell(report)
        return made.outputs

    def tell(self, report: RunReport) -> None:
        """Say on standard error what became of a kernel."""
        wrong = (*report.hazards, *report.problems)
        if wrong:
            self.screen.problems(wrong)
        if self.args.quiet:
            return
        count = counted(sum(engine.instructions for engine in report.engines), "instruction")
        said = f"{report.program}: {count} in {report.microseconds:,.3f} µs on {report.target}"
        self.screen.note(said + (f", {counted(len(wrong), 'problem')}" if wrong else ""))

    def document(self, code: int, problems: Sequence[Problem]) -> int:
        """Print the document; returns the exit code."""
        content = [jsonable.report_of(r) for r in self.reports]
        return int(
            self.args.answer.give(
                code,
                program=self.args.program,
                status="refused" if problems else "finished",
                kernels=content,
                problems=jsonable.problems(problems),
            )
        )
