"""Which instructions of a queue can be reached at all."""

from __future__ import annotations

from nasm.isa.effects import Jump
from nasm.program.program import Program
from nasm.runs.check.accesses import Touches


def reachable(program: Program, queue: int, touches: Touches) -> list[bool]:
    """Of each pc of a queue, whether some way through its branches leads there.

    A branch whose condition is in its operands goes one way; any other may go both ways.
    """
    lines = program.queues[queue]
    jumps = {n for n, made in enumerate(program.instructions) if made.row.effect is Jump}
    if not jumps.intersection(lines.instructions):
        return [True] * len(lines)
    found, waiting = [False] * len(lines), [0]
    while waiting:
        pc = waiting.pop()
        while pc < len(lines) and not found[pc]:
            found[pc] = True
            if lines.instructions[pc] in jumps:
                waiting += _next(program, queue, pc, touches)
                break
            pc += 1
    return found


def _next(program: Program, queue: int, pc: int, touches: Touches) -> list[int]:
    """Where a branch may go."""
    instruction, labels = program.instruction(queue, pc), program.queues[queue].labels
    known = touches.target(queue, pc)
    if known is not None:
        return [pc + 1 if known.target is None else labels[known.target]]
    named = (labels.get(str(instruction.operands[n])) for n in instruction.row.labels)
    return [pc + 1, *(at for at in named if at is not None)]
