"""Functions of one tile, of two, and of a tile and a number, element by element."""

from __future__ import annotations

from typing import Any

from nasm.nki.errors import refuse
from nasm.nki.names import DTYPES, DType, engine
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import FLOAT32, SBUF, instruct, new, number, result, tile, wider

NOT_IN_HARDWARE = {
    "divide": "nl.multiply(x, nl.reciprocal(y)) is what AWS says to write",
    "mod": "subtract the multiple: x - y * floor(x / y)",
    "fmod": "subtract the multiple: x - y * trunc(x / y)",
}
"""Operators that AWS's compiler refuses: no instruction has them."""

BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
COMMUTING = ("add", "multiply", "maximum", "minimum", "equal", "not_equal", *BITWISE[:3])


def binary(op: str, x: Any, y: Any, dtype: Any = None) -> NkiTensor:
    """An operator of two tiles, or of a tile and a number or a value for each partition."""
    if op in NOT_IN_HARDWARE:
        refuse(f"nl.{op}: no instruction does it, as AWS's notes say", NOT_IN_HARDWARE[op])
    tiles = [tile(op, v, n) for n, v in (("x", x), ("y", y)) if not number(v)]
    if not tiles:
        refuse(f"nl.{op}({x!r}, {y!r}): wanted a tile at least on one side")
    kind = tiles[0].dtype if len(tiles) == 1 else wider(tiles[0].dtype, tiles[1].dtype)
    if len(tiles) == 2:
        return _of_tiles(op, tiles[0], tiles[1], kind if dtype is None else DType(dtype))
    dst = result(op, tiles[0].shape, kind if dtype is None else dtype)
    value = y if tiles[0] is x else x
    _with_operand(op, dst, tiles[0], value, reverse=value is x)
    return dst


def _of_tiles(op: str, x: NkiTensor, y: NkiTensor, kind: DType) -> NkiTensor:
    shape = broadcast_shape(op, x, y)
    dst = result(op, shape, kind)
    for data, by in ((x, y), (y, x)):
        if data.shape == shape != by.shape and _is_operand(op, data, by):
            _with_operand(op, dst, data, by, reverse=by is x)
            return dst
    instruct("tensor_tensor", dst=dst, data1=spread(x, shape), data2=spread(y, shape), op=op)
    return dst


def broadcast_shape(what: str, x: NkiTensor, y: NkiTensor) -> tuple[int, ...]:
    """The shape that two tiles have together: free axes of 1 are repeated."""
    pairs = list(zip(x.shape, y.shape, strict=False))
    if x.ndim != y.ndim or any(a != b and 1 not in (a, b) for a, b in pairs):
        refuse(
            f"nl.{what} of {list(x.shape)} and {list(y.shape)}: wanted equal shapes, "
            "or free axes of 1"
        )
    if x.shape[0] != y.shape[0]:
        refuse(
            f"nl.{what} of {list(x.shape)} and {list(y.shape)}: "
            f"{x.shape[0]} and {y.shape[0]} partitions",
            "nl.broadcast_to(x, shape) repeats a partition",
        )
    return tuple(max(a, b) for a, b in pairs)


def spread(x: NkiTensor, shape: tuple[int, ...]) -> NkiTensor:
    """A tile with its free axes of 1 repeated."""
    for axis, size in enumerate(shape):
        if axis and x.shape[axis] != size:
            x = x.broadcast(axis, size)
    return x


def _is_operand(op: str, data: NkiTensor, by: NkiTensor) -> bool:
    """Whether a tile can be an operand that has a value for each partition."""
    if by.size != by.shape[0] or data.view_.dtype.is_int != by.view_.dtype.is_int:
        return False
    if op in BITWISE:
        return data.dtype == by.dtype
    return by.dtype == FLOAT32


def _with_operand(op: str, dst: NkiTensor, data: NkiTensor, value: Any, reverse: bool) -> None:
    by = value.reshape((value.shape[0], 1)) if isinstance(value, NkiTensor) else value
    instruct(
        "tensor_scalar",
        dst=dst,
        data=data,
        op0=op,
        operand0=by,
        reverse0=reverse and op not in COMMUTING,
    )


def unary(op: str, x: Any, dtype: Any = None) -> NkiTensor:
    """A function of Scalar's tables."""
    data = tile(op, x)
    dst = result(op, data.shape, data.dtype if dtype is None else dtype)
    instruct("activation", dst=dst, op=op, data=data)
    return dst


