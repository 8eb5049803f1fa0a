"""Gathers and TopK against scalar models, on random tiles."""

from __future__ import annotations

import numpy as np

from tests.neuron.cases import Draw, random_cases
from tests.neuron.gpsimd import model
from tests.neuron.gpsimd.test_random import flat


@random_cases()
def test_local_gather(draw: Draw) -> None:
    partitions = 16 * draw.one_of(1, 1, 2, 3, 4, 8)
    per, columns = draw.one_of(1, 2, 4, 8, 16, 32), draw.number(1, 3)
    src = draw.tile((partitions, draw.number(max(2, per // 2), 20), 2))
    last = flat(src).shape[1] - per
    valid = draw.number(1, min(16 * columns, 4 + 64 // per))
    index = draw.numbers(0, last, (partitions, columns)).astype(np.uint16)
    tile = draw.tile(index.shape, "uint16", values=index)
    dst = draw.result((partitions, valid, per), src.dtype)
    text = f"@gpsimd LocalGather {dst}, {src}, {tile}, num_elem_per_idx={per}"
    draw.line(f"{text}, num_valid_indices={valid}")
    draw.expect(dst, model.local_gather(flat(src), index, per, valid))


@random_cases()
def test_nc_n_gather(draw: Draw) -> None:
    shape = draw.shape()
    data = draw.tile(shape)
    picked = (shape[0], draw.number(1, 20))
    picks = draw.numbers(0, flat(data).shape[1] - 1, picked).astype(np.uint32)
    tile = draw.tile(picked, "uint32", values=picks)
    dst = draw.result(picked, data.dtype)
    draw.line(f"@gpsimd NcNGather {dst}, {data}, {tile}")
    draw.expect(dst, model.nc_n_gather(flat(data), picks))


@random_cases()
def test_topk(draw: Draw) -> None:
    partitions, columns = 16 * draw.one_of(1, 1, 2, 3, 8), draw.number(1, 8)
    src = draw.tile((partitions, columns), "bfloat16")
    n = draw.number(max(8, 16 * columns - 20), 16 * columns)
    k = draw.number(1, min(n, 40))
    descending = draw.flag()
    values = draw.result((partitions, k), "bfloat16", written=True)
    places = draw.result((partitions, k), "uint32", written=True)
    draw.line(f"@gpsimd TopK {values}, {places}, {src}, {n}" + ", sorted=true" * descending)
    want = model.topk(src.values, n, (values.values, places.values), descending)
    draw.expect(values, want[0])
    draw.expect(places, want[1])
