"""Registers in addresses: an instruction's operands once they are known."""

from __future__ import annotations

from collections.abc import Mapping

from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.views.view import Dynamic, Reg, View

Held = int | tuple[int, int]
"""What a register holds: a number, or something from one number to another."""


def resolved(operand: object, held: Mapping[int, Held]) -> object:
    """An operand with the registers in its address replaced by their values.

    One that is not known stays, and moves it from its least value on.
    """
    if isinstance(operand, View) and operand.dynamic:
        return _view(operand, held)
    return operand


def _view(view: View, held: Mapping[int, Held]) -> View:
    """A view whose starts are known: refuses one that leaves its tensor."""
    partition, offset = view.partition, view.offset
    open_: list[Dynamic] = []
    for dynamic in view.dynamic:
        value = held[dynamic.register]
        if isinstance(value, tuple):
            low, high = max(value[0], 0), min(value[1], dynamic.limit)
            if low < high:
                open_.append(replace(dynamic, limit=high - low))
            value = low if low <= high else value[0]
        if not 0 <= value <= dynamic.limit:
            raise Refused(
                "E0506",
                f"{Reg(dynamic.register)} holds {value}: axis {dynamic.axis} of "
                f"{view.tensor.name} can start at 0 to {dynamic.limit} here",
            )
        partition, offset = _moved(view, dynamic, value, partition, offset)
    tensor, dtype, shape, steps = view.tensor, view.dtype, view.shape, view.steps
    return View(tensor, dtype, partition, offset, shape, steps, tuple(open_))


def _moved(
    view: View, dynamic: Dynamic, value: int, partition: int, offset: int
) -> tuple[int, int]:
    if dynamic.axis == 0 and view.partitioned:
        return partition + value * dynamic.stride, offset
    return partition, offset + value * dynamic.stride
