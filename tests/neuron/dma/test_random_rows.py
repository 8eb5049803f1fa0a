"""Rows that a tile names against a scalar model: gathers, scatters, and what is skipped."""

from __future__ import annotations

import numpy as np

from tests.neuron import scalar
from tests.neuron.cases import Draw, Tile, random_cases
from tests.neuron.indirect import model
from tests.neuron.programs import Array


def pattern(draw: Draw, width: int) -> tuple[int, list[tuple[int, int]]]:
    """Where a row begins, and a pattern of one or two axes that stays within its width."""
    first = draw.number(0, width - 1)
    room = width - first
    step = draw.number(1, 3)
    count = draw.number(1, max(1, (room - 1) // step + 1))
    if draw.flag(0.3) and step > 1:
        return first, [(step, count), (1, draw.number(1, min(step, room - step * (count - 1))))]
    return first, [(step, count)]


def written(rows: int, width: int, first: int, inner: list[tuple[int, int]], index: Tile) -> str:
    """The pattern as a program writes it."""
    pairs = "".join(f", [{s}, {n}]" for s, n in inner)
    return f"[[{width}, {rows}]{pairs}], offset={first}, vector_offset={index}"


def drawn(draw: Draw, height: int, rows: int, once: bool, skips: bool) -> tuple[Tile, list[int]]:
    """Entries, some of them out of bounds if that is allowed."""
    apart = draw.order(max(height, rows))[:rows]
    values = apart if once else draw.numbers(0, height - 1, rows)
    if skips:
        wild = draw.numbers(-3, height + 3, rows)
        values = np.where(draw.reals(0, 1, (rows,)) < 0.3, wild, values)
    dtype = "int32" if values.min() < 0 else draw.one_of("int32", "uint32")
    column = values.astype(dtype)[:, None]
    return draw.tile(column.shape, dtype, values=column), [int(v) for v in values]


def number(draw: Draw, shape: tuple[int, ...], dtype: str) -> Array:
    """Small whole numbers, which every dtype holds."""
    return draw.content("int8", shape, wild=False).astype(scalar.NUMPY[dtype])


def size(inner: list[tuple[int, int]]) -> int:
    return int(np.prod([n for _, n in inner]))


@random_cases(on=("trn2", "trn3"))
def test_a_gather_of_rows(draw: Draw) -> None:
    height, width, rows = draw.number(1, 40), draw.number(1, 24), draw.partitions()
    skips = draw.flag()
    first, inner = pattern(draw, width)
    index, entries = drawn(draw, height, rows, False, skips)
    dtype = draw.dtype("float32", "bfloat16", "int32", "uint8")
    table = draw.tile((height, width), dtype, "hbm", plain=True)
    where = draw.one_of("sbuf", "sbuf", "hbm")
    dst = draw.result((rows, size(inner)), dtype, where, written=True, lanes=False)
    text = written(rows, width, first, inner, index)
    more = ", oob_mode=skip" if skips else ""
    draw.line(f"@gpsimd DmaCopy {dst}, {table}.ap({text}){more}")
    draw.expect(dst, model.gather_rows(table.values, dst.values, entries, first, inner))


@random_cases(on=("trn2", "trn3"))
def test_a_scatter_of_rows(draw: Draw) -> None:
    height, width, rows = draw.number(1, 60), draw.number(1, 24), draw.partitions(60)
    skips = draw.flag()
    first, inner = pattern(draw, width)
    rows = rows if skips else min(rows, height)
    index, entries = drawn(draw, height, rows, True, skips)
    seen: list[int] = []
    for at, entry in enumerate(entries):  # which of two shares lands last is another test's
        entries[at] = entry if entry not in seen else -1
        seen.append(entry)
    if -1 in entries:
        column = np.array(entries, np.int32)[:, None]
        index = draw.tile(column.shape, "int32", values=column)
    dtype = draw.dtype("float32", "bfloat16", "int32", "uint8")
    table = draw.result((height, width), dtype, "hbm", written=True, plain=True)
    src = draw.tile((rows, size(inner)), dtype, lanes=False)
    text = written(rows, width, first, inner, index)
    more = ", oob_mode=skip" if skips else ""
    draw.line(f"@gpsimd DmaCopy {table}.ap({text}), {src}{more}")
    draw.expect(table, model.scatter_rows(table.values, src.values, entries, first, inner))


@random_cases(on=("trn2", "trn3"))
def test_a_scatter_of_rows_that_adds(draw: Draw) -> None:
    height, width = draw.number(1, 60), draw.number(1, 24)
    rows = draw.number(1, height)
    index, entries = drawn(draw, height, rows, True, False)
    table = draw.tile(
        (height, width),
        values=number(draw, (height, width), "float32"),
        plain=True,
        dtype="float32",
        memory="hbm",
    )
    src = draw.tile((rows, width), "bfloat16", values=number(draw, (rows, width), "bfloat16"))
    text = f"{table}.ap({written(rows, width, 0, [(1, width)], index)})"
    draw.line(f"@gpsimd DmaCompute {text}, [{text}, {src}], reduce_op=add")
    want = table.values.copy()
    for w in range(rows):
        for z in range(width):
            want[entries[w], z] = want[entries[w], z] + np.float32(src.values[w, z])
    draw.expect(table, want)


@random_cases()
def test_a_dma_that_starts_where_a_tile_or_a_register_says(draw: Draw) -> None:
    height, width = draw.number(4, 40), draw.number(1, 24)
    rows, first = draw.number(1, 3), draw.number(0, width - 1)
    count = draw.number(1, width - first)
    entry = draw.number(0, height + 2)
    dtype = draw.dtype()
    table = draw.tile((height, width), dtype, "hbm", plain=True)
    dst = draw.result((rows, count), dtype, written=True, plain=True)
    by = draw.tile((1, 1), "int32", values=np.array([[entry]], np.int32), plain=True)
    text = by.name
    if draw.flag():
        draw.line(f"@gpsimd TensorLoad %r1, {by}")
        text = "%r1"
    pairs = f"[[{width}, {rows}], [1, {count}]], offset={first}"
    moved = f"{table}.ap({pairs}, scalar_offset={text}, indirect_dim=0)"
    draw.line(f"@gpsimd DmaCopy {dst}, {moved}, oob_mode=skip")
    inside = entry + rows <= height
    want = dst.values.copy()
    for w in range(rows):
        at = model.row(first, entry + w, width, count)
        if inside:
            want[w] = table.values.reshape(-1)[at]
    draw.expect(dst, want)
