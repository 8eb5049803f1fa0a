"""Where names are declared and used, and names changed wherever they occur."""

from __future__ import annotations

import os
from collections.abc import Iterator

from nasm.apps.lsp.analysis import Analysis
from nasm.apps.lsp.items import HOLE
from nasm.apps.lsp.positions import Position, Range, Spot
from nasm.apps.lsp.symbols import COUNTER, NAME, DeclaredSymbol, Mention, may_be_same_name
from nasm.base.names import CONSTANTS, identifier
from nasm.base.problems import Refused
from nasm.base.source import brief
from nasm.language.expanding.including import LIBRARY

ILLEGAL, TAKEN = "E0211", "E0202"
SYNTAX = "E01"


def definition(analysis: Analysis, position: Position, file: str = "") -> list[Spot]:
    """Where the name at a position is declared; of a file that is included, where it begins.

    The position is one of ``file``, if that is an included one.
    """
    found = _mention(analysis, position, file)
    if found is not None and found.kind == "file":
        return [Spot(found.of, analysis.placed(found.of).range(0, 0))]
    symbols = found.symbols if found is not None else ()
    return [_spot(analysis, m) for symbol in symbols for m in symbol.declared]


def references(
    analysis: Analysis, position: Position, declared: bool = True, file: str = ""
) -> list[Spot]:
    """Everywhere that the name at a position is mentioned, with its declarations or without."""
    found = _mention(analysis, position, file)
    symbols = found.symbols if found is not None else ()
    mentions = (m for symbol in symbols for m in symbol.mentions if declared or not m.declares)
    return sorted({_spot(analysis, m) for m in mentions})


def renamed(
    analysis: Analysis, position: Position, name: str, file: str = ""
) -> list[tuple[Spot, str]]:
    """The edits that rename what is at a position; raises Refused.

    Of a name with substitutions, the part before the first one changes.
    """
    symbol = renamable(analysis, position, file)
    sign = "$" if name.startswith("$") and symbol.shown.startswith("$") else ""
    new = name.removeprefix(sign)
    identifier(new)
    if new in CONSTANTS:
        raise Refused(ILLEGAL, f"'{new}' has a meaning of its own", "choose another name")
    _taken(analysis, symbol, new)
    return [
        (
            Spot(
                m.file, analysis.placed(m.file).range(m.start, m.head if HOLE in m.shape else m.end)
            ),
            new,
        )
        for m in symbol.mentions
    ]


def renamable(analysis: Analysis, position: Position, file: str = "") -> DeclaredSymbol:
    """The one symbol at a position, if all of its mentions can change; raises Refused."""
    found = _mention(analysis, position, file)
    if found is None or not found.symbols:
        raise Refused(ILLEGAL, "this is not a name that the text declares")
    unread = next((p for p in analysis.problems if p.code.startswith(SYNTAX)), None)
    if unread is not None:
        where = unread.span.brief if unread.span is not None else "a line"
        raise Refused(unread.code, f"{where} cannot be read, and may mention it: fix it first")
    symbol = found.symbols[0]
    ours = next((m.file for m in symbol.mentions if m.file and within_library(m.file)), "")
    if ours:
        message = f"'{symbol.shown}' is in {analysis.source_of(ours).label}, a file of the library"
        raise Refused(ILLEGAL, message, "copy the file into the program's folder to change it")
    for mention in symbol.mentions:
        if len(found.symbols) > 1 or len(mention.symbols) > 1 or mention.shape != symbol.shape:
            where = line_of(analysis, mention)
            message = f"'{mention.shape}' on {where} may mean others as well, made by substitution"
            raise Refused(ILLEGAL, f"{message}: change them by hand")
    if symbol.shape.startswith(HOLE):
        raise Refused(ILLEGAL, f"'{symbol.shape}' begins with a substitution: change it by hand")
    return symbol


def named(analysis: Analysis, position: Position, file: str = "") -> bool:
    """Whether there is a known name at a position."""
    found = _mention(analysis, position, file)
    return found is not None and bool(found.symbols)


def span_of(analysis: Analysis, position: Position, file: str = "") -> tuple[Range, str]:
    """What of a name changes when it is renamed, and what it is now; raises Refused."""
    renamable(analysis, position, file)
    found = _mention(analysis, position, file)
    assert found is not None
    end = found.head if HOLE in found.shape else found.end
    text = analysis.source_of(file).text
    return analysis.placed(file).range(found.start, end), text[found.start : end]


def within_library(file: str) -> bool:
    """Whether a file is one of the library that is installed."""
    return os.path.realpath(file).startswith(os.path.join(os.path.realpath(LIBRARY), ""))


def line_of(analysis: Analysis, mention: Mention) -> str:
    """The line of a mention in few words."""
    source = analysis.source_of(mention.file)
    return brief(source.position(mention.start)[0], source.label)


def _taken(analysis: Analysis, symbol: DeclaredSymbol, new: str) -> None:
    shape = new + symbol.shape[len(symbol.shape.partition(HOLE)[0]) :]
    if shape == symbol.shape:
        return
    for other in analysis.index.symbols:
        same = other.space == symbol.space or _shared(other, symbol)
        if other is not symbol and same and _clash(analysis, other.shape, shape):
            where = line_of(analysis, other.declared[0])
            message = f"'{other.shown}' is taken: a {other.kind} is declared on {where}"
            raise Refused(TAKEN, message)
    if symbol.space == NAME and any(shape in _words(analysis, m) for m in symbol.mentions):
        raise Refused(TAKEN, f"'{shape}' is a word of an instruction that uses it")


def _clash(analysis: Analysis, other: str, new: str) -> bool:
    """Whether names of two shapes are the same: of a plain one the program knows it."""
    if other == new or HOLE in new:
        return may_be_same_name(other, new)
    program = analysis.program
    tables = (program.tensors, program.semaphores, program.events) if program else ()
    return may_be_same_name(other, new) and any(new in table for table in tables)


def _shared(one: DeclaredSymbol, other: DeclaredSymbol) -> bool:
    """Whether two kinds may not share a name: all but labels and moments."""
    return all(s.space in (NAME, COUNTER) for s in (one, other))


def _words(analysis: Analysis, mention: Mention) -> Iterator[str]:
    """The words that the instruction takes in whose line a name is mentioned."""
    source = analysis.source_of(mention.file)
    start, end = source.offset(source.position(mention.start)[0]), mention.start
    every = analysis.index.of_file(mention.file)
    heads = (m for m in every if m.kind == "mnemonic" and start <= m.start < end)
    for head in heads:
        row = analysis.target.row(head.shape, analysis.generation)
        for operand in row.written if row is not None else ():
            yield from operand.kind.words


def _mention(analysis: Analysis, position: Position, file: str) -> Mention | None:
    if file and file not in analysis.index.included:
        return None
    return analysis.index.at(analysis.placed(file).offset(*position), file)


def _spot(analysis: Analysis, mention: Mention) -> Spot:
    places = analysis.placed(mention.file)
    return Spot(mention.file, places.range(mention.start, mention.end))
