"""Matmuls and transposes of the systolic array: a tile loaded, and others streamed past it."""

from __future__ import annotations

from typing import Any

from nasm.base.dtypes import DTYPES as STORED
from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.isa.instruction import Row
from nasm.nki.accumulating import PARTIAL, AccumulatedBytes, pieces
from nasm.nki.calling import IsaFunction, asked, given, operand
from nasm.nki.errors import refuse
from nasm.nki.names import DType, MemoryRegion
from nasm.nki.signatures import functions
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import Call, CoreTrace
from nasm.views.view import ALL, View

PLACE = ("tile_position", "tile_size")
AS_FLOATS = {1: "float8_e5m2", 2: "bfloat16", 4: "float32"}
"""The dtypes under which bits of any dtype pass through the array, by their size."""


def matmul(trace: CoreTrace, function: IsaFunction, arguments: dict[str, Any]) -> Call:
    """A tile loaded, and another streamed past it; whether it adds may be for us to find out."""
    accumulate = arguments.pop("accumulate")
    tiles = {name: operand(arguments[name]) for name in ("stationary", "moving", "dst")}
    for name, view in tiles.items():
        if not isinstance(view, View):
            refuse(f"{name} of nisa.{function.name} is {arguments[name]!r}; wanted a tile")
    for name in PLACE:
        if isinstance(arguments[name], list | tuple) and not arguments[name]:
            arguments[name] = None
    if arguments["tile_position"] is None and arguments["tile_size"] is None:
        arguments |= _place(trace, tiles["stationary"], tiles["dst"])
    load, multiply = function.rows
    trace.call(load, given(load, arguments))
    operands = given(multiply, arguments)
    if arguments.get("is_transpose"):
        return trace.call(multiply, {**operands, "accumulate": False})
    return _multiply(trace, multiply, operands, arguments["dst"], accumulate)


def _multiply(
    trace: CoreTrace, row: Row, operands: dict[str, Any], dst: NkiTensor, accumulate: Any
) -> Call:
    """The matmuls of a call: one, or one for each part of dst that adds, or overwrites."""
    if not dst.on_chip:  # said where it is made
        return trace.call(row, {**operands, "accumulate": False})
    begun = trace.begun.get(dst.view_.tensor.index)
    if begun is None:
        begun = trace.begun[dst.view_.tensor.index] = AccumulatedBytes(dst.view_.tensor)
    if accumulate is not None:
        begun.begin(dst.view_)
        return trace.call(row, {**operands, "accumulate": bool(accumulate)})
    try:
        parts = begun.parts(dst.view_)
    except Refused as refused:
        refuse(refused.message, refused.hint, refused.code)
    if trace.home(dst.view_.tensor) is not trace.open[-1] and not parts[0][2]:
        _once(trace, dst)
    if len(parts) == 1:
        return trace.call(row, {**operands, "accumulate": parts[0][2]})
    made: Call | None = None
    double = operands.get("perf_mode", "none") != "none"
    for low, high, adds in parts:
        moving = operands["moving"]
        cuts = (
            [(_second(moving, low, high), dst.view_.index([ALL, slice(low, high)]))]
            if double
            else pieces(low, high, moving, dst.view_)
        )
        for part, into in cuts:
            made = trace.call(row, {**operands, "moving": part, "dst": into, "accumulate": adds})
    assert made is not None
    return made


def _second(moving: View, low: int, high: int) -> View:
    """Columns of a tile that has two rows of the matmul on each partition."""
    if len(moving.shape) != 3:
        refuse(
            f"nc_matmul in double_row with moving{list(moving.shape)} into a region of which "
            "earlier ones have begun a part",
            "give moving three axes, [K, 2, N]",
            PARTIAL,
        )
    return moving.index([ALL, ALL, slice(low, high)])


def _once(trace: CoreTrace, dst: NkiTensor) -> None:
    """A first matmul of a region in a loop of the machine: the next round's would not be one."""
    if len(trace.open) == 1:
        return
    refuse(
        f"nc_matmul in a loop of the machine into {dst.name}, which is made outside of it and "
        "has not begun: its first round would overwrite and the others add, and there is one "
        "copy of the body",
        "say accumulate=True after a memset and a matmul with accumulate=False before the loop, "
        "or make the tile in the body",
        PARTIAL,
    )


def _place(trace: CoreTrace, stationary: View, dst: View) -> dict[str, Any]:
    """The tile of the array that operands reach that do not start at partition 0."""
    row, column = _first(stationary), _first(dst)
    if not row and not column:
        return {}
    rows = _side(trace, row, stationary.partitions)
    columns = _side(trace, column, dst.partitions)
    return {"tile_position": [row, column], "tile_size": [rows, columns]}


