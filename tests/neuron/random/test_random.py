"""Random rows against the generators in Python's integers, on random tiles.

Every case sets the state of a generator, and so owes nothing to the cases before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tests.neuron.cases import FLOATS, INTEGERS, Draw, Tile, random_cases
from tests.neuron.gpsimd.test_random import flat
from tests.neuron.programs import Array
from tests.neuron.random import model
from tests.neuron.scalar import f, out


def first(tile: Tile) -> int:
    """The lane of a tile's first partition."""
    found = re.search(r"\[(\d+):", tile.text)
    return int(found[1]) if found else 0


def any_words(draw: Draw, shape: tuple[int, ...]) -> Tile:
    bits = draw.numbers(0, 2**32 - 1, shape).astype(np.uint32)
    return draw.tile(shape, "uint32", values=bits, plain=True)


def seeded(draw: Draw, engine: str) -> list[model.Lane]:
    """The 128 lanes of an engine, after a line that sets their state."""
    if engine == "vector" and draw.on != "trn3":
        dtype = draw.one_of("uint32", "int32")
        seed = draw.tile((1, 1), dtype, values=draw.numbers(0, 2**31 - 1, (1, 1)).astype(dtype))
        draw.line(f"@vector SetRngSeed {seed}")
        return [model.Lfsr(int(seed.values[0, 0]), lane) for lane in range(128)]
    words = any_words(draw, (128, 6 if engine == "gpsimd" else 24))
    draw.line(f"@{engine} RandSetState {words}")
    return [model.Xorwow([int(w) for w in row]) for row in words.values]


def drawn(lanes: list[model.Lane], start: int, shape: tuple[int, int]) -> list[list[int]]:
    return [model.draw(lanes[start + p], shape[1]) for p in range(shape[0])]


def small(draw: Draw) -> tuple[int, ...]:
    """A shape of few elements: the plain generators are slow."""
    return draw.shape(most=9, axes=2)


def filled(values: list[list[int]], into: Callable[[int, int, int], object], dtype: str) -> Array:
    shape = len(values), len(values[0])
    made = np.empty(shape, np.asarray(out(0.0, dtype)).dtype)
    for p, row in enumerate(values):
        for i, word in enumerate(row):
            made[p, i] = into(p, i, word)
    return made


@random_cases()
def test_rng(draw: Draw) -> None:
    engine = "vector" if draw.on == "trn1" else draw.one_of("vector", "gpsimd")
    lanes = seeded(draw, engine)
    for _ in range(draw.number(1, 2)):
        shape, dtype = small(draw), draw.dtype(*INTEGERS)
        memory = "psum" if engine == "vector" and draw.flag(0.2) else "sbuf"
        dst = draw.result(shape, dtype, memory)
        draw.line(f"@{engine} Rng {dst}")
        words = drawn(lanes, first(dst), flat(dst).shape)
        bits = 8 * dst.values.itemsize
        low = [[word % 2**bits for word in row] for row in words]
        want = np.array(low, f"u{bits // 8}").view(dst.values.dtype)
        draw.expect(dst, want)


@random_cases(on=("trn2", "trn3"))
def test_the_state_comes_back_as_it_was_left(draw: Draw) -> None:
    engine = "gpsimd" if draw.on == "trn2" else draw.one_of("vector", "gpsimd")
    lanes, words = seeded(draw, engine), 6 if engine == "gpsimd" else 24
    some = draw.numbers(0, 2**32 - 1, (draw.partitions(), words)).astype(np.uint32)
    tile = draw.tile(some.shape, "uint32", values=some)
    lane = first(tile)
    for p, row in enumerate(some):
        lanes[lane + p] = model.Xorwow([int(w) for w in row])
    draw.line(f"@{engine} RandSetState {tile}")
    shape = small(draw)
    dice = draw.result(shape, "uint32")
    draw.line(f"@{engine} Rng {dice}")
    draw.expect(dice, np.array(drawn(lanes, first(dice), flat(dice).shape), np.uint32))
    state = draw.result((draw.partitions(), words), "uint32")
    draw.line(f"@{engine} RandGetState {state}")
    held = lanes[first(state) : first(state) + state.shape[0]]
    draw.expect(state, np.array([lane.words for lane in held], np.uint32))


@random_cases()
def test_dropout(draw: Draw) -> None:
    lanes, shape = seeded(draw, "vector"), small(draw)
    data = draw.tile(shape)
    dst = draw.result(shape, data.dtype)
    keep = draw.flag()
    if draw.flag():
        dtype = draw.dtype("float32", "bfloat16", "float16") if data.dtype in FLOATS else "float32"
        chances = draw.reals(0, 1, (shape[0], 1)).astype(draw.column(1, dtype).values.dtype)
        prob = draw.tile(chances.shape, dtype, values=chances)
        said, share = str(prob), [f(float(v)) for v in chances[:, 0]]
    else:
        share = [draw.one_of(0.0, 1.0, 0.25, 0.6)] * shape[0]
        said, share = str(share[0]), [f(v) for v in share]
    draw.line(f"@vector Dropout {dst}, {data}, {said}" + ", threshold_type=keep_rate" * keep)
    words = drawn(lanes, first(data), flat(data).shape)
    want = flat(data).copy()
    for p, row in enumerate(words):
        for i, word in enumerate(row):
            below = model.uniform(word) < share[p]
            if below != keep:
                want[p, i] = 0
    draw.expect(dst, want)


@random_cases(on=("trn3",))
def test_rand2(draw: Draw) -> None:
    lanes, shape = seeded(draw, "vector"), small(draw)
    dst = draw.result(shape, draw.dtype(*FLOATS, *INTEGERS), draw.one_of("sbuf", "sbuf", "psum"))
    bounds, said = [], []
    for low, high in ((-300, 0), (1, 300)):
        if draw.flag():
            value = draw.number(8 * low, 8 * high) / 8
            bounds.append([value] * shape[0])
            said.append(str(value))
        else:
            column = draw.reals(low, high, (shape[0], 1)).astype(np.float32)
            bounds.append([float(v) for v in column[:, 0]])
            said.append(str(draw.tile(column.shape, "float32", values=column)))
    draw.line(f"@vector Rand2 {dst}, {said[0]}, {said[1]}")
    words = drawn(lanes, first(dst), flat(dst).shape)

    def value_of(p: int, i: int, word: int) -> object:
        low, high = bounds[0][p], bounds[1][p]
        return out(f(f(model.uniform(word) * f(high - low)) + low), dst.dtype)

    draw.expect(dst, filled(words, value_of, dst.dtype))
