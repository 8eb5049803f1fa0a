"""Waits and updates written into a text: each line stays as it is, with what was found for it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from nasm.base.records import dataclass, field
from nasm.base.source import Source
from nasm.language.editing.changes import TextChanges
from nasm.language.printing.layout import wrapped
from nasm.language.printing.lines import Place, update_text, wait_text
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.program.program import Program


@dataclass(slots=True)
class _Line:
    """A line of the text: where it is in the program now, and who only waits in front of it."""

    place: Place
    before: list[Place] = field(default_factory=list)


def edited(
    source: Source,
    program: Program,
    order: Iterable[Place],
    lines: Mapping[int, int],
    counters: Collection[str] = (),
) -> str | None:
    """The text of a program with other waits and updates; None if a line makes several.

    ``order`` are the instructions of the program as they follow each other. ``lines`` are those of
    the text that are in it, by where they are written, with the numbers of their instructions; all
    other lines with an instruction are left out. So are semaphores but for some ``counters``.
    """
    file, _ = parse(source)
    several = tree.For | tree.If | tree.MacroCall | tree.Include | tree.ScopeBlock
    if any(isinstance(statement, several) for statement in file.body):
        return None
    found, behind = _lines_and_clauses(program, order, lines)
    return _Edits(source.text, program, counters).made(file, found, behind)


def _lines_and_clauses(
    program: Program, order: Iterable[Place], lines: Mapping[int, int]
) -> tuple[dict[int, _Line], dict[int, list[Place]]]:
    """The lines by where they are written, and the clauses after those of each core."""
    found: dict[int, _Line] = {}
    waiting: dict[int, list[Place]] = {}
    for queue, pc in order:
        core, span = program.queues[queue].core, program.span(queue, pc)
        start = -1 if span is None else span.start
        if start not in found and lines.get(start) == program.queues[queue].instructions[pc]:
            found[start] = _Line((queue, pc), waiting.pop(core, []))
        else:
            waiting.setdefault(core, []).append((queue, pc))
    return found, waiting


class _Edits(TextChanges):
    """Changes to one text."""

    def __init__(self, text: str, program: Program, counters: Collection[str]) -> None:
        super().__init__(text)
        self.program, self.counters = program, counters
        tables = (program.semaphores, program.events)
        self.names = {number: name for table in tables for name, number in table.items()}

    def made(
        self, file: tree.File, found: Mapping[int, _Line], behind: Mapping[int, Iterable[Place]]
    ) -> str:
        """The text with all changes."""
        last: dict[int, int] = {}
        chooser = -1
        if self.program.cores == 1:  # in the place of those that there were
            for statement in file.body:
                if isinstance(statement, tree.SemLine) and self._obsolete(statement):
                    self.add(statement.start, self._declared(0))
                    last[0] = 0
                    break
        for statement in file.body:
            if isinstance(statement, tree.SemLine):
                self._declarations(statement)
            if isinstance(statement, tree.DrainLine):
                self.leave_out(statement)
            if not isinstance(statement, tree.InstructionLine):
                continue
            if statement.mnemonic is None:
                chooser = statement.start
                continue
            line = found.get(statement.mnemonic.start)
            if line is None:
                self.leave_out(statement)
                continue
            core = self.program.queues[line.place[0]].core
            if core not in last:
                self.add(statement.start if chooser < 0 else chooser, self._declared(core))
            chooser = -1
            self.add(statement.start, map(self._bare, line.before))
            self._line(statement, line.place)
            last[core] = self.line_end(statement.end)
        for core, places in behind.items():
            self.add(last[core], map(self._bare, places))
        return self.applied()

    def _line(self, statement: tree.InstructionLine, place: Place) -> None:
        """The wait and the update of a line."""
        queue, pc = place
        start, end = self.clauses(statement)
        clauses = self._at_columns(statement, start, self._written(queue, pc))
        if clauses != self.text[start:end]:
            self.changes.append((start, end, clauses))

    def _at_columns(self, statement: tree.InstructionLine, start: int, made: Iterable[str]) -> str:
        """Clauses after a line, in the column of the old ones if there is room."""
        counted = [old for old in statement.sync if isinstance(old, tree.Counted)]
        columns = {isinstance(old, tree.WaitClause): old.start for old in counted}
        clauses = ""
        for clause in made:
            wait = ">=" in clause or "==" in clause
            room = columns.get(wait, 0) - start - len(clauses)
            clauses += " " * max(2, room) + clause
        return clauses

    def _written(self, queue: int, pc: int) -> Iterator[str]:
        lines, program = self.program.queues[queue], self.program
        yield from filter(
            None,
            (
                wait_text(program.waits[lines.waits[pc]], self.names),
                update_text(program.updates[lines.updates[pc]], self.names),
            ),
        )

    def _bare(self, place: Place) -> str:
        queue, pc = place
        name = self.program.instruction(queue, pc).row.name
        return "  ".join((f"@{self.program.queues[queue].engine}", name, *self._written(queue, pc)))

    def _declared(self, core: int) -> Iterator[str]:
        """The semaphores of a core that the text does not declare."""
        counter = self.program.generation.counter
        new = [
            name
            for number, name in sorted(self.names.items())
            if counter(number)[0] == core and name not in self.counters
        ]
        yield from wrapped(".sem   ", new) if new else ()

    def _declarations(self, statement: tree.SemLine) -> None:
        if self._obsolete(statement):
            self.leave_out(statement)

    def _obsolete(self, statement: tree.SemLine) -> bool:
        """Whether semaphores are declared that there are no more."""
        names = {name.name for name, _ in statement.items if isinstance(name, tree.Name)}
        return not names <= set(self.counters)
