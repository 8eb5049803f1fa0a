"""Tiles of a chip that programs name by coordinates, where each is a core of its own."""

from __future__ import annotations

from typing import Protocol

TilePlace = tuple[int, int]
"""The column and the row of a tile, as the target counts them."""


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
