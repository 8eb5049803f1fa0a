"""Instructions by a word: of a name, the vendor's too, of an operand, its dtypes, or of prose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from nasm.base import dtypes
from nasm.isa.instruction import Row
from nasm.isa.kinds import Tile
from nasm.isa.target import Target

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


DESCRIBED = "its description"
"""Where a word is found that is in nothing else of an instruction."""


def search(target: Target, text: str) -> dict[Row, str]:
    """The instructions that have every word of a text, each with what has the words.

    Those with the words in their names come first, then those with them in an operand, then
    those that are only described with them.
    """
    found: dict[Row, list[tuple[int, str]]] = {}
    for row in target.isa:
        places = [sorted(_places(row, word), key=_rank) for word in text.split()]
        if all(places) and places:
            found[row] = [best for best, *_ in places]
    ordered = sorted(found, key=lambda row: max(map(_rank, found[row])))
    return {row: ", ".join(dict.fromkeys(message for _, message in found[row])) for row in ordered}


def _rank(place: tuple[int, str]) -> int:
    return place[0]


def _places(row: Row, word: str) -> Iterator[tuple[int, str]]:
    """Where a row has a word: how far down the list that puts it, and what to say of it."""
    if _has(row.name, word):
        yield 0, "its name"
    for tool, names in row.vendor.items():
        yield from ((1, f"{tool}: {name}") for name in names if _has(name, word))
    dtype = dtypes.find(word)
    for operand in row.written:
        if _has(operand.name, word):
            yield 3, f"operand {operand.name}"
        for choice in operand.kind.words:
            if choice == word or _has(choice, word):
                yield 2 if choice == word else 3, f"{operand.name}={choice}"
        for kind in operand.kinds:
            if dtype is not None and isinstance(kind, Tile) and dtype.name in kind.dtypes:
                yield 2, f"{operand.name} of {dtype.name}"
    if re.search(rf"\b{re.escape(word)}", _prose(row), re.IGNORECASE):
        yield 4, DESCRIBED


def _prose(row: Row) -> str:
    return "\n".join([row.doc, row.formula, *(o.doc for o in row.operands)])


def _has(name: str, word: str) -> bool:
    """Whether a word begins at one of the parts of a name: ``second`` of FirstSecond."""
    parts = _PARTS.findall(name)
    wanted = _folded((word,))
    return bool(wanted) and any(_folded(parts[n:]).startswith(wanted) for n in range(len(parts)))


def _folded(parts: Iterable[str]) -> str:
    return "".join(parts).lower().replace("_", "").replace(".", "")
