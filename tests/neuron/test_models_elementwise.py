"""TensorTensor against a scalar model, on random tiles."""

from __future__ import annotations

from tests.neuron.cases import Draw, random_cases
from tests.neuron.models import scalar


@random_cases()
def test_tensor_tensor(draw: Draw) -> None:
    shape = draw.shape()
    a, b, dst = draw.tile(shape), draw.tile(shape), draw.result(shape)
    op = draw.one_of("add", "subtract", "multiply", "maximum", "minimum", "less", "not_equal")
    draw.line(f"@vector TensorTensor {dst}, {a}, {b}, op={op}")
    flat = (shape[0], -1)
    want = scalar.tensor_tensor(a.values.reshape(flat), b.values.reshape(flat), op, dst.dtype)
    draw.expect(dst, want)
