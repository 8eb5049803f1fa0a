"""A deadlock in words: one report for each of its troubles, with the queues it blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.analysis.deadlock.blame import Blame, blame
from nasm.analysis.deadlock.groups import Trouble, troubles
from nasm.analysis.deadlock.posts import Supply, Updater
from nasm.analysis.outputs import idle
from nasm.analysis.summary import form_text, wait_text
from nasm.base.problems import Note, Problem, counted, listed
from nasm.program.program import Wait

if TYPE_CHECKING:
    from nasm.machine.machine import Machine
    from nasm.sim.queues import Queue


def deadlock(machine: Machine) -> list[Problem]:
    """The error: which queues are blocked, what each waits for, and what could unblock them."""
    supply = Supply(machine)
    return [_problem(supply, trouble) for trouble in troubles(supply)]


def _problem(supply: Supply, trouble: Trouble) -> Problem:
    """One trouble, with the queues that it blocks."""
    first, *others = trouble.queues
    cause = Blame("", "")
    if others or first.arrived is not None or first.blocked is not None:
        notes = [_note(supply, queue, shown=queue is not first) for queue in trouble.queues]
        hint = _not_met(supply, trouble) or _of_target(trouble) or _circle(trouble)
    else:
        cause = blame(supply, first)
        notes = [_note(supply, first, cause.clause), *cause.notes]
        hint = cause.hint
    notes += [_note(supply, queue) for queue in trouble.followers]
    notes += idle(supply.machine)
    span = supply.span(first.index, first.pc)
    return Problem("E0510", _message(supply, trouble), span, hint, tuple(notes))


_CYCLE = "they wait for each other: move one of the updates before a wait"


def _of_target(trouble: Trouble) -> str:
    """What the target says that may be wrong with what queues wait for."""
    hints = (queue.blocked.hint for queue in trouble.queues if queue.blocked is not None)
    return next(filter(None, hints), "")


def _circle(trouble: Trouble) -> str:
    """What to do about queues that wait for each other, or one that nothing unblocks."""
    if all(queue.blocked is None for queue in trouble.queues):
        return _CYCLE
    if len(trouble.queues) == 1:
        return "nothing that is left ends this wait: put what does before it, or leave the wait out"
    if all(queue.blocked is None or queue.blocked.by for queue in trouble.queues):
        return "they wait for each other: let one of them do first what the others wait for"
    return "what would end one of these waits is missing, or comes after one of them: put it before"


def _message(supply: Supply, trouble: Trouble) -> str:
    machine = supply.machine
    text = f"deadlock at {machine.microseconds(machine.scheduler.now):.3f} µs: "
    text += f"{_names(supply, trouble.queues)} {_are(trouble.queues)} blocked forever"
    if trouble.followers:
        verb = "is" if len(trouble.followers) == 1 else "are"
        text += f"; {_names(supply, trouble.followers)} {verb} blocked by"
        text += " it" if len(trouble.queues) == 1 else " them"
    return text


def _names(supply: Supply, queues: tuple[Queue, ...]) -> str:
    return listed((f"@{supply.program.queue_name(q.index)}" for q in queues), "and")


def _are(queues: tuple[Queue, ...]) -> str:
    return "is" if len(queues) == 1 else "are"


def _note(supply: Supply, queue: Queue, cause: str = "", shown: bool = False) -> Note:
    """What a queue waits for, and why that does not come."""
    text = f"{supply.who(queue.index, queue.pc)} "
    if queue.blocked is not None:
        text += _closed(supply, queue)
    else:
        text += (
            _waits(supply, queue, cause) if queue.arrived is None else _missing_cores(supply, queue)
        )
    return Note(text, supply.span(queue.index, queue.pc), shown)


def _closed(supply: Supply, queue: Queue) -> str:
    """What the condition of a queue says, and who could have ended that."""
    assert queue.blocked is not None
    text, queues = f"waits: {queue.blocked.reason}", supply.machine.scheduler.queues
    named = queue.blocked.by
    if not named:
        return text
    able = [n for n in supply.enders(queue) if n != queue.index]
    if not able:
        return f"{text}, which no queue that is left can end"
    return f"{text}; {listed([supply.who(n, queues[n].pc) for n in able], 'or')} is blocked itself"


def _waits(supply: Supply, queue: Queue, cause: str) -> str:
    """Which semaphore a queue waits for, its value, and who could still post."""
    wait = supply.wait(queue)
    value = supply.machine.scheduler.semaphores[wait.semaphore].value
    text = f"waits for {wait_text(supply.machine, queue.index, queue.pc)}; it is {value}"
    if not supply.program.generation.counter(wait.semaphore)[2]:
        if wait.value > value:
            text += f", short by {wait.value - value}"
        elif wait.op == "==":
            text += f", past it by {value - wait.value}"
    return f"{text}; {cause or _to_come(supply, queue, wait)}"


def _to_come(supply: Supply, queue: Queue, wait: Wait) -> str:
    """Who would still update a semaphore, and what holds that up."""
    by_queue: dict[int, list[Updater]] = {}
    for updater in supply.updaters(wait.semaphore):
        if updater.coming and updater.queue != queue.index:
            by_queue.setdefault(updater.queue, []).append(updater)
    text, places = [], []
    for index, updaters in by_queue.items():
        rounds = _rounds(supply, updaters[0]) if len(updaters) == 1 else ""
        if rounds:
            text.append(rounds)
        else:
            at = supply.machine.scheduler.queues[index].pc
            pcs = (supply.coming(updater) for updater in updaters)
            places.append(supply.who(index, min(pcs, key=lambda pc: (pc < at, pc))))
    if places:
        blocked = "which is blocked itself" if len(places) == 1 else "which are blocked themselves"
        text.append(f"the next update would come from {listed(places)}, {blocked}")
    return "; ".join(text) or "nothing that is left updates it"


def _rounds(supply: Supply, updater: Updater) -> str:
    """How often a line has updated and would again, if that is more than once."""
    total = updater.made + updater.ahead
    if total < 2 and not updater.maybe:
        return ""
    line = supply.line((updater.queue, updater.pcs[0]))
    head = supply.machine.scheduler.queues[updater.queue].pc
    stopped = f"blocked at {supply.line((updater.queue, head))}"
    if updater.maybe:
        return f"{line} has updated it {counted(updater.made, 'time')}; more may come, {stopped}"
    rounds = supply.round(updater) is not None
    if not updater.made:
        often = f"in {total:,} rounds" if rounds else f"{total:,} times"
        return f"{line} would update it {often}, but is {stopped}"
    of = (
        f"in {updater.made:,} of {total:,} rounds"
        if rounds
        else f"{updater.made:,} of {total:,} times"
    )
    more = f"{updater.ahead:,} more {'is' if updater.ahead == 1 else 'are'} to come, {stopped}"
    return f"{line} has updated it {of}; {more}"


# -- rendezvous


def _missing_cores(supply: Supply, queue: Queue) -> str:
    """Which cores a queue in a rendezvous waits for, and what they have ahead."""
    ((member, absent),) = (
        pair for pair in supply.machine.rendezvous.waiting() if pair[0].queue == queue.index
    )
    name = member.context.row.name
    by = listed((f"{what} {value}" for what, value in member.effect.by), "and")
    text = f"waits at {name} for core {listed(map(str, absent), 'and')} to reach one"
    text += f" with {by}" if by else ""
    ahead = [found for core in absent for found in _next_instructions(supply, core, name)]
    if not ahead:
        return f"{text}; no {name} is left there"
    return f"{text}; the next {name} there is {listed(ahead)}, which is blocked itself"


def _next_instructions(supply: Supply, core: int, name: str) -> list[str]:
    """Where the queues of a core have their next instruction of a name."""
    program, found = supply.program, []
    for queue in supply.blocked:
        pcs = [
            pc
            for pc in supply.meetings(queue.index)
            if program.instruction(queue.index, pc).row.name == name
            and any(supply.ahead(queue.index, pc))
        ]
        if queue.core == core and pcs:
            at = min(pcs, key=lambda pc: (pc < queue.pc, pc))
            text = form_text(program, queue.index, at)
            found.append(f"{supply.who(queue.index, at)} ({text})")
    return found


def _not_met(supply: Supply, trouble: Trouble) -> str:
    """What to do about a rendezvous that is not complete; may be empty."""
    mine = {queue.index for queue in trouble.queues}
    held = [pair for pair in supply.machine.rendezvous.waiting() if pair[0].queue in mine]
    for member, _ in held:
        for other, _ in held:
            if other.core > member.core and other.context.row is member.context.row:
                return (
                    f"both cores wait at {member.context.row.name}, each for another: they match "
                    f"only with the same {listed((n for n, _ in member.effect.by), 'and')}"
                )
    for member, absent in held:
        name = member.context.row.name
        if not any(_next_instructions(supply, core, name) for core in absent):
            return f"every core has to execute {name} as often as the others"
        if len(trouble.queues) == 1:
            by = listed((what for what, _ in member.effect.by), "and")
            return f"none that is left there matches: they match only with the same {by}"
    return ""
