"""TensorTensorScan as a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.neuron import operators, scalar
from tests.neuron.elementwise.model import widened


def tensor_tensor_scan(
    data0: Any,
    data1: Any,
    initial: Any,
    first: tuple[str, bool],
    second: tuple[str, bool],
    dtype: str,
) -> Any:
    """nki.isa.tensor_tensor_scan: s = op1(op0(f(data0[i]), s), f(data1[i])), dst[i] = out(s)."""
    made = np.empty(data0.shape, scalar.NUMPY[dtype])
    for p in range(len(data0)):
        state = widened(initial[p, 0] if getattr(initial, "ndim", 0) else initial)
        for n in range(data0.shape[1]):
            state = operators.staged(first[0], widened(data0[p, n]), state, first[1])
            state = operators.staged(second[0], state, widened(data1[p, n]), second[1])
            made[p, n] = scalar.out(state, dtype)
    return made
