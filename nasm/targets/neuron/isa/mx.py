"""Microscaling (MX): small floats in groups of 32 that share a power of two, and their matmul.

A group is 8 partitions of one x4 column. Its scale is in the quadrant of 32 partitions that
its data is in: the 4 groups of a quadrant have 4 partitions in a row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base import dtypes
from nasm.base.dtypes import DTYPES, DType
from nasm.base.exact import Factor, unrounded
from nasm.base.records import replace
from nasm.isa.implicit_kinds import DtypeOf, OptionOf
from nasm.isa.instruction import About, InstructionContext, Operand, Rule, in_bits, of_operands
from nasm.isa.kinds import Flag, Tile
from nasm.targets.neuron import pe_tiles, tensor_costs
from nasm.targets.neuron.indirection import not_tiled
from nasm.targets.neuron.isa import stationary as array
from nasm.targets.neuron.isa.stationary import WEIGHTS, LoadedTile
from nasm.targets.neuron.isa.table import ISA, Names
from nasm.targets.neuron.pe_tiles import POSITION, SIZE, Pair, first_partition, place, placed
from nasm.targets.neuron.rules import LIMIT, MODE, PATTERN, SHAPE, START_PARTITION, rule
from nasm.views.view import View

X4 = ("float8_e5m2_x4", "float8_e4m3fn_x4", "float4_e2m1fn_x4")
INPUT = Tile(("sbuf",), X4, indirect=True)
SCALE_DTYPES = ("float8_e8m0fnu", "uint8")
SCALES = Tile(("sbuf",), SCALE_DTYPES, lanes=False)
SCALES_IN = Tile(("sbuf",), SCALE_DTYPES, lanes=False, indirect=True)
QUADRANT, GROUP, PER_QUADRANT = 32, 8, 4
"""Partitions of a quadrant, partitions of a group, and groups of a quadrant."""
OFFSETS = (0, 4, 8, 12)
BIAS = 127
SOURCE = "nki.isa.nc_matmul_mx"
LAYOUT = "NKI 'MXFP8/4 matrix multiplication', scale tensor; nki.isa.quantize_mx"

WEIGHT_TENSORS = ".sbuf w float8_e4m3fn_x4[128, 128] input = zeros\n.sbuf ws u8[128, 128]"


@of_operands
def _footprint(_: InstructionContext, scale: View, data: View) -> tuple[View, ...]:
    """The partitions of a scale tile that hold scales of the data: 4 in each quadrant."""
    return tuple(
        replace(
            scale, partition=scale.partition + QUADRANT * n, shape=(PER_QUADRANT, *scale.shape[1:])
        )
        for n in range(data.partitions // QUADRANT)
    )


def _quadrants(name: str) -> Rule:
    @rule(
        LIMIT,
        f"{name} has 32, 64, 96 or 128 partitions",
        f"{SOURCE} and nki.isa.quantize_mx, 'Tile size'",
        basic=True,
        names=(name,),
        about=name,
    )
    def check(context: InstructionContext) -> str | None:
        found = context.operands[name].partitions
        return f"{name} has {found} partitions; wanted a multiple of 32" if found % 32 else None

    return check


def _scale_place(scale: str, data: str) -> Rule:
    @rule(
        START_PARTITION,
        f"{scale} starts in the quadrant of {data}, at partition 0, 4, 8 or 12 of it",
        LAYOUT,
        f"{scale}[4:] uses partitions 4 to 7 of each quadrant",
        names=(scale, data),
        about=scale,
    )
    def check(context: InstructionContext) -> str | None:
        start, first = first_partition(context, scale), first_partition(context, data)
        if start - first in OFFSETS:
            return None
        return f"{scale} starts at partition {start}, {data} at {first}"

    return check


def _scale_size(scale: str, data: str, per: int = 1) -> Rule:
    columns = (
        f"the same number of columns as {data}" if per == 1 else f"a column for {per} of {data}"
    )

    @rule(
        SHAPE,
        f"{scale} has {columns}, and 4 partitions in each quadrant of it",
        LAYOUT,
        names=(scale, data),
        about=scale,
    )
    def check(context: InstructionContext) -> str | None:
        view, groups = context.operands[scale], context.operands[data]
        wanted = groups.elements // per
        if view.elements != wanted:
            return f"{scale} has {view.elements} columns; wanted {wanted}"
        least = groups.partitions - QUADRANT + PER_QUADRANT
        if not least <= view.partitions <= groups.partitions:
            return (
                f"{scale} has {view.partitions} partitions; wanted {least} to {groups.partitions} "
                f"for {groups.partitions} of {data}"
            )
        return None

    return check


def _contiguous(scale: str) -> Rule:
    @rule(
        PATTERN,
        f"the partitions of {scale} are a contiguous run",
        LAYOUT,
        names=(scale,),
        about=scale,
    )
    def check(context: InstructionContext) -> str | None:
        step = context.operands[scale].steps[0]
        return None if step == 1 else f"{scale} steps {step} partitions at a time"

    return check


def _same_index(scale: str, data: str) -> Rule:
    @rule(
        MODE,
        f"{data} and {scale} are indirect by the same index, or neither is",
        f"{SOURCE}, 'Tensor indirection'",
        names=(scale, data),
    )
    def check(context: InstructionContext) -> str | None:
        names = (data, scale)
        found = {
            n: offsets.tile for n in names if (offsets := context.operands[n].offsets) is not None
        }
        if len(found) == 1:
            only = next(iter(found))
            return About(only, f"{only} alone is indirect")
        if found and found[data] != found[scale]:
            return f"{data} has the index {found[data].tensor.name}, {scale} another one"
        return None

    return check


def _scale_rules(scale: str, data: str, per: int = 1) -> tuple[Rule, ...]:
    return (
        _quadrants(data),
        _contiguous(scale),
        _scale_size(scale, data, per),
        _scale_place(scale, data),
    )


@rule(
    MODE, "an MX tile may be a row tile of the array, not a column tile", f"{SOURCE}, 'Tiling mode'"
)
def row_tiles(context: InstructionContext) -> str | None:
    """Its column is 0, its columns 128."""
    (_, column), (_, wide) = place(context)
    return None if (column, wide) == (0, 128) else f"a tile of {wide} columns at {column}"


@rule(
    LIMIT,
    "the stationary tile has an even number of columns",
    f"{SOURCE}, 'Tile size'",
    about="stationary",
)
def even_columns(context: InstructionContext) -> str | None:
    """M is even."""
    found = context.operands["stationary"].elements
    return f"stationary has {found} columns; wanted an even number" if found % 2 else None


@ISA.instruction(
    Operand("weights", WEIGHTS, "rw", use=array.replaced("tile_position", "tile_size")),
    Operand("stationary", INPUT, doc="[K, M], four values in each element"),
    Operand(
        "stationary_scale",
        SCALES_IN,
        doc="[K, M], of which 4 partitions per quadrant count",
        footprint=_footprint("stationary_scale", "stationary"),
    ),
    Operand("dtype", DtypeOf("stationary")),
    POSITION,
    SIZE,
    Operand("scale255", OptionOf("mx.scale255")),
    engines=("tensor",),
    rules=(
        pe_tiles.tile_whole,
        pe_tiles.tiling,
        row_tiles,
        pe_tiles.rows_fit("stationary"),
        pe_tiles.columns_fit,
        even_columns,
        pe_tiles.starts_at_row("stationary"),
        *_scale_rules("stationary_scale", "stationary"),
        not_tiled,
        _same_index("stationary_scale", "stationary"),
    ),
    cost=tensor_costs.load_stationary("stationary"),
    domain=in_bits,
    since="v4",
    vendor=Names("nc_matmul_mx", "LDWEIGHTS", "MatMulMX"),
    formula="W[k, q, m] = stationary[k, m].q * 2 ** (scale[k // 8, m] - 127), q = 0 to 3",
    tensors=WEIGHT_TENSORS,
    example="LoadStationaryMX w, ws",
    source="nki.isa.nc_matmul_mx; Trainium3 architecture guide, 'Quad-MXFP8/MXFP4 Matmul'",
)
def LoadStationaryMX(
    weights: tuple[LoadedTile, ...],
    stationary: Any,
    stationary_scale: Any,
    dtype: DType,
    tile_position: Pair | None,
    tile_size: Pair | None,
    scale255: str,
) -> tuple[LoadedTile, ...]:
    """Load an MX tile into the systolic array, for the MultiplyMovingMXs that follow.

    Each element holds four values along the contraction, so that K = 128 partitions are 512
    values. 8 partitions share the scale of a column; group k // 8 of a quadrant has its scale on
    partition (k // 8) % 4 of the same quadrant, from where scale begins.
    """
    values = _dequantised(stationary, dtype, stationary_scale, scale255)
    return array.beside(
        weights, LoadedTile(Factor(values), dtype, *placed(tile_position, tile_size))
    )


@ISA.instruction(
    Operand(
        "dst",
        Tile(("psum",), indirect=True),
        "w",
        adds="accumulate",
        adds_to_any="psum_adds_to_any",
        doc="[M, N]",
    ),
    Operand("moving", INPUT, doc="[K, N], four values in each element"),
    Operand(
        "moving_scale",
        SCALES_IN,
        doc="[K, N], of which 4 partitions per quadrant count",
        footprint=_footprint("moving_scale", "moving"),
    ),
    Operand("dtype", DtypeOf("moving")),
    Operand("weights", WEIGHTS),
    Operand("accumulate", Flag(), "-", False, "add to what dst holds, when the matmul completes"),
    POSITION,
    SIZE,
    Operand("scale255", OptionOf("mx.scale255")),
    engines=("tensor",),
    rules=(
        pe_tiles.tile_whole,
        pe_tiles.tiling,
        row_tiles,
        pe_tiles.rows_fit("moving"),
        pe_tiles.moving_fits,
        pe_tiles.dst_fits,
        pe_tiles.dst_dtype,
        pe_tiles.starts_at_row("moving"),
        pe_tiles.dst_at_column,
        *_scale_rules("moving_scale", "moving"),
        not_tiled,
        _same_index("moving_scale", "moving"),
    ),
    cost=tensor_costs.multiply_moving("dst", "moving", "tile_position", "tile_size"),
    domain=in_bits,
    since="v4",
    vendor=Names("nc_matmul_mx", "MATMUL", "MatMulMX"),
    flops=tensor_costs.products("dst", "moving"),
    formula="dst[m, n] (+)= sum over k, q of W[k, q, m] * moving[k, n].q * 2 ** (scale - 127)",
    tensors=WEIGHT_TENSORS
    + """
        .sbuf x float8_e5m2_x4[128, {n}] input = zeros
        .sbuf xs u8[128, {n}]""",
    setup="@tensor LoadStationaryMX w, ws",
    example="MultiplyMovingMX acc, x, xs",
    instead={"MultiplyMoving": "for other dtypes"},
    source="nki.isa.nc_matmul_mx; Trainium3 architecture guide, 'Quad-MXFP8/MXFP4 Matmul'",
)
def MultiplyMovingMX(
    moving: Any,
    moving_scale: Any,
    dtype: DType,
    weights: tuple[LoadedTile, ...],
    tile_position: Pair | None,
    tile_size: Pair | None,
    scale255: str,
) -> Any:
    """Stream an MX tile past the stationary one: dst (+)= stationary.T @ moving, K four times.

    Both are widened to float32 and scaled first, exactly unless a scaled value leaves float32's
    range; the sum over k and q is exact and rounded once to float32 (assumed). MXFP8 and MXFP4
    may be mixed. It takes the time of a bfloat16 matmul of the same tiles. A scale of 255 is NaN
    (assumed; the option mx.scale255 has the other reading).
    """
    tile = array.loaded(weights, placed(tile_position, tile_size), scaled=True)
    values = _dequantised(moving, dtype, moving_scale, scale255)
    array.same_rows(tile, len(values))
    return unrounded(tile.factor, Factor(values))


def _dequantised(tile: Any, dtype: DType, scale: Any, scale255: str) -> Any:
    """[K, N] of x4 elements and [K / 8, N] of scales as [4 K, N] in float32."""
    values = dtypes.unpack(tile, dtype)
    _, columns, four = values.shape
    exponents = scale.reshape(-1, columns).view(np.uint8).astype(np.int32)
    powers = np.ldexp(np.float32(1), exponents - BIAS)
    powers[exponents == 255] = np.nan if scale255 == "nan" else np.inf
    grouped = values.reshape(-1, GROUP, columns, four).transpose(0, 1, 3, 2)
    return np.multiply(grouped, powers[:, None, None, :], order="C").reshape(-1, columns)


def _fours(context: InstructionContext) -> str | None:
    found = context.operands["src"].elements
    return f"src has {found} columns; wanted a multiple of 4" if found % 4 else None


FOURS = Rule(
    LIMIT,
    "src has a multiple of 4 columns",
    "nki.isa.quantize_mx, 'Tile size'",
    _fours,
    about="src",
)


@rule(
    SHAPE,
    "dst has the partitions of src and a quarter of its columns, in the same quadrants",
    "nki.isa.quantize_mx, 'Tile size'; NKI 'MXFP8/4 matrix multiplication'",
    about="dst",
)
def a_quarter(context: InstructionContext) -> str | None:
    """The layout is preserved."""
    src, dst = context.operands["src"], context.operands["dst"]
    if (dst.partitions, 4 * dst.elements) != (src.partitions, src.elements):
        return f"dst is {dst.partitions} by {dst.elements}, src {src.partitions} by {src.elements}"
    start, wanted = first_partition(context, "dst"), first_partition(context, "src")
    return None if start == wanted else f"dst starts at partition {start}, src at {wanted}"


@ISA.instruction(
    Operand("dst", Tile(("sbuf",), X4[:2]), "w", doc="[P, F / 4]"),
    Operand("src", Tile(("sbuf",), ("bfloat16", "float16")), doc="[P, F]"),
    Operand(
        "dst_scale",
        SCALES,
        "w",
        doc="[P, F / 4], of which 4 partitions per quadrant count",
        footprint=_footprint("dst_scale", "src"),
    ),
    Operand("src_dtype", DtypeOf("src")),
    Operand("dst_dtype", DtypeOf("dst")),
    Operand("scale_dtype", DtypeOf("dst_scale")),
    Operand("scale", OptionOf("quantize_mx.scale")),
    engines=("vector",),
    rules=(FOURS, a_quarter, *_scale_rules("dst_scale", "src", 4)),
    cost=tensor_costs.quantized("src"),
    domain=in_bits,
    since="v4",
    vendor=Names("quantize_mx", "", "QuantizeMX"),
    formula="X = 2 ** (floor(log2(max |src| of the group)) - (Emax - 1)), dst = src / X",
    tensors=".sbuf x float8_e4m3fn_x4[128, {n} // 4]\n.sbuf xs u8[128, {n} // 4]",
    example="QuantizeMX x, a, xs",
    source="nki.isa.quantize_mx; Trainium3 architecture guide, 'MX data-type Quantization'",
)
def QuantizeMX(
    src: Any, src_dtype: DType, dst_dtype: DType, scale_dtype: DType, scale: str
) -> tuple[Any, Any]:
    """Quantise a tile to MXFP8: small floats, and a power of two for each group of 32.

    A group is 8 partitions by 4 columns; Emax is 8 for float8_e4m3fn and 15 for float8_e5m2. A
    group of zeros has the smallest scale there is, 2**-127. The option
    quantize_mx.scale=ocp takes Emax instead of Emax - 1, as the published reference does, and
    clips what is then beyond the largest value. Of a group with NaN or an infinity the scale
    is as if its exponent were 128, and those values are cast as they are (assumed).
    """
    values = dtypes.to_float32(src, src_dtype)
    partitions, columns = values.shape
    groups = values.reshape(-1, GROUP, columns // 4, 4)
    exponents = ((groups.view(np.uint32) >> 23) & 255).max(axis=(1, 3)).astype(np.int32)
    element = DTYPES[dst_dtype.name.removesuffix("_x4")]
    most = int(np.frexp(element.max_finite)[1]) - 1
    bytes_ = np.clip(exponents - (most - (scale == "nki")), 0, 254)
    scaled = groups * np.ldexp(np.float32(1), BIAS - bytes_)[:, None, :, None]
    clipped = np.clip(scaled, -np.float32(element.max_finite), np.float32(element.max_finite))
    kept = np.where(np.isfinite(scaled), clipped, scaled)
    packed = dtypes.pack(kept.reshape(partitions, columns // 4, 4), dst_dtype)
    return packed, bytes_.astype(np.uint8).view(scale_dtype.numpy)
