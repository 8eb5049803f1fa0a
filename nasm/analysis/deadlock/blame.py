"""Why a wait will never be over: what became of the updates that it waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.analysis.deadlock.posts import Supply, Updater
from nasm.analysis.deadlock.skipped_posts import ON, OVER, SkippedUpdate, skipped_update
from nasm.base.problems import Note, counted, listed
from nasm.base.records import dataclass
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.kinds import TransferName
from nasm.program.program import Wait
from nasm.sim.counters import Semaphore

if TYPE_CHECKING:
    from nasm.sim.queues import Queue

SHOWN = 3
"""How many updates of a semaphore are shown."""


@dataclass(frozen=True, slots=True)
class Blame:
    """A cause: how it continues the sentence about the wait, places, and what to do."""

    clause: str
    hint: str
    notes: tuple[Note, ...] = ()


class EndlessWait:
    """One wait that nothing can end."""

    def __init__(self, supply: Supply, queue: Queue) -> None:
        self.supply, self.queue = supply, queue
        self.program = supply.program
        self.wait: Wait = supply.wait(queue)
        self.semaphore: Semaphore = supply.machine.scheduler.semaphores[self.wait.semaphore]
        self.value = self.semaphore.value
        self.name = f"${self.program.semaphore_name(self.wait.semaphore)}"
        self.event = bool(self.program.generation.counter(self.wait.semaphore)[2])
        self.updaters = supply.updaters(self.wait.semaphore)
        self.helping = [u for u in self.updaters if self._helps(u)]

    def _helps(self, updater: Updater) -> bool:
        """Whether an update leads towards what is waited for."""
        if updater.op == "=":
            return updater.value == self.wait.value or (
                self.wait.op == ">=" and updater.value > self.wait.value
            )
        return updater.adds if self.value < self.wait.value else updater.takes

    def enough(self, value: float) -> bool:
        """Whether the wait would be over with another value."""
        return value >= self.wait.value if self.wait.op == ">=" else value == self.wait.value

    def shown(self, text: str, queue: int, pc: int) -> Note:
        """A second place, with its line."""
        return Note(text, self.supply.span(queue, pc), excerpt=True)


def blame(supply: Supply, queue: Queue) -> Blame:
    """Why a queue waits forever, the likeliest cause first."""
    case = EndlessWait(supply, queue)
    for look in (_no_updater, _own, _cleared, _left_set, _taken, _jumped, _past):
        found = look(case)
        if found is not None:
            return found
    return _too_few(case)


def _no_updater(case: EndlessWait) -> Blame | None:
    """Nothing in the program does what is waited for."""
    if case.helping or case.value > case.wait.value:
        return None
    does = "sets" if case.event else "adds to" if case.updaters else "updates"
    text = f"nothing in the program {does} it"
    idle = _not_started(case)
    if idle:
        names = listed((transfer.name for transfer in idle), "and")
        one = len(idle) == 1
        hint = (
            f"the transfer{'' if one else 's'} {names} {'is' if one else 'are'} declared, but no "
        )
        hint += f"instruction starts {'it' if one else 'them'}"
        notes = tuple(
            Note(f"the transfer {transfer.name} is declared here", transfer.span, excerpt=True)
            for transfer in idle
        )
        return Blame(text, hint, notes)
    spare = _spare(case)
    if spare:
        names = listed((f"${case.program.semaphore_name(s)}" for s in spare), "and")
        notes = tuple(_first_update(case, s) for s in spare[:SHOWN])
        hint = f"{names} is updated, but nothing waits for it: is it meant here?"
        if len(spare) > 1:
            hint = f"{names} are updated, but nothing waits for them: is one of them meant here?"
        return Blame(text, hint, notes)
    return Blame(text, f"no instruction {does} {case.name}: one has to, or the wait is not needed")


def _spare(case: EndlessWait) -> list[int]:
    """What is updated and never waited for, as the wait wants it: a semaphore, or an event."""
    program = case.program
    awaited = {wait.semaphore for wait in program.waits if wait is not None}
    updated = {update.semaphore for update in program.updates if update is not None}
    kind = program.generation.counter(case.wait.semaphore)
    return [
        s
        for s in sorted(updated - awaited)
        if program.generation.counter(s)[::2] == kind[::2] and case.supply.updaters(s)
    ]


def _first_update(case: EndlessWait, semaphore: int) -> Note:
    updater = case.supply.updaters(semaphore)[0]
    name = f"${case.program.semaphore_name(semaphore)}"
    return case.shown(f"{name} is updated here", updater.queue, updater.pcs[0])


def _not_started(case: EndlessWait) -> list[DeclaredTransfer]:
    """Declared transfers that nothing starts, if they could post what is missing."""
    program = case.program
    started = {
        o.name for f in program.instructions for o in f.operands if isinstance(o, DeclaredTransfer)
    }
    idle = [transfer for name, transfer in program.transfers.items() if name not in started]
    posts = max(
        (
            row.posts
            for row in program.target.isa
            if any(isinstance(operand.kind, TransferName) for operand in row.operands)
        ),
        default=0,
    )
    missing = case.wait.value - case.value
    fits = posts and not case.event and 0 < missing <= posts * len(idle)
    return idle if fits and missing % posts == 0 else []


def _own(case: EndlessWait) -> Blame | None:
    """The update comes after the wait in the same queue."""
    queue, supply = case.queue, case.supply
    own = [u for u in case.helping if u.queue == queue.index and u.coming]
    total = case.value + sum(u.most for u in case.helping if u.op == "+")
    does = case.enough(total) or (total - case.wait.value) * (case.value - case.wait.value) < 0
    if not own or not (does or any(u.op == "=" for u in own)):
        return None
    pc = supply.coming(own[0])
    where = supply.who(queue.index, pc)
    if pc == queue.pc:
        return Blame(
            "the next update would come from the instruction itself, once the wait is over",
            "an instruction updates after its wait: the update has to come from another one, or "
            "the wait is not needed",
        )
    return Blame(
        f"the next update would come from {where}, after this wait",
        "the update comes after the wait in the same queue: it is never reached",
        (case.shown("the update is here", queue.index, pc),),
    )


def _cleared(case: EndlessWait) -> Blame | None:
    """It would hold but for the last clear, or for what set the semaphore to another value."""
    if case.semaphore.replaced is None or (case.event and not case.wait.value):
        return None
    post, was = case.semaphore.replaced
    if not case.enough(was + case.value - post.value):
        return None
    if post.by is None:
        return Blame(f"it was {was} and was set to {post.value} by hand", "set it by hand again")
    supply, queue = case.supply, post.by[0]
    waits = case.program.waits[case.program.queues[queue].waits[post.by[1]]]
    did = f"set it to {post.value}" if post.value else "cleared it"
    hint = (
        f"{'set' if post.value else 'clear'} it before what is waited for is posted, or after the "
        "wait is over: let a semaphore order the two"
    )
    if waits is not None and waits.semaphore == case.wait.semaphore:
        if queue == case.queue.index:
            return None
        hint = "that one waits for it too: give each of them a counter of its own"
    return Blame(
        f"it was {was} and {supply.line(post.by)} {did}",
        hint,
        (case.shown(f"{supply.who(*post.by)} {did} here, when it was {was}", *post.by),),
    )


def _left_set(case: EndlessWait) -> Blame | None:
    """An event is set, and nothing clears it."""
    last = case.semaphore.last
    if not case.event or case.wait.value or last is None or last.by is None:
        return None
    supply = case.supply
    line = supply.line(last.by)
    clears = any(not u.value for u in case.updaters)
    text = (
        f"nothing clears it after {line} set it" if clears else "nothing in the program clears it"
    )
    return Blame(
        text,
        f"an event stays set until an instruction clears it ({case.name} = 0): let one do so "
        f"after {line}",
        (case.shown(f"{supply.who(*last.by)} set it here", *last.by),),
    )


def _taken(case: EndlessWait) -> Blame | None:
    """There was enough, and others took it."""
    takers = [u for u in case.updaters if u.takes and u.made]
    took = -sum(u.value * u.made for u in takers)
    if case.semaphore.replaced is not None or not case.enough(case.value + took):
        return None
    supply = case.supply
    each = [(supply.line((u.queue, u.pcs[0])), -u.value * u.made) for u in takers]
    names = [f"{line} took {amount}" for line, amount in each[:SHOWN]]
    if len(each) > SHOWN:
        names.append(f"others took {sum(amount for _, amount in each[SHOWN:])}")
    notes = tuple(
        case.shown(f"{supply.who(u.queue, u.pcs[0])} took {amount} here", u.queue, u.pcs[0])
        for u, (_, amount) in zip(takers[:SHOWN], each, strict=False)
    )
    return Blame(
        f"{case.value + took} was posted in all; {listed(names, 'and')}",
        "what one instruction takes is gone for the others: post as much as all of them take",
        notes,
    )


def _past(case: EndlessWait) -> Blame | None:
    """An ``==`` was passed by."""
    if case.wait.op != "==" or case.value <= case.wait.value or case.event:
        return None
    return Blame(
        "no update that is left brings it back",
        "an == wait holds only while the value is exactly that: use >=",
    )


def _jumped(case: EndlessWait) -> Blame | None:
    """A branch led past an update."""
    supply = case.supply
    found = next((m for u in case.helping if (m := skipped_update(supply, u)) is not None), None)
    if found is None:
        return None
    if found.times is not None and not _would_do(case):
        return None
    line = supply.line((found.queue, found.pc))
    here = case.shown("the update is here", found.queue, found.pc)
    if not found.branches:
        return Blame(
            f"the update of {line} is never reached: nothing leads to it",
            "let the instructions before it lead to the update, or another one make it",
            (here,),
        )
    notes = tuple(_branch_note(case, found, pc, how) for pc, how in found.branches)
    return Blame(
        f"the update of {line} was {_by(case, found)}",
        f"let every way through the queue update {case.name}, or wait only where it was updated",
        (*notes, here),
    )


def _would_do(case: EndlessWait) -> bool:
    """Whether the wait would be over with the updates that were left out, and those to come."""
    total: float = case.value
    for updater in case.helping:
        left_out = skipped_update(case.supply, updater)
        if left_out is not None and (updater.op == "=" or left_out.times is None):
            return True
        if updater.op == "+":
            total += updater.most
        if left_out is not None:
            total += updater.value * (left_out.times or 0) * _skipped_count(case, updater)
    return case.enough(total) or (case.wait.op == "==" and total > case.wait.value > case.value)


def _skipped_count(case: EndlessWait, updater: Updater) -> int:
    """How many instructions of a line were left out for good; 1 if it has just one."""
    supply, queue = case.supply, updater.queue
    never = [pc for pc in updater.pcs if not supply.completed(queue, pc)]
    return max(1, sum(not any(supply.ahead(queue, pc)) for pc in never))


def _by(case: EndlessWait, found: SkippedUpdate) -> str:
    supply = case.supply
    lines = listed((supply.line((found.queue, pc)) for pc, _ in found.branches), "or")
    if len(found.branches) > 1:
        return f"left out by the branch of {lines}"
    ((_, how),) = found.branches
    if how == OVER:
        often = ""
        if case.supply.completed(found.queue, found.pc) and found.times:
            often = f"{counted(found.times, 'time')} "
        return f"jumped over {often}by the branch of {lines}"
    if how == ON:
        return f"left out because the branch of {lines} was not taken"
    return f"left out by the branch of {lines}"


def _branch_note(case: EndlessWait, found: SkippedUpdate, pc: int, how: str) -> Note:
    who = case.supply.who(found.queue, pc)
    did = {OVER: "jumped over it", ON: "did not lead to it"}.get(how, "led past it")
    if len(found.branches) > 1:
        did = "may have left it out"
    return case.shown(f"{who} {did}", found.queue, pc)


def _too_few(case: EndlessWait) -> Blame:
    """Everything that is left to say: the updates do not add up to what is waited for."""
    supply = case.supply
    made = [u for u in case.helping if u.made or u.coming]
    coming = [u for u in made if u.coming]
    text = "every update of it has been made"
    if any(supply.flow(u.queue).branches for u in case.helping):
        text = "no other update of it is to come"
    if coming:
        total = case.value + sum(u.most for u in coming if u.op == "+")
        text = f"with all that is still to be added it would be {total}"
    notes = tuple(case.shown(_share(case, u), u.queue, u.pcs[0]) for u in made[:SHOWN])
    return Blame(text, _count_hint(case), notes)


def _share(case: EndlessWait, updater: Updater) -> str:
    """How much of a semaphore a line accounts for."""
    who = case.supply.who(updater.queue, updater.pcs[0])
    if updater.op == "=":
        return f"{who} sets it to {updater.value} here"
    does = f"{'add' if updater.adds else 'take'}"
    amount = f"{abs(updater.value)} here"
    if not updater.made:
        return f"{who} would {does} {amount}, {counted(updater.ahead, 'time')}"
    did = "added" if updater.adds else "took"
    more = f", and would {updater.ahead} more" if updater.ahead else ""
    return f"{who} {did} {amount} {counted(updater.made, 'time')}{more}"


def _count_hint(case: EndlessWait) -> str:
    """What to do where updates are too few."""
    hint = "there are fewer updates than the wait expects: count them"
    adding = [u for u in case.helping if u.op == "+"]
    shares = {u.shares for u in adding}
    if len(shares) != 1 or not min(shares):
        return hint
    (posts,) = shares
    want, total = case.wait.value, sum(u.value * (u.made + u.ahead) for u in adding)
    if want % posts == 0:
        return hint
    return (
        f"transfers post multiples of {posts}, and {want} is none; those here post {total} in all: "
        "wait for that, or start more of them"
    )
