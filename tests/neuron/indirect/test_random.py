"""Indirect operands against a scalar model, on random tiles, indices and instructions."""

from __future__ import annotations

import numpy as np

from tests.neuron import scalar
from tests.neuron.cases import Draw, Tile, random_cases
from tests.neuron.indirect import model
from tests.neuron.programs import Array


def start(draw: Draw, partitions: int) -> int:
    """Where everything of one instruction begins."""
    legal = (0,) if partitions > 64 else (0, 64) if partitions > 32 else (0, 32, 64, 96)
    return int(draw.one_of(*legal))


def placed(draw: Draw, begin: int, values: Array, dtype: str, memory: str = "sbuf") -> Tile:
    """A tile that starts at a partition, some columns into a wider tensor."""
    skip = draw.number(0, 3)
    whole = np.zeros((begin + values.shape[0], skip + values.shape[1] + 2), values.dtype)
    here = (slice(begin, None), slice(skip, skip + values.shape[1]))
    whole[here] = values
    made = draw.tile(whole.shape, dtype, memory, values=whole, plain=True)
    text = f"{made.name}[{begin}:, {skip} : +{values.shape[1]}]"
    return Tile(made.name, text, dtype, values, lambda array: array[here])


def entries(
    draw: Draw, begin: int, partitions: int, columns: int, group: int, once: bool
) -> tuple[Tile, int]:
    """A random index of a random size, and how many entries of it are used."""
    wide = draw.number(1, 3)
    rows = min(group, partitions)
    room = rows * wide if rows == group else rows
    count = draw.number(1, min(room, columns) if once else room)
    dtype = draw.one_of("uint16", "int16", "uint32", "int32")
    values = draw.numbers(0, columns - 1, (partitions, wide)).astype(dtype)
    if once:
        order = draw.order(columns)
        for i in range(count):
            values[i % group, i // group] = order[i]
    return placed(draw, begin, values, dtype), count


@random_cases(on=("trn3",))
def test_a_gather_on_vector_scalar_or_gpsimd(draw: Draw) -> None:
    partitions, columns = draw.partitions(), draw.number(1, 40)
    begin = start(draw, partitions)
    index, count = entries(draw, begin, partitions, columns, model.LANES, False)
    dtype = draw.dtype()
    data = placed(draw, begin, draw.content(dtype, (partitions, columns)), dtype)
    picked = f"{data}.indirect({index}, num_elem={count})"
    want = model.gather(data.values, index.values, count)
    if draw.flag():
        dst = draw.result((partitions, count), dtype)
        draw.line(f"@{draw.one_of('vector', 'scalar')} TensorCopy {dst}, {picked}")
        draw.expect(dst, want)
        return
    other, dst = draw.tile((partitions, count)), draw.result((partitions, count))
    op, engine = draw.one_of("add", "multiply", "subtract"), "vector"
    if draw.flag(0.3):  # with float32 among its tiles GpSimd computes as the others do
        op, engine, dst = "add", "gpsimd", draw.result((partitions, count), "float32")
    draw.line(f"@{engine} TensorTensor {dst}, {picked}, {other}, op={op}")
    draw.expect(dst, scalar.tensor_tensor(want, other.values, op, dst.dtype))


@random_cases(on=("trn3",))
def test_a_scatter_on_vector_or_scalar(draw: Draw) -> None:
    partitions, columns = draw.partitions(), draw.number(1, 40)
    begin = start(draw, partitions)
    index, count = entries(draw, begin, partitions, columns, model.LANES, draw.flag())
    dtype = draw.dtype()
    held = placed(draw, begin, draw.content(dtype, (partitions, columns)), dtype)
    data = placed(draw, begin, draw.content(dtype, (partitions, count)), dtype)
    engine = draw.one_of("vector", "scalar")
    draw.line(f"@{engine} TensorCopy {held}.indirect({index}, num_elem={count}), {data}")
    draw.expect(held, model.scatter(held.values, index.values, data.values))


@random_cases(on=("trn3",))
def test_both_sides_of_a_copy_indirect(draw: Draw) -> None:
    partitions, columns, wide = draw.partitions(), draw.number(1, 40), draw.number(1, 40)
    begin = start(draw, partitions)
    first, count = entries(draw, begin, partitions, columns, model.LANES, False)
    second, most = entries(draw, begin, partitions, wide, model.LANES, False)
    count = min(count, most)
    dtype = draw.dtype()
    held = placed(draw, begin, draw.content(dtype, (partitions, wide)), dtype)
    data = placed(draw, begin, draw.content(dtype, (partitions, columns)), dtype)
    draw.line(
        f"@vector TensorCopy {held}.indirect({second}, num_elem={count}), "
        f"{data}.indirect({first}, num_elem={count})"
    )
    values = model.gather(data.values, first.values, count)
    draw.expect(held, model.scatter(held.values, second.values, values))


@random_cases(on=("trn3",))
def test_a_predicated_copy_with_a_scatter_and_a_gathered_predicate(draw: Draw) -> None:
    partitions, columns, wide = draw.partitions(), draw.number(1, 40), draw.number(1, 40)
    begin = start(draw, partitions)
    first, count = entries(draw, begin, partitions, columns, model.LANES, False)
    second, most = entries(draw, begin, partitions, wide, model.LANES, draw.flag())
    count = min(count, most)
    dtype, bits = draw.dtype(), draw.one_of("uint8", "uint16", "uint32")
    held = placed(draw, begin, draw.content(dtype, (partitions, wide)), dtype)
    src = draw.tile((partitions, count), dtype)
    random = draw.numbers(0, 2, (partitions, columns)).astype(bits)
    predicate = placed(draw, begin, random, bits)
    draw.line(
        f"@vector CopyPredicated {held}.indirect({second}, num_elem={count}), {src}, "
        f"{predicate}.indirect({first}, num_elem={count})"
    )
    chosen = model.gather(predicate.values, first.values, count)
    draw.expect(held, model.scatter_chosen(held.values, second.values, src.rows, chosen))


@random_cases(on=("trn3",))
def test_indirect_operands_of_a_matmul(draw: Draw) -> None:
    k, m, n = draw.partitions(), draw.number(1, 32), draw.number(1, 40)
    index, rows = entries(draw, 0, k, m, model.ARRAY, False)
    other, columns = entries(draw, 0, k, n, model.ARRAY, False)
    dtype = draw.one_of("bfloat16", "float16", "float8_e4m3")

    def small(*shape: int) -> Array:
        whole: Array = draw.content("int8", shape, wild=False)
        return whole.astype(scalar.NUMPY[dtype])

    a, b = placed(draw, 0, small(k, m), dtype), placed(draw, 0, small(k, n), dtype)
    c = draw.result((rows, columns), "float32", "psum", written=False, plain=True)
    draw.line(f"@tensor LoadStationary {a}.indirect({index}, num_elem={rows})")
    draw.line(f"@tensor MultiplyMoving {c}, {b}.indirect({other}, num_elem={columns})")
    left = model.gather(a.values, index.values, rows, model.ARRAY).astype(np.int64)
    right = model.gather(b.values, other.values, columns, model.ARRAY).astype(np.int64)
    draw.expect(c, (left.T @ right).astype(np.float32))  # whole numbers, and small: exact


@random_cases()
def test_a_copy_that_starts_where_a_register_or_a_tile_says(draw: Draw) -> None:
    partitions, columns, count = draw.partitions(), draw.number(8, 40), draw.number(1, 8)
    dtype = draw.dtype()
    data = draw.tile((partitions, columns), dtype, plain=True)
    dst = draw.result((partitions, count), dtype)
    offset = draw.number(0, columns - count)
    entry = draw.number(0, columns - count - offset)
    by = draw.tile((1, 1), "int32", values=np.array([[entry]], np.int32), plain=True)
    engine = draw.one_of("vector", "gpsimd")
    text = by.name
    if draw.flag():
        draw.line(f"@{engine} TensorLoad %r1, {by}")
        text = "%r1"
    pattern = f"[[{columns}, {partitions}], [1, {count}]], offset={offset}"
    moved = f"{data}.ap({pattern}, scalar_offset={text}, indirect_dim=1)"
    draw.line(f"@{engine} TensorCopy {dst}, {moved}")
    at = model.row(offset, entry, 1, count)
    draw.expect(dst, np.stack([data.values[:, i] for i in at], axis=1))
