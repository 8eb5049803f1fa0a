"""``neuronxcc.nki.language``: functions that return tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nasm.base.records import replace
from nasm.nki import applying, creation, functions, moving, reducing
from nasm.nki.errors import refuse
from nasm.nki.indexing import flag, whole_number
from nasm.nki.language import BINARY, REDUCTIONS, TABLES
from nasm.nki.names import DTYPES, DType
from nasm.nki.neuronxcc.affine import Box
from nasm.nki.neuronxcc.allocation import made_tensor
from nasm.nki.neuronxcc.results import (
    SBUF,
    add_to,
    adding_by,
    assign,
    narrowed,
    new,
    nothing,
    read,
    region,
    regions,
    result,
    spread,
    write,
)
from nasm.nki.neuronxcc.running import Loop, LoopVariable, instance
from nasm.nki.neuronxcc.tensor import Tensor, of, operations
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import instruct, number
from nasm.nki.tracing import Call, current

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


# ---------------------------------------------------------------- element by element


def shape_of(what: str, tensors: Sequence[Tensor]) -> tuple[int, ...]:
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


def part(tensor: Tensor, shape: tuple[int, ...], box: Box) -> NkiTensor:
    """What a call reads of a tile in a part of its index space, with as many axes."""
    sizes = (tensor.shape[0], *(1,) * (len(shape) - tensor.ndim), *tensor.shape[1:])
    inner = (box[0], *box[1 + len(shape) - tensor.ndim :])
    made = read(tensor, narrowed(tensor, inner))
    wanted = tuple(1 if n == 1 else hi - lo for n, (lo, hi) in zip(sizes, box, strict=True))
    return spread(made, wanted)


def elementwise(
    what: str, apply: Callable[..., NkiTensor], given: Sequence[Any], mask: Any, dtype: Any
) -> Tensor:
    """A function of tiles and numbers of one shape, where a mask holds."""
    tensors = [on_chip(what, value) for value in given if not number(value)]
    if not tensors:
        refuse(f"nl.{what} of numbers alone: wanted a tile")
    shape = shape_of(what, tensors)
    box = region(tensors, shape, mask)
    if box is None:
        return nothing(shape, tensors[0].storage.dtype if dtype is None else dtype)
    parts = [v if number(v) else part(v, shape, box) for v in given]
    made = apply(*(_plain(v) for v in _same_partitions(parts)))
    return result(made, shape, box)


def _plain(value: Any) -> Any:
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


def on_chip(what: str, value: Any, argument: str = "an argument") -> Tensor:
    """An argument that is a tile."""
    if not isinstance(value, Tensor) or not value.on_chip:
        hint = "nl.load(tensor) brings it there" if isinstance(value, Tensor) else ""
        refuse(f"nl.{what}: {argument} is {value!r}; wanted a tile on chip", hint)
    return value


def _binary(name: str) -> Callable[..., Tensor]:
    usual = BOOL if name in COMPARING else None
    combine = COMBINED.get(name)

    def applied(x: Any, y: Any, *, dtype: Any = usual, mask: Any = None) -> Tensor:
        def apply(a: Any, b: Any) -> NkiTensor:
            kind = None if dtype is None else DType(dtype)
            return combine(a, b, kind) if combine else applying.binary(name, a, b, kind)

        return elementwise(name, apply, (x, y), mask, dtype)

    return applied


def _divide(x: Any, y: Any, dtype: Any) -> NkiTensor:
    """By a number its reciprocal is multiplied by; by a tile, that of the tile."""
    if number(y):
        if not y:
            refuse("a division by 0")
        return applying.binary("multiply", x, 1 / y, dtype)
    turned = applying.reciprocal(y, "float32")
    return applying.binary("multiply", x, turned, dtype or (x if not number(x) else y).dtype)


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


def _unary(name: str, apply: Callable[..., NkiTensor], usual: Any = None) -> Callable[..., Tensor]:
    def applied(x: Any, *, dtype: Any = usual, mask: Any = None) -> Tensor:
        kind = None if dtype is None else DType(dtype)
        return elementwise(name, lambda a: apply(a, kind), (x,), mask, dtype)

    return applied


def _rsqrt(x: NkiTensor, dtype: Any) -> NkiTensor:
    return applying.rsqrt(x if x.buffer is SBUF else applying.copy(x, "float32"), dtype)


def copy(src: Any, *, mask: Any = None, dtype: Any = None) -> Tensor:
    """A new tile in SBUF."""
    return elementwise("copy", lambda a: _copied(a, dtype), (src,), mask, dtype)


def _copied(src: NkiTensor, dtype: Any) -> NkiTensor:
    made = new("copy", src.shape, src.dtype if dtype is None else dtype)
    instruct("tensor_copy", dst=made, src=src)
    return made


def static_cast(input_data: Any, dtype: Any) -> Any:
    """The same values as another dtype; itself if it has that already."""
    if isinstance(input_data, np.ndarray):
        return input_data.astype(DType(dtype).stored.numpy)
    tile = on_chip("static_cast", input_data, "input_data")
    return tile if DType(dtype) == tile.storage.dtype else copy(tile, dtype=dtype)


def where(condition: Any, x: Any, y: Any, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Elements of one where a condition is not 0, of another elsewhere."""
    return elementwise(
        "where", lambda c, a, b: applying.where(c, a, b, dtype), (condition, x, y), mask, dtype
    )


