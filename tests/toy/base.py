"""What the rows of the toy have in common: figures, costs, kinds of operands."""

from __future__ import annotations

from nasm.isa.evidence import Cost, Evidence
from nasm.isa.instruction import InstructionContext, Rule, of_operands
from nasm.isa.isa import Isa
from nasm.isa.kinds import Register, Tile
from nasm.views.view import View

SOURCE = "made up"
ISA = Isa("toy")
BOTH = ("alpha", "beta")
LANES = Tile(("bank",))
ANYWHERE = Tile(("ram", "bank"))
REGISTER = Register(4)


@of_operands
def walked(_: InstructionContext, dst: View) -> Cost:
    """One element per partition and cycle; results appear three cycles after the last."""
    n = dst.elements
    return Cost(n, n + 3, Evidence.ASSUMED, SOURCE)


@of_operands
def issued(_: InstructionContext) -> Cost:
    """A cycle, and it is done."""
    return Cost(1, 1, Evidence.ASSUMED, SOURCE)


@of_operands
def sequenced(_: InstructionContext) -> Cost:
    """Registers: a cycle to issue, and one more until the result is there."""
    return Cost(1, 2, Evidence.ASSUMED, SOURCE)


def _same_shape(context: InstructionContext) -> str | None:
    shapes = {str(list(v.shape)) for v in context.operands.values() if isinstance(v, View)}
    return None if len(shapes) == 1 else f"found {' and '.join(sorted(shapes))}"


SAME_SHAPE = Rule("E0404", "all tiles have one shape", SOURCE, _same_shape)
