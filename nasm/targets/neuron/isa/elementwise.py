"""Element by element: two tiles, or a tile and a scalar per partition."""

from __future__ import annotations

from typing import Any

from nasm.isa.instruction import OfOperands, Operand
from nasm.isa.kinds import Anything, Either, Flag
from nasm.targets.neuron import alu, costs
from nasm.targets.neuron.indirection import not_address_arithmetic
from nasm.targets.neuron.isa.operator_rules import (
    bitwise_integers,
    described_on_gpsimd,
    first_stage_only,
    gpsimd_operators,
    number_fits,
    on_engine,
    one_order,
    operands_present,
    same_class,
    scalar_domain,
    scalar_dtypes,
    scalar_engine_pairs,
    tile_operator,
)
from nasm.targets.neuron.isa.table import COLUMN, ISA, LANES, PICKED, Names, domain_of, not_both_in
from nasm.targets.neuron.nan import Operators
from nasm.targets.neuron.rules import same_partitions, same_shape

SCALAR = Either((Anything(), COLUMN))
FIRST = (*alu.BINARY_ARITH, "abs", "reciprocal", "bypass")


@ISA.instruction(
    Operand("dst", PICKED, "w"),
    Operand("data1", PICKED),
    Operand("data2", LANES),
    Operand("op", Operators(alu.BINARY, "operator")),
    engines=("vector", "gpsimd"),
    rules=(
        same_shape("dst", "data1", "data2"),
        not_both_in("psum", "data1", "data2"),
        bitwise_integers,
        tile_operator,
        one_order,
        described_on_gpsimd,
    ),
    cost=costs.two_tiles("data1", "data2", "dst", op="op"),
    domain=domain_of("op"),
    vendor=Names("tensor_tensor", "TENSOR_TENSOR", "TensorTensor"),
    formula="dst = data1 <op> data2",
    example="TensorTensor c, a, b, op=add",
    instead={
        "TensorScalar": "where one operand is a number, or has one value per partition",
        "ScalarTensorTensor": "where a number is applied first",
        "DmaCompute": "where tensors in HBM are added",
    },
    source="nki.isa.tensor_tensor; Trainium2 guide, 'Vector Engine performance mode'",
)
def TensorTensor(data1: Any, data2: Any, op: str) -> Any:
    """Combine two tiles element by element: dst = data1 <op> data2.

    Arithmetic widens both to float32 and rounds once, into dst's dtype. Bitwise operators take
    the bits as they are and need integer dtypes throughout. GpSimd computes on 32-bit integers
    exactly, modulo 2**32 (assumed), when every tile holds them.
    """
    return alu.combine(op, data1, data2)


_ASKED = ("data", "dst", "op0", "op1", "operand0", "operand1")


