"""The verb ``nki``: a kernel, run as a program is; or a script, each of whose runs is reported."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nasm.apps.cli import program_names
from nasm.apps.cli.answer import BROKEN, RAISED, REFUSED
from nasm.apps.cli.program_run import exit_code
from nasm.apps.cli.shared_options import OF_KERNELS
from nasm.apps.cli.verb import Verb, preload
from nasm.apps.cli.verbs.run import of_a_run, run, unfit
from nasm.base.problems import Failure, Problem, counted, quoted
from nasm.base.records import replace
from nasm.machine.records import RunReport
from nasm.show import jsonable

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.nki.jit import Kernel

OF_ONE = {
    name: option for name, option in OF_KERNELS.items() if name not in ("hoist", "overlap")
} | {
    "inputs": "--in",
    "in_dir": "--in-dir",
    "outputs": "--out",
    "out_dir": "--out-dir",
    "emit": "--emit",
    "trace": "--trace",
    "html": "--html",
    "svg": "--svg",
    "sarif": "--sarif",
    "schedules": "--schedules",
    "witness": "--witness",
    "defines": "-D",
}
"""Options that go with one kernel, and not with a script, by their names in a namespace."""


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("program", help="kernel.py:name, or a script")
    verb.set_defaults(autosync=False)
    verb.add_argument("words", metavar="ARGUMENT", nargs="*", help="what the script is called with")
    verb.add_argument(
        "--emit",
        metavar="FILE",
        help="write the program that the kernel becomes, as a text; - is standard output",
    )
    verb.add_argument(
        "--migrate",
        action="store_true",
        help="run nothing: write a file of NKI 0.1 in today's dialect, or to --emit FILE",
    )
    of_a_run(verb)


def _neither(parsed: argparse.Namespace) -> str:
    """What does not go with a kernel, or with a script, as it is named; empty if all does."""
    program = parsed.program
    if parsed.migrate:
        return _migrates(parsed)
    if not program_names.kernel(program):
        return f"nki wants kernel.py:name or a script, found '{quoted(program)}'"
    if not program_names.script(program):
        if parsed.words:
            return f"'{quoted(parsed.words[0])}': arguments of a kernel are --in and --arg"
        return ""
    for name, option in OF_ONE.items():
        if getattr(parsed, name):
            text = f"{option} goes with one kernel, and a script may call several"
            return f"{text}: name it, as in {program}:KERNEL"
    return ""


def _migrates(parsed: argparse.Namespace) -> str:
    """What does not go with a file that is migrated, and not run; empty if all does."""
    if not program_names.script(parsed.program):
        return f"--migrate wants a file, found '{quoted(parsed.program)}'"
    if parsed.words:
        return f"'{quoted(parsed.words[0])}': --migrate runs nothing that takes arguments"
    for name, option in (OF_ONE | OF_KERNELS).items():
        if name != "emit" and getattr(parsed, name) not in (None, [], False):
            return f"{option} does not go with --migrate, which runs nothing"
    return ""


def nki(args: argparse.Namespace, screen: Screen) -> int:
    """Run a kernel, or a script that calls some; returns the exit code."""
    if args.migrate:
        from nasm.apps.cli.migrating import migrate

        return migrate(args, screen)
    if not program_names.script(args.program):
        return run(args, screen)
    preload("nasm.apps.cli.programs", "nasm.nki.kernel_run")
    return Script(args, screen).go()


class _Ran(NamedTuple):
    program: str
    status: str
    reports: Sequence[RunReport]
    problems: Sequence[Problem]


class Script:
    """One ``neuron-nasm nki script.py``."""

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        self.args, self.screen = args, screen
        self.reports: list[RunReport] = []

    def go(self) -> int:
        """The whole of it; returns the exit code."""
        from nasm.apps.cli import programs
        from nasm.nki.exceptions import telling
        from nasm.nki.jit import launching
        from nasm.nki.model import ScriptSettings, surrounded
        from nasm.nki.script import execute

        args = self.args
        around = ScriptSettings(programs.settings(args), self.note)
        problems: tuple[Problem, ...] = ()
        try:
            with programs.prints_aside(args), launching(self.launch), surrounded(around), telling():
                code = execute(args.program, args.words, program_names.python(args))
        except Failure as failure:
            problems = failure.problems
            raised = {problem.code for problem in problems} == {RAISED}
            code = BROKEN if raised else REFUSED
        code = code or max((exit_code(report) for report in self.reports), default=0)
        if self.args.json:
            return self.document(code, problems)
        self.screen.clear()
        if problems:
            self.screen.problems(problems)
        return code

    def launch(self, kernel: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """A call of a kernel: run, reported in a line, and what it returns."""
        from nasm.apps.cli import programs
        from nasm.nki import kernel_run
        from nasm.nki.jit import name_of

        given = self.args
        chosen = replace(programs.settings(given), hashes=bool(given.json))
        how = {"hoist": given.hoist, "overlap": given.overlap}
        made = kernel_run.launched(kernel, args, kwargs, chosen, **how)
        self.note(replace(made.report, program=name_of(kernel)))
        return made.outputs

    def note(self, report: RunReport) -> None:
        """Keep the report of a kernel, and say what became of it."""
        self.reports.append(report)
        if not self.args.json:
            self.tell(report)

    def tell(self, report: RunReport) -> None:
        """Say on standard error what became of a kernel."""
        wrong = (*report.hazards, *report.problems)
        if wrong:
            self.screen.problems(wrong)
        if self.args.quiet:
            return
        count = counted(sum(engine.instructions for engine in report.engines), "instruction")
        text = f"{report.program}: {count} in {report.microseconds:,.3f} µs on {report.target}"
        self.screen.note(text + (f", {counted(len(wrong), 'problem')}" if wrong else ""))

    def document(self, code: int, problems: Sequence[Problem]) -> int:
        """Print the document; returns the exit code."""
        from nasm.show.documents import plain

        status = "refused" if problems else "finished"
        made = _Ran(self.args.program, status, self.reports, problems)
        return int(self.args.answer.give(code, **plain(made, jsonable.SCRIPT)))


VERB = Verb(
    summary="run a kernel of NKI, or a script that calls some",
    rank=20,
    arguments=_arguments,
    conflicts=(unfit, _neither),
    body=nki,
    examples=(("script.py", "run AWS's kernels"),),
    notes="""\
