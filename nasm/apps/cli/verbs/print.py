"""The verb ``print``: a program as the lines that are left when everything is expanded."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nasm.apps.cli import program_names, results
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import OK, REFUSED
from nasm.apps.cli.program_run import file_of
from nasm.apps.cli.verb import Verb, preload
from nasm.base.problems import Failure, Problem, Refused
from nasm.show import jsonable

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen


def _arguments(verb: argparse.ArgumentParser) -> None:
    options.program(verb)
    options.common(verb)
    options.ranks(verb)
    options.kernel(verb)
    options.inputs(verb)
    options.places(verb)
    verb.add_argument(
        "-o",
        dest="output",
        metavar="FILE",
        default="-",
        help="write it to a file, instead of to standard output",
    )
    verb.add_argument(
        "--form",
        metavar="NAME",
        choices=("llk",),
        help="llk: of Tensix, functions of tt-llk's macros instead of a program",
    )
    options.timeout(verb)


def print_(args: argparse.Namespace, screen: Screen) -> int:
    """Assemble a program and print it; returns the exit code."""
    preload("nasm.apps.cli.programs", "nasm.language.printing")
    path = results.spelled(args.output)
    problems = _unwritable(path, args)
    if problems:
        raise Failure(problems)
    results.put_text(path, _printed(args, path))
    return OK


def desugared(args: argparse.Namespace, screen: Screen) -> int:
    """``--desugar`` of other verbs: the same, to standard output unless they say where."""
    if getattr(args, "json", False):
        problem = Problem("E0812", "--desugar writes a text, and --json a document", None)
        return int(args.answer.give(REFUSED, problems=jsonable.problems([problem])))
    text = {"output": getattr(args, "output", None) or "-", "places": False, "form": None}
    return print_(argparse.Namespace(**{**vars(args), **text}), screen)


def _unwritable(path: str, args: argparse.Namespace) -> Sequence[Problem]:
    """The error for the file that it would be written to, before anything is read."""
    if args.output == "-":
        return ()
    others = [("it is the program", file_of(args.program))]
    if args.timing is not None:
        others.append(("it is read", args.timing))
    problem = results.unwritable(path)
    found = results.clashes([("the printed program", path)], others, False)
    return found if problem is None else [*found, problem]


def _printed(args: argparse.Namespace, path: str) -> str:
    from nasm.apps.cli import programs
    from nasm.language.printing import text

    if program_names.kernel(args.program):
        if args.form is not None:
            raise Refused(
                "E0812", "--form is of programs of Tensix: a kernel is for another machine"
            )
        made = programs.traced(args, args.timing)
        return programs.text_of(made, dict(args.inputs), path, args.places)[0]
    program = programs.assembled(args, args.program, rules=False).program
    if args.form is not None:
        from nasm.language.printing.llk import llk_text

        return llk_text(program)
    beside = args.program if args.output == "-" else path
    return text(program, folder=os.path.dirname(beside), places=args.places)


VERB = Verb(
    summary="print a program with all loops expanded and expressions evaluated",
    rank=70,
    arguments=_arguments,
    conflicts=(options.text_with_inputs,),
    body=print_,
    examples=(("tiled.nasm", "its loops unrolled, line by line"),),
    notes="""\
examples:
  neuron-nasm print tiled.nasm                queue by queue, one line each
  neuron-nasm print tiled.nasm -D N=1_024 -o unrolled.nasm
  neuron-nasm print tiled.nasm --places       with the place of every tensor
  neuron-nasm print gelu.nasm --form llk      its instructions as tt-llk text

What is printed assembles to the same program: the same instructions, places
and semaphores, and the same run in every tick. A comment is printed above
the first line that its line became. Machine options and timing
figures, which no text says, are named in comments: give them again. Array files
are named relative to the text: the program's folder, or the one -o writes into.
""",
)
