"""Names that a text declares further down, and names it meant to declare and could not.

A declaration that fails is one problem. Later uses of its name are not errors, so nothing is
reported for them: a :class:`~nasm.base.problems.Failure` without problems ends the line silently.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nasm.base.problems import Failure
from nasm.language.text import tree
from nasm.language.text.walk import descendants


class Undeclared:
    """Names whose declaration was reported; patterns, because a template may make many."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._patterns: dict[str, re.Pattern[str]] = {}
        self.unread = False
        """Lines of the text could not be read: any unknown name may be declared in one of them."""

    def add(self, statement: tree.ExpressionNode) -> None:
        """The names a statement would have declared, blocks with all they hold."""
        for _, node in declarations([statement]):
            self.add_name(node)

    def add_name(self, node: tree.ExpressionNode) -> None:
        """One name, as a declaration writes it."""
        name = _name(node)
        if name:
            self._names.add(name)
            return
        pattern = _pattern(node)
        if pattern not in self._patterns:
            self._patterns[pattern] = re.compile(rf"{pattern}\Z")

    def named(self, name: str) -> bool:
        """Whether a declaration of this very name failed."""
        return name in self._names or any(p.match(name) for p in self._patterns.values())

    def __contains__(self, name: object) -> bool:
        return self.unread or self.named(str(name))

    def silence_named(self, name: str) -> None:
        """The same for what need not be a name: only if a declaration of this very name failed."""
        if self.named(name):
            raise Failure(())

    def silence(self, name: str) -> None:
        """Raise the Failure that says nothing if a declaration of a name failed."""
        if name in self:
            raise Failure(())


def declarations(body: Iterable[tree.ExpressionNode]) -> Iterator[tuple[str, tree.ExpressionNode]]:
    """Every declaration of statements and blocks, as (kind, node that names it), in order.

    The kinds are ``name``, ``semaphore``, ``label``, ``moment`` and ``macro``.
    """
    for statement in body:
        found = [n for _, n in descendants(statement) if isinstance(n, tree.Statement)]
        inside = 0
        for node in sorted(found, key=lambda n: n.start):
            if node.start < inside:
                continue  # what a macro declares is its own
            match node:
                case tree.MacroStatement(name=name, end=inside):
                    yield "macro", name
                case tree.TensorLine(name=name) | tree.DmaBlock(name=name):
                    yield "name", name
                case tree.ViewLine(name=name):
                    yield "name", name
                case tree.Const(items=items):
                    yield from (("name", item) for item in items)
                case tree.SemLine(items=pairs):
                    yield from (("semaphore", name) for name, _ in pairs)
                case tree.MacroCall(label=tree.ExpressionNode() as label):
                    yield "label", label
                case tree.InstructionLine(label=label, sync=sync):
                    if label is not None:
                        yield "label", label
                    for clause in sync:
                        if isinstance(clause, tree.PostClause):
                            yield "moment", clause.moment.name
                case _:
                    pass


class Later:
    """Where a text declares its names, for those that are used before."""

    def __init__(self, body: Iterable[tree.Statement]) -> None:
        self._names: dict[tuple[str, str], tree.ExpressionNode] = {}
        self._patterns: list[tuple[str, re.Pattern[str], tree.ExpressionNode]] = []
        for kind, node in declarations(body):
            name = _name(node)
            if name:
                self._names.setdefault((kind, name), node)
            else:
                self._patterns.append((kind, re.compile(rf"{_pattern(node)}\Z"), node))

    def find(self, name: str, kind: str) -> tree.ExpressionNode | None:
        """The first declaration of a name."""
        made = (n for k, pattern, n in self._patterns if k == kind and pattern.match(name))
        found = [n for n in (self._names.get((kind, name)), next(made, None)) if n is not None]
        return min(found, key=lambda n: n.start, default=None)


def _name(node: tree.ExpressionNode) -> str:
    """The name that a declaration writes, or an empty string for a template."""
    return node.name if isinstance(node, tree.Name | tree.NamedArgument) else ""


def _pattern(node: tree.ExpressionNode) -> str:
    """A regular expression for what a name may become."""
    match node:
        case tree.Template(parts=parts) | tree.Numbered(parts=parts):
            return "".join(re.escape(p) if isinstance(p, str) else "[A-Za-z0-9_]*" for p in parts)
    raise AssertionError(node)
