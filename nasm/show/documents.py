"""JSON documents as tables of their keys: of each its meaning, and where its value comes from.

A :data:`Shape` is such a table. :func:`plain` makes a dictionary of a record by it, and
:func:`listed` the rows of ``docs/json.md``. JSON has no NaN and no infinities: such numbers become
the strings ``nan``, ``inf`` and ``-inf``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from nasm.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a document, and what it means.

    Its value is the attribute ``read`` of the record, which has the key's own name if that is
    empty, or what a function makes of the record. With a ``shape`` the value is a record of its
    own, maybe None, or with ``many`` a list of them; one that is described ``elsewhere`` gets a
    single row. Without a name the keys of the shape are those of the record itself, and a meaning
    is that of all of them.
    """

    name: str
    meaning: str = ""
    read: str | Callable[[Any], Any] = ""
    shape: Shape = ()
    many: bool = False
    elsewhere: bool = False

    def of(self, record: Any) -> Any:
        """Its value, as the record has it."""
        if callable(self.read):
            return self.read(record)
        return getattr(record, self.read or self.name)


Shape = tuple[Key, ...]

LEFT_OUT = object()
"""The value of a key that a document does not have."""


def pairs(name: str, meaning: str, read: str = "") -> Key:
    """Pairs of a name and a value, as a dictionary."""
    return Key(name, meaning, lambda record: dict(getattr(record, read or name)))


def part(name: str, shape: Shape, meaning: str = "", read: str | Callable[[Any], Any] = "") -> Key:
    """A record within another one, None if that has none; the meaning is that it may be None."""
    return Key(name, meaning, read, shape)


def each(name: str, shape: Shape, read: str | Callable[[Any], Any] = "") -> Key:
    """A list of records."""
    return Key(name, "", read, shape, many=True)


def merged(shape: Shape, meaning: str, read: str | Callable[[Any], Any]) -> Key:
    """The keys of another record among those of this one; the meaning is that of all of them."""
    return Key("", meaning, read, shape)


def plain(record: Any, shape: Shape) -> dict[str, Any]:
    """A record as a dictionary for ``json``, with the keys of a shape."""
    made: dict[str, Any] = {}
    for key in shape:
        value = key.of(record)
        if value is LEFT_OUT:
            continue
        if not key.shape:
            made[key.name] = _value(value)
        elif key.many:
            made[key.name] = [plain(one, key.shape) for one in value]
        elif key.name:
            made[key.name] = None if value is None else plain(value, key.shape)
        else:
            made |= plain(value, key.shape)
    return made


def listed(shape: Shape, path: str = "") -> Iterator[tuple[tuple[str, ...], str]]:
    """The keys of a shape with their meanings; several in a row have one meaning."""
    for key in shape:
        if key.elsewhere or not key.shape:
            yield (f"{path}{key.name}",), key.meaning
        elif not key.name and key.meaning:
            yield tuple(f"{path}{one.name}" for one in key.shape), key.meaning
        else:
            if key.meaning:
                yield (f"{path}{key.name}",), key.meaning
            inner = f"{path}{key.name}{'[]' * key.many}." if key.name else path
            yield from listed(key.shape, inner)


def number(value: float | None) -> float | str | None:
    """A number that JSON can hold."""
    if value is None or math.isfinite(value):
        return value
    return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _value(value: Any) -> Any:
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return list(value)
    return value
