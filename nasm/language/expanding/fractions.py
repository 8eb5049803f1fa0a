"""What to write where an expression gives a fraction and an integer is wanted."""

from __future__ import annotations

import re

from nasm.isa.kinds import whole_number
from nasm.language.expanding.scope import Scope
from nasm.language.text import tree

_DIVIDES = re.compile(r"(?<!/)\s*/\s*(?!/)")
_POINT = re.compile(r"\b([0-9]+)\.0+\b")


def as_integer(value: object, node: tree.ExpressionNode, scope: Scope) -> str:
    """A hint for a value that is a whole number but a float; or nothing."""
    hint = whole_number(value)
    if not hint:
        return ""
    text = scope.span(node).text
    if _DIVIDES.search(text):
        return f"'/' gives a fraction: write {_DIVIDES.sub('//', text)}"
    plain = _POINT.sub(lambda match: match[1], text)
    return f"write {plain}" if plain != text else hint