@ISA.instruction(
    Operand("dst", PICKED, "w"),
    Operand("data", PICKED),
    Operand("op0", Operators((*alu.BINARY, *alu.UNARY), "operator")),
    Operand("operand0", SCALAR, default=None, doc="a number, or one value per partition"),
    Operand("reverse0", Flag(), default=False, doc="operand0 <op0> data instead"),
    Operand("op1", Operators((*alu.BINARY, *alu.UNARY), "operator"), default=None),
    Operand("operand1", SCALAR, default=None, doc="a number, or one value per partition"),
    Operand("reverse1", Flag(), default=False, doc="operand1 <op1> result instead"),
    engines=("vector", "scalar", "gpsimd"),
    engine_since={"scalar": "v3"},
    rules=(
        same_shape("dst", "data"),
        same_partitions("data", "operand0", "operand1"),
        operands_present,
        same_class,
        first_stage_only,
        scalar_dtypes,
        number_fits,
        bitwise_integers,
        scalar_engine_pairs,
        gpsimd_operators,
        on_engine("op0", "op1"),
        not_address_arithmetic,
    ),
    cost=costs.tile_and_scalars("data", "dst", "op0", "op1", "operand0", "operand1"),
    domain=OfOperands(_ASKED, scalar_domain, "address arithmetic"),
    vendor=Names("tensor_scalar", "TENSOR_SCALAR", "TensorScalar"),
    formula="dst = (data <op0> operand0) <op1> operand1",
    example="TensorScalar c, a, op0=multiply, operand0=2.0",
    instead={
        "TensorTensor": "where the operand is a tile of its own",
        "ScalarTensorTensor": "where the second operand is a tile",
        "Activation": "where a function follows data * scale + bias",
    },
    source="nki.isa.tensor_scalar; Trainium2 guide, 'Vector Engine performance mode'",
)
def TensorScalar(
    data: Any,
    op0: str,
    operand0: Any,
    reverse0: bool,
    op1: str | None,
    operand1: Any,
    reverse1: bool,
) -> Any:
    """Apply one or two operators with a scalar each: dst = (data <op0> operand0) <op1> operand1.

    A scalar is a number or a [P, 1] tile, one value per partition. Each stage is rounded to
    float32. reverse0 and reverse1 swap the sides; operators of one operand ignore them. Address
    arithmetic on 32-bit integers (an add, or a multiply and an add, with integer scalars) is
    exact, modulo 2**32, on Vector and GpSimd (assumed).
    """
    result = _stage(op0, data, operand0, reverse0)
    return result if op1 is None else _stage(op1, result, operand1, reverse1)


def _stage(op: str, data: Any, operand: Any, reverse: bool) -> Any:
    if reverse and not alu.OPERATORS[op].unary:
        return alu.combine(op, operand, data)
    return alu.combine(op, data, operand)


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("data", LANES),
    Operand("operand1", LANES),
    Operand("op0", Operators(FIRST, "operator")),
    Operand("operand0", SCALAR, doc="a number, or one value per partition"),
    Operand("op1", Operators(alu.BINARY_ARITH, "operator")),
    Operand("reverse0", Flag(), default=False, doc="operand0 <op0> data instead"),
    Operand("reverse1", Flag(), default=False, doc="operand1 <op1> result instead"),
    engines=("vector",),
    rules=(
        same_shape("dst", "data", "operand1"),
        same_partitions("data", "operand0"),
        not_both_in("psum", "data", "operand1"),
        operands_present,
        on_engine("op0", "op1"),
    ),
    cost=costs.tile_scalar_tile("data", "operand1", "op0", "op1", "operand0"),
    vendor=Names("scalar_tensor_tensor", "", ("ScalarTensorTensor", "NcScalarTensorTensor")),
    formula="dst = (data <op0> operand0) <op1> operand1",
    example="ScalarTensorTensor c, a, b, op0=multiply, operand0=0.5, op1=add",
    instead={"TensorTensor": "without the number", "TensorScalar": "without the second tile"},
    source="nki.isa.scalar_tensor_tensor",
)
def ScalarTensorTensor(
    data: Any, operand1: Any, op0: str, operand0: Any, op1: str, reverse0: bool, reverse1: bool
) -> Any:
    """Combine a tile with a scalar, then with a tile: dst = (data <op0> operand0) <op1> operand1.

    operand0 is a number or a [P, 1] tile, operand1 a tile like data. Both operators are
    arithmetic, each rounded to float32. reverse0 and reverse1 swap the sides.
    """
    return _stage(op1, _stage(op0, data, operand0, reverse0), operand1, reverse1)


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("data", LANES),
    engines=("vector",),
    rules=(same_shape("dst", "data"),),
    cost=costs.reciprocal("data"),
    vendor=Names("reciprocal", "RECIPROCAL", "Reciprocal"),
    formula="dst = 1 / data",
    example="Reciprocal c, a",
    instead={"Activation": "on Scalar, with op=reciprocal, which is less precise"},
    source="nki.isa.reciprocal",
)
def Reciprocal(data: Any) -> Any:
    """Divide 1 by every element, in float32; more precise than Scalar's reciprocal function.

    1/0 is an infinity of the sign of the zero (assumed, as in IEEE 754).
    """
    return alu.apply("divide", 1.0, data)
