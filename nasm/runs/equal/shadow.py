"""The memories of a program as value numbers: which definition each unit of its bytes holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.list_kinds import views
from nasm.program.program import Program
from nasm.runs.equal.value_numbers import UNNUMBERED, UNWRITTEN, Tokens
from nasm.views.tensor import Tensor
from nasm.views.view import View

MOST_UNITS = 1 << 27
"""Units of the memories of a program, eight bytes each: above this nothing is compared."""


class TooCoarse(Exception):
    """A view reaches a part of a unit."""


class ShadowMemory:
    """Value numbers by memory, tensor and byte; ``unit`` is how many bytes have one number.

    ``areas`` number the tensors that share bytes, by their index: each area is a rectangle of rows
    and units, made when it is touched first.
    """

    def __init__(self, program: Program, areas: Mapping[int, int], unit: int) -> None:
        self.unit = unit
        self._areas = areas
        self._groups: dict[int, list[Tensor]] = {}
        for tensor in program.tensors.values():
            self._groups.setdefault(areas[tensor.index], []).append(tensor)
        self._made: dict[int, tuple[Tokens, int, int]] = {}
        self._units = 0

    def window(self, view: View) -> Tokens:
        """The units of a view, which share the memory: the shape of the view, and a last axis."""
        unit, tensor, size = self.unit, view.tensor, view.dtype.itemsize
        held, row, base = self._area(tensor)
        start = (tensor.offset or 0) + view.offset - base
        steps = [step * size for step in view.steps]
        lanes = tensor.memory.partitions > 0
        free = steps[1:] if lanes else steps
        if start % unit or size % unit or any(step % unit for step in free):
            raise TooCoarse
        pitch, each = held.strides
        strides = [step // unit * each for step in free]
        if lanes:
            first = (tensor.partition or 0) + view.partition - row
            strides = [view.steps[0] * pitch, *strides]
        else:
            first = 0
        at = first * held.shape[1] + start // unit
        shape = (*view.shape, size // unit)
        pairs = zip(strides, view.shape, strict=True)
        reach = [stride // each * (count - 1) for stride, count in pairs]
        high = at + sum(step for step in reach if step > 0) + shape[-1]
        if at + sum(step for step in reach if step < 0) < 0 or high > held.size:
            raise Refused(UNNUMBERED, f"a view of {tensor.name} reaches past it")
        part = held.reshape(-1)[at:]
        return np.lib.stride_tricks.as_strided(part, shape, (*strides, each))

    def _area(self, tensor: Tensor) -> tuple[Tokens, int, int]:
        area = self._areas[tensor.index]
        found = self._made.get(area)
        if found is None:
            found = self._made[area] = self._rectangle(self._groups[area])
        return found

    def _rectangle(self, group: Iterable[Tensor]) -> tuple[Tokens, int, int]:
        places = [(t.partition or 0, max(1, t.partitions), t.offset or 0, t.bytes) for t in group]
        if any(t.arrangement is not None for t in group):
            raise Refused(UNNUMBERED, "the elements of a tensor are not in the order of its bytes")
        row, base = min(p for p, *_ in places), min(at for _, _, at, _ in places)
        rows = max(p + count for p, count, *_ in places) - row
        units = -(-(max(at + size for *_, at, size in places) - base) // self.unit)
        self._units += rows * units
        if self._units > MOST_UNITS:
            raise Refused(UNNUMBERED, f"its tensors have more than {MOST_UNITS:,} elements")
        return np.full((rows, units), UNWRITTEN, np.int64), row, base


def unit_of(programs: Iterable[Program]) -> int:
    """The bytes that all elements and places of some programs are multiples of."""
    found = 0
    for program in programs:
        for tensor in program.tensors.values():
            found = gcd(found, tensor.dtype.itemsize, tensor.offset or 0)
        for instruction in program.instructions:
            for operand in instruction.operands:
                some = views(operand)
                if isinstance(operand, DeclaredTransfer):
                    some = tuple(view for move in operand.moves for view in move)
                for view in some:
                    found = gcd(found, view.dtype.itemsize, view.offset)
    return found or 1
