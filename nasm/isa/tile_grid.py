"""Tiles of a chip that programs name by coordinates, where each is a core of its own."""

from __future__ import annotations

from typing import Protocol

TilePlace = tuple[int, ...]
"""The column and the row of a tile, as the target counts them; then its chip, but for the first."""


def chip_of(place: TilePlace) -> int:
    """The number of the chip of a tile, from 0 on."""
    return place[2] if len(place) > 2 else 0


def on_chip(place: TilePlace, chip: int) -> TilePlace:
    """The tile of a chip at a column and a row."""
    return (*place[:2], chip) if chip else place[:2]


def tile_name(place: TilePlace) -> str:
    """A tile as reports name it: "3-4", of another chip than the first "1:3-4"."""
    name = f"{place[0]}-{place[1]}"
    return f"{chip_of(place)}:{name}" if chip_of(place) else name


class TileGrid(Protocol):
    """Which tiles of a chip have cores, and by what coordinates programs name them."""

    @property
    def first(self) -> TilePlace:
        """The tile of a program that names none."""

    def place(self, x: int, y: int) -> TilePlace:
        """The tile at coordinates of any of the systems that there are.

        Raises Refused where there is no tile with cores.
        """

    def logical(self, x: int, y: int) -> TilePlace:
        """The tile with cores in a column and a row among such, from 0 on; raises Refused."""
