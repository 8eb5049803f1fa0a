"""Instructions of NKI 0.1 that work element by element.

Each is a row of ``nki.isa`` with its ``dst`` left out: a result of the shape of what it is made of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.names import DType, engine, reduce_cmd
from nasm.nki.neuronxcc.affine import Index, Predicate
from nasm.nki.neuronxcc.assigning import spread
from nasm.nki.neuronxcc.elementwise import copied, in_sbuf, on_chip, part, plain, shape_of
from nasm.nki.neuronxcc.operators import op_word
from nasm.nki.neuronxcc.regions import region, regions
from nasm.nki.neuronxcc.results import new, nothing, read, result, write
from nasm.nki.neuronxcc.tensor import TileIndex, TileTensor
from nasm.nki.neuronxcc.walks import Box
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import instruct, number, wider

LEAST = float(np.finfo(np.float32).min)


def known_in(value: Any, box: Box, shape: tuple[int, ...]) -> Any:
    """An operand in a part of the index space: a tile's part, a column, or what it is."""
    if not isinstance(value, TileTensor):
        return _known(value)
    if value.shape != shape and value.size == value.shape[0]:
        column = read(
            value, (box[0] if value.shape[0] > 1 else (0, 1), *((0, 1),) * (value.ndim - 1))
        )
        return column.reshape((column.shape[0], 1))
    return part(value, shape, box)


def _known(value: Any) -> Any:
    """An operand that is no tile: a number, an operator or a word of NKI's."""
    if isinstance(value, Index | Predicate | TileIndex):
        refuse(f"an index expression, {value}, as an operand: wanted a tile or a number")
    return plain(value) if number(value) else op_word(value) if callable(value) else value


def _emit(
    name: str,
    main: tuple[str, ...],
    given: dict[str, Any],
    *,
    dtype: Any = None,
    mask: Any = None,
    kind: Any = None,
    written: tuple[str, ...] = (),
) -> TileTensor:
    """A call whose result has the shape of its main operands, where a mask holds."""
    tensors = [on_chip(name, given[one], one) for one in main]
    shape = shape_of(name, tensors)
    box = region(tensors, shape, mask)
    usual = tensors[0].storage.dtype
    for other in tensors[1:]:
        usual = wider(usual, other.storage.dtype)
    stored = DType(dtype if dtype is not None else usual if kind is None else kind)
    if box is None:
        return nothing(shape, stored)
    dst = new(name, tuple(hi - lo for lo, hi in box), stored)
    values = {}
    for word, value in given.items():
        if word in written:
            values[word] = None if value is None else column_of(value, box)
        elif word in main:
            found = part(value, shape, box)
            values[word] = spread(found, (found.shape[0], *dst.shape[1:]))
        else:
            values[word] = _as_float(word, known_in(value, box, shape))
    instruct(name, dst=dst, **values)
    return result(dst, shape, box)


def _as_float(word: str, value: Any) -> Any:
    """An operand that has a value for each partition: NKI 0.1 takes it in any float dtype."""
    if not word.startswith("operand") or not isinstance(value, NkiTensor):
        return value
    half = not value.view_.dtype.is_int and value.view_.dtype.itemsize < 4
    return copied(value, "float32") if half else value


def column_of(value: Any, box: Box) -> NkiTensor:
    """A tile of one element for each partition that a call writes besides its result."""
    tile = on_chip("isa", value)
    made = write(tile, (box[0], *((0, n) for n in tile.shape[1:])))
    return made.reshape((made.shape[0], made.size // made.shape[0]))


def engine_of(value: Any) -> Any:
    """The engine that a call names; unknown where it leaves that open."""
    return engine.unknown if value is None else value


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
) -> TileTensor:
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
) -> TileTensor:
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
) -> TileTensor:
    """One or two operators of a tile and a number, or a value for each partition."""
    given = {"data": data, "op0": op_word(op0), "operand0": operand0, "reverse0": reverse0}
    given |= {"op1": op_word(op1), "operand1": operand1, "reverse1": reverse1}
    given["engine"] = engine_of(engine)
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
) -> TileTensor:
    """An operator of two tiles."""
    given = {"data1": data1, "data2": data2, "op": op_word(op), "engine": engine_of(engine)}
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
) -> TileTensor:
    """An operator with a number, and one with another tile."""
    given = {"data": data, "op0": op_word(op0), "operand0": operand0, "op1": op_word(op1)}
    given |= {"operand1": operand1, "reverse0": reverse0, "reverse1": reverse1}
    main = ("data", "operand1") if _full(operand1, data) else ("data",)
    return _emit("scalar_tensor_tensor", main, given, dtype=dtype, mask=mask)


