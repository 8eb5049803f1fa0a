"""Tensors of L1 in tiles: 32 by 32 elements in four faces of 16 by 16, in every format."""

from __future__ import annotations

from functools import lru_cache, partial
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nasm.base import dtypes
from nasm.base.dtypes import DType
from nasm.base.problems import Refused
from nasm.targets.tensix.format_names import FORMATS
from nasm.targets.tensix.matrix.bfp import BLOCK
from nasm.targets.tensix.matrix.formats import BITS, BLOCK_FLOATS, Format
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
from nasm.views.arrangement import Arrangement, Shape

ELEMENTS: Final = TILE * TILE


def _size(form: Format, shape: Shape) -> int:
    if len(shape) < 2 or shape[-1] % TILE or shape[-2] % TILE:
        message = f"tiles are {TILE} by {TILE}, and the shape is {list(shape)}"
        raise Refused("E0246", message, f"make its last two axes multiples of {TILE}")
    return prod(shape) // ELEMENTS * tile_bytes(form)


def _encode(form: Format, array: NDArray[Any]) -> U8:
    tiles = tilize(array).reshape(-1, ELEMENTS)
    return np.concatenate([encode(tile, form) for tile in tiles])


def _decode(form: Format, data: U8, shape: Shape) -> NDArray[Any]:
    if form in BLOCK_FLOATS:
        parts = data.reshape(-1, tile_bytes(form))
        tiles = np.stack([decode(part, form, ELEMENTS) for part in parts])
    else:  # no tile has anything but its elements
        tiles = decode(data, form, prod(shape))
    faces = tiles.reshape(*shape[:-2], -1, 4, FACE, FACE)
    return untilize(faces, shape[-2], shape[-1])


@lru_cache(maxsize=32)
def _uses(form: Format, shape: Shape) -> NDArray[np.int64]:
    """The bytes of each element: its own, and that of the exponent it shares."""
    count = prod(shape)
    order = tilize(np.arange(count).reshape(shape)).reshape(-1)
    tile, at = np.divmod(np.arange(count), ELEMENTS)
    first = tile * tile_bytes(form)
    exponents = tile_bytes(form) - ELEMENTS * BITS[form] // 8
    own = first + exponents + at * BITS[form] // 8
    parts = [own + n for n in range(max(1, BITS[form] // 8))]
    if form in BLOCK_FLOATS:
        parts.append(first + at // BLOCK)
    found = np.empty((count, len(parts)), np.int64)
    found[order] = np.stack(parts, axis=-1)
    found.setflags(write=False)
    return found


def _dtype(word: str) -> DType:
    """What elements are to NumPy: formats that it lacks are float32."""
    found = dtypes.find(word) or dtypes.find("f32")
    assert found is not None
    return found


def _tiled(word: str, form: Format) -> Arrangement:
    known = dtypes.find(word)
    return Arrangement(
        "tiled",
        known.name if known is not None else word,
        _dtype(word),
        f"tiles of {TILE} by {TILE}: four faces of {FACE} by {FACE}, row by row",
        "Tenstorrent ISA documentation, Wormhole B0, unpackers and packers",
        partial(_size, form),
        partial(_encode, form),
        partial(_decode, form),
        partial(_uses, form),
    )


ARRANGEMENTS: Final = tuple(_tiled(word, form) for word, form in FORMATS.items())
