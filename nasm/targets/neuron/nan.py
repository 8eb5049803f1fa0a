"""What maximum and minimum do with NaN: the machine option ``nan.maximum``."""

from __future__ import annotations

from nasm.base.records import dataclass
from nasm.isa.kinds import Choice, OperandContext
from nasm.targets.neuron.extremes import NUMBERS


class Ignoring(str):
    """One of these operators on a machine where it ignores NaN; as a word it is the same."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Operators(Choice):
    """One ALU operator of a list; semantics get it as the machine's options have it."""

    def for_semantics(self, value: object, context: OperandContext) -> object:
        """The operator, or the one of its name that ignores NaN."""
        if value in NUMBERS and context.generation.options["nan.maximum"] == "ignore":
            # Of exact integers none is NaN.
            return Ignoring(value) if context.in_float32 else value
        return value
