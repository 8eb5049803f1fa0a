"""A machine whose program grows while it runs: room for tensors, and for instructions.

What is new comes after what was there, so that checkpoints of before can still be returned to: a
new tensor is then as it was when it was declared, without values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from nasm.base.host_memory import room_for
from nasm.base.problems import Failure, Problem, Refused
from nasm.machine.machine import Machine
from nasm.machine.memory_needs import HINT
from nasm.machine.state import added_to, room
from nasm.program.program import Instruction
from nasm.sim.events import Observer
from nasm.views.tensor import Tensor

TAKEN = "E0310"


def accept(machine: Machine, tensors: Sequence[Tensor]) -> None:
    """Whether a machine can take new tensors; raises Failure.

    One that shares bytes with a tensor that is there already has no place of its own to be in.
    """
    here = [t for t in machine.program.tensors.values() if t not in tensors]
    for tensor in (t for t in tensors if t.fixed):
        other = next((t for t in here if tensor.shares(t)), None)
        if other is not None:
            message = (
                f"{tensor.name} would share bytes with {other.name}, which is in use: while a "
                "program runs only free bytes are given away"
            )
            hint = "leave its place out, or read the same bytes with a view of the other"
            raise Failure(Problem(TAKEN, message, tensor.span, hint))
    if machine.values:
        try:
            room_for((("the tensors", 2 * sum(room([t]) for t in tensors)),), HINT)
        except Refused as refused:
            raise Failure(refused.at(tensors[0].span if tensors else None)) from None


def take_up(
    machine: Machine, tensors: Sequence[Tensor], instructions: Iterable[Instruction]
) -> None:
    """Make room for what was added to the program of a machine."""
    program, scheduler = machine.program, machine.scheduler
    machine.state.take_up(tensors, machine.values)
    machine.summary.make_room([len(lines.instructions) for lines in program.queues])
    guarded = machine.state.guard(added_to(program.generation, instructions))
    for queue, tasks in zip(scheduler.queues, machine.tasks, strict=True):
        tasks.take_up()
        if guarded:
            tasks.forget()
        lines = program.queues[queue.index]
        queue.put = (*lines.typed, len(lines.instructions))
    watch = machine.watch_order()
    if watch is not None:
        _later(machine, watch)
    if not machine.below_zero.needed and machine.below_zero.would(program):
        machine.below_zero.needed = True
        scheduler.observe(machine.below_zero)
        _later(machine, machine.below_zero)


def _later(machine: Machine, observer: Observer) -> None:
    """An observer that was not needed until now: what it knows of the time before is nothing."""
    machine.later.append((observer, observer.save()))
