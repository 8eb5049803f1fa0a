"""TensorTensorScan against a scalar loop."""

from __future__ import annotations

from typing import Any

from tests.neuron.cases import Draw, random_cases
from tests.neuron.elementwise.test_random import arithmetic, held, memories
from tests.neuron.scan import model


@random_cases(edges=0.3)
def test_tensor_tensor_scan(draw: Draw) -> None:
    shape, (one, two) = draw.shape(14), memories(draw)
    a = draw.tile(shape, draw.any_dtype(), one, wild=draw.flag())
    b = draw.tile(shape, draw.any_dtype(), two, wild=draw.flag())
    dst = draw.result(shape, draw.any_dtype(), draw.one_of("sbuf", "psum"))
    binary = arithmetic(draw)
    op0 = draw.one_of("multiply", "add", *binary)
    # The state goes round: what may follow the one may come before it, too.
    op1 = draw.one_of(*binary)
    column = draw.column(shape[0], draw.dtype("float32", "bfloat16", "int32"))
    number = draw.one_of(0.0, 1.0, -0.0, 2.5, draw.real())
    initial: Any = draw.one_of(column, number)
    flags = draw.flag(0.3), draw.flag(0.3)
    reverse = ", ".join(f"reverse{n}={str(flag).lower()}" for n, flag in enumerate(flags))
    draw.line(
        f"@vector TensorTensorScan {dst}, {a}, {b}, {initial}, op0={op0}, op1={op1}, {reverse}"
    )
    want = model.tensor_tensor_scan(
        a.rows, b.rows, held(initial), (op0, flags[0]), (op1, flags[1]), dst.dtype
    )
    draw.expect(dst, want)
