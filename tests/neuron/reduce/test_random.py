"""TensorReduce and Max8 against scalar loops."""

from __future__ import annotations

import math

from tests.neuron.cases import INTEGERS, Draw, Tile, random_cases
from tests.neuron.elementwise.test_random import WORDS, of_width
from tests.neuron.reduce import model

ARITHMETIC = (
    "add",
    "subtract",
    "multiply",
    "maximum",
    "minimum",
    "logical_and",
    "logical_or",
    "logical_xor",
)
BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")


def drawn(draw: Draw, dtype: str, memory: str = "sbuf") -> tuple[Tile, int, tuple[int, ...]]:
    """A tile, how many of its last axes are reduced, and the shape of what is left."""
    shape = draw.shape(24, axes=4)
    axes = draw.number(1, len(shape) - 1)
    left = shape[: len(shape) - axes]
    kept = draw.one_of(left, (*left, *[1] * axes), (left[0], math.prod(left[1:])))
    return draw.tile(shape, dtype, memory), axes, kept if len(kept) > 1 else (kept[0], 1)


def line(draw: Draw, engine: str, dst: Tile, data: Tile, op: str, axes: int, more: str) -> None:
    rank = len(data.shape)
    names = list(range(rank - axes, rank))
    if draw.flag():
        names = [n - rank for n in names]
    said = names[0] if axes == 1 and draw.flag() else names
    draw.line(f"@{engine} TensorReduce {dst}, {data}, op={op}, axis={said}{more}")


def negated(draw: Draw) -> tuple[bool, str]:
    negate = draw.flag(0.3)
    return negate, ", negate=true" if negate else draw.one_of("", ", keepdims=true")


@random_cases(edges=0.3)
def test_tensor_reduce(draw: Draw) -> None:
    engine = draw.one_of("vector", "vector", *(["gpsimd"] if draw.on != "trn1" else []))
    memory = draw.one_of("sbuf", "psum") if engine == "vector" else "sbuf"
    data, axes, kept = drawn(draw, draw.any_dtype(), memory)
    dst = draw.result(kept, draw.dtype("float32", "bfloat16", "float16", "int8", "uint16"))
    op, (negate, more) = draw.one_of(*ARITHMETIC), negated(draw)
    line(draw, engine, dst, data, op, axes, more)
    want = model.arithmetic(data.values, op, axes, negate, dst.dtype)
    draw.expect(dst, want)


@random_cases(edges=0.3)
def test_tensor_reduce_of_bits(draw: Draw) -> None:
    dtype = draw.dtype(*INTEGERS)
    data, axes, kept = drawn(draw, dtype)
    dst, op = draw.result(kept, of_width(draw, dtype)), draw.one_of(*BITWISE)
    line(draw, "vector", dst, data, op, axes, "")
    draw.expect(dst, model.bits(data.values, op, axes, dst.dtype))


@random_cases(on=("trn2", "trn3"), edges=0.3)
def test_tensor_reduce_of_words_on_gpsimd(draw: Draw) -> None:
    data, axes, kept = drawn(draw, draw.dtype(*WORDS))
    dst, op = draw.result(kept, draw.dtype(*WORDS)), draw.one_of(*ARITHMETIC)
    negate, more = negated(draw)
    line(draw, "gpsimd", dst, data, op, axes, more)
    draw.expect(dst, model.exact(data.values, op, axes, negate, dst.dtype))


@random_cases(edges=0.3)
def test_max8(draw: Draw) -> None:
    shape = (draw.partitions(), draw.number(8, 40))
    if draw.flag(0.3):
        shape = (shape[0], 3, draw.number(3, 12))
    src = draw.tile(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
    dst = draw.result((shape[0], 8), draw.any_dtype(), draw.one_of("sbuf", "psum"))
    draw.line(f"@vector Max8 {dst}, {src}")
    draw.expect(dst, model.max8(src.rows, dst.dtype))
