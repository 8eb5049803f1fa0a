"""Functions of NKI 0.1 that work element by element, where a mask holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nasm.base.records import replace
from nasm.nki import applying, functions, moving
from nasm.nki.errors import refuse
from nasm.nki.names import DTYPES, DType
from nasm.nki.neuronxcc.assigning import spread
from nasm.nki.neuronxcc.regions import narrowed, region
from nasm.nki.neuronxcc.results import SBUF, new, nothing, read, result
from nasm.nki.neuronxcc.tensor import TileTensor
from nasm.nki.neuronxcc.walks import Box
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import instruct, number

COMPARING = (
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
)
"""Functions whose result is of truth values unless a dtype is given."""

BOOL = DTYPES["bool_"]


def shape_of(what: str, tensors: Sequence[TileTensor]) -> tuple[int, ...]:
    """The shape that tiles have together; one of fewer axes gets axes of 1 after the first."""
    most = max(t.ndim for t in tensors)
    shapes = [(t.shape[0], *(1,) * (most - t.ndim), *t.shape[1:]) for t in tensors]
    for sizes in zip(*shapes, strict=True):
        if len({n for n in sizes if n != 1}) > 1:
            refuse(
                f"nl.{what} of {' and '.join(str(list(t.shape)) for t in tensors)}",
                "shapes are equal, or 1 on an axis, which is repeated",
            )
    return tuple(max(sizes) for sizes in zip(*shapes, strict=True))


def part(tensor: TileTensor, shape: tuple[int, ...], box: Box) -> NkiTensor:
    """What a call reads of a tile in a part of its index space, with as many axes."""
    sizes = (tensor.shape[0], *(1,) * (len(shape) - tensor.ndim), *tensor.shape[1:])
    inner = (box[0], *box[1 + len(shape) - tensor.ndim :])
    made = read(tensor, narrowed(tensor, inner))
    wanted = tuple(1 if n == 1 else hi - lo for n, (lo, hi) in zip(sizes, box, strict=True))
    return spread(made, wanted)


def elementwise(
    what: str, apply: Callable[..., NkiTensor], given: Sequence[Any], mask: Any, dtype: Any
) -> TileTensor:
    """A function of tiles and numbers of one shape, where a mask holds."""
    tensors = [on_chip(what, value) for value in given if not number(value)]
    if not tensors:
        refuse(f"nl.{what} of numbers alone: wanted a tile")
    shape = shape_of(what, tensors)
    box = region(tensors, shape, mask)
    if box is None:
        return nothing(shape, tensors[0].storage.dtype if dtype is None else dtype)
    parts = [v if number(v) else part(v, shape, box) for v in given]
    made = apply(*(plain(v) for v in _same_partitions(parts)))
    return result(made, shape, box)


def plain(value: Any) -> Any:
    """A number of NumPy as Python's."""
    return value.item() if hasattr(value, "item") else value


def _same_partitions(parts: list[Any]) -> list[Any]:
    """Tiles of one partition repeated on as many as the others have."""
    counts = {p.shape[0] for p in parts if isinstance(p, NkiTensor)}
    if len(counts) < 2:
        return parts
    most = max(counts)
    return [
        on_partitions(p, most) if isinstance(p, NkiTensor) and p.shape[0] != most else p
        for p in parts
    ]


def on_partitions(tile: NkiTensor, count: int) -> NkiTensor:
    """A tile of one partition on as many: floats by a matmul with ones, integers by DMA."""
    if not tile.view_.dtype.is_int:
        return moving.broadcast_to(tile, (count, *tile.shape[1:]))
    made = new("broadcast_to", (count, *tile.shape[1:]), tile.dtype)
    view = tile.view_
    repeated = replace(view, shape=made.shape, steps=(0, *view.steps[1:]))
    instruct("dma_copy", dst=made, src=NkiTensor(repeated, tile.buffer, tile.dtype))
    return made


def on_chip(what: str, value: Any, argument: str = "an argument") -> TileTensor:
    """An argument that is a tile."""
    if not isinstance(value, TileTensor) or not value.on_chip:
        hint = "nl.load(tensor) brings it there" if isinstance(value, TileTensor) else ""
        refuse(f"nl.{what}: {argument} is {value!r}; wanted a tile on chip", hint)
    return value


