"""What an index tile does to an operand, one element after the other."""

from __future__ import annotations

from tests.neuron.programs import Array

LANES, ARRAY = 16, 32
"""How many entries stand in one column: for Vector, Scalar and GpSimd, and for Tensor."""


def entry(index: Array, i: int, group: int) -> int:
    """Offset i comes from ``index[i % group, i // group]``."""
    return int(index[i % group, i // group])


def gather(data: Array, index: Array, count: int, group: int = LANES) -> Array:
    """A column at each offset, from every partition."""
    out = data[:, :1].repeat(count, axis=1)
    for i in range(count):
        column = entry(index, i, group)
        for p in range(data.shape[0]):
            out[p, i] = data[p, column]
    return out


def scatter(held: Array, index: Array, values: Array, group: int = LANES) -> Array:
    """What is held after each column of some values was put where its offset says, in order."""
    out = held.copy()
    for i in range(values.shape[1]):
        column = entry(index, i, group)
        for p in range(held.shape[0]):
            out[p, column] = values[p, i]
    return out


def scatter_chosen(held: Array, index: Array, values: Array, chosen: Array) -> Array:
    """The same of the elements that are chosen; the others go nowhere."""
    out = held.copy()
    for i in range(values.shape[1]):
        column = entry(index, i, LANES)
        for p in range(held.shape[0]):
            if chosen[p, i]:
                out[p, column] = values[p, i]
    return out


def row(first: int, entry: int, step: int, count: int) -> list[int]:
    """The flat positions of one row of a pattern: where it starts, plus entry times step."""
    return [first + entry * step + z for z in range(count)]


def gather_rows(
    table: Array, dst: Array, entries: list[int], first: int, inner: list[tuple[int, int]]
) -> Array:
    """What dst holds after each row was read from where its entry says; others are skipped.

    ``table`` has two axes; ``inner`` are the steps and counts of the axes within a row.
    """
    out, flat, width = dst.copy(), table.reshape(-1), table.shape[1]
    for w in range(len(entries)):
        at = [first + entries[w] * width]
        for step, count in inner:
            at = [a + step * z for a in at for z in range(count)]
        if entries[w] >= 0 and max(at) < flat.size:
            out[w] = flat[at].reshape(out[w].shape)
    return out


def scatter_rows(
    table: Array, src: Array, entries: list[int], first: int, inner: list[tuple[int, int]]
) -> Array:
    """What a table holds after each row of src went to where its entry says, in order."""
    out, width = table.copy(), table.shape[1]
    flat = out.reshape(-1)
    for w in range(len(entries)):
        at = [first + entries[w] * width]
        for step, count in inner:
            at = [a + step * z for a in at for z in range(count)]
        if entries[w] >= 0 and max(at) < flat.size:
            flat[at] = src[w].reshape(-1)
    return out
