"""Whether two programs are the same but for names, comments and places in their texts."""

from __future__ import annotations

from collections.abc import Hashable

from nasm.base.problems import Refused
from nasm.program.program import Program, QueueProgram
from nasm.runs.equal.spelled import spelled


def same(a: Program, b: Program) -> bool:
    """Whether each queue has the same instructions, waits and updates, and tensors their places."""
    if a.generation.name != b.generation.name or a.options != b.options or a.cores != b.cores:
        return False
    try:
        if _outside(a) != _outside(b) or len(a.queues) != len(b.queues):
            return False
        known: dict[int, Hashable] = {}
        others: dict[int, Hashable] = {}
        return all(
            _queue(a, one, known) == _queue(b, other, others)
            for one, other in zip(a.queues, b.queues, strict=True)
        )
    except Refused:  # something that has no key
        return False


def _outside(program: Program) -> Hashable:
    """Tensors, and what cores hold before anything runs."""
    tensors = tuple(
        (
            *(t.name, t.memory.name, t.dtype.name, t.shape, t.role, t.core, t.partition, t.offset),
            spelled(t.init),
            None if t.arrangement is None else t.arrangement.name,
        )
        for t in program.tensors.values()
    )
    settings = tuple(map(repr, program.settings))
    return tensors, settings


def _queue(program: Program, lines: QueueProgram, known: dict[int, Hashable]) -> Hashable:
    """A queue's place, its instructions with what they wait for and update, and its labels."""
    columns = zip(lines.instructions, lines.waits, lines.updates, strict=True)
    made = tuple(
        (_instruction(program, number, known), program.waits[wait], _update(program, update))
        for number, wait, update in columns
    )
    return lines.core, lines.engine, made, tuple(sorted(lines.labels.items()))


def _instruction(program: Program, number: int, known: dict[int, Hashable]) -> Hashable:
    found = known.get(number)
    if found is None:
        made = program.instructions[number]
        found = known[number] = made.row.name, tuple(map(spelled, made.operands))
    return found


def _update(program: Program, number: int) -> Hashable:
    update = program.updates[number]
    if update is None:
        return None
    return update.semaphore, update.op, update.value, update.at_read
