"""What the Tensor engine's instructions cost, in its cycles.

The array takes a column of the moving tile per cycle and pass. Tiles of it that share no cell run
side by side, and stationary tiles are loaded beside whatever it does.
"""

from __future__ import annotations

import math

from nasm.spec.evidence import Cost, Fact, weakest
from nasm.spec.instruction import Context
from nasm.spec.view import View
from nasm.targets.neuron.costs import cycles, gigahertz, strided
from nasm.targets.neuron.figures import NKI_COSTS
from nasm.targets.neuron.pe_tiles import FULL_TILE, columns, exact_transpose, place

CELL = 32
"""Rows and columns of the smallest tile of the array on any generation."""

LOADER, BACKGROUND, ARRAY = "load", "background", ""


def passes(context: Context, view: View) -> int:
    """How often the array is run: float32 takes four passes, two where a mode allows it."""
    if view.dtype.name != "float32":
        return 1
    hints = ("is_stationary_onezero", "is_moving_onezero")
    faster = exact_transpose(context) or any(context.operands.get(hint) for hint in hints)
    return 2 if faster else 4


def load_stationary(context: Context) -> Cost:
    """LoadStationary: columns / 4 for each pass, beside the array.

    A matmul may use the tile when the interval ends: published profiles show it under way while
    the load has not completed. What waits for the load by a semaphore waits for its completion.
    """
    view = context["stationary"]
    fast: Fact = context.generation.number("fast_load")
    count = passes(context, view) * columns(context, "stationary") * (2 if strided(context) else 1)
    interval = math.ceil(count / fast.value)
    after = context.generation.number("load_drain_ns")
    return Cost(
        interval,
        interval + cycles(context, after.value),
        weakest((fast.evidence, after.evidence)),
        f"{fast.source}; completion: {after.source}",
        LOADER,
    )


def multiply_moving(context: Context) -> Cost:
    """MultiplyMoving: a column of moving per cycle and pass, at least 64 of them.

    Tiles that share no cell of the array run side by side, and on v4 a transpose beside another
    matmul. From v3 on K of 64 or less halves the rate, unless the tile is a row tile (that row
    tiles are not slowed down is assumed).
    """
    view = context["moving"]
    number = context.generation.number
    least = number("matmul_min")
    count = columns(context, "moving") * (2 if strided(context) else 1)
    interval = passes(context, view) * max(least.value, count)
    evidence, source = least.evidence, f"{NKI_COSTS}: max(64, N)"
    if view.partitions <= number("short_k").value and place(context)[1][0] == FULL_TILE[0]:
        slow = number("short_k_factor")
        interval *= slow.value
        if slow.value != 1:
            evidence, source = weakest((evidence, slow.evidence)), f"{source}; {slow.source}"
    background = exact_transpose(context) and context.generation.switches["background_transpose"]
    unit, spare = (BACKGROUND, ARRAY) if background else (ARRAY, None)
    drain = drained(context)
    whole = math.ceil(interval)
    return Cost(
        whole,
        whole + cycles(context, drain.value),
        weakest((evidence, drain.evidence)),
        f"{source}; drain: {drain.source}",
        unit,
        cells(context),
        spare,
    )


def drained(context: Context) -> Fact:
    """Nanoseconds from the end of a matmul's interval to its results.

    They come the sooner the fewer columns of the array are in use, but for transposes: a published
    one of 128 columns is done before a matmul of 96.
    """
    number = context.generation.number
    if context.operands.get("is_transpose"):
        return number("tensor_transpose_drain_ns")
    whole, column = number("tensor_drain_ns"), number("tensor_column")
    lacking = FULL_TILE[1] - context["dst"].partitions
    if not lacking:
        return whole
    return Fact(
        whole.value - lacking * column.value / gigahertz(context),
        column.evidence,
        f"{whole.source}; by column: {column.source}",
    )


def cells(context: Context) -> tuple[str, ...]:
    """The smallest tiles of the array that a tile covers; none if it is the whole array."""
    (row, column), (rows, wide) = place(context)
    if (rows, wide) == FULL_TILE:
        return ()
    return tuple(
        f"{r},{c}" for r in range(row, row + rows, CELL) for c in range(column, column + wide, CELL)
    )


def quantize_mx(context: Context) -> Cost:
    """QuantizeMX: four elements per cycle, on Vector."""
    number = context.generation.number
    rate, least, drain = number("quantize_rate"), number("min_interval"), number("vector_drain_ns")
    count = context["src"].elements * (2 if strided(context) else 1)
    interval = math.ceil(max(least.value, count / rate.value))
    return Cost(
        interval,
        interval + cycles(context, drain.value),
        weakest((rate.evidence, drain.evidence)),
        f"{rate.source}; drain: {drain.source}",
    )
