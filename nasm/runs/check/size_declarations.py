"""The declarations of a text alone: whether a size is one, and whether memory suffices for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.language.text import tree
from nasm.language.text.parse import parse

ASSERTION, MEMORY, OTHER = "E0219", "E0311", "other"
"""What a size is not, by the code of what is reported: none of the program, or one that fits."""

LARGEST = 40
"""Sizes up to so many powers of two are tried."""

KEPT = (
    tree.Version, tree.TargetLine, tree.CoreLine, tree.Const, tree.TensorLine, tree.Assert,
    tree.Include, tree.MacroStatement, tree.ViewLine,
)  # fmt: skip
BLOCKS = (tree.For, tree.If, tree.ScopeBlock)

Assembled = Callable[[Source, int], object]
"""Assembles a text for a size; raises Failure."""


def declarations(source: Source) -> Source:
    """A text without its instructions: each has blanks in its place."""
    file, _ = parse(source)
    text = source.text
    for low, high in sorted(_left_out(file.body), reverse=True):
        blank = "".join("\n" if char == "\n" else " " for char in text[low:high])
        text = text[:low] + blank + text[high:]
    return Source(source.name, text, source.label)


def numbers(source: Source) -> list[str]:
    """The constants of a text that are given a number."""
    file, _ = parse(source)
    items = [item for one in file.body if isinstance(one, tree.Const) for item in one.items]
    return [item.name for item in items if isinstance(item.value, tree.NumberLiteral)]


def _left_out(statements: Iterable[tree.Statement]) -> Iterator[tuple[int, int]]:
    """Where statements that declare nothing are."""
    for statement in statements:
        if isinstance(statement, BLOCKS) and _declares(statement):
            for body in _bodies(statement):
                yield from _left_out(body)
        elif not isinstance(statement, KEPT):
            yield statement.start, statement.end


def _declares(statement: tree.Statement) -> bool:
    """Whether a tensor is declared in a block."""
    bodies = _bodies(statement)
    return any(
        isinstance(one, tree.TensorLine) or _declares(one) for body in bodies for one in body
    )


def _bodies(statement: tree.Statement) -> list[tuple[tree.Statement, ...]]:
    if isinstance(statement, tree.If):
        return [body for _, body in statement.branches]
    if isinstance(statement, tree.For | tree.ScopeBlock):
        return [statement.body]
    return []


class SizeDeclarations:
    """What the declarations of a text say of sizes."""

    def __init__(self, source: Source, assembled: Assembled) -> None:
        self.source, self.assembled = declarations(source), assembled

    def status(self, size: int) -> tuple[str, Problem | None]:
        """What a size is not, and the report of that; an empty text if it can be."""
        try:
            self.assembled(self.source, size)
        except Failure as failure:
            for code in (ASSERTION, MEMORY):
                for problem in failure.problems:
                    if problem.code == code:
                        return code, problem
            return OTHER, failure.problems[0]
        return "", None

    def too_large(self, first: int, step: int, last: int | None) -> tuple[int, Problem] | None:
        """The smallest size that is refused, as where memory ends, in steps from the first.

        None if all are taken, or if the first is not.
        """
        if self._refused(first):
            return None
        high = 1
        while not self._refused(first + high * step):
            high *= 2
            if high > 1 << LARGEST or (last is not None and first + high // 2 * step > last):
                return None
        low = high // 2
        while high - low > 1:
            middle = (low + high) // 2
            if self._refused(first + middle * step):
                high = middle
            else:
                low = middle
        return self._at(first + high * step)

    def _refused(self, size: int) -> bool:
        """Whether a size is refused for what it declares."""
        return self.status(size)[0] in (MEMORY, OTHER)

    def _at(self, size: int) -> tuple[int, Problem]:
        problem = self.status(size)[1]
        assert problem is not None
        return size, problem