examples:
  neuron-nasm nki script.py                   a script that calls its kernels
  neuron-nasm nki script.py -- --rows 512     with arguments of its own
  neuron-nasm nki kernel.py:name --in a=a.npy --in "b=normal[128,512]:bf16"
  neuron-nasm nki kernel.py:name --in "x=iota[128,512]" --arg pool=2 --lnc 2
  neuron-nasm nki kernel.py:name --in x=x.npz:x --out y=y.npy --emit out.nasm
  neuron-nasm profile kernel.py:name --in x=x.npy
  neuron-nasm repl kernel.py:name --in x=x.npy
  neuron-nasm diff k.py:old k.py:new --in x=x.npy
  neuron-nasm nki --migrate old.py --emit new.py

'import nki' finds nasm's own modules: no package of the vendor's is needed.
Values that are made are zeros, ones, iota, random or normal with a shape, then
a dtype (f32) and a seed (the number of its --in): normal[128,512]:bf16:seed=7.
A dtype may follow the name of a .npy file: a.npy:bf16. The target is
--target, or the variable NEURON_PLATFORM_TARGET_OVERRIDE or NKI_NC_VERSION,
or trn2.

The exit code of a script is its own, or 1 if something is wrong with a run of
one of its kernels; 1 for what a kernel or a script raises, 2 for a kernel that
is refused. With --migrate it is 1 if a line could not be migrated, and 2 for a
file that is no Python, or none of NKI 0.1.
""",
    document="program",
)
