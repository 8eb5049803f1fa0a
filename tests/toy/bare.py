"""A target with next to nothing: one engine, no memory, semaphores, channels or registers."""

from __future__ import annotations

from nasm.isa.evidence import Cost, Evidence
from nasm.isa.generation import Engine, Generation
from nasm.isa.instruction import InstructionContext, of_operands
from nasm.isa.isa import Isa
from nasm.isa.target import Target

ISA = Isa("bare")


@of_operands
def one(_: InstructionContext) -> Cost:
    """A cycle."""
    return Cost(1, 1, Evidence.ASSUMED, "made up")


@ISA.instruction(engines=("only",), cost=one(), example="Tick", source="made up")
def Tick() -> None:
    """Let a cycle pass."""


GENERATION = Generation(
    name="bare",
    spellings=("bare",),
    summary="the bare",
    ticks=1000,
    engines=(Engine("only", 1, "all there is", "made up"),),
    memories={},
    dtypes=(),
    numbers={},
    registers=0,
    semaphores=0,
)
TARGET = Target("bare", __name__, "one engine for tests", ISA, (GENERATION,))
TARGETS = {"bare": lambda: TARGET}
