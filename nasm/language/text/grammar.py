"""The parser of one logical line, built from ``grammar/nasm.lark`` when first needed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, TextSlice, UnexpectedInput
from lark import Token as Token  # whoever asks for tokens needs their type, and not lark
from lark.lexer import LexerState, LexerThread, LineCounter

from nasm.base import host_files
from nasm.language.text.syntax_errors import Mistake
from nasm.language.text.transform import Built, TreeBuilder

START_SYMBOLS = ("line", "move", "expression")


def read(text: str, start: int, end: int, symbol: str) -> Built:
    """What the characters [start, end) of a text mean as ``symbol``.

    Raises :class:`~nasm.language.text.syntax_errors.Mistake` or Lark's ``UnexpectedInput``.
    """
    return _read(text, start, end, symbol, LexerThread)


def tokens(text: str, start: int, end: int, symbol: str) -> list[Token] | None:
    """The tokens of such characters, as the parser took them; None if they cannot be read."""
    found: list[Token] = []

    class Recording(LexerThread):
        def lex(self, parser_state: Any) -> Iterator[Token]:
            for token in super().lex(parser_state):  # type: ignore[no-untyped-call]
                found.append(token)
                yield token

    try:
        _read(text, start, end, symbol, Recording)
    except (Mistake, UnexpectedInput):
        return None
    return [token for token in found if token]


def _read(text: str, start: int, end: int, symbol: str, thread: type[LexerThread]) -> Built:
    lark = parser()
    # Lark would count the newlines of everything before the slice, for every line again.
    counter = LineCounter("\n")  # type: ignore[no-untyped-call]
    counter.char_pos = start
    state = LexerState(TextSlice(text, start, end), counter)
    built: Built = lark.parser.parser.parse(thread(lark.parser.lexer, state), symbol)
    return built


@cache
def parser() -> Lark:
    """The LALR parser, built anew by every process that parses: 55 ms, an eighth of a start.

    Tables kept between runs would save most of it. But whoever can write them decides what a
    program means, so they would have to be trusted as code is.
    """
    return Lark(
        grammar_text(),
        parser="lalr",
        start=list(START_SYMBOLS),
        maybe_placeholders=False,
        transformer=TreeBuilder(),
    )


def grammar_text() -> str:
    """The grammar: inside an installed package, else in the checkout around it."""
    package = Path(__file__).parents[2]
    inside, around = (folder / "grammar" / "nasm.lark" for folder in (package, package.parent))
    return host_files.read_text(inside if inside.is_file() else around)
