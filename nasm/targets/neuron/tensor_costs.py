"""What the Tensor engine's instructions cost, in its cycles.

The array takes a column of the moving tile per cycle and pass. Tiles of it that share no cell run
side by side, and stationary tiles are loaded in parallel with it.
"""

from __future__ import annotations

import math

from nasm.base.dtypes import DType, ElementKind
from nasm.base.records import replace
from nasm.isa.evidence import Cost, Fact, weakest
from nasm.isa.flops import Flops
from nasm.isa.instruction import InstructionContext, of_operands
from nasm.targets.neuron.cost_parts import drained, followed, gigahertz, port_slots, slots, worked
from nasm.targets.neuron.figures import NKI_COSTS
from nasm.targets.neuron.paces import POWER
from nasm.targets.neuron.pe_tiles import FULL_TILE, Pair, Place, columns, moves_bits, placed
from nasm.views.view import View

CELL = 32
"""Rows and columns of the smallest tile of the array on any generation."""

LOADER, BACKGROUND, ARRAY = "load", "background", ""


@of_operands
def load_stationary(
    context: InstructionContext,
    stationary: View,
    is_transpose: bool = False,
    perf_mode: str = "none",
    onezero: bool = False,
    tile_position: Pair | None = None,
    tile_size: Pair | None = None,
) -> Cost:
    """Four columns per cycle and pass, in parallel with the array; float32 on v2 in turn with it.

    A matmul may use the tile when the interval ends: published profiles show it in flight while
    the load has not completed. What waits for the load by a semaphore waits for its completion.
    """
    fast: Fact = context.generation.numbers["fast_load"]
    rounds = passes(stationary, moves_bits(context, is_transpose) or onezero)
    count = rounds * port_slots(context, columns(stationary, perf_mode))
    alone = context.generation.numbers.get("load_float32")
    if alone is None or rounds == 1:
        interval = count / fast.value
        return drained(context, "load_drain_ns", interval, fast.evidence, fast.source, LOADER)
    interval = count / 2 / alone.value
    made = drained(context, "load_drain_ns", interval, alone.evidence, alone.source, ARRAY)
    return replace(made, parts=cells(placed(tile_position, tile_size)))


@of_operands
def multiply_moving(
    context: InstructionContext,
    dst: View,
    moving: View,
    tile_position: Pair | None,
    tile_size: Pair | None,
    is_transpose: bool = False,
    perf_mode: str = "none",
    moving_onezero: bool = False,
    stationary_onezero: bool = False,
) -> Cost:
    """A column of the moving tile per cycle and pass, at least 64 of them.

    Tiles that share no cell of the array run side by side, and on v4 a transpose in parallel with
    another matmul. From v3 on K of 64 or less halves the rate, unless the tile is a row tile (that
    row tiles are not slowed down is assumed), and so does a pause before, but not both of them.
    """
    numbers = context.generation.numbers
    exact = moves_bits(context, is_transpose)
    where = placed(tile_position, tile_size)
    least = numbers["matmul_min"]
    count = port_slots(context, columns(moving, perf_mode))
    rounds = passes(moving, exact or moving_onezero or stationary_onezero)
    between = overhead(context, rounds)
    full = interval = rounds * max(least.value, count) + between.value
    evidence = weakest((least.evidence, between.evidence))
    source = f"{NKI_COSTS}: max(64, N); {between.source}"
    if moving.partitions <= numbers["short_k"].value and where[1][0] == FULL_TILE[0]:
        slow = numbers["short_k_factor"]
        interval *= slow.value
        if slow.value != 1:
            evidence, source = weakest((evidence, slow.evidence)), f"{source}; {slow.source}"
    background = exact and context.generation.switches["background_transpose"]
    unit, spare = (BACKGROUND, ARRAY) if background else (ARRAY, None)
    made = followed(context, drain(context, dst, is_transpose), interval, evidence, source, unit)
    return ramped(context, full, replace(made, parts=cells(where), spare=spare))


def overhead(context: InstructionContext, rounds: int) -> Fact:
    """The cycles between a matmul and the next.

    Two of the rounds of float32 are one pass of the hardware, at two cycles per column.
    """
    numbers = context.generation.numbers
    if rounds == 1:
        return numbers["matmul_overhead"]
    each = numbers["matmul_overhead_float32"]
    return Fact(rounds / 2 * each.value, each.evidence, each.source)


def ramped(context: InstructionContext, full: float, made: Cost) -> Cost:
    """The cost of a matmul that takes longer after a pause; ``full`` is at the full rate."""
    slow = context.generation.numbers.get("ramp_factor")
    if slow is None or context.generation.options["power_ramp"] == "off":
        return made
    longer = math.ceil(full * slow.value) - made.interval
    return replace(made, pace=POWER, key=max(0, longer))


@of_operands
def products(
    context: InstructionContext, dst: View, moving: View, is_transpose: bool = False
) -> Flops:
    """A product and a sum for each value of the moving tile and each column of the stationary one.

    Of four values in an element each counts.
    """
    return Flops(
        2 * moving.size * _values(moving.dtype) * dst.partitions,
        _weight(context, moving.dtype),
        is_transpose,
    )


def _values(dtype: DType) -> int:
    return 4 if dtype.kind is ElementKind.PACKED else 1


def _weight(context: InstructionContext, dtype: DType) -> float:
    """How much of the array's time a product takes, relative to one in 16 bits."""
    numbers = context.generation.numbers
    if _values(dtype) > 1:
        return numbers["flops_mx"].value
    if dtype.name == "float32":
        return numbers["flops_float32"].value
    return numbers["flops_float8"].value if dtype.itemsize == 1 else 1.0


def passes(view: View, faster: bool) -> int:
    """How often the array is run: float32 takes four passes, two where a mode allows it."""
    if view.dtype.name != "float32":
        return 1
    return 2 if faster else 4


def drain(context: InstructionContext, dst: View, is_transpose: bool) -> Fact:
    """Nanoseconds from the end of a matmul's interval to its results.

    They come the sooner the fewer columns of the array are in use, but for transposes: a published
    one of 128 columns is done before a matmul of 96.
    """
    numbers = context.generation.numbers
    if is_transpose:
        return numbers["tensor_transpose_drain_ns"]
    whole, column = numbers["tensor_drain_ns"], numbers["tensor_column"]
    lacking = FULL_TILE[1] - dst.partitions
    if not lacking:
        return whole
    return Fact(
        max(0, whole.value - lacking * column.value / gigahertz(context)),
        column.evidence,
        f"{whole.source}; by column: {column.source}",
    )


def cells(where: Place) -> tuple[str, ...]:
    """The smallest tiles of the array that a tile covers; none if it is the whole array."""
    (row, column), (rows, wide) = where
    if (rows, wide) == FULL_TILE:
        return ()
    return tuple(
        f"{r},{c}" for r in range(row, row + rows, CELL) for c in range(column, column + wide, CELL)
    )


@of_operands
def quantized(context: InstructionContext, src: View) -> Cost:
    """Four elements per cycle in each partition."""
    rate = context.generation.numbers["quantize_rate"]
    count = slots(context, src) / rate.value
    return worked(context, "vector_drain_ns", count, rate.evidence, rate.source)
