"""Sums of NKI 0.1 in PSUM: products of matmuls that accumulate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.base.problems import Refused
from nasm.nki.errors import refuse
from nasm.nki.names import MemoryRegion
from nasm.nki.neuronxcc.assigning import assign, before, box_of, refit
from nasm.nki.neuronxcc.regions import region
from nasm.nki.neuronxcc.resolving import resolved
from nasm.nki.neuronxcc.results import begun_in, settled
from nasm.nki.neuronxcc.tensor import TileTensor, Zeroed
from nasm.nki.tracing import current
from nasm.views.view import View

SBUF, PSUM = MemoryRegion.sbuf, MemoryRegion.psum


def add_to(target: TileTensor, value: Any) -> None:
    """``target += value``: products of matmuls accumulate in PSUM, all else is an addition."""
    if not target.on_chip:
        refuse(
            f"+= onto {target!r}, which is in HBM",
            "load it, add, and store the sum; nl.atomic_rmw adds in HBM",
        )
    if isinstance(value, TileTensor) and target.buffer is PSUM:
        if _accumulated(target, value):
            return
        _same_dtype(target, value)
    apply: Callable[..., TileTensor] = _ADD["add"]
    assign(target, apply(target, value, dtype=target.dtype))


def _same_dtype(target: TileTensor, value: TileTensor) -> None:
    """Refuse to add a product to a tile in PSUM of another dtype: no instruction does that."""
    mine, theirs = target.storage.dtype, value.storage.dtype
    if value.buffer is PSUM and mine != theirs:
        refuse(
            f"+= of a product, which is {theirs}, onto {target!r} in PSUM",
            f"products add up in a tile of {theirs}: nl.copy(sum, dtype={mine}) afterwards",
        )


_ADD: dict[str, Callable[..., TileTensor]] = {}


def adding_by(add: Callable[..., TileTensor]) -> None:
    """Enter the addition of two tiles."""
    _ADD["add"] = add


def _accumulated(target: TileTensor, value: TileTensor) -> bool:
    """Have a matmul add to what is in its place, instead of making a tile."""
    call, trace = value.storage.fresh, current("neuronxcc.nki")
    if call is None or "accumulate" not in call.row.position or trace.open[-1][-1] is not call:
        return False
    if target.storage.dtype != value.storage.dtype or call.operands.get("is_transpose"):
        return False
    box = region([value], value.shape, None) if value.storage.partial else None
    dst = before(trace, call, lambda: resolved(target, box and box_of(target, value, box)))
    fitted = refit(dst.view_, call.operands["dst"].shape)
    if fitted is None:
        return False
    settled(target.storage)
    state = target.storage.zeroed.get(fitted.tensor.index)
    call.operands["dst"], call.operands["accumulate"] = fitted, _adds(state, fitted)
    value.storage.moved = target
    return True


def _adds(state: Zeroed | None, dst: View) -> bool:
    """Whether a matmul adds: the first into a place that was filled with 0 need not."""
    if state is None:
        return True
    try:
        parts = begun_in(dst).parts(dst)
    except Refused:
        parts = []
    state.needed = state.needed or len(parts) != 1
    return parts[0][2] if len(parts) == 1 else True
