"""The verb ``list``: what a program became, line by line."""

from __future__ import annotations

import argparse
import sys

from rich.text import Text

from nasm.apps.cli import printing, streams
from nasm.apps.cli.answer import refuse
from nasm.apps.cli.assembling import assembled
from nasm.apps.cli.exit_codes import OK
from nasm.apps.cli.screen import Screen
from nasm.base.problems import Failure, Problem, Refused
from nasm.program.program import Program
from nasm.show import listing


def list_(args: argparse.Namespace, screen: Screen) -> int:
    """List a program; returns the exit code."""
    if args.desugar:
        return printing.desugared(args, screen)
    try:
        program = assembled(args, args.program).program
        engines = _engines(program, args.engines)
        if args.core is not None and args.core >= program.cores:
            said = f"--core {args.core}: the program uses cores 0 to {program.cores - 1}"
            raise Failure(Problem("E0812", said))
        found = list(listing.lines(program, engines, args.core, args.explorer))
    except Failure as failure:
        return refuse(args, screen, failure.problems)
    if args.json:
        target = program.generation.spellings[0]
        content = {"target": target, "lines": listing.document(found), "problems": []}
        return int(args.answer.give(OK, **content))
    if args.csv:
        streams.write(sys.stdout, listing.comma_separated(found))
        return OK
    begun = listing.settings(program, engines, args.core)
    screen.show(*begun, *([Text()] if begun else []), *listing.table(program, found))
    if args.explorer:
        screen.tell(Text(EXPLORER, "dim"))
    return OK


EXPLORER = (
    "operands are written where published profiles show how (tiles of MATMUL, patterns of "
    "DMA_DIRECT2D); ? is what none shows"
)


def _engines(program: Program, names: list[str]) -> set[str]:
    """Engines by their names or aliases; raises Failure."""
    try:
        return {program.generation.engine(name.removeprefix("@")).name for name in names}
    except Refused as refused:
        raise Failure(refused.at(None)) from None
