"""The verb ``run``: a program once, or with ``--schedules`` and ``--witness`` in other ways too."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nasm.apps.cli import program_names, values
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import BROKEN, REFUSED
from nasm.apps.cli.program_run import Run
from nasm.apps.cli.verb import Verb, preload
from nasm.base.problems import Failure, Note, Problem, clean, folded
from nasm.base.records import replace
from nasm.machine.records import RunReport, Status

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.base.source_files import Given
    from nasm.runs.execution import Execution
    from nasm.runs.schedules.records import Schedule, Schedules, Witness
    from nasm.show.json_diff import Others


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("program", nargs="?", help=options.PROGRAM)
    verb.add_argument(
        "--elf",
        metavar="CORE=FILE,…",
        type=values.core_files,
        action="extend",
        default=[],
        help="RISC-V code of cores of a tile, as ELF files of 32 bits: brisc=a.elf,trisc0=b.elf; "
        "with a program, or without one for Wormhole",
    )
    options.autosync(
        verb,
        "of a text without waits and updates: find the necessary waits from the order of its "
        "lines, as 'sync' shows",
    )
    options.watch(verb)
    of_a_run(verb)
    verb.set_defaults(emit=None)


def of_a_run(verb: argparse.ArgumentParser) -> None:
    """The options of a run that writes results."""
    options.inputs(verb)
    options.inputs_folder(verb)
    verb.add_argument(
        "--out",
        dest="outputs",
        metavar="NAME=FILE",
        type=values.binding,
        action="append",
        default=[],
        help="write a tensor of any memory to a .npy file after the run; - is standard output",
    )
    verb.add_argument(
        "--out-dir",
        metavar="DIR",
        help="write every output tensor to DIR/NAME.npy; the folder is created if needed",
    )
    options.common(verb)
    options.ranks(verb)
    options.hosts(verb)
    options.topology(verb)
    options.rank(verb, "run all ranks, and report this one as the only one")
    options.kernel(verb)
    verb.add_argument(
        "--trace",
        metavar="FILE",
        help="write a trace for ui.perfetto.dev or chrome://tracing, gzipped if its name ends in "
        ".gz; - is standard output",
    )
    verb.add_argument(
        "--trace-detail",
        metavar="WHAT",
        choices=("transfers", "packets"),
        help="what that trace shows of DMA: transfers, the default, or packets, with a slice for "
        "each share on its DMA engine as well",
    )
    options.pages(verb)
    options.reruns(verb)
    options.most_cycles(verb)
    options.no_values(verb)
    options.policy(verb)
    options.unchecked(verb)
    options.limit(verb, "stop after N instructions, with exit code 1")
    options.timeout(verb)
    options.isolated(verb)
    options.json(verb)
    options.sarif(verb)
    options.quiet(verb)


def unfit(parsed: argparse.Namespace) -> str:
    """Which options of a run that writes results do not go together; empty if all do."""
    if parsed.trace_detail is not None and parsed.trace is None:
        return "--trace-detail says what --trace shows: give that, too"
    if not parsed.values and (parsed.outputs or parsed.out_dir):
        given = "--out" if parsed.outputs else "--out-dir"
        return f"{given} does not go with --no-values: a run without values has no outputs"
    if parsed.seed is not None and parsed.schedules is None:
        return "--seed says which timings --schedules begins with: give that, too"
    if parsed.witness and not parsed.values:
        return "--witness does not go with --no-values: it shows which values change"
    for option in ("jobs", "scheduler"):
        if parsed.rank is not None and getattr(parsed, option) is not None:
            return f"--{option} does not go with --rank, which runs in this process"
    for option in ("ranks", "rank", "jobs", "scheduler"):
        if parsed.isolated and getattr(parsed, option) is not None:
            return f"--{option} does not go with --isolated, which runs one machine"
    if parsed.witness and not parsed.checked:
        return "--witness does not go with --unchecked: it shows races that are found"
    return _unisolated(parsed) if parsed.isolated else ""


def _unisolated(parsed: argparse.Namespace) -> str:
    """Why something cannot be done in a process of its own; empty if it can."""
    if program_names.script(parsed.program):
        return f"--isolated runs one kernel: name it, as in {parsed.program}:KERNEL"
    whole = {"trace": "--trace", "sarif": "--sarif", "emit": "--emit", "schedules": "--schedules"}
    whole |= {"witness": "--witness", "watch": "--watch", "html": "--html", "svg": "--svg"}
    if program_names.kernel(parsed.program):
        whole["in_dir"] = "--in-dir"
    for name, option in whole.items():
        if getattr(parsed, name, None):
            return f"{option} does not go with --isolated, which returns only a report and outputs"
    return ""


def run(args: argparse.Namespace, screen: Screen) -> int:
    """Run a program or a kernel in the way that the options say; returns the exit code."""
    if args.isolated:
        preload("nasm.apps.cli.isolated_runs")
        from nasm.apps.cli import isolated_runs

        return isolated_runs.run(args, screen)
    preload("nasm.apps.cli.programs")

    def of_ranks(given: Given | None = None) -> Run:
        from nasm.apps.cli.ranks_run import RanksCommand

        return RanksCommand(args, screen, given)

    several = args.ranks is not None and args.rank is None
    again = args.schedules or args.witness
    hosted = args.jobs is not None or args.scheduler is not None
    if several or (hosted and again):
        return of_ranks().go()
    made: Run
    if hosted:
        from nasm.apps.cli.tiles_run import TilesCommand

        made = TilesCommand(args, screen)
    else:
        made = (Rerunning if again else Run)(args, screen)
    made.of_ranks = of_ranks
    return made.go()


def named(parsed: argparse.Namespace) -> str:
    """Name a run of ELF files alone after the first; what is missing if there is no program."""
    if parsed.elf and (parsed.isolated or parsed.watch):
        other = "--isolated" if parsed.isolated else "--watch"
        return f"--elf does not go with {other}: let a program include the files"
    if parsed.program is not None:
        return ""
    if not parsed.elf:
        return "the following arguments are required: program"
    parsed.program, parsed.alone = parsed.elf[0][1], True
    return ""


class Rerunning(Run):
    """One ``neuron-nasm run`` that runs its program more than once."""

    undone = "all other runs had been made"

    def __init__(self, args: argparse.Namespace, screen: Screen) -> None:
        super().__init__(args, screen)
        self.seed = 1 if args.seed is None else args.seed
        self.count = 0
        self.differing: list[Schedule] = []
        self.witnesses: list[tuple[Problem, Witness]] = []
        self.hazards: tuple[Problem, ...] = ()
        self.hangs: list[Problem] = []

    @property
    def schedules(self) -> Schedules:
        """Those that were run until now."""
        from nasm.runs.schedules.records import Schedules

        return Schedules(self.seed, self.count, tuple(self.differing))

    def session(self, **more: Any) -> Execution:
        """The program on a machine, with its inputs kept for others; raises Failure."""
        return super().session(reruns=True, **more)

    def tell(
        self, session: Execution, report: RunReport, code: int, more: Sequence[Problem] = ()
    ) -> int:
        """Run it again and again, then print the report; returns the exit code."""
        from rich.text import Text

        if not self.whole:
            self.whole = True  # if a signal stops it, those so far
            if report.status in (Status.FINISHED, Status.DEADLOCK):
                try:
                    self.rerun(session)
                except Failure as failure:  # say, too little memory for another machine
                    more, code = (*more, *failure.problems), code or REFUSED
                self.screen.clear()
            else:
                self.notes.append("it is not run again: it did not end by itself")
        if self.differing:
            report = replace(report, against=(self.schedules.verdict,))
            code = code or BROKEN
        if self.hangs:
            report = replace(report, hazards=(*report.hazards, *self.hangs))
            code = code or BROKEN
        self.hazards = report.hazards
        report = replace(report, hazards=tuple(map(self.shown, report.hazards)))
        lines = self.lines()
        if self.args.quiet and not self.args.json and self.differing:
            self.screen.show(*map(Text, lines), Text())
        self.notes += lines
        return super().tell(session, report, code, more)

    def rerun(self, session: Execution) -> None:
        """All other runs that were asked for."""
        from nasm.runs.schedules.races import hang_witnesses, races_of, witnesses
        from nasm.runs.schedules.random import each

        begun = time.monotonic()
        races = races_of(session) if self.args.witness else 0
        for shown in witnesses(session) if races else ():
            self.witnesses.append(shown)
            done = len(self.witnesses)
            self.screen.counting("races", done, races, time.monotonic() - begun)
        for problem, found in hang_witnesses(session) if self.args.witness else ():
            self.hangs.append(problem)
            self.witnesses.append((problem, found))
        wanted = self.args.schedules or 0
        for schedule in each(session, wanted, self.seed) if wanted else ():
            self.count += 1
            if not schedule.run.same:
                self.differing.append(schedule)
            self.screen.counting("schedules", self.count, wanted, time.monotonic() - begun)

    def shown(self, hazard: Problem) -> Problem:
        """A hazard with its witness, if it has one."""
        notes = tuple(Note(w.line) for problem, w in self.witnesses if problem == hazard)
        return replace(hazard, notes=(*hazard.notes, *notes)) if notes else hazard

    def lines(self) -> list[str]:
        """What the schedules show, in lines that fit."""
        return [
            line
            for text in clean(str(self.schedules)).split("\n")
            for line in folded(text, "      ", self.screen.width)
            if self.count
        ]

    def others(self) -> Others:
        """What is known of other runs of the program."""
        from nasm.show.json_diff import Others, WitnessOf

        hazards = self.hazards
        numbered = (
            WitnessOf(hazards.index(problem) if problem in hazards else None, found)
            for problem, found in self.witnesses
        )
        return Others(self.schedules if self.args.schedules else None, list(numbered))


VERB = Verb(
    summary="run a program and report on it",
    rank=10,
    arguments=_arguments,
    conflicts=(
        named,
        options.kernel_with_autosync,
        unfit,
        options.unwatched,
        options.text_with_arguments,
    ),
    body=run,
    examples=(
        ("matmul.nasm", "run it: cycles and expectations"),
        ("matmul.nasm --in A=a.npy --out C=c.npy", ""),
    ),
    notes="""\
