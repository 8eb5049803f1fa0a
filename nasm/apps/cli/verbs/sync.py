"""The verb ``sync``: the waits and updates that a text in sequential order needs, as a diff."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, NamedTuple

from nasm.apps.cli import results
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.answer import OK
from nasm.apps.cli.verb import Verb, preload
from nasm.apps.cli.verbs.fmt import changes
from nasm.base.problems import counted, in_line
from nasm.base.source import Source

if TYPE_CHECKING:
    from rich.text import Text

    from nasm.apps.cli.screen import Screen
    from nasm.language.assemble import Rewrite
    from nasm.language.printing.lines import Place
    from nasm.program.builder import ProgramBuilder
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
    preload("nasm.apps.cli.programs", "nasm.language.editing.moments", "nasm.sync.sequential_text")
    from nasm.apps.cli import files

    source = files.program_text(args.program)
    made = _Synchronised(source, args)
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
            screen.show(*made.diff())
        screen.note(made.summary() + (f"; wrote {in_line(path)}" if path is not None else ""))
    return OK


class _Counts(NamedTuple):
    waits: int
    updates: int
    only_wait: int


class _Synchronised:
    """A text as it was, and with what was found: moments, or waits and updates of semaphores."""

    program: Program

    def __init__(self, source: Source, args: argparse.Namespace) -> None:
        self.source, self.args = source, args
        self.text = self._counted() if args.waits else self._named()

    def _assembled(self, source: Source, rewrite: Rewrite | None, own: bool = True) -> Program:
        """A text assembled; if it is not the ``own`` one it has all that was given in it."""
        from nasm.apps.cli.programs import allowed
        from nasm.isa.timing import Timing
        from nasm.language.assemble import assemble
        from nasm.targets import TARGETS

        args = self.args
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

    @property
    def _printed(self) -> str:
        """Where a printed text will be: it names array files from there."""
        output = self.args.output
        return self.source.name if output in (None, "-") else str(output)

    # -- moments

    def _named(self) -> str:
        """The text with moments."""
        source = self.source
        made, printed = self._moments(source, own=True)
        own = made is not None
        if made is None:
            source = Source(self._printed, printed)
            made, _ = self._moments(source, own=False)
        assert made is not None
        self.program = self._assembled(Source(source.name, made), None, own)
        return made

    def _moments(self, source: Source, own: bool) -> tuple[str | None, str]:
        """A text with moments; or none, and itself line by line without waits."""
        from nasm.language.editing.moments import with_moments
        from nasm.language.formatting import formatted
        from nasm.language.printing import text as whole
        from nasm.sync.sequential_text import in_sequence

        found: list[str | None] = []
        orders: list[list[Place]] = []

        def rewrite(builder: ProgramBuilder) -> None:
            strip = own and self.args.strip
            lines = in_sequence(builder, strip)
            found.append(with_moments(source, builder, lines, strip))
            builder.clear()
            for line in (one.line for one in lines):
                builder.append(line.queue, (line.instruction, 0, 0), line.span, line.chain)
            orders.append(list(builder.order()))

        program = self._assembled(source, rewrite, own)
        made = found[0]
        if made is None:
            return None, whole(program, orders[0], folder=os.path.dirname(self._printed))
        aligned = source.text == formatted(source) or not own
        return formatted(Source(source.name, made)) if aligned else made, ""

    # -- waits and updates

    def _counted(self) -> str:
        """The text with waits and updates: as it is, or printed if lines represent several."""
        from nasm.language.editing.waits import edited
        from nasm.language.printing import text as whole
        from nasm.sync.sequential_text import autosync

        found: list[tuple[list[Place], dict[int, int], tuple[str, ...]]] = []

        def rewrite(builder: ProgramBuilder) -> None:
            program = builder.program
            counters = () if self.args.strip else (*program.semaphores, *program.events)
            kept = autosync(builder, self.args.strip)
            spans = ((program.spans[one.line.span], one.line.instruction) for one in kept)
            lines = {span.start: number for span, number in spans if span is not None}
            found.append((list(builder.order()), lines, counters))

        self.program = self._assembled(self.source, rewrite)
        ((order, lines, counters),) = found
        made = edited(self.source, self.program, order, lines, counters)
        if made is not None:
            return made
        return whole(self.program, order, folder=os.path.dirname(self._printed))

    def diff(self) -> list[Text]:
        """What has changed."""
        return changes(self.source, self.source.name, self.text, "synchronised")

    @property
    def counts(self) -> _Counts:
        """How many instructions wait and update."""
        queues, program = self.program.queues, self.program
        sequencing = program.target.sequencing
        bare = sum(
            program.instructions[number].row.name == (sequencing and sequencing.wait)
            for lines in queues
            for number in lines.instructions
        )
        waits = sum(map(bool, (n for lines in queues for n in lines.waits)))
        updates = sum(map(bool, (n for lines in queues for n in lines.updates)))
        return _Counts(waits, updates, bare)

    def summary(self) -> str:
        """How much of it there is, in a sentence."""
        waits, updates, bare = self.counts
        text = f"{counted(len(self.program), 'instruction')}: {counted(waits, 'wait')}, "
        text += f"{counted(updates, 'update')} of "
        text += counted(len(self.program.semaphores), "semaphore")
        return text + (f"; {bare} of them only wait" if bare else "")


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
one that branches. A line of a .for says what it comes after for all rounds; a
text whose rounds have less in common is written out, line by line.
""",
    document="program",
)
