"""A line of a text as cells, by its tokens alone: what belongs in columns, with blanks normalised.

Which forms the language has is not known here. A cell begins after a label, an engine, a mnemonic
and a declared name, where something waits or updates, and in a directive wherever the text has two
blanks or more.
"""

from __future__ import annotations

from collections.abc import Sequence

from nasm.base.records import dataclass
from nasm.language.text.blocks import OPENERS
from nasm.language.text.grammar import Token

OPENING, CLOSING = ("(", "[", "{"), (")", "]", "}")

CLAUSES = {"SEMAPHORE": "sync", "SEMAPHORE_OPEN": "sync"}
"""Tokens that begin a clause after the operands of an instruction, where no bracket is open."""

WORDS = ("POST", "AFTER", "TAKE", "GIVE")
"""Names of tokens that begin one as well, each in a column of its own."""

OF_SEMAPHORES = ("TAKE", "GIVE")
"""Those after which a semaphore begins none."""

CLAUSE_ORDER = ("wait", "TAKE", "AFTER", "update", "GIVE", "POST")
"""The columns of clauses from the left to the right; what a line has otherwise comes later."""

DECLARED = ("DIRECTIVE", "DOT_SEM", "DOT_EVENT")
"""Tokens of directives whose names are in a column."""


MEANS = "MEANS"
"""A colon right after a name and apart from what follows."""


@dataclass(slots=True)
class Cell:
    """Part of a line: its column, by name, where it began and ended, and its text."""

    kind: str
    start: int
    end: int
    text: str


def cells(tokens: Sequence[Token], text: str, start: int, end: int) -> list[Cell]:
    """The cells of the characters [start, end), which are one line; ``tokens`` are in it."""
    if not tokens:
        return []
    if _sets(tokens):
        return _cut(_meaning(tokens), {0: "directive"}, text, start, end)
    first = tokens[0]
    if first.type == "CALLED":
        return _cut(tokens, {0: "call"}, text, start, end)
    if str(first).startswith(".") and first.type != "DOT_DRAIN":
        return _of_directive(tokens, text, start, end)
    if first.type in ("ENGINE", "NAME", "NAME_OPEN", "DOT_DRAIN"):
        return _of_instruction(tokens, text, start, end)
    return [_whole(tokens, text, start, end)]


def moved(tokens: Sequence[Token], text: str, start: int, end: int) -> list[Cell]:
    """The cells of a line ``dst <- src``."""
    depth = 0
    for at, token in enumerate(tokens):
        if not depth and str(token) == "<" and at:
            begins = {0: "dst", at: "src"}
            to, source = _cut(tokens, begins, text, start, end)
            source.text = f"<- {_joined(tokens[at + 2 :], text)}"
            return [to, source]
        depth += _step(token)
    return [_whole(tokens, text, start, end)]


def label(tokens: Sequence[Token]) -> int:
    """How many tokens a label has, with its colon."""
    depth = 0
    for at, token in enumerate(tokens):
        depth += _step(token)
        if not depth and str(token) == ":":
            return at + 1
        if not depth and at + 1 < len(tokens) and str(tokens[at + 1]) != ":":
            return 0
    return 0


def _sets(tokens: Sequence[Token]) -> bool:
    """Whether a line is a ``.cfg``, or a ``.write`` of an instruction."""
    for at, token in enumerate(tokens[:2]):
        colon = [t.type for t in tokens[at + 2 : at + 3]] == ["COLON"]
        if token.type == "DOT_CFG" or (token.type == "DOT_WRITE" and colon):
            return True
    return False


def _at(token: Token) -> int:
    assert token.start_pos is not None
    return token.start_pos


def _meaning(tokens: Sequence[Token]) -> list[Token]:
    """The tokens of such a line, of which a colon after the name means the instruction after it."""
    colon = next((at for at, token in enumerate(tokens) if token.type == "COLON"), -1)
    return [t.update(type=MEANS) if at == colon else t for at, t in enumerate(tokens)]


def _column(text: str, start: int, at: int) -> int:
    """The column of a character of a line that begins at another."""
    return len(text[start:at].expandtabs())


def _whole(tokens: Sequence[Token], text: str, start: int, end: int) -> Cell:
    at = _column(text, start, _at(tokens[0]))
    return Cell("other", at, _column(text, start, end), _joined(tokens, text))


def _cut(tokens: Sequence[Token], begins: dict[int, str], text: str, start: int, end: int) -> list[
    Cell
]:  # fmt: skip
    """The cells that begin at some tokens, by their numbers, each with its kind."""
    marks = sorted(begins)
    found = []
    for at, behind in zip(marks, [*marks[1:], len(tokens)], strict=True):
        last = tokens[behind - 1].end_pos or end
        part = _joined(tokens[at:behind], text)
        found.append(
            Cell(
                begins[at], _column(text, start, _at(tokens[at])), _column(text, start, last), part
            )
        )
    return found


def _of_directive(tokens: Sequence[Token], text: str, start: int, end: int) -> list[Cell]:
    word = str(tokens[0])
    if [token.type for token in tokens[:2]] == ["DIRECTIVE", "STRING"]:
        return _cut(tokens, {0: "directive"}, text, start, end)
    if tokens[0].type == "DIRECTIVE":
        return _cut(tokens, _declaration(tokens, text), text, start, end)
    begins = {0: "directive"}
    if tokens[0].type in DECLARED:
        begins[1] = "name"
    depth = 0
    for at, token in enumerate(tokens):
        opens = word.removeprefix(".") in OPENERS
        if at not in begins and not depth and not opens and _apart(tokens, at, text):
            begins[at] = f"{word} {len(begins)}"
        depth += _step(token)
    return _cut(
        tokens, {at: kind for at, kind in begins.items() if at < len(tokens)}, text, start, end
    )


