"""BatchNormStats and BatchNormAggregate against scalar loops."""

from __future__ import annotations

import numpy as np

from tests.neuron import scalar
from tests.neuron.batchnorm import model
from tests.neuron.cases import Draw, random_cases


def memory(draw: Draw) -> str:
    return str(draw.one_of("sbuf", "sbuf", "psum"))


@random_cases(edges=0.3)
def test_batch_norm_stats(draw: Draw) -> None:
    shape = draw.shape(30)
    data = draw.tile(shape, draw.any_dtype(), memory(draw))
    dst = draw.result((shape[0], 6), draw.dtype("float32", "float32", "bfloat16", "int32"))
    draw.line(f"@vector BatchNormStats {dst}, {data}")
    draw.expect(dst, model.stats(data.rows, dst.dtype))


@random_cases(edges=0.3)
def test_batch_norm_aggregate(draw: Draw) -> None:
    shape = (draw.partitions(), 3 * draw.number(1, 6))
    dtype = draw.dtype("float32", "float32", "bfloat16", "float16", "int16")
    values = draw.content(dtype, shape)
    if draw.flag(0.7):
        counts = draw.numbers(0, 8, (shape[0], shape[1] // 3))
        values[:, 0::3] = counts.astype(scalar.NUMPY[dtype])
    data = draw.tile(shape, dtype, memory(draw), values=values)
    dst = draw.result((shape[0], 2), draw.dtype("float32", "float32", "bfloat16", "int32"))
    draw.line(f"@vector BatchNormAggregate {dst}, {data}")
    draw.expect(dst, model.aggregate(data.rows, dst.dtype))


@random_cases(cases=60)
def test_together_they_are_numpys_mean_and_variance(draw: Draw) -> None:
    """The vendor's test: pieces of up to 512 elements, aggregated."""
    rows, sizes = draw.partitions(), [draw.number(1, 512) for _ in range(draw.number(1, 2))]
    data = draw.tile((rows, sum(sizes)), "float32", wild=False, plain=True)
    stats, dst = draw.fresh("stats"), draw.result((rows, 2), "float32")
    draw.declare(f".sbuf {stats} f32[{rows}, {6 * len(sizes)}]")
    start = 0
    for n, size in enumerate(sizes):
        piece = f"{data.name}[:, {start} : +{size}]"
        draw.line(f"@vector BatchNormStats {stats}[:, {6 * n} : +6], {piece}")
        start += size
    draw.line(f"@vector BatchNormAggregate {dst}, {stats}")
    exact = data.rows.astype(np.float64)
    # Float32 sums of some hundred terms, against float64's.
    draw.expect(
        dst, np.stack([exact.mean(1), exact.var(1)], 1).astype(np.float32), rtol=1e-4, atol=1e-5
    )
