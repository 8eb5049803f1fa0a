"""Element by element: two tiles, or a tile and a scalar per partition."""

from __future__ import annotations

from typing import Any

from nasm.base.problems import Severity, listed
from nasm.isa.instruction import BITS, About, InstructionContext, OfOperands, Operand, Rule
from nasm.isa.kinds import Anything, Either, Flag
from nasm.targets.neuron import alu, costs
from nasm.targets.neuron.indirection import not_address_arithmetic
from nasm.targets.neuron.isa.table import (
    COLUMN,
    INTEGERS,
    ISA,
    LANES,
    PICKED,
    WORDS,
    Names,
    domain_of,
    exact_integers,
    not_both_in,
)
from nasm.targets.neuron.nan import Operators
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, MODE, rule, same_partitions, same_shape
from nasm.views.view import View

ALU_SOURCE = "NKI reference, 'Supported Math Operators'"
SCALAR = Either((Anything(), COLUMN))
ADDRESSES = (("add", None), ("multiply", "add"))
FIRST = (*alu.BINARY_ARITH, "abs", "reciprocal", "bypass")


@rule(DTYPE, "bitwise operators take integers of one width and convert nothing", ALU_SOURCE)
def bitwise_integers(context: InstructionContext) -> str | None:
    """Bit patterns go in and come out as they are."""
    bitwise = [n for n in ("op", "op0", "op1") if (op := context.operands.get(n)) and _bitvec(op)]
    bitwise = [context.operands[n] for n in bitwise]
    if not bitwise:
        return None
    views = {n: v for n, v in context.operands.items() if isinstance(v, View)}
    for name, view in views.items():
        if view.dtype.name not in INTEGERS:
            return f"{bitwise[0]} with {name} of {view.dtype.name}; wanted an integer dtype"
    widths = {v.dtype.itemsize for v in views.values()}
    if len(widths) > 1:
        return f"{bitwise[0]} with operands of {listed(map(str, sorted(widths)), 'and')} bytes"
    return None


def _bitvec(op: str) -> bool:
    return alu.OPERATORS[op].bitvec


def on_engine(*names: str) -> Rule:
    """The operators that these operands name exist on the engine and generation."""

    @rule(
        AVAILABLE,
        "an operator runs on the engines and generations that have it",
        ALU_SOURCE,
        names=names,
    )
    def check(context: InstructionContext) -> str | None:
        for name in names:
            op = context.operands[name]
            if op is None or exact_integers(context, *names):
                continue
            engines = alu.OPERATORS[op].engines_on(context.generation.name)
            if context.engine not in engines:
                where = listed(f"@{e}" for e in engines) if engines else "no engine"
                return About(
                    name,
                    f"{name}={op} on {context.engine}; on {context.generation.name} {where} has it",
                )
        return None

    return check


@rule(
    AVAILABLE,
    "an operator runs on Vector, power on GpSimd, which is also given what Vector has",
    f"nki.isa.tensor_tensor; {ALU_SOURCE}",
    about="op",
)
def tile_operator(context: InstructionContext) -> str | None:
    """Where two tiles can be combined."""
    op, here = context.operands["op"], context.generation.name
    engines = alu.OPERATORS[op].engines_on(here)
    if context.engine in engines or (context.engine == "gpsimd" and "vector" in engines):
        return None
    where = listed(f"@{e}" for e in engines) if engines else "no engine"
    return f"op={op} on {context.engine}; on {here} {where} has it"


@rule(
    AVAILABLE,
    "on GpSimd only add, multiply, power and 32-bit integer arithmetic are described",
    "NKI reference of SDK 2.26, operator table; nki.isa.tensor_tensor",
    "the result is taken to be Vector's (assumed)",
    severity=Severity.WARNING,
    about="op",
)
def described_on_gpsimd(context: InstructionContext) -> str | None:
    """The vendor's interface takes others too."""
    op = alu.OPERATORS[context.operands["op"]]
    if context.engine != "gpsimd" or "gpsimd" in op.engines:
        return None
    return None if exact_integers(context, "op") and not op.bitvec else f"op={op.name} on gpsimd"


@rule(
    DTYPE,
    "an operator that orders exact integers needs data1 and data2 of one dtype",
    "nki.isa.tensor_tensor says nothing of an order between int32 and uint32",
    about="op",
)
def one_order(context: InstructionContext) -> str | None:
    """Signed and unsigned words have no documented order."""
    kinds = {context.operands["data1"].dtype.name, context.operands["data2"].dtype.name}
    if (
        len(kinds) == 1
        or context.operands["op"] not in alu.ORDERED
        or not exact_integers(context, "op")
    ):
        return None
    return f"op={context.operands['op']} of {listed(sorted(kinds), 'and')}, exactly"


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


@rule(
    MODE,
    "a binary operator needs its operand, and an operand needs its operator",
    "nki.isa.tensor_scalar",
)
def operands_present(context: InstructionContext) -> str | None:
    """operand0 with op0, operand1 with op1; unary operators take none, or 0."""
    for n in ("0", "1"):
        op, operand = context.operands[f"op{n}"], context.operands[f"operand{n}"]
        if op is None:
            if operand is not None:
                return About(f"operand{n}", f"operand{n} without op{n}")
        elif alu.OPERATORS[op].unary:
            if operand not in (None, 0):
                return About(f"operand{n}", f"op{n}={op} takes no operand; wanted none, or 0")
        elif operand is None:
            return About(f"op{n}", f"op{n}={op} without operand{n}")
    return None


