"""What bound a run: what its critical path is made of, the most first."""

from __future__ import annotations

from collections.abc import Iterable

from nasm.profile.path import Step, folded
from nasm.profile.records import MOVERS, PathLine, Spent
from nasm.spec.effects import Transfer
from nasm.spec.program import Program

BETWEEN = {
    "hand-off": ("engines", "waiting for hand-offs"),
    "dispatch": (MOVERS, "dispatching and notifying"),
    "notification": (MOVERS, "dispatching and notifying"),
    "shares": (MOVERS, "moving data"),
    "turn": ("engines", "waiting for their turn"),
}
"""Who does what in a part of a step that is no work of its instruction's engine."""


def spent(program: Program, steps: Iterable[Step]) -> tuple[Spent, ...]:
    """What the path is made of: who, doing what, for how long."""
    ticks: dict[tuple[str, str], int] = {}
    for step in steps:
        for name, part in step.parts:
            key = BETWEEN.get(name) or _own(program, step, name)
            ticks[key] = ticks.get(key, 0) + part
    found = (Spent(who, doing, part) for (who, doing), part in ticks.items())
    return tuple(sorted(found, key=lambda part: -part.ticks))


def _own(program: Program, step: Step, name: str) -> tuple[str, str]:
    """What an engine does with an instruction."""
    who = program.queue_name(step.queue)
    if name == "ready":
        return who, "making its unit ready"
    row = program.instruction(step.queue, step.pc).row
    return who, "issuing transfers" if row.effect is Transfer else "at work"


def lines(program: Program, steps: Iterable[Step]) -> tuple[PathLine, ...]:
    """The path by queue and line of the program, the longest first."""

    def place(queue: int, pc: int) -> tuple[int, int]:
        return queue, program.queues[queue].spans[pc] or -1 - pc

    found = []
    for stretch in folded(steps, place):
        queue, line = stretch.place
        pc = -1 - line if line < 0 else None
        span = program.spans[line] if line > 0 else None
        text = span.text if span else ""
        if pc is not None:
            text = program.instruction(queue, pc).row.name
        found.append(
            PathLine(
                program.queue_name(queue),
                span,
                " ".join(text.split()),
                stretch.ticks,
                stretch.count,
                stretch.edge,
                stretch.parts,
            )
        )
    return tuple(found)
