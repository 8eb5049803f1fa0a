"""A text formatted: line by line, block by block. Only blanks change, and empty lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low

from nasm.asm.text import grammar
from nasm.asm.text.blocks import OPENERS, WORD
from nasm.asm.text.grammar import Token
from nasm.asm.text.lines import LogicalLine, logical_lines
from nasm.asm.text.parse import parse
from nasm.formatting.cells import Cell, cells, moved
from nasm.problems import Failure
from nasm.source import Source

GAP = 2
"""Blanks between two columns, at the least."""

INDENT = 4

FAR = 12
"""Columns by which a cell may be wider than most before those behind it stop making room."""

EMPTY = 2
"""Empty lines in a row, at the most."""


def formatted(source: Source) -> str:
    """A text in columns, which means the same; raises Failure with what cannot be read in it."""
    problems = parse(source)[1]
    if problems:
        raise Failure(problems)
    lines = _Reading(source.text).lines()
    for group in _groups(lines):
        _align(group)
    made: list[str] = []
    empty = 0
    for line in lines:
        empty = 0 if line.filled else empty + 1
        if line.filled or (made and empty <= EMPTY):
            made.append(line.text())
    while made and not made[-1]:
        made.pop()
    return "".join(f"{line}\n" for line in made)


@dataclass(slots=True)
class _Line:
    """A statement with what is behind it, a comment, or nothing.

    ``rest`` are the further lines of a statement that has several, which are shifted with its
    ``last`` cell; ``raw`` is a line that stays as it is.
    """

    cells: list[Cell] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    raw: str = ""
    comment: bool = False
    indent: int = 0
    starts: list[int] = field(default_factory=list)

    @property
    def filled(self) -> bool:
        return bool(self.cells or self.raw)

    def text(self) -> str:
        """As it is to be."""
        if not self.cells:
            return self.raw
        made = ""
        for cell, start in zip(self.cells, self.starts, strict=True):
            made = made.ljust(start) + cell.text
        shift = self._shift()
        return "\n".join([made.rstrip(), *(_shifted(line, shift) for line in self.rest)])

    def _shift(self) -> int:
        """By how much what stands in several lines has moved."""
        kept = [n for n, cell in enumerate(self.cells) if cell.kind != "comment"]
        return self.starts[kept[-1]] - self.cells[kept[-1]].start if kept else 0


def _shifted(line: str, by: int) -> str:
    stripped = line.lstrip(" ")
    if not stripped:
        return ""
    return " " * max(0, len(line) - len(stripped) + by) + stripped


class _Reading:
    """A text as lines of cells, indented by the blocks that they are in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._open: list[tuple[str, int, int, int | None]] = []

    def lines(self) -> list[_Line]:
        """All of it."""
        found: list[_Line] = []
        at = 0
        for statement in logical_lines(self.text):
            begin = self.text.rfind("\n", 0, statement.start) + 1
            found += self._between(at, begin)
            end = self.text.find("\n", statement.end)
            end = len(self.text) if end < 0 else end
            found.append(self._statement(statement, begin, end))
            at = end + 1
        found += self._between(at, len(self.text))
        self._comments(found)
        return found

    def _between(self, start: int, end: int) -> Iterator[_Line]:
        """Lines without a statement."""
        if start < end:
            for line in self.text[start:end].removesuffix("\n").split("\n"):
                said = line.expandtabs().rstrip()
                yield _Line(raw=said, comment=bool(said))

    def _statement(self, line: LogicalLine, begin: int, end: int) -> _Line:
        word = WORD.match(self.text, line.start)
        stood = len(self.text[begin : line.start].expandtabs())
        indent = self._indented(word.group(1) if word else "", stood)
        whole = self.text[begin:end]
        moves = self._open and self._open[-1][0] == "dma" and word is None
        symbol = "move" if moves else "line"
        kept = grammar.tokens(self.text, line.start, line.end, symbol)
        if kept is None:
            return _Line(raw="\n".join(part.rstrip() for part in whole.split("\n")))
        first = self.text.find("\n", line.start, line.end)
        if first >= 0:
            return self._several(kept, line, begin, first, end, indent)
        parted = moved if symbol == "move" else cells
        made = _Line(parted(kept, self.text, begin, line.end), indent=indent)
        self._behind(made, begin, line.end, end)
        return made

    def _several(
        self,
        tokens: Sequence[Token],
        line: LogicalLine,
        begin: int,
        first: int,
        end: int,
        indent: int,
    ) -> _Line:
        """A statement of several lines: what is open at the end of the first stays as it is."""
        opened: list[int] = []
        for number, token in enumerate(tokens):
            assert token.start_pos is not None
            if token.start_pos >= first:
                break
            said = str(token)
            if token.type != "STRING" and said.endswith(("(", "[", "{")):
                opened.append(number)
            elif token.type != "STRING" and said.startswith((")", "]", "}")) and opened:
                opened.pop()
        cut = opened[0] if opened else sum((t.start_pos or 0) < first for t in tokens)
        made = _Line(cells(tokens[:cut], self.text, begin, line.end), indent=indent)
        if opened:
            start = tokens[cut].start_pos or 0
            before = tokens[cut - 1].end_pos or 0
            blank = " " if start > before and made.cells else ""
            made.cells[-1].text += blank + self.text[start:first].rstrip()
        else:
            behind = self.text[tokens[cut - 1].end_pos or 0 : first].strip()
            if behind:
                made.cells[-1].text += f"  {behind}"
        made.rest = [part.expandtabs().rstrip() for part in self.text[first + 1 : end].split("\n")]
        return made

    def _behind(self, made: _Line, begin: int, at: int, end: int) -> None:
        """The comment behind a statement."""
        said = self.text[at:end]
        if said.strip():
            before = self.text[begin : at + len(said) - len(said.lstrip())]
            start = len(before.expandtabs())
            made.cells.append(Cell("comment", start, start, said.strip()))

    def _indented(self, word: str, at: int) -> int:
        """Where a line begins: in a block as far in as its first line is."""
        if word in ("end", "else", "elif") and self._open:
            indent = self._open[-1][1]
            if word == "end":
                self._open.pop()
            return indent
        indent = 0
        if self._open:
            name, outer, stood, inner = self._open[-1]
            if inner is None:
                inner = outer + (INDENT if at > stood else 0)
                self._open[-1] = name, outer, stood, inner
            indent = inner
        if word in OPENERS:
            self._open.append((word, indent, at, None))
        return indent

    def _comments(self, lines: list[_Line]) -> None:
        """Comments that begin where the statement below does go with it."""
        below: _Line | None = None
        for line in reversed(lines):
            if line.cells:
                below = line
            elif line.comment and below is not None:
                start = len(line.raw) - len(line.raw.lstrip())
                if below.cells and start == below.cells[0].start:
                    line.cells = [Cell("above", start, start, line.raw.lstrip())]
            elif not line.comment:
                below = None


