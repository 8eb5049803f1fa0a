"""Registers in addresses: an instruction's operands once they are known."""

from __future__ import annotations

from nasm.base.problems import Refused
from nasm.views.view import Dynamic, Reg, View


def resolved(operand: object, held: dict[int, int]) -> object:
    """An operand with the registers in its address replaced by their values."""
    if isinstance(operand, View) and operand.dynamic:
        return _view(operand, held)
    return operand


def _view(view: View, held: dict[int, int]) -> View:
    """A view whose starts are known: refuses one that leaves its tensor."""
    partition, offset = view.partition, view.offset
    for dynamic in view.dynamic:
        value = held[dynamic.register]
        if not 0 <= value <= dynamic.limit:
            raise Refused(
                "E0506",
                f"{Reg(dynamic.register)} holds {value}: axis {dynamic.axis} of "
                f"{view.tensor.name} can start at 0 to {dynamic.limit} here",
            )
        partition, offset = _moved(view, dynamic, value, partition, offset)
    return View(view.tensor, view.dtype, partition, offset, view.shape, view.steps)


def _moved(
    view: View, dynamic: Dynamic, value: int, partition: int, offset: int
) -> tuple[int, int]:
    if dynamic.axis == 0 and view.partitioned:
        return partition + value * dynamic.stride, offset
    return partition, offset + value * dynamic.stride
