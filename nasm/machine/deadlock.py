"""A deadlock: which queues are blocked, what each waits for, and who could unblock them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.machine.describe import form_text, wait_text
from nasm.problems import Note, Problem, listed
from nasm.spec.declared_transfer import DeclaredTransfer
from nasm.spec.program import Wait

if TYPE_CHECKING:
    from nasm.machine.machine import Machine
    from nasm.sim.queues import Queue


def deadlock(machine: Machine) -> Problem:
    """A deadlock: which queues are blocked, what each waits for, and who could unblock them."""
    program, scheduler = machine.program, machine.scheduler
    blocked = scheduler.blocked()
    notes = tuple(
        Note(
            f"{program.queue_name(queue.index)} pc {queue.pc} "
            + (_waits(machine, queue) if queue.arrived is None else _held(machine, queue)),
            program.span(queue.index, queue.pc),
        )
        for queue in blocked
    )
    first = program.span(blocked[0].index, blocked[0].pc) if blocked else None
    said = f"deadlock at {machine.microseconds(scheduler.now):.3f} µs: "
    waiting = listed((f"@{program.queue_name(q.index)}" for q in blocked), "and")
    said += f"{waiting} {'is' if len(blocked) == 1 else 'are'} blocked forever"
    return Problem("E0510", said, first, _way_out(machine), notes)


def _waits(machine: Machine, queue: Queue) -> str:
    """Which semaphore a queue waits for, its value, and who could still post."""
    wait = _wait_of(machine, queue)
    value = machine.scheduler.semaphores[wait.semaphore].value
    said = f"waits for {wait_text(machine, queue.index, queue.pc)}; it is {value}"
    if wait.value > value:
        said += f", short by {wait.value - value}"
    elif wait.op == "==":
        said += f", past it by {value - wait.value}"
    return f"{said}; {_posters(machine, wait.semaphore)}"


def _held(machine: Machine, queue: Queue) -> str:
    """Which cores a queue in a rendezvous waits for, and what they have ahead."""
    ((member, absent),) = (
        pair for pair in machine.rendezvous.waiting() if pair[0].queue == queue.index
    )
    name = member.context.row.name
    by = listed((f"{what} {value}" for what, value in member.effect.by), "and")
    said = f"waits at {name} for core {listed(map(str, absent), 'and')} to reach one"
    said += f" with {by}" if by else ""
    ahead = [found for core in absent for found in _ahead(machine, core, name)]
    if not ahead:
        return f"{said}; no {name} is left there"
    return f"{said}; the next {name} there is {listed(ahead)}, which is blocked itself"


def _ahead(machine: Machine, core: int, name: str) -> list[str]:
    """Where the queues of a core have their next instruction of a name."""
    program, found = machine.program, []
    instructions = {
        n for n, instruction in enumerate(program.instructions) if instruction.row.name == name
    }
    for queue in machine.scheduler.queues:
        lines = program.queues[queue.index].instructions
        at = next((pc for pc in range(queue.pc, queue.length) if lines[pc] in instructions), None)
        if queue.core == core and at is not None:
            text = form_text(program.instruction(queue.index, at))
            found.append(f"{program.queue_name(queue.index)} pc {at} ({text})")
    return found


def _wait_of(machine: Machine, queue: Queue) -> Wait:
    program = machine.program
    wait = program.waits[program.queues[queue.index].waits[queue.pc]]
    assert wait is not None
    return wait


def _updaters(machine: Machine, semaphore: int) -> dict[int, list[int]]:
    """Where a semaphore is updated: the pcs of each queue that does."""
    program = machine.program
    changing = {n for n, u in enumerate(program.updates) if u and u.semaphore == semaphore}
    found = {
        index: [pc for pc, n in enumerate(lines.updates) if n in changing]
        for index, lines in enumerate(program.queues)
    }
    return {index: pcs for index, pcs in found.items() if pcs}


def _posters(machine: Machine, semaphore: int) -> str:
    """Who still has an update of a semaphore ahead of it."""
    queues = machine.scheduler.queues
    updaters = _updaters(machine, semaphore)
    if not updaters:
        return "nothing in the program updates it"
    left = {i: [pc for pc in pcs if pc >= queues[i].pc] for i, pcs in updaters.items()}
    ahead = [f"{machine.program.queue_name(i)} pc {pcs[0]}" for i, pcs in left.items() if pcs]
    if not ahead:
        return "every update of it has been made"
    return f"the next update would come from {listed(ahead)}, which is blocked itself"


def _not_met(machine: Machine) -> str:
    """What to do about a rendezvous that is not complete; may be empty."""
    held = list(machine.rendezvous.waiting())
    for member, _ in held:
        for other, _ in held:
            if other.core > member.core and other.context.row is member.context.row:
                return (
                    f"both cores wait at {member.context.row.name}, each for another: they match "
                    f"only with the same {listed((n for n, _ in member.effect.by), 'and')}"
                )
    for member, absent in held:
        name = member.context.row.name
        if not any(_ahead(machine, core, name) for core in absent):
            return f"every core has to execute {name} as often as the others"
    return ""


def _way_out(machine: Machine) -> str:
    """What to do about a deadlock: the likeliest of its causes."""
    program = machine.program
    started = {
        o.name for f in program.instructions for o in f.operands if isinstance(o, DeclaredTransfer)
    }
    idle = [name for name in program.transfers if name not in started]
    if idle:
        return f"the transfer {listed(idle, 'and')} is declared, but no instruction starts it"
    blocked = machine.scheduler.blocked()
    waits = [_wait_of(machine, queue) for queue in blocked if queue.arrived is None]
    lacking = {w.semaphore for w in waits if not _updaters(machine, w.semaphore)}
    if lacking:
        awaited = {wait.semaphore for wait in program.waits if wait is not None}
        spare = {u.semaphore for u in program.updates if u is not None} - awaited
        names = [f"${program.semaphore_name(s)}" for s in sorted(spare)]
        if names:
            return f"{listed(names, 'and')} is updated, but nothing waits for it: is it meant here?"
        names = [f"${program.semaphore_name(s)}" for s in sorted(lacking)]
        return f"no instruction updates {listed(names)}: one has to, or the wait is not needed"
    unmet = _not_met(machine)
    if unmet or not waits:
        return unmet
    if any(wait.op == "==" for wait in waits):
        return "an == wait holds only while the value is exactly that: use >="
    if all("every update" in _posters(machine, wait.semaphore) for wait in waits):
        return "there are fewer updates than the wait expects: count them"
    if len(waits) == 1:
        return "the update comes after the wait in the same queue: it is never reached"
    return "they wait for each other: move one of the updates before a wait"
