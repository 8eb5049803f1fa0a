"""Whole programs around the examples of rows, and what those examples cost."""

from __future__ import annotations

import re

from nasm.asm.assemble import assemble
from nasm.problems import Failure
from nasm.source import Source
from nasm.spec.facts import Cost
from nasm.spec.instruction import Instruction, Site
from nasm.spec.program import Program
from nasm.spec.target import Generation
from nasm.targets import TARGETS
from nasm.targets.neuron import TARGET

GENERATIONS = TARGET.generations
SIZES = (128, 512)
NOT_HERE = "E0408"
"""The code of what another engine or generation has."""

_DECLARED = {
    "A": ".hbm   A     bf16[128, {n}]  input = random(seed=1)",
    "n": ".hbm   n     i32[1]  input = [5]",
    "a": ".sbuf  a     bf16[128, {n}]",
    "b": ".sbuf  b     bf16[128, {n}]",
    "c": ".sbuf  c     f32[128, {n}]",
    "m": ".sbuf  m     f32[128, 1]",
    "best": ".sbuf  best  bf16[128, 8]",
    "at": ".sbuf  at    u32[128, 8]",
    "acc": ".psum  acc   f32[128, {n}]",
}
"""The tensors that examples name: `{n}` elements per partition."""

_PREPARED = ".dma load\n    a <- A\n.end"


def engines_on(row: Instruction, generation: Generation) -> tuple[str, ...]:
    """The engines of a generation that have an instruction, in the order of the generation."""
    if not TARGET.available(row, generation):
        return ()
    order = {g.name: g.order for g in GENERATIONS}
    return tuple(
        e.name for e in generation.engines
        if e.name in row.engines
        and order.get(row.engine_since.get(e.name, ""), 0) <= generation.order
    )  # fmt: skip


def program_text(
    row: Instruction, engine: str, generation: Generation, n: int, limit: int = SIZES[-1]
) -> str:
    """A program that does what a row's example says, and declares what it needs.

    Tensors have `n` elements per partition, `a` at most `limit`.
    """
    lines = [line for line in (row.setup, row.example) if line]
    said = [line if line.startswith("@") else f"@{engine} {line}" for line in lines]
    words = set(re.findall(r"[A-Za-z_]\w*", "\n".join(lines)))
    if "again" in words:
        said.insert(len(said) - 1, f"again: @{engine} Nop")
    transfer = [_PREPARED] if "load" in words else []
    words |= {"a", "A"} if transfer else set()
    declared = [
        d.format(n=min(n, limit) if name == "a" else n)
        for name, d in _DECLARED.items() if name in words
    ]  # fmt: skip
    return "\n".join([f".target {generation.spellings[0]}", *declared, *transfer, *said]) + "\n"


def assembled(row: Instruction, engine: str, generation: Generation, n: int) -> Program | None:
    """That program, with `a` smaller where it must be.

    None if then nothing of it has the size, or if the engine lacks what the example does.
    """
    smallest = program_text(row, engine, generation, SIZES[0])
    for limit in reversed(SIZES):
        text = program_text(row, engine, generation, n, limit)
        if limit < n and text == smallest:
            return None
        try:
            return assemble(Source(f"{row.name}.nasm", text), TARGETS)
        except Failure as failure:
            if {p.code for p in failure.problems} == {NOT_HERE}:
                return None
            if limit == SIZES[0]:
                raise
    return None


def cost(row: Instruction, engine: str, generation: Generation, n: int) -> Cost | None:
    """What the example costs with tiles of `n` elements per partition."""
    program = assembled(row, engine, generation, n)
    if program is None:
        return None
    form = next(f for f in reversed(program.forms) if f.row is row)
    return row.cost(Site.of(row, form.operands, engine, generation))
