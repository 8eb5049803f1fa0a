"""Calls of nki.isa that are not simply their rows with the same operands."""

from __future__ import annotations

from typing import Any

from nasm.nki.calling import Function, Record, asked, given, operand, plainly
from nasm.nki.names import MemoryRegion, VirtualRegister
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import Call, Trace
from nasm.nki.wrong import refuse


def matmul(trace: Trace, function: Function, arguments: dict[str, Any]) -> Call:
    """A tile loaded, and another streamed past it; whether it adds may be for us to find out."""
    accumulate = arguments.pop("accumulate")
    for name in ("tile_position", "tile_size"):
        if not arguments.get(name):
            arguments.pop(name, None)
    load, multiply = function.rows
    trace.call(load, given(load, arguments))
    operands = given(multiply, arguments)
    if accumulate is not None:
        operands["accumulate"] = bool(accumulate)
    return trace.call(multiply, operands, accumulates=accumulate is None)


def transpose(trace: Trace, function: Function, arguments: dict[str, Any]) -> Call:
    """On Vector in blocks of 32, on Tensor as a matmul with an identity, by where it goes."""
    dst, data, engine = arguments["dst"], arguments["data"], asked(arguments)
    if not engine:
        engine = "tensor" if dst.buffer is MemoryRegion.psum else "vector"
    own = function.row("data")
    if engine != "tensor":
        return trace.call(own, given(own, arguments), engine)
    load, multiply = (row for row in function.rows if row is not own)
    rows = data.shape[0]
    flat = data if data.ndim == 2 else data.reshape((rows, data.size // rows))
    moving = identity(trace, data.dtype)[0:rows, 0:rows]
    mode = {"is_transpose": True} if _passes(trace, load) else {}
    trace.call(load, {"stationary": flat.view_, **mode})
    into = dst if dst.ndim == 2 else dst.reshape((dst.shape[0], dst.size // dst.shape[0]))
    return trace.call(
        multiply, {"dst": into.view_, "moving": moving.view_, "accumulate": False, **mode}
    )


def _passes(trace: Trace, row: Any) -> bool:
    """Whether the systolic array can pass elements through as they are."""
    return bool(
        trace.builder.generation.switches.get("transpose_mode", trace.builder.generation.order > 0)
    )


def identity(trace: Trace, dtype: Any) -> NkiTensor:
    """The identity that transposes multiply by: one for each dtype, made before all else."""
    key = ("identity", str(dtype))
    found = trace.kept.get(key)
    if found is None:
        from nasm.nki.isa import FUNCTIONS

        found = trace.kept[key] = trace.tensor(
            (128, 128), dtype, MemoryRegion.sbuf, f"identity_{dtype}"
        )
        found.held = trace.made
        fill, choose = FUNCTIONS["memset"].rows[0], FUNCTIONS["affine_select"].rows[0]
        span, chain = trace.place()
        one = 1 if found.view_.dtype.is_int else 1.0
        ones = Call(fill, {"dst": found.view_, "value": one}, "gpsimd", span, chain)
        kept = Call(
            choose,
            {
                "dst": found.view_,
                "pattern": [[-1, 128]],
                "channel_multiplier": 1,
                "on_true_tile": found.view_,
                "on_false_value": 0.0,
                "cmp_op": "equal",
            },
            "",
            span,
            chain,
        )
        trace.made[:0] = [ones, kept]
    return found


def activation_reduce(trace: Trace, function: Function, arguments: dict[str, Any]) -> Call:
    """An activation that starts its sum anew and stores it."""
    (row,) = function.rows
    return trace.call(row, {**given(row, arguments), "reduce_cmd": "reset_reduce"}, "scalar")


def transfer(trace: Trace, function: Function, arguments: dict[str, Any]) -> Call:
    """A transfer: who makes its descriptors may be for us to choose."""
    (row,) = function.rows
    operands = given(row, arguments)
    if operands.get("dge_mode") == "unknown":
        del operands["dge_mode"]
    return trace.call(row, operands, asked(arguments))


def converted(trace: Trace, function: Function, arguments: dict[str, Any]) -> Call | None:
    """A copy: ``dtype`` is of NKI 0.2, where it repeats what dst says."""
    del arguments["dtype"]
    return plainly(trace, function, arguments)


def register(trace: Trace, function: Function, arguments: dict[str, Any]) -> Call:
    """A register is written or read: one that counts a loop is not to be written."""
    (row,) = function.rows
    for name in ("dst", "src"):
        value = arguments[name]
        if name == "dst" and isinstance(value, VirtualRegister) and value.frozen:
            refuse("a write to the variable of a loop, which the loop itself counts")
    return trace.call(row, {name: operand(value) for name, value in arguments.items()})


SPECIAL: dict[str, Record] = {
    "nc_matmul": matmul,
    "nc_matmul_mx": matmul,
    "nc_transpose": transpose,
    "activation_reduce": activation_reduce,
    "dma_copy": transfer,
    "dma_transpose": transfer,
    "tensor_copy": converted,
    "register_move": register,
    "register_load": register,
    "register_store": register,
}
