"""The verb ``sync``: the waits and updates that a text in sequential order needs, as a diff."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Mapping
from typing import IO, Any

from rich.text import Text

from nasm.asm.assemble import assemble
from nasm.building.builder import ProgramBuilder
from nasm.cli import files, results, streams
from nasm.cli.assembling import allowed
from nasm.cli.screen import Screen
from nasm.printer import text as whole
from nasm.printer.edits import edited
from nasm.problems import Failure, counted, in_line
from nasm.report import jsonable
from nasm.sequence.written import autosync
from nasm.source import Source
from nasm.spec.program import Program
from nasm.spec.timing import Timing
from nasm.targets import TARGETS

OK, REFUSED = 0, 2
STYLES = {"+": "green", "-": "red", "@": "cyan"}


def sync(args: argparse.Namespace, screen: Screen) -> int:
    """Find the waits, show or write them; returns the exit code."""
    try:
        source = files.program_text(args.program)
        made = _Synchronised(source, args)
        wanted = args.program if args.write else args.output
        path = None if wanted is None else results.spelled(wanted)
        if path is not None:
            _write(path, made.text)
    except Failure as failure:
        if args.json:
            return int(args.answer.give(REFUSED, problems=jsonable.problems(failure.problems)))
        screen.problems(failure.problems)
        return REFUSED
    if args.json:
        return int(args.answer.give(OK, **made.document(), problems=[]))
    if not args.quiet:
        if path is None:
            screen.show(*made.diff())
        screen.note(made.summary() + (f"; wrote {in_line(path)}" if path is not None else ""))
    return OK


def _write(path: str, made: str) -> None:
    """Write a text to a file, or to standard output; raises Failure."""
    if path == results.spelled("-"):
        streams.write(sys.stdout, made)
    else:
        results.replace(path, lambda out: _put(out, made))


def _put(out: IO[bytes], made: str) -> None:
    out.write(made.encode())


class _Synchronised:
    """A text as it was, and with the waits and updates that were found."""

    def __init__(self, source: Source, args: argparse.Namespace) -> None:
        self.source, self.strip = source, args.strip
        self.builder: ProgramBuilder | None = None
        self.lines: Mapping[int, int] = {}
        self.counters: tuple[str, ...] = ()
        self.program: Program = assemble(
            source,
            TARGETS,
            args.target,
            dict(args.defines),
            dict(args.options),
            allowed(args),
            Timing.of(args.timing),
            self._rewrite,
        )
        self.text = self._text()

    def _rewrite(self, builder: ProgramBuilder) -> None:
        program = builder.program
        if not self.strip:
            self.counters = (*program.semaphores, *program.events)
        kept = autosync(builder, self.strip)
        self.builder = builder
        spans = ((program.spans[one.line.span], one.line.instruction) for one in kept)
        self.lines = {span.start: number for span, number in spans if span is not None}

    def _text(self) -> str:
        """The text as it is now: line by line, or printed if lines of it stand for several."""
        assert self.builder is not None
        order = list(self.builder.order())
        made = edited(self.source, self.program, order, self.lines, self.counters)
        return whole(self.program, order) if made is None else made

    def diff(self) -> list[Text]:
        """What has changed."""
        before, after = self.source.text.splitlines(), self.text.splitlines()
        name = self.source.name
        lines = difflib.unified_diff(before, after, name, f"{name} (synchronised)", lineterm="")
        return [
            Text(line, STYLES.get(line[0], "") if line[:3] not in ("+++", "---") else "bold")
            for line in lines
        ]

    def document(self) -> dict[str, Any]:
        """What a document says."""
        waits, updates, bare = self._counts()
        return {
            "program": self.source.name,
            "instructions": len(self.program),
            "waits": waits,
            "updates": updates,
            "only_wait": bare,
            "semaphores": len(self.program.semaphores),
            "text": self.text,
        }

    def _counts(self) -> tuple[int, int, int]:
        queues, program = self.program.queues, self.program
        sequencing = program.target.sequencing
        bare = sum(
            program.instructions[number].row.name == (sequencing and sequencing.wait)
            for lines in queues
            for number in lines.instructions
        )
        waits = sum(map(bool, (n for lines in queues for n in lines.waits)))
        return waits, sum(map(bool, (n for lines in queues for n in lines.updates))), bare

    def summary(self) -> str:
        """How much of it there is, in a sentence."""
        waits, updates, bare = self._counts()
        said = f"{counted(len(self.program), 'instruction')}: {counted(waits, 'wait')}, "
        said += f"{counted(updates, 'update')} of "
        said += counted(len(self.program.semaphores), "semaphore")
        return said + (f"; {bare} of them only wait" if bare else "")
