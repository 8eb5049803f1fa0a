"""The verb ``diff``: two runs, and what tells their times and outputs apart."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nasm.apps.cli import pages, program_names, two_sides
from nasm.apps.cli.answer import BROKEN, REFUSED
from nasm.apps.cli.program_run import Run, exit_code
from nasm.apps.cli.verb import Verb, preload
from nasm.apps.cli.verbs.profile import with_history
from nasm.base.problems import Failure, Problem, Severity, counted
from nasm.base.records import replace
from nasm.machine.records import RunReport

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.base.source_files import Given
    from nasm.isa.timing import Timing
    from nasm.runs.diff.records import Comparison, Difference
    from nasm.runs.execution import Execution


def _arguments(verb: argparse.ArgumentParser) -> None:
    two_sides.arguments(verb, "diff")
    with_history(verb)


def diff(args: argparse.Namespace, screen: Screen) -> int:
    """Run two programs and compare the runs; returns the exit code."""
    preload("nasm.apps.cli.programs", "nasm.show.diff")
    return Comparing(args, screen).go()


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
        self.ran: tuple[Execution, ...] = ()
        self.without = "--no-values" if args.values is False else ""

    def go(self) -> int:
        """The whole of it; returns the exit code."""
        from nasm.runs.diff import compare

        try:
            sides = self.sides()
            sides[-1].check({})
            sessions = self.loaded(sides)
            reports = [side.run(session) for side, session in zip(sides, sessions, strict=True)]
            self.screen.clear()
            a, b = sessions
            found = compare(a, b, without=self.without)
            self.ran = a, b
        except Failure as failure:
            self.screen.clear()
            return self.refused(failure.problems)
        inputs = tuple(_inputs(dict(sides[0].args.inputs), dict(sides[1].args.inputs)))
        found = replace(found, differences=(*found.differences, *inputs))
        return self.tell(found, reports)

    def sides(self) -> list[Side]:
        """The programs, each text and each file of figures read once; raises Failure."""
        from nasm.apps.cli import files
        from nasm.isa.timing import Timing

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

    def loaded(self, sides: list[Side]) -> list[Execution]:
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
        from rich.text import Text

        from nasm.show import diff, json_diff, jsonable
        from nasm.show.diagnostics import diagnostic

        codes = [exit_code(report) for report in reports]
        code = BROKEN if BROKEN in codes else max(codes)
        notes, unwritten = self.draw(found)
        code = REFUSED if unwritten else code
        if unwritten:
            self.screen.problems(unwritten)
        if self.args.json:
            content = json_diff.comparison(found, *reports)
            content["problems"] += jsonable.problems(unwritten)
            return int(self.args.answer.give(code, **content))
        screen = self.screen
        screen.show(*diff.screen(found, width=screen.width, ascii_only=screen.ascii_only))
        for side, report in zip("ab", reports, strict=True):
            for problem in report.problems:
                screen.show(Text(), diagnostic(problem, screen.width))
            if not report.ok:
                screen.show(Text(), Text(f"{side} fails: {', '.join(report.reasons)}", "bold red"))
        for note in notes:
            screen.show(Text(), Text(note))
        return code

    def draw(self, found: Comparison) -> tuple[list[str], Sequence[Problem]]:
        """Write the page of both runs, if it is wanted; returns notes, and why it is not."""
        from nasm.show import console, diff, html

        if not pages.wanted(self.args):
            return [], ()
        runs = [
            (side, session.results, profile)
            for side, session, profile in zip("ab", self.ran, (found.a, found.b), strict=True)
        ]
        both = [*map(str, found.differences), diff.times(found, None)[0].plain]
        text = console.plain(diff.screen(found, width=html.WIDTH), html.WIDTH)
        return pages.write(self.args, runs, ("; ".join(both), text))


def _inputs(a: dict[str, str], b: dict[str, str]) -> list[Difference]:
    """The tensors that the command line fills from other files."""
    from nasm.runs.diff.records import Difference

    return [
        Difference("input", name, a.get(name, ""), b.get(name, ""))
        for name in dict.fromkeys((*a, *b))
        if a.get(name) != b.get(name)
    ]


VERB = Verb(
    summary="run two programs, or one in two ways, and compare them",
    rank=40,
    arguments=_arguments,
    read=two_sides.sides,
    body=diff,
    examples=(("old.nasm new.nasm", "what became slower, and what differs"),),
    notes="""\
examples:
  neuron-nasm diff old.nasm new.nasm
  neuron-nasm diff tiled.nasm -D N=1_024 --vs -D N=2_048
  neuron-nasm diff tiled.nasm --vs --target trn2 --option power_ramp=off
  neuron-nasm diff old.nasm new.nasm --html both.html
  neuron-nasm diff old.nasm --in A=a.npy --vs new.nasm --timing my.toml

Options before --vs apply to both sides, those after it to the second side only,
where they override the others: the last -D of a name, the last --target.
Outputs are compared unless --no-values is given, or one side lacks values.
The exit code is 0 if both sides ran, whatever tells them apart; otherwise it
is that of 'run'.
""",
    document="programs",
    undone="both programs had run",
)
