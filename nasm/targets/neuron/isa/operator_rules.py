"""Rules of operators: which there are where, of which dtypes, and which go together."""

from __future__ import annotations

from nasm.base.problems import Severity, listed
from nasm.isa.instruction import BITS, About, InstructionContext, Rule
from nasm.targets.neuron import alu
from nasm.targets.neuron.isa.table import INTEGERS, WORDS, domain_of, exact_integers
from nasm.targets.neuron.rules import AVAILABLE, DTYPE, MODE, rule
from nasm.views.view import View

ALU_SOURCE = "NKI reference, 'Supported Math Operators'"
ADDRESSES = (("add", None), ("multiply", "add"))


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
    if computed_exactly(context):
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
    if scalar_domain(context) != BITS:
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
        if op not in ("rsqrt", "power", "bypass", None) and not computed_exactly(context):
            return About(name, f"{name}={op} in float32 on gpsimd")
    return None


def computed_exactly(context: InstructionContext) -> bool:
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


def scalar_domain(context: InstructionContext) -> str:
    """As the operators say; address arithmetic on 32-bit integers stays exact."""
    return BITS if computed_exactly(context) else _OPERATORS.answer(context)
