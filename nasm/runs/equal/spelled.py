"""Operands as keys: what of them the values that an instruction makes follow from."""

from __future__ import annotations

from collections.abc import Hashable
from enum import Enum

from nasm.base.dtypes import DType
from nasm.base.problems import Refused
from nasm.base.records import fields, is_dataclass
from nasm.runs.equal.value_numbers import UNNUMBERED
from nasm.views.view import View


def spelled(value: object) -> Hashable:
    """A value as a key, equal for values that mean the same; raises Refused for what has none."""
    if value is None or isinstance(value, bool | int | str | bytes):
        return type(value).__name__, value
    if isinstance(value, float):
        return "float", value.hex()
    if isinstance(value, DType):
        return "dtype", value.name
    if isinstance(value, Enum):
        return type(value).__name__, value.name
    if isinstance(value, View):
        return pattern(value)
    if isinstance(value, tuple | list):
        return tuple(map(spelled, value))
    if is_dataclass(value):
        return type(value).__name__, tuple(spelled(getattr(value, f.name)) for f in fields(value))
    if callable(value) and hasattr(value, "__qualname__"):
        return value.__module__, value.__qualname__
    raise Refused(UNNUMBERED, f"an operand {value!r} cannot be compared")


def pattern(view: View) -> Hashable:
    """A view with its place: of what is passed as it is."""
    offsets = None if view.offsets is None else spelled(view.offsets)
    place = view.tensor.name, view.partition, view.offset
    return "view", *place, view.shape, view.steps, view.dtype.name, offsets


def outline(view: View, lanes: bool) -> Hashable:
    """What semantics see of a view: its shape, dtype and memory, with ``lanes`` its partitions."""
    tensor = view.tensor
    first = (tensor.partition or 0) + view.partition if lanes else 0
    return view.shape, view.dtype.name, tensor.memory.name, first
