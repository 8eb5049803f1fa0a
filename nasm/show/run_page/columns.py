"""Columns of numbers as text: what a page of HTML holds, and its script reads as typed arrays."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

LEVEL = 6
"""Of compression."""


def packed(columns: Mapping[str, NDArray[Any]], others: Mapping[str, Any]) -> str:
    """Columns and other data that JSON can hold, as base64 of a zlib stream.

    It begins with the length of the JSON in four bytes; the columns follow it, in the order of
    ``columns`` of the JSON, which says for each of them its type and how many there are.
    """
    stored = {name: _stored(column) for name, column in columns.items()}
    kinds = [[name, one.dtype.str[1:], len(one)] for name, one in stored.items()]
    head = json.dumps({**others, "columns": kinds}, separators=(",", ":"), allow_nan=False)
    text = head.encode()
    text += b" " * (-(len(text) + 4) % 8)  # columns begin where their elements may
    parts = [len(text).to_bytes(4, "little"), text]
    for one in stored.values():
        data = one.tobytes()
        parts += [data, bytes(-len(data) % 8)]
    return base64.b64encode(zlib.compress(b"".join(parts), LEVEL)).decode("ascii")


def _stored(column: NDArray[Any]) -> NDArray[Any]:
    """A column of 32-bit integers if they are large enough, else of floats of 64 bits."""
    whole = column.dtype.kind in "iub"
    if whole and (not len(column) or -(2**31) <= column.min() <= column.max() < 2**31):
        return column.astype("<i4")
    return column.astype("<f8")
