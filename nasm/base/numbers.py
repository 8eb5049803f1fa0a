"""Numbers of programs, from any caller: Python's own, and integers of a bounded length."""

from __future__ import annotations

from typing import Any

from nasm.base.problems import Refused

WORST_BITS = 4096
"""A constant longer than this is a mistake, not an intended number."""


_PLAIN = frozenset({bool, float, str, type(None)})


def plain(value: Any) -> Any:
    """A value of a Python program, with scalars of NumPy as Python's; raises Refused.

    Lists and tuples are looked through.
    """
    kind = type(value)
    if kind is int:
        return bounded(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value)) if type(value) in (list, tuple) else value
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
        if not isinstance(value, bool | int | float | str):  # a dtype that Python lacks
            value = float(value)
    return bounded(value) if isinstance(value, int) else value


def bounded(value: int) -> int:
    """An integer that a program may hold; raises Refused."""
    if value.bit_length() > WORST_BITS:
        raise Refused("E0211", f"the number has more than {WORST_BITS:,} bits")
    return value


def integer(text: str) -> int:
    """An integer as a command or an option writes it, 0x100 say; raises ValueError."""
    if len(text) > WORST_BITS + len("-0b"):
        raise ValueError(text)
    value = int(text, 0)
    if value.bit_length() > WORST_BITS:
        raise ValueError(text)
    return value