# ---------------------------------------------------------------- along axes


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
) -> Tensor:
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


def _without(tensor: Tensor, axes: tuple[int, ...]) -> Tensor:
    """Without axes of 1, of which one stays where else no free axis would."""
    drops = axes if tensor.ndim - len(axes) > 1 else axes[1:]
    if not drops:
        return tensor
    return tensor[tuple(0 if n in drops else slice(None) for n in range(tensor.ndim))]


def _reduction(name: str, op: str) -> Callable[..., Tensor]:
    def applied(
        x: Any, axis: Any, *, dtype: Any = None, mask: Any = None, keepdims: Any = False
    ) -> Tensor:
        def apply(tile: NkiTensor, axes: tuple[int, ...]) -> NkiTensor:
            return reducing.reduced(name, op, tile, axes, dtype, keepdims=True)

        return reduced(name, apply, x, axis, mask, keepdims)

    return applied


def _statistic(name: str, of_tile: Callable[..., NkiTensor]) -> Callable[..., Tensor]:
    def applied(
        x: Any, axis: Any, *, dtype: Any = None, mask: Any = None, keepdims: Any = False
    ) -> Tensor:
        def apply(tile: NkiTensor, axes: tuple[int, ...]) -> NkiTensor:
            return of_tile(tile, axes, dtype, keepdims=True)

        return reduced(name, apply, x, axis, mask, keepdims)

    return applied


def softmax(
    x: Any, axis: Any, *, dtype: Any = None, compute_dtype: Any = None, mask: Any = None
) -> Tensor:
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
) -> Tensor:
    """X over the root of the mean of its squares, times a weight."""
    tile, weight = on_chip("rms_norm", x), read(on_chip("rms_norm", w, "w"))
    axes = axes_of("rms_norm", axis, tile.ndim)

    def apply(a: NkiTensor) -> NkiTensor:
        return reducing.rms_norm(a, weight, axes, n, epsilon, dtype, compute_dtype)

    return elementwise("rms_norm", apply, (x,), mask, dtype)


# ---------------------------------------------------------------- moving


def load(src: Any, *, mask: Any = None, dtype: Any = None) -> Tensor:
    """A new tile in SBUF with what is in HBM, where a mask holds."""
    source = _in_hbm("load", src)
    kind = DType(source.storage.dtype if dtype is None else dtype)
    parts = regions([], source.shape, mask)
    if not parts:
        return nothing(source.shape, kind)
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
    if len(parts) > 1:
        whole.mask = mask
    return whole


def _in_hbm(what: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor) or value.on_chip:
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


def load_transpose2d(src: Any, *, mask: Any = None, dtype: Any = None) -> Tensor:
    """A new tile in SBUF with the transpose of what is in HBM."""
    source = _in_hbm("load_transpose2d", src)
    box = region([], source.shape, mask)
    if box is None:
        return nothing(source.shape[::-1], source.storage.dtype)
    made = moving.load_transpose2d(read(source, box), dtype)
    return result(made, source.shape[::-1], box[::-1])


