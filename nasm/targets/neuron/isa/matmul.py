"""The Tensor engine: a stationary tile is loaded, a moving tile streams past it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nasm import dtypes
from nasm.dtypes import DType
from nasm.problems import Refused, listed
from nasm.spec.instruction import BITS, FLOAT32, Operand, Site
from nasm.spec.kinds import Choice, DtypeOf, Flag, Integers, State, SwitchOf, Tile
from nasm.targets.neuron import costs
from nasm.targets.neuron.indirection import matmul_dtypes, no_indirect_transpose, not_tiled
from nasm.targets.neuron.isa.table import ISA, Names
from nasm.targets.neuron.rules import (
    BANK,
    DTYPE,
    LIMIT,
    MATMUL_SOURCE,
    MODE,
    SHAPE,
    START_PARTITION,
    UNSUPPORTED,
    rule,
)

MATMUL_DTYPES = (
    "float8_e3m4", "float8_e4m3", "float8_e5m2", "float8_e4m3fn", "bfloat16", "float16",
    "tfloat32", "float32",
)  # fmt: skip
MOVING = Tile(("sbuf",), MATMUL_DTYPES, flat=False, indirect=True)
EIGHT_BIT = ("float8_e4m3", "float8_e5m2", "float8_e4m3fn")
FULL = frozenset({"tfloat32", "float32"})
NEVER_MIXED = frozenset({"float8_e4m3", "float8_e4m3fn"})
WEIGHTS = State("stationary tile", "LoadStationary loads one", initial=())
FULL_TILE = (128, 128)
PERF_MODES = Choice(("none", "double_row"), "perf_mode")

_MODES = (
    Operand("is_transpose", Flag(), "r", False,
            "pass the stationary tile through, transposed; both instructions say the same"),
    Operand("tile_position", Integers(2, "[row, column] where the tile starts in the array"), "r",
            (0, 0), "where the tile starts in the 128x128 array"),
    Operand("tile_size", Integers(2, "[rows, columns] of the array the tile may use"), "r",
            FULL_TILE, "rows and columns of the array it may use: 128, 64, from v3 also 32"),
    Operand("perf_mode", PERF_MODES, "r", "none", "double_row packs K = 256 in fp8 (v3, v4)"),
)  # fmt: skip


Modes = tuple[bool, tuple[int, int], tuple[int, int], str]
"""is_transpose, tile_position, tile_size and perf_mode."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A stationary tile in the array: its values and the modes it was loaded with."""

    values: Any
    dtype: DType
    is_transpose: bool
    tile_position: tuple[int, int]
    tile_size: tuple[int, int]
    perf_mode: str

    def shares_cells(self, other: Loaded) -> bool:
        """Whether two tiles use a cell of the array in common."""
        return all(
            a < b + m and b < a + n
            for a, n, b, m in zip(
                self.tile_position, self.tile_size, other.tile_position, other.tile_size,
                strict=True,
            )
        )  # fmt: skip


def _double(site: Site) -> bool:
    return bool(site["perf_mode"] == "double_row")


@rule(MODE, "a tile's size is 128, 64 or (v3, v4) 32, and its position a multiple of its size",
      f"{MATMUL_SOURCE}, 'Tiling mode'")  # fmt: skip
def tiling(site: Site) -> str | None:
    """Row and column tiles of the array."""
    least = int(site.generation.number("tile_min").value)
    for what, size, at in zip(
        ("rows", "columns"), site["tile_size"], site["tile_position"], strict=True
    ):
        if size not in (32, 64, 128) or size < least:
            return (
                f"a tile of {size} {what}; wanted 128, 64"
                + ("" if least > 32 else " or 32") + f" on {site.generation.name}"
            )  # fmt: skip
        if at % size or not 0 <= at < 128:
            return f"a tile of {size} {what} at {at}; wanted a multiple of {size} below 128"
    return None


