"""Functions that move elements: between memories, across partitions, by index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nasm.nki.applying import copy
from nasm.nki.errors import refuse
from nasm.nki.indexing import flag, items, whole_number
from nasm.nki.matmuls import ones
from nasm.nki.names import DType
from nasm.nki.tensor import NkiTensor
from nasm.nki.tile_sizes import TileSize
from nasm.nki.tiles import FLOAT32, PSUM, SBUF, instruct, new, result, tile
from nasm.nki.tracing import current

SIZES = TileSize()


def _in_hbm(what: str, value: Any, argument: str) -> NkiTensor:
    if not isinstance(value, NkiTensor) or value.on_chip:
        refuse(f"nl.{what}: {argument} is {value!r}; wanted a tensor in HBM")
    if value.ndim < 2:
        refuse(
            f"nl.{what}: {argument} is {value!r}, of one axis; a tile has two or more",
            "which axis is the partitions? .reshape((n, 1)) or .reshape((1, n)) makes that clear",
        )
    return value


def load(src: Any, dtype: Any = None) -> NkiTensor:
    """A new tile in SBUF with what is in HBM."""
    source = _in_hbm("load", src, "src")
    dst = result("load", source.shape, source.dtype if dtype is None else dtype)
    instruct("dma_copy", dst=dst, src=source)
    return dst


def store(dst: Any, value: Any) -> None:
    """Write a tile into HBM."""
    source = tile("store", value, "value")
    if not isinstance(dst, NkiTensor) or dst.on_chip:
        refuse(f"nl.store: dst is {dst!r}; wanted a tensor in HBM")
    if source.buffer is PSUM:
        refuse(
            f"nl.store of {source!r}: no DMA reads PSUM from NKI 0.3 on",
            "nl.copy(tile) brings it to SBUF",
        )
    instruct("dma_copy", dst=dst, src=source)


def load_transpose2d(src: Any, dtype: Any = None) -> NkiTensor:
    """A new tile in SBUF with the transpose of what is in HBM."""
    source = _in_hbm("load_transpose2d", src, "src")
    if source.ndim != 2:
        refuse(f"nl.load_transpose2d of {source!r}: wanted two axes, found {source.ndim}")
    dst = result("load_transpose2d", source.shape[::-1], source.dtype)
    instruct("dma_transpose", dst=dst, src=source)
    return dst if dtype is None or DType(dtype) == dst.dtype else copy(dst, dtype)


def transpose(x: Any, dtype: Any = None) -> NkiTensor:
    """A tile of two axes with its partitions along the free axis: in PSUM."""
    data = tile("transpose", x)
    if data.ndim != 2:
        refuse(f"nl.transpose of {data!r}: wanted two axes, found {data.ndim}")
    dst = result("transpose", data.shape[::-1], data.dtype, PSUM)
    instruct("nc_transpose", dst=dst, data=data)
    if dtype is None or DType(dtype) == dst.dtype:
        return dst
    made = new("transpose", dst.shape, dtype, PSUM)
    instruct("tensor_copy", dst=made, src=dst)
    return made


def matmul(x: Any, y: Any, transpose_x: bool = False) -> NkiTensor:
    """The product of two matrices, as float32 in PSUM; the first one may be transposed already."""
    left, right = tile("matmul", x), tile("matmul", y, "y")
    if left.ndim != 2 or right.ndim != 2:
        refuse(f"nl.matmul of {left!r} and {right!r}: wanted two axes each")
    turned = flag(transpose_x, "transpose_x of nl.matmul")
    common = left.shape[0] if turned else left.shape[1]
    if common != right.shape[0]:
        refuse(
            f"nl.matmul of {list(left.shape)}{' transposed' if turned else ''} and "
            f"{list(right.shape)}: {common} columns and {right.shape[0]} rows"
        )
    stationary = left if turned else copy(transpose(left))
    dst = result("matmul", (stationary.shape[1], right.shape[1]), FLOAT32, PSUM)
    instruct("nc_matmul", dst=dst, stationary=stationary, moving=right, accumulate=False)
    return dst


def expand_dims(x: Any, axis: int) -> NkiTensor:
    """A view with a new axis of 1."""
    data = tile("expand_dims", x)
    at = whole_number(axis, "an axis of nl.expand_dims")
    return data.expand_dim(at + data.ndim + 1 if at < 0 else at)


def broadcast_to(x: Any, shape: Sequence[int], dtype: Any = None) -> NkiTensor:
    """Axes of 1 repeated: free axes as a view; a partition by a matmul with ones."""
    data = tile("broadcast_to", x)
    given = items(shape, "the shape of nl.broadcast_to")
    sizes = tuple(whole_number(n, "a size of nl.broadcast_to") for n in given)
    pairs = list(zip(data.shape, sizes, strict=False))
    if len(sizes) != data.ndim or any(a != b and (a != 1 or b < 1) for a, b in pairs):
        refuse(
            f"nl.broadcast_to({list(sizes)}) of {data!r}: wanted the same number of axes, "
            "each of 1 or of its size"
        )
    if data.shape[0] != sizes[0]:
        data = _on_partitions(data, sizes[0])
    for axis, (have, want) in enumerate(pairs):
        if axis and have != want:
            data = data.broadcast(axis, want)
    return data if dtype is None or DType(dtype) == data.dtype else copy(data, dtype)


def _on_partitions(x: NkiTensor, count: int) -> NkiTensor:
    """A partition repeated: the Tensor engine multiplies it by ones.

    Who reads what fits a bank where the matmul puts it, and who a copy, is found out later.
    """
    if x.view_.dtype.is_int:
        refuse(
            f"nl.broadcast_to of a partition of {x!r}: it goes through a matmul, of floats",
            "nl.copy(x, dtype=nl.float32) first, or a dma_copy for each partition",
        )
    row, trace = _row(x), current("nl.broadcast_to")

    def multiplied(into: NkiTensor, part: NkiTensor) -> NkiTensor:
        column = ones(trace, x.dtype)[:, :count]
        instruct("nc_matmul", dst=into, stationary=column, moving=part, accumulate=False)
        return into

    if row.size <= SIZES.psum_bank_fmax and x.dtype == FLOAT32:
        wide = multiplied(result("broadcast_to", (count, row.size), FLOAT32, PSUM), row)
        trace.spread.add(wide.view_.tensor.index)
        return NkiTensor(wide.view_, SBUF, FLOAT32).reshape((count, *x.shape[1:]))
    made = result("broadcast_to", (count, row.size), x.dtype)
    for start in range(0, row.size, SIZES.psum_bank_fmax):
        end = min(start + SIZES.psum_bank_fmax, row.size)
        into = new("broadcast_to", (count, end - start), FLOAT32, PSUM)
        instruct("tensor_copy", dst=made[:, start:end], src=multiplied(into, row[:, start:end]))
    return made.reshape((count, *x.shape[1:]))


def _row(x: NkiTensor) -> NkiTensor:
    """A partition where a matmul can read it: partition 0 of SBUF, its elements in one axis.

    Only a transfer brings it there from any other partition.
    """
    view = x.view_
    elsewhere = view.partition or view.tensor.partition or any(not d.axis for d in view.dynamic)
    if x.buffer is SBUF and elsewhere:
        first = new("broadcast_to", x.shape, x.dtype)
        instruct("dma_copy", dst=first, src=x)
        x = first
    elif x.buffer is not SBUF or (x.ndim > 2 and not x.is_contiguous()):
        x = copy(x)
    return x.reshape((1, x.size))


def gather_flattened(data: Any, indices: Any, axis: int = 0, dtype: Any = None) -> NkiTensor:
    """In each partition the elements that indices name, counted along all free axes."""
    source, by = (
        tile("gather_flattened", data, "data"),
        tile("gather_flattened", indices, "indices"),
    )
    if whole_number(axis, "axis of nl.gather_flattened"):
        refuse(f"nl.gather_flattened: axis={axis!r}; indices count along the free axes: axis=0")
    dst = result("gather_flattened", by.shape, source.dtype)
    instruct("nc_n_gather", dst=dst, data=source, indices=by)
    return dst if dtype is None or DType(dtype) == dst.dtype else copy(dst, dtype)
