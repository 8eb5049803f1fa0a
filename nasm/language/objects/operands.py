"""Operands as numbers: what a value is, by its type, and each value once.

Which values an operand takes is decided by its kind, which the reader asks.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from nasm.base.numbers import WORST_BITS
from nasm.base.problems import Refused
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.language.objects.bodies import I64, U8, U32, columns, read_columns
from nasm.language.objects.sections import damaged
from nasm.language.objects.views import Views
from nasm.views.view import Reg, View

NAME = "values"

TYPES = (U8, I64, U32)
"""Of each value what it is and its number; and the items of all lists, by their values."""

FLAG, INTEGER, FLOAT, WORD, REGISTER, VIEW, TRANSFER, LIST, LONG, NOTHING = range(1, 11)
"""What a value is. Value 0 is none: an operand with its default."""

_BITS = struct.Struct("<d")
_WHOLE = struct.Struct("<q")


class Values:
    """Numbers values as they come; value 0 is a default."""

    def __init__(self, transfers: Sequence[str]) -> None:
        self.views = Views()
        self.strings: dict[str, int] = {}
        self._transfers = {name: n for n, name in enumerate(transfers)}
        self._known: dict[tuple[object, ...], int] = {}
        self._kinds, self._payloads = [0], [0]
        self._items: list[int] = []

    def number(self, value: object) -> int:
        """The number of a value; raises Refused for one that no object holds."""
        kind, payload = self._packed(value)
        key = (kind, payload)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self._kinds)
            if isinstance(payload, tuple):
                start = len(self._items)
                self._items += payload
                payload = len(payload) << 32 | start
            self._kinds.append(kind)
            self._payloads.append(payload)
        return found

    def _packed(self, value: object) -> tuple[int, int | tuple[int, ...]]:
        match value:
            case None:
                return NOTHING, 0
            case bool():
                return FLAG, int(value)
            case int() if -(1 << 63) <= value < 1 << 63:
                return INTEGER, value
            case int():
                return LONG, self._string(str(value))
            case float():
                return FLOAT, _WHOLE.unpack(_BITS.pack(value))[0]
            case str():
                return WORD, self._string(str(value))
            case Reg():
                return REGISTER, value.number
            case View():
                return VIEW, self.views.number(value)
            case DeclaredTransfer() if value.name in self._transfers:
                return TRANSFER, self._transfers[value.name]
            case tuple():
                return LIST, tuple(map(self.number, value))
        raise Refused("E0840", f"no object file holds an operand of {type(value).__name__}")

    def _string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def body(self) -> bytes:
        """The section."""
        return columns(TYPES, (self._kinds, self._payloads, self._items))


def read_values(
    body: memoryview,
    views: Sequence[View],
    strings: Sequence[str],
    transfers: Sequence[DeclaredTransfer],
) -> list[object]:
    """The values of a section, None for that of a default; raises Refused."""
    table = read_columns(body, TYPES, NAME)
    kinds, payloads, items = (column.tolist() for column in table)
    floats = table[1].view("<f8").tolist()
    if len(kinds) != len(payloads) or kinds[:1] != [0]:
        raise damaged("its values have columns of other lengths")
    made: list[object] = [None]
    tables: dict[int, Sequence[object]] = {VIEW: views, WORD: strings, TRANSFER: transfers}
    for kind, payload, number in zip(kinds[1:], payloads[1:], floats[1:], strict=True):
        named = tables.get(kind)
        if named is not None:
            if not 0 <= payload < len(named):
                raise damaged("a value names what there is not")
            made.append(named[payload])
        elif kind == INTEGER:
            made.append(payload)
        elif kind == FLOAT:
            made.append(number)
        else:
            made.append(_rare(kind, payload, made, items, strings))
    return made


def _rare(
    kind: int, payload: int, made: list[object], items: list[int], strings: Sequence[str]
) -> object:
    if kind == FLAG and payload in (0, 1):
        return bool(payload)
    if kind == REGISTER:
        return Reg(payload)
    if kind == NOTHING:
        return None
    if kind == LIST:
        start, count = payload & 0xFFFFFFFF, payload >> 32
        chosen = items[start : start + count] if payload >= 0 else []
        if payload < 0 or len(chosen) != count or not all(0 < n < len(made) for n in chosen):
            raise damaged("a list names what there is not")
        return tuple(made[n] for n in chosen)
    if kind == LONG and 0 <= payload < len(strings):
        text = strings[payload]
        if len(text) < WORST_BITS and text.removeprefix("-").isdecimal():
            return int(text)
    raise damaged(f"a value of kind {kind}")
