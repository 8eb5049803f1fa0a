"""Functions along the free axes of a tile."""

from __future__ import annotations

import math
from typing import Any

from nasm.nki.applying import binary, broadcast_shape, rsqrt, scaled, spread
from nasm.nki.errors import refuse
from nasm.nki.indexing import flag
from nasm.nki.moving import broadcast_to
from nasm.nki.names import DType
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import FLOAT32, free_axes, instruct, new, number, result, tile
from nasm.views.value_text import value_text


def reduced(
    what: str, op: str, x: Any, axis: Any, dtype: Any = None, keepdims: bool = False
) -> NkiTensor:
    """A reduction along the last axes: they go, or become 1."""
    data = tile(what, x)
    axes = free_axes(what, data, axis)
    kept = _kept(data, axes)
    dst = result(what, kept, data.dtype if dtype is None else dtype)
    instruct("tensor_reduce", dst=dst, op=op, data=data, axis=axes, keepdims=True)
    return dst if flag(keepdims, f"keepdims of nl.{what}") else _dropped(dst, axes)


def _kept(data: NkiTensor, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(1 if n in axes else size for n, size in enumerate(data.shape))


def _dropped(x: NkiTensor, axes: tuple[int, ...]) -> NkiTensor:
    """Without the axes, of which one stays where else no free axis would."""
    shape = [size for n, size in enumerate(x.shape) if n not in axes]
    return x.reshape(tuple(shape) if len(shape) > 1 else (*shape, 1))


def mean(x: Any, axis: Any, dtype: Any = None, keepdims: bool = False) -> NkiTensor:
    """The arithmetic mean, computed in float32."""
    data = tile("mean", x)
    axes = free_axes("mean", data, axis)
    made = _mean("mean", data, axes, data.dtype if dtype is None else DType(dtype))
    return made if flag(keepdims, "keepdims of nl.mean") else _dropped(made, axes)


def _mean(what: str, data: NkiTensor, axes: tuple[int, ...], dtype: Any) -> NkiTensor:
    total = new(what, _kept(data, axes), FLOAT32)
    instruct("tensor_reduce", dst=total, op="add", data=data, axis=axes, keepdims=True)
    count = math.prod(data.shape[n] for n in axes)
    return scaled(what, total, "multiply", 1 / count, dtype)


def var(x: Any, axis: Any, dtype: Any = None, keepdims: bool = False) -> NkiTensor:
    """The mean of the squares of what is left without the mean; axes stay, as 1."""
    data = tile("var", x)
    axes = free_axes("var", data, axis)
    middle = _mean("var", data, axes, FLOAT32)
    rest = _apart("var", data, middle)
    instruct("activation", dst=rest, op="square", data=rest)
    return _mean("var", rest, axes, data.dtype if dtype is None else DType(dtype))


def _apart(what: str, data: NkiTensor, middle: NkiTensor) -> NkiTensor:
    """Data - middle, in float32."""
    dst = result(what, broadcast_shape(what, data, middle), FLOAT32)
    instruct("tensor_tensor", dst=dst, data1=data, data2=spread(middle, dst.shape), op="subtract")
    return dst


def softmax(x: Any, axis: Any = -1, dtype: Any = None) -> NkiTensor:
    """E to the power of x, over their sum; the maximum is taken off first."""
    data = tile("softmax", x)
    axes = free_axes("softmax", data, axis)
    most = reduced("softmax", "maximum", data, axes, FLOAT32, keepdims=True)
    powers = _apart("softmax", data, most)
    instruct("activation", dst=powers, op="exp", data=powers)
    total = reduced("softmax", "add", powers, axes, FLOAT32, keepdims=True)
    instruct("reciprocal", dst=total, data=total)
    return binary("multiply", powers, total, data.dtype if dtype is None else dtype)


def rms_norm(
    x: Any,
    w: Any,
    axis: Any,
    n: Any,
    epsilon: float = 1e-6,
    dtype: Any = None,
    compute_dtype: Any = None,
) -> NkiTensor:
    """X over the root of the mean of its squares, times a weight."""
    data, weight = tile("rms_norm", x), tile("rms_norm", w, "w")
    axes = free_axes("rms_norm", data, axis)
    if not number(n) or not n:
        refuse(f"nl.rms_norm: n is {value_text(n)}; wanted how many elements a mean is of")
    inner = FLOAT32 if compute_dtype is None else DType(compute_dtype)
    squares = new("rms_norm", data.shape, inner)
    instruct("activation", dst=squares, op="square", data=data)
    total = reduced("rms_norm", "add", squares, axes, FLOAT32, keepdims=True)
    factor = rsqrt(
        scaled("rms_norm", total, "multiply", 1 / n, FLOAT32, op1="add", operand1=epsilon)
    )
    if weight.shape[0] == 1 != data.shape[0]:
        weight = broadcast_to(weight, (data.shape[0], *weight.shape[1:]))
    made = binary("multiply", data, factor, inner)
    return binary("multiply", made, weight, data.dtype if dtype is None else dtype)
