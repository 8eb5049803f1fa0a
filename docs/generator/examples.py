"""Whole programs around the examples of rows, and what those examples cost."""

from __future__ import annotations

from nasm.asm.assemble import assemble
from nasm.problems import Failure
from nasm.report import examples
from nasm.source import Source
from nasm.spec.evidence import Cost
from nasm.spec.generation import Generation
from nasm.spec.instruction import Context, Row
from nasm.spec.program import Program
from nasm.targets import TARGETS
from nasm.targets.neuron import TARGET

GENERATIONS = TARGET.generations
SIZES = (128, 512)
NOT_HERE = "E0408"
"""The code of what another engine or generation has."""


def program_text(row: Row, engine: str, generation: Generation, n: int) -> str:
    """A program that runs a row's example."""
    return examples.program_text(row, engine, generation, TARGET, n)


def assembled(row: Row, engine: str, generation: Generation, n: int) -> Program | None:
    """That program, with `a` smaller where it must be.

    None if then nothing of it has the size, or if the engine lacks what the example does.
    """
    for limit in reversed(SIZES):
        try:
            text = examples.program_text(row, engine, generation, TARGET, n, limit)
            program = assemble(Source(f"{row.name}.nasm", text), TARGETS)
        except Failure as failure:
            if {p.code for p in failure.problems} == {NOT_HERE}:
                return None
            if limit == SIZES[0]:
                raise
            continue
        if limit < n and not any(t.shape[-1] == n for t in program.tensors.values()):
            return None
        return program
    return None


def cost(row: Row, engine: str, generation: Generation, n: int) -> Cost | None:
    """What the example costs with tiles of `n` elements per partition."""
    program = assembled(row, engine, generation, n)
    if program is None:
        return None
    instruction = next(f for f in reversed(program.instructions) if f.row is row)
    return row.cost(Context.of(row, instruction.operands, engine, generation))
