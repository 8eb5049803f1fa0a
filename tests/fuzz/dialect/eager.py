"""What a kernel of NKI 0.1 means: each call executed at once, in NumPy, one after the other.

It shares nothing with :mod:`nasm.nki`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.fuzz.dialect.cells import (
    Array,
    Cells,
    Ref,
    Span,
    Unmodelled,
    applied,
    assigned,
    meshes,
    new,
    tile,
    whole,
)


def load(src: Any, *, mask: Any = None, dtype: Any = None) -> Ref:
    if not isinstance(src, Ref) or src.on_chip:
        raise Unmodelled
    data, known = src.read(mask)
    if data.ndim < 2:
        data, known = data.reshape((*data.shape, 1)), known.reshape((*known.shape, 1))
    return new(data, known)


def store(dst: Any, value: Any, *, mask: Any = None) -> None:
    if not isinstance(dst, Ref) or dst.on_chip:
        raise Unmodelled
    if isinstance(value, Ref):
        tile(value)
    assigned(dst, value, mask)


def reduced(function: Any) -> Any:
    def apply(
        x: Any, axis: Any, *, mask: Any = None, keepdims: Any = False, dtype: Any = None
    ) -> Ref:
        data, known = tile(x).read()
        axes = tuple(sorted({int(n) % data.ndim for n in np.atleast_1d(axis)}))
        if not axes or axes[0] == 0:
            raise Unmodelled
        if mask is None:
            made, sure = function(data, axis=axes, keepdims=True), known.all(axes, keepdims=True)
        else:
            live = np.broadcast_to(mask, data.shape)
            sure = (known | ~live).all(axes, keepdims=True) & live.any(axes, keepdims=True)
            full = {np.sum: 0.0, np.max: -np.inf, np.min: np.inf}[function]
            made = function(np.where(live, data, full), axis=axes, keepdims=True)
        if not keepdims:
            dropped = axes if data.ndim - len(axes) > 1 else axes[1:]
            made, sure = np.squeeze(made, dropped), np.squeeze(sure, dropped)
        return new(made, sure)

    return apply


def matmul(stationary: Any, moving: Any, **more: Any) -> Ref:
    (a, known), (b, also) = tile(stationary).read(), tile(moving).read()
    if a.ndim != 2 or b.ndim != 2 or a.shape[0] != b.shape[0] or any(more.values()):
        raise Unmodelled
    with np.errstate(all="ignore"):
        sure = known.all(0)[:, None] & also.all(0)[None, :]
        return new(np.where(sure, a.T @ b, 0), sure, "psum")


def tensor_scalar(
    data: Any, op0: Any, operand0: Any, reverse0: Any = False, op1: Any = None,
    operand1: Any = None, reverse1: Any = False, *, mask: Any = None, dtype: Any = None,
) -> Ref:  # fmt: skip
    made = _scalar(data, op0, operand0, reverse0, mask if op1 is None else None)
    return made if op1 is None else _scalar(made, op1, operand1, reverse1, mask)


def _scalar(data: Any, op: Any, operand: Any, reverse: Any, mask: Any) -> Ref:
    if isinstance(operand, Ref) and (
        operand.shape[1:] != (1,) or data.shape[0] != operand.shape[0]
    ):
        raise Unmodelled
    pair = (operand, data) if reverse else (data, operand)
    return applied(ufunc(op), *pair, mask=mask)


def ufunc(op: Any) -> Any:
    found = getattr(op, "numpys", op)
    if found in REDUCING:
        found = REDUCING[found]
    if not isinstance(found, np.ufunc):
        raise Unmodelled
    return found


REDUCING = {np.max: np.maximum, np.min: np.minimum, np.sum: np.add}


def activation(
    op: Any, data: Any, *, bias: Any = None, scale: Any = 1.0, mask: Any = None, dtype: Any = None
) -> Ref:
    given = [data, *(v for v in (bias, scale) if isinstance(v, Ref))]
    if len(given) > 1:
        raise Unmodelled
    plus = 0.0 if bias is None else float(bias)
    function = ufunc(op)
    return applied(lambda a: function(a * float(scale) + plus), data, mask=mask)


def select(pred: Any, on_true_tile: Any, on_false_value: Any, *, mask: Any = None) -> Ref:
    data, known = tile(on_true_tile).read()
    live = np.broadcast_to(pred, data.shape)
    return new(np.where(live, data, float(on_false_value)), known | ~live)


def transpose(data: Any, *, mask: Any = None, engine: Any = None) -> Ref:
    found, known = tile(data).read()
    if found.ndim != 2 or mask is not None:
        raise Unmodelled
    return new(found.T, known.T, "psum")


# ---------------------------------------------------------------- loops


class LoopNumber(int):
    """The number of a round, which knows its loop."""

    loop: object


class Loops:
    """The loops that are open, and what ``nl.loop_reduce`` has in them."""

    def __init__(self) -> None:
        self.open: list[LoopNumber] = []
        self.kept: dict[Any, Ref] = {}

    def range(self, *bounds: Any) -> Iterator[LoopNumber]:
        loop, depth = object(), len(self.open)
        try:
            for number in range(*map(int, bounds)):
                made = LoopNumber(number)
                made.loop = loop
                self.open[depth:] = [made]
                yield made
        finally:
            del self.open[depth:]

    def reduce(self, x: Any, op: Any, loop_indices: Any, *, mask: Any = None) -> Ref:
        loops = [getattr(one, "loop", None) for one in loop_indices]
        if not loops or any(all(loop is not one.loop for one in self.open) for loop in loops):
            raise Unmodelled
        others = tuple((id(n.loop), int(n)) for n in self.open if n.loop not in loops)
        frame = sys._getframe(1)
        first = next(n.loop for n in self.open if any(n.loop is loop for loop in loops))
        key = (frame.f_lineno, frame.f_lasti, others, id(first))
        before = self.kept.get(key)
        data, known = tile(x).read()
        if before is None:
            made = self.kept[key] = new(data, known if mask is None else known & mask)
            return made
        made = applied(ufunc(op), before, x, mask=mask)
        assigned(before, made, added=True)
        return before


# ---------------------------------------------------------------- modules


class Par(int):
    """``nl.par_dim``."""


def _made(shape: Any, buffer: Any, fill: Any) -> Ref:
    sizes = list(shape)
    lead = next((n for n, size in enumerate(sizes) if isinstance(size, Par)), 0)
    memory = buffer or "sbuf"
    plain = tuple(int(n) for n in sizes)
    if memory == "hbm":
        lead = 0
    elif len(plain) - lead < 2:
        plain = (*plain, 1)
    made = whole(Cells(plain, memory, lead))
    if fill is not None:
        made.write(np.full(plain, float(fill)), np.ones(plain, bool))
    return made


def _op(function: Any) -> Any:
    def apply(*given: Any, mask: Any = None, dtype: Any = None) -> Ref:
        return applied(function, *given, mask=mask)

    apply.numpys = function  # type: ignore[attr-defined]
    return apply


def _along(function: Any) -> Any:
    apply = reduced(function)
    apply.numpys = REDUCING[function]
    return apply


def modules() -> Any:
    """``neuronxcc``, as kernels import it."""
    loops = Loops()
    nl = SimpleNamespace(
        float32="float32", hbm="hbm", shared_hbm="hbm", private_hbm="hbm", sbuf="sbuf", psum="psum",
        ndarray=lambda shape, dtype=None, buffer=None, **_: _made(shape, buffer, None),
        zeros=lambda shape, dtype=None, buffer=None, **_: _made(shape, buffer, 0),
        ones=lambda shape, dtype=None, buffer=None, **_: _made(shape, buffer, 1),
        full=lambda shape, fill_value, dtype=None, buffer=None, **_: _made(
            shape, buffer, fill_value
        ),
        arange=lambda *n: np.arange(*map(int, n)), mgrid=meshes(), ds=Span, par_dim=Par,
        affine_range=loops.range, sequential_range=loops.range, loop_reduce=loops.reduce,
        static_range=range, load=load, store=store, sum=_along(np.sum), max=_along(np.max),
        min=_along(np.min), copy=_op(np.positive), exp=_op(np.exp), square=_op(np.square),
        add=_op(np.add), subtract=_op(np.subtract), multiply=_op(np.multiply),
        maximum=_op(np.maximum), minimum=_op(np.minimum), abs=_op(np.abs),
    )  # fmt: skip
    nisa = SimpleNamespace(
        nc_matmul=matmul, tensor_scalar=tensor_scalar, activation=activation,
        tensor_tensor=lambda a, b, op, *, mask=None, **_: applied(ufunc(op), a, b, mask=mask),
        tensor_reduce=lambda op, data, axis, **more: {
            np.add: nl.sum, np.maximum: nl.max, np.minimum: nl.min,
        }[ufunc(op)](data, axis, **more),
        tensor_copy=nl.copy, nc_transpose=transpose, affine_select=select,
        memset=lambda shape, value, dtype=None: _made(shape, "sbuf", value),
    )  # fmt: skip
    return SimpleNamespace(nki=SimpleNamespace(jit=lambda f: f, language=nl, isa=nisa))


def meant(source: str, arrays: Sequence[Array]) -> tuple[Array, Array]:
    """What the kernel of a text returns, and which elements of it are known."""
    made = modules()

    def imported(name: str, *_: Any) -> Any:
        return made if name.startswith("neuronxcc") else __import__(name)

    builtins = {**vars(__import__("builtins")), "__import__": imported}
    names: dict[str, Any] = {"__builtins__": builtins, "__name__": "kernel"}
    exec(compile(source, "<meant>", "exec"), names)
    given = []
    for array in arrays:
        one = whole(Cells(array.shape, "hbm"))
        one.write(array.astype(np.float64), np.ones(array.shape, bool))
        given.append(one)
    result = names["kernel"](*given)
    if not isinstance(result, Ref):
        raise Unmodelled
    return result.read()