def _first(view: View) -> int:
    return view.partition + (view.tensor.partition or 0)


def _side(trace: CoreTrace, start: int, count: int) -> int:
    """The size of the smallest tile that begins so far in and has room; the array's if none."""
    size, most = limit(trace, "tile_min"), limit(trace, "tile_max")
    while size < most and not (start and start % size == 0 and count <= size):
        size *= 2
    return size


def limit(trace: CoreTrace, name: str) -> int:
    """A figure of the generation that is traced for."""
    return int(trace.builder.generation.numbers[name].value)


# -- transposes


def transpose(trace: CoreTrace, function: IsaFunction, arguments: dict[str, Any]) -> Call:
    """On Vector, or on Tensor as a matmul with an identity: by where it goes."""
    dst, data, engine = arguments["dst"], arguments["data"], asked(arguments)
    if not isinstance(dst, NkiTensor) or not isinstance(data, NkiTensor):
        refuse("nisa.nc_transpose takes two tiles, dst and data")
    if not engine:
        engine = "tensor" if dst.buffer is MemoryRegion.psum else "vector"
    if engine != "tensor":
        return _in_blocks(trace, function.row("data"), dst.view_, data.view_, engine)
    load, multiply = (row for row in function.rows if row is not function.row("data"))
    source, into = _floats(trace, data.view_), _floats(trace, dst.view_)
    rows = slice(_first(source), _first(source) + source.partitions)
    if rows.stop > limit(trace, "tile_max"):
        rows = slice(0, source.partitions)
    mode: dict[str, Any] = {"is_transpose": True, **_place(trace, source, into)}
    moving = identity(trace, source.dtype.name).view_.index([rows, rows])
    trace.call(load, {"stationary": source, **mode})
    return trace.call(multiply, {"dst": into, "moving": moving, "accumulate": False, **mode})


def _in_blocks(trace: CoreTrace, row: Row, dst: View, data: View, engine: str) -> Call:
    most = limit(trace, "block_max")
    if max(data.partitions, data.elements) > most:
        refuse(
            f"nc_transpose of {data.partitions}x{data.elements} on {engine}: it transposes tiles "
            f"of up to {most}x{most}",
            "give it a dst in PSUM, for the Tensor engine, or transpose it tile by tile",
        )
    return trace.call(row, {"dst": dst, "data": data}, engine)


def _floats(trace: CoreTrace, view: View) -> View:
    """A tile whose bits the array passes through: of a float dtype, or taken for one."""
    name = view.dtype.name
    if name.startswith(("float", "bfloat", "tfloat")) and not name.endswith(("_x4", "fnu")):
        return view
    if not trace.builder.generation.switches["transpose_exact"]:
        refuse(
            f"nc_transpose of {name} on the Tensor engine of {trace.builder.generation.name}, "
            "which multiplies",
            "copy it into a float dtype that holds its values, or transpose it on Vector",
        )
    return replace(view, dtype=STORED[AS_FLOATS[view.dtype.itemsize]])


def identity(trace: CoreTrace, dtype: str) -> NkiTensor:
    """The identity that transposes multiply by: one for each dtype."""
    side = limit(trace, "tile_max")
    choice = {
        "pattern": [[-1, side]],
        "channel_multiplier": 1,
        "on_false_value": 0.0,
        "cmp_op": "equal",
    }
    return _made_first(trace, "identity", (side, side), dtype, choice)


def ones(trace: CoreTrace, dtype: str) -> NkiTensor:
    """The row of ones that puts another row on every partition: one for each dtype."""
    return _made_first(trace, "ones", (1, limit(trace, "tile_max")), dtype)


def _made_first(
    trace: CoreTrace,
    name: str,
    shape: tuple[int, int],
    dtype: str,
    choice: dict[str, Any] | None = None,
) -> NkiTensor:
    """A tile of ones, of which a choice may be made, that is there before all else; only one."""
    found = trace.kept.get((name, dtype))
    if found is None:
        named = functions(trace.builder.target.isa)
        found = trace.tensor(shape, DType(dtype), MemoryRegion.sbuf, f"{name}_{dtype}")
        trace.inside.pop(found.view_.tensor.index, None)
        trace.kept[name, dtype] = found
        whole = found.view_
        made = [(named["memset"][0], {"dst": whole, "value": 1 if whole.dtype.is_int else 1.0})]
        if choice is not None:
            chosen = {"dst": whole, "on_true_tile": whole, **choice}
            made.append((named["affine_select"][0], chosen))
        span, chain = trace.place()
        trace.made[:0] = [Call(row, given, "gpsimd", span, chain) for row, given in made]
    return found
