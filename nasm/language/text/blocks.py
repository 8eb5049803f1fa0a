"""Cuts a text into logical lines, and puts these together to blocks.

A line is what one statement occupies, without comments around it; a block is the lines between an
opening directive and its ``.end``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nasm.base.records import dataclass, field, replace
from nasm.language.text import tree
from nasm.language.text.directives import BlockMark
from nasm.language.text.habits import ELSEWHERE, END
from nasm.language.text.parse_failure import DIRECTIVES
from nasm.language.text.syntax_errors import Mistake
from nasm.language.text.transform import Move

OPENERS = frozenset({"for", "loop", "if", "dma", "macro", "scope"})
WORD = re.compile(r"(?:@[A-Za-z_][A-Za-z0-9_]*[ \t]+)?\.([A-Za-z_][A-Za-z0-9_]*)")
_OPENER = re.compile(rf"({'|'.join(sorted(OPENERS))})(?=[ \t]+[^\s=:(])(?![^\n;]*\bgoto\b)")
DEEPEST = 100

# Everything between these is of no interest to where a line ends.
_LANDMARK = re.compile(r'"(?:[^"\\\n]|\\[^\n])*+("?)|;[^\n]*|[()\[\]{}]|\n')
_FRESH = re.compile(r"[ \t\f\r]*[.@][A-Za-z_]")
BLANK = " \t\r\n\f"
"""What there may be around a statement."""
_GOES_ON = re.compile(r"(?:,|(?<!\+)\+|(?<!-)-|[*/%&|^~<>]|[=!<>]=|(?<![\w.$%@])(?:and|or))\Z")
_INK = re.compile(r"[^ \t\r\n\f]")


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """Characters [start, end) of a text that make one statement.

    ``unclosed`` is where the innermost open bracket is, and ``unterminated``
    where a string begins that does not end on its line.
    """

    start: int
    end: int
    unclosed: int | None = None
    unterminated: int | None = None


def logical_lines(text: str) -> Iterator[LogicalLine]:
    """The statements of a text in order; empty lines and lone comments are left out.

    A newline inside brackets does not end a line, nor one after a comma or a binary operator,
    unless the next line starts with a directive or ``@engine``: then a bracket was forgotten, and
    the line ends anyway.
    """
    begin = 0
    while begin <= len(text):
        line, begin = logical_line(text, begin)
        if line is not None:
            yield line


def logical_line(text: str, begin: int) -> tuple[LogicalLine | None, int]:
    """The statement that begins with a line, if there is one, and where the next line begins."""
    opened: list[int] = []
    comments: list[tuple[int, int]] = []
    unterminated: int | None = None
    for match in _LANDMARK.finditer(text, begin):
        first = text[match.start()]
        if first == "\n":
            at = match.start()
            going = opened or _goes_on(text, begin, at, comments)
            if going and unterminated is None and not _FRESH.match(text, at + 1):
                continue
            return _cut(text, begin, at, comments, opened, unterminated), at + 1
        if first == '"':
            if not match.group(1) and unterminated is None:
                unterminated = match.start()
        elif first == ";":
            comments.append(match.span())
        elif first in "([{":
            opened.append(match.start())
        elif opened:
            opened.pop()
    return _cut(text, begin, len(text), comments, opened, unterminated), len(text) + 1


def _goes_on(text: str, begin: int, end: int, comments: list[tuple[int, int]]) -> bool:
    """Whether the text from one character on ends with a comma or a binary operator."""
    for start, stop in reversed(comments):
        if text[stop:end].strip(BLANK):
            break
        end = start
    while end > begin and text[end - 1] in BLANK:
        end -= 1
    return _GOES_ON.search(text, max(begin, end - 4), end) is not None


def _cut(
    text: str,
    begin: int,
    end: int,
    comments: list[tuple[int, int]],
    opened: list[int],
    unterminated: int | None,
) -> LogicalLine | None:
    while comments and not text[comments[-1][1] : end].strip(BLANK):
        end = comments.pop()[0]
    ink = _INK.search(text, begin, end)
    if ink is None:
        return None
    start = ink.start()
    end = start + len(text[start:end].rstrip(BLANK))
    return LogicalLine(start, end, opened[-1] if opened else None, unterminated)


def word_of(text: str, start: int) -> str:
    """The directive of a line that could not be read; one that opens a block may lack its dot."""
    match = WORD.match(text, start) or _OPENER.match(text, start)
    return match.group(1) if match else ""


def ends(word: str) -> bool:
    """Whether a directive ends a block, here or in another assembler."""
    return word == "end" or ELSEWHERE.get(word) is END


def _undotted(line: tree.InstructionLine) -> bool:
    """Whether a line reads as an instruction and was meant to open a block."""
    return line.mnemonic is not None and line.mnemonic.name in OPENERS


@dataclass(slots=True)
class _Block:
    """An open block; ``header`` is None when its own line could not be read."""

    word: str
    start: int
    header: tree.Statement | None
    branches: list[tuple[tree.ExpressionNode | None, list[tree.Statement]]]
    moves: list[Move] = field(default_factory=list)
    spoiled: bool = False  # a line of it was reported: an empty block is not a mistake of its own
    has_else: bool = False


class BlockParser:
    """Takes the statements of a text in order; ``mistakes`` collects what does not fit.

    ``open`` are the blocks around the next line, outermost first.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._top: list[tree.Statement] = []
        self.open: list[_Block] = []
        self._suspects = 0  # unknown directives: they may have been meant to open a block
        self.mistakes: list[Mistake] = []

    def swallows(self, start: int, end: int) -> bool:
        """Whether a line of an open block is not read; keeps count of ``.end``."""
        if self.open[-1].word != "skipped":
            return False
        match = WORD.match(self._text, start)
        word = match.group(1) if match else ""
        if word in OPENERS:
            self.open.append(_Block("skipped", start, None, []))
        elif word == "end":
            self._close(end)
        return True

    def expects_moves(self, start: int, end: int) -> bool:
        """Whether a line of an open block can only be ``dst <- src``; ends an open ``.dma``.

        Raises :class:`Mistake` for a line that opens a block inside it.
        """
        if self.open[-1].word != "dma":
            return False
        match = WORD.match(self._text, start)
        word = match.group(1) if match else ""
        if word == "end":
            return False
        if word in OPENERS or word in ("elif", "else"):
            raise Mistake("E0120", f"'.{word}' is not allowed in a '.dma' block", start, end)
        if word or self._text[start] == "@":
            self._not_closed(self.open[-1])
            self._close(start)
            return False
        return True

    def add_move(self, move: Move) -> None:
        """Add a transfer to the open ``.dma``."""
        self.open[-1].moves.append(move)

    def add_like(self, line: tree.Like) -> None:
        """Add a line that was not read, as one like it was."""
        self._body().append(line)

    def add(self, statement: tree.Statement) -> None:
        """Add a statement that was read."""
        match statement:
            case BlockMark(word="end"):
                self._end(statement)
            case BlockMark():
                self._branch(statement)
            case tree.For():
                self._push("for", statement, None)
            case tree.LoopStatement():
                self._push("loop", statement, None)
            case tree.If():
                self._push("if", statement, statement.branches[0][0])
            case tree.DmaBlock():
                self._push("dma", statement, None)
            case tree.MacroStatement():
                self._outside(statement, "macro")
                self._push("macro", statement, None)
            case tree.ScopeBlock():
                self._push("scope", statement, None)
            case tree.Include():
                if self._outside(statement, "include"):
                    self._body().append(statement)
            case _:
                if isinstance(statement, tree.InstructionLine) and _undotted(statement):
                    self._suspects += 1
                self._body().append(statement)

    def add_unread(self, start: int, end: int, word: str) -> None:
        """Note a line that could not be read; ``word`` is its directive, if it has one."""
        if word and word not in DIRECTIVES:
            self._suspects += 1
        if word in OPENERS:
            inside = self.open[-1] if self.open else None
            readable = word in ("for", "loop", "if") and not (inside and inside.word == "dma")
            if inside:
                inside.spoiled = True
            kind = word if readable else "skipped"
            self.open.append(_Block(kind, start, None, [(None, [])]))
        elif ends(word) and self.open:
            self._close(end)
        elif self.open:
            block = self.open[-1]
            block.spoiled = True
            if word in ("elif", "else") and block.word == "if":
                block.header = None
                block.branches.append((None, []))

    def finish(self) -> tree.File:
        """The whole text; blocks that are still open are reported and closed."""
        for block in self.open:
            self._not_closed(block)
        while self.open:
            self._close(len(self._text.rstrip()))
        return tree.File(tuple(self._top))

    def _outside(self, statement: tree.Statement, word: str) -> bool:
        """Whether no block repeats the directive; otherwise it is noted."""
        around = next((b.word for b in self.open if b.word in ("for", "macro")), "")
        if around:
            text = f"'.{word}' inside of a '.{around}' block"
            end = statement.start + 1 + len(word)
            hint = "put it before the block, or in an '.if'"
            self.mistakes.append(Mistake("E0228", text, statement.start, end, hint))
        return not around

    def _body(self) -> list[tree.Statement]:
        return self.open[-1].branches[-1][1] if self.open else self._top

    def _push(
        self, word: str, header: tree.Statement, condition: tree.ExpressionNode | None
    ) -> None:
        if len(self.open) == DEEPEST:
            end = header.start + len(word) + 1
            self.mistakes.append(
                Mistake("E0122", f"blocks are nested more than {DEEPEST} deep", header.start, end)
            )
            word = "skipped"
        self.open.append(_Block(word, header.start, header, [(condition, [])]))

    def _branch(self, mark: BlockMark) -> None:
        if not self.open or self.open[-1].word != "if":
            if not self._suspects:
                self.mistakes.append(self._stray(mark, "no '.if' is open"))
            return
        block = self.open[-1]
        if block.has_else:
            self.mistakes.append(self._stray(mark, "its '.if' already has an '.else'"))
            block.header = None
        block.has_else = block.has_else or mark.word == "else"
        block.branches.append((mark.condition, []))

    def _end(self, mark: BlockMark) -> None:
        if not self.open:
            if not self._suspects:
                self.mistakes.append(self._stray(mark, "no block is open"))
            self._suspects = max(0, self._suspects - 1)
            return
        block = self.open[-1]
        if block.word == "dma" and not block.moves and not block.spoiled:
            self.mistakes.append(
                Mistake(
                    "E0120",
                    "this '.dma' block holds no transfer",
                    block.start,
                    block.start + len(".dma"),
                    "put one or more lines 'dst <- src' before its '.end'",
                )
            )
        self._close(mark.end)

    def _close(self, end: int) -> None:
        block = self.open.pop()
        match block.header:
            case (
                tree.For()
                | tree.LoopStatement()
                | tree.MacroStatement()
                | tree.ScopeBlock() as header
            ):
                body = tuple(block.branches[0][1])
                self._body().append(replace(header, end=end, body=body))
            case tree.If() as header:
                branches = tuple((condition, tuple(body)) for condition, body in block.branches)
                self._body().append(replace(header, end=end, branches=branches))
            case tree.DmaBlock() as header:
                self._body().append(replace(header, end=end, moves=tuple(block.moves)))

    def _stray(self, mark: BlockMark, why: str) -> Mistake:
        end = mark.start + 1 + len(mark.word)
        return Mistake("E0118", f"'.{mark.word}' is out of place: {why}", mark.start, end)

    def _not_closed(self, block: _Block) -> None:
        match = WORD.match(self._text, block.start) or _OPENER.match(self._text, block.start)
        word = match.group() if match else block.word
        self.mistakes.append(
            Mistake(
                "E0119",
                f"this '{word}' block is not closed",
                block.start,
                block.start + len(word),
                "write '.end' after its last line",
            )
        )