def transpose(x: Any, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """A tile of two axes turned."""
    tile = on_chip("transpose", x)
    box = region([tile], tile.shape, mask)
    if box is None:
        return nothing(tile.shape[::-1], tile.storage.dtype)
    return result(moving.transpose(read(tile, box), dtype), tile.shape[::-1], box[::-1])


def matmul(x: Any, y: Any, *, transpose_x: Any = False, mask: Any = None) -> Tensor:
    """The product of two matrices, in PSUM."""
    _no_mask("matmul", mask)
    left, right = on_chip("matmul", x, "x"), on_chip("matmul", y, "y")
    return result(moving.matmul(_in_sbuf(read(left)), _in_sbuf(read(right)), transpose_x))


def _in_sbuf(tile: NkiTensor) -> NkiTensor:
    """A tile where a matmul can read it."""
    return tile if tile.buffer is SBUF else _copied(tile, None)


def _no_mask(what: str, mask: Any) -> None:
    if mask is not None:
        refuse(f"mask= of nl.{what}", "index the tiles with what is wanted of them")


def broadcast_to(src: Any, *, shape: Any) -> Tensor:
    """Axes of 1 repeated, of a tile or a tensor in HBM."""
    if isinstance(src, Tensor) and not src.on_chip:
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


def _repeated(src: Tensor, sizes: tuple[int, ...]) -> Tensor:
    made = read(src)
    while made.ndim < len(sizes):
        made = made.reshape((1, *made.shape))
    for axis, size in enumerate(sizes):
        if made.shape[axis] != size:
            made = made.broadcast(axis, size)
    return of(made, src)


def expand_dims(data: Any, axis: Any) -> Tensor:
    """A view with a new axis of 1."""
    return on_chip("expand_dims", data, "data").expand_dims(whole_number(axis, "an axis"))


def gather_flattened(data: Any, indices: Any, *, mask: Any = None, dtype: Any = None) -> Tensor:
    """In each partition the elements that indices name."""
    _no_mask("gather_flattened", mask)
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


def op_word(op: Any) -> Any:
    """An operator, however it is named: nl.add, np.add, np.max."""
    if op is None or isinstance(op, str) or hasattr(op, "operator_name"):
        return op
    name = getattr(op, "__name__", None)
    if not isinstance(name, str):
        refuse(f"{op!r} as an operator: wanted one of nl's or of NumPy's, such as nl.add")
    return WORDS.get(name, name)


WORDS = {
    "amax": "maximum",
    "max": "maximum",
    "amin": "minimum",
    "min": "minimum",
    "sum": "add",
    "prod": "multiply",
    "true_divide": "divide",
    "absolute": "abs",
    "bitwise_not": "invert",
    "all": "logical_and",
    "any": "logical_or",
}
"""What NumPy and Python call operators."""


# ---------------------------------------------------------------- new tensors


def ndarray(
    shape: Any, dtype: Any, *, buffer: Any = None, name: str = "", lazy_initialization: Any = False
) -> Tensor:
    """A new tensor, not initialised."""
    return made_tensor("ndarray", shape, dtype, buffer, name)


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any,
    *,
    buffer: Any = None,
    name: str = "",
    lazy_initialization: Any = False,
) -> Tensor:
    """A new tensor that holds a number everywhere."""
    return _filled("full", shape, fill_value, dtype, buffer, name)


def zeros(
    shape: Any, dtype: Any, *, buffer: Any = None, name: str = "", lazy_initialization: Any = False
) -> Tensor:
    """A new tensor of zeros."""
    return _filled("zeros", shape, 0, dtype, buffer, name)


def ones(
    shape: Any, dtype: Any, *, buffer: Any = None, name: str = "", lazy_initialization: Any = False
) -> Tensor:
    """A new tensor of ones."""
    return _filled("ones", shape, 1, dtype, buffer, name)


def zeros_like(a: Any, dtype: Any = None, *, buffer: Any = None, name: str = "") -> Tensor:
    """A new tensor of zeros like another."""
    kind = a.storage.dtype if dtype is None else dtype
    return _filled(
        "zeros_like", _shape_like(a), 0, kind, a.buffer if buffer is None else buffer, name
    )


def empty_like(a: Any, dtype: Any = None, *, buffer: Any = None, name: str = "") -> Tensor:
    """A new tensor like another, not initialised."""
    kind = a.storage.dtype if dtype is None else dtype
    return made_tensor(
        "empty_like", _shape_like(a), kind, a.buffer if buffer is None else buffer, name
    )


def _shape_like(a: Any) -> tuple[int, ...]:
    if not isinstance(a, Tensor):
        refuse(f"{a!r}: wanted a tensor")
    return a.shape


