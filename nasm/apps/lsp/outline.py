"""What of a text an editor lists, colours, and writes next to its lines."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.apps.lsp.analysis import Analysis
from nasm.apps.lsp.positions import Position, Range, units
from nasm.base.problems import counted
from nasm.base.records import dataclass
from nasm.program.program import Program


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that a text declares: the range of its name, and of its line."""

    name: str
    kind: str
    range: Range
    line: Range


def entries(analysis: Analysis) -> list[Entry]:
    """Everything that a text declares, in its order; of several declarations the first."""
    places = analysis.places
    found = []
    for symbol in analysis.index.own:
        first = next(m for m in symbol.declared if not m.file)
        number = places.position(first.start).line
        whole = Range(Position(number, 0), Position(number, units(places.line(number))))
        found.append(Entry(symbol.shown, symbol.kind, places.range(first.start, first.end), whole))
    return sorted(found, key=lambda entry: entry.range)


# -- cycles


@dataclass(frozen=True, slots=True)
class Hint:
    """The hint after a line, and its tooltip."""

    position: Position
    text: str
    more: str


def cycles(analysis: Analysis, first: int, last: int) -> list[Hint]:
    """The cycles of each instruction of some lines, from 0 and with the last, as far as is known.

    They are those of its engine for which its unit is busy, regardless of anything else.
    """
    program = analysis.program
    if program is None:
        return []
    found: dict[int, dict[tuple[int, int], None]] = {}
    for line, instruction, engine in _instructions(analysis, program):
        if first <= line - 1 <= last:
            try:
                cost = program.instructions[instruction].shape(engine, program.generation).cost
            except Exception:  # of an instruction that breaks a rule nothing need be known
                continue
            found.setdefault(line - 1, {})[cost.interval, cost.latency] = None
    return [_hint(analysis, line, list(costs)) for line, costs in sorted(found.items())]


def _instructions(analysis: Analysis, program: Program) -> Iterator[tuple[int, int, str]]:
    """The line, the instruction and the engine of what the text's lines make, each once."""
    lines = [
        span.line if span is not None and span.source == analysis.source else 0
        for span in program.spans
    ]
    seen: set[tuple[int, int]] = set()
    for queue in program.queues:
        for instruction, span in zip(queue.instructions, queue.spans, strict=True):
            if lines[span] and (instruction, span) not in seen:
                seen.add((instruction, span))
                yield lines[span], instruction, queue.engine


def _hint(analysis: Analysis, line: int, costs: list[tuple[int, int]]) -> Hint:
    busy, ready = ([cost[n] for cost in costs] for n in (0, 1))
    position = Position(line, units(analysis.places.line(line).rstrip()))
    more = f"its unit is busy for {_from_to(busy)}; its results are there after {_from_to(ready)}"
    return Hint(position, _from_to(busy), more)


def _from_to(numbers: list[int]) -> str:
    least, most = min(numbers), max(numbers)
    return counted(most, "cycle") if least == most else f"{least:,} to {counted(most, 'cycle')}"


# -- colours

COLOURS = {
    "mnemonic": "function",
    "operand": "property",
    "word": "enumMember",
    "engine": "namespace",
    "directive": "keyword",
    "dtype": "type",
    "function": "function",
    "tensor": "variable",
    "array": "variable",
    "view": "variable",
    "constant": "macro",
    "variable": "parameter",
    "parameter": "parameter",
    "semaphore": "event",
    "event": "event",
    "moment": "event",
    "transfer": "struct",
    "label": "class",
    "macro": "macro",
}
"""The kinds of mention and of symbol, as the protocol's kinds of token."""

LEGEND = tuple(dict.fromkeys(COLOURS.values()))


def tokens(analysis: Analysis) -> list[int]:
    """What each word is, five numbers a word, as the protocol packs it."""
    data: list[int] = []
    line, character, end = 0, 0, 0
    for mention in analysis.index.of_file(""):
        if mention.kind == "file":
            continue
        if mention.start < end:  # a name with substitutions has what they mention in it
            continue
        kind = mention.symbols[0].kind if mention.symbols else mention.kind
        (at, begin), (last, stop) = analysis.places.range(mention.start, mention.end)
        if at != last:
            continue
        end = mention.end
        data += (at - line, begin - (character if at == line else 0), stop - begin)
        data += (LEGEND.index(COLOURS[kind]), 0)
        line, character = at, begin
    return data
