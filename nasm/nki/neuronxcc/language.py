"""``neuronxcc.nki.language``: functions that return tiles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nasm.nki import applying, functions, reducing
from nasm.nki.errors import refuse
from nasm.nki.language import BINARY, REDUCTIONS, TABLES
from nasm.nki.neuronxcc.along_axes import reduction, rms_norm, softmax, statistic
from nasm.nki.neuronxcc.assigning import assign
from nasm.nki.neuronxcc.creating import (
    device_print,
    dropout,
    empty_like,
    full,
    ndarray,
    ones,
    rand,
    random_seed,
    shared_constant,
    shared_identity_matrix,
    zeros,
    zeros_like,
)
from nasm.nki.neuronxcc.elementwise import (
    BOOL,
    binary,
    copy,
    on_chip,
    rsqrt,
    static_cast,
    unary,
    where,
)
from nasm.nki.neuronxcc.indices import indexed
from nasm.nki.neuronxcc.moving import (
    atomic_rmw,
    broadcast_to,
    expand_dims,
    gather_flattened,
    load,
    load_transpose2d,
    matmul,
    store,
    transpose,
)
from nasm.nki.neuronxcc.operators import op_word
from nasm.nki.neuronxcc.results import read
from nasm.nki.neuronxcc.running import LoopVariable, instance
from nasm.nki.neuronxcc.sums import add_to, adding_by
from nasm.nki.neuronxcc.tensor import TileTensor, operations
from nasm.nki.tracing import UnrolledLoop, current


def loop_reduce(
    x: Any, op: Any, loop_indices: Any, *, dtype: Any = None, mask: Any = None
) -> TileTensor:
    """A tile combined with those of the rounds before: after the last, of all of them."""
    tile, now = on_chip("loop_reduce", x), instance("nl.loop_reduce")
    loops = [_loop_of(value) for value in loop_indices]
    open_ = [one.loop for one in now.rounds]
    if not loops or any(loop not in open_ for loop in loops):
        refuse("nl.loop_reduce: loop_indices are variables of loops that it is in")
    first = min(open_.index(loop) for loop in loops)
    outer = now.rounds[:first]
    others = tuple((n, one.value) for n, one in enumerate(now.rounds) if one.loop not in loops)
    key = (_site(), open_[first], outer[-1] if outer else None, others)
    found = now.kept.get(key)
    if found is None:
        made = copy(tile, dtype=dtype or tile.storage.dtype, mask=mask)
        made.storage.round = outer[-1] if outer else None
        now.kept[key] = made
        return made
    if found.storage.moved is not None:
        into: TileTensor = found.storage.moved
    else:
        into = found
    word = op_word(op)
    name = getattr(word, "operator_name", word)
    assign(into, FUNCTIONS[name](into, tile, dtype=into.storage.dtype, mask=mask))
    return into


def _loop_of(value: Any) -> UnrolledLoop:
    if not isinstance(value, LoopVariable):
        refuse(f"nl.loop_reduce: {value!r} in loop_indices is no variable of a loop")
    return value.loop


def _site() -> Any:
    """Where the kernel calls."""
    return current("nl.loop_reduce").place()


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: binary(name) for name in BINARY},
    **{
        name: unary(name, lambda a, kind, name=name: applying.unary(name, a, kind))
        for name in TABLES
    },
    **{name: reduction(name, op) for name, op in REDUCTIONS.items()},
    "rsqrt": unary("rsqrt", rsqrt),
    "reciprocal": unary("reciprocal", applying.reciprocal),
    "negative": unary("negative", applying.negative),
    "invert": unary("invert", applying.invert),
    "logical_not": unary("logical_not", applying.logical_not, BOOL),
    **{
        one.__name__: unary(one.__name__, one)
        for one in (
            functions.sin,
            functions.cos,
            functions.tan,
            functions.floor,
            functions.ceil,
            functions.trunc,
        )
    },
    "mean": statistic("mean", reducing.mean),
    "var": statistic("var", reducing.var),
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

operations({**FUNCTIONS, "indexed": indexed, "assign": assign, "add_to": add_to, "read": read})
adding_by(FUNCTIONS["add"])