# ---------------------------------------------------------------- columns


def _groups(lines: Iterable[_Line]) -> Iterator[list[_Line]]:
    """Lines with no empty one between them, that all name their engines or are a chosen one's."""
    group: list[_Line] = []
    chosen = False
    for line in lines:
        named = _named(line)
        if not line.filled or (named is not None and named != chosen):
            yield group
            group = []
        if line.filled:
            group.append(line)
        chosen = chosen if named is None else named
    yield group


def _named(line: _Line) -> bool | None:
    """Whether a line is one of an engine that was chosen, or chooses it; None if it is neither."""
    kinds = [cell.kind for cell in line.cells if cell.kind != "comment"]
    if kinds[:1] == ["place"]:
        engine = line.cells[0].text.rpartition("@")[1]
        return len(kinds) == 1 if engine else None
    return True if kinds[:1] == ["mnemonic"] else None


def _align(group: Sequence[_Line]) -> None:
    """Where each cell of some lines is to stand, column by column."""
    targets: dict[str, int] = {}
    for kind in _kinds(group):
        rows = [_before(line, kind, targets) for line in group if _has(line, kind)]
        targets[kind] = _target([row for row in rows if row is not None])
    for line in group:
        line.starts = [start for _, _, start in _placed(line, targets)]
    following: _Line | None = None
    for line in reversed(group):
        if line.cells and line.cells[0].kind == "above":
            line.starts = [following.starts[0] if following else line.cells[0].start]
        elif line.cells:
            following = line


def _has(line: _Line, kind: str) -> bool:
    return any(_kind(line, cell) == kind for cell in line.cells)


def _kind(line: _Line, cell: Cell) -> str:
    """The column of a cell: comments have one behind instructions and one behind the rest."""
    if cell.kind != "comment" or not line.cells:
        return cell.kind
    instruction = line.cells[0].kind in ("place", "mnemonic")
    return "comment of instructions" if instruction else "comment"


def _kinds(group: Iterable[_Line]) -> list[str]:
    """The columns from the left to the right."""
    order = ("directive", "place", "mnemonic", "name", "operands", "type", "rest", "wait", "update")
    found = dict.fromkeys(_kind(line, cell) for line in group for cell in line.cells)
    known = [kind for kind in order if kind in found]
    others = [kind for kind in found if kind not in order and not kind.startswith("comment")]
    return [*known, *others, *(kind for kind in found if kind.startswith("comment"))]


def _before(line: _Line, kind: str, targets: Mapping[str, int]) -> tuple[int, int] | None:
    """Where a cell may begin at the left, and where it did."""
    placed = _placed(line, targets)
    return next(((least, c.start) for c, least, _ in placed if _kind(line, c) == kind), None)


def _placed(line: _Line, targets: Mapping[str, int]) -> Iterator[tuple[Cell, int, int]]:
    """Each cell with where it may begin at the left, and where it is to begin."""
    end = 0
    before: Cell | None = None
    for cell in line.cells:
        least = start = _first(line, cell) if before is None else end + _gap(cell, before)
        if before is not None or cell.kind not in ("directive", "place"):
            start = max(targets.get(_kind(line, cell), 0), least)
        yield cell, least, start
        end, before = start + len(cell.text), cell


def _gap(cell: Cell, before: Cell) -> int:
    """The blanks in front of a cell that stands in no column: two, or three if it has them."""
    had = cell.start - before.end
    return 1 if cell.kind == "src" else min(max(GAP, had), GAP + 1)


def _first(line: _Line, cell: Cell) -> int:
    """Where the first cell of a line may begin."""
    if cell.kind in ("mnemonic", "other", "dst"):
        return max(line.indent, INDENT)
    return line.indent


def _target(rows: Sequence[tuple[int, int]]) -> int:
    """The column at which most cells stand that have room there, or one with room for most."""
    if not rows:
        return 0
    fitting = Counter(start for least, start in rows if least <= start)
    if fitting:
        most = max(fitting.values())
        if most * 2 >= len(rows):
            return min(start for start, count in fitting.items() if count == most)
    near = median_low([least for least, _ in rows]) + FAR
    return max(least for least, _ in rows if least <= near)
