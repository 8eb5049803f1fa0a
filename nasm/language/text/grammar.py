"""The parser of one logical line, built from ``grammar/nasm.lark`` when first needed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, TextSlice, UnexpectedInput
from lark import Token as Token  # callers that want tokens need their type, and not lark
from lark import __version__ as lark_version
from lark.lexer import LexerState, LexerThread, LineCounter

from nasm.base import host_files
from nasm.language.text.directives import TreeBuilder
from nasm.language.text.gradual_lexer import GradualContextualLexer
from nasm.language.text.syntax_errors import Mistake
from nasm.language.text.transform import Built

START_SYMBOLS = ("line", "move", "expression")
LEXERS = {"ContextualLexer": GradualContextualLexer}


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
    """The LALR parser, with the tables that are shipped.

    Where they are of another grammar or another release of lark, they are computed, which takes 55
    ms. No cache is written: write access to one would decide what a program means.
    """
    from nasm.language.text import parse_tables as shipped

    if (release(), checksum(grammar_text())) != (shipped.LARK, shipped.GRAMMAR):
        return built(TreeBuilder())
    data = shipped.DATA
    states = {
        state: {t: (1, {"@": ~to}) if to < 0 else (0, to) for t, to in actions.items()}
        for state, actions in enumerate(shipped.ACTIONS)
    }
    table = data["parser"]["parser"] | {"states": states}
    whole = data | {"parser": data["parser"] | {"parser": table}}
    loaded: Lark = Lark._load_from_dict(  # type: ignore[no-untyped-call]
        whole, shipped.MEMO, transformer=TreeBuilder(), _plugins=LEXERS
    )
    return loaded


def built(transformer: TreeBuilder | None) -> Lark:
    """The parser, with tables computed from the grammar."""
    return Lark(
        grammar_text(),
        parser="lalr",
        start=list(START_SYMBOLS),
        maybe_placeholders=False,
        transformer=transformer,
        _plugins=LEXERS,
    )


def release() -> str:
    """The release of lark, such as 1.3: the form of its tables does not change within one."""
    return ".".join(lark_version.split(".")[:2])


def checksum(text: str) -> int:
    """What tells whether tables are those of a grammar."""
    return zlib.crc32(text.encode())


def grammar_text() -> str:
    """The grammar: inside an installed package, else in the checkout around it."""
    package = Path(__file__).parents[2]
    inside, around = (folder / "grammar" / "nasm.lark" for folder in (package, package.parent))
    return host_files.read_text(inside if inside.is_file() else around)
