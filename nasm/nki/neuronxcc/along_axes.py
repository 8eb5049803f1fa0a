"""Functions of NKI 0.1 along the free axes of a tile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.nki import reducing
from nasm.nki.errors import refuse
from nasm.nki.indexing import flag, whole_number
from nasm.nki.neuronxcc.elementwise import elementwise, on_chip
from nasm.nki.neuronxcc.regions import region
from nasm.nki.neuronxcc.results import nothing, read, result
from nasm.nki.neuronxcc.tensor import TileTensor
from nasm.nki.tensor import NkiTensor


def last(tile: NkiTensor, axes: tuple[int, ...]) -> NkiTensor:
    """A tile with some of its free axes put last."""
    order = [n for n in range(tile.ndim) if n not in axes] + list(axes)
    return tile if order == list(range(tile.ndim)) else tile.permute(order)


def axes_of(what: str, axis: Any, ndim: int) -> tuple[int, ...]:
    """The axes that a function works along, in order."""
    given = axis if isinstance(axis, list | tuple) else (axis,)
    made = tuple(sorted({whole_number(n, f"an axis of nl.{what}") % ndim for n in given}))
    if not made or made[0] == 0:
        refuse(
            f"nl.{what} along {list(made)}: wanted free axes, of 1 and above",
            "across partitions nisa.tensor_partition_reduce, or a matmul with ones",
        )
    return made


def reduced(
    what: str, apply: Callable[..., NkiTensor], x: Any, axis: Any, mask: Any, keepdims: Any
) -> TileTensor:
    """A function along free axes: of what a mask leaves of them."""
    tile = on_chip(what, x)
    axes = axes_of(what, axis, tile.ndim)
    box = region([tile], tile.shape, mask)
    kept = tuple(1 if n in axes else size for n, size in enumerate(tile.shape))
    if box is None:
        return nothing(kept, tile.storage.dtype)
    made = apply(last(read(tile, box), axes), tuple(range(tile.ndim - len(axes), tile.ndim)))
    inner = tuple((0, 1) if n in axes else span for n, span in enumerate(box))
    whole = made.reshape(tuple(hi - lo for lo, hi in inner))
    keeps = flag(keepdims, f"keepdims of nl.{what}")
    return _without(result(whole, kept, inner), () if keeps else axes)


def _without(tensor: TileTensor, axes: tuple[int, ...]) -> TileTensor:
    """Without axes of 1, of which one stays where else no free axis would."""
    drops = axes if tensor.ndim - len(axes) > 1 else axes[1:]
    if not drops:
        return tensor
    return tensor[tuple(0 if n in drops else slice(None) for n in range(tensor.ndim))]


def reduction(name: str, op: str) -> Callable[..., TileTensor]:
    """A function that reduces by an operator."""

    def applied(
        x: Any, axis: Any, *, dtype: Any = None, mask: Any = None, keepdims: Any = False
    ) -> TileTensor:
        def apply(tile: NkiTensor, axes: tuple[int, ...]) -> NkiTensor:
            return reducing.reduced(name, op, tile, axes, dtype, keepdims=True)

        return reduced(name, apply, x, axis, mask, keepdims)

    return applied


def statistic(name: str, of_tile: Callable[..., NkiTensor]) -> Callable[..., TileTensor]:
    """A function of all elements along some axes."""

    def applied(
        x: Any, axis: Any, *, dtype: Any = None, mask: Any = None, keepdims: Any = False
    ) -> TileTensor:
        def apply(tile: NkiTensor, axes: tuple[int, ...]) -> NkiTensor:
            return of_tile(tile, axes, dtype, keepdims=True)

        return reduced(name, apply, x, axis, mask, keepdims)

    return applied


def softmax(
    x: Any, axis: Any, *, dtype: Any = None, compute_dtype: Any = None, mask: Any = None
) -> TileTensor:
    """E to the power of x, over their sum."""
    tile = on_chip("softmax", x)
    axes = axes_of("softmax", axis, tile.ndim)
    return elementwise("softmax", lambda a: reducing.softmax(a, axes, dtype), (x,), mask, dtype)


def rms_norm(
    x: Any,
    w: Any,
    axis: Any,
    n: Any,
    epsilon: float = 1e-6,
    *,
    dtype: Any = None,
    compute_dtype: Any = None,
    mask: Any = None,
) -> TileTensor:
    """X over the root of the mean of its squares, times a weight."""
    tile, weight = on_chip("rms_norm", x), read(on_chip("rms_norm", w, "w"))
    axes = axes_of("rms_norm", axis, tile.ndim)

    def apply(a: NkiTensor) -> NkiTensor:
        return reducing.rms_norm(a, weight, axes, n, epsilon, dtype, compute_dtype)

    return elementwise("rms_norm", apply, (x,), mask, dtype)