def scaled(what: str, x: Any, op: str, operand: Any, dtype: Any = None, **more: Any) -> NkiTensor:
    """An operator of a tile and a number, under the name of the function that asked for it."""
    data = tile(what, x)
    dst = new(what, data.shape, data.dtype if dtype is None else dtype)
    instruct("tensor_scalar", dst=dst, data=data, op0=op, operand0=operand, **more)
    return dst


def rsqrt(x: Any, dtype: Any = None) -> NkiTensor:
    """The reciprocal of the square root: on GpSimd, which is more precise than Scalar's."""
    if isinstance(x, NkiTensor) and x.on_chip and x.buffer is not SBUF:
        refuse(
            f"nl.rsqrt of {x!r}: GpSimd, which does it, reaches SBUF alone",
            "nl.copy(x) first, or nisa.activation(op=nl.rsqrt), less precise",
        )
    return scaled("rsqrt", x, "rsqrt", 0.0, dtype, engine=engine.gpsimd)


def reciprocal(x: Any, dtype: Any = None) -> NkiTensor:
    """1 / x, on Vector."""
    data = tile("reciprocal", x)
    dst = result("reciprocal", data.shape, data.dtype if dtype is None else dtype)
    instruct("reciprocal", dst=dst, data=data)
    return dst


def copy(x: Any, dtype: Any = None) -> NkiTensor:
    """A new tile in SBUF with the same elements, on Vector."""
    data = tile("copy", x)
    dst = result("copy", data.shape, data.dtype if dtype is None else dtype)
    instruct("tensor_copy", dst=dst, src=data, engine=engine.vector)
    return dst


def negative(x: Any, dtype: Any = None) -> NkiTensor:
    """-x."""
    return scaled("negative", x, "multiply", -1.0, dtype)


def invert(x: Any, dtype: Any = None) -> NkiTensor:
    """Every bit flipped: an exclusive or with ones."""
    data = tile("invert", x)
    kind = data.view_.dtype
    if not kind.is_int:
        refuse(f"nl.invert of {data!r}: wanted integers")
    ones = -1 if data.dtype.startswith("int") else (1 << 8 * kind.itemsize) - 1
    return scaled("invert", data, "bitwise_xor", ones, dtype)


def logical_not(x: Any, dtype: Any = None) -> NkiTensor:
    """1 of 0, and 0 of 1: an exclusive or with 1."""
    data = tile("logical_not", x)
    op = "bitwise_xor" if data.view_.dtype.is_int else "logical_xor"
    return scaled("logical_not", data, op, 1, dtype)


def where(condition: Any, x: Any, y: Any, dtype: Any = None) -> NkiTensor:
    """Elements of one where a condition is not 0, of another elsewhere."""
    chosen = tile("where", condition, "condition")
    kinds = [tile("where", v, n).dtype for n, v in (("x", x), ("y", y)) if not number(v)]
    kind = wider(kinds[0], kinds[-1]) if kinds else FLOAT32
    shape = chosen.shape
    for value in (x, y):
        shape = shape if number(value) else broadcast_shape("where", spread(chosen, shape), value)
    chosen = spread(chosen, shape)
    dst = result("where", shape, kind if dtype is None else dtype)
    _fill("where", dst, y)
    if number(x) or x.dtype == dst.dtype:
        source = x if number(x) else spread(x, dst.shape)
    else:
        source = new("where", dst.shape, dst.dtype)
        _fill("where", source, x)
    instruct("tensor_copy_predicated", dst=dst, src=source, predicate=predicate(chosen))
    return dst


def _fill(what: str, dst: NkiTensor, value: Any) -> None:
    if number(value):
        fill(dst, value)
    else:
        broadcast_shape(what, dst, value)
        instruct("tensor_copy", dst=dst, src=spread(value, dst.shape))


def fill(dst: NkiTensor, value: Any) -> None:
    """Write a number into every element on chip, as one of the tile's class."""
    whole = dst.view_.dtype.is_int and float(value).is_integer()
    instruct("memset", dst=dst, value=int(value) if whole else value)


def predicate(condition: NkiTensor) -> NkiTensor:
    """A condition as unsigned integers, which a predicated copy wants."""
    if condition.dtype.startswith("uint"):
        return condition
    return scaled("where", condition, "not_equal", 0.0, DTYPES["uint8"])
