"""The Tensor engine: a stationary tile is loaded, a moving tile streams past it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import DTYPES, DType
from nasm.base.exact import Factor, unrounded
from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.isa.implicit_kinds import DtypeOf, SwitchOf
from nasm.isa.instruction import BITS, FLOAT32, InstructionContext, Operand, Rule, of_operands
from nasm.isa.kinds import Choice, Flag, Tile
from nasm.targets.neuron import pe_tiles, tensor_costs
from nasm.targets.neuron.indirection import matmul_dtypes, no_indirect_transpose, not_tiled
from nasm.targets.neuron.isa import stationary as array
from nasm.targets.neuron.isa.stationary import WEIGHTS, LoadedTile
from nasm.targets.neuron.isa.table import ISA, Names
from nasm.targets.neuron.pe_tiles import (
    POSITION,
    SIZE,
    Pair,
    Place,
    exact_transpose,
    moves_bits,
    place,
    placed,
)
from nasm.targets.neuron.rules import MATMUL_SOURCE, MODE, PATTERN, rule
from nasm.views.view import View

MATMUL_DTYPES = (
    "float8_e3m4",
    "float8_e4m3",
    "float8_e5m2",
    "float8_e4m3fn",
    "bfloat16",
    "float16",
    "tfloat32",
    "float32",
)
INPUT = Tile(("sbuf",), MATMUL_DTYPES, flat=False, indirect=True)
EIGHT_BIT = ("float8_e4m3", "float8_e5m2", "float8_e4m3fn")
FULL = frozenset({"tfloat32", "float32"})
NEVER_MIXED = frozenset({"float8_e4m3", "float8_e4m3fn"})
VENDOR = ("nc_matmul", "nc_transpose")

TRANSPOSES = Operand(
    "is_transpose",
    Flag(),
    "r",
    False,
    "pass the stationary tile through, transposed; both instructions say the same",
)
PERF_MODE = Operand(
    "perf_mode",
    Choice(("none", "double_row"), "perf_mode"),
    "r",
    "none",
    "double_row packs K = 256 in fp8 (v3, v4); an older name of it is double_row_gen3",
)
EXACT = Operand("exact", SwitchOf("transpose_exact"))


@of_operands
def _factor(
    context: InstructionContext, tile: View, is_transpose: bool, perf_mode: str
) -> Callable[..., Factor] | None:
    """One side of a product: a tile as K rows, of which double_row has two on each partition."""
    if moves_bits(context, is_transpose):
        return None
    return _factors(tile.dtype, perf_mode == "double_row")


@cache
def _factors(dtype: DType, folded: bool) -> Callable[..., Factor]:
    plain = dtype.name in ("bfloat16", "float32") and not folded

    def factor(
        array: Any, whole: Callable[[], Factor] | None = None, columns: slice | None = None
    ) -> Factor:
        if dtype.name != "bfloat16":
            array = dtypes.to_float32(array, dtype)
        rows = array.reshape(array.shape[0] * (1 + folded), -1)
        if plain and whole is not None:
            return Factor(rows, whole(), columns)
        return Factor(dtypes.round_tfloat32(rows) if dtype.name == "tfloat32" else rows)

    return factor


Modes = tuple[bool, Place, str, bool]
"""is_transpose, the tile of the array, perf_mode and is_stationary_onezero."""


def _double_row(name: str) -> Rule:
    @rule(
        MODE,
        "double_row takes fp8 with a first free axis of 2, no column tiles, no transpose",
        "Trainium2 architecture guide, 'Double FP8'; nki.isa.nc_matmul",
        names=(name, "perf_mode", "is_transpose"),
    )
    def check(context: InstructionContext) -> str | None:
        if context.operands["perf_mode"] != "double_row":
            return None
        view = context.operands[name]
        if not context.generation.switches["double_row"]:
            return f"double_row on {context.generation.name}; v3 and v4 have it"
        if view.dtype.name not in EIGHT_BIT:
            return f"double_row with {name} of {view.dtype.name}; wanted fp8"
        if len(view.shape) < 3 or view.shape[1] != 2:
            return f"double_row with {name}{list(view.shape)}; wanted [K, 2, …]"
        if place(context)[1][1] != 128 or context.operands["is_transpose"]:
            return "double_row together with column tiles or transpose mode"
        return None

    return check


@of_operands
def _mode_domain(context: InstructionContext, is_transpose: bool) -> str:
    return BITS if moves_bits(context, is_transpose) else FLOAT32


@ISA.instruction(
    Operand("weights", WEIGHTS, "rw", use=array.replaced("tile_position", "tile_size")),
    Operand(
        "stationary",
        INPUT,
        doc="[K, M], or [K, 2, M]",
        derived=_factor("stationary", "is_transpose", "perf_mode"),
    ),
    Operand("dtype", DtypeOf("stationary")),
    TRANSPOSES,
    Operand(
        "is_stationary_onezero", Flag(), "r", False, "hint: only ones and zeros; faster in float32"
    ),
    POSITION,
    SIZE,
    PERF_MODE,
    EXACT,
    engines=("tensor",),
    rules=(
        pe_tiles.tile_whole,
        pe_tiles.tiling,
        _double_row("stationary"),
        pe_tiles.rows_fit("stationary"),
        pe_tiles.columns_fit,
        pe_tiles.starts_at_row("stationary"),
        matmul_dtypes,
        not_tiled,
    ),
    cost=tensor_costs.load_stationary(
        "stationary",
        "is_transpose",
        "perf_mode",
        "is_stationary_onezero",
        "tile_position",
        "tile_size",
    ),
    domain=_mode_domain("is_transpose"),
    vendor=Names(VENDOR, "LDWEIGHTS", ("LoadStationary", "NcMatMul")),
    formula="W[k, m] = stationary[k, m], held in the array until the next one",
    example="LoadStationary a",
    source="nki.isa.nc_matmul; Trainium/Inferentia2 architecture guide, 'Tensor Engine'",
)
def LoadStationary(
    weights: tuple[LoadedTile, ...],
    stationary: Any,
    dtype: DType,
    is_transpose: bool,
    is_stationary_onezero: bool,
    tile_position: Pair | None,
    tile_size: Pair | None,
    perf_mode: str,
    exact: bool,
) -> tuple[LoadedTile, ...]:
    """Load a tile into the systolic array, where it stays for the MultiplyMovings that follow.

    K is the partition axis, M the free axis. It runs in the background of the matmul before it
    and replaces whatever used the same cells of the array; tiles in other cells stay, so up to
    16 of them are held side by side.

    In float32 it represents two LDWEIGHTS of the profiler, one for each part that the operands
    are split into (FP32_LO_HI).
    """
    passes = is_transpose and exact
    return array.beside(
        weights,
        LoadedTile(
            stationary.reshape(len(stationary), -1).copy()
            if passes
            else Factor.of(stationary).copy(),
            dtype,
            *placed(tile_position, tile_size),
            is_transpose,
            perf_mode,
            is_stationary_onezero,
        ),
    )


@of_operands
def _sixteen_bits(context: InstructionContext, dst: View, is_transpose: bool) -> tuple[View, ...]:
    """What a transpose of 8-bit elements writes: 16-bit ones, of which dst names the lower half."""
    if not moves_bits(context, is_transpose) or dst.dtype.itemsize != 1:
        return (dst,)
    steps = (dst.steps[0], *(step // 2 for step in dst.steps[1:]))
    return (replace(dst, dtype=DTYPES["uint16"], steps=steps),)


@rule(
    PATTERN,
    "transpose mode writes 8-bit elements as 16-bit ones: dst takes every other byte",
    "Trainium2 architecture guide, 'Transpose': 16-bit output elements, the upper 8 bits zero",
    "give dst twice the columns and write every other one: dst[:, ::2]",
    each=True,
    about="dst",
)
def every_other_byte(context: InstructionContext) -> str | None:
    """A destination of bytes has room for the zeros between them."""
    view: View = context.operands["dst"]
    if not exact_transpose(context) or view.dtype.itemsize != 1:
        return None
    steps = [step for step, _ in view.dims] or [2]
    if steps[-1] != 2 or any(step % 2 for step in steps):
        return f"dst steps {steps[-1]} byte(s) at a time; wanted 2"
    offset = int(view.tensor.offset or 0) + view.offset
    if offset % 2 or view.extent[1] >= view.tensor.bytes:
        return "dst's first or last element is no lower half of 16 bits of its tensor"
    return None


@rule(MODE, "transpose mode overwrites: it does not accumulate", MATMUL_SOURCE, about="accumulate")
def no_adding_transpose(context: InstructionContext) -> str | None:
    """From v3 on a transpose moves bits."""
    adds = exact_transpose(context) and context.operands["accumulate"]
    return "accumulate=true in transpose mode" if adds else None


@ISA.instruction(
    Operand(
        "dst",
        Tile(("psum",), indirect=True),
        "w",
        adds="accumulate",
        adds_to_any="psum_adds_to_any",
        footprint=_sixteen_bits("dst", "is_transpose"),
        doc="[M, N]",
    ),
    Operand(
        "moving",
        INPUT,
        doc="[K, N], or [K, 2, N]",
        derived=_factor("moving", "is_transpose", "perf_mode"),
    ),
    Operand("dtype", DtypeOf("moving")),
    Operand("weights", WEIGHTS),
    Operand("accumulate", Flag(), "-", False, "add to what dst holds, when the matmul completes"),
    Operand(
        "is_moving_onezero", Flag(), "-", False, "hint: only ones and zeros; faster in float32"
    ),
    TRANSPOSES,
    POSITION,
    SIZE,
    PERF_MODE,
    Operand(
        "is_stationary_onezero", Flag(), "r", False, "the hint the stationary tile was loaded with"
    ),
    EXACT,
    engines=("tensor",),
    rules=(
        pe_tiles.tile_whole,
        pe_tiles.tiling,
        _double_row("moving"),
        pe_tiles.rows_fit("moving"),
        pe_tiles.moving_fits,
        pe_tiles.dst_fits,
        pe_tiles.dst_dtype,
        pe_tiles.one_bank,
        pe_tiles.starts_at_row("moving"),
        pe_tiles.dst_at_column,
        every_other_byte,
        no_adding_transpose,
        matmul_dtypes,
        not_tiled,
        no_indirect_transpose,
    ),
    cost=tensor_costs.multiply_moving(
        "dst",
        "moving",
        "tile_position",
        "tile_size",
        "is_transpose",
        "perf_mode",
        "is_moving_onezero",
        "is_stationary_onezero",
    ),
    domain=_mode_domain("is_transpose"),
    vendor=Names(VENDOR, "MATMUL", ("MatMul", "NcMatMul")),
    flops=tensor_costs.products("dst", "moving", "is_transpose"),
    formula="dst[m, n] (+)= sum over k of W[k, m] * moving[k, n], in float32",
    setup="@tensor LoadStationary a",
    example="MultiplyMoving acc, b",
    instead={"MultiplyMovingMX": "for MX dtypes"},
    source="nki.isa.nc_matmul; Trainium/Inferentia2 architecture guide, 'Tensor Engine'",
)
def MultiplyMoving(
    moving: Any,
    dtype: DType,
    weights: tuple[LoadedTile, ...],
    is_transpose: bool,
    tile_position: Pair | None,
    tile_size: Pair | None,
    perf_mode: str,
    is_stationary_onezero: bool,
    exact: bool,
) -> Any:
    """Stream a tile past the stationary one: dst (+)= stationary.T @ moving.

    The sum over k is exact and rounded once to float32: the vendor does not say in which order
    and with how many bits the array adds (assumed). A sum of zero is +0. With accumulate=true the
    result is added to dst in PSUM when the instruction completes, so a group of matmuls follows
    back to back; a bfloat16 dst (v4) is widened, added to in float32 and rounded at each write.
    The modes must be those the stationary tile was loaded with. Matmuls in different cells of the
    array run side by side. From v3 on one of 64 partitions or fewer takes twice the time
    (measured), unless it is in a row tile (assumed).

    The vendor's tools count the matmuls of a group: accumulate=false is KLR's first and whole
    (bit 0 of acc_flags), true its middle and last (bit 0 clear). The other bits, last and first
    of a group that adds, change no data (assumed: the sources contradict each other).

    In float32 it represents two MATMULs of the profiler (FP32_LO_HI), each of 2 cycles per
    column, 4 in all; transpose mode and the hints halve that. No source says that the two parts
    lose any precision: products are exact (assumed).

    With is_transpose=true the stationary tile passes through, and moving, an identity or a
    permutation, says which row goes where: nki.isa.nc_transpose. From v3 on that moves bits, so
    that NaN, infinities and any other pattern of the dtype survive; 8-bit elements come out as
    16-bit ones whose upper 8 bits are zero. On v2 it multiplies like any other matmul, and NaN or
    an infinity spoils its whole row of dst.
    """
    modes = (is_transpose, placed(tile_position, tile_size), perf_mode, is_stationary_onezero)
    tile = _loaded(weights, dtype, modes)
    if is_transpose and exact:
        values = moving.reshape(len(moving), -1)
        array.same_rows(tile, len(values))
        if tile.dtype is not dtype:
            raise Refused(
                "E0405",
                f"transpose mode of {tile.dtype.name} with moving of {dtype.name}",
                "give the permutation the dtype of the tile that it transposes",
            )
        return _passed_through(tile.values, values)
    factor = Factor.of(moving)
    array.same_rows(tile, factor.rows)
    return unrounded(tile.factor, factor)


def mixable(names: set[str]) -> bool:
    """Whether a matmul takes a stationary and a moving tile of these dtypes."""
    return (names <= FULL or not names & FULL) and not names >= NEVER_MIXED


def _loaded(weights: tuple[LoadedTile, ...], dtype: DType, modes: Modes) -> LoadedTile:
    """The stationary tile a matmul uses; refuses one loaded with other modes or dtypes."""
    is_transpose, where, perf_mode, onezero = modes
    tile = array.loaded(weights, where)
    if (tile.is_transpose, tile.perf_mode) != (is_transpose, perf_mode):
        raise Refused(
            "E0507",
            f"the stationary tile was loaded with is_transpose={str(tile.is_transpose).lower()}, "
            f"perf_mode={tile.perf_mode}",
            "both instructions must name the same modes",
        )
    if onezero and not tile.onezero:
        raise Refused(
            "E0507",
            "the stationary tile was loaded with is_stationary_onezero=false",
            "the hint belongs to both instructions, or to the load alone",
        )
    if tile.dtype is not dtype and not mixable({tile.dtype.name, dtype.name}):
        raise Refused(
            "E0405",
            f"a stationary tile of {tile.dtype.name} and a moving tile of {dtype.name}",
            "float32 and tfloat32 go together only; float8_e4m3 and float8_e4m3fn never do",
        )
    return tile


def _passed_through(stationary: Any, moving: Any) -> Any:
    """Transpose mode: each column of moving picks one row of the stationary tile, bit for bit."""
    ones = moving == 1
    if not (ones.sum(axis=0) == 1).all() or (np.count_nonzero(moving, axis=0) != 1).any():
        raise Refused(
            "E0701",
            "in transpose mode moving is not an identity or a permutation: what the array gives "
            "then is not documented",
        )
    if stationary.dtype.itemsize == 1:  # the machine extends unsigned bytes with zeros
        stationary = stationary.view(np.uint8)
    return np.ascontiguousarray(stationary[ones.argmax(axis=0)].T)
