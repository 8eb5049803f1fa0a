"""``neuronxcc.nki.isa``: instructions that return tiles.

Each is a row of ``nki.isa`` with its ``dst`` left out: a result of the shape of what it is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.names import DTYPES, DType, dge_mode, engine, matmul_perf_mode, oob_mode, reduce_cmd
from nasm.nki.neuronxcc.affine import Box, Index, Predicate
from nasm.nki.neuronxcc.language import on_chip, op_word, part, shape_of
from nasm.nki.neuronxcc.results import (
    PSUM,
    SBUF,
    assign,
    new,
    nothing,
    read,
    region,
    regions,
    result,
    write,
)
from nasm.nki.neuronxcc.tensor import Tensor, resolved
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import instruct, number, wider

LEAST = float(np.finfo(np.float32).min)


def _tile(value: Any, box: Box, shape: tuple[int, ...]) -> Any:
    """An operand in a part of the index space: a tile's part, a column, or what it is."""
    if not isinstance(value, Tensor):
        return (
            value.item() if hasattr(value, "item") else op_word(value) if callable(value) else value
        )
    if value.shape != shape and value.size == value.shape[0]:
        column = read(
            value, (box[0] if value.shape[0] > 1 else (0, 1), *((0, 1),) * (value.ndim - 1))
        )
        return column.reshape((column.shape[0], 1))
    return part(value, shape, box)


def _emit(
    name: str,
    main: tuple[str, ...],
    given: dict[str, Any],
    *,
    dtype: Any = None,
    mask: Any = None,
    kind: Any = None,
    written: tuple[str, ...] = (),
) -> Tensor:
    """A call whose result has the shape of its main operands, where a mask holds."""
    tensors = [on_chip(name, given[one], one) for one in main]
    shape = shape_of(name, tensors)
    box = region(tensors, shape, mask)
    usual = tensors[0].storage.dtype
    for other in tensors[1:]:
        usual = wider(usual, other.storage.dtype)
    found = DType(dtype if dtype is not None else usual if kind is None else kind)
    if box is None:
        return nothing(shape, found)
    dst = new(name, tuple(hi - lo for lo, hi in box), found)
    values = {}
    for word, value in given.items():
        if word in written:
            values[word] = None if value is None else _column(value, box)
        elif word in main:
            values[word] = part(value, shape, box)
        else:
            values[word] = _tile(value, box, shape)
    instruct(name, dst=dst, **values)
    return result(dst, shape, box)