examples:
  neuron-nasm run matmul.nasm
  neuron-nasm run matmul.nasm --in A=a.npy --in B=data.npz:b --out C=c.npy
  neuron-nasm run tiled.nasm -D N=1_024 --target trn2 --out-dir results
  neuron-nasm run matmul.nasm --trace trace.json.gz
  neuron-nasm run matmul.nasm --html run.html
  neuron-nasm run matmul.nasm --option rounding=stochastic
  neuron-nasm run matmul.nasm --timing my.toml
  neuron-nasm run all_reduce.nasm --ranks 8 --topology trn2-ultraserver
  neuron-nasm run matmul.nasm --schedules 200
  neuron-nasm run matmul.nasm --strict --allow E0514 --sarif found.sarif
  neuron-nasm run --elf brisc=firmware.elf,trisc1=math.elf
  neuron-nasm run kernel.py:name --isolated --timeout 60 --json
  neuron-nasm run ring.nasm --in x=x{rank}.npy -j 2
  cat matmul.nasm | neuron-nasm run - --json

A .npy file has exactly the shape and the dtype of its tensor. With several
ranks its name may have {rank} in it, or its array a first axis of ranks. Dtypes
that .npy lacks (bfloat16, the 8-bit floats) are read and written as unsigned
integers of their width. Files are written atomically: the outputs if the
program ran to its end, the trace unless a signal stops the run.
""",
    document="program",
    other_names=("simulate", "exec", "execute", "start", "sim"),
)
