"""Arrays as the bytes of their tiles in L1, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.matrix.tiles import (
    FACE,
    TILE,
    decode,
    encode,
    tile_bytes,
    tilize,
    untilize,
)
from nasm.targets.tensix.state import U8


def encode_tiles(x: Any, form: Format) -> U8:
    """An array (rows, columns) as bytes of L1, tile by tile; raises Refused."""
    tiles = tilize(x)
    return np.concatenate([encode(tile, form) for tile in tiles])


def decode_tiles(data: U8, form: Format, rows: int, columns: int) -> NDArray[Any]:
    """Bytes of L1, tile by tile, as an array (rows, columns)."""
    parts = data.reshape(-1, tile_bytes(form))
    numbers = [decode(np.ascontiguousarray(part), form, TILE * TILE) for part in parts]
    return untilize(np.stack(numbers).reshape(-1, 4, FACE, FACE), rows, columns)
