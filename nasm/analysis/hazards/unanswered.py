"""What to do about a transfer of whose end its sender learns nothing: no line can wait for it."""

from __future__ import annotations

from nasm.isa.effects import UntilAnswered
from nasm.order.accesses import ByteAccess
from nasm.program.program import Instruction, Program
from nasm.program.receivers import effect_of


def advice(
    program: Program, pc: int, mine: ByteAccess, theirs: ByteAccess, here: str, there: str
) -> str:
    """What lets ``here``, of one access, come after ``there``, which is such a transfer at a pc."""
    row = program.instruction(theirs.queue, pc).row
    name, same = program.queue_name(theirs.queue), mine.queue == theirs.queue
    drain = _drain(program, theirs.queue, taken=not theirs.writes)
    if drain and not theirs.writes:
        left = f"{there} is never answered, but after a {drain} its bytes have left"
        if same:
            return f"{left}: put one before {here}"
        return f"{left}: let {name} signal that, and {here} wait for it"
    answered = next((f": send it with {other}" for other, _ in row.instead), "")
    sent = f"{there} is never answered{answered}"
    if same and drain:
        return f"{sent}, and put a {drain} before {here}"
    core = program.queues[mine.queue].core
    if core == program.queues[theirs.queue].core:
        return f"{sent}, let that post when it is answered, and let {here} wait for it"
    return (
        f"{sent}, and once that is answered, let {name} raise a semaphore of tile "
        f"{program.core_name(core)} by a packet, for which {here} waits"
    )


def _drain(program: Program, queue: int, taken: bool) -> str:
    """What waits on an engine for answers, or until bytes are taken; empty if nothing does."""
    engine, target = program.queues[queue].engine, program.target
    for row in target.rows(program.generation):
        if row.effect is UntilAnswered and engine in target.engines(row, program.generation):
            effect = effect_of(program, queue, Instruction(row, row.defaults))
            if effect.taken == taken:
                return row.name
    return ""
