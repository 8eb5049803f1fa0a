"""What there is to say of a word of a text, as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from itertools import islice

from nasm.apps.lsp.analysis import Analysis
from nasm.apps.lsp.items import HOLE
from nasm.apps.lsp.positions import Position, Range
from nasm.apps.lsp.symbols import COUNTER, DeclaredSymbol, Mention, may_be_same_name
from nasm.apps.repl import completion_words, topics
from nasm.base.problems import counted
from nasm.base.source import brief
from nasm.isa.instruction import Row
from nasm.isa.target import Target
from nasm.program.program import Program
from nasm.show import pages
from nasm.views.tensor import Tensor

MOST_SHOWN = 8
"""Tensors of a name with substitutions, and lines, that are listed before only their number is
given."""


def hover(analysis: Analysis, position: Position) -> tuple[str, Range] | None:
    """The hover text for a position, and its range; None if there is nothing."""
    mention = analysis.index.at(analysis.places.offset(*position))
    if mention is None:
        return None
    text = "\n\n".join(filter(None, _OF[mention.kind](analysis, mention)))
    return (text, analysis.places.range(mention.start, mention.end)) if text else None


# -- words of the language


def _mnemonic(analysis: Analysis, mention: Mention) -> Iterator[str]:
    row = analysis.target.row(mention.shape, analysis.generation)
    if row is not None:
        yield _page(row, analysis.target)


@cache
def _page(row: Row, target: Target) -> str:
    return pages.markdown_page(pages.page(row, target))


def _operand(analysis: Analysis, mention: Mention) -> Iterator[str]:
    row = analysis.target.row(mention.of, analysis.generation)
    operand = next((o for o in row.written if o.name == mention.shape), None) if row else None
    if row is not None and mention.shape in row.parts:
        part = row.parts[mention.shape]
        yield f"**{mention.shape}** of {row.name}: {part.describe()}"
        yield part.meaning
        yield _words_of(analysis, row, mention.shape)
    if row is None or operand is None:
        return
    line = pages.operand_line(operand)
    yield f"**{line.name}** of {row.name}: {line.what}"
    yield line.doc
    yield f"By default `{line.default}`." if line.default else "It must be given."
    yield _words_of(analysis, row, operand.name)


def _words_of(analysis: Analysis, row: Row, operand: str) -> str:
    """The words of an operand, with what they mean."""
    words = completion_words.operands(analysis.target, analysis.generation, row.name)[operand][1]
    return "\n".join(f"* `{word}`" + (f": {text}" if text else "") for word, text in words.items())


def _word(analysis: Analysis, mention: Mention) -> Iterator[str]:
    """A word of an operand that says what its words mean, or a topic."""
    mnemonic, _, operand = mention.of.partition(" ")
    row = analysis.target.row(mnemonic, analysis.generation)
    kind = row.kind(operand) if row is not None else None
    meaning = kind.meanings.get(mention.shape, "") if kind is not None else ""
    if not meaning:
        yield from _topic(analysis, mention)
        return
    number = kind.accept(mention.shape) if kind is not None else ""
    yield f"**{mention.shape}** ({number}) of {operand} of {mnemonic}: {meaning}"


def _topic(analysis: Analysis, mention: Mention) -> Iterator[str]:
    known = topics.topics(analysis.target, analysis.generation)
    wanted = f".{mention.shape}" if mention.kind == "directive" else mention.shape
    for topic in known:
        if topic.word == wanted or (topic.kind == mention.kind and topic.called(wanted)):
            yield f"**{topic.word}** ({topic.kind}): {topic.summary}"
            yield from topic.more()


# -- names of the text


def _symbol(analysis: Analysis, mention: Mention) -> Iterator[str]:
    for symbol in mention.symbols[:MOST_SHOWN]:
        yield from _SYMBOLS.get(symbol.kind, _declared)(analysis, symbol, mention)


def _declared(analysis: Analysis, symbol: DeclaredSymbol, mention: Mention) -> Iterator[str]:
    yield f"**{symbol.shown}**: a {symbol.kind}, declared on {_lines(analysis, symbol.declared)}"


def _constant(analysis: Analysis, symbol: DeclaredSymbol, mention: Mention) -> Iterator[str]:
    value = analysis.program.constants.get(symbol.shape) if analysis.program else None
    if value is None:
        yield from _declared(analysis, symbol, mention)
    else:
        yield f"**{symbol.shown}** = {value}, declared on {_lines(analysis, symbol.declared)}"


def _tensor(analysis: Analysis, symbol: DeclaredSymbol, mention: Mention) -> Iterator[str]:
    made = analysis.program.tensors if analysis.program else {}
    shape = mention.shape if may_be_same_name(mention.shape, symbol.shape) else symbol.shape
    shape += HOLE if symbol.kind == "array" else ""
    tensors = [t for name, t in made.items() if may_be_same_name(shape, name)]
    if not tensors:
        yield from _declared(analysis, symbol, mention)
    yield "\n".join(f"* {tensor_text(tensor)}" for tensor in tensors[:MOST_SHOWN])
    if len(tensors) > MOST_SHOWN:
        yield f"… {counted(len(tensors) - MOST_SHOWN, 'more tensor')}"


def tensor_text(tensor: Tensor) -> str:
    """A tensor in a line: shape, dtype, place and size."""
    sizes = ", ".join(map(str, tensor.shape))
    text = f"**{tensor.name}** `{tensor.dtype.name}[{sizes}]` in {tensor.memory.name}"
    text += f", {tensor.role}" if tensor.role else ""
    if tensor.offset is None:
        where = ", not placed"
    elif not tensor.partitions:
        where = f" at byte {tensor.offset:,}"
    else:
        where = f" at {tensor.partition or 0}:{tensor.offset}"
        if tensor.memory.bank:
            first, last = (
                at // tensor.memory.bank
                for at in (tensor.offset, tensor.offset + max(tensor.bytes, 1) - 1)
            )
            where += f" (bank {first})" if first == last else f" (banks {first} to {last})"
    per = f" in each of {tensor.partitions} partitions" if tensor.partitions else ""
    return f"{text}{where}; {tensor.bytes:,} bytes{per}"


def _counter(analysis: Analysis, symbol: DeclaredSymbol, mention: Mention) -> Iterator[str]:
    program = analysis.program
    table = {**program.semaphores, **program.events} if program is not None else {}
    numbers = {number for name, number in table.items() if may_be_same_name(symbol.shape, name)}
    yield from _declared(analysis, symbol, mention)
    if program is None or not numbers:
        return
    at = "" if HOLE in symbol.shape else f" It has number {min(numbers)}."
    waits = [w is not None and w.semaphore in numbers for w in program.waits]
    posts = [u is not None and u.semaphore in numbers for u in program.updates]
    yield f"Posted by {_who(program, posts, 'updates')}.{at}"
    yield f"Waited for by {_who(program, waits, 'waits')}."


def _who(program: Program, marked: list[bool], column: str) -> str:
    """The lines that do it, by queue."""
    found: dict[str, set[Line]] = {}
    for number, lines in enumerate(program.queues):
        for pc, entry in enumerate(getattr(lines, column)):
            span = program.span(number, pc) if marked[entry] else None
            if span is not None:
                where = span.source.label, span.line
                found.setdefault(program.queue_name(number), set()).add(where)
    return "; ".join(f"@{name} on {_listed(lines)}" for name, lines in found.items()) or "no line"


def _moment(analysis: Analysis, symbol: DeclaredSymbol, mention: Mention) -> Iterator[str]:
    uses = [m for m in symbol.mentions if not m.declares]
    yield f"**{symbol.shown}**: a moment"
    yield f"Posted on {_lines(analysis, symbol.declared)}."
    yield f"Waited for on {_lines(analysis, uses)}." if uses else "Nothing waits for it."
    if analysis.program is not None and analysis.whole:
        yield from _lowered(analysis, analysis.program, symbol)


def _lowered(analysis: Analysis, program: Program, symbol: DeclaredSymbol) -> Iterator[str]:
    """What the assembler has made of a moment: semaphores that no line of the text names."""
    written = [s.shape for s in analysis.index.symbols if s.space == COUNTER]
    posts: dict[str, None] = {}
    waits: dict[str, None] = {}
    places = {
        declares: {_line(analysis, m) for m in symbol.mentions if m.declares is declares}
        for declares in (True, False)
    }
    for number, lines in enumerate(program.queues):
        for pc in range(len(lines)):
            span = program.span(number, pc)
            where = (span.source.label, span.line) if span is not None else None
            update, wait = program.updates[lines.updates[pc]], program.waits[lines.waits[pc]]
            if update is not None and where in places[True]:
                name = program.semaphore_name(update.semaphore)
                if not any(may_be_same_name(name, shape) for shape in written):
                    posts[f"`${name} += {update.value}`"] = None
            if wait is not None and where in places[False]:
                name = program.semaphore_name(wait.semaphore)
                if not any(may_be_same_name(name, shape) for shape in written):
                    waits[f"`${name} {wait.op} {wait.value}`"] = None
    if posts:
        yield f"Its lines have {_first(posts)}."
    if waits:
        yield f"Lines that come after it, and others, have {_first(waits)}."


def _first(words: Collection[str]) -> str:
    """Some words, and how many more there are."""
    more = f" and {len(words) - MOST_SHOWN:,} more" if len(words) > MOST_SHOWN else ""
    return ", ".join(islice(words, MOST_SHOWN)) + more


def _file(analysis: Analysis, mention: Mention) -> Iterator[str]:
    """What an included text declares."""
    declared = [s for s in analysis.index.symbols if s.declared[0].file == mention.of]
    yield f"**{analysis.source_of(mention.of).label}**: `{mention.of}`"
    names = {f"{s.kind} `{s.shown}`": None for s in declared if s.scope.outer is None}
    if names:
        yield f"It declares {_first(names)}."


Line = tuple[str, int]
"""The label of a text, empty for the text itself, and a line of it."""


def _line(analysis: Analysis, mention: Mention) -> Line:
    source = analysis.source_of(mention.file)
    return source.label, source.position(mention.start)[0]


def _lines(analysis: Analysis, mentions: Iterable[Mention]) -> str:
    return _listed({_line(analysis, m) for m in mentions})


def _listed(found: Iterable[Line]) -> str:
    lines = sorted(found)
    own = [number for label, number in lines if not label]
    text = [str(number) for number in own] + [brief(n, label) for label, n in lines if label]
    word = f"line{'' if len(own) == 1 else 's'} " if own else ""
    return word + _first(text)


_SYMBOLS: dict[str, Callable[[Analysis, DeclaredSymbol, Mention], Iterator[str]]] = {
    "constant": _constant,
    "tensor": _tensor,
    "array": _tensor,
    "semaphore": _counter,
    "event": _counter,
    "moment": _moment,
}
_OF: dict[str, Callable[[Analysis, Mention], Iterator[str]]] = {
    "symbol": _symbol,
    "mnemonic": _mnemonic,
    "operand": _operand,
    "word": _word,
    "engine": _topic,
    "directive": _topic,
    "dtype": _topic,
    "function": _topic,
    "file": _file,
}