def _filled(what: str, shape: Any, value: Any, dtype: Any, buffer: Any, name: str) -> Tensor:
    if not number(value):
        refuse(f"nl.{what}: fill_value is {value!r}; wanted a number")
    made = made_tensor(what, shape, dtype, buffer, name)
    if not made.on_chip:
        tile = made.storage.tile(())
        columns = tile.shape[-1] if tile.ndim > 1 else 1
        flat = tile.reshape((tile.size // columns, columns))
        source = creation.full((min(flat.shape[0], 128), min(columns, 4096)), value, dtype)
        creation._spread(flat, source)
        return made
    made.storage.fill = lambda tile: _filled_tile(tile, _plain(value))
    if not made.lead:
        made.storage.tile(())
    return made


def _filled_tile(tile: NkiTensor, value: Any) -> Call:
    """A tile filled with a number, by the last call of the trace."""
    applying.fill(tile, value)
    call = current("nl.full").open[-1][-1]
    assert isinstance(call, Call)
    return call


def rand(shape: Any, dtype: Any = np.float32) -> Tensor:
    """A new tile of random numbers, each as likely from 0 to below 1."""
    return result(creation.rand(tuple(shape), dtype))


def random_seed(seed: Any, *, mask: Any = None) -> None:
    """Restart the random numbers."""
    creation.random_seed(read(on_chip("random_seed", seed, "seed")))


def dropout(x: Any, rate: Any, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Elements, some of which become 0."""
    by = rate if number(rate) else read(on_chip("dropout", rate, "rate"))
    return elementwise("dropout", lambda a: creation.dropout(a, by, dtype), (x,), mask, dtype)


def shared_constant(constant: Any, dtype: Any = None) -> Tensor:
    """An array in HBM that the program brings along."""
    array = np.asarray(constant)
    if dtype is not None:
        array = array.astype(DType(dtype).stored.numpy)
    return of(creation.shared_constant(array))


def shared_identity_matrix(n: Any, dtype: Any = np.uint8) -> Tensor:
    """The identity of n rows, in HBM."""
    return shared_constant(np.eye(whole_number(n, "n of nl.shared_identity_matrix")), dtype)


def device_print(prefix: Any, x: Any, *, mask: Any = None) -> None:
    """Put what a tensor holds into the report of the run."""
    box = region([x], x.shape, mask) if mask is not None else None
    creation.device_print(prefix, read(x, box))


# ---------------------------------------------------------------- over rounds


def loop_reduce(
    x: Any, op: Any, loop_indices: Any, *, dtype: Any = None, mask: Any = None
) -> Tensor:
    """A tile combined with those of the rounds before: after the last, of all of them."""
    tile, now = on_chip("loop_reduce", x), instance("nl.loop_reduce")
    loops = [_loop_of(value) for value in loop_indices]
    open_ = [one.loop for one in now.rounds]
    if not loops or any(loop not in open_ for loop in loops):
        refuse("nl.loop_reduce: loop_indices are variables of loops that it is in")
    outer = now.rounds[: min(open_.index(loop) for loop in loops)]
    others = tuple((n, one.value) for n, one in enumerate(now.rounds) if one.loop not in loops)
    key = (_site(), outer[-1] if outer else None, others)
    found = now.kept.get(key)
    if found is None:
        made = copy(tile, dtype=dtype or tile.storage.dtype, mask=mask)
        made.storage.round = outer[-1] if outer else None
        now.kept[key] = made
        return made
    if found.storage.moved is not None:
        into: Tensor = found.storage.moved
    else:
        into = found
    word = op_word(op)
    name = getattr(word, "operator_name", word)
    assign(into, FUNCTIONS[name](into, tile, dtype=into.storage.dtype, mask=mask))
    return into


def _loop_of(value: Any) -> Loop:
    if not isinstance(value, LoopVariable):
        refuse(f"nl.loop_reduce: {value!r} in loop_indices is no variable of a loop")
    return value.loop


def _site() -> Any:
    """Where the kernel calls."""
    return current("nl.loop_reduce").place()


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _binary(name) for name in BINARY},
    **{
        name: _unary(name, lambda a, kind, name=name: applying.unary(name, a, kind))
        for name in TABLES
    },
    **{name: _reduction(name, op) for name, op in REDUCTIONS.items()},
    "rsqrt": _unary("rsqrt", _rsqrt),
    "reciprocal": _unary("reciprocal", applying.reciprocal),
    "negative": _unary("negative", applying.negative),
    "invert": _unary("invert", applying.invert),
    "logical_not": _unary("logical_not", applying.logical_not, BOOL),
    **{
        one.__name__: _unary(one.__name__, one)
        for one in (
            functions.sin,
            functions.cos,
            functions.tan,
            functions.floor,
            functions.ceil,
            functions.trunc,
        )
    },
    "mean": _statistic("mean", reducing.mean),
    "var": _statistic("var", reducing.var),
    **{
        one.__name__: one
        for one in (
            atomic_rmw,
            broadcast_to,
            copy,
            device_print,
            dropout,
            empty_like,
            expand_dims,
            full,
            gather_flattened,
            load,
            load_transpose2d,
            loop_reduce,
            matmul,
            ndarray,
            ones,
            rand,
            random_seed,
            rms_norm,
            shared_constant,
            shared_identity_matrix,
            softmax,
            static_cast,
            store,
            transpose,
            where,
            zeros,
            zeros_like,
        )
    },
}
"""The functions of ``neuronxcc.nki.language``, by name."""

operations({**FUNCTIONS, "assign": assign, "add_to": add_to, "read": read})
adding_by(FUNCTIONS["add"])
