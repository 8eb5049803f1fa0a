"""The instructions that share Vector's accumulators, against plain loops on random tiles."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from tests.neuron.accumulate import model
from tests.neuron.cases import Draw, Tile, random_cases
from tests.neuron.elementwise.test_random import arithmetic
from tests.neuron.scalar import out

FLOATS = ("float32", "bfloat16", "float16", "float8_e4m3", "float8_e5m2")
SHORT = ("uint8", "int8", "uint16", "int16")
COLUMN = ("float32", "bfloat16", "float16", "int16")


def first_lane(tile: Tile) -> int:
    """The partition a tile starts at, as its text says."""
    found = re.match(r"\w+\[(\d+):", tile.text)
    return int(found[1]) if found else 0


def cast(rows: Any, dtype: str, shape: Any) -> Any:
    """Rows of float32 as a tile of a dtype."""
    return np.array([[out(v, dtype) for v in row] for row in rows]).reshape(shape)


SIZE = 20


class Case:
    """One case: what Vector's accumulators hold, and the names the lines share."""

    def __init__(self, draw: Draw) -> None:
        self.draw, self.lanes = draw, model.Lanes()

    def number(self, count: int) -> tuple[str, Any]:
        """A scalar operand as a program writes it: a number, or a tile."""
        if self.draw.flag():
            value = self.draw.real(8)
            return repr(value), value
        tile = self.draw.column(count)
        return str(tile), tile.values

    def command(self, first: int, count: int, *options: str) -> str:
        """A command whose outcome is known."""
        known = self.lanes.knows(first, count)
        return str(self.draw.one_of(*(o for o in options if known or o != "reduce")))

    def init(self, command: str, count: int, name: str) -> tuple[str, Any]:
        """What load_reduce loads, as a program writes it."""
        if command != "load_reduce":
            return "", None
        text, value = self.number(count)
        return f", {name}={text}", model.per_lane(value, count)

    def result(self, count: int, *dtypes: str) -> Tile | None:
        """A tile for reduce_res, if there is one."""
        if self.draw.flag(0.3):
            return None
        return self.draw.result((count, 1), self.draw.one_of(*dtypes))

    def expect(self, tile: Tile | None, values: list[float], rtol: float = 0.0) -> None:
        if tile is not None:
            want = cast([[v] for v in values], tile.dtype, tile.shape)
            self.draw.expect(tile, want, rtol)


