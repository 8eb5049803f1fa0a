"""Registers and branches: what an engine's sequencer does by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.base.dtypes import DType
from nasm.base.problems import Refused
from nasm.isa.effects import Jump
from nasm.isa.implicit_kinds import DtypeOf, Here
from nasm.isa.instruction import About, InstructionContext, Operand, in_bits
from nasm.isa.kinds import Choice, Either, Label, Number, Register, Tile
from nasm.isa.ranges import HIGH, LOW, OPPOSITE, RegisterComparison, Some, Unknown
from nasm.targets.neuron import alu, costs
from nasm.targets.neuron.integers import wrap32
from nasm.targets.neuron.isa.table import EVERY_ENGINE, ISA, SEQUENCERS, Names
from nasm.targets.neuron.register_bounds import register_bounds
from nasm.targets.neuron.rules import DTYPE, MODE, SHAPE, rule
from nasm.views.view import View

REGISTER = Register(64)
WORD = Number(integer=True, low=-(2**31), high=2**32 - 1)
REGISTER_OR_WORD = Either((REGISTER, WORD))
ELEMENT = Tile(("hbm", "sbuf"), lanes=False)
KLR = "KLR Core/Operators.lean"
COMPARISONS = ("always", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


@ISA.instruction(
    Operand("dst", REGISTER, "w"),
    Operand("src", REGISTER_OR_WORD),
    engines=SEQUENCERS,
    cost=costs.control("move_ns"),
    vendor=Names("register_move", "MOVE", "RegisterMove"),
    formula="dst = src",
    example="RegisterMove %r0, 5",
    bounds=lambda src: src,
    source="nki.isa.register_move",
)
def RegisterMove(src: int) -> int:
    """Put a number, or another register's value, into a register."""
    return src


@ISA.instruction(
    Operand("dst", REGISTER, "w"),
    Operand("rank", Here("core")),
    engines=EVERY_ENGINE,
    cost=costs.control("rank_ns"),
    vendor=Names("", "", "RankId"),
    formula="dst = the number of the core",
    example="RankId %r0",
    source=f"{KLR}, RankId; that it is the rank SendRecv names, the core's number, is assumed",
)
def RankId(rank: int) -> int:
    """Put the rank of the core, its number within the pair, into a register."""
    return rank


@ISA.instruction(
    Operand("dst", REGISTER, "w"),
    Operand("src1", REGISTER),
    Operand("src2", REGISTER_OR_WORD),
    Operand("op", Choice(alu.REGISTER_OPERATORS, "operator")),
    engines=SEQUENCERS,
    cost=costs.control("alu_ns"),
    vendor=Names("", "ALU_OP", "RegisterAluOp"),
    formula="dst = src1 <op> src2, modulo 2**32",
    setup="RegisterMove %r0, 5",
    example="RegisterAlu %r0, %r0, 1, op=subtract",
    bounds=register_bounds,
    source=f"{KLR}, RegisterAluOp; that int32 arithmetic wraps is assumed",
)
def RegisterAlu(src1: int, src2: int, op: str) -> int:
    """Compute with registers: signed 32-bit integers that wrap."""
    try:
        return alu.apply_register(op, src1, wrap32(src2))
    except ZeroDivisionError:
        raise Refused("E0701", f"{op} by zero in a register is not documented") from None


@rule(SHAPE, "a register is one element of at most 32 bits", "nki.isa.register_load")
def one_element(context: InstructionContext) -> str | None:
    """What fits a register."""
    for name in ("src", "dst"):
        view = context.operands.get(name)
        if isinstance(view, View) and view.size != 1:
            return About(name, f"{name} has {view.size} elements; wanted one")
    return None


@rule(DTYPE, "a register takes plain numbers, by their bits", "nki.isa.register_load")
def whole_words(context: InstructionContext) -> str | None:
    """Packed elements have no register form."""
    for name in ("src", "dst"):
        view = context.operands.get(name)
        if isinstance(view, View) and not (view.dtype.is_int or view.dtype.is_float):
            return About(name, f"{name} is {view.dtype.name}")
    return None


