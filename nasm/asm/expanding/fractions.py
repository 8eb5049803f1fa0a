"""What to write where an expression gives a fraction and an integer is wanted."""

from __future__ import annotations

import re

from nasm.asm.expanding.scope import Scope
from nasm.asm.text import tree
from nasm.spec.kinds import whole_number

_DIVIDES = re.compile(r"(?<!/)\s*/\s*(?!/)")


def as_integer(value: object, node: tree.Node, scope: Scope) -> str:
    """A hint for a value that is a whole number but a float; or nothing."""
    text = scope.span(node).text
    if whole_number(value) and _DIVIDES.search(text):
        return f"'/' gives a fraction: write {_DIVIDES.sub('//', text)}"
    return whole_number(value)
