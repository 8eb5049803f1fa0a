"""The words of a line as they are written: the place of each operand, and which text is which."""

from __future__ import annotations

import re
from itertools import takewhile, zip_longest

from nasm.base.problems import listed
from nasm.base.records import replace
from nasm.base.source import Span
from nasm.isa.effects import Transfer
from nasm.isa.instruction import REQUIRED, Operand, Row
from nasm.isa.synonyms import meant_exactly
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree
from nasm.language.text.habits import BRANCHING, COMPUTING, ELSEWHERE, MOVING, STATEMENTS
from nasm.language.text.parse import read_again
from nasm.language.text.parse_failure import FORMS
from nasm.program.builder import ProgramBuilder


def operand_place(line: Span, row: Row, name: str) -> Span | None:
    """Where an operand of a row is written in the place of its line; None if it is not there."""
    read = read_again(line.source, line.start, line.end)
    if read is None or read.mnemonic is None or read.mnemonic.name != row.name:
        return None
    for operand, node in zip_longest(row.written, read.operands):
        if isinstance(node, tree.NamedArgument):
            if node.name == name:
                return replace(line, start=node.value.start, end=node.value.end)
        elif operand is not None and node is not None and operand.name == name:
            return replace(line, start=node.start, end=node.end)
    return None


def in_order(row: Row, statement: tree.InstructionLine, scope: Scope) -> str:
    """The operands of a row in their order, with the text of those that are not named."""
    unnamed = takewhile(lambda node: not isinstance(node, tree.NamedArgument), statement.operands)
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


def instead(word: str, builder: ProgramBuilder) -> str:
    """A hint for a mnemonic of another machine, or a word of another language; or nothing."""
    low, target = word.lower(), builder.target
    if low in STATEMENTS:
        return STATEMENTS[low]
    if low in BRANCHING and target.sequencing is not None:
        loop = f"a loop is written '{FORMS['loop']}'"
        return f"{target.sequencing.branch} branches to a label; {loop}"
    if low in COMPUTING and target.sequencing is not None:
        return f"registers are changed by {target.sequencing.move} and {target.sequencing.compute}"
    if low in MOVING:
        return _moving(builder)
    return _as_operator(low, builder) or _of_parts(word, builder)


def _moving(builder: ProgramBuilder) -> str:
    """What moves data, between memories and on chip; or nothing, on a machine without transfers."""
    moving = [row.name for row in builder.target.isa if row.effect is Transfer]
    if not moving:
        return ""
    copies = builder.target.computing.get("a", "").split(" ")[0]
    on_chip = f", on chip by {copies}" if copies else ""
    return f"data is moved by {listed(moving, 'or')}{on_chip}: what is written comes first"


_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def _of_parts(word: str, builder: ProgramBuilder) -> str:
    """The same for ``TensorAdd``, ``ReduceSum`` and ``dma_start``: one part says what is meant."""
    parts = [part.lower() for part in _PART.findall(word)]
    if any(_PART.findall(name) == _PART.findall(word) for name in builder.target.isa.rows):
        return ""
    if "dma" in parts and len(parts) <= 2:
        return _moving(builder)
    for part in parts if len(parts) > 1 else ():
        rest = [other for other in parts if other != part]
        for row in builder.target.isa:
            if not all(other in row.name.lower() for other in rest):
                continue
            for operand in row.written:
                if operand.default is not REQUIRED or not operand.kind.words:
                    continue
                meaning = meant_exactly(part, operand.kind.words)
                if meaning:
                    return f"'{meaning}' is an operator: {row.name} with {operand.name}={meaning}"
    return ""


def _as_operator(word: str, builder: ProgramBuilder) -> str:
    """The instructions that take a word as an operator, as their manual pages have it."""
    words = [
        (one, f"{row.name} with {operand.name}={one}")
        for row in builder.target.isa
        for operand in row.written
        for one in operand.kind.words
        if operand.default is REQUIRED and (one == word or (len(word) > 2 and one.startswith(word)))
    ]
    if not words:
        return ""
    full = word if any(one == word for one, _ in words) else words[0][0]
    taking = dict.fromkeys(text for one, text in words if one == full)
    return f"'{full}' is an operator: {listed(list(taking)[:3], 'or')}"
