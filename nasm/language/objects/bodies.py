"""What sections consist of: columns of numbers, or JSON where there is little."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from nasm.language.objects.sections import damaged

Column = np.ndarray[Any, np.dtype[Any]]

U8, U32, I32, I64, F64 = "<u1", "<u4", "<i4", "<i8", "<f8"
TYPES = (U8, U32, I32, I64, F64)
"""Types of columns; a file says their number."""

_COLUMN = struct.Struct("<II")
"""Of a column: the number of its type, and how many numbers it has."""

_FLOAT = "float"
_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def columns(types: Sequence[str], values: Iterable[Iterable[Any]]) -> bytes:
    """A section of columns of these types."""
    parts = []
    for kind, column in zip(types, values, strict=True):
        made = np.ascontiguousarray(np.asarray(column, dtype=kind))
        parts += [_COLUMN.pack(TYPES.index(kind), made.size), made.tobytes()]
    return b"".join(parts)


def read_columns(body: memoryview, types: Sequence[str], name: str) -> list[Column]:
    """The columns of a section, which has to have these types; raises Refused."""
    found: list[Column] = []
    at = 0
    for kind in types:
        if at + _COLUMN.size > len(body):
            raise damaged(f"its section '{name}' lacks a column")
        number, count = _COLUMN.unpack_from(body, at)
        at += _COLUMN.size
        size = count * np.dtype(kind).itemsize
        if TYPES.index(kind) != number or at + size > len(body):
            raise damaged(f"column {len(found)} of its section '{name}' is not what it should be")
        found.append(np.frombuffer(body, kind, count, at))
        at += size
    if at != len(body):
        raise damaged(f"its section '{name}' has more than {len(types)} columns")
    return found


def document(value: object) -> bytes:
    """A section of JSON; the same value is the same bytes. Raises TypeError."""
    made = json.dumps(_plain(value), separators=(",", ":"), sort_keys=True, allow_nan=False)
    return made.encode("ascii")


def _plain(value: object) -> object:
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: repr(value)}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def read_document(body: memoryview, name: str) -> Any:
    """What a section of JSON says; raises Refused."""
    try:
        return json.loads(bytes(body), object_hook=_float)
    except (ValueError, RecursionError):
        raise damaged(f"its section '{name}' is no JSON") from None


def _float(read: dict[str, Any]) -> Any:
    if read.keys() == {_FLOAT} and read[_FLOAT] in _FLOATS:
        return _FLOATS[read[_FLOAT]]
    return read


class Fields:
    """Asks for what a document should say, of the kind that it should be."""

    def __init__(self, value: object, name: str) -> None:
        self.name = name
        self.value: dict[str, Any] = self.kind(value, dict)

    def kind(self, value: object, *kinds: type) -> Any:
        """A value of one of some kinds; raises Refused for any other."""
        if type(value) not in kinds:
            raise damaged(f"its section '{self.name}' holds {type(value).__name__} out of place")
        return value

    def get(self, key: str, *kinds: type) -> Any:
        """A value by its key."""
        if key not in self.value:
            raise damaged(f"its section '{self.name}' lacks '{key}'")
        return self.kind(self.value[key], *kinds)

    def list_of(self, key: str, *kinds: type) -> list[Any]:
        """A list of values of one of some kinds."""
        return [self.kind(item, *kinds) for item in self.get(key, list)]

    def optional(self, key: str, *kinds: type) -> list[Any]:
        """The same, or an empty list if the key is missing."""
        return self.list_of(key, *kinds) if key in self.value else []
