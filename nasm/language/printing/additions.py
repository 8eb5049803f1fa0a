"""Clauses that can be added to lines of a text: their places, and what a line has already."""

from __future__ import annotations

from functools import lru_cache

from nasm.base.records import dataclass
from nasm.base.source import Source
from nasm.language.text import tree
from nasm.language.text.parse import parse
from nasm.language.text.walk import descendants


@dataclass(frozen=True, slots=True)
class Addition:
    """Characters to put into a text at some place."""

    source: Source
    at: int
    text: str

    @property
    def line(self) -> int:
        """The line that gets them, from 1."""
        return self.source.position(self.at)[0]

    @property
    def column(self) -> int:
        """The column at which they begin, from 1."""
        return self.source.position(self.at)[1]


def added(source: Source, additions: list[Addition]) -> str:
    """The text of a source with additions."""
    text = source.text
    for one in sorted(additions, key=lambda one: one.at, reverse=True):
        text = text[: one.at] + one.text + text[one.at :]
    return text


@lru_cache(maxsize=4)
def _file(source: Source) -> tree.File:
    """The tree of a text."""
    return parse(source)[0]


@lru_cache(maxsize=4)
def _lines(source: Source) -> dict[int, tree.InstructionLine]:
    """The lines with an instruction, by where their mnemonics are."""
    return {
        node.mnemonic.start: node
        for statement in _file(source).body
        for _, node in descendants(statement)
        if isinstance(node, tree.InstructionLine) and node.mnemonic is not None
    }


def clause(source: Source, start: int, text: str) -> Addition | None:
    """A clause at the end of a line whose mnemonic begins at a place; None if there is none."""
    line = _lines(source).get(start)
    return None if line is None else Addition(source, line.end, f"  {text}")


def wait(source: Source, start: int, text: str) -> Addition | None:
    """A wait of a line, before its update if it has one; None if there is no such line."""
    line = _lines(source).get(start)
    if line is None or not line.sync:
        return clause(source, start, text)
    return Addition(source, line.sync[0].start, f"{text}  ")


def line_before(source: Source, start: int, text: str) -> Addition | None:
    """A line before another one; None if a branch leads to that, or something else is before it."""
    line = _lines(source).get(start)
    if line is None or line.label is not None:
        return None
    at = source.text.rfind("\n", 0, line.start) + 1
    margin = source.text[at : line.start]
    return None if margin.strip() else Addition(source, at, f"{margin}{text}\n")


def declared(source: Source, text: str) -> Addition | None:
    """A declaration after the line with the target; None if the text has no such line."""
    named = (one.end for one in _file(source).body if isinstance(one, tree.TargetLine))
    at = next(named, -1)
    end = source.text.find("\n", at)
    return None if at < 0 or end < 0 else Addition(source, end, f"\n{text}")


def updates(source: Source, start: int) -> bool:
    """Whether a line has an update of its own."""
    line = _lines(source).get(start)
    kinds = tree.UpdateClause | tree.TakeClause
    return line is not None and any(isinstance(one, kinds) for one in line.sync)


def words(source: Source, start: int) -> set[str]:
    """The names that mean something where a line is: of its macro, or of the text without any."""
    body = _file(source).body
    macros = [one for one in body if isinstance(one, tree.MacroStatement)]
    around = [one for one in macros if one.start <= start < one.end]
    return {
        node.name
        for statement in around or (one for one in body if not isinstance(one, tree.MacroStatement))
        for _, node in descendants(statement)
        if isinstance(node, tree.Name)
    }
