"""Random matmuls against plain loops: every generation, mode, dtype and tile of the array."""

from __future__ import annotations

import numpy as np

from tests.neuron.cases import Draw, Tile, random_cases
from tests.neuron.matmul import model
from tests.neuron.programs import Array

NARROW = ("float8_e4m3", "float8_e5m2", "bfloat16", "float16")
FULL = ("float32", "tfloat32")
FP8 = ("float8_e4m3", "float8_e5m2")
"""Rounding of one float32 sum: the order of the K products is open, so every term may bring it."""


def at_partition(
    draw: Draw,
    first: int,
    shape: tuple[int, ...],
    dtype: str,
    memory: str = "sbuf",
    values: Array | None = None,
    gap: int = 1,
) -> Tile:
    """A tile that starts at a partition; ``gap`` is the step of its last axis."""
    sizes = (first + shape[0], *shape[1:-1], shape[-1] * gap)
    whole = draw.tile(sizes, dtype, memory, wild=False, plain=True)
    key = (slice(first, None), ..., slice(None, None, gap))
    held = whole.values
    if values is not None:
        held[key] = values
    text = f"{whole.name}[{first}:{first + shape[0]}" + ", :" * (len(shape) - 2)
    text += f", ::{gap}]" if gap > 1 else "]"
    return Tile(whole.name, text, dtype, held[key], lambda array: array[key])


def whole_numbers(draw: Draw, shape: tuple[int, ...], dtype: str) -> Array:
    """Small whole numbers: every product and every sum is exact in float32."""
    values = draw.numbers(-4, 4, shape)
    with np.errstate(all="ignore"):
        return values.astype(model.NUMPY.get(dtype, np.float32))


def dtypes(draw: Draw, pairs: bool) -> tuple[str, str]:
    """Two dtypes that go together."""
    eight = (*FP8, "float8_e4m3fn") if draw.on == "trn3" else FP8
    group = eight if pairs else draw.one_of(FULL, (*NARROW, draw.rare), ("bfloat16",))
    first, second = draw.one_of(*group), draw.one_of(*group)
    if {first, second} == {"float8_e4m3", "float8_e4m3fn"}:
        second = first
    return first, second


def place(draw: Draw, pairs: bool) -> tuple[tuple[int, int], tuple[int, int]]:
    """Position and size of a tile of the array."""
    sizes = (64, 128) if draw.on == "trn1" else (32, 64, 128)
    rows = draw.one_of(*sizes)
    columns = 128 if pairs else draw.one_of(*sizes)
    row, column = (size * draw.number(0, 128 // size - 1) for size in (rows, columns))
    return (row, column), (rows, columns)


@random_cases()
def test_load_stationary_and_multiply_moving(draw: Draw) -> None:
    pairs = draw.on != "trn1" and draw.flag(0.2)
    first, second = dtypes(draw, pairs)
    position, size = place(draw, pairs)
    k = draw.number(1, min(size[0], draw.one_of(4, 40, 128)))
    m, n = draw.number(1, draw.one_of(3, 12)), draw.number(1, draw.one_of(3, 12, 40))
    m = min(m, size[1])
    whole = draw.flag(0.7)
    middle = (2,) if pairs else ()
    tiles = []
    for columns, dtype in ((m, first), (n, second)):
        shape = (k, *middle, columns)
        values = whole_numbers(draw, shape, dtype) if whole else draw.content(dtype, shape, False)
        tiles.append(
            at_partition(
                draw, position[0], shape, dtype, values=values, gap=draw.one_of(1, 1, 2, 3)
            )
        )
    a, b = tiles
    dtype = draw.one_of("float32", "bfloat16") if draw.on == "trn3" else "float32"
    dst = at_partition(draw, position[1], (m, n), dtype, "psum", gap=draw.one_of(1, 1, 2))
    modes = f"tile_position={list(position)}, tile_size={list(size)}"
    if pairs:
        modes += ", perf_mode=double_row"
    if not pairs and draw.on == "trn1":
        modes += f", is_transpose={str(draw.flag()).lower()}"  # only labels the profile on v2
    times = draw.number(1, 3)
    draw.line(f"@tensor LoadStationary {a}, {modes}")
    result = model.product(a.values, b.values, (first, second), pairs)
    want = model.written(None, result, dtype)
    for turn in range(times):
        draw.line(f"@tensor MultiplyMoving {dst}, {b}, accumulate={str(turn > 0).lower()}, {modes}")
        if turn:
            want = model.written(want, result, dtype)
    draw.expect(dst, want)


@random_cases(on=("trn2", "trn3"))
def test_a_transpose_passes_any_bits_through(draw: Draw) -> None:
    dtype = draw.one_of(*FULL, *NARROW, draw.rare)
    position, size = place(draw, False)
    k = draw.number(1, min(size[0], 40))
    m, n = draw.number(1, min(size[1], 20)), draw.number(1, k)
    stored = "float32" if dtype == "tfloat32" else dtype
    a = at_partition(draw, position[0], (k, m), dtype, values=draw.content(stored, (k, m)))
    order = [int(i) for i in draw.order(k)[:n]]
    picks = np.zeros((k, n), np.float32)
    picks[order, range(n)] = 1
    b = at_partition(draw, position[0], (k, n), dtype, values=picks.astype(a.values.dtype))
    gap = 2 if a.values.dtype.itemsize == 1 else draw.one_of(1, 2)
    dst = at_partition(draw, position[1], (m, n), dtype, "psum", gap=gap)
    modes = f"tile_position={list(position)}, tile_size={list(size)}, is_transpose=true"
    draw.line(f"@tensor LoadStationary {a}, {modes}")
    draw.line(f"@tensor MultiplyMoving {dst}, {b}, {modes}")
    want = model.transposed(a.values, order)
    bits = f"u{want.dtype.itemsize}"
    rows = slice(position[1], None)

    def seen(array: Array) -> Array:
        words = np.ascontiguousarray(array[rows]).view(bits)
        return words if array.dtype.itemsize == 1 else words[:, ::gap]

    draw.expect(Tile(dst.name, dst.text, dtype, dst.values, seen), want)
