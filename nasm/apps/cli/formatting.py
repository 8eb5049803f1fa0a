"""The verb ``fmt``: texts in columns, in their files or shown."""

from __future__ import annotations

import argparse
import difflib
import sys
from typing import IO

from rich.text import Text

from nasm.apps.cli import files, results, streams
from nasm.apps.cli.exit_codes import BROKEN, OK, REFUSED
from nasm.apps.cli.screen import Screen
from nasm.base.problems import Failure, counted, in_line
from nasm.base.source import Source
from nasm.language.formatting import formatted

STYLES = {"+": "green", "-": "red", "@": "cyan"}


def fmt(args: argparse.Namespace, screen: Screen) -> int:
    """Format texts, or say what there is to format; returns the exit code."""
    code, changed, read = OK, 0, 0
    for path in args.programs:
        try:
            source = files.program_text(path)
            read += 1
            made = formatted(source)
            differs = made != source.text
            changed += differs
            _told(args, screen, path, source, made)
        except Failure as failure:
            screen.problems(failure.problems)
            code = REFUSED
    if (args.check or args.diff) and changed:
        code = max(code, BROKEN)
    if read and not args.quiet and not args.diff and args.programs != ["-"]:
        wanted = " to be formatted" if args.check else " formatted"
        screen.note(f"{counted(changed, 'file')}{wanted}, {read} read")
    return code


def _told(args: argparse.Namespace, screen: Screen, path: str, source: Source, made: str) -> None:
    """Write a text, or say how it differs; raises Failure."""
    differs = made != source.text
    if args.diff:
        screen.show(*_diff(source, made))
    elif args.check:
        if differs:
            screen.show(Text(in_line(path)))
    elif path == "-":
        streams.write(sys.stdout, made)
    elif differs:
        results.replace(path, lambda out: _put(out, made))


def _put(out: IO[bytes], made: str) -> None:
    out.write(made.encode())


def _diff(source: Source, made: str) -> list[Text]:
    before, after = source.text.splitlines(), made.splitlines()
    name = source.shown
    lines = difflib.unified_diff(before, after, name, f"{name} (formatted)", lineterm="")
    return [
        Text(line, STYLES.get(line[0], "") if line[:3] not in ("+++", "---") else "bold")
        for line in lines
    ]
