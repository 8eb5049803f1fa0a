"""Texts with moments from which one `after` was taken, and what is proposed for them.

``python -m tests.order.removed`` tries every `after` of the programs, and counts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.language.assemble import assemble
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.language.text.walk import descendants
from nasm.runs.check.check import examine
from nasm.targets import TARGETS

PROGRAMS = [
    path
    for path in sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))
    if "after " in path.read_text()
]


class Removal(NamedTuple):
    """A text without one of the moments that a line came after: which, on what line."""

    source: Source
    moment: str
    line: int


def removals(path: Path) -> Iterator[Removal]:
    """Every text in which one moment less is awaited."""
    source = source_of(path)
    file, _ = parse(source)
    for statement in file.body:
        for _, node in descendants(statement):
            if isinstance(node, tree.AfterClause):
                for number, moment in enumerate(node.moments):
                    start, end = _cut(node, number)
                    text = source.text[:start] + source.text[end:]
                    said = source.text[moment.start : moment.end]
                    line = source.position(moment.start)[0]
                    yield Removal(Source(source.name, text), said, line)


def _cut(node: tree.AfterClause, number: int) -> tuple[int, int]:
    """The characters that are left out with a moment: the clause, if there is no other."""
    moments = node.moments
    if len(moments) == 1:
        return node.start, node.end
    if number == 0:
        return moments[0].start, moments[1].start
    return moments[number - 1].end, moments[number].end


def found(source: Source) -> tuple[Problem, ...]:
    """What is wrong with a text."""
    try:
        return examine(assemble(source, TARGETS)).problems
    except Failure as failure:
        return failure.problems


def races(problems: Sequence[Problem]) -> list[Problem]:
    """The races among problems."""
    return [problem for problem in problems if problem.code == "E0502"]


def typed(source: Source, problems: Sequence[Problem]) -> Source:
    """A text with what is proposed for the races, typed where that is said."""
    lines = source.text.split("\n")
    edits = {
        (edit["line"] - 1, edit["column"] - 1, edit["insert"], edit["file"])
        for problem in problems
        for edit in problem.facts["edits"]
    }
    for line, at, inserted, file in sorted(edits, reverse=True):
        assert file == source.name
        lines[line] = lines[line][:at] + inserted + lines[line][at:]
    return Source(source.name, "\n".join(lines))


class Tried(NamedTuple):
    """A removal, its races, the text as proposed, and what is wrong with that."""

    removal: Removal
    races: list[Problem]
    text: Source
    left: tuple[Problem, ...]

    def mended(self, before: Sequence[Problem]) -> bool:
        """Whether nothing is wrong that was not before anything was taken."""
        known = {problem.code for problem in before}
        return all(problem.code in known for problem in self.left)


def tries(path: Path, every: int = 1, first: int = 0) -> Iterator[Tried]:
    """The removals of a program that lead to a race, or every so many of them."""
    for removal in list(removals(path))[first::every]:
        raced = races(found(removal.source))
        if raced:
            text = typed(removal.source, raced)
            yield Tried(removal, raced, text, found(text))


def main() -> int:
    """Measure all programs, or those whose names are given."""
    wanted, count, mended = sys.argv[1:], 0, 0
    for path in PROGRAMS:
        if wanted and path.stem not in wanted:
            continue
        before = found(source_of(path))
        for one in tries(path):
            count, good = count + 1, one.mended(before)
            mended += good
            if not good or wanted:
                _say(f"{path.stem}:{one.removal.line}: without {one.removal.moment}")
                for problem in one.races:
                    _say(f"  {problem.message}\n  {problem.hint}")
                for problem in one.left:
                    _say(f"    left: {problem.code} {problem.message}")
    _say(f"{mended} of {count} removals that race are mended by what is proposed")
    return mended < count


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
