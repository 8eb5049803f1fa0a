"""Values that programs write, as diagnostics name them."""

from __future__ import annotations

from nasm.base.problems import quoted
from nasm.views.tensor import Tensor
from nasm.views.view import Reg, View

LONG = 30
"""Digits of an integer that a diagnostic still writes out."""

FEW = 12
"""Items of a list that a diagnostic still writes out."""


class Symbol(str):
    """A bare word in an operand that names no tensor and no constant."""

    __slots__ = ()


def value_text(value: object) -> str:
    """A value as a diagnostic names it."""
    if isinstance(value, View):
        return f"{value.tensor.name}{list(value.shape)} ({value.dtype.name})"
    if isinstance(value, Tensor):
        return value_text(View.whole(value))
    if isinstance(value, Reg):
        return f"register {value}"
    if isinstance(value, Symbol):
        return f"'{quoted(value)}'"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the string "{quoted(value)}"'
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, list | tuple):
        more = f", … {len(value) - FEW:,} more" if len(value) > FEW else ""
        return f"[{', '.join(map(value_text, value[:FEW]))}{more}]"
    return quoted(str(value))


def _integer(value: int) -> str:
    """An integer, or how long it is: Python writes none of several thousand digits."""
    if abs(value) < 10**LONG:
        return str(value)
    if value.bit_length() > 8192:
        return "an integer of thousands of digits"
    return f"an integer of {len(str(abs(value)))} digits"
