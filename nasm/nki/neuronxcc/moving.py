"""Functions of NKI 0.1 that move elements."""

from __future__ import annotations

from typing import Any

from nasm.nki import moving
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.names import DType
from nasm.nki.neuronxcc.assigning import assign, spread
from nasm.nki.neuronxcc.elementwise import in_sbuf, on_chip, on_partitions
from nasm.nki.neuronxcc.operators import op_word
from nasm.nki.neuronxcc.regions import region, regions
from nasm.nki.neuronxcc.resolving import patterns
from nasm.nki.neuronxcc.results import new, nothing, read, result, write
from nasm.nki.neuronxcc.tensor import TileTensor, of
from nasm.nki.tiles import instruct, number


def load(src: Any, *, mask: Any = None, dtype: Any = None) -> TileTensor:
    """A new tile in SBUF with what is in HBM, where a mask holds."""
    source = _in_hbm("load", src)
    kind = DType(source.storage.dtype if dtype is None else dtype)
    left = regions([], source.shape, mask)
    if not left:
        return nothing(source.shape, kind)
    parts = [piece for box in left for piece in patterns(source, box)]
    bounds = tuple(
        (min(b[n][0] for b in parts), max(b[n][1] for b in parts)) for n in range(source.ndim)
    )
    tile = new("load", tuple(hi - lo for lo, hi in bounds), kind)
    for box in parts:
        into = tile
        if len(parts) > 1:
            key = tuple(slice(b - lo, e - lo) for (b, e), (lo, _) in zip(box, bounds, strict=True))
            into = tile[key]
        made = read(source, box)
        instruct(
            "dma_copy", dst=into, src=made if made.ndim > 1 else made.reshape((*made.shape, 1))
        )
    shape = source.shape if source.ndim > 1 else (*source.shape, 1)
    whole = result(tile, shape, bounds if source.ndim > 1 else (*bounds, (0, 1)))
    if len(left) > 1:
        whole.mask = mask
    return whole


def _in_hbm(what: str, value: Any) -> TileTensor:
    if not isinstance(value, TileTensor) or value.on_chip:
        refuse(f"nl.{what}: {value!r}; wanted a tensor in HBM", "a tile on chip is there already")
    return value


def store(dst: Any, value: Any, *, mask: Any = None) -> None:
    """Write a tile into HBM, where a mask holds."""
    target = _in_hbm("store", dst)
    if number(value):
        fill = new("store", (1, 1) if target.ndim < 2 else target.shape, target.storage.dtype)
        instruct("memset", dst=fill, value=value)
        value = of(fill)
    assign(target, on_chip("store", value, "value"), mask)


def load_transpose2d(src: Any, *, mask: Any = None, dtype: Any = None) -> TileTensor:
    """A new tile in SBUF with the transpose of what is in HBM."""
    source = _in_hbm("load_transpose2d", src)
    box = region([], source.shape, mask)
    if box is None:
        return nothing(source.shape[::-1], source.storage.dtype)
    made = moving.load_transpose2d(read(source, box), dtype)
    return result(made, source.shape[::-1], box[::-1])


def transpose(x: Any, *, dtype: Any = None, mask: Any = None) -> TileTensor:
    """A tile of two axes turned."""
    tile = on_chip("transpose", x)
    box = region([tile], tile.shape, mask)
    if box is None:
        return nothing(tile.shape[::-1], tile.storage.dtype)
    return result(moving.transpose(read(tile, box), dtype), tile.shape[::-1], box[::-1])


def matmul(x: Any, y: Any, *, transpose_x: Any = False, mask: Any = None) -> TileTensor:
    """The product of two matrices, in PSUM."""
    no_mask("matmul", mask)
    left, right = on_chip("matmul", x, "x"), on_chip("matmul", y, "y")
    return result(moving.matmul(in_sbuf(read(left)), in_sbuf(read(right)), transpose_x))


def no_mask(what: str, mask: Any) -> None:
    """Refuse a mask where a call takes none."""
    if mask is not None:
        refuse(f"mask= of nl.{what}", "index the tiles with what is wanted of them")


def broadcast_to(src: Any, *, shape: Any) -> TileTensor:
    """Axes of 1 repeated, of a tile or a tensor in HBM."""
    if isinstance(src, TileTensor) and not src.on_chip:
        sizes = tuple(shape)
        key = [slice(None)] * src.ndim
        return src[tuple(key)] if sizes == src.shape else _repeated(src, sizes)
    tile = on_chip("broadcast_to", src, "src")
    sizes = tuple(shape)
    flat = (tile.shape[0], *(1,) * (len(sizes) - tile.ndim), *tile.shape[1:])
    made = spread(read(tile), flat)
    if sizes and made.shape[0] == 1 != sizes[0]:
        made = on_partitions(made, sizes[0])
    return result(moving.broadcast_to(made, sizes))


def _repeated(src: TileTensor, sizes: tuple[int, ...]) -> TileTensor:
    made = read(src)
    while made.ndim < len(sizes):
        made = made.reshape((1, *made.shape))
    for axis, size in enumerate(sizes):
        if made.shape[axis] != size:
            made = made.broadcast(axis, size)
    return of(made, src)


def expand_dims(data: Any, axis: Any) -> TileTensor:
    """A view with a new axis of 1."""
    return on_chip("expand_dims", data, "data").expand_dims(whole_number(axis, "an axis"))


def gather_flattened(data: Any, indices: Any, *, mask: Any = None, dtype: Any = None) -> TileTensor:
    """In each partition the elements that indices name."""
    no_mask("gather_flattened", mask)
    source, by = on_chip("gather_flattened", data), on_chip("gather_flattened", indices)
    made = moving.gather_flattened(read(source), read(by), 0, dtype)
    return result(made)


def atomic_rmw(dst: Any, value: Any, op: Any, *, mask: Any = None) -> None:
    """Add a tile to what is in HBM."""
    target, source = _in_hbm("atomic_rmw", dst), on_chip("atomic_rmw", value, "value")
    box = region([source], source.shape, mask)
    if box is not None:
        into = write(target, box)
        instruct("dma_compute", dst=into, srcs=[read(source, box), into], reduce_op=op_word(op))
