"""The verb ``print``: a program as the lines that are left when all is worked out."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import IO

from nasm.apps.cli import kernels, program_names, results, streams
from nasm.apps.cli.assembling import assembled
from nasm.apps.cli.exit_codes import OK, REFUSED
from nasm.apps.cli.running import file_of
from nasm.apps.cli.screen import Screen
from nasm.base.problems import Failure, Problem
from nasm.language.printing import text
from nasm.show import jsonable


def print_(args: argparse.Namespace, screen: Screen) -> int:
    """Assemble a program and print it; returns the exit code."""
    try:
        path = results.spelled(args.output)
        problems = _unwritable(path, args)
        if problems:
            raise Failure(problems)
        _write(path, _printed(args, path))
    except Failure as failure:
        screen.problems(failure.problems)
        return REFUSED
    return OK


def desugared(args: argparse.Namespace, screen: Screen) -> int:
    """``--desugar`` of other verbs: the same, to standard output unless they say where."""
    if getattr(args, "json", False):
        problem = Problem("E0812", "--desugar writes a text, and --json a document", None)
        return int(args.answer.give(REFUSED, problems=jsonable.problems([problem])))
    said = {"output": getattr(args, "output", None) or "-", "places": False}
    return print_(argparse.Namespace(**{**vars(args), **said}), screen)


def _unwritable(path: str, args: argparse.Namespace) -> Sequence[Problem]:
    """What is wrong with the file that it is to go to, before anything is read."""
    if args.output == "-":
        return ()
    others = [("it is the program", file_of(args.program))]
    if args.timing is not None:
        others.append(("it is read", args.timing))
    problem = results.unwritable(path)
    found = results.clashes([("the printed program", path)], others, False)
    return found if problem is None else [*found, problem]


def _printed(args: argparse.Namespace, path: str) -> str:
    if program_names.kernel(args.program):
        made = kernels.traced(args, args.timing)
        return kernels.text_of(made, dict(args.inputs), path, args.places)[0]
    program = assembled(args, args.program, rules=False).program
    beside = args.program if args.output == "-" else path
    return text(program, folder=os.path.dirname(beside), places=args.places)


def _write(path: str, made: str) -> None:
    if path == "/dev/stdout":
        streams.write(sys.stdout, made)
        return

    def save(out: IO[bytes]) -> None:
        out.write(made.encode("utf-8"))

    results.replace(path, save)
