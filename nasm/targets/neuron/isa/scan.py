"""Scans: every element's result goes into the next one's."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.isa.instruction import Operand
from nasm.isa.kinds import Either, Flag, Number
from nasm.targets.neuron import alu, costs
from nasm.targets.neuron.isa.operator_rules import on_engine
from nasm.targets.neuron.isa.table import COLUMN, ISA, LANES, Names, not_both_in
from nasm.targets.neuron.nan import Operators
from nasm.targets.neuron.rules import same_partitions, same_shape


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("data0", LANES),
    Operand("data1", LANES),
    Operand("initial", Either((Number(), COLUMN)), doc="a number, or one value per partition"),
    Operand("op0", Operators(alu.BINARY_ARITH, "operator")),
    Operand("op1", Operators(alu.BINARY_ARITH, "operator")),
    Operand("reverse0", Flag(), default=False, doc="state <op0> data0 instead"),
    Operand("reverse1", Flag(), default=False, doc="data1 <op1> result instead"),
    engines=("vector",),
    rules=(
        same_shape("dst", "data0", "data1"),
        same_partitions("data0", "initial"),
        not_both_in("psum", "data0", "data1"),
        on_engine("op0", "op1"),
    ),
    cost=costs.scan("data0", "initial"),
    vendor=Names("tensor_tensor_scan", "TENSOR_TENSOR_SCAN", "TensorTensorScan"),
    formula="state = (data0[i] <op0> state) <op1> data1[i]; dst[i] = state",
    example="TensorTensorScan c, a, b, 0.0, op0=multiply, op1=add",
    instead={"TensorScalarCumulative": "where there is one tile and a number"},
    source="nki.isa.tensor_tensor_scan; KLR TensorTensorScan",
)
def TensorTensorScan(
    data0: Any, data1: Any, initial: Any, op0: str, op1: str, reverse0: bool, reverse1: bool
) -> Any:
    """Walk two tiles with a running state: state = (data0[i] <op0> state) <op1> data1[i].

    Every state is stored. The walk is row-major over all free axes (assumed), one for each
    partition; the state starts from initial and stays float32, also where dst is narrower.
    """
    start = np.broadcast_to(np.asarray(initial, np.float32).reshape(-1), len(data0))
    return alu.scan((op0, reverse0), (op1, reverse1), data0, data1, start)