def _column(value: Any, box: Box) -> NkiTensor:
    """A tile of one element for each partition that a call writes beside its result."""
    tile = on_chip("isa", value)
    made = write(tile, (box[0], *((0, n) for n in tile.shape[1:])))
    return made.reshape((made.shape[0], made.size // made.shape[0]))


def _engine(value: Any) -> Any:
    return engine.unknown if value is None else value


# ---------------------------------------------------------------- element by element


def activation(
    op: Any,
    data: Any,
    *,
    bias: Any = None,
    scale: Any = 1.0,
    reduce_op: Any = None,
    reduce_res: Any = None,
    reduce_cmd: Any = reduce_cmd.idle,
    mask: Any = None,
    dtype: Any = None,
) -> Tensor:
    """A function of Scalar's tables of data * scale + bias."""
    word = op_word(op)
    given = {
        "op": word,
        "data": data,
        "bias": bias,
        "scale": scale,
        "reduce_op": op_word(reduce_op),
    }
    given |= {"reduce_res": reduce_res, "reduce_cmd": reduce_cmd}
    return _emit("activation", ("data",), given, dtype=dtype, mask=mask, written=("reduce_res",))


def activation_reduce(
    op: Any,
    data: Any,
    *,
    reduce_op: Any,
    reduce_res: Any,
    bias: Any = None,
    scale: Any = 1.0,
    mask: Any = None,
    dtype: Any = None,
) -> Tensor:
    """An activation, and the sum of what it makes in each partition."""
    given = {"op": op_word(op), "data": data, "reduce_op": op_word(reduce_op)}
    given |= {"reduce_res": reduce_res, "bias": bias, "scale": scale}
    return _emit(
        "activation_reduce", ("data",), given, dtype=dtype, mask=mask, written=("reduce_res",)
    )


def tensor_scalar(
    data: Any,
    op0: Any,
    operand0: Any,
    reverse0: Any = False,
    op1: Any = None,
    operand1: Any = None,
    reverse1: Any = False,
    *,
    dtype: Any = None,
    mask: Any = None,
    engine: Any = None,
) -> Tensor:
    """One or two operators of a tile and a number, or a value for each partition."""
    given = {"data": data, "op0": op_word(op0), "operand0": operand0, "reverse0": reverse0}
    given |= {"op1": op_word(op1), "operand1": operand1, "reverse1": reverse1}
    given["engine"] = _engine(engine)
    return _emit("tensor_scalar", ("data",), _divisor(given), dtype=dtype, mask=mask)


def _divisor(given: dict[str, Any]) -> dict[str, Any]:
    """A division by a number as a product, which instructions have."""
    for n in "01":
        op, by = given.get(f"op{n}"), given.get(f"operand{n}")
        if getattr(op, "operator_name", op) == "divide" and number(by) and not given[f"reverse{n}"]:
            if not by:
                refuse("nisa.tensor_scalar: a division by 0")
            given |= {f"op{n}": "multiply", f"operand{n}": 1 / by}
    return given


def tensor_tensor(
    data1: Any, data2: Any, op: Any, *, dtype: Any = None, mask: Any = None, engine: Any = None
) -> Tensor:
    """An operator of two tiles."""
    given = {"data1": data1, "data2": data2, "op": op_word(op), "engine": _engine(engine)}
    return _emit("tensor_tensor", ("data1", "data2"), given, dtype=dtype, mask=mask)


def scalar_tensor_tensor(
    *,
    data: Any,
    op0: Any,
    operand0: Any,
    op1: Any,
    operand1: Any,
    reverse0: Any = False,
    reverse1: Any = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """An operator with a number, and one with another tile."""
    given = {"data": data, "op0": op_word(op0), "operand0": operand0, "op1": op_word(op1)}
    given |= {"operand1": operand1, "reverse0": reverse0, "reverse1": reverse1}
    main = ("data", "operand1") if _full(operand1, data) else ("data",)
    return _emit("scalar_tensor_tensor", main, given, dtype=dtype, mask=mask)


def _full(value: Any, data: Any) -> bool:
    return isinstance(value, Tensor) and isinstance(data, Tensor) and value.size == data.size


def tensor_scalar_reduce(
    *,
    data: Any,
    op0: Any,
    operand0: Any,
    reduce_op: Any,
    reduce_res: Any,
    reverse0: Any = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """An operator with a number, and the sum of what it makes in each partition."""
    given = {"data": data, "op0": op_word(op0), "operand0": operand0, "reverse0": reverse0}
    given |= {"reduce_op": op_word(reduce_op), "reduce_res": reduce_res}
    return _emit(
        "tensor_scalar_reduce", ("data",), given, dtype=dtype, mask=mask, written=("reduce_res",)
    )


def reciprocal(data: Any, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """1 / data."""
    return _emit("reciprocal", ("data",), {"data": data}, dtype=dtype, mask=mask)


def tensor_copy(src: Any, *, mask: Any = None, dtype: Any = None, engine: Any = None) -> Tensor:
    """A copy in SBUF."""
    given = {"src": src, "engine": _engine(engine)}
    return _emit("tensor_copy", ("src",), given, dtype=dtype, mask=mask)


def tensor_copy_dynamic_src(
    src: Any, *, mask: Any = None, dtype: Any = None, engine: Any = None
) -> Tensor:
    """A copy of what a tile addresses."""
    return tensor_copy(src, mask=mask, dtype=dtype, engine=engine)


def tensor_copy_dynamic_dst(
    *, dst: Any, src: Any, mask: Any = None, dtype: Any = None, engine: Any = None
) -> None:
    """A copy to where a tile addresses."""
    source, into = on_chip("tensor_copy_dynamic_dst", src), on_chip("tensor_copy_dynamic_dst", dst)
    box = region([source], source.shape, mask)
    if box is not None:
        instruct("tensor_copy", dst=write(into, box), src=read(source, box), engine=_engine(engine))


def tensor_copy_predicated(
    *,
    src: Any,
    dst: Any,
    predicate: Any,
    reverse_pred: Any = False,
    mask: Any = None,
    dtype: Any = None,
) -> None:
    """A copy of the elements that a predicate names."""
    into, by = on_chip("tensor_copy_predicated", dst), on_chip("tensor_copy_predicated", predicate)
    box = region([by], into.shape, mask)
    if box is None:
        return
    given = {"src": _tile(src, box, into.shape), "predicate": _unsigned(part(by, into.shape, box))}
    instruct("tensor_copy_predicated", dst=write(into, box), reverse_pred=reverse_pred, **given)


def _unsigned(predicate: NkiTensor) -> NkiTensor:
    from nasm.nki.applying import predicate as as_predicate

    return predicate if predicate.dtype == "bool_" else as_predicate(predicate)


def tensor_tensor_scan(
    data0: Any,
    data1: Any,
    initial: Any,
    op0: Any,
    op1: Any,
    reverse0: Any = False,
    reverse1: Any = False,
    *,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """Along a row: each result from the one before and two elements."""
    given = {"data0": data0, "data1": data1, "initial": _number(initial), "op0": op_word(op0)}
    given |= {"op1": op_word(op1), "reverse0": reverse0, "reverse1": reverse1}
    return _emit("tensor_tensor_scan", ("data0", "data1"), given, dtype=dtype, mask=mask)


def _number(value: Any) -> Any:
    return float(value) if type(value) is int else value


def dropout(data: Any, prob: Any, *, mask: Any = None, dtype: Any = None) -> Tensor:
    """Elements, some of which become 0."""
    return _emit("dropout", ("data",), {"data": data, "prob": prob}, dtype=dtype, mask=mask)


def affine_select(
    pred: Any, on_true_tile: Any, on_false_value: Any, *, mask: Any = None, dtype: Any = None
) -> Tensor:
    """A tile where an affine predicate holds, and a number elsewhere."""
    if not isinstance(pred, Predicate):
        refuse(f"nisa.affine_select: pred is {pred!r}; wanted a comparison of index expressions")
    tile = on_chip("affine_select", on_true_tile)
    box = region([tile], tile.shape, mask)
    if box is None:
        return nothing(tile.shape, tile.storage.dtype)
    source, kind = read(tile, box), DType(tile.storage.dtype if dtype is None else dtype)
    made = source
    for least in pred.least:
        over = pred._fits(least, tile.shape)
        dst = new("affine_select", source.shape, kind)
        instruct(
            "affine_select",
            dst=dst,
            pattern=_walk(over, box),
            channel_multiplier=over.steps[0],
            on_true_tile=made,
            on_false_value=_number(on_false_value),
            cmp_op="greater_equal",
            offset=over.at(box),
        )
        made = dst
    return result(made, tile.shape, box)


def _walk(over: Index, box: Box) -> list[list[int]]:
    """The free axes of an index expression as steps and counts."""
    return [[s, hi - lo] for s, (lo, hi) in list(zip(over.steps, box, strict=True))[1:]]


def iota(expr: Any, dtype: Any, *, mask: Any = None) -> Tensor:
    """The values of an index expression."""
    if not isinstance(expr, Index) or not expr.shape:
        refuse(f"nisa.iota: expr is {expr!r}; wanted an index expression of nl.arange")
    over = expr.over((1, *expr.shape)) if len(expr.shape) < 2 else expr
    boxes = regions([], over.shape, mask)
    if not boxes:
        return nothing(over.shape, dtype)
    box = region([], over.shape, mask)
    assert box is not None
    kind = DType(dtype)
    dst = new("iota", tuple(hi - lo for lo, hi in box), kind)
    instruct(
        "iota",
        dst=dst,
        pattern=_walk(over, box),
        offset=over.at(box),
        channel_multiplier=over.steps[0],
    )
    return result(dst, over.shape, box)


def memset(shape: Any, value: Any, dtype: Any, *, mask: Any = None, engine: Any = None) -> Tensor:
    """A new tile that holds a number everywhere."""
    sizes = tuple(whole_number(n, "a size of nisa.memset") for n in shape)
    box = region([], sizes, mask)
    if box is None:
        return nothing(sizes, dtype)
    dst = new("memset", tuple(hi - lo for lo, hi in box), dtype)
    if dst.view_.dtype.is_int and float(value).is_integer():
        value = int(value)
    instruct("memset", dst=dst, value=value, engine=_engine(engine))
    return result(dst, sizes, box)


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
        on_true=_tile(on_true, box, into.shape),
        on_false=_tile(on_false, box, into.shape),
        reduce_res=None if reduce_res is None else _column(reduce_res, box),
        reduce_cmd=reduce_cmd,
        reduce_op=op_word(reduce_op),
        reverse_pred=reverse_pred,
    )


def range_select(
    *,
    on_true_tile: Any,
    comp_op0: Any,
    comp_op1: Any,
    bound0: Any,
    bound1: Any,
    reduce_cmd: Any = reduce_cmd.idle,
    reduce_res: Any = None,
    reduce_op: Any = "maximum",
    range_start: Any = 0,
    on_false_value: Any = LEAST,
    mask: Any = None,
    dtype: Any = None,
) -> Tensor:
    """Elements whose position is between two bounds, and a number elsewhere."""
    given = {"on_true_tile": on_true_tile, "comp_op0": op_word(comp_op0)}
    given |= {"comp_op1": op_word(comp_op1), "bound0": bound0, "bound1": bound1}
    given |= {"reduce_cmd": reduce_cmd, "reduce_res": reduce_res, "reduce_op": op_word(reduce_op)}
    given |= {"range_start": range_start, "on_false_value": on_false_value}
    return _emit(
        "range_select", ("on_true_tile",), given, dtype=dtype, mask=mask, written=("reduce_res",)
    )


# ---------------------------------------------------------------- other shapes


def _shaped(
    name: str,
    data: Any,
    shape: Callable[[NkiTensor], tuple[int, ...]],
    kind: Any,
    mask: Any,
    **more: Any,
) -> Tensor:
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


def bn_stats(data: Any, *, mask: Any = None, dtype: Any = None) -> Tensor:
    """Counts, means and sums of squares of what there is in each partition."""
    return _shaped("bn_stats", data, lambda tile: (tile.shape[0], 6), dtype, mask)


def bn_aggr(data: Any, *, mask: Any = None, dtype: Any = None) -> Tensor:
    """The mean and the variance of what statistics are of."""
    return _shaped("bn_aggr", data, lambda tile: (tile.shape[0], 2), dtype, mask)


def max8(*, src: Any, mask: Any = None, dtype: Any = None) -> Tensor:
    """The eight greatest of each partition."""
    return _shaped("max8", src, lambda tile: (tile.shape[0], 8), dtype, mask)


def sequence_bounds(*, segment_ids: Any, dtype: Any = None) -> Tensor:
    """Where the segment of each element begins and ends."""
    return _shaped(
        "sequence_bounds", segment_ids, lambda t: (t.shape[0], 2, t.shape[-1]), dtype, None
    )


def nc_find_index8(*, data: Any, vals: Any, mask: Any = None, dtype: Any = None) -> Tensor:
    """Where eight values are in each partition."""
    kind = DTYPES["uint32"] if dtype is None else dtype
    values = _rows(vals, data, mask)
    return _shaped("nc_find_index8", data, lambda tile: (tile.shape[0], 8), kind, mask, vals=values)


def _rows(value: Any, data: Any, mask: Any) -> NkiTensor:
    """The partitions of a tile that a mask leaves of another one."""
    tile, of_ = on_chip("isa", value), on_chip("isa", data)
    box = region([of_], of_.shape, mask)
    if box is None:
        return resolved(tile)
    return read(tile, (box[0], *((0, n) for n in tile.shape[1:])))


def nc_match_replace8(
    *, data: Any, vals: Any, imm: Any, dst_idx: Any = None, mask: Any = None, dtype: Any = None
) -> Tensor:
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
        imm=_number(imm.item() if hasattr(imm, "item") else imm),
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
) -> Tensor:
    """In groups of partitions the elements that indices name."""
    source, by = on_chip("local_gather", src_buffer), read(on_chip("local_gather", index))
    count = by.size // by.shape[0] * 16 if num_valid_indices is None else num_valid_indices
    sizes = (source.shape[0], count * num_elem_per_idx)
    dst = new("local_gather", sizes, source.storage.dtype)
    instruct(
        "local_gather",
        dst=dst,
        src_buffer=read(source),
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
) -> Tensor:
    """A reduction along free axes."""
    from nasm.nki.neuronxcc.language import reduced

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


def tensor_partition_reduce(op: Any, data: Any, *, mask: Any = None, dtype: Any = None) -> Tensor:
    """A reduction across partitions."""
    tile = on_chip("tensor_partition_reduce", data)
    box = region([tile], tile.shape, mask)
    kind = tile.storage.dtype if dtype is None else dtype
    if box is None:
        return nothing((1, *tile.shape[1:]), kind)
    source = read(tile, box)
    dst = new("tensor_partition_reduce", (1, *source.shape[1:]), kind)
    instruct("tensor_partition_reduce", dst=dst, op=op_word(op), data=source)
    return result(dst, (1, *tile.shape[1:]), ((0, 1), *box[1:]))


# ---------------------------------------------------------------- the systolic array, and DMA


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
) -> Tensor:
    """A tile loaded, and another streamed past it: the product is in PSUM."""
    if mask is not None:
        refuse("mask= of nisa.nc_matmul", "index the tiles with what is wanted of them")
    left = read(on_chip("nc_matmul", stationary, "stationary"))
    right = read(on_chip("nc_matmul", moving, "moving"))
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
    return result(dst)


def _first(tile: NkiTensor) -> int:
    """The partition with which a tile begins."""
    return tile.view_.partition + (tile.view_.tensor.partition or 0)


def nc_transpose(data: Any, *, mask: Any = None, dtype: Any = None, engine: Any = None) -> Tensor:
    """A tile turned: by the Tensor engine into PSUM, by Vector into SBUF."""
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
    by = _engine(engine)
    small = max(source.shape) <= 32 and by.name == "unknown"
    buffer = SBUF if by.name == "vector" or (small and source.dtype.stored.is_int) else PSUM
    dst = new("nc_transpose", source.shape[::-1], tile.storage.dtype, buffer)
    instruct("nc_transpose", dst=dst, data=source, engine=by)
    made = result(dst) if tile.ndim != 2 else result(dst, tile.shape[::-1], box[::-1])
    if dtype is None or DType(dtype) == tile.storage.dtype:
        return made
    return tensor_copy(made, dtype=dtype)


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
    if not isinstance(dst, Tensor) or not isinstance(src, Tensor):
        refuse(f"nisa.dma_copy of {src!r} to {dst!r}: wanted two tensors")
    plain = dst_rmw_op is None and oob_mode.name == "error" and dge_mode.name == "unknown"
    if plain and dst.dynamic is None and src.dynamic is None:
        assign(dst, src, mask) if not (dst.on_chip and src.on_chip) else _moved(dst, src, mask)
        return
    _moved(dst, src, mask, op_word(dst_rmw_op), oob_mode=oob_mode, dge_mode=dge_mode)


def _moved(dst: Tensor, src: Tensor, mask: Any, op: Any = None, **modes: Any) -> None:
    for box in regions([src], src.shape, mask):
        source = read(src, box)
        into = write(dst, box if dst.shape == src.shape else None)
        if op is not None:
            modes.pop("dge_mode", None)
            instruct("dma_compute", dst=into, srcs=[source, into], reduce_op=op, **modes)
        else:
            instruct("dma_copy", dst=into, src=source, **modes)


def dma_transpose(src: Any, *, axes: Any = None, mask: Any = None, dtype: Any = None) -> Tensor:
    """A transpose by DMA."""
    if not isinstance(src, Tensor):
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


FUNCTIONS = {
    one.__name__: one
    for one in (
        activation,
        activation_reduce,
        affine_select,
        bn_aggr,
        bn_stats,
        builtin_custom_op,
        dma_copy,
        dma_transpose,
        dropout,
        iota,
        local_gather,
        max8,
        memset,
        nc_find_index8,
        nc_match_replace8,
        nc_matmul,
        nc_stream_shuffle,
        nc_transpose,
        range_select,
        reciprocal,
        scalar_tensor_tensor,
        select_reduce,
        sequence_bounds,
        tensor_copy,
        tensor_copy_dynamic_dst,
        tensor_copy_dynamic_src,
        tensor_copy_predicated,
        tensor_partition_reduce,
        tensor_reduce,
        tensor_scalar,
        tensor_scalar_reduce,
        tensor_tensor,
        tensor_tensor_scan,
    )
}
"""The functions of ``neuronxcc.nki.isa``, by name."""
