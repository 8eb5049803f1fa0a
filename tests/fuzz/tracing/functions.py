"""What each instruction computes, in NumPy: the ones that kernels use most."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from nasm.views.view import Reg, View
from tests.fuzz.tracing.memory import Array, Unmodelled, Value

Given = dict[str, Any]
Row = Callable[[Any, Any, Given], None]

EXACT = float(1 << 24)
"""Whole numbers up to here are the same in float32 and as integers."""


def _truth(op: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: op(x, y).astype(np.float32)


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "equal": _truth(np.equal),
    "not_equal": _truth(np.not_equal),
    "greater_equal": _truth(np.greater_equal),
    "greater": _truth(np.greater),
    "less_equal": _truth(np.less_equal),
    "less": _truth(np.less),
    "logical_and": _truth(np.logical_and),
    "logical_or": _truth(np.logical_or),
    "logical_xor": _truth(np.logical_xor),
    "power": np.power,
    "bypass": lambda x, y: x + 0 * y,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "abs": np.abs,
    "square": np.square,
    "relu": lambda x: np.maximum(x, 0),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **UNARY,
    "copy": lambda x: x,
    "identity": lambda x: x,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "tanh": np.tanh,
    "sign": np.sign,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)),
}
REDUCE = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}


def combined(op: str, x: Value, y: Value) -> Value:
    """An operator of two values; what float32 does not hold exactly of integers is not known."""
    with np.errstate(all="ignore"):
        if op in UNARY:
            made = UNARY[op](np.asarray(x.x, np.float32))
            return Value(made, np.broadcast_to(x.bad, made.shape) | ~np.isfinite(made))
        if op not in BINARY:
            raise Unmodelled(op)
        made = np.asarray(BINARY[op](np.asarray(x.x, np.float32), np.asarray(y.x, np.float32)))
    return Value(made, np.broadcast_to(x.bad | y.bad, made.shape) | ~np.isfinite(made))


def _stored(core: Any, views: list[View], dst: View, made: Value) -> None:
    """Store a result; of integers only what is the same in float32 and exactly."""
    if any(view.dtype.is_int and view.dtype.itemsize == 4 for view in (*views, dst)):
        made = Value(made.x, made.bad | (np.abs(made.x) > EXACT))
        for view in views:
            if view.dtype.is_int and (np.abs(core.floats(view).x) > EXACT).any():
                raise Unmodelled("large integers")
    core.store(dst, Value(made.x.reshape(dst.shape), made.bad.reshape(dst.shape)))


def tensor_tensor(core: Any, call: Any, given: Given) -> None:
    one, two = core.floats(given["data1"]), core.floats(given["data2"])
    two = Value(two.x.reshape(one.x.shape), two.bad.reshape(one.x.shape))
    made = combined(given["op"], one, two)
    _stored(core, [given["data1"], given["data2"]], given["dst"], made)


def _staged(core: Any, op: str, value: Value, operand: Any, reverse: Any) -> Value:
    other = core.scalar(operand, value.x.ndim)
    return combined(op, other, value) if reverse and op not in UNARY else combined(op, value, other)


def tensor_scalar(core: Any, call: Any, given: Given) -> None:
    value = core.floats(given["data"])
    value = _staged(core, given["op0"], value, given["operand0"], given["reverse0"])
    if given["op1"] is not None:
        value = _staged(core, given["op1"], value, given["operand1"], given["reverse1"])
    views = [v for v in (given["data"], given["operand0"], given["operand1"]) if type(v) is View]
    _stored(core, views, given["dst"], value)


def scalar_tensor_tensor(core: Any, call: Any, given: Given) -> None:
    value = core.floats(given["data"])
    value = _staged(core, given["op0"], value, given["operand0"], given["reverse0"])
    other = core.floats(given["operand1"])
    other = Value(other.x.reshape(value.x.shape), other.bad.reshape(value.x.shape))
    pair = (other, value) if given["reverse1"] else (value, other)
    _stored(core, [given["data"]], given["dst"], combined(given["op1"], *pair))


def reciprocal(core: Any, call: Any, given: Given) -> None:
    value = core.floats(given["data"])
    _stored(core, [], given["dst"], combined("reciprocal", value, value))


def scan(core: Any, call: Any, given: Given) -> None:
    one, two = core.floats(given["data0"]), core.floats(given["data1"])
    rows = one.x.shape[0]
    first, second = (Value(v.x.reshape(rows, -1), v.bad.reshape(rows, -1)) for v in (one, two))
    state = core.scalar(given["initial"], 1)
    state = Value(*(np.broadcast_to(part, (rows,)) for part in state))
    states = []
    for at in range(first.x.shape[1]):
        now, then = (Value(v.x[:, at], v.bad[:, at]) for v in (first, second))
        pair = (state, now) if given["reverse0"] else (now, state)
        made = combined(given["op0"], *pair)
        pair = (then, made) if given["reverse1"] else (made, then)
        state = combined(given["op1"], *pair)
        states.append(state)
    made = Value(*(np.stack(part, 1) for part in zip(*states, strict=True)))
    _stored(core, [], given["dst"], made)


def _axes(axis: Any, ndim: int) -> tuple[int, ...]:
    each = axis if isinstance(axis, list | tuple) else (axis,)
    return tuple(int(a) % ndim for a in each)


def reduced(op: str, value: Value, axes: tuple[int, ...]) -> Value:
    """An operator along axes."""
    if op not in REDUCE:
        raise Unmodelled(op)
    with np.errstate(all="ignore"):
        made = value.x.astype(np.float64)
        for axis in sorted(axes, reverse=True):
            made = REDUCE[op].reduce(made, axis=axis)
    return Value(made, value.bad.any(axis=axes) | ~np.isfinite(made))


def tensor_reduce(core: Any, call: Any, given: Given) -> None:
    value = core.floats(given["data"])
    made = reduced(given["op"], value, _axes(given["axis"], value.x.ndim))
    if given["negate"]:
        made = Value(-made.x, made.bad)
    _stored(core, [given["data"]], given["dst"], made)


def partition_reduce(core: Any, call: Any, given: Given) -> None:
    made = reduced(given["op"], core.floats(given["data"]), (0,))
    _stored(core, [], given["dst"], made)


def activation(core: Any, call: Any, given: Given) -> None:
    value, op = core.floats(given["data"]), given["op"]
    if op not in FUNCTIONS:
        raise Unmodelled(op)
    scale, bias = (core.scalar(given[name], value.x.ndim) for name in ("scale", "bias"))
    with np.errstate(all="ignore"):
        made = FUNCTIONS[op](value.x * scale.x + bias.x)
    made = Value(made, value.bad | scale.bad | bias.bad | ~np.isfinite(made))
    command, sums = given["reduce_cmd"], given["reduce_res"]
    if command not in ("idle", "reset_reduce") or (command == "idle" and sums is not None):
        raise Unmodelled(f"sums that are {command}")
    _stored(core, [], given["dst"], made)
    if sums is not None:
        total = reduced("add", made, tuple(range(1, made.x.ndim)))
        core.store(sums, Value(total.x.reshape(sums.shape), total.bad.reshape(sums.shape)))


def copy(core: Any, call: Any, given: Given) -> None:
    src, dst = given["src"], given["dst"]
    if src.dtype is dst.dtype:
        value = core.raw(src)
        core.put(dst, Value(value.x.reshape(dst.shape), value.bad.reshape(dst.shape)))
    else:
        _stored(core, [src], dst, core.floats(src))


def transfer(core: Any, call: Any, given: Given) -> None:
    src, dst = given["src"], given["dst"]
    if given.get("oob_mode") == "skip" and (src.offsets or dst.offsets):
        raise Unmodelled("rows that may be left out")
    if src.tensor is dst.tensor and src != dst:
        raise Unmodelled("a transfer within a tensor")
    if given.get("compute_op") == "add":
        raise Unmodelled("a transfer that adds")
    copy(core, call, given)


def transposed(core: Any, call: Any, given: Given) -> None:
    src, dst = given["src"], given["dst"]
    order = given["axes"]
    value = core.raw(src)
    ndim = value.x.ndim
    if order is None:
        if ndim != 2:
            raise Unmodelled("axes that are not given")
        order = (1, 0)
    made = Value(value.x.transpose(order), value.bad.transpose(order))
    if made.x.shape != dst.shape or src.dtype is not dst.dtype:
        raise Unmodelled("a transpose into another shape")
    core.put(dst, made)


def blocks(core: Any, call: Any, given: Given) -> None:
    value = core.raw(given["data"])
    rows = value.x.shape[0]
    x, bad = (part.reshape(rows, -1) for part in value)
    if max(x.shape) > 32:
        raise Unmodelled("several blocks")
    dst = given["dst"]
    core.put(dst, Value(x.T.reshape(dst.shape), bad.T.reshape(dst.shape)))


def predicated(core: Any, call: Any, given: Given) -> None:
    src, dst = given["src"], given["dst"]
    chosen = core.raw(given["predicate"])
    if chosen.bad.any():
        raise Unmodelled("a choice that is not known")
    where = (chosen.x != 0) ^ bool(given["reverse_pred"])
    where = where.reshape(dst.shape)
    if isinstance(src, View):
        value = core.raw(src)
        value = Value(value.x.reshape(dst.shape), value.bad.reshape(dst.shape))
        if src.dtype is not dst.dtype:
            raise Unmodelled("a choice between dtypes")
        core.put(dst, value, where)
    else:
        core.store(dst, core.scalar(src, len(dst.shape)), where)


def memset(core: Any, call: Any, given: Given) -> None:
    dst = given["dst"]
    x = np.full(dst.shape, given["value"], np.float64)
    if dst.dtype.is_int and abs(given["value"]) > EXACT:
        raise Unmodelled("large integers")
    core.store(dst, Value(x, np.zeros(dst.shape, bool)))


def _index(given: Given, shape: tuple[int, ...]) -> Array:
    pattern = [[int(n) for n in pair] for pair in given["pattern"]]
    counts = [count for _, count in pattern]
    rows = shape[0]
    if rows * math.prod(counts) != math.prod(shape):
        raise Unmodelled("a pattern of another size")
    made = int(given["offset"]) + np.arange(rows) * int(given["channel_multiplier"])
    for step, count in pattern:
        made = made[..., None] + np.arange(count) * step
    return made.reshape(shape)


def iota(core: Any, call: Any, given: Given) -> None:
    dst = given["dst"]
    made = _index(given, dst.shape)
    if np.abs(made).max() > EXACT:
        raise Unmodelled("large integers")
    core.store(dst, Value(made.astype(np.float64), np.zeros(dst.shape, bool)))


COMPARE = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "greater_equal": np.greater_equal,
    "greater": np.greater,
    "less_equal": np.less_equal,
    "less": np.less,
}


def affine_select(core: Any, call: Any, given: Given) -> None:
    dst, src = given["dst"], given["on_true_tile"]
    if given["cmp_op"] not in COMPARE:
        raise Unmodelled(given["cmp_op"])
    keep = COMPARE[given["cmp_op"]](_index(given, dst.shape), 0)
    value = core.raw(src) if src.dtype is dst.dtype else None
    if value is None:
        value = core.memory.rounded(core.floats(src), dst.dtype)
    other = core.memory.rounded(core.scalar(given["on_false_value"], len(dst.shape)), dst.dtype)
    value = Value(value.x.reshape(dst.shape), value.bad.reshape(dst.shape))
    made = Value(np.where(keep, value.x, other.x), np.where(keep, value.bad, other.bad))
    core.put(dst, made)


# -- the array


def load(core: Any, call: Any, given: Given) -> None:
    if given["perf_mode"] != "none":
        raise Unmodelled(given["perf_mode"])
    view = given["stationary"]
    held = core.raw(view) if given["is_transpose"] else core.floats(view)
    rows = view.shape[0]
    core.weights = Value(held.x.reshape(rows, -1), held.bad.reshape(rows, -1))


def multiply(core: Any, call: Any, given: Given) -> None:
    weights, dst = core.weights, given["dst"]
    moving = core.floats(given["moving"])
    rows = moving.x.shape[0]
    x, bad = moving.x.reshape(rows, -1), moving.bad.reshape(rows, -1)
    if weights is None or len(weights.x) != rows or len(dst.shape) < 2:
        raise Unmodelled("a tile of other rows")
    if given["is_transpose"]:
        if bad.any() or ((x != 0).sum(axis=0) != 1).any() or (x.max(axis=0) != 1).any():
            raise Unmodelled("no permutation")
        order = x.argmax(axis=0)
        made = Value(weights.x[order].T, weights.bad[order].T)
        if weights.x.dtype != dst.dtype.numpy:
            raise Unmodelled("a transpose into another dtype")
        core.put(dst, Value(made.x.reshape(dst.shape), made.bad.reshape(dst.shape)))
        return
    sums = weights.x.astype(np.float64).T @ x.astype(np.float64)
    doubt = weights.bad.any(axis=0)[:, None] | bad.any(axis=0)[None, :]
    made = Value(sums.astype(np.float32).reshape(dst.shape), doubt.reshape(dst.shape))
    begun = core.memory.begun(dst)
    adds = begun if given["accumulate"] is None else np.full(dst.shape, bool(given["accumulate"]))
    if adds.any():
        held = core.floats(dst) if adds.all() else core.memory.floats_where(dst, adds)
        both = combined("add", held, made)
        made = Value(np.where(adds, both.x, made.x), np.where(adds, both.bad, made.bad))
    begun[...] = True
    core.store(dst, made)


# -- registers


def move(core: Any, call: Any, given: Given) -> None:
    core.registers[given["dst"].number] = core.number(given["src"])


def load_register(core: Any, call: Any, given: Given) -> None:
    value = core.raw(given["src"])
    if value.bad.any() or not given["src"].dtype.is_int:
        raise Unmodelled("a register of what is not known")
    core.registers[given["dst"].number] = int(value.x.reshape(-1)[0])


def store_register(core: Any, call: Any, given: Given) -> None:
    dst = given["dst"]
    if not dst.dtype.is_int or not isinstance(given["src"], Reg):
        raise Unmodelled("bits of a register")
    held = core.number(given["src"]) % (1 << 8 * dst.dtype.itemsize)
    words = np.array([held], f"u{dst.dtype.itemsize}").view(dst.dtype.numpy)
    core.put(dst, Value(words.reshape(dst.shape), np.zeros(dst.shape, bool)))


def gather(core: Any, call: Any, given: Given) -> None:
    data, at = core.raw(given["data"]), core.raw(given["indices"])
    rows = data.x.shape[0]
    x, bad = data.x.reshape(rows, -1), data.bad.reshape(rows, -1)
    indices = at.x.reshape(rows, -1).astype(np.int64)
    if at.bad.any() or indices.min() < 0 or indices.max() >= x.shape[1]:
        raise Unmodelled("indices outside")
    dst = given["dst"]
    if given["data"].dtype is not dst.dtype:
        raise Unmodelled("a gather into another dtype")
    made = (np.take_along_axis(part, indices, 1).reshape(dst.shape) for part in (x, bad))
    core.put(dst, Value(*made))


def largest(core: Any, call: Any, given: Given) -> None:
    value, dst = core.floats(given["src"]), given["dst"]
    rows = value.x.shape[0]
    made = -np.sort(-value.x.reshape(rows, -1), axis=1)[:, :8]
    doubt = np.broadcast_to(value.bad.reshape(rows, -1).any(axis=1)[:, None], made.shape)
    core.store(dst, Value(made.reshape(dst.shape), doubt.reshape(dst.shape)))


ROWS: dict[str, Row] = {
    "TensorTensor": tensor_tensor,
    "TensorScalar": tensor_scalar,
    "ScalarTensorTensor": scalar_tensor_tensor,
    "Reciprocal": reciprocal,
    "TensorTensorScan": scan,
    "TensorReduce": tensor_reduce,
    "TensorPartitionReduce": partition_reduce,
    "Activation": activation,
    "TensorCopy": copy,
    "DmaCopy": transfer,
    "DmaTranspose": transposed,
    "Transpose": blocks,
    "CopyPredicated": predicated,
    "Memset": memset,
    "Iota": iota,
    "AffineSelect": affine_select,
    "LoadStationary": load,
    "MultiplyMoving": multiply,
    "RegisterMove": move,
    "TensorLoad": load_register,
    "TensorStore": store_register,
    "NcNGather": gather,
    "Max8": largest,
}
