"""What the systolic array holds between a load and the matmuls that follow it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nasm.base.dtypes import DType, ElementKind
from nasm.base.exact import Factor
from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.implicit_kinds import JOINED, REPLACED, EngineValue, Part
from nasm.isa.instruction import InstructionContext, of_operands
from nasm.targets.neuron.pe_tiles import FULL_TILE, Pair, Place, placed


@dataclass(frozen=True, slots=True)
class LoadedTile:
    """A stationary tile in the array: its values and the modes it was loaded with.

    A tile that bits pass through is an array, one to multiply by a Factor.
    """

    values: Any
    dtype: DType
    tile_position: Pair
    tile_size: Pair
    is_transpose: bool = False
    perf_mode: str = "none"
    onezero: bool = False

    def shares_cells(self, other: LoadedTile) -> bool:
        """Whether two tiles use a cell of the array in common."""
        return all(
            a < b + m and b < a + n
            for a, n, b, m in zip(
                self.tile_position,
                self.tile_size,
                other.tile_position,
                other.tile_size,
                strict=True,
            )
        )

    @property
    def factor(self) -> Factor:
        """The tile as one side of a product."""
        assert isinstance(self.values, Factor)
        return self.values

    @property
    def rows(self) -> int:
        """How many rows it has: K."""
        return self.values.rows if isinstance(self.values, Factor) else len(self.values)

    @property
    def scaled(self) -> bool:
        """Whether it is an MX tile."""
        return self.dtype.kind is ElementKind.PACKED


def _parts(weights: tuple[LoadedTile, ...]) -> Iterator[Part]:
    """Each tile in the array, as it was loaded: [K, M]."""
    for tile in weights:
        (row, column), (rows, columns) = tile.tile_position, tile.tile_size
        text = f"{tile.dtype.name} in rows {row} to {row + rows - 1}, "
        text += f"columns {column} to {column + columns - 1} of the array"
        if tile.perf_mode != "none":
            text += f", {tile.perf_mode}"
        yield text, tile.values.values if isinstance(tile.values, Factor) else tile.values, None


WEIGHTS = EngineValue("stationary tile", "LoadStationary loads one", initial=(), parts=_parts)


@of_operands
def replaced(context: InstructionContext, position: Pair | None, size: Pair | None) -> str:
    """What loading a tile does with those that the array holds: one of all cells replaces them."""
    return REPLACED if placed(position, size)[1] == FULL_TILE else JOINED


def beside(weights: tuple[LoadedTile, ...], new: LoadedTile) -> tuple[LoadedTile, ...]:
    """The tiles of the array once another is loaded: it replaces those it shares cells with."""
    if new.tile_size == FULL_TILE:
        return (new,)
    return (*(w for w in weights if not w.shares_cells(new)), new)


def loaded(weights: tuple[LoadedTile, ...], where: Place, scaled: bool = False) -> LoadedTile:
    """The stationary tile of a place; refuses one that is for the other kind of matmul."""
    position, size = where
    for tile in weights:
        if tile.tile_position == position and tile.tile_size == size:
            break
    else:
        raise Refused(
            "E0503",
            f"the array holds no stationary tile at {list(position)} of size {list(size)}",
            f"LoadStationary{'MX' if scaled else ''} loads one; tile_position and tile_size must "
            "be the same in both",
        )
    if tile.scaled is not scaled:
        kind, other = (
            ("an MX tile", "MultiplyMovingMX")
            if tile.scaled
            else ("a tile without scales", "MultiplyMoving")
        )
        raise Refused("E0507", f"the stationary tile is {kind}", f"{other} multiplies by it")
    return tile


def same_rows(tile: LoadedTile, found: int) -> None:
    """Both tiles of a matmul have the same K."""
    wanted = tile.rows
    if found != wanted:
        raise Refused("E0404", f"moving has K = {found}, the stationary tile K = {wanted}")
