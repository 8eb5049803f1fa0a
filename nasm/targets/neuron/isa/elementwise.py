"""Element by element: two tiles, or a tile and a scalar per partition."""

from __future__ import annotations

from typing import Any

from nasm.problems import listed
from nasm.spec.instruction import BITS, Operand, Site
from nasm.spec.kinds import Anything, Choice, Either, Flag
from nasm.spec.view import View
from nasm.targets.neuron import alu, costs
from nasm.targets.neuron.isa.table import (
    COLUMN,
    INTEGERS,
    ISA,
    LANES,
    WORDS,
    Names,
    domain_of,
    exact_integers,
)
from nasm.targets.neuron.rules import (
    AVAILABLE,
    DTYPE,
    MODE,
    not_both_in,
    rule,
    same_partitions,
    same_shape,
)

ALU_SOURCE = "NKI reference, 'Supported Math Operators'"
SCALAR = Either((Anything(), COLUMN))


@rule(DTYPE, "bitwise operators take integers of one width and convert nothing", ALU_SOURCE)
def bitwise_integers(site: Site) -> str | None:
    """Bit patterns go in and come out as they are."""
    bitwise = [site[n] for n in ("op", "op0", "op1") if site.operands.get(n) is not None]
    bitwise = [n for n in bitwise if alu.OPERATORS[n].bitvec]
    if not bitwise:
        return None
    views = {n: v for n, v in site.operands.items() if isinstance(v, View)}
    for name, view in views.items():
        if view.dtype.name not in INTEGERS:
            return f"{bitwise[0]} with {name} of {view.dtype.name}; wanted an integer dtype"
    widths = {v.dtype.itemsize for v in views.values()}
    if len(widths) > 1:
        return f"{bitwise[0]} with operands of {listed(map(str, sorted(widths)), 'and')} bytes"
    return None


def _on_engine(*names: str) -> Any:
    @rule(AVAILABLE, "an operator runs on the engines and generations that have it", ALU_SOURCE)
    def check(site: Site) -> str | None:
        for name in names:
            op = site[name]
            if op is None or exact_integers(site, *names):
                continue
            engines = alu.OPERATORS[op].engines_on(site.generation.name)
            if site.engine not in engines:
                where = listed(f"@{e}" for e in engines) if engines else "no engine"
                return f"{name}={op} on {site.engine}; on {site.generation.name} {where} has it"
        return None

    return check


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("data1", LANES),
    Operand("data2", LANES),
    Operand("op", Choice(alu.BINARY, "operator")),
    engines=("vector", "gpsimd"),
    rules=(same_shape("dst", "data1", "data2"), not_both_in("psum", "data1", "data2"),
           bitwise_integers, _on_engine("op")),
    cost=costs.two_tiles,
    domain=domain_of("op"),
    vendor=Names("tensor_tensor", "TENSOR_TENSOR", "TensorTensor"),
    formula="dst = data1 <op> data2",
    example="TensorTensor c, a, b, op=add",
    source="nki.isa.tensor_tensor; Trainium2 guide, 'Vector Engine performance mode'",
)  # fmt: skip
def TensorTensor(data1: Any, data2: Any, op: str) -> Any:
    """Combine two tiles element by element: dst = data1 <op> data2.

    Arithmetic widens both to float32 and rounds once, into dst's dtype. Bitwise operators take
    the bits as they are and need integer dtypes throughout. GpSimd computes on 32-bit integers
    exactly, modulo 2**32, when every tile holds them.
    """
    return alu.combine(op, data1, data2)


@rule(MODE, "an operator of two operands has one, and an operand has its operator",
      "nki.isa.tensor_scalar")  # fmt: skip
def operands_present(site: Site) -> str | None:
    """operand0 with op0, operand1 with op1; unary operators take none, or 0."""
    for n in ("0", "1"):
        op, operand = site[f"op{n}"], site[f"operand{n}"]
        if op is None:
            if operand is not None:
                return f"operand{n} without op{n}"
        elif alu.OPERATORS[op].unary:
            if operand not in (None, 0):
                return f"op{n}={op} takes no operand; wanted none, or 0"
        elif operand is None:
            return f"op{n}={op} without operand{n}"
    return None


@rule(MODE, "op0 and op1 are both arithmetic or both bitwise", "nki.isa.tensor_scalar")
def same_class(site: Site) -> str | None:
    """The two stages share one data path."""
    if site["op1"] is None:
        return None
    first, second = alu.OPERATORS[site["op0"]], alu.OPERATORS[site["op1"]]
    if first.bitvec == second.bitvec:
        return None
    return f"op0={first.name} and op1={second.name}: one is bitwise, one arithmetic"


@rule(DTYPE, "an operand tile is float32 for arithmetic, of data's dtype for bitwise operators, "
             "32-bit integer where all are and add or multiply",
      "nki.isa.tensor_scalar")  # fmt: skip
