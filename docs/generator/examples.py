"""Whole programs around the examples of rows, and what those examples cost."""

from __future__ import annotations

from nasm.isa.evidence import Cost
from nasm.isa.generation import Generation
from nasm.isa.instruction import Row
from nasm.isa.target import Target
from nasm.show import example_times, examples
from nasm.show.example_times import SIZES
from nasm.targets.neuron import TARGET

__all__ = ["GENERATIONS", "SIZES", "cost", "program_text"]

GENERATIONS = TARGET.generations


def program_text(
    row: Row, engine: str, generation: Generation, n: int, target: Target = TARGET
) -> str:
    """A program that runs a row's example."""
    return examples.program_text(row, engine, generation, target, n)


def cost(row: Row, engine: str, generation: Generation, n: int) -> Cost | None:
    """What the example costs with tiles of `n` elements per partition."""
    return example_times.cost(row, engine, generation, TARGET, n)
