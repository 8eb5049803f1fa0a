"""TensorCopy and Memset against scalar loops."""

from __future__ import annotations

import numpy as np

from tests.neuron.cases import INTEGERS, Draw, random_cases
from tests.neuron.move import model


@random_cases(edges=0.3)
def test_tensor_copy(draw: Draw) -> None:
    shape = draw.shape(24)
    engine = draw.one_of("vector", "gpsimd", *(["scalar"] if draw.on != "trn1" else []))
    places = ("sbuf",) if engine == "gpsimd" else ("sbuf", "psum")
    src = draw.tile(shape, draw.any_dtype(), draw.one_of(*places))
    dst = draw.result(shape, draw.one_of(src.dtype, draw.any_dtype()), draw.one_of(*places))
    draw.line(f"@{engine} TensorCopy {dst}, {src}")
    draw.expect(dst, model.tensor_copy(src.rows, src.dtype, dst.dtype))


@random_cases(edges=0.3)
def test_tensor_copy_from_and_to_where_a_register_says(draw: Draw) -> None:
    engine = draw.one_of("vector", "gpsimd", *(["scalar"] if draw.on != "trn1" else []))
    rows, count, room = draw.partitions(), draw.number(1, 12), draw.number(1, 12)
    dtype = draw.any_dtype()
    src = draw.tile((rows, count + room), dtype, plain=True)
    dst = draw.result((rows, count + room), dtype, written=True, plain=True)
    at, to = draw.number(0, room), draw.number(0, room)
    draw.line(f"@{engine} RegisterMove %r1, {at}")
    draw.line(f"@{engine} RegisterMove %r2, {to}")
    draw.line(f"@{engine} TensorCopy {dst}[:, %r2 : +{count}], {src}[:, %r1 : +{count}]")
    want = dst.rows.copy()
    want[:, to : to + count] = src.rows[:, at : at + count]
    draw.expect(dst, want)


@random_cases(edges=0.3)
def test_memset(draw: Draw) -> None:
    shape, dtype = draw.shape(24), draw.any_dtype()
    engine = draw.one_of("vector", "gpsimd")
    dst = draw.result(shape, dtype, "sbuf" if engine == "gpsimd" else draw.one_of("sbuf", "psum"))
    if dtype in INTEGERS:
        value = draw.content(dtype, (1,))[0].item()
    else:
        value = draw.one_of(0, 3, np.inf, -np.inf, draw.content("float32", (1,))[0].item())
    if value != value:
        value = -0.0
    draw.line(f"@{engine} Memset {dst}, {value!r}")
    draw.expect(dst, model.memset(dst.rows.shape, value, dtype))
