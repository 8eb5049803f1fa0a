"""Random MX tiles against plain loops: every dtype, layout of scales and row tile."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base.dtypes import find
from tests.neuron.cases import Draw, Tile, random_cases
from tests.neuron.matmul import model as matmul
from tests.neuron.mx import model
from tests.neuron.programs import Array

X4 = tuple(model.ELEMENTS)


def at(draw: Draw, first: int, values: Array, dtype: str, memory: str = "sbuf") -> Tile:
    """A tile of these values that starts at a partition."""
    whole = np.zeros((first + values.shape[0], *values.shape[1:]), values.dtype)
    whole[first:] = values
    made = draw.tile(whole.shape, dtype, memory, values=whole, plain=True)
    key = (slice(first, None), ...)
    return Tile(made.name, f"{made.name}[{first}:]", dtype, values, lambda array: array[key])


def blank(draw: Draw, first: int, shape: tuple[int, ...], dtype: str, memory: str = "sbuf") -> Tile:
    """A destination that nobody has written."""
    made = draw.result((first + shape[0], *shape[1:]), dtype, memory, written=False, plain=True)
    key = (slice(first, None), ...)
    return Tile(made.name, f"{made.name}[{first}:]", dtype, made.values, lambda a: a[key])


def scale_type(draw: Draw) -> str:
    return str(draw.one_of("uint8", "float8_e8m0fnu"))


def scales(draw: Draw, k: int, n: int, row: int, low: int, high: int) -> tuple[Tile, Array]:
    """A scale tile in the hardware's layout, at one of its four offsets; and its bytes."""
    offset = draw.one_of(0, 4, 8, 12)
    rows = draw.number(k - 28, k - offset)
    held = draw.numbers(low, high, (rows, n)).astype(np.uint8)
    dtype = scale_type(draw)
    kind = find(dtype)
    assert kind is not None
    return at(draw, row + offset, held.view(kind.numpy), dtype), held


def words(draw: Draw, shape: tuple[int, int], dtype: str, small: bool) -> Array:
    """x4 elements; small ones are whole numbers up to 4, any others finite."""
    bits = model.ELEMENTS[dtype][1]
    codes = np.arange(1 << bits, dtype=np.uint8)
    values = np.array([model.value_of(int(c), dtype) for c in codes])
    good = np.isfinite(values) & ((values == np.rint(values)) & (np.abs(values) <= 4) | (not small))
    picked = draw.some(codes[good], (*shape, 4)).astype(np.uint32)
    word = sum(picked[..., q] << np.uint32(bits * q) for q in range(4))
    return np.asarray(word).astype(np.uint16 if bits == 4 else np.uint32)


def row_tile(draw: Draw) -> tuple[int, int]:
    """The first row and the rows of a row tile."""
    rows = draw.one_of(32, 64, 128)
    return rows * draw.number(0, 128 // rows - 1), rows


def operand(draw: Draw, k: int, n: int, row: int, small: bool) -> tuple[Tile, Tile, Any]:
    """Data, scales, and the numbers they stand for."""
    dtype = draw.one_of(*X4)
    data = at(draw, row, words(draw, (k, n), dtype, small), dtype)
    # Powers from 1/8 to 8 keep every sum of whole numbers exact.
    scale, held = scales(draw, k, n, row, 124 if small else 100, 130 if small else 150)
    return data, scale, model.dequantised(data.values, held, dtype)


@random_cases(on=("trn3",))
def test_load_stationary_mx_and_multiply_moving_mx(draw: Draw) -> None:
    small = draw.flag(0.7)
    row, rows = row_tile(draw)
    k = 32 * draw.number(1, min(rows, 128 if draw.flag(0.3) else 64) // 32)
    m, n = 2 * draw.number(1, 3), draw.number(1, 6)
    a, a_scale, first = operand(draw, k, m, row, small)
    b, b_scale, second = operand(draw, k, n, row, small)
    dtype = draw.one_of("float32", "bfloat16")
    dst = blank(draw, 0, (m, n), dtype, "psum")
    tile = f"tile_position=[{row}, 0], tile_size=[{rows}, 128]"
    draw.line(f"@tensor LoadStationaryMX {a}, {a_scale}, {tile}")
    result = model.product(first, second)
    want = matmul.written(None, result, dtype)
    for turn in range(draw.number(1, 2)):
        adds = str(turn > 0).lower()
        draw.line(f"@tensor MultiplyMovingMX {dst}, {b}, {b_scale}, accumulate={adds}, {tile}")
        if turn:
            want = matmul.written(want, result, dtype)
    draw.expect(dst, want)


@random_cases(on=("trn3",))
def test_quantize_mx(draw: Draw) -> None:
    dtype = draw.one_of("float8_e5m2_x4", "float8_e4m3fn_x4")
    quadrants = draw.one_of(1, 1, 2, 4)
    row = 32 * draw.number(0, 3) if quadrants == 1 else 0
    k, columns = 32 * quadrants, 4 * draw.number(1, 4)
    source = draw.dtype("bfloat16", "float16")
    kind = find(source)
    assert kind is not None
    # Blocks of very different sizes, zeros, subnormals, infinities and NaN.
    values = draw.content(source, (k, columns), wild=draw.flag(0.3))
    if draw.flag():
        powers = draw.numbers(-14, 14, (k // 8, columns // 4))
        with np.errstate(all="ignore"):
            sizes = np.repeat(np.repeat(2.0**powers, 8, 0), 4, 1)
            values = (values.astype(np.float32) * sizes).astype(kind.numpy)
    if draw.flag(0.3):
        values[:8, :4] = 0
    src = at(draw, row, values, source)
    dst = blank(draw, row, (k, columns // 4), dtype)
    offset = draw.one_of(0, 4, 8, 12)
    kept = scale_type(draw)
    scale = blank(draw, row + offset, (draw.number(k - 28, k - offset), columns // 4), kept)
    draw.line(f"@vector QuantizeMX {dst}, {src}, {scale}")
    data, bytes_ = model.quantised(values.astype(np.float32), dtype)
    draw.expect(dst, np.array(data, np.uint32))
    rows = [row + offset + model.scale_row(g) for g in range(k // 8)]

    def seen(array: Array) -> Array:
        return np.ascontiguousarray(array[rows]).view(np.uint8)

    written = Tile(scale.name, scale.text, kept, scale.values, seen)
    draw.expect(written, np.array(bytes_, np.uint8))
