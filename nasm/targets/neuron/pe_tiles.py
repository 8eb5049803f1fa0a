"""Tiles of the systolic array: where they may be, and the rules of their places."""

from __future__ import annotations

from nasm.base.problems import listed
from nasm.isa.instruction import About, InstructionContext, Operand, Rule
from nasm.isa.kinds import Integers
from nasm.targets.neuron.figures import ARRAY_SIDE
from nasm.targets.neuron.rules import (
    BANK,
    DTYPE,
    LIMIT,
    MATMUL_SOURCE,
    MODE,
    SHAPE,
    START_PARTITION,
    rule,
)
from nasm.views.view import View

FULL_TILE = (ARRAY_SIDE, ARRAY_SIDE)
Pair = tuple[int, int]
Place = tuple[Pair, Pair]
"""Where a tile of the array starts, and its rows and columns."""
POSITION = Operand(
    "tile_position",
    Integers(2, "[row, column] where the tile starts in the array"),
    "r",
    None,
    "where the tile starts in the 128x128 array; without it and tile_size, the whole array",
)
SIZE = Operand(
    "tile_size",
    Integers(2, "[rows, columns] of the array the tile may use"),
    "r",
    None,
    "rows and columns of the array it may use: 128, 64, from v3 also 32",
)


def placed(position: Pair | None, size: Pair | None) -> Place:
    """The tile of the array that two operands name: the whole array unless both are given."""
    if position is None:
        return (0, 0), FULL_TILE
    return position, FULL_TILE if size is None else size


def place(context: InstructionContext) -> Place:
    """The tile of the array that an instruction uses."""
    operands = context.operands
    return placed(operands["tile_position"], operands["tile_size"])


def columns(view: View, perf_mode: str = "none") -> int:
    """The columns of a tile: M of a stationary one, N of a moving one.

    double_row has two rows of the matmul on each partition.
    """
    return view.elements // (2 if perf_mode == "double_row" else 1)


def _columns(context: InstructionContext, name: str) -> int:
    return columns(context.operands[name], context.operands.get("perf_mode", "none"))


@rule(
    MODE,
    "tile_position and tile_size are given together, or neither for the whole array",
    f"{MATMUL_SOURCE}, 'Tiling mode'; nki.isa.nc_matmul_mx",
    "the whole array is tile_position=[0, 0], tile_size=[128, 128]",
)
def tile_whole(context: InstructionContext) -> str | None:
    """One alone does not make a tile."""
    given = [n for n in ("tile_position", "tile_size") if context.operands[n] is not None]
    return About(given[0], f"{given[0]} alone") if len(given) == 1 else None


@rule(
    MODE,
    "a tile's size is 128, 64 or (v3, v4) 32, and its position a multiple of its size",
    f"{MATMUL_SOURCE}, 'Tiling mode'",
    basic=True,
)
def tiling(context: InstructionContext) -> str | None:
    """Row and column tiles of the array."""
    least = int(context.generation.numbers["tile_min"].value)
    if None in (context.operands["tile_position"], context.operands["tile_size"]):
        return None
    position, sizes = place(context)
    for what, size, at in zip(("rows", "columns"), sizes, position, strict=True):
        if size not in (32, 64, 128) or size < least:
            return (
                f"a tile of {size} {what}; wanted 128, 64"
                + ("" if least > 32 else " or 32")
                + f" on {context.generation.name}"
            )
        if at % size or not 0 <= at < 128:
            return f"a tile of {size} {what} at {at}; wanted a multiple of {size} below 128"
    return None


def rows_fit(name: str) -> Rule:
    """K is at most the rows of the tile."""

    @rule(
        LIMIT,
        f"{name} spans no more partitions than the tile has rows",
        f"{MATMUL_SOURCE}, 'Tile size'",
        names=(name, "tile_position", "tile_size"),
        about=name,
    )
    def check(context: InstructionContext) -> str | None:
        rows = place(context)[1][0]
        found = context.operands[name].partitions
        return None if found <= rows else f"{name} has {found} partitions, the tile {rows} rows"

    return check


def starts_at_row(name: str) -> Rule:
    """A row tile reads its own partitions."""

    @rule(
        START_PARTITION,
        f"{name} starts at the tile's row: SBUF partition r feeds row r",
        f"{MATMUL_SOURCE}, 'Tiling mode'; nki-library kernels (assumed)",
        "tile_position and tile_size choose other rows of the array",
        names=(name, "tile_position", "tile_size"),
        about=name,
    )
    def check(context: InstructionContext) -> str | None:
        start, row = first_partition(context, name), place(context)[0][0]
        if start == row:
            return None
        return f"{name} starts at partition {start}, the tile at row {row}"

    return check


