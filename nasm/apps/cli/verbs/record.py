"""The verb ``record``: a run as a file, from which the debugger continues."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from nasm.apps.cli import program_names, results
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import BROKEN, OK
from nasm.apps.cli.program_run import file_of
from nasm.apps.cli.verb import Verb, preload
from nasm.apps.cli.verbs.asm import check
from nasm.base import signals
from nasm.base.problems import in_line

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen

ENDING = ".nrec"


def _arguments(verb: argparse.ArgumentParser) -> None:
    options.program(verb)
    verb.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the recording, by default next to the program, ending in .nrec; - is standard output",
    )
    verb.add_argument(
        "--at",
        metavar="MOMENT",
        help="where the recording is when it is opened: a cycle or a time (2.5us); by default the "
        "end of the run",
    )
    options.common(verb)
    options.kernel(verb)
    options.inputs(verb)
    options.inputs_folder(verb)
    options.no_values(verb)
    options.policy(verb)
    options.unchecked(verb)
    options.limit(verb, "stop after N instructions")
    options.timeout(verb)
    options.quiet(verb)


def record(args: argparse.Namespace, screen: Screen) -> int:
    """Run a program and write the recording; returns the exit code."""
    preload("nasm.apps.cli.programs", "nasm.debugger.recordings.writing")
    from nasm.apps.cli.programs import session
    from nasm.show import steps

    path = results.spelled(_output(args))
    check("the recording", path, args, binary=True)
    if path == results.spelled("-"):
        screen.aside()
    made = session(args)
    with signals.on_stop(made.halt) as heard:
        report = made.run(
            max_instructions=args.max_instructions, progress=screen.progress, hashes=False
        )
        if args.at is not None and heard.asked is None:
            made.goto(args.at)
    if heard.asked is not None:
        raise heard.asked
    screen.clear()
    data = made.recorded()
    results.put(path, data)
    if not args.quiet:
        screen.problems((*report.warnings, *report.hazards, *report.problems))
        where = "" if args.at is None else f", at {steps.moment(made)}"
        screen.note(f"{report.status.value}; wrote {in_line(path)}, {len(data):,} bytes{where}")
    return OK if report.ok else BROKEN


def _output(args: argparse.Namespace) -> str:
    """Where the recording goes."""
    if args.output is not None:
        return str(args.output)
    if args.program == "-":
        return "run" + ENDING
    if program_names.kernel(args.program):
        folder = os.path.dirname(file_of(args.program))
        return os.path.join(folder, f"{args.program.rpartition(':')[2]}{ENDING}")
    return f"{os.path.splitext(args.program)[0]}{ENDING}"


VERB = Verb(
    summary="record a run, for the debugger to continue from",
    rank=145,
    arguments=_arguments,
    conflicts=(options.text_with_arguments,),
    body=record,
    examples=(("matmul.nasm -o run.nrec", "then: repl --replay run.nrec"),),
    notes="""\
examples:
  neuron-nasm record matmul.nasm -o run.nrec
  neuron-nasm record matmul.nasm -o run.nrec --at 2.5us --in A=a.npy
  neuron-nasm repl --replay run.nrec

A recording holds the program with what it includes, its inputs, and where the
run is; one that 'save run.nrec' writes at the prompt also what was done by
hand, breakpoints and named moments. It is data only, and is refused where nasm
computes another run. docs/recordings.md describes it.
""",
    other_names=("capture",),
)