@rule(MODE, "op0 and op1 are both arithmetic or both bitwise", "nki.isa.tensor_scalar")
def same_class(context: InstructionContext) -> str | None:
    """The two stages share one data path."""
    if context.operands["op1"] is None:
        return None
    pair = [context.operands["op0"], context.operands["op1"]]
    if "bypass" in pair or _bitvec(pair[0]) == _bitvec(pair[1]):
        return None
    return f"op0={pair[0]} and op1={pair[1]}: one is bitwise, one arithmetic"


@rule(
    MODE,
    "square, relu, abs_max and abs_min are for op0",
    "NKI release notes: new operators of tensor_scalar on NeuronCore-v4",
    about="op1",
)
def first_stage_only(context: InstructionContext) -> str | None:
    """What the second stage lacks."""
    op = context.operands["op1"]
    return f"op1={op}" if op in ("square", "relu", "abs_max", "abs_min") else None


@rule(
    DTYPE,
    "an operand tile is float32 for arithmetic, an integer for bitwise operators, "
    "a 32-bit integer where all are and integers are computed exactly",
    "nki.isa.tensor_scalar",
)
def scalar_dtypes(context: InstructionContext) -> str | None:
    """What a scalar operand may be."""
    if _exact(context):
        return None
    bitwise = any(_bitvec(op) for n in ("op0", "op1") if (op := context.operands[n]))
    for name in ("operand0", "operand1"):
        value = context.operands[name]
        if isinstance(value, View):
            if not bitwise and value.dtype.name != "float32":
                return About(name, f"{name} is {value.dtype.name}; wanted float32")
        elif bitwise and isinstance(value, float):
            return About(name, f"{name} is {value}; a bitwise operator wants an integer")
    return None


@rule(
    DTYPE,
    "a number combined with exact integers or bits fits the width of data",
    "nki.isa.tensor_scalar says nothing of what is beyond it (assumed)",
)
def number_fits(context: InstructionContext) -> str | None:
    """What becomes of the other bits is nowhere said."""
    if _domain(context) != BITS:
        return None
    bits = 8 * context.operands["data"].dtype.itemsize
    for name in ("operand0", "operand1"):
        value = context.operands[name]
        if isinstance(value, int) and not -(2 ** (bits - 1)) <= value < 2**bits:
            return About(name, f"{name} is {value}; wanted one of {bits} bits")
    return None


@rule(
    AVAILABLE,
    "Scalar (v3, v4) does multiply then add, multiply alone, or add alone",
    "nki.isa.tensor_scalar; Trainium2 architecture guide",
)
def scalar_engine_pairs(context: InstructionContext) -> str | None:
    """The Scalar engine's multiply-add."""
    if context.engine != "scalar":
        return None
    pair = (context.operands["op0"], context.operands["op1"])
    if pair in (("multiply", "add"), ("multiply", None), ("add", None)):
        return None
    return f"op0={pair[0]}" + (f", op1={pair[1]}" if pair[1] else "") + " on scalar"


@rule(
    AVAILABLE,
    "GpSimd does rsqrt, power, and 32-bit integer arithmetic exactly; Vector alone "
    "does bitwise operators",
    "nki.isa.tensor_scalar; NKI reference, engine selection",
)
def gpsimd_operators(context: InstructionContext) -> str | None:
    """What is left to GpSimd: Vector and Scalar do the rest faster."""
    if context.engine != "gpsimd":
        return None
    for name in ("op0", "op1"):
        op = context.operands[name]
        if op is not None and _bitvec(op):
            return About(name, f"{name}={op} on gpsimd")
        if op not in ("rsqrt", "power", "bypass", None) and not _exact(context):
            return About(name, f"{name}={op} in float32 on gpsimd")
    return None


def _exact(context: InstructionContext) -> bool:
    """Whether integers are computed exactly: as GpSimd does, and in address arithmetic.

    Address arithmetic is what nki.isa.tensor_scalar names so, an add or a multiply and an add of
    int32 or uint32 throughout; that it is exact, and wraps, is assumed.
    """
    if exact_integers(context, "op0", "op1"):
        return True
    if (
        context.engine != "vector"
        or (context.operands["op0"], context.operands["op1"]) not in ADDRESSES
    ):
        return False
    operands = [v for n in ("operand0", "operand1") if (v := context.operands[n]) is not None]
    views = [
        context.operands["data"],
        context.operands["dst"],
        *(v for v in operands if isinstance(v, View)),
    ]
    return all(v.dtype.name in WORDS for v in views) and not any(
        isinstance(v, float) for v in operands
    )


_OPERATORS = domain_of("op0", "op1")


def _domain(context: InstructionContext) -> str:
    """As the operators say; address arithmetic on 32-bit integers stays exact."""
    return BITS if _exact(context) else _OPERATORS.answer(context)


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
    domain=OfOperands(_ASKED, _domain, "address arithmetic"),
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