def _full(value: Any, data: Any) -> bool:
    return (
        isinstance(value, TileTensor) and isinstance(data, TileTensor) and value.size == data.size
    )


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
) -> TileTensor:
    """An operator with a number, and the sum of what it makes in each partition."""
    given = {"data": data, "op0": op_word(op0), "operand0": operand0, "reverse0": reverse0}
    given |= {"reduce_op": op_word(reduce_op), "reduce_res": reduce_res}
    return _emit(
        "tensor_scalar_reduce", ("data",), given, dtype=dtype, mask=mask, written=("reduce_res",)
    )


def reciprocal(data: Any, *, dtype: Any = None, mask: Any = None) -> TileTensor:
    """1 / data."""
    return _emit("reciprocal", ("data",), {"data": data}, dtype=dtype, mask=mask)


def tensor_copy(src: Any, *, mask: Any = None, dtype: Any = None, engine: Any = None) -> TileTensor:
    """A copy in SBUF."""
    given = {"src": src, "engine": engine_of(engine)}
    return _emit("tensor_copy", ("src",), given, dtype=dtype, mask=mask)


def tensor_copy_dynamic_src(
    src: Any, *, mask: Any = None, dtype: Any = None, engine: Any = None
) -> TileTensor:
    """A copy of what a tile addresses."""
    return tensor_copy(src, mask=mask, dtype=dtype, engine=engine)


def tensor_copy_dynamic_dst(
    *, dst: Any, src: Any, mask: Any = None, dtype: Any = None, engine: Any = None
) -> None:
    """A copy to where a tile addresses."""
    source, into = on_chip("tensor_copy_dynamic_dst", src), on_chip("tensor_copy_dynamic_dst", dst)
    box = region([source], source.shape, mask)
    if box is not None:
        instruct(
            "tensor_copy", dst=write(into, box), src=read(source, box), engine=engine_of(engine)
        )


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
    given = {
        "src": known_in(src, box, into.shape),
        "predicate": _unsigned(part(by, into.shape, box)),
    }
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
) -> TileTensor:
    """Along a row: each result from the one before and two elements."""
    given = {"data0": data0, "data1": data1, "initial": float_of(initial), "op0": op_word(op0)}
    given |= {"op1": op_word(op1), "reverse0": reverse0, "reverse1": reverse1}
    return _emit("tensor_tensor_scan", ("data0", "data1"), given, dtype=dtype, mask=mask)


def float_of(value: Any) -> Any:
    """A whole number as a float; what is none as it is."""
    return float(value) if type(value) is int else value


def dropout(data: Any, prob: Any, *, mask: Any = None, dtype: Any = None) -> TileTensor:
    """Elements, some of which become 0."""
    return _emit("dropout", ("data",), {"data": data, "prob": prob}, dtype=dtype, mask=mask)


def affine_select(
    pred: Any, on_true_tile: Any, on_false_value: Any, *, mask: Any = None, dtype: Any = None
) -> TileTensor:
    """A tile where an affine predicate holds, and a number elsewhere."""
    if not isinstance(pred, Predicate):
        refuse(f"nisa.affine_select: pred is {pred!r}; wanted a comparison of index expressions")
    tile = on_chip("affine_select", on_true_tile)
    box = region([tile], tile.shape, mask)
    if box is None:
        return nothing(tile.shape, tile.storage.dtype)
    source = in_sbuf(read(tile, box))
    kind = DType(tile.storage.dtype if dtype is None else dtype)
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
            on_false_value=float_of(on_false_value),
            cmp_op="greater_equal",
            offset=over.at(box),
        )
        made = dst
    return result(made, tile.shape, box)


def _walk(over: Index, box: Box) -> list[list[int]]:
    """The free axes of an index expression as steps and counts."""
    return [[s, hi - lo] for s, (lo, hi) in list(zip(over.steps, box, strict=True))[1:]]


def iota(expr: Any, dtype: Any, *, mask: Any = None) -> TileTensor:
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


def memset(
    shape: Any, value: Any, dtype: Any, *, mask: Any = None, engine: Any = None
) -> TileTensor:
    """A new tile that holds a number everywhere."""
    sizes = tuple(whole_number(n, "a size of nisa.memset") for n in shape)
    box = region([], sizes, mask)
    if box is None:
        return nothing(sizes, dtype)
    dst = new("memset", tuple(hi - lo for lo, hi in box), dtype)
    if dst.view_.dtype.is_int and float(value).is_integer():
        value = int(value)
    instruct("memset", dst=dst, value=value, engine=engine_of(engine))
    return result(dst, sizes, box)


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
) -> TileTensor:
    """Elements whose position is between two bounds, and a number elsewhere."""
    given = {"on_true_tile": on_true_tile, "comp_op0": op_word(comp_op0)}
    given |= {"comp_op1": op_word(comp_op1), "bound0": bound0, "bound1": bound1}
    given |= {"reduce_cmd": reduce_cmd, "reduce_res": reduce_res, "reduce_op": op_word(reduce_op)}
    given |= {"range_start": range_start, "on_false_value": on_false_value}
    return _emit(
        "range_select", ("on_true_tile",), given, dtype=dtype, mask=mask, written=("reduce_res",)
    )
