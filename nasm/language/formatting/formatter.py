"""A text formatted: line by line, block by block. Only blanks change, and empty lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from nasm.base.problems import Failure
from nasm.base.records import dataclass, field
from nasm.base.source import Source
from nasm.language.formatting.cells import CLAUSE_ORDER, Cell, cells, label, moved
from nasm.language.text import grammar
from nasm.language.text.blocks import OPENERS, WORD, LogicalLine, logical_lines
from nasm.language.text.grammar import Token
from nasm.language.text.parse import parse

GAP = 2
"""Blanks between two columns, at the least."""

INDENT = 4

FAR = 24
"""Columns by which a cell may be wider than the next before those after it stop making room."""

PARTS = ("else", "elif", "end")
"""Directives that part and end a block."""

ORDER = (*("directive", "place", "mnemonic", "name", "operands", "type", "rest"), *CLAUSE_ORDER)
"""Kinds of cells from the left to the right."""

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
    _above(lines)
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
    """A statement with what follows it, a comment, or nothing.

    ``rest`` are the further lines of a statement that has several, which are shifted with its
    ``last`` cell; ``raw`` is a line that stays as it is. A line of a ``block`` begins, parts or
    ends one.
    """

    cells: list[Cell] = field(default_factory=list)
    rest: list[str] = field(default_factory=list)
    raw: str = ""
    comment: bool = False
    indent: int = 0
    block: bool = False
    starts: list[int] = field(default_factory=list)

    @property
    def filled(self) -> bool:
        return bool(self.cells or self.raw)

    def text(self) -> str:
        """The new layout."""
        if not self.cells:
            return self.raw
        made = ""
        for cell, start in zip(self.cells, self.starts, strict=True):
            made = made.ljust(start) + cell.text
        shift = self._shift()
        return "\n".join([made.rstrip(), *(_shifted(line, shift) for line in self.rest)])

    def _shift(self) -> int:
        """By how much a part of several lines has moved."""
        kept = [n for n, cell in enumerate(self.cells) if cell.kind != "comment"]
        return self.starts[kept[-1]] - self.cells[kept[-1]].start if kept else 0


def _shifted(line: str, by: int) -> str:
    stripped = line.lstrip(" ")
    if not stripped:
        return ""
    return " " * max(0, len(line) - len(stripped) + by) + stripped


@dataclass(slots=True)
class _Block:
    """An open block: where its first line begins and began, and lines of each kind in it begin."""

    word: str
    indent: int
    column: int
    inner: dict[str, int] = field(default_factory=dict)


class _Reading:
    """A text as lines of cells, indented by the blocks that they are in."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._open: list[_Block] = []
        self._chosen = False

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

    def _moves(self) -> bool:
        """Whether lines are ``dst <- src``."""
        return bool(self._open) and self._open[-1].word == "dma"

    def _between(self, start: int, end: int) -> Iterator[_Line]:
        """Lines without a statement."""
        if start < end:
            for line in self.text[start:end].removesuffix("\n").split("\n"):
                text = line.expandtabs().rstrip()
                yield _Line(raw=text, comment=bool(text))

    def _statement(self, line: LogicalLine, begin: int, end: int) -> _Line:
        word = WORD.match(self.text, line.start)
        text = word.group(1) if word else ""
        column = len(self.text[begin : line.start].expandtabs())
        whole = self.text[begin:end]
        symbol = "move" if self._moves() and word is None else "line"
        kept = grammar.tokens(self.text, line.start, line.end, symbol)
        indent = self._indented(text, column, kept)
        if kept is None:
            return _Line(raw="\n".join(part.rstrip() for part in whole.split("\n")))
        first = self.text.find("\n", line.start, line.end)
        if first >= 0:
            return self._multi_line(kept, line, begin, first, end, indent)
        parted = moved if symbol == "move" else cells
        made = _Line(parted(kept, self.text, begin, line.end), indent=indent)
        made.block = text in OPENERS or text in PARTS
        self._trailing_comment(made, begin, line.end, end)
        return made

    def _multi_line(
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
            text = str(token)
            if token.type != "STRING" and text.endswith(("(", "[", "{")):
                opened.append(number)
            elif token.type != "STRING" and text.startswith((")", "]", "}")) and opened:
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

    def _trailing_comment(self, made: _Line, begin: int, at: int, end: int) -> None:
        """The comment after a statement."""
        text = self.text[at:end]
        if text.strip():
            before = self.text[begin : at + len(text) - len(text.lstrip())]
            start = len(before.expandtabs())
            made.cells.append(Cell("comment", start, start, text.strip()))

    def _indented(self, word: str, at: int, tokens: Sequence[Token] | None) -> int:
        """Where a line begins: in a block as far in as the first line of its kind is."""
        if word in PARTS and self._open:
            indent = self._open[-1].indent
            if word == "end":
                self._open.pop()
            return indent
        kind = self._kind_of(word, tokens)
        indent = INDENT if kind == "call" and self._chosen and at else 0
        if self._open:
            block = self._open[-1]
            inner = block.indent + (INDENT if at > block.column else 0)
            indent = block.inner.setdefault(kind, inner)
        if word in OPENERS:
            self._open.append(_Block(word, indent, at))
        return max(indent, INDENT) if kind == "chosen" else indent

    def _kind_of(self, word: str, tokens: Sequence[Token] | None) -> str:
        """Whether a line is a directive or a call, names its engine, or is a chosen one's."""
        if (word and word != "drain") or not tokens or self._moves():
            return "directive"
        kinds = [token.type for token in tokens]
        if "CALLED" in kinds and "ENGINE" not in kinds[: kinds.index("CALLED")]:
            return "call"
        if "ENGINE" not in kinds and label(tokens):
            return "named"
        self._chosen = "ENGINE" not in kinds or kinds[-1] == "ENGINE"
        return "named" if "ENGINE" in kinds else "chosen"

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
    """Lines between empty ones and bounds of blocks, all of named engines or of a chosen one."""
    group: list[_Line] = []
    chosen = False
    for line in lines:
        named = _named(line)
        if not line.filled or line.block or (named is not None and named != chosen):
            yield group
            group = []
        if line.block:
            yield [line]
        elif line.filled:
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
    """The new place of each cell of some lines, column by column; comments in runs of lines."""
    targets: dict[str, int] = {}
    for kind in _kinds(group):
        _aim(group, kind, targets)
    for commented, run in groupby(group, key=lambda line: _has(line, "comment")):
        lines = list(run)
        if commented:
            _aim(lines, "comment", targets)
        for line in lines:
            line.starts = [start for *_, start in _placed(line, targets)]


def _aim(lines: Iterable[_Line], kind: str, targets: dict[str, int]) -> None:
    targets[kind] = 0
    rows = [_before(line, kind, targets) for line in lines if _has(line, kind)]
    targets[kind] = _target(rows)


def _above(lines: Iterable[_Line]) -> None:
    """Puts comments that go with the statement below where that begins."""
    following: _Line | None = None
    for line in reversed(list(lines)):
        if line.cells and line.cells[0].kind == "above":
            line.starts = [following.starts[0] if following else line.cells[0].start]
        elif line.cells:
            following = line


def _has(line: _Line, kind: str) -> bool:
    return any(cell.kind == kind for cell in line.cells)


def _kinds(group: Iterable[_Line]) -> list[str]:
    """The columns from the left to the right."""
    found = dict.fromkeys(cell.kind for line in group for cell in line.cells)
    known = [kind for kind in ORDER if kind in found]
    return [*known, *(kind for kind in found if kind not in ORDER and kind != "comment")]


def _before(line: _Line, kind: str, targets: Mapping[str, int]) -> tuple[int, int, int]:
    """Where a cell may begin at the left, close to what is before it and not, and where it did."""
    placed = _placed(line, targets)
    return next((end, least, c.start) for c, end, least, _ in placed if c.kind == kind)


def _placed(line: _Line, targets: Mapping[str, int]) -> Iterator[tuple[Cell, int, int, int]]:
    """Each cell with where it may begin at the left, close and not, and where it is to begin."""
    end = 0
    before: Cell | None = None
    for cell in line.cells:
        if before is None:
            close = least = start = _first(line, cell)
        else:
            close = end + GAP
            least = start = end + _gap(cell, before) if cell.kind in targets else close
        if before is not None or cell.kind not in ("directive", "place", "call"):
            start = max(targets.get(cell.kind, 0), least)
        yield cell, close, least, start
        end, before = start + len(cell.text), cell


def _gap(cell: Cell, before: Cell) -> int:
    """The blanks in front of a cell that is in no column: two, or up to four if it has them."""
    had = cell.start - before.end
    return 1 if cell.kind == "src" else min(max(GAP, had), 2 * GAP)


def _first(line: _Line, cell: Cell) -> int:
    """Where the first cell of a line may begin."""
    if cell.kind in ("other", "dst"):
        return max(line.indent, INDENT)
    return line.indent


def _target(rows: Sequence[tuple[int, int, int]]) -> int:
    """The column at which half of the cells are, if there is room, or the first with room."""
    widest = _widest(sorted(close for close, _, _ in rows))
    room = max(least for close, least, _ in rows if close <= widest)
    fitting = Counter(start for _, _, start in rows if start >= room)
    most = max(fitting.values(), default=0)
    if most * 2 >= len(rows):
        return min(start for start, count in fitting.items() if count == most)
    return room


def _widest(columns: Sequence[int]) -> int:
    """The last of some columns, but for those, fewer than half, that are far from all others."""
    for at in range((len(columns) + 1) // 2, len(columns)):
        if columns[at] - columns[at - 1] > FAR:
            return columns[at - 1]
    return columns[-1]
