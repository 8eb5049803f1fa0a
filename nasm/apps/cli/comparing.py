"""The verb ``diff``: two runs, and what tells their times and outputs apart."""

from __future__ import annotations

import argparse
from dataclasses import replace

from rich.text import Text

from nasm.apps.cli import files, program_names
from nasm.apps.cli.exit_codes import BROKEN, REFUSED
from nasm.apps.cli.running import Run, exit_code
from nasm.apps.cli.screen import Screen
from nasm.base.problems import Failure, Problem, Severity, counted
from nasm.base.source_files import Given
from nasm.isa.timing import Timing
from nasm.machine.records import RunReport, Status
from nasm.runs.diff import compare
from nasm.runs.diff.records import Comparison, Difference
from nasm.runs.running import Running
from nasm.show import diff, json_diff, jsonable
from nasm.show.diagnostics import diagnostic

LACKING = ("E0802", "E0808")
"""What keeps a program from being run with values, and not from being run: an input without
values, and not enough memory."""


class Side(Run):
    """One of the two runs."""

    def __init__(
        self, args: argparse.Namespace, screen: Screen, text: Given | None, timing: Timing
    ) -> None:
        super().__init__(args, screen)
        self.text, self.timing = text, timing

    def source(self) -> Given:
        """The program as it is given, which may be that of both."""
        assert self.text is not None
        return self.text

    def figures(self) -> Timing:
        """What sets timing figures, which may be that of both."""
        return self.timing

    @property
    def hashes(self) -> bool:
        """Whether its report carries hashes."""
        return False


class Comparing:
    """One ``neuron-nasm diff``."""

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        self.args, self.screen = args, screen
        self.without = "--no-values" if args.values is False else ""

    def go(self) -> int:
        """The whole of it; returns the exit code."""
        try:
            sides = self.sides()
            sessions = self.loaded(sides)
            reports = [side.run(session) for side, session in zip(sides, sessions, strict=True)]
            self.screen.clear()
            a, b = sessions
            found = compare(a, b, without=self.without)
        except Failure as failure:
            self.screen.clear()
            return self.refused(failure.problems)
        inputs = tuple(_inputs(dict(sides[0].args.inputs), dict(sides[1].args.inputs)))
        found = replace(found, differences=(*found.differences, *inputs))
        return self.tell(found, reports)

    def sides(self) -> list[Side]:
        """The programs, each text and each file of figures read once; raises Failure."""
        texts: dict[str, Given] = {}
        timings: dict[str | None, Timing] = {}
        found = []
        for args in (self.args.first, self.args):
            if args.program not in texts and not program_names.kernel(args.program):
                texts[args.program] = files.program(args.program)
            if args.timing not in timings:
                timings[args.timing] = Timing.of(args.timing)
            text, timing = texts.get(args.program), timings[args.timing]
            found.append(Side(args, self.screen, text, timing))
        return found

    def loaded(self, sides: list[Side]) -> list[Running]:
        """Both on machines: with values unless one of them lacks some; raises Failure."""
        if not self.without:
            try:
                return [side.session(values=True, profile=True) for side in sides]
            except Failure as failure:
                if any(problem.code not in LACKING for problem in failure.problems):
                    raise
                self.without = failure.problems[0].message
        return [side.session(values=False, profile=True) for side in sides]

    def refused(self, problems: tuple[Problem, ...]) -> int:
        """One of the programs cannot be run."""
        if self.args.json:
            self.args.answer.cut(REFUSED, "refused", problems)
            return REFUSED
        self.screen.problems(problems)
        errors = counted(sum(p.severity is Severity.ERROR for p in problems), "error")
        self.screen.note(f"\n{errors}; nothing was compared")
        return REFUSED

    def tell(self, found: Comparison, reports: list[RunReport]) -> int:
        """Print the comparison; returns the exit code."""
        codes = [exit_code(report) for report in reports]
        code = BROKEN if BROKEN in codes else max(codes)
        if self.args.json:
            content = json_diff.comparison(found)
            for side, report in zip("ab", reports, strict=True):
                content[side] |= {
                    "ok": report.ok,
                    "reasons": list(report.reasons),
                    "hazards": jsonable.problems(report.hazards),
                    "allowed": jsonable.allowed(report.allowed),
                    "problems": jsonable.problems(report.problems),
                }
            status = next((r for r in reports if r.status is not Status.FINISHED), reports[0])
            content = {
                "programs": [found.a.program, found.b.program],
                "status": status.status.name.lower(),
                **content,
                "problems": [],
            }
            return int(self.args.answer.give(code, **content))
        screen = self.screen
        screen.show(*diff.screen(found, width=screen.width, ascii_only=screen.ascii_only))
        for side, report in zip("ab", reports, strict=True):
            for problem in report.problems:
                screen.show(Text(), diagnostic(problem, screen.width))
            if not report.ok:
                screen.show(Text(), Text(f"{side} fails: {', '.join(report.reasons)}", "bold red"))
        return code


def _inputs(a: dict[str, str], b: dict[str, str]) -> list[Difference]:
    """The tensors that the command line fills from other files."""
    return [
        Difference("input", name, a.get(name, ""), b.get(name, ""))
        for name in dict.fromkeys((*a, *b))
        if a.get(name) != b.get(name)
    ]