def _rows_fit(name: str) -> Any:
    @rule(LIMIT, f"{name} spans no more partitions than the tile has rows",
          f"{MATMUL_SOURCE}, 'Tile size'")  # fmt: skip
    def check(site: Site) -> str | None:
        rows = site["tile_size"][0]
        found = site[name].partitions
        return None if found <= rows else f"{name} has {found} partitions, the tile {rows} rows"

    return check


def _starts_at_row(name: str) -> Any:
    @rule(START_PARTITION, f"{name} starts at the tile's row: SBUF partition r feeds row r",
          f"{MATMUL_SOURCE}, 'Tiling mode'; nki-library kernels (assumed)")  # fmt: skip
    def check(site: Site) -> str | None:
        view = site[name]
        if site["tile_size"][0] == 128:
            return None
        start = (view.tensor.partition or 0) + view.partition
        row = site["tile_position"][0]
        if start == row:
            return None
        return f"{name} starts at partition {start}, the tile at row {row}"

    return check


def _transposable(name: str) -> Any:
    @rule(UNSUPPORTED, "transpose mode of fp8 writes 16-bit elements: not supported yet",
          "Trainium2 architecture guide, 'Transpose'")  # fmt: skip
    def check(site: Site) -> str | None:
        narrow = _exact_transpose(site) and site[name].dtype.itemsize == 1
        return f"transpose mode with {name} of {site[name].dtype.name}" if narrow else None

    return check


def _double_row(name: str) -> Any:
    @rule(MODE, "double_row takes fp8 with a first free axis of 2, no column tiles, no transpose",
          "Trainium2 architecture guide, 'Double FP8'; nki.isa.nc_matmul")  # fmt: skip
    def check(site: Site) -> str | None:
        if not _double(site):
            return None
        view = site[name]
        if not site.generation.switches["double_row"]:
            return f"double_row on {site.generation.name}; v3 and v4 have it"
        if view.dtype.name not in EIGHT_BIT:
            return f"double_row with {name} of {view.dtype.name}; wanted fp8"
        if len(view.shape) < 3 or view.shape[1] != 2:
            return f"double_row with {name}{list(view.shape)}; wanted [K, 2, …]"
        if site["tile_size"][1] != 128 or site["is_transpose"]:
            return "double_row together with column tiles or transpose mode"
        return None

    return check


@rule(LIMIT, "the stationary tile has no more columns than the tile of the array",
      f"{MATMUL_SOURCE}, 'Tile size'")  # fmt: skip
def columns_fit(site: Site) -> str | None:
    """M is at most 128, or the tile's columns."""
    found = site["stationary"].elements // (2 if _double(site) else 1)
    most = site["tile_size"][1]
    return None if found <= most else f"stationary has {found} columns; wanted at most {most}"


def _exact_transpose(site: Site) -> bool:
    return bool(site["is_transpose"] and site.generation.switches["transpose_exact"])


def _domain(site: Site) -> str:
    return BITS if _exact_transpose(site) else FLOAT32


@ISA.instruction(
    Operand("weights", WEIGHTS, "rw"),
    Operand("stationary", MOVING, doc="[K, M], or [K, 2, M]"),
    Operand("dtype", DtypeOf("stationary")),
    _MODES[0],
    Operand("is_stationary_onezero", Flag(), "-", False,
            "hint: only ones and zeros; faster in float32"),
    *_MODES[1:],
    Operand("exact", SwitchOf("transpose_exact")),
    engines=("tensor",),
    rules=(tiling, _double_row("stationary"), _rows_fit("stationary"), columns_fit,
           _starts_at_row("stationary"), _transposable("stationary"), matmul_dtypes, not_tiled),
    cost=costs.load_stationary,
    domain=_domain,
    vendor=Names("nc_matmul", "LDWEIGHTS", "LoadStationary"),
    formula="W[k, m] = stationary[k, m], held in the array until the next one",
    example="LoadStationary a",
    source="nki.isa.nc_matmul; Trainium/Inferentia2 architecture guide, 'Tensor Engine'",
)  # fmt: skip
def LoadStationary(
    weights: tuple[Loaded, ...], stationary: Any, dtype: DType, is_transpose: bool,
    tile_position: tuple[int, int], tile_size: tuple[int, int], perf_mode: str, exact: bool,
) -> tuple[Loaded, ...]:  # fmt: skip
    """Load a tile into the systolic array, where it stays for the MultiplyMovings that follow.

    K is the partition axis, M the free axis. It runs in the background of the matmul before it
    and replaces whatever used the same cells of the array.
    """
    values = _rows(stationary, perf_mode)
    if dtype.name == "tfloat32" and not (is_transpose and exact):
        values = dtypes.round_tfloat32(values)
    if values.base is not None:
        values = values.copy()
    new = Loaded(values, dtype, is_transpose, tile_position, tile_size, perf_mode)
    return (*(w for w in weights if not w.shares_cells(new)), new)


