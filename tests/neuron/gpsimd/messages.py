"""What a message of the run shows of a tile: the text read back, and the elements to be in it."""

from __future__ import annotations

import re
from typing import Any

MANY, EDGE, GAP = 64, 3, "..."


def read(text: str) -> list[Any]:
    """The nested lists of words that stand in brackets in a text."""
    stack: list[list[Any]] = [[]]
    for token in re.findall(r"\[|\]|[^\s\[\]]+", text):
        if token == "[":
            stack.append([])
        elif token == "]":
            inner = stack.pop()
            stack[-1].append(inner)
        else:
            stack[-1].append(token)
    (whole,) = stack
    (found,) = whole
    return list(found)


def shown(values: Any, many: bool | None = None) -> Any:
    """The elements of a tile as nested lists; of many, three from either end of each axis."""
    if values.ndim == 0:
        return values[()]
    many = values.size > MANY if many is None else many
    inner = [shown(part, many) for part in values]
    if not many or len(inner) <= 2 * EDGE:
        return inner
    return [*inner[:EDGE], GAP, *inner[-EDGE:]]
