"""``nki --migrate``: a file of NKI 0.1 written in today's dialect; nothing of it is run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from nasm.apps.cli.answer import BROKEN, OK
from nasm.base.problems import Problem, counted, in_line
from nasm.base.records import dataclass

if TYPE_CHECKING:
    from nasm.apps.cli.screen import Screen
    from nasm.nki.migrating.migrate import Migration


@dataclass(frozen=True, slots=True)
class MigratedFile:
    """What a file became: its name, its text, and what of it stayed as it was."""

    program: str
    text: str
    changes: Mapping[str, int]
    remarks: tuple[str, ...]
    problems: tuple[Problem, ...]


def migrate(args: argparse.Namespace, screen: Screen) -> int:
    """Write the text to standard output, or to a file, and what it took to standard error."""
    from nasm.apps.cli import files, results, streams
    from nasm.nki.migrating.migrate import migrate as migrated

    source = files.program_text(args.program)
    made = migrated(source.text, source.name)
    path = None if args.emit in (None, "-") else results.spelled(args.emit)
    if path is not None:
        results.put_text(path, made.text)
    code = BROKEN if made.left else OK
    if args.json:
        from nasm.show.documents import plain
        from nasm.show.json_texts import MIGRATED

        record = MigratedFile(args.program, made.text, made.counts, made.remarks, made.left)
        return int(args.answer.give(code, **plain(record, MIGRATED)))
    if path is None:
        streams.write(sys.stdout, made.text)
    if made.left:
        screen.problems(made.left)
    if not args.quiet:
        _tell(made, screen, "" if path is None else f"; wrote {in_line(path)}")
    return code


def _tell(made: Migration, screen: Screen, wrote: str) -> None:
    for what, number in made.counts.items():
        screen.note(f"{number:>5} × {what}")
    for remark in made.remarks:
        screen.note(f"  see {remark}")
    left = counted(len(made.left), "line")
    screen.note((f"{left} could not be migrated" if made.left else "all lines migrated") + wrote)