def _apart(tokens: Sequence[Token], at: int, text: str) -> bool:
    """Whether a token was put into another column than the one before."""
    before = tokens[at - 1]
    joins = _operator(before) or _operator(tokens[at]) or before.type == "PREFIX"
    return _gap(tokens, at, text) > 1 and not joins and "," not in (str(before), str(tokens[at]))


def _typed(tokens: Sequence[Token], text: str) -> tuple[int, int] | None:
    """Where the dtype of a declaration begins and its shape: a word before a bracket.

    A template is one word, whatever is in its braces; so is a name with how many tiles there are.
    """
    depth = word = 0
    for at, token in enumerate(tokens):
        if not depth and str(token) == "[" and word > 1:
            return word, at
        if at and not depth and _gap(tokens, at, text):
            word = at
        depth += _step(token)
    return None


def _declaration(tokens: Sequence[Token], text: str) -> dict[int, str]:
    """Name, dtype with shape, and the rest of a tensor; a place after the shape is part of it."""
    made = {0: "directive"} | ({1: "name"} if len(tokens) > 1 else {})
    typed = _typed(tokens, text)
    if typed is None:
        return made
    word, shape = typed
    made[word] = "type"
    depth = 0
    for at in range(shape, len(tokens)):
        depth += _step(tokens[at])
        if not depth:
            rest = at + 1
            if rest < len(tokens) and tokens[rest].type == "AT" and _gap(tokens, rest, text) < 2:
                later = range(rest + 1, len(tokens))
                rest = next((n for n in later if _follows(tokens, n)), len(tokens))
            if rest < len(tokens):
                made[rest] = "rest"
            break
    return made


def _follows(tokens: Sequence[Token], at: int) -> bool:
    """Whether a token is a word after an operand: what it belongs to has ended."""
    ended = ("NAME", "NUMBER", "RPAR", "RSQB", "BRACE_CLOSE")
    return tokens[at].type == "NAME" and tokens[at - 1].type in ended


def _of_instruction(tokens: Sequence[Token], text: str, start: int, end: int) -> list[Cell]:
    begins = {0: "place"}
    at = label(tokens)
    if at < len(tokens) and tokens[at].type == "ENGINE":
        at += 1
    if at < len(tokens):
        begins[at] = "mnemonic"
        whole = tokens[at].type in ("CALLED", "DOT_LOOP", "DOT_BREAK")
        if at + 1 < len(tokens) and not whole:
            begins[at + 1] = "operands"
    depth = reached = later = 0
    for number in range(at + 1, len(tokens)):
        kind = tokens[number].type
        named = tokens[number - 1].type in OF_SEMAPHORES
        if not depth and not named and (kind in CLAUSES or kind in WORDS):
            clause = kind if kind in WORDS else _clause(tokens, number)
            later += CLAUSE_ORDER.index(clause) < reached or later > 0
            reached = max(reached, CLAUSE_ORDER.index(clause))
            begins[number] = f"later {later}" if later else clause
        depth += _step(tokens[number])
    if 0 in begins and at == 0:
        begins[0] = "mnemonic"
    return _cut(tokens, begins, text, start, end)


def _clause(tokens: Sequence[Token], at: int) -> str:
    """Whether a semaphore is waited for or updated."""
    depth = 0
    for token in tokens[at:]:
        if not depth and token.type in ("COMPARE", "BINARY"):
            return "wait"
        if not depth and token.type in ("STEPPED", "ASSIGN"):
            return "update"
        depth += _step(token)
    return "wait"


# ---------------------------------------------------------------- blanks


def _step(token: Token) -> int:
    """How many brackets a token opens, less those that it closes."""
    text = str(token)
    if token.type == "STRING":
        return 0
    return int(text.endswith(OPENING)) - int(text.startswith(CLOSING))


def _gap(tokens: Sequence[Token], at: int, text: str) -> int:
    before = tokens[at - 1].end_pos
    assert before is not None
    return len(text[before : _at(tokens[at])].expandtabs())


def _joined(tokens: Sequence[Token], text: str) -> str:
    """Tokens with the blanks that belong between them.

    There is one after a comma and none before it, none within brackets; around an operator there
    is one on both sides or none, as there was one or not.
    """
    parts = [str(tokens[0])]
    gaps = [bool(_gap(tokens, at, text)) for at in range(1, len(tokens))]
    for at, token in enumerate(tokens[1:], 1):
        before = tokens[at - 1]
        blank = gaps[at - 1]
        if _between(before, token) is not None:
            blank = bool(_between(before, token))
        elif _operator(token) and at < len(gaps) and _between(token, tokens[at + 1]) is None:
            blank = blank or gaps[at]
        elif _operator(before) and at > 1 and _between(tokens[at - 2], before) is None:
            blank = blank or gaps[at - 2]
        parts.append(f" {token}" if blank else str(token))
    return "".join(parts)


def _operator(token: Token) -> bool:
    return token.type in ("BINARY", "EQUALS", "COMPARE", "ASSIGN", "COLON", "_RANGE", "AT")


def _between(before: Token, token: Token) -> bool | None:
    """Whether a blank belongs between two tokens; None if that is left as it is."""
    first, second = str(before), str(token)
    if MEANS in (before.type, token.type):
        return before.type == MEANS
    if before.type == "STRING" or token.type == "STRING":
        return (
            None if second not in (",", ")", "]") and first not in (",", "(", "[") else first == ","
        )
    if second in (",", ")", "]") or token.type in ("BRACE_CLOSE", "BRACE_NEXT"):
        return False
    if first == ",":
        return True
    if first in ("(", "[") or first.endswith("{"):
        return False
    if before.type == "PREFIX" and not first.isalpha():
        return False
    return None
