"""TensorTensorScan."""

from __future__ import annotations

from tests.neuron.broken import Broken


def cases() -> list[Broken]:
    row, head, ops = "TensorTensorScan", "@vector TensorTensorScan", "op0=multiply, op1=add"
    return [
        Broken(row, "dst, data0 and data1", "E0404", "data1 32", f"{head} c, a, thin, 0.0, {ops}"),
        Broken(
            row, "data0 and initial have", "E0404", "initial 64", f"{head} c, a, b, col64, {ops}"
        ),
        Broken(
            row,
            "data0 and data1 are not both",
            "E0406",
            "both in psum",
            f"{head} c, p, q, 0.0, {ops}",
        ),
        Broken(
            row,
            "an operator runs on the engines",
            "E0408",
            "op0=power on vector",
            f"{head} c, a, b, 0.0, op0=power, op1=add",
        ),
    ]