@rule(
    LIMIT,
    "the stationary tile has no more columns than the tile of the array",
    f"{MATMUL_SOURCE}, 'Tile size'",
    about="stationary",
)
def columns_fit(context: InstructionContext) -> str | None:
    """M is at most 128, or the tile's columns."""
    found, most = _columns(context, "stationary"), place(context)[1][1]
    return None if found <= most else f"stationary has {found} columns; wanted at most {most}"


@rule(
    LIMIT,
    "the moving tile has at most 512 columns (v4: 4,096, or 8,192 into bfloat16)",
    f"{MATMUL_SOURCE}, 'Tile size'",
    about="moving",
)
def moving_fits(context: InstructionContext) -> str | None:
    """N is limited by what the partial-sum buffer can take."""
    found = _columns(context, "moving")
    bf16 = context.operands["dst"].dtype.name == "bfloat16"
    most = int(context.generation.numbers["moving_max_bf16" if bf16 else "moving_max"].value)
    return None if found <= most else f"moving has {found} columns; wanted at most {most}"


@rule(SHAPE, "dst has as many elements per partition as moving has columns", MATMUL_SOURCE)
def dst_fits(context: InstructionContext) -> str | None:
    """N of dst is N of moving."""
    found, wanted = context.operands["dst"].elements, _columns(context, "moving")
    return None if found == wanted else f"dst has {found} columns, moving {wanted}"


@rule(
    DTYPE,
    "dst is float32 (v4: or bfloat16); in transpose mode the input's dtype (v2: or float32)",
    f"{MATMUL_SOURCE} and nki.isa.nc_transpose, 'Data types'",
    about="dst",
)
def dst_dtype(context: InstructionContext) -> str | None:
    """What the partial-sum buffer accumulates in."""
    name = context.operands["dst"].dtype.name
    if exact_transpose(context):
        wanted: tuple[str, ...] = (context.operands["moving"].dtype.name,)
    else:
        wanted = (
            ("float32", "bfloat16") if context.generation.switches["psum_bf16"] else ("float32",)
        )
        if context.operands.get("is_transpose"):
            wanted = tuple(dict.fromkeys((*wanted, context.operands["moving"].dtype.name)))
    return None if name in wanted else f"dst is {name}; wanted {listed(wanted)}"


@rule(
    BANK,
    "dst stays within one PSUM bank (v2, v3)",
    "Trainium/Inferentia2 architecture guide, 'Tensor Engine': PSUM banks",
    each=True,
    about="dst",
)
def one_bank(context: InstructionContext) -> str | None:
    """A matmul's output does not cross a bank border."""
    view = context.operands["dst"]
    bank = view.tensor.memory.bank
    if context.generation.switches["wide_psum"] or not bank:
        return None
    low, high = ((view.tensor.offset or 0) + n for n in view.extent)
    if low // bank == (high - 1) // bank:
        return None
    return f"dst covers bytes {low} to {high} of its partitions: banks {low // bank} to " + str(
        (high - 1) // bank
    )


@rule(
    START_PARTITION,
    "dst starts at the tile's column: column c of the array feeds partition c",
    f"{MATMUL_SOURCE}, 'Tiling mode'; nki-library kernels (assumed)",
    "tile_position and tile_size choose other columns of the array",
    about="dst",
)
def dst_at_column(context: InstructionContext) -> str | None:
    """A column tile writes its own partitions."""
    start, column = first_partition(context, "dst"), place(context)[0][1]
    return None if start == column else f"dst starts at partition {start}, the tile at {column}"


def first_partition(context: InstructionContext, name: str) -> int:
    """Where an operand starts."""
    view = context.operands[name]
    return int(view.tensor.partition or 0) + int(view.partition)


def moves_bits(context: InstructionContext, is_transpose: bool) -> bool:
    """Whether the array passes bits through instead of multiplying."""
    return is_transpose and context.generation.switches["transpose_exact"]


def exact_transpose(context: InstructionContext) -> bool:
    """The same of an instruction that may have a transpose mode."""
    return moves_bits(context, context.operands.get("is_transpose", False))
