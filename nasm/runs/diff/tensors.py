"""What two runs leave in their outputs: equal, or where it first differs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import Array, DType
from nasm.base.pieces import windows
from nasm.machine import tensor_io
from nasm.machine.addresses import Addresses
from nasm.runs.diff.records import FirstElement, TensorChange
from nasm.runs.execution import Execution
from nasm.views.tensor import Tensor
from nasm.views.view import View


def outputs(a: Execution, b: Execution) -> Iterator[TensorChange]:
    """The outputs of two runs, in the order in which a declares them; those of b alone last."""
    mine, others = _outputs(a), _outputs(b)
    for name, tensor in mine.items():
        other = others.pop(name, None)
        if other is None:
            yield TensorChange(name, _element_text(tensor), "", apart="only a has it")
        else:
            yield compared(a.machine.addresses, tensor, b.machine.addresses, other)
    for name, other in others.items():
        yield TensorChange(name, "", _element_text(other), apart="only b has it")


def _outputs(session: Execution) -> dict[str, Tensor]:
    tensors = session.program.tensors
    return {n: t for n, t in tensors.items() if t.role in ("output", "inout")}


def _element_text(tensor: Tensor) -> str:
    return f"{tensor.dtype.name}{list(tensor.shape)}"


def compared(a: Addresses, mine: Tensor, b: Addresses, other: Tensor) -> TensorChange:
    """Two tensors, each where it is: equal, or where they first differ."""
    text = _element_text(mine), _element_text(other)
    if mine.shape != other.shape:
        return TensorChange(mine.name, *text, apart="the shapes differ")
    if mine.dtype is not other.dtype:
        return TensorChange(mine.name, *text, apart="the dtypes differ")
    elements = [tensor_io.as_it_is(where, t) for where, t in ((a, mine), (b, other))]
    known = [tensor_io.known(where, View.whole(t)) for where, t in ((a, mine), (b, other))]
    count, first, largest = 0, None, None
    for window in windows(mine.shape):
        found = _piece(mine.dtype, *(e[window] for e in elements), *(k[window] for k in known))
        if not found.differs.any():
            continue
        count += int(np.count_nonzero(found.differs))
        largest = _larger(largest, found.largest)
        if first is None:
            first = found.first(tuple(part.start or 0 for part in window))
    return TensorChange(
        mine.name, *text, elements=math.prod(mine.shape), count=count, first=first, largest=largest
    )


def _larger(one: float | None, other: float | None) -> float | None:
    """The larger difference; NaN is larger than any."""
    if one is None or other is None:
        return other if one is None else one
    return one if math.isnan(one) or one > other else other


class _piece:  # noqa: N801  (what is found in a piece of two arrays)
    """Elements of a piece: which differ, and by how much at most."""

    def __init__(self, dtype: DType, a: Array, b: Array, in_a: Array, in_b: Array) -> None:
        self.a, self.b = (_numbers(array, dtype) for array in (a, b))
        self.in_a, self.in_b = in_a, in_b
        with np.errstate(all="ignore"):
            alike = (self.a == self.b) | (np.isnan(self.a) & np.isnan(self.b))
            both = in_a & in_b
            self.differs: Any = (in_a != in_b) | (both & ~alike)
            apart = np.abs(self.a - self.b)[both & ~alike]
        self.largest = float(np.max(apart)) if apart.size else None

    def first(self, origin: tuple[int, ...]) -> FirstElement:
        """The first that differs; ``origin`` is where the piece begins."""
        at = np.unravel_index(int(np.argmax(self.differs)), self.differs.shape)
        index = tuple(o + int(i) for o, i in zip(origin, at, strict=True))
        return FirstElement(
            index,
            float(self.a[at]) if self.in_a[at] else None,
            float(self.b[at]) if self.in_b[at] else None,
        )


def _numbers(array: Array, dtype: DType) -> Array:
    """Elements as float64, exactly; packed ones as the numbers of their bits."""
    if dtype.kind is dtypes.ElementKind.PACKED:
        return array.astype(np.float64)
    return dtypes.to_float64(array, dtype)
