"""The parser of one logical line, built from ``grammar/nasm.lark`` when first needed."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from lark import Lark, TextSlice
from lark.lexer import LexerState, LexerThread, LineCounter

from nasm.asm.text.transform import Built, TreeBuilder

START_SYMBOLS = ("line", "move", "expression")


def read(text: str, start: int, end: int, symbol: str) -> Built:
    """What the characters [start, end) of a text mean as ``symbol``.

    Raises :class:`~nasm.asm.text.syntax_errors.Mistake` or Lark's ``UnexpectedInput``.
    """
    lark = parser()
    # Lark would count the newlines of everything before the slice, for every line again.
    counter = LineCounter("\n")  # type: ignore[no-untyped-call]
    counter.char_pos = start
    state = LexerState(TextSlice(text, start, end), counter)
    built: Built = lark.parser.parser.parse(LexerThread(lark.parser.lexer, state), symbol)
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
    packaged = resources.files("nasm") / "grammar" / "nasm.lark"
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    checkout = Path(__file__).parents[3] / "grammar" / "nasm.lark"
    return checkout.read_text(encoding="utf-8")
