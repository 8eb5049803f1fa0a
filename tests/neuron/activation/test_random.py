"""Scalar's instructions against plain loops, on random tiles."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.neuron import scalar
from tests.neuron.accumulate import model as accumulate
from tests.neuron.accumulate.test_random import COLUMN, SIZE, Case, cast, first_lane
from tests.neuron.activation import model
from tests.neuron.cases import Draw, Tile, random_cases

PAIRS = (
    ("multiply", "add"),
    ("multiply", "subtract"),
    ("multiply", "bypass"),
    ("add", "bypass"),
    ("subtract", "bypass"),
    ("bypass", "bypass"),
)
FUNCTIONS = (*scalar.ACTIVATION, *model.EXACT, *model.EXACT)


def argument(draw: Draw, shape: tuple[int, ...], op: str) -> Any:
    """Float32 values inside a function's reach, of every size."""
    low, high = model.REACH.get(op, (-60.0, 60.0))
    if low > 0:
        values = 2.0 ** draw.reals(np.log2(low) + 1, np.log2(high) - 1, shape)
        signs = draw.some((1, -1), shape) if op == "reciprocal" else 1
        return (values * signs).astype(np.float32)
    values = draw.reals(low, high, shape)
    return (values * draw.some((1, 0.1, 1e-4), shape)).astype(np.float32)


def close(op: str, dtype: str) -> float:
    """One unit in the last place: two libraries' float64 may round to two sides of a tie."""
    return 0.0 if op in model.EXACT else 2.0**-23 if dtype == "float32" else 2.0**-7


def reduction(
    draw: Draw, case: Case, lane: int, count: int, ops: tuple[str, ...]
) -> tuple[str, str | None, str, Tile | None]:
    """The operands of a reduction: command, operator, as they are written, and reduce_res."""
    command = case.command(lane, count, "idle", "reset_reduce", "reset", "reduce")
    op = None if command == "idle" and draw.flag() else draw.one_of(*ops)
    known = command != "idle" or case.lanes.knows(lane, count)
    total = case.result(count, *COLUMN) if known else None
    written = [f", reduce_cmd={command}"] if command != "idle" or draw.flag() else []
    written += [f", reduce_op={op}"] if op else []
    written += [f", reduce_res={total}"] if total else []
    return command, op, "".join(written), total


def reduced(
    case: Case, lane: int, rows: Any, command: str, op: str | None, total: Tile | None
) -> None:
    if op is not None and command != "idle":
        case.lanes.run(command, op, lane, rows)
    if total is not None:
        case.expect(total, case.lanes.read(lane, len(rows)))


@random_cases(edges=0.2)
def test_activation_of_exact_functions_and_their_sums(draw: Draw) -> None:
    case = Case(draw)
    shape = draw.shape(SIZE)
    for _ in range(draw.number(1, 3)):
        data = draw.tile(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
        dst = draw.result(shape, draw.any_dtype())
        op = draw.one_of("copy", "square", "abs", "relu")
        text, scale = case.number(shape[0]) if draw.flag() else ("1.0", 1.0)
        line = f"@scalar Activation {dst}, {data}, op={op}, scale={text}"
        bias: Any = -0.0  # adding it changes nothing at all
        if draw.flag():
            tile = draw.column(shape[0], draw.dtype(*COLUMN))
            line, bias = f"{line}, bias={tile}", tile.values
        elif draw.on != "trn1" and draw.flag():
            bias = 1.25
            line += ", bias=1.25"
        lane = first_lane(data)
        command, add, written, total = reduction(draw, case, lane, shape[0], ("add",))
        draw.line(line + written)
        rows = accumulate.rows_of(data.values)
        rows = model.function(model.scaled(rows, scale, bias), op)
        draw.expect(dst, cast(rows, dst.dtype, shape))
        reduced(case, lane, rows, command, add, total)


@random_cases()
def test_activation_functions(draw: Draw) -> None:
    case = Case(draw)
    shape = draw.shape(SIZE)
    op = draw.one_of(*FUNCTIONS)
    dtype = draw.dtype("float32", "bfloat16")
    data = draw.tile(shape, "float32", values=argument(draw, shape, op))
    dst = draw.result(data.shape, dtype)
    lane = first_lane(data)
    draw.line(f"@scalar Activation {dst}, {data}, op={op}")
    rows = model.function(accumulate.rows_of(data.values), op)
    # Where a derivative crosses zero its terms cancel, to 3e-11 of them; the model's 1 + tanh u has
    # no digits below the last of 1 where u is far below 0.
    atol = 1e-10 if op.endswith("_dx") else 1e-14 if op == "gelu_apprx_tanh" else 0.0
    draw.expect(dst, cast(rows, dtype, dst.shape), close(op, dtype), atol)
    assert not case.lanes.knows(lane, shape[0])


@random_cases()
def test_act_read_accumulator(draw: Draw) -> None:
    lanes = accumulate.Lanes()
    shape = draw.shape(SIZE)
    data, dst = draw.tile(shape), draw.result(shape)
    first = first_lane(data)
    draw.line(f"@scalar Activation {dst}, {data}, op=copy, reduce_op=add, reduce_cmd=reset_reduce")
    lanes.run("reset_reduce", "add", first, accumulate.rows_of(data.values))
    offset = draw.one_of(*(n for n in (0, 32, 64, 96) if n >= first and n < first + shape[0]))
    most = min(first + shape[0] - offset, 128 if offset == 0 else 64 if offset == 64 else 32)
    count = draw.number(1, most)
    read = draw.result((offset + count, 1), draw.dtype(*COLUMN), written=False, plain=True)
    part = Tile(
        read.name,
        f"{read.name}[{offset}:{offset + count}]",
        read.dtype,
        read.values[offset:],
        lambda array: array[offset:],
    )
    draw.line(f"@scalar ActReadAccumulator {part}")
    draw.expect(part, cast([[v] for v in lanes.read(offset, count)], part.dtype, (count, 1)))


@random_cases(on=("trn3",), edges=0.2)
def test_activation2(draw: Draw) -> None:
    case = Case(draw)
    shape = draw.shape(SIZE)
    for _ in range(draw.number(1, 3)):
        data, dst = draw.tile(shape), draw.result(shape)
        op = draw.one_of("copy", "square", "abs", "relu", "prelu")
        slope, relu_param = case.number(shape[0]) if op == "prelu" else ("0.0", 0.0)
        line = f"@scalar Activation2 {dst}, {data}, op={op}, relu_param={slope}"
        rows = accumulate.rows_of(data.values)
        for n, stage in enumerate(draw.one_of(*PAIRS)):
            line += f", op{n}={stage}"
            if stage != "bypass" or draw.flag(0.2):
                text, operand = case.number(shape[0])
                reverse = stage != "bypass" and draw.flag()
                line += f", imm{n}={text}, reverse{n}={str(reverse).lower()}"
                rows = model.staged(rows, stage, operand, reverse)
        rows = model.function(rows, op, relu_param)
        lane = first_lane(data)
        ops = ("add", "maximum", "minimum", "abs_max", "abs_min")
        command, reduce_op, written, total = reduction(draw, case, lane, shape[0], ops)
        draw.line(line + written)
        draw.expect(dst, cast(rows, dst.dtype, shape))
        reduced(case, lane, rows, command, reduce_op, total)
