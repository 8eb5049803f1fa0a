"""The table the rows are filed in, and the kinds of operand that many of them share."""

from __future__ import annotations

from collections.abc import Callable

from nasm.spec.instruction import BITS, FLOAT32, Context, Isa
from nasm.spec.kinds import Tile
from nasm.spec.view import View
from nasm.targets.neuron import alu

ISA = Isa("neuron")

EVERY_ENGINE = ("tensor", "vector", "scalar", "gpsimd", "sync")
ONCHIP = ("sbuf", "psum")
LANES = Tile(ONCHIP)
SHAPED = Tile(ONCHIP, flat=False)
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


def domain_of(*operators: str) -> Callable[[Context], str]:
    """Bits for bitwise operators, exact integers where GpSimd has them, else float32."""

    def domain(context: Context) -> str:
        for name in operators:
            op = context[name]
            if op is not None and alu.OPERATORS[op].bitvec:
                return BITS
        return BITS if exact_integers(context, *operators) else FLOAT32

    return domain


def exact_integers(context: Context, *operators: str) -> bool:
    """GpSimd computes 32-bit integers exactly when every operand is one and the operators can.

    Source: nki.isa.tensor_tensor; architecture guide, 'GpSimd Engine', data types.
    """
    values = context.operands.values()
    if context.engine != "gpsimd" or any(isinstance(v, float) for v in values):
        return False
    chosen = [alu.OPERATORS[op] for n in operators if (op := context[n]) is not None]
    return all(o.integer is not None for o in chosen) and all(
        v.dtype.name in WORDS for v in values if isinstance(v, View)
    )


def copied(context: Context) -> str:
    """A copy between equal dtypes moves bits; any other goes through float32."""
    src, dst = context["src"], context["dst"]
    return BITS if src.dtype is dst.dtype else FLOAT32
