"""The words of a line as they are written: where an operand stands, and what stands for which."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile, zip_longest

from nasm.asm.expanding.scope import Scope
from nasm.asm.text import tree
from nasm.asm.text.habits import ELSEWHERE
from nasm.asm.text.parse import read_again
from nasm.asm.text.parse_failure import FORMS
from nasm.building.builder import ProgramBuilder
from nasm.source import Span
from nasm.spec.instruction import Operand, Row


def operand_place(line: Span, row: Row, name: str) -> Span | None:
    """Where an operand of a row is written in the place of its line; None if it is not there."""
    read = read_again(line.source, line.start, line.end)
    if read is None or read.mnemonic is None or read.mnemonic.name != row.name:
        return None
    for operand, node in zip_longest(row.written, read.operands):
        if isinstance(node, tree.Named):
            if node.name == name:
                return replace(line, start=node.value.start, end=node.value.end)
        elif operand is not None and node is not None and operand.name == name:
            return replace(line, start=node.start, end=node.end)
    return None


def in_order(row: Row, statement: tree.Line, scope: Scope) -> str:
    """The operands of a row in their order, with what stands for those that are not named."""
    unnamed = takewhile(lambda node: not isinstance(node, tree.Named), statement.operands)
    given = [scope.span(node).text for node in unnamed]
    names = [
        f"{operand.name} ({text})" if text else operand.name
        for operand, text in zip_longest(row.written, given[: len(row.written)], fillvalue="")
        if isinstance(operand, Operand)
    ]
    return f"its operands in order: {', '.join(names)}"


def elsewhere(word: str, builder: ProgramBuilder) -> str:
    """A hint for a word that is no mnemonic where it has a meaning of another kind; or nothing."""
    if word in FORMS:
        return f"a directive begins with a dot: '{FORMS[word]}'"
    if word in builder.generation.memories:
        return f"a tensor is declared '.{word} name dtype[shape]'"
    if any(word in (e.name, *e.aliases) for e in builder.generation.engines):
        return f"an engine is chosen with '@{word}'"
    return ELSEWHERE.get(word, "")
