"""The verb ``fmt``: texts in columns, in their files or shown."""

from __future__ import annotations

import argparse
import difflib
import sys
from typing import TYPE_CHECKING

from nasm.apps.cli import results, streams
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import BROKEN, OK, REFUSED
from nasm.apps.cli.verb import Verb
from nasm.base.problems import Failure, counted, in_line
from nasm.base.source import Source

if TYPE_CHECKING:
    from rich.text import Text

    from nasm.apps.cli.screen import Screen

STYLES = {"+": "green", "-": "red", "@": "cyan"}


def _arguments(verb: argparse.ArgumentParser) -> None:
    verb.add_argument(
        "programs", metavar="program", nargs="+", help="a .nasm file, or - for standard input"
    )
    how = verb.add_mutually_exclusive_group()
    how.add_argument(
        "--check",
        action="store_true",
        help="write nothing; name the files that are not formatted, with exit code 1",
    )
    how.add_argument("--diff", action="store_true", help="write nothing; show what would change")
    options.quiet(verb)


def fmt(args: argparse.Namespace, screen: Screen) -> int:
    """Format texts, or say what there is to format; returns the exit code."""
    from nasm.apps.cli import files
    from nasm.language.formatting import formatted

    code, changed, read = OK, 0, 0
    for path in args.programs:
        try:
            source = files.program_text(path)
            read += 1
            made = formatted(source)
            differs = made != source.text
            changed += differs
            _write_or_diff(args, screen, path, source, made)
        except Failure as failure:
            screen.problems(failure.problems)
            code = REFUSED
    if (args.check or args.diff) and changed:
        code = max(code, BROKEN)
    if read and not args.quiet and not args.diff and args.programs != ["-"]:
        wanted = " to be formatted" if args.check else " formatted"
        screen.note(f"{counted(changed, 'file')}{wanted}, {read} read")
    return code


def _write_or_diff(
    args: argparse.Namespace, screen: Screen, path: str, source: Source, made: str
) -> None:
    """Write a text, or say how it differs; raises Failure."""
    from rich.text import Text

    differs = made != source.text
    if args.diff:
        screen.show(*changes(source, source.shown, made, "formatted"))
    elif args.check:
        if differs:
            screen.show(Text(in_line(path)))
    elif path == "-":
        streams.write(sys.stdout, made)
    elif differs:
        results.put(path, made.encode())


def changes(source: Source, name: str, made: str, how: str) -> list[Text]:
    """How a text differs from what was made of it, with colours."""
    from rich.text import Text

    before, after = source.text.splitlines(), made.splitlines()
    lines = difflib.unified_diff(before, after, name, f"{name} ({how})", lineterm="")
    return [
        Text(line, STYLES.get(line[0], "") if line[:3] not in ("+++", "---") else "bold")
        for line in lines
    ]


VERB = Verb(
    summary="format texts: columns, blanks, indents",
    rank=90,
    arguments=_arguments,
    body=fmt,
    notes="""\
examples:
  neuron-nasm fmt program.nasm                in place
  neuron-nasm fmt --check programs/*.nasm     is anything to be done?
  neuron-nasm fmt --diff program.nasm
  neuron-nasm fmt - < program.nasm            to standard output

Comments and strings stay as they are, and so does what the text means. A text
that cannot be read is left alone.
""",
    other_names=("format", "tidy"),
)