def _loaded(src: Any, dtype: DType) -> Some:
    """What an element may be as a number."""
    low, high = 0, 2 ** (8 * dtype.itemsize) - 1
    if dtype.is_int:
        limits = np.iinfo(dtype.numpy)
        low, high = int(limits.min), int(limits.max)
    return Unknown.within(low, high) if low >= LOW and high <= HIGH else Unknown.within()


@ISA.instruction(
    Operand("dst", REGISTER, "w"),
    Operand("src", ELEMENT),
    Operand("dtype", DtypeOf("src")),
    engines=EVERY_ENGINE,
    rules=(one_element, whole_words),
    cost=costs.control("tensor_load_ns"),
    domain=in_bits,
    vendor=Names("register_load", "TENSOR_LOAD", "TensorLoad"),
    formula="dst = the bits of src",
    example="TensorLoad %r1, n",
    bounds=_loaded,
    source="nki.isa.register_load",
)
def TensorLoad(src: Any, dtype: DType) -> int:
    """Load one element of HBM or SBUF into a register: integers as numbers, others as bits."""
    raw = src.reshape(-1)[:1]
    return int(raw[0]) if dtype.is_int else int(raw.view(dtype.bits_dtype)[0])


@ISA.instruction(
    Operand("dst", ELEMENT, "w"),
    Operand("src", REGISTER),
    Operand("dtype", DtypeOf("dst")),
    engines=EVERY_ENGINE,
    rules=(one_element, whole_words),
    cost=costs.control("tensor_store_ns"),
    domain=in_bits,
    vendor=Names("register_store", "", "TensorStore"),
    formula="dst = the low bits of src",
    setup="RegisterMove %r1, 7",
    example="TensorStore n, %r1",
    source="nki.isa.register_store",
)
def TensorStore(src: int, dtype: DType) -> Any:
    """Store the low bits of a register into one element of HBM or SBUF."""
    bits = np.array([[src % 2 ** (8 * dtype.itemsize)]], np.uint64).astype(dtype.bits_dtype)
    return bits.view(dtype.numpy)


def _holds(op: str, a: int, b: int) -> bool:
    return bool(alu.apply_register(op, wrap32(a), wrap32(b)))


def _both(
    reg1: Some, reg2: Some, op: str, target: str
) -> tuple[tuple[Jump, RegisterComparison], tuple[Jump, RegisterComparison]]:
    """Where a branch goes: on, or to its target."""
    left, right = (wrap32(n) if isinstance(n, int) else n for n in (reg1, reg2))
    to, on = RegisterComparison(left, op, right), RegisterComparison(left, OPPOSITE[op], right)
    return (Jump(None), on), (Jump(target), to)


@rule(MODE, "a comparison needs both sides", f"{KLR}, CmpBranch", about="op")
def compared(context: InstructionContext) -> str | None:
    """Only op=always compares nothing."""
    if context.operands["op"] != "always" and (
        context.operands["reg1"] is None or context.operands["reg2"] is None
    ):
        return f"op={context.operands['op']} without reg1 and reg2"
    return None


@ISA.instruction(
    Operand("reg1", REGISTER_OR_WORD, default=None, doc="not needed with op=always"),
    Operand("reg2", REGISTER_OR_WORD, default=None, doc="a register or a number"),
    Operand("op", Choice(COMPARISONS, "comparison"), default="always"),
    Operand("target", Label(), doc="where to continue if the comparison holds"),
    engines=SEQUENCERS,
    rules=(compared,),
    cost=costs.control("branch_ns"),
    effect=Jump,
    vendor=Names("", "COMPARE_BRANCH", "CmpBranch"),
    formula="if reg1 <op> reg2: continue at target",
    setup="RegisterMove %r0, 0",
    example="CompareBranch %r0, 0, op=greater, target=again",
    ways=_both,
    source=f"{KLR}, CmpBranch; signed comparison is assumed",
)
def CompareBranch(reg1: int | None, reg2: int | None, op: str, target: str) -> Jump:
    """Branch to a label of the queue if a comparison of registers holds."""
    return Jump(target if op == "always" or _holds(op, reg1 or 0, reg2 or 0) else None)
