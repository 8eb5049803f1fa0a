"""The leaves of the tree: what the terminals of the grammar become, and their places."""

from __future__ import annotations

from typing import Any

from lark import Token

from nasm.base.numbers import WORST_BITS
from nasm.base.problems import quoted
from nasm.language.text import tree
from nasm.language.text.syntax_errors import Mistake

Leaf = Any
"""A lark.Token, whose positions are declared optional but are always there."""

_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}


def start_of(part: Any) -> int:
    """Where a leaf or a node starts."""
    start: int = getattr(part, "start_pos" if isinstance(part, Token) else "start")
    return start


def end_of(part: Any) -> int:
    """Where a leaf or a node ends."""
    end: int = getattr(part, "end_pos" if isinstance(part, Token) else "end")
    return end


def named(token: Leaf, skip: int = 0) -> tree.Name:
    """A leaf as a name, but for so many characters in front of it."""
    return tree.Name(token.start_pos + skip, token.end_pos, token.value[skip:])


class Leaves:
    """A method has the name of a terminal, and makes the leaf that one is."""

    def NAME(self, token: Leaf) -> tree.Name:
        return tree.Name(token.start_pos, token.end_pos, token.value)

    CALLED = DOT_WORD = NAME

    def DIRECTIVE(self, token: Leaf) -> tree.Name:
        return named(token, 1)

    SEMAPHORE = DIRECTIVE

    def REGISTER(self, token: Leaf) -> tree.RegisterName:
        return tree.RegisterName(
            token.start_pos, token.end_pos, _integer(token, token.value[2:], 10)
        )

    def NUMBER(self, token: Leaf) -> tree.NumberLiteral:
        start, end = token.start_pos, token.end_pos
        digits = token.value.replace("_", "")
        if digits[:2] in ("0x", "0X", "0b", "0B"):
            return tree.NumberLiteral(start, end, _integer(token, digits, 0))
        if "." not in digits and "e" not in digits and "E" not in digits:
            return tree.NumberLiteral(start, end, _integer(token, digits, 10))
        value = float(digits)
        if value == float("inf"):
            raise Mistake(
                "E0104",
                f"'{quoted(token)}' is beyond the largest float64",
                start,
                end,
                "write 'inf'",
            )
        return tree.NumberLiteral(start, end, value)

    def AUTO(self, token: Leaf) -> tree.Auto:
        return tree.Auto(token.start_pos, token.end_pos)

    def STRING(self, token: Leaf) -> tree.StringLiteral:
        inner = token.value[1:-1]
        if "\\" not in inner:
            return tree.StringLiteral(token.start_pos, token.end_pos, inner)
        pieces: list[str] = []
        at = 0
        while (found := inner.find("\\", at)) >= 0:
            letter = inner[found + 1]
            if letter not in _ESCAPES:
                place = token.start_pos + 1 + found
                raise Mistake(
                    "E0103",
                    f"'\\{letter}' is not an escape",
                    place,
                    place + 2,
                    'the escapes are \\" \\\\ \\n \\t',
                )
            pieces += inner[at:found], _ESCAPES[letter]
            at = found + 2
        return tree.StringLiteral(token.start_pos, token.end_pos, "".join(pieces) + inner[at:])


def _integer(token: Leaf, digits: str, base: int) -> int:
    # The first bound holds for every base, and spares Python what it would refuse to convert.
    if len(digits) <= WORST_BITS + len("0b"):
        value = int(digits, base)
        if value.bit_length() <= WORST_BITS:
            return value
    raise Mistake(
        "E0104",
        f"a number of {len(digits):,} digits is too long",
        token.start_pos,
        token.end_pos,
        f"wanted at most {WORST_BITS:,} bits",
    )


def is_a(part: Any, terminal: str) -> bool:
    """Whether a part is still the leaf that the grammar calls so."""
    return isinstance(part, Token) and part.type == terminal
