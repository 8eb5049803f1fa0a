"""Where names are declared and used, and names changed wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.lsp.analysis import Analysis
from nasm.lsp.items import HOLE
from nasm.lsp.positions import Position, Range
from nasm.lsp.symbols import COUNTER, NAME, Mention, Symbol, alike
from nasm.problems import Refused
from nasm.spec.names import CONSTANTS, identifier

ILLEGAL, TAKEN = "E0211", "E0202"
SYNTAX = "E01"


def definition(analysis: Analysis, position: Position) -> list[Range]:
    """Where what stands at a position is declared."""
    found = _mention(analysis, position)
    symbols = found.symbols if found is not None else ()
    return [_range(analysis, m) for symbol in symbols for m in symbol.declared]


def references(analysis: Analysis, position: Position, declared: bool = True) -> list[Range]:
    """Everywhere that what stands at a position is mentioned, with its declarations or without."""
    found = _mention(analysis, position)
    symbols = found.symbols if found is not None else ()
    mentions = (m for symbol in symbols for m in symbol.mentions if declared or not m.declares)
    return sorted({_range(analysis, m) for m in mentions})


def renamed(analysis: Analysis, position: Position, name: str) -> list[tuple[Range, str]]:
    """The edits that give what stands at a position another name; raises Refused.

    Of a name with substitutions it is what stands before the first that changes.
    """
    symbol = renamable(analysis, position)
    sign = "$" if name.startswith("$") and symbol.shown.startswith("$") else ""
    new = name.removeprefix(sign)
    identifier(new)
    if new in CONSTANTS:
        raise Refused(ILLEGAL, f"'{new}' has a meaning of its own", "choose another name")
    _taken(analysis, symbol, new)
    return [
        (analysis.places.range(m.start, m.head if HOLE in m.shape else m.end), new)
        for m in symbol.mentions
    ]


def renamable(analysis: Analysis, position: Position) -> Symbol:
    """The one symbol at a position, if all of its mentions can change; raises Refused."""
    found = _mention(analysis, position)
    if found is None or not found.symbols:
        raise Refused(ILLEGAL, "what stands here is no name that this text declares")
    unread = next((p for p in analysis.problems if p.code.startswith(SYNTAX)), None)
    if unread is not None:
        where = f"line {unread.span.line}" if unread.span is not None else "a line"
        raise Refused(unread.code, f"{where} cannot be read, and may mention it: mend it first")
    symbol = found.symbols[0]
    for mention in symbol.mentions:
        if len(found.symbols) > 1 or len(mention.symbols) > 1 or mention.shape != symbol.shape:
            line = analysis.source.position(mention.start)[0]
            said = f"'{mention.shape}' on line {line} may mean others as well, made by substitution"
            raise Refused(ILLEGAL, f"{said}: change them by hand")
    if symbol.shape.startswith(HOLE):
        raise Refused(ILLEGAL, f"'{symbol.shape}' begins with a substitution: change it by hand")
    return symbol


def span_of(analysis: Analysis, position: Position) -> tuple[Range, str]:
    """What of a name changes when it is renamed, and what it is now; raises Refused."""
    renamable(analysis, position)
    found = _mention(analysis, position)
    assert found is not None
    end = found.head if HOLE in found.shape else found.end
    return analysis.places.range(found.start, end), analysis.source.text[found.start : end]


def _taken(analysis: Analysis, symbol: Symbol, new: str) -> None:
    shape = new + symbol.shape[len(symbol.shape.partition(HOLE)[0]) :]
    if shape == symbol.shape:
        return
    for other in analysis.index.symbols:
        same = other.space == symbol.space or _shared(other, symbol)
        if other is not symbol and same and _clash(analysis, other.shape, shape):
            line = analysis.source.position(other.declared[0].start)[0]
            said = f"'{other.shown}' is taken: a {other.kind} is declared on line {line}"
            raise Refused(TAKEN, said)
    if symbol.space == NAME and any(shape in _words(analysis, m) for m in symbol.mentions):
        raise Refused(TAKEN, f"'{shape}' is a word of an instruction that uses it")


def _clash(analysis: Analysis, other: str, new: str) -> bool:
    """Whether names of two shapes are the same: of a plain one the program knows it."""
    if other == new or HOLE in new:
        return alike(other, new)
    program = analysis.program
    tables = (program.tensors, program.semaphores, program.events) if program else ()
    return alike(other, new) and any(new in table for table in tables)


def _shared(one: Symbol, other: Symbol) -> bool:
    """Whether two kinds of names may not be alike: all but labels and moments."""
    return all(s.space in (NAME, COUNTER) for s in (one, other))


def _words(analysis: Analysis, mention: Mention) -> Iterator[str]:
    """The words that the instruction takes in whose line a name is mentioned."""
    line = analysis.source.position(mention.start)[0]
    start, end = analysis.source.offset(line), mention.start
    heads = (m for m in analysis.index.mentions if m.kind == "mnemonic" and start <= m.start < end)
    for head in heads:
        row = analysis.target.isa.rows.get(head.shape)
        for operand in row.written if row is not None else ():
            yield from operand.kind.words


def _mention(analysis: Analysis, position: Position) -> Mention | None:
    return analysis.index.at(analysis.places.offset(*position))


def _range(analysis: Analysis, mention: Mention) -> Range:
    return analysis.places.range(mention.start, mention.end)
