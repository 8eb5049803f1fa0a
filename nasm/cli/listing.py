"""The verb ``list``: what a program became, line by line."""

from __future__ import annotations

import argparse
import sys

from rich.text import Text

from nasm.cli import files, streams
from nasm.cli.screen import Screen
from nasm.objects import loaded
from nasm.open_files import Allowed
from nasm.problems import Failure, Problem, Refused
from nasm.report import jsonable, listing
from nasm.sequence.written import autosync
from nasm.spec.program import Program
from nasm.spec.timing import Timing
from nasm.targets import TARGETS

OK, REFUSED = 0, 2


def list_(args: argparse.Namespace, screen: Screen) -> int:
    """List a program; returns the exit code."""
    try:
        program = _program(args)
        engines = _engines(program, args.engines)
        if args.core is not None and args.core >= program.cores:
            said = f"--core {args.core}: the program uses cores 0 to {program.cores - 1}"
            raise Failure(Problem("E0812", said))
        found = list(listing.lines(program, engines, args.core, args.explorer))
    except Failure as failure:
        if args.json:
            return int(args.answer.give(REFUSED, problems=jsonable.problems(failure.problems)))
        screen.problems(failure.problems)
        return REFUSED
    if args.json:
        target = program.generation.spellings[0]
        content = {"target": target, "lines": listing.document(found), "problems": []}
        return int(args.answer.give(OK, **content))
    if args.csv:
        streams.write(sys.stdout, listing.comma_separated(found))
        return OK
    screen.show(*listing.table(program, found))
    if args.explorer:
        screen.tell(Text(EXPLORER, "dim"))
    return OK


EXPLORER = (
    "operands are written where published profiles show how (tiles of MATMUL, patterns of "
    "DMA_DIRECT2D); ? is what none shows"
)


def _program(args: argparse.Namespace) -> Program:
    return loaded(
        files.program(args.program),
        TARGETS,
        args.target,
        dict(args.defines),
        dict(args.options),
        Allowed.of(args.files),
        Timing.of(args.timing),
        autosync if args.autosync else None,
    ).program


def _engines(program: Program, names: list[str]) -> set[str]:
    """Engines by their names or aliases; raises Failure."""
    try:
        return {program.generation.engine(name.removeprefix("@")).name for name in names}
    except Refused as refused:
        raise Failure(refused.at(None)) from None
