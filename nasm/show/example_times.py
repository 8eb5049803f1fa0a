"""What the example of a row costs, wherever it runs: the Time of a manual page."""

from __future__ import annotations

from collections.abc import Iterator

from nasm.base.problems import Failure
from nasm.base.records import dataclass
from nasm.base.source import Source
from nasm.isa.evidence import Cost
from nasm.isa.generation import Generation
from nasm.isa.instruction import InstructionContext, Row
from nasm.isa.target import Target
from nasm.language.assemble import assemble
from nasm.program.program import Program
from nasm.show import examples

SIZES = (128, 512)
"""Elements per partition of the tiles that examples name."""
NOT_HERE = "E0408"
"""The code of what another engine or generation has."""


@dataclass(frozen=True, slots=True)
class Time:
    """The cost of an example on an engine, in its cycles and in nanoseconds.

    ``size`` is the elements per partition; 0 if they make no difference.
    """

    generation: str
    engine: str
    size: int
    cost: Cost
    nanosecond: float

    @property
    def interval(self) -> str:
        """How long its unit is busy."""
        return self._summary(self.cost.interval)

    @property
    def latency(self) -> str:
        """How long its results take."""
        return self._summary(self.cost.latency)

    def _summary(self, cycles: int) -> str:
        return f"{cycles:,} ({cycles * self.nanosecond:,.0f} ns)"


def times(row: Row, target: Target) -> Iterator[Time]:
    """What a row's example costs on every engine of every generation that can do it."""
    if target.samples is None:
        return
    for generation in target.generations:
        here = target.row(row.name, generation) or row
        for engine in target.engines(here, generation):
            found = {n: cost(here, engine, generation, target, n) for n in SIZES}
            known = [(n, c) for n, c in found.items() if c is not None]
            sizeless = len(known) == len(SIZES) and len({c for _, c in known}) == 1
            nanosecond = generation.engine(engine).cycle / generation.ticks * 1000
            for n, made in known[:1] if sizeless else known:
                yield Time(generation.name, engine, 0 if sizeless else n, made, nanosecond)


def cost(row: Row, engine: str, generation: Generation, target: Target, n: int) -> Cost | None:
    """What the example costs with tiles of ``n`` elements per partition.

    None if nothing of it has that size, or if the engine lacks what the example does.
    """
    program = _assembled(row, engine, generation, target, n)
    if program is None:
        return None
    instruction = next(f for f in reversed(program.instructions) if f.row is row)
    return row.cost(InstructionContext.of(row, instruction.operands, engine, generation))


def _assembled(
    row: Row, engine: str, generation: Generation, target: Target, n: int
) -> Program | None:
    """A program of the example, with `a` smaller where it must be."""
    loaders = {generation.spellings[0]: lambda: target}
    for limit in reversed(SIZES):
        try:
            text = examples.program_text(row, engine, generation, target, n, limit)
            program = assemble(Source(f"{row.name}.nasm", text), loaders)
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
