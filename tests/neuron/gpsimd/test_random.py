"""GpSimd's own instructions against scalar models, on random tiles."""

from __future__ import annotations

import math

import numpy as np

from tests.neuron import scalar
from tests.neuron.cases import INTEGERS, Draw, Tile, random_cases
from tests.neuron.gpsimd import messages, model

FAR = 2**31 - 1


def flat(tile: Tile) -> np.ndarray:
    return tile.values.reshape(tile.shape[0], -1)


def step(draw: Draw) -> int:
    """A small number or any int32."""
    return draw.number(-5, 5) if draw.flag(0.7) else draw.number(-FAR, FAR)


def pattern(draw: Draw, shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """Steps over a tile's free axes, merged or with axes of one element between them."""
    counts = list(shape[1:]) if draw.flag() else [math.prod(shape[1:])]
    if len(counts) < 4 and draw.flag(0.3):
        counts.insert(draw.number(0, len(counts)), 1)
    return [(step(draw), count) for count in counts]


def written(pairs: list[tuple[int, int]]) -> str:
    return "[" + ", ".join(f"[{s}, {n}]" for s, n in pairs) + "]"


def number(draw: Draw, register: str, value: int) -> str:
    """An operand that is a number, or a register that was given it."""
    if draw.flag(0.7):
        return str(value)
    draw.line(f"@gpsimd RegisterMove {register}, {value}")
    return register


@random_cases()
def test_iota(draw: Draw) -> None:
    shape = draw.shape()
    dst, pairs = draw.result(shape), pattern(draw, shape)
    offset, multiplier = step(draw), step(draw)
    said = number(draw, "%r1", offset)
    draw.line(
        f"@gpsimd Iota {dst}, {written(pairs)}, offset={said}, channel_multiplier={multiplier}"
    )
    draw.expect(dst, model.iota(shape[0], pairs, offset, multiplier, dst.dtype))


@random_cases()
def test_affine_select(draw: Draw) -> None:
    shape = draw.shape()
    tile, pairs = draw.tile(shape), pattern(draw, shape)
    dst = draw.result(shape, tile.dtype if draw.flag() else draw.dtype())
    offset, multiplier = step(draw), step(draw)
    value = draw.one_of(0.0, -1.5, 300.25, -3.4028234663852886e38, 1e-40)
    op = draw.one_of(*model.COMPARISONS)
    said = number(draw, "%r2", offset)
    draw.line(
        f"@gpsimd AffineSelect {dst}, {tile}, {written(pairs)}, {multiplier}, {value}, "
        f"cmp_op={op}, offset={said}"
    )
    draw.expect(
        dst, model.affine_select(flat(tile), pairs, multiplier, value, op, offset, dst.dtype)
    )


@random_cases()
def test_tensor_partition_reduce(draw: Draw) -> None:
    shape = draw.shape(most=12)
    op = draw.one_of("add", "average", "maximum", "bitwise_or", "bitwise_and")
    if op.startswith("bitwise"):
        dtype = into = draw.dtype(*INTEGERS)
    else:
        dtype, into = draw.dtype(), draw.dtype()
    data, dst = draw.tile(shape, dtype), draw.result((1, *shape[1:]), into)
    draw.line(f"@gpsimd TensorPartitionReduce {dst}, {data}, op={op}")
    draw.expect(dst, model.partition_reduce(flat(data), op, into))


@random_cases()
def test_sequence_bounds(draw: Draw) -> None:
    n = draw.number(1, 60)
    dtype, into = draw.dtype("float32", "int32"), draw.dtype("float32", "int32")
    runs = draw.numbers(0, draw.one_of(1, 3, 2**31 - 2), n).repeat(draw.number(1, 5))[:n]
    ids = np.sort(runs) if draw.flag() else runs
    values = ids.reshape(1, n).astype(dtype)
    tile, dst = draw.tile((1, n), dtype, values=values), draw.result((1, 2, n), into)
    draw.line(f"@gpsimd SequenceBounds {dst}, {tile}")
    draw.expect(dst, model.sequence_bounds([v.item() for v in values[0]], into))


@random_cases(on=("trn2", "trn3"))
def test_nonzero_with_count(draw: Draw) -> None:
    shape = draw.shape(axes=1)
    src = draw.tile(shape, draw.dtype("float32", "int32"))
    dst = draw.result((shape[0], shape[1] + 1), "int32", written=True)
    offset, padding = step(draw), step(draw)
    said = number(draw, "%r3", offset), number(draw, "%r4", padding)
    draw.line(
        f"@gpsimd NonzeroWithCount {dst}, {src}, index_offset={said[0]}, padding_val={said[1]}"
    )
    draw.expect(dst, model.nonzero_with_count(dst.values, src.values, offset, padding))


def is_shown(found: object, element: object, dtype: str) -> None:
    """A word, or the words of an axis, stand for just these elements."""
    if isinstance(element, list):
        assert isinstance(found, list)
        for word, inner in zip(found, element, strict=True):
            is_shown(word, inner, dtype)
    elif isinstance(element, str) and element == messages.GAP:
        assert found == messages.GAP
    elif dtype in INTEGERS:
        assert found == str(int(element))
    else:
        with np.errstate(all="ignore"):
            read, value = scalar.NUMPY[dtype](float(found)), float(element)
        assert float(read) == value or (math.isnan(float(read)) and math.isnan(value))
        assert np.signbit(float(read)) == np.signbit(value) or math.isnan(value)


@random_cases(edges=0.3)
def test_device_print(draw: Draw) -> None:
    memory = draw.one_of("sbuf", "hbm")
    tile = draw.tile(draw.shape(20), draw.any_dtype(), memory, lanes=False, once=True)
    prefix = draw.one_of("", "a =", "µ of lane 3:", "100 %")
    draw.line(f'@gpsimd DevicePrint {tile}, "{prefix}"')

    def check(text: str) -> None:
        assert text.startswith((f"{prefix} [" if prefix else "[", f"{prefix}\n["))
        is_shown(messages.read(text[len(prefix) :]), messages.shown(tile.values), tile.dtype)

    draw.message(check)
