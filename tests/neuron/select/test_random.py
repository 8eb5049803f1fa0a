"""CopyPredicated, FindIndex8 and MatchReplace8 against scalar loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.neuron import scalar
from tests.neuron.cases import Draw, Tile, random_cases
from tests.neuron.elementwise.test_random import memories
from tests.neuron.select import model


@random_cases(edges=0.3)
def test_copy_predicated(draw: Draw) -> None:
    shape, dtype, (one, two) = draw.shape(24), draw.any_dtype(), memories(draw)
    kind = draw.dtype("uint8", "uint16", "uint32")
    chosen = draw.numbers(0, draw.one_of(1, 4, 299), shape).astype(scalar.NUMPY[kind])
    predicate = draw.tile(shape, kind, two, values=chosen)
    dst = draw.result(shape, dtype, draw.one_of("sbuf", "psum"), written=True)
    src: Any = draw.tile(shape, dtype, one)
    values = src.rows
    if draw.flag(0.3):
        number = draw.content(dtype, (1,), wild=draw.flag())[0].item()
        src = number if np.isfinite(number) else -2
        if dtype.startswith("uint"):
            src = abs(src)
        values = np.full(predicate.rows.shape, src, scalar.NUMPY[dtype])
    reverse = draw.flag(0.3)
    said = src if isinstance(src, Tile) else repr(src)
    draw.line(
        f"@vector CopyPredicated {dst}, {said}, {predicate}, reverse_pred={str(reverse).lower()}"
    )
    draw.expect(dst, model.copy_predicated(dst.rows, values, predicate.rows, reverse))


def searched(draw: Draw) -> tuple[Tile, Tile]:
    """Data, and eight values of which some are in it, some more than once."""
    shape: tuple[int, ...] = (draw.partitions(), draw.number(8, 40))
    if draw.flag(0.3):
        shape = (shape[0], 3, draw.number(3, 12))
    data = draw.tile(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
    rows = data.rows
    at = draw.numbers(0, rows.shape[1] - 1, (rows.shape[0], 8))
    values = np.take_along_axis(rows, at, axis=1)
    repeated = draw.numbers(0, 7, (rows.shape[0], 8))
    if draw.flag():
        values = np.take_along_axis(values, repeated, axis=1)
    others = draw.content(data.dtype, values.shape)
    kept = draw.reals(0, 1, values.shape) < draw.one_of(1.0, 0.8)
    values = np.where(kept, values, others).astype(rows.dtype)
    vals = draw.tile(values.shape, data.dtype, draw.one_of("sbuf", "psum"), values=values)
    draw.line(f"@vector MatchValueLoad {vals}")
    return data, vals


@random_cases(edges=0.3)
def test_find_index8(draw: Draw) -> None:
    data, vals = searched(draw)
    dst = draw.result((len(data.rows), 8), draw.dtype("uint16", "uint32"))
    draw.line(f"@vector FindIndex8 {dst}, {data}")
    draw.expect(dst, model.find_index8(data.rows, vals.rows, dst.dtype))


@random_cases(edges=0.3)
def test_match_replace8(draw: Draw) -> None:
    data, vals = searched(draw)
    dst = draw.result(data.shape, draw.one_of(data.dtype, draw.any_dtype()))
    at = draw.result((len(data.rows), 8), "uint32")
    imm = draw.one_of("-inf", "0.0", "-1.5", "2.0", "1e-3")
    given = draw.flag(0.8)
    draw.line(f"@vector MatchReplace8 {dst}, {data}, {imm}" + (f", {at}" if given else ""))
    want, places = model.match_replace8(data.rows, vals.rows, float(imm), dst.dtype)
    draw.expect(dst, want)
    if given:
        draw.expect(at, places)


@random_cases(cases=60)
def test_the_eight_largest_are_found_and_replaced(draw: Draw) -> None:
    """The loop that the vendor's top-k makes of Max8, MatchValueLoad and MatchReplace8."""
    shape = (draw.partitions(), draw.number(8, 40))
    data = draw.tile(shape, "float32", wild=False)
    best, dst = draw.result((shape[0], 8), "float32"), draw.result(shape, "float32")
    draw.line(f"@vector Max8 {best}, {data}")
    draw.line(f"@vector MatchValueLoad {best}")
    draw.line(f"@vector MatchReplace8 {dst}, {data}, -inf")
    want = data.rows.copy()
    for row in want:
        row[np.argsort(-row, kind="stable")[:8]] = -np.inf
    draw.expect(dst, want)
