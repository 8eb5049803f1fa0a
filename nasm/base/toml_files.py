"""TOML files of a user: read within limits, with the place of every key for what is refused.

``tomllib`` gives no places; they are found line by line, when something must be reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from nasm.base.problems import Failure, Problem, in_line, quoted
from nasm.base.source import Source, Span
from nasm.base.source_files import source_of

UNREADABLE = "E0801"

LARGEST, LONGEST = 1 << 16, 4_000
"""Characters of a file, and of a line of one: what has more is no settings of a user."""

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")

Key = tuple[str, ...]
"""The tables that lead to a value, and its name."""


class TomlSubject(NamedTuple):
    """What a file is read for: "no list of figures", and how to write a line of it."""

    kind: str
    hint: str


def read_toml(
    path: str, wanted: TomlSubject, ending: str = ".toml"
) -> tuple[dict[str, Any], Source]:
    """The tables of a file, and its text; raises Failure if it cannot be read or is not TOML."""
    from tomllib import loads  # which few runs need

    source = source_of(Path(path), ending=ending)
    text, at = too_large(source)
    if not text:
        try:
            return loads(source.text), source
        except RecursionError:
            text = "its values are too deeply nested"
        except ValueError as problem:  # TOMLDecodeError, or an integer of thousands of digits
            text, at = _broken(source, str(problem))
    message = f"{in_line(path)} is no {wanted.kind} in TOML: {quoted(text)}"
    raise Failure(Problem(UNREADABLE, message, at, wanted.hint))


def too_large(source: Source) -> tuple[str, Span | None]:
    """Why a text is not read, and where; empty if it is."""
    if len(source.text) > LARGEST:
        return f"it has more than {LARGEST:,} characters", None
    for number, line in enumerate(source.text.split("\n"), 1):
        if len(line) > LONGEST:
            return f"a line of more than {LONGEST:,} characters", line_of(source, number)
    return "", None


def _broken(source: Source, text: str) -> tuple[str, Span | None]:
    """What a reader of TOML said, and the place it said it of."""
    found = _AT.search(text)
    if found is None:
        return text, None
    text = text[: found.start()]
    text = text[:1].lower() + text[1:]
    if found[1] is None:
        return text, Span(source, len(source.text), len(source.text))
    start = source.offset(int(found[1])) + int(found[2]) - 1
    return text, Span(source, start, start + 1)


def line_of(source: Source, number: int) -> Span:
    """A line without the blanks around it."""
    start, text = source.offset(number), source.line(number)
    indent = len(text) - len(text.lstrip())
    return Span(source, start + indent, start + max(indent, len(text.rstrip())))


class TomlPlaces:
    """Where a file says what, found when something must be reported."""

    def __init__(self, source: Source | None) -> None:
        self.source = source
        self._lines: dict[Key, int] | None = None

    def of(self, key: Key) -> Span | None:
        """The line that sets a value, or the one that begins its table."""
        if self.source is None:
            return None
        if self._lines is None:
            self._lines = dict(_keys(self.source.text))
        lines = (self._lines.get(key[:size]) for size in range(len(key), 0, -1))
        return line_of(self.source, next((n for n in lines if n is not None), 1))


def _keys(text: str) -> Iterator[tuple[Key, int]]:
    """The keys that lines give a value or begin a table with, each with the line's number."""
    from tomllib import loads

    table: Key = ()
    for number, line in enumerate(text.split("\n"), 1):
        begins = line.lstrip().startswith("[")
        try:
            found = _path(loads(line if begins else f"{line.partition('=')[0]}= 0"))
        except ValueError:
            continue  # a part of a value of several lines, or a comment
        if begins:
            table = found
        yield (found if begins else (*table, *found)), number


def _path(tree: Any) -> Key:
    """The keys down to the only value there is."""
    keys: list[str] = []
    while isinstance(tree, dict) and tree:
        ((key, tree),) = tree.items()
        keys.append(key)
    return tuple(keys)
