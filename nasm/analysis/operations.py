"""Floating-point operations of a run, and what part of the machine's peak they are."""

from __future__ import annotations

from collections import Counter
from math import fsum

import numpy as np

from nasm.isa.generation import Generation
from nasm.machine import Machine
from nasm.program.program import Instruction, Program
from nasm.program.shapes import Shapes


def array(program: Program) -> str:
    """The engine whose operations the peak counts; empty if none."""
    rows = program.target.isa
    return next((engine for row in rows if row.flops for engine in row.engines), "")


def peak_flops(generation: Generation, array: str) -> float | None:
    """Operations per ns of an engine; None if it has no peak."""
    fact = generation.numbers.get("array_flops")
    if fact is None or not array:
        return None
    return fact.value * generation.ticks / 1000 / generation.engine(array).cycle


def flops(machine: Machine) -> list[tuple[int, float, bool]]:
    """The operations of all that completed: how many, in units of the peak, and transposes."""
    program, summary, found = machine.program, machine.summary, []
    engines = {engine for row in program.target.isa if row.flops for engine in row.engines}
    shapes = Shapes(program.generation)
    for queue, column in enumerate(program.queues):
        if column.engine not in engines:
            continue
        done: Counter[int] = Counter()
        completed = summary.itself(queue)
        for pc in np.flatnonzero(completed).tolist():
            done[column.instructions[pc]] += int(completed[pc])
        ran: list[tuple[Instruction, int]] = list(summary.expanded(queue).items())
        ran += [(program.instructions[number], times) for number, times in done.items()]
        for one, times in ran:
            row = one.row
            if row.flops is not None:
                each = row.flops(shapes.of(row, one.operands, column.engine).context)
                count = each.count * times
                found.append((count, count * each.weight, each.transpose))
    return found


def mfu(machine: Machine) -> float | None:
    """Useful operations over the peak of the dtypes that were computed in.

    None if there were none, or the machine has no peak.
    """
    program, now = machine.program, machine.scheduler.now
    peak = peak_flops(program.generation, array(program))
    useful = fsum(weighted for _, weighted, transpose in flops(machine) if not transpose)
    if peak is None or not useful or not now:
        return None
    return useful / (peak * program.cores * 1000 * machine.microseconds(now))