@rule(LIMIT, "the moving tile has at most 512 columns (v4: 4,096, or 8,192 into bfloat16)",
      f"{MATMUL_SOURCE}, 'Tile size'")  # fmt: skip
def moving_fits(site: Site) -> str | None:
    """N is limited by what the partial-sum buffer can take."""
    found = site["moving"].elements // (2 if _double(site) else 1)
    bf16 = site["dst"].dtype.name == "bfloat16"
    most = int(site.generation.number("moving_max_bf16" if bf16 else "moving_max").value)
    return None if found <= most else f"moving has {found} columns; wanted at most {most}"


@rule(SHAPE, "dst has as many elements per partition as moving has columns", MATMUL_SOURCE)
def dst_fits(site: Site) -> str | None:
    """N of dst is N of moving."""
    columns = site["moving"].elements // (2 if _double(site) else 1)
    found = site["dst"].elements
    return None if found == columns else f"dst has {found} columns, moving {columns}"


@rule(DTYPE, "dst is float32 (v4: or bfloat16; in transpose mode from v3: the input's dtype)",
      f"{MATMUL_SOURCE}, 'Data types'")  # fmt: skip
def dst_dtype(site: Site) -> str | None:
    """What the partial-sum buffer accumulates in."""
    name = site["dst"].dtype.name
    if _exact_transpose(site):
        wanted: tuple[str, ...] = (site["moving"].dtype.name,)
    else:
        wanted = ("float32", "bfloat16") if site.generation.switches["psum_bf16"] else ("float32",)
    return None if name in wanted else f"dst is {name}; wanted {listed(wanted)}"


@rule(BANK, "dst stays within one PSUM bank (v2, v3)",
      "Trainium/Inferentia2 architecture guide, 'Tensor Engine': PSUM banks")  # fmt: skip
def one_bank(site: Site) -> str | None:
    """A matmul's output does not cross a bank border."""
    view = site["dst"]
    bank = view.tensor.memory.bank
    if site.generation.switches["wide_psum"] or not bank:
        return None
    low, high = (view.tensor.offset + n for n in view.extent)
    if low // bank == (high - 1) // bank:
        return None
    return f"dst covers bytes {low} to {high} of its partitions: banks {low // bank} to " + str(
        (high - 1) // bank
    )


@rule(START_PARTITION, "dst starts at the tile's column: column c of the array feeds partition c",
      f"{MATMUL_SOURCE}, 'Tiling mode'; nki-library kernels (assumed)")  # fmt: skip
def dst_at_column(site: Site) -> str | None:
    """A column tile writes its own partitions."""
    view = site["dst"]
    if site["tile_size"][1] == 128:
        return None
    start = (view.tensor.partition or 0) + view.partition
    column = site["tile_position"][1]
    return None if start == column else f"dst starts at partition {start}, the tile at {column}"


@rule(MODE, "transpose mode overwrites: it does not accumulate", MATMUL_SOURCE)
def no_adding_transpose(site: Site) -> str | None:
    """From v3 on a transpose moves bits."""
    return "accumulate=true in transpose mode" if _exact_transpose(site) and site["accumulate"] \
        else None


