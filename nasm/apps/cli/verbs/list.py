"""The verb ``list``: what a program became, line by line."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NamedTuple

from nasm.apps.cli import shared_options as options
from nasm.apps.cli import streams, values
from nasm.apps.cli.answer import OK
from nasm.apps.cli.verb import Verb, preload
from nasm.apps.cli.verbs.print import desugared
from nasm.base.problems import Failure, Problem

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.program.program import Program
    from nasm.show.listing import ListedLine


def _arguments(verb: argparse.ArgumentParser) -> None:
    options.program(verb)
    options.common(verb)
    options.ranks(verb)
    options.kernel(verb)
    options.inputs(verb)
    options.autosync(verb, "list it with the waits that 'sync' finds")
    verb.add_argument(
        "--engine",
        dest="engines",
        metavar="NAME",
        action="append",
        default=[],
        help="list this engine alone; may be given several times",
    )
    verb.add_argument("--core", metavar="N", type=values.core, help="list this core alone")
    how = verb.add_mutually_exclusive_group()
    how.add_argument(
        "--explorer",
        action="store_true",
        help="write operands and semaphores as Neuron Explorer shows them",
    )
    how.add_argument("--csv", action="store_true", help="as comma-separated values")
    options.desugar(how, "print, instead, the plain program that is left, as 'print' does")
    options.timeout(verb)
    options.json(verb)


def list_(args: argparse.Namespace, screen: Screen) -> int:
    """List a program; returns the exit code."""
    if args.desugar:
        return desugared(args, screen)
    preload("nasm.apps.cli.programs", "nasm.show.listing")
    from rich.text import Text

    from nasm.apps.cli.programs import assembled
    from nasm.show import listing

    program = assembled(args, args.program).program
    engines = _engines(program, args.engines)
    if args.core is not None and args.core >= program.cores:
        message = f"--core {args.core}: the program uses cores 0 to {program.cores - 1}"
        raise Failure(Problem("E0812", message))
    found = list(listing.lines(program, engines, args.core, args.explorer))
    if args.json:
        from nasm.show.documents import plain
        from nasm.show.json_texts import LISTING

        return int(args.answer.give(OK, **plain(_Listing(program, found), LISTING)))
    if args.csv:
        streams.write(sys.stdout, listing.comma_separated(found))
        return OK
    begun = listing.settings(program, engines, args.core)
    screen.show(*begun, *([Text()] if begun else []), *listing.table(program, found))
    if args.explorer:
        screen.tell(Text(EXPLORER, "dim"))
    return OK


class _Listing(NamedTuple):
    program: Program
    lines: list[ListedLine]


EXPLORER = (
    "operands are written where published profiles show how (tiles of MATMUL, patterns of "
    "DMA_DIRECT2D); ? is what none shows"
)


def _engines(program: Program, names: list[str]) -> set[str]:
    """Engines by their names or aliases; raises Refused."""
    return {program.generation.engine(name.removeprefix("@")).name for name in names}


VERB = Verb(
    summary="list what a program became, line by line",
    rank=80,
    arguments=_arguments,
    conflicts=(options.kernel_with_autosync, options.text_with_inputs),
    body=list_,
    notes="""\
examples:
  neuron-nasm list tiled.nasm                 offset, pc, cycles, text as given
  neuron-nasm list tiled.nasm --engine tensor --core 0
  neuron-nasm list tiled.nasm --explorer      to compare with a profile
  neuron-nasm list tiled.nasm --desugar       as a program, as 'print' does
  neuron-nasm list tiled.nasm --json

Names and expressions are shown as numbers. Cycles are those of the engine,
? where they depend on what a run finds. A line that a loop or a macro made
says of which round or call it is.
""",
    document="program",
)
