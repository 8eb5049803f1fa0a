"""What is said to those who write operators between tiles does what they meant."""

from __future__ import annotations

import numpy as np

from nasm.targets.neuron.computing import COMPUTING
from tests.neuron.programs import result, sbuf
from tests.tables import each

A, B = [[1.0, 2.0, -3.0]], [[0.5, 2.0, 4.0]]


@each("expression", COMPUTING)
def test_an_instruction_computes_what_an_expression_means(expression: str) -> None:
    tiles = {"a": np.array(A, np.float32), "b": np.array(B, np.float32)}
    wanted = np.broadcast_to(eval(expression, {}, tiles), (1, 3))
    engine = "gpsimd" if "power" in COMPUTING[expression] else "vector"
    found = result(
        f"@{engine} {COMPUTING[expression]}",
        a=sbuf("f32", A),
        b=sbuf("f32", B),
        c=sbuf("f32", (1, 3)),
    )
    assert found.tolist() == wanted.astype(np.float32).tolist()