def scalar_dtypes(site: Site) -> str | None:
    """What a scalar operand may be."""
    if _addresses(site):
        return None
    bitwise = alu.OPERATORS[site["op0"]].bitvec
    for name in ("operand0", "operand1"):
        value = site[name]
        if isinstance(value, View):
            wanted = site["data"].dtype.name if bitwise else "float32"
            if value.dtype.name != wanted:
                return f"{name} is {value.dtype.name}; wanted {wanted}"
        elif bitwise and isinstance(value, float):
            return f"{name} is {value}; a bitwise operator wants an integer"
    return None


@rule(AVAILABLE, "Scalar (v3, v4) does multiply then add, multiply alone, or add alone",
      "nki.isa.tensor_scalar; Trainium2 architecture guide")  # fmt: skip
def scalar_engine_pairs(site: Site) -> str | None:
    """The Scalar engine's multiply-add."""
    if site.engine != "scalar":
        return None
    pair = (site["op0"], site["op1"])
    if pair in (("multiply", "add"), ("multiply", None), ("add", None)):
        return None
    return f"op0={pair[0]}" + (f", op1={pair[1]}" if pair[1] else "") + " on scalar"


@rule(AVAILABLE, "GpSimd does rsqrt, power, and 32-bit integers exactly",
      "nki.isa.tensor_scalar; NKI reference, engine selection")  # fmt: skip
def gpsimd_operators(site: Site) -> str | None:
    """What is left to GpSimd: Vector and Scalar do the rest faster."""
    if site.engine != "gpsimd" or _domain(site) == BITS:
        return None
    for name in ("op0", "op1"):
        if site[name] not in ("rsqrt", "power", "bypass", None):
            return f"{name}={site[name]} in float32 on gpsimd"
    return None


def _addresses(site: Site) -> bool:
    """The int32/uint32 address arithmetic that nki.isa.tensor_scalar names: exact (assumed)."""
    if any(site[n] not in ("add", "multiply", None) for n in ("op0", "op1")):
        return False
    operands = [v for n in ("operand0", "operand1") if (v := site[n]) is not None]
    views = [site["data"], site["dst"], *(v for v in operands if isinstance(v, View))]
    return all(v.dtype.name in WORDS for v in views) and not any(
        isinstance(v, float) for v in operands
    )


def _domain(site: Site) -> str:
    """As the operators say; address arithmetic on 32-bit integers stays exact."""
    return BITS if _addresses(site) else str(domain_of("op0", "op1")(site))


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("data", LANES),
    Operand("op0", Choice((*alu.BINARY, *alu.UNARY), "operator")),
    Operand("operand0", SCALAR, default=None, doc="a number, or one value per partition"),
    Operand("reverse0", Flag(), default=False, doc="operand0 <op0> data instead"),
    Operand("op1", Choice((*alu.BINARY, *alu.UNARY), "operator"), default=None),
    Operand("operand1", SCALAR, default=None, doc="a number, or one value per partition"),
    Operand("reverse1", Flag(), default=False, doc="operand1 <op1> result instead"),
    engines=("vector", "scalar", "gpsimd"),
    engine_since={"scalar": "v3"},
    rules=(same_shape("dst", "data"), same_partitions("data", "operand0", "operand1"),
           operands_present, same_class, scalar_dtypes, bitwise_integers, scalar_engine_pairs,
           gpsimd_operators, _on_engine("op0", "op1")),
    cost=costs.tensor_scalar,
    domain=_domain,
    vendor=Names("tensor_scalar", "TENSOR_SCALAR", "TensorScalar"),
    formula="dst = (data <op0> operand0) <op1> operand1",
    example="TensorScalar c, a, op0=multiply, operand0=2.0",
    source="nki.isa.tensor_scalar; Trainium2 guide, 'Vector Engine performance mode'",
)  # fmt: skip
def TensorScalar(
    data: Any, op0: str, operand0: Any, reverse0: bool, op1: str | None, operand1: Any,
    reverse1: bool,
) -> Any:  # fmt: skip
    """Apply one or two operators with a scalar each: dst = (data <op0> operand0) <op1> operand1.

    A scalar is a number or a [P, 1] tile, one value per partition. Each stage is rounded to
    float32. reverse0 and reverse1 swap the sides; operators of one operand ignore them.
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
    engines=("vector",),
    rules=(same_shape("dst", "data"),),
    cost=costs.reciprocal,
    vendor=Names("reciprocal", "RECIPROCAL", "Reciprocal"),
    formula="dst = 1 / data",
    example="Reciprocal c, a",
    source="nki.isa.reciprocal",
)
def Reciprocal(data: Any) -> Any:
    """Divide 1 by every element, in float32; more precise than Scalar's reciprocal function.

    1/0 is an infinity of the sign of the zero (assumed, as in IEEE 754).
    """
    return alu.apply("divide", 1.0, data)
