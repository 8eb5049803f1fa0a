"""The verb ``sync``: the waits and updates that a text in sequential order needs, as a diff."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from nasm.apps.cli import results
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import OK
from nasm.apps.cli.verb import Verb, preload
from nasm.apps.cli.verbs.fmt import changes
from nasm.base.problems import in_line
from nasm.base.source import Source

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.language.assemble import Rewrite
    from nasm.language.editing.synchronised import Assembler
    from nasm.program.program import Program


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument("program", help="a .nasm file, or - for standard input")
    options.common(verb)
    where = verb.add_mutually_exclusive_group()
    where.add_argument("--write", action="store_true", help="write them into the file itself")
    where.add_argument(
        "-o", "--output", metavar="FILE", help="write the text with them to a file, or to -"
    )
    verb.add_argument(
        "--strip",
        action="store_true",
        help="leave out the waits, updates and moments that there are first",
    )
    verb.add_argument(
        "--waits", action="store_true", help="write waits and updates of semaphores, not moments"
    )
    options.json(verb)
    options.quiet(verb)


def sync(args: argparse.Namespace, screen: Screen) -> int:
    """Find the waits, show or write them; returns the exit code."""
    preload("nasm.apps.cli.programs", "nasm.language.editing.synchronised")
    from nasm.apps.cli import files
    from nasm.language.editing.synchronised import Synchronised

    source = files.program_text(args.program)
    output = source.name if args.output in (None, "-") else str(args.output)
    how = {"waits": args.waits, "strip": args.strip}
    made = Synchronised(source, _assembler(args), os.path.dirname(output), **how)
    wanted = args.program if args.write else args.output
    path = None if wanted is None else results.spelled(wanted)
    if path is not None:
        results.put_text(path, made.text)
    if args.json:
        from nasm.show.documents import plain
        from nasm.show.json_texts import SYNCHRONISED

        return int(args.answer.give(OK, **plain(made, SYNCHRONISED)))
    if not args.quiet:
        if path is None:
            screen.show(*changes(source, source.name, made.text, "synchronised"))
        screen.note(made.summary() + (f"; wrote {in_line(path)}" if path is not None else ""))
    return OK


def _assembler(args: argparse.Namespace) -> Assembler:
    """Assembles a text; if it is not the ``own`` one it has all that was given in it."""
    from nasm.apps.cli.programs import allowed
    from nasm.isa.timing import Timing
    from nasm.language.assemble import assemble
    from nasm.targets import TARGETS

    def assembled(source: Source, rewrite: Rewrite | None, own: bool) -> Program:
        return assemble(
            source,
            TARGETS,
            args.target if own else None,
            dict(args.defines) if own else {},
            dict(args.options),
            allowed(args),
            Timing.of(args.timing),
            rewrite,
        )

    return assembled


VERB = Verb(
    summary="find the waits that a program in sequential order needs",
    rank=60,
    arguments=_arguments,
    body=sync,
    examples=(("program.nasm", "which line has to wait for which"),),
    notes="""\
examples:
  neuron-nasm sync program.nasm               show it with moments, as a diff
  neuron-nasm sync program.nasm -o ready.nasm
  neuron-nasm sync --strip --write old.nasm   in the place of the waits it has
  neuron-nasm sync --waits program.nasm       semaphores, with what they count
  neuron-nasm run --autosync program.nasm     run it with them

Each line means what it does after all lines above it, whichever engine it is
for. What is inserted keeps that meaning under every timing, and no wait of it
can be left out. A text that is written engine by engine is refused, and so is
one that branches by hand. A line of a .for or a .loop says what it comes after
for all rounds; a text whose rounds have less in common is written out, line by
line.
""",
    document="program",
)