def binary(name: str) -> Callable[..., TileTensor]:
    """An operator of two tiles, or of a tile and a number."""
    usual = BOOL if name in COMPARING else None
    combine = COMBINED.get(name)

    def applied(x: Any, y: Any, *, dtype: Any = usual, mask: Any = None) -> TileTensor:
        def apply(a: Any, b: Any) -> NkiTensor:
            kind = None if dtype is None else DType(dtype)
            return combine(a, b, kind) if combine else applying.binary(name, a, b, kind)

        return elementwise(name, apply, (x, y), mask, dtype)

    return applied


def _divide(x: Any, y: Any, dtype: Any) -> NkiTensor:
    """By a number its reciprocal is multiplied by; by a tile, that of the tile.

    A quotient of integers keeps its fraction, in float32: AWS's resize_nearest, whose test is
    published, rounds it down itself. The rules of promotion name the integers' own dtype.
    """
    if dtype is None and all(_whole(value) for value in (x, y)):
        dtype = DType("float32")
    if number(y):
        if not y:
            refuse("a division by 0")
        return applying.binary("multiply", x, 1 / y, dtype)
    turned = applying.reciprocal(y, "float32")
    return applying.binary("multiply", x, turned, dtype or (x if not number(x) else y).dtype)


def _whole(value: Any) -> bool:
    """Whether a number, or a tile's elements, are integers."""
    return isinstance(value, int) if number(value) else value.view_.dtype.is_int


def _mod(
    x: Any, y: Any, dtype: Any, whole: Callable[..., NkiTensor] = functions.floor
) -> NkiTensor:
    """What is left over: x - y * floor(x / y)."""
    count = whole(_divide(x, y, "float32"))
    kind = dtype or (x if not number(x) else y).dtype
    return applying.binary("subtract", x, applying.binary("multiply", count, y, "float32"), kind)


def _fmod(x: Any, y: Any, dtype: Any) -> NkiTensor:
    return _mod(x, y, dtype, functions.trunc)


COMBINED: dict[str, Callable[..., NkiTensor]] = {"divide": _divide, "mod": _mod, "fmod": _fmod}
"""Operators that no instruction has."""


def unary(
    name: str, apply: Callable[..., NkiTensor], usual: Any = None
) -> Callable[..., TileTensor]:
    """A function of one tile."""

    def applied(x: Any, *, dtype: Any = usual, mask: Any = None) -> TileTensor:
        kind = None if dtype is None else DType(dtype)
        return elementwise(name, lambda a: apply(a, kind), (x,), mask, dtype)

    return applied


def rsqrt(x: NkiTensor, dtype: Any) -> NkiTensor:
    """The reciprocal of the square root, of a tile in any memory."""
    return applying.rsqrt(x if x.buffer is SBUF else applying.copy(x, "float32"), dtype)


def copy(src: Any, *, mask: Any = None, dtype: Any = None) -> TileTensor:
    """A new tile in SBUF."""
    return elementwise("copy", lambda a: copied(a, dtype), (src,), mask, dtype)


def copied(src: NkiTensor, dtype: Any) -> NkiTensor:
    """A new tile in SBUF with the elements of another."""
    made = new("copy", src.shape, src.dtype if dtype is None else dtype)
    instruct("tensor_copy", dst=made, src=src)
    return made


def in_sbuf(tile: NkiTensor) -> NkiTensor:
    """A tile where matmuls and GpSimd, which reach no PSUM, can read it."""
    return tile if tile.buffer is SBUF else copied(tile, None)


def static_cast(input_data: Any, dtype: Any) -> Any:
    """The same values as another dtype; itself if it has that already."""
    if isinstance(input_data, np.ndarray):
        return input_data.astype(DType(dtype).stored.numpy)
    tile = on_chip("static_cast", input_data, "input_data")
    return tile if DType(dtype) == tile.storage.dtype else copy(tile, dtype=dtype)


def where(condition: Any, x: Any, y: Any, *, dtype: Any = None, mask: Any = None) -> TileTensor:
    """Elements of one where a condition is not 0, of another elsewhere."""
    return elementwise(
        "where", lambda c, a, b: applying.where(c, a, b, dtype), (condition, x, y), mask, dtype
    )
