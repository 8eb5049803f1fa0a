"""What a run's length is worth: the ticks of its critical path by the evidence of what they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nasm.analysis.profile.path import Step
from nasm.isa.evidence import Evidence, weakest
from nasm.machine.machine import Machine
from nasm.sim.history import History

HAND_OFF = ("semaphore_ns",)
"""The figures that a hand-off stands on."""


def evidence(
    machine: Machine, history: History, steps: Sequence[Step]
) -> tuple[tuple[Evidence, int], ...]:
    """Ticks of a path by how the figures are known that they follow from: all of its ticks.

    What follows from several figures is worth as much as the worst. The order of a queue, and
    turns that others have, follow from none: they are how the model works, which is assumed. So is
    what a condition waited for.
    """
    mix = dict.fromkeys(Evidence, 0)
    before: Step | None = None
    for step in steps:
        for name, ticks in step.parts:
            mix[_of(machine, history, step, before, name)] += ticks
        before = step
    return tuple((kind, ticks) for kind, ticks in mix.items() if ticks)


def _of(machine: Machine, history: History, step: Step, before: Step | None, name: str) -> Evidence:
    """The evidence of a part of a step."""
    if name in ("interval", "latency", "ready"):
        return _instruction(machine, history, step, name)
    if name == "hand-off":
        return _figures(machine, HAND_OFF)
    if name in ("order", "turn"):
        return Evidence.ASSUMED
    moved = before if name == "notification" else step
    assert moved is not None
    plan = machine.transfers.plans.get((moved.queue, moved.pc))
    if plan is None:  # what a condition waited for, by its own name
        return Evidence.ASSUMED
    return _figures(machine, dict(plan.figures).get(name, ()))


def _instruction(machine: Machine, history: History, step: Step, name: str) -> Evidence:
    """That of its cost, and of what paces it if it took another time."""
    cost, record = machine.shape(step.queue, step.pc).cost, history[step.record]
    ticks = max(1, cost.interval * machine.cycle(step.queue))
    if not cost.pace or (name != "ready" and record.until - record.start == ticks):
        return cost.evidence
    pace = _figures(machine, machine.paces[record.core][cost.pace].figures)
    return pace if name == "ready" else weakest((pace, cost.evidence))


def _figures(machine: Machine, names: Iterable[str]) -> Evidence:
    """What a time is worth that follows from some figures; from none, it is assumed."""
    numbers = machine.program.generation.numbers
    found = [numbers[name].evidence for name in names if name in numbers]
    return weakest(found) if found else Evidence.ASSUMED