@random_cases(edges=0.2)
def test_tensor_scalar_reduce(draw: Draw) -> None:
    case = Case(draw)
    shape = draw.shape(SIZE)
    for _ in range(draw.number(1, 3)):
        data = draw.tile(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
        dst = draw.result(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
        op = draw.one_of(*arithmetic(draw), "abs")
        text, operand = ("0", None) if op == "abs" else case.number(shape[0])
        reduce_op = draw.one_of("add", "multiply", "maximum", "minimum")
        lane = first_lane(data)
        command = case.command(lane, shape[0], "reset_reduce", "reduce", "load_reduce")
        init, start = case.init(command, shape[0], "reduce_init")
        total, negate = case.result(shape[0], *COLUMN), draw.flag(0.3)
        reads = f", reduce_res={total}" if total else ""
        draw.line(
            f"@vector TensorScalarReduce {dst}, {data}, op0={op}, operand0={text}, "
            f"reduce_op={reduce_op}, reduce_cmd={command}, "
            f"reduce_res_negate={str(negate).lower()}{init}{reads}"
        )
        rows = model.tensor_scalar(model.rows_of(data.values), op, operand)
        case.lanes.run(command, reduce_op, lane, rows, start)
        draw.expect(dst, cast(rows, dst.dtype, shape))
        sums = case.lanes.read(lane, shape[0])
        case.expect(total, [-v for v in sums] if negate else sums)


@random_cases(on=("trn2", "trn3"), edges=0.2)
def test_tensor_scalar_cumulative(draw: Draw) -> None:
    case = Case(draw)
    shape = draw.shape(SIZE)
    for _ in range(draw.number(1, 3)):
        src = draw.tile(shape, draw.dtype(*FLOATS, *SHORT))
        dst = draw.result(shape, draw.dtype(*FLOATS, *SHORT))
        op0 = draw.one_of(*arithmetic(draw), "abs")
        text, operand = ("0", None) if op0 == "abs" else case.number(shape[0])
        op1 = draw.one_of("add", "subtract", "multiply", "maximum", "minimum")
        lane = first_lane(src)
        command = case.command(lane, shape[0], "reset_reduce", "reduce", "load_reduce")
        init, start = case.init(command, shape[0], "imm1")
        draw.line(
            f"@vector TensorScalarCumulative {dst}, {src}, op0={op0}, op1={op1}, imm0={text}, "
            f"reduce_cmd={command}{init}"
        )
        rows = model.tensor_scalar(model.rows_of(src.values), op0, operand)
        walk = model.cumulative(case.lanes, lane, rows, op1, command, start)
        draw.expect(dst, cast(walk, dst.dtype, shape))


@random_cases(on=("trn2", "trn3"), edges=0.2)
def test_range_select(draw: Draw) -> None:
    case = Case(draw)
    shape = draw.shape(SIZE)
    for _ in range(draw.number(1, 3)):
        data, dst = draw.tile(shape, draw.dtype(*FLOATS)), draw.result(shape)
        start = draw.one_of(0, 0, 7, -5, 2**24 - 500)
        size = int(np.prod(shape[1:]))
        bounds = [
            draw.tile((shape[0], 1), "float32", values=values.astype(np.float32), plain=True)
            for values in draw.numbers(start - 3, start + size + 2, (2, shape[0], 1))
        ]
        ops = (draw.one_of(*model.COMPARE), draw.one_of(*model.COMPARE))
        lane = first_lane(data)
        command = case.command(lane, shape[0], "reset_reduce", "reduce", "reset", "idle")
        most = None if command == "idle" else case.result(shape[0], *COLUMN)
        reads = f", reduce_res={most}" if most else ""
        draw.line(
            f"@vector RangeSelect {dst}, {data}, {bounds[0]}, {bounds[1]}, comp_op0={ops[0]}, "
            f"comp_op1={ops[1]}, range_start={start}, reduce_cmd={command}{reads}"
        )
        low, high = (model.per_lane(b.values, shape[0]) for b in bounds)
        rows = model.range_select(model.rows_of(data.values), low, high, ops, start)
        draw.expect(dst, cast(rows, dst.dtype, shape))
        if command == "idle":
            case.lanes.forget()
        else:
            case.lanes.run(command, "maximum", lane, rows)
            case.expect(most, case.lanes.read(lane, shape[0]))


@random_cases(edges=0.2)
def test_select_reduce(draw: Draw) -> None:
    case = Case(draw)
    shape = draw.shape(SIZE)
    for _ in range(draw.number(1, 3)):
        places = draw.one_of(("sbuf", "sbuf"), ("psum", "sbuf"), ("sbuf", "psum"))
        on_true = draw.tile(shape, draw.dtype(*FLOATS, *SHORT), places[0])
        chosen = draw.tile(shape, draw.dtype(*SHORT), places[1])
        dst = draw.result(shape)
        text, on_false = case.number(shape[0])
        reverse = draw.flag()
        lane = first_lane(on_true)
        command = case.command(lane, shape[0], "reset_reduce", "reduce", "idle")
        most = None if command == "idle" else case.result(shape[0], *FLOATS)
        reads = f", reduce_res={most}" if most else ""
        draw.line(
            f"@vector SelectReduce {dst}, {chosen}, {on_true}, {text}, reduce_cmd={command}, "
            f"reverse_pred={str(reverse).lower()}{reads}"
        )
        rows = model.select(
            model.rows_of(chosen.values),
            model.rows_of(on_true.values),
            model.per_lane(on_false, shape[0]),
            reverse,
        )
        draw.expect(dst, cast(rows, dst.dtype, shape))
        if command == "idle":
            case.lanes.forget()
        else:
            case.lanes.run(command, "maximum", lane, rows)
            case.expect(most, case.lanes.read(lane, shape[0]))


@random_cases(on=("trn3",), edges=0.2)
def test_exponential(draw: Draw) -> None:
    case = Case(draw)
    shape = draw.shape(SIZE)
    for _ in range(draw.number(1, 3)):
        src, dst = draw.tile(shape, wild=draw.flag()), draw.result(shape, "float32")
        text, most = case.number(shape[0])
        lane = first_lane(src)
        commands = ("reset_reduce", "reduce", "load_reduce", "idle")
        command = case.command(lane, shape[0], *commands)
        init, start = case.init(command, shape[0], "reduce_init")
        total = None if command == "idle" else case.result(shape[0], "float32")
        reads = f", reduce_res={total}" if total else ""
        draw.line(f"@vector Exponential {dst}, {src}, {text}, reduce_cmd={command}{init}{reads}")
        rows = model.exponential(model.rows_of(src.values), model.per_lane(most, shape[0]))
        # One unit in the last place: two libraries' float64 may round to two sides of a tie.
        draw.expect(dst, cast(rows, "float32", shape), rtol=2.0**-23)
        if command == "idle":
            case.lanes.forget()
        else:
            case.lanes.run(command, "add", lane, rows, start)
            # Each of up to three times 40 terms may err by that unit.
            case.expect(total, case.lanes.read(lane, shape[0]), rtol=2.0**-20)
