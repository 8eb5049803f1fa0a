"""The table the rows are filed in, and the kinds, domains and rules that many of them share."""

from __future__ import annotations

from collections.abc import Iterable

from nasm.base.problems import listed
from nasm.isa.instruction import BITS, FLOAT32, InstructionContext, Rule, of_operands
from nasm.isa.isa import Isa
from nasm.isa.kinds import Tile
from nasm.targets.neuron import alu
from nasm.targets.neuron.rules import MEMORY
from nasm.views.view import View

ISA = Isa("neuron")

EVERY_ENGINE = ("tensor", "vector", "scalar", "gpsimd", "sync")
SEQUENCERS = (*EVERY_ENGINE, "cc")
"""What waits, counts and branches: that the CC-cores do so like engines is assumed."""
ONCHIP = ("sbuf", "psum")
LANES = Tile(ONCHIP)
PICKED = Tile(ONCHIP, indirect=True)
SHAPED_PICKED = Tile(ONCHIP, flat=False, indirect=True)
COLUMN = Tile(ONCHIP, column=True)
FLOAT_COLUMN = Tile(ONCHIP, dtypes=("float32",), column=True)
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
WORDS = ("int32", "uint32")


def Names(
    nki: str | tuple[str, ...] = (), explorer: str = "", klr: str | tuple[str, ...] = ()
) -> dict[str, tuple[str, ...]]:
    """What AWS's tools call an instruction: nki.isa, Neuron Explorer's opcode, KLR's operator.

    Empty where no published page or profile shows a name.
    """
    functions = (nki,) if isinstance(nki, str) else nki
    operators = (klr,) if isinstance(klr, str) else klr
    return {
        "NKI": tuple(f"nki.isa.{name}" for name in functions if name),
        "Neuron Explorer": (explorer,) if explorer else (),
        "KLR": tuple(name for name in operators if name),
    }


@of_operands
def domain_of(context: InstructionContext, *operators: str | None) -> str:
    """Bits for bitwise operators, exact integers where GpSimd has them, else float32."""
    if any(op is not None and alu.OPERATORS[op].bitvec for op in operators):
        return BITS
    return BITS if _exact(context, operators) else FLOAT32


def exact_integers(context: InstructionContext, *operators: str) -> bool:
    """GpSimd computes 32-bit integers exactly when every operand is one and the operators can.

    Source: nki.isa.tensor_tensor; architecture guide, 'GpSimd Engine', data types.
    """
    return _exact(context, [context.operands[name] for name in operators])


def _exact(context: InstructionContext, operators: Iterable[str | None]) -> bool:
    values = context.operands.values()
    if context.engine != "gpsimd" or any(isinstance(v, float) for v in values):
        return False
    chosen = [alu.OPERATORS[op] for op in operators if op is not None]
    return all(o.integer is not None for o in chosen) and all(
        v.dtype.name in WORDS for v in values if isinstance(v, View)
    )


@of_operands
def copied(_: InstructionContext, src: View, dst: View) -> str:
    """A copy between equal dtypes moves bits; any other goes through float32."""
    return BITS if src.dtype is dst.dtype else FLOAT32


def not_both_in(memory: str, *names: str, source: str = "nki.isa.tensor_tensor") -> Rule:
    """At most one of two inputs is in a memory."""

    def check(context: InstructionContext) -> str | None:
        views = [(name, context.operands[name]) for name in names]
        inside = [n for n, v in views if isinstance(v, View) and v.tensor.memory.name == memory]
        if len(inside) < 2:
            return None
        return f"{listed(inside, 'and')} are both in {memory}; wanted at most one"

    return Rule(
        MEMORY,
        f"{listed(names, 'and')} are not both in {memory}",
        source,
        check,
        "copy one of them to sbuf first (TensorCopy), or place it there",
        names=names,
    )
