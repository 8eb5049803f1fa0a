"""A text in sequential order with the waits that it needs, as moments or as semaphores."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from nasm.base.problems import Failure, Problem, counted
from nasm.base.source import Source
from nasm.language.assemble import Rewrite
from nasm.language.editing.moments import with_moments
from nasm.language.editing.waits import edited
from nasm.language.editing.written_loops import WrittenLoops, written_out
from nasm.language.formatting import formatted
from nasm.language.printing import text as whole
from nasm.language.printing.lines import Place
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Program
from nasm.sync.sequential_text import NO_ORDER, autosync, in_sequence

Assembler: TypeAlias = Callable[[Source, Rewrite | None, bool], Program]
"""Assembles a text, with a rewriting. The text is the user's own, or one that was made of it, which
holds all that was given for the own one, such as constants."""


def autosynchronised(source: Source, assembler: Assembler) -> Program:
    """A text in sequential order, assembled with the waits that it needs; raises Failure.

    A text with loops at run time is assembled with the moments that :class:`Synchronised` finds:
    spans are of the text with them, on the same lines.
    """
    if written_out(source, strip=False) is None:
        return assembler(source, autosync, True)
    return Synchronised(source, assembler, "", keep_lines=True).program


class SyncCounts(NamedTuple):
    """How many instructions wait and update, and how many only wait."""

    waits: int
    updates: int
    only_wait: int


class Synchronised:
    """A text as it was, and with what was found: moments, or waits and updates of semaphores.

    With ``waits`` it has semaphores instead of moments; ``strip`` leaves out first what waits and
    updates there are. A text that is printed line by line names array files from ``folder``. With
    ``keep_lines`` each line of the text keeps its number.
    Raises Failure if it does not assemble or has no sequential order.
    """

    program: Program

    def __init__(
        self,
        source: Source,
        assembler: Assembler,
        folder: str,
        *,
        waits: bool = False,
        strip: bool = False,
        keep_lines: bool = False,
    ) -> None:
        self.source, self.folder, self.strip = source, folder, strip
        self.keep_lines = keep_lines
        self._assembled = assembler
        self.text = self._counted() if waits else self._named()

    # -- moments

    def _named(self) -> str:
        """The text with moments."""
        source = self.source
        loops = written_out(source, self.strip)
        if loops is not None:
            return self._of_loops(loops)
        made, printed = self._moments(source, own=True)
        own = made is not None
        if made is None:
            source = Source(os.path.join(self.folder, os.path.basename(source.name)), printed)
            made, _ = self._moments(source, own=False)
        assert made is not None
        self.program = self._assembled(Source(source.name, made), None, own)
        return made

    def _of_loops(self, loops: WrittenLoops) -> str:
        """The text with moments if it has loops at run time; raises Failure."""
        source = self.source
        self._assembled(source, None, True)  # it reports errors in the text as it is
        made, _ = self._moments(loops.source, own=True, loops=loops.variables)
        if made is None:
            message = "the rounds of the loops of this text have too little in common"
            hint = (
                "write the rounds that differ before or after the loop, and the lines of a macro "
            )
            hint += "in the place of its call; or repeat them with .for"
            raise Failure(Problem(NO_ORDER, message, loops.first, hint))
        self.program = self._assembled(Source(source.name, made), None, True)
        return made

    def _moments(
        self, source: Source, own: bool, loops: frozenset[int] = frozenset()
    ) -> tuple[str | None, str]:
        """A text with moments; or none, and itself line by line without waits.

        With ``loops`` these are written out in it, and not in the text with moments.
        """
        found: list[str | None] = []
        orders: list[list[Place]] = []

        def rewrite(builder: ProgramBuilder) -> None:
            strip = own and self.strip
            lines = in_sequence(builder, strip)
            before = self.source.text if loops else source.text
            found.append(
                with_moments(source, builder, lines, strip, before, loops, self.keep_lines)
            )
            builder.clear()
            for line in (one.line for one in lines):
                builder.append(line.queue, (line.instruction, 0, 0), line.span, line.chain)
            orders.append(list(builder.order()))

        program = self._assembled(source, rewrite, own)
        made = found[0]
        if made is None:
            return None, whole(program, orders[0], folder=self.folder)
        plain = self.source if loops else source
        aligned = plain.text == formatted(plain) or not own
        return formatted(Source(source.name, made)) if aligned else made, ""

    # -- waits and updates

    def _counted(self) -> str:
        """The text with waits and updates: as it is, or printed if lines represent several.

        What the lines of a loop at run time wait for is what their moments take.
        """
        loops = written_out(self.source, self.strip)
        if loops is not None:
            self._of_loops(loops)
            return whole(self.program, folder=self.folder)
        found: list[tuple[list[Place], dict[int, int], tuple[str, ...]]] = []

        def rewrite(builder: ProgramBuilder) -> None:
            program = builder.program
            counters = () if self.strip else (*program.semaphores, *program.events)
            kept = autosync(builder, self.strip)
            spans = ((program.spans[one.line.span], one.line.instruction) for one in kept)
            lines = {span.start: number for span, number in spans if span is not None}
            found.append((list(builder.order()), lines, counters))

        self.program = self._assembled(self.source, rewrite, True)
        ((order, lines, counters),) = found
        made = edited(self.source, self.program, order, lines, counters)
        if made is not None:
            return made
        return whole(self.program, order, folder=self.folder)

    @property
    def counts(self) -> SyncCounts:
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
        return SyncCounts(waits, updates, bare)

    def summary(self) -> str:
        """How much of it there is, in a sentence."""
        waits, updates, bare = self.counts
        text = f"{counted(len(self.program), 'instruction')}: {counted(waits, 'wait')}, "
        text += f"{counted(updates, 'update')} of "
        text += counted(len(self.program.semaphores), "semaphore")
        return text + (f"; {bare} of them only wait" if bare else "")
