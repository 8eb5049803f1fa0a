"""GpSimd's own instructions as plain loops, written from the pages of nki.isa."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tests.neuron.scalar import NUMPY, Table, bitwise, f, larger, out

Pattern = Sequence[tuple[int, int]]

COMPARISONS = {
    "equal": lambda value: value == 0,
    "not_equal": lambda value: value != 0,
    "greater": lambda value: value > 0,
    "greater_equal": lambda value: value >= 0,
    "less": lambda value: value < 0,
    "less_equal": lambda value: value <= 0,
}


def int32(value: int) -> int:
    """The number that the low 32 bits of an integer stand for."""
    low = value & 0xFFFFFFFF
    return low - 2**32 if low >= 2**31 else low


def indices(p: int, pattern: Pattern, offset: int, channel_multiplier: int) -> Iterator[int]:
    """nki.isa.iota: the affine value of every element of a partition, the last axis fastest."""
    for at in itertools.product(*(range(count) for _, count in pattern)):
        value = offset + p * channel_multiplier
        for (step, _), n in zip(pattern, at, strict=True):
            value += n * step
        yield int32(value)


def integer_out(value: int, dtype: str) -> Any:
    """An int32 in another dtype: saturated in integers, through float32 into floats."""
    kind = NUMPY[dtype]
    if np.issubdtype(kind, np.integer):
        limits = np.iinfo(kind)
        return kind(min(max(value, int(limits.min)), int(limits.max)))
    return out(f(float(value)), dtype)


def table(rows: Table, dtype: str) -> Any:
    made = np.empty((len(rows), len(rows[0])), NUMPY[dtype])
    for p, row in enumerate(rows):
        for i, value in enumerate(row):
            made[p, i] = value
    return made


def iota(partitions: int, pattern: Pattern, offset: int, multiplier: int, dtype: str) -> Any:
    rows = [
        [integer_out(value, dtype) for value in indices(p, pattern, offset, multiplier)]
        for p in range(partitions)
    ]
    return table(rows, dtype)


def affine_select(
    tile: Any,
    pattern: Pattern,
    multiplier: int,
    on_false: float,
    cmp_op: str,
    offset: int,
    dtype: str,
) -> Any:
    """nki.isa.affine_select; ``tile`` is [P, N] in its own dtype."""
    same = tile.dtype == NUMPY[dtype]
    rows = []
    for p in range(tile.shape[0]):
        row = []
        for i, value in enumerate(indices(p, pattern, offset, multiplier)):
            if not COMPARISONS[cmp_op](value):
                row.append(out(f(on_false), dtype))
            elif same:
                row.append(tile[p, i])
            else:
                row.append(out(f(float(tile[p, i])), dtype))
        rows.append(row)
    return table(rows, dtype)


def partition_reduce(data: Any, op: str, dtype: str) -> Any:
    """nki.isa.tensor_partition_reduce: one row, from the first partition to the last."""
    row: list[Any] = []
    for i in range(data.shape[1]):
        if op.startswith("bitwise"):
            bits = int(data[0, i])
            for p in range(1, data.shape[0]):
                bits = bitwise(op, bits, int(data[p, i]), dtype)
            row.append(bits)
            continue
        total = f(float(data[0, i]))
        for p in range(1, data.shape[0]):
            value = f(float(data[p, i]))
            total = larger(total, value) if op == "maximum" else f(total + value)
        row.append(out(f(total / data.shape[0]) if op == "average" else total, dtype))
    return table([row], dtype)


def sequence_bounds(ids: Sequence[Any], dtype: str) -> Any:
    """nki.isa.sequence_bounds: starts from the left, ends from the right."""
    n = len(ids)
    starts, ends = [0] * n, [0] * n
    for i in range(n):
        starts[i] = starts[i - 1] if i and ids[i] == ids[i - 1] else i
    for i in reversed(range(n)):
        ends[i] = ends[i + 1] if i < n - 1 and ids[i] == ids[i + 1] else i + 1
    for i in range(n):
        if ids[i] == 0:
            starts[i], ends[i] = n, -1
    return table([[integer_out(v, dtype) for v in (*starts, *ends)]], dtype)


def nonzero_with_count(before: Any, src: Any, index_offset: int, padding_val: int) -> Any:
    """nki.isa.nonzero_with_count: what dst [P, T + 1] holds behind it."""
    after = before.copy()
    for p in range(0, src.shape[0], 16):
        found = [int32(i + index_offset) for i in range(src.shape[1]) if src[p, i] != 0]
        padded = found + [int32(padding_val)] * (src.shape[1] - len(found))
        for i, value in enumerate([*padded, len(found)]):
            after[p, i] = value
    return after


def local_gather(src: Any, index: Any, per: int, valid: int) -> Any:
    """nki.isa.local_gather."""
    gathered = np.empty((src.shape[0], valid * per), src.dtype)
    for core in range(src.shape[0] // 16):
        line = [
            int(index[16 * core + p, column]) for column in range(index.shape[1]) for p in range(16)
        ]
        for p in range(16 * core, 16 * core + 16):
            for j in range(valid):
                for e in range(per):
                    gathered[p, j * per + e] = src[p, line[j] + e]
    return gathered


def nc_n_gather(data: Any, picks: Any) -> Any:
    """nki.isa.nc_n_gather."""
    gathered = np.empty(picks.shape, data.dtype)
    for p in range(picks.shape[0]):
        for i in range(picks.shape[1]):
            gathered[p, i] = data[p, int(picks[p, i])]
    return gathered


def topk(src: Any, n: int, held: tuple[Any, Any], descending: bool) -> tuple[Any, Any]:
    """nki.isa.topk, each group of 16 partitions for itself; NaN above every number.

    What is ``held`` by the destinations stays where no result is.
    """
    values, places = held[0].copy(), held[1].copy()
    for first in range(0, src.shape[0], 16):
        snake = [src[first + i % 16, i // 16] for i in range(n)]
        rank = [(1, 0.0) if math.isnan(v) else (0, float(v)) for v in snake]
        best = sorted(range(n), key=lambda i: (-rank[i][0], -rank[i][1], i))[: values.shape[1]]
        if not descending:
            best.sort(key=lambda i: (*rank[i], i))
        for j, i in enumerate(best):
            values[first + j % 16, j // 16], places[first + j % 16, j // 16] = snake[i], i
    return values, places
