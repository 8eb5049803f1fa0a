"""Instructions of NKI 0.1 whose result has another shape, and those that move elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.nki.errors import refuse
from nasm.nki.names import (
    DTYPES,
    DType,
    MemoryRegion,
    dge_mode,
    matmul_perf_mode,
    oob_mode,
    reduce_cmd,
)
from nasm.nki.neuronxcc.affine import Predicate
from nasm.nki.neuronxcc.along_axes import reduced
from nasm.nki.neuronxcc.assigning import assign
from nasm.nki.neuronxcc.elementwise import copied, in_sbuf, on_chip, part
from nasm.nki.neuronxcc.instructions import column_of, engine_of, float_of, known_in, tensor_copy
from nasm.nki.neuronxcc.operators import op_word
from nasm.nki.neuronxcc.regions import region, regions
from nasm.nki.neuronxcc.results import PSUM, SBUF, new, nothing, read, result, write
from nasm.nki.neuronxcc.tensor import TileTensor
from nasm.nki.neuronxcc.walks import Box, all_of
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import instruct
from nasm.nki.tracing import current


def _shaped(
    name: str,
    data: Any,
    shape: Callable[[NkiTensor], tuple[int, ...]],
    kind: Any,
    mask: Any,
    **more: Any,
) -> TileTensor:
    """A call whose result has another shape, of what a mask leaves of its operand."""
    tile = on_chip(name, data)
    box = region([tile], tile.shape, mask)
    if box is None:
        return nothing(tile.shape, kind or tile.storage.dtype)
    source = read(tile, box)
    sizes = shape(source)
    dst = new(name, sizes, DType(tile.storage.dtype if kind is None else kind))
    word = "src" if name == "max8" else "segment_ids" if name == "sequence_bounds" else "data"
    instruct(name, dst=dst, **{word: source}, **more)
    rows = (box[0], *((0, n) for n in sizes[1:]))
    return result(dst, (tile.shape[0], *sizes[1:]), rows)


def bn_stats(data: Any, *, mask: Any = None, dtype: Any = None) -> TileTensor:
    """Counts, means and sums of squares of what there is in each partition."""
    return _shaped("bn_stats", data, lambda tile: (tile.shape[0], 6), dtype, mask)


def bn_aggr(data: Any, *, mask: Any = None, dtype: Any = None) -> TileTensor:
    """The mean and the variance of what statistics are of."""
    return _shaped("bn_aggr", data, lambda tile: (tile.shape[0], 2), dtype, mask)


def max8(*, src: Any, mask: Any = None, dtype: Any = None) -> TileTensor:
    """The eight greatest of each partition."""
    return _shaped("max8", src, lambda tile: (tile.shape[0], 8), dtype, mask)


def sequence_bounds(*, segment_ids: Any, dtype: Any = None) -> TileTensor:
    """Where the segment of each element begins and ends."""
    return _shaped(
        "sequence_bounds", segment_ids, lambda t: (t.shape[0], 2, t.shape[-1]), dtype, None
    )


def nc_find_index8(*, data: Any, vals: Any, mask: Any = None, dtype: Any = None) -> TileTensor:
    """Where eight values are in each partition."""
    kind = DTYPES["uint32"] if dtype is None else dtype
    values = _rows(vals, data, mask)
    return _shaped("nc_find_index8", data, lambda tile: (tile.shape[0], 8), kind, mask, vals=values)


def _rows(value: Any, data: Any, mask: Any) -> NkiTensor:
    """The partitions of a tile that a mask leaves of another one."""
    tile, of_ = on_chip("isa", value), on_chip("isa", data)
    box = region([of_], of_.shape, mask)
    if box is None:
        return read(tile)
    return read(tile, (box[0], *((0, n) for n in tile.shape[1:])))


def select_reduce(
    *,
    dst: Any,
    predicate: Any,
    on_true: Any,
    on_false: Any,
    reduce_res: Any = None,
    reduce_cmd: Any = reduce_cmd.idle,
    reduce_op: Any = "maximum",
    reverse_pred: Any = False,
    mask: Any = None,
    dtype: Any = None,
) -> None:
    """Elements of one where a predicate holds, of another elsewhere; and their greatest."""
    into, by = on_chip("select_reduce", dst), on_chip("select_reduce", predicate)
    box = region([by], into.shape, mask)
    if box is None:
        return
    instruct(
        "select_reduce",
        dst=write(into, box),
        predicate=part(by, into.shape, box),
        on_true=known_in(on_true, box, into.shape),
        on_false=known_in(on_false, box, into.shape),
        reduce_res=None if reduce_res is None else column_of(reduce_res, box),
        reduce_cmd=reduce_cmd,
        reduce_op=op_word(reduce_op),
        reverse_pred=reverse_pred,
    )


def tensor_scalar_cumulative(
    *,
    dst: Any,
    src: Any,
    op0: Any,
    op1: Any,
    imm0: Any,
    imm1: Any = None,
    reduce_cmd: Any = reduce_cmd.reset_reduce,
    mask: Any = None,
) -> None:
    """An operator of a tile and a number, and a running value of the results, every one kept."""
    into, tile = on_chip("tensor_scalar_cumulative", dst), on_chip("tensor_scalar_cumulative", src)
    box = region([tile], into.shape, mask)
    if box is None:
        return
    instruct(
        "tensor_scalar_cumulative",
        dst=write(into, box),
        src=part(tile, into.shape, box),
        op0=op_word(op0),
        op1=op_word(op1),
        imm0=known_in(imm0, box, into.shape),
        imm1=known_in(imm1, box, into.shape),
        reduce_cmd=reduce_cmd,
    )


def nc_match_replace8(
    *, data: Any, vals: Any, imm: Any, dst_idx: Any = None, mask: Any = None, dtype: Any = None
) -> TileTensor:
    """The first of each of eight values replaced by a number."""
    tile = on_chip("nc_match_replace8", data)
    box = region([tile], tile.shape, mask)
    if box is None:
        return nothing(tile.shape, tile.storage.dtype)
    source = read(tile, box)
    dst = new("nc_match_replace8", source.shape, tile.storage.dtype if dtype is None else dtype)
    places = None if dst_idx is None else on_chip("nc_match_replace8", dst_idx, "dst_idx")
    instruct(
        "nc_match_replace8",
        dst=dst,
        data=source,
        vals=_rows(vals, data, mask),
        imm=float_of(imm.item() if hasattr(imm, "item") else imm),
        dst_idx=None
        if places is None
        else write(places, (box[0], *((0, n) for n in places.shape[1:]))),
    )
    return result(dst, tile.shape, box)


def local_gather(
    src_buffer: Any,
    index: Any,
    num_elem_per_idx: Any = 1,
    num_valid_indices: Any = None,
    *,
    mask: Any = None,
) -> TileTensor:
    """In groups of partitions the elements that indices name."""
    source, by = on_chip("local_gather", src_buffer), read(on_chip("local_gather", index))
    count = by.size // by.shape[0] * 16 if num_valid_indices is None else num_valid_indices
    sizes = (source.shape[0], count * num_elem_per_idx)
    dst = new("local_gather", sizes, source.storage.dtype)
    instruct(
        "local_gather",
        dst=dst,
        src_buffer=in_sbuf(read(source)),
        index=by,
        num_elem_per_idx=num_elem_per_idx,
        num_valid_indices=num_valid_indices,
    )
    columns = by.size // by.shape[0]
    if count == columns * 16:
        return result(dst.reshape((source.shape[0], columns, 16, num_elem_per_idx)))
    return result(dst)


def tensor_reduce(
    op: Any,
    data: Any,
    axis: Any,
    *,
    mask: Any = None,
    dtype: Any = None,
    negate: Any = False,
    keepdims: Any = False,
) -> TileTensor:
    """A reduction along free axes."""

    def apply(tile: NkiTensor, axes: tuple[int, ...]) -> NkiTensor:
        sizes = tile.shape[: tile.ndim - len(axes)] + (1,) * len(axes)
        dst = new("tensor_reduce", sizes, tile.dtype if dtype is None else dtype)
        instruct(
            "tensor_reduce",
            dst=dst,
            op=op_word(op),
            data=tile,
            axis=axes,
            negate=bool(negate),
            keepdims=True,
        )
        return dst

    return reduced("tensor_reduce", apply, data, axis, mask, keepdims)


def tensor_partition_reduce(
    op: Any, data: Any, *, mask: Any = None, dtype: Any = None
) -> TileTensor:
    """A reduction across partitions."""
    tile = on_chip("tensor_partition_reduce", data)
    box = region([tile], tile.shape, mask)
    kind = tile.storage.dtype if dtype is None else dtype
    if box is None:
        return nothing((1, *tile.shape[1:]), kind)
    source = in_sbuf(read(tile, box))
    dst = new("tensor_partition_reduce", (1, *source.shape[1:]), kind)
    instruct("tensor_partition_reduce", dst=dst, op=op_word(op), data=source)
    return result(dst, (1, *tile.shape[1:]), ((0, 1), *box[1:]))


def nc_matmul(
    stationary: Any,
    moving: Any,
    *,
    is_stationary_onezero: Any = False,
    is_moving_onezero: Any = False,
    is_transpose: Any = False,
    tile_position: Any = (),
    tile_size: Any = (),
    perf_mode: Any = None,
    mask: Any = None,
) -> TileTensor:
    """A tile loaded, and another streamed past it: the product is in PSUM."""
    loaded = on_chip("nc_matmul", stationary, "stationary")
    streamed = on_chip("nc_matmul", moving, "moving")
    boxes = None if mask is None else _boxes(loaded, streamed, mask)
    if mask is not None and boxes is None:
        return nothing((*loaded.shape[1:], *streamed.shape[1:]), DTYPES["float32"])
    parts = boxes or (None, None)
    left, right = in_sbuf(read(loaded, parts[0])), in_sbuf(read(streamed, parts[1]))
    double = perf_mode not in (None, "", matmul_perf_mode.none)
    columns = left.shape[-1] if double else left.size // left.shape[0]
    free = right.shape[2:] if double else right.shape[1:]
    kind = right.dtype if is_transpose else DTYPES["float32"]
    dst = new("nc_matmul", (columns, *free), kind, PSUM)
    if (tile_position and _first(left) != int(tile_position[0])) or (
        tile_position and tile_position[1]
    ):
        # Where in the array a product is made follows from where its tiles are.
        tile_position = tile_size = ()
    instruct(
        "nc_matmul",
        dst=dst,
        stationary=left,
        moving=right,
        is_stationary_onezero=bool(is_stationary_onezero),
        is_moving_onezero=bool(is_moving_onezero),
        is_transpose=bool(is_transpose),
        accumulate=False,
        tile_position=tuple(map(int, tile_position)),
        tile_size=tuple(map(int, tile_size)),
        perf_mode=matmul_perf_mode.double_row if double else matmul_perf_mode.none,
    )
    if boxes is None:
        return result(dst)
    whole = (*loaded.shape[1:], *streamed.shape[1:])
    return result(dst, whole, (*boxes[0][1:], *boxes[1][1:]))


def _boxes(loaded: TileTensor, streamed: TileTensor, mask: Any) -> list[Box] | None:
    """What of the operands of a matmul a mask has left; None if that is nothing.

    It is made of the index vectors of one of them, and its partitions are those of both.
    """
    tiles = loaded, streamed
    fitting = [n for n, t in enumerate(tiles) if isinstance(mask, Predicate) and mask.fits(t.shape)]
    found = [all_of(tile.shape) for tile in tiles]
    for number in fitting or [1]:
        box = region([tiles[number]], tiles[number].shape, mask)
        if box is None:
            return None
        found[number] = box
    cut = [box[1:] != all_of(tile.shape)[1:] for box, tile in zip(found, tiles, strict=True)]
    if len(fitting) > 1 and any(cut):
        refuse(
            "mask= of nisa.nc_matmul that could be of either tile: both have as many columns",
            "index the tile with what is wanted of it",
        )
    rows = max(box[0][0] for box in found), min(box[0][1] for box in found)
    return [(rows, *box[1:]) for box in found]


def _first(tile: NkiTensor) -> int:
    """The partition with which a tile begins."""
    return tile.view_.partition + (tile.view_.tensor.partition or 0)


def nc_transpose(
    data: Any, *, mask: Any = None, dtype: Any = None, engine: Any = None
) -> TileTensor:
    """A tile turned: by the TileTensor engine into PSUM, by Vector into SBUF."""
    tile = on_chip("nc_transpose", data)
    box = region([tile], tile.shape, mask)
    if box is None:
        return nothing(tile.shape[::-1], tile.storage.dtype)
    source = read(tile, box)
    source = (
        source
        if source.ndim == 2
        else source.reshape((source.shape[0], source.size // source.shape[0]))
    )
    by = engine_of(engine)
    small = max(source.shape) <= 32 and by.name == "unknown"
    buffer = SBUF if by.name == "vector" or (small and source.dtype.stored.is_int) else PSUM
    dst = _turned(source, by, buffer)
    made = result(dst) if tile.ndim != 2 else result(dst, tile.shape[::-1], box[::-1])
    if dtype is None or DType(dtype) == tile.storage.dtype:
        return made
    return tensor_copy(made, dtype=dtype)


def _turned(source: NkiTensor, by: Any, buffer: MemoryRegion) -> NkiTensor:
    """The transpose of a tile; of bytes without the zeros that the Tensor engine adds."""
    rows, columns = source.shape[::-1]
    exact = current("nisa.nc_transpose").builder.generation.switches["transpose_exact"]
    spaced = exact and buffer is PSUM and source.view_.dtype.itemsize == 1
    dst = new("nc_transpose", (rows, columns * (1 + spaced)), source.dtype, buffer)
    if not spaced:
        instruct("nc_transpose", dst=dst, data=source, engine=by)
        return dst
    instruct("nc_transpose", dst=dst[:, ::2], data=source, engine=by)
    return copied(dst[:, ::2], None)


def nc_stream_shuffle(
    src: Any, dst: Any, shuffle_mask: Any, *, dtype: Any = None, mask: Any = None
) -> None:
    """Partitions of each group of 32 in another order."""
    source, into = on_chip("nc_stream_shuffle", src), on_chip("nc_stream_shuffle", dst)
    if mask is not None:
        refuse("mask= of nisa.nc_stream_shuffle", "index the tiles with what is wanted of them")
    instruct(
        "nc_stream_shuffle",
        dst=write(into),
        src=read(source),
        shuffle_mask=[int(n) for n in shuffle_mask],
    )


def dma_copy(
    *,
    dst: Any,
    src: Any,
    mask: Any = None,
    dst_rmw_op: Any = None,
    oob_mode: Any = oob_mode.error,
    dge_mode: Any = dge_mode.unknown,
) -> None:
    """Elements moved by DMA, where a mask holds."""
    if not isinstance(dst, TileTensor) or not isinstance(src, TileTensor):
        refuse(f"nisa.dma_copy of {src!r} to {dst!r}: wanted two tensors")
    plain = dst_rmw_op is None and oob_mode.name == "error" and dge_mode.name == "unknown"
    if plain and dst.dynamic is None and src.dynamic is None:
        assign(dst, src, mask) if not (dst.on_chip and src.on_chip) else _moved(dst, src, mask)
        return
    _moved(dst, src, mask, op_word(dst_rmw_op), oob_mode=oob_mode, dge_mode=dge_mode)


def _moved(dst: TileTensor, src: TileTensor, mask: Any, op: Any = None, **modes: Any) -> None:
    for box in regions([src], src.shape, mask):
        source = read(src, box)
        into = write(dst, box if dst.shape == src.shape else None)
        if op is not None:
            modes.pop("dge_mode", None)
            instruct("dma_compute", dst=into, srcs=[source, into], reduce_op=op, **modes)
        else:
            instruct("dma_copy", dst=into, src=source, **modes)


def dma_transpose(src: Any, *, axes: Any = None, mask: Any = None, dtype: Any = None) -> TileTensor:
    """A transpose by DMA."""
    if not isinstance(src, TileTensor):
        refuse(f"nisa.dma_transpose of {src!r}: wanted a tensor")
    source = read(src, region([src], src.shape, mask) if mask is not None else None)
    order = tuple(axes) if axes is not None else tuple(reversed(range(source.ndim)))
    dst = new("dma_transpose", tuple(source.shape[n] for n in order), src.storage.dtype)
    instruct("dma_transpose", dst=dst, src=source, axes=None if axes is None else list(axes))
    made = result(dst)
    return made if dtype is None or DType(dtype) == dst.dtype else tensor_copy(made, dtype=dtype)


def builtin_custom_op(*args: Any, **kwargs: Any) -> None:
    """A program of the user's for GpSimd: there is none here."""
    refuse("nisa.builtin_custom_op: a program in C++ for GpSimd's processors is not simulated")