@ISA.instruction(
    Operand("dst", Tile(("psum",), indirect=True), "w", adds="accumulate",
            adds_to_any="psum_adds_to_any", doc="[M, N]"),
    Operand("moving", MOVING, doc="[K, N], or [K, 2, N]"),
    Operand("dtype", DtypeOf("moving")),
    Operand("weights", WEIGHTS),
    Operand("accumulate", Flag(), "-", False, "add to what dst holds, when the matmul completes"),
    Operand("is_moving_onezero", Flag(), "-", False, "hint: only ones and zeros"),
    *_MODES,
    Operand("exact", SwitchOf("transpose_exact")),
    engines=("tensor",),
    rules=(tiling, _double_row("moving"), _rows_fit("moving"), moving_fits, dst_fits, dst_dtype,
           one_bank, _starts_at_row("moving"), dst_at_column, _transposable("moving"),
           no_adding_transpose, matmul_dtypes, not_tiled, no_indirect_transpose),
    cost=costs.multiply_moving,
    domain=_domain,
    vendor=Names("nc_matmul", "MATMUL", "MatMul"),
    formula="dst[m, n] (+)= sum over k of W[k, m] * moving[k, n], in float32",
    setup="@tensor LoadStationary a",
    example="MultiplyMoving acc, b",
    source="nki.isa.nc_matmul; Trainium/Inferentia2 architecture guide, 'Tensor Engine'",
)  # fmt: skip
def MultiplyMoving(
    moving: Any, dtype: DType, weights: tuple[Loaded, ...], is_transpose: bool,
    tile_position: tuple[int, int], tile_size: tuple[int, int], perf_mode: str, exact: bool,
) -> Any:  # fmt: skip
    """Stream a tile past the stationary one: dst (+)= stationary.T @ moving.

    Products and sums are float32; the order within a tile is NumPy's. With accumulate=true the
    result is added to dst in PSUM when the instruction completes, so a group of matmuls follows
    back to back. The modes must be those the stationary tile was loaded with.
    """
    tile = _loaded(weights, dtype, (is_transpose, tile_position, tile_size, perf_mode))
    values = _rows(moving, perf_mode)
    if values.shape[0] != tile.values.shape[0]:
        raise Refused(
            "E0404",
            f"moving has K = {values.shape[0]}, the stationary tile K = {tile.values.shape[0]}",
        )
    if is_transpose and exact:
        if tile.dtype is not dtype:
            raise Refused(
                "E0405", f"transpose mode of {tile.dtype.name} with moving of {dtype.name}",
                "give the permutation the dtype of the tile that it transposes",
            )  # fmt: skip
        return _passed_through(tile.values, values)
    if dtype.name == "tfloat32":
        values = dtypes.round_tfloat32(values)
    return np.matmul(tile.values.T, values)


def mixable(names: set[str]) -> bool:
    """Whether a matmul takes a stationary and a moving tile of these dtypes."""
    return (names <= FULL or not names & FULL) and not names >= NEVER_MIXED


def _rows(tile: Any, perf_mode: str) -> Any:
    """A tile as K rows; double_row has two of them on each partition."""
    if perf_mode == "double_row":
        return tile.reshape(tile.shape[0] * 2, -1)
    return tile if tile.ndim == 2 else tile.reshape(tile.shape[0], -1)


def _loaded(weights: tuple[Loaded, ...], dtype: DType, modes: Modes) -> Loaded:
    """The stationary tile a matmul uses; refuses one loaded with other modes or dtypes."""
    is_transpose, position, size, perf_mode = modes
    for tile in weights:
        if tile.tile_position == position and tile.tile_size == size:
            break
    else:
        raise Refused(
            "E0503",
            f"the array holds no stationary tile at {list(position)} of size {list(size)}",
            "LoadStationary loads one; tile_position and tile_size must be the same in both",
        )
    if (tile.is_transpose, tile.perf_mode) != (is_transpose, perf_mode):
        raise Refused(
            "E0507",
            f"the stationary tile was loaded with is_transpose={str(tile.is_transpose).lower()}, "
            f"perf_mode={tile.perf_mode}",
            "both instructions must name the same modes",
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
    return np.ascontiguousarray(stationary[ones.argmax(axis=0)].T)
