"""A machine in words and records: what stands where, who waits for what, what it cost."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from nasm.problems import Note, Problem, listed
from nasm.records import (
    BankRecord,
    ChannelRecord,
    EngineRecord,
    Executed,
    Message,
    QueueRecord,
    SemaphoreRecord,
)
from nasm.spec.facts import Evidence
from nasm.spec.memory import Memory, Tensor
from nasm.spec.program import Form, Prepared, Update, Wait
from nasm.spec.view import View

if TYPE_CHECKING:
    from nasm.machine.machine import Machine
    from nasm.sim.queues import Queue


def form_text(form: Form) -> str:
    """An instruction with its operands as a program would write it; defaults are left out."""
    parts = []
    named = False
    for operand, value in zip(form.row.operands, form.operands, strict=True):
        if operand.hidden or value is operand.default:
            named = named or not operand.hidden
            continue
        kind = operand.kind
        named = named or bool(kind.words) or kind.names == "label"
        text = kind.format(value)
        parts.append(f"{operand.name}={text}" if named else text)
    return f"{form.row.name} {', '.join(parts)}".rstrip()


def messages(machine: Machine) -> tuple[Message, ...]:
    """What instructions have said so far, in order."""
    program = machine.program
    return tuple(
        Message(core, program.queues[queue].engine, pc, program.span(queue, pc), tick,
                machine.microseconds(tick), text)
        for core, queue, pc, tick, text in machine.trace.messages
    )  # fmt: skip


def wait_text(machine: Machine, queue: int, pc: int) -> str:
    """The wait of an instruction, in the profiler's notation with names."""
    program = machine.program
    wait = program.waits[program.queues[queue].waits[pc]]
    if wait is None:
        return ""
    return f"${program.semaphore_name(wait.semaphore)} {wait.op} {wait.value}"


def update_text(machine: Machine, queue: int, pc: int) -> str:
    """The update of an instruction, in the profiler's notation with names."""
    program = machine.program
    update = program.updates[program.queues[queue].updates[pc]]
    if update is None:
        return ""
    name = f"${program.semaphore_name(update.semaphore)}"
    return f"{name} {_change(update)}" + ("@read" if update.at_read else "")


def _change(update: Update) -> str:
    if update.op == "=":
        return f"= {update.value}"
    sign = "+" if update.value >= 0 else "-"
    return f"{sign}= {abs(update.value)}"


def instruction_text(machine: Machine, queue: int, pc: int) -> str:
    """A whole line: instruction, wait and update."""
    parts = [form_text(machine.program.form(queue, pc))]
    parts += [t for t in (wait_text(machine, queue, pc), update_text(machine, queue, pc)) if t]
    return "  ".join(parts)


def executed(machine: Machine, record: tuple[int, ...]) -> Executed:
    """A trace record with its text."""
    core, queue, pc, head, start, finish = record
    return Executed(
        core, machine.program.queues[queue].engine, queue, pc,
        instruction_text(machine, queue, pc), machine.program.span(queue, pc), head, start, finish,
        (start - head) // machine.cycle(queue),
    )  # fmt: skip


def queue_record(machine: Machine, queue: Queue) -> QueueRecord:
    """A queue as it stands."""
    more = queue.pc < queue.length
    state = "done"
    if queue.length == 0:
        state = "idle"
    elif more:
        state = "waiting" if queue.parked else "running"
    elif queue.flight:
        state = "running"
    return QueueRecord(
        queue.core, queue.name, queue.index, queue.pc, queue.length, state,
        instruction_text(machine, queue.index, queue.pc) if more else "",
        wait_text(machine, queue.index, queue.pc) if more and queue.parked else "",
        tuple(form_text(machine.program.form(queue.index, pc)) for _, pc, *_ in queue.flight),
        machine.program.span(queue.index, queue.pc) if more else None, queue.count,
    )  # fmt: skip


def semaphore_records(machine: Machine) -> tuple[SemaphoreRecord, ...]:
    """The semaphores a program names, by number."""
    found = []
    scheduler = machine.scheduler
    for core in range(len(scheduler.semaphores) // scheduler.per_core):
        for name, number in sorted(machine.program.semaphores.items(), key=lambda i: i[1]):
            semaphore = scheduler.semaphores[core * scheduler.per_core + number]
            parked = tuple(scheduler.queues[q].name for q in semaphore.parked)
            found.append(SemaphoreRecord(core, number, name, semaphore.value, parked))
    return tuple(found)


def channel_records(machine: Machine) -> tuple[ChannelRecord, ...]:
    """The channels, by number."""
    now = machine.scheduler.now
    return tuple(
        ChannelRecord(c.core, c.index, c.jobs, c.bytes, c.busy, c.pending, c.free > now)
        for c in machine.scheduler.channels
    )


def bank_records(machine: Machine) -> tuple[BankRecord, ...]:
    """The banks of every memory that has some."""
    found = []
    for memory in machine.program.generation.memories.values():
        tensors = [t for t in machine.program.tensors.values() if t.memory is memory]
        for core in range(machine.cores):
            mine = [t for t in tensors if t.core == core]
            for bank in range(memory.banks):
                found.append(_bank(machine, memory, core, bank, mine))
    return tuple(found)


def _bank(
    machine: Machine, memory: Memory, core: int, bank: int, tensors: list[Tensor]
) -> BankRecord:
    low, high = bank * memory.bank, (bank + 1) * memory.bank
    touched = np.zeros(memory.bank, np.bool_)
    names = []
    for tensor in tensors:
        start = tensor.offset or 0
        first, last = max(low, start), min(high, start + tensor.bytes)
        if first < last:
            names.append(tensor.name)
            mask = machine.access(View.whole(tensor)).mask.any(axis=0).reshape(-1)
            touched[first - low : last - low] |= mask[first - start : last - start]
    return BankRecord(core, memory.name, bank, memory.bank, int(touched.sum()), tuple(names))


def engine_records(machine: Machine) -> tuple[EngineRecord, ...]:
    """What every engine did, in its own cycles."""
    total = max(1, machine.scheduler.now)
    evidence = _evidence(machine)
    found = []
    for queue in machine.scheduler.queues:
        cycle = machine.cycle(queue.index)
        # an instruction's interval is charged at its start; what lies ahead is not done yet
        busy = queue.busy - max(0, queue.busy_until - machine.scheduler.now)
        waits = tuple((c, t // cycle) for c, t in queue.waiting.items() if t)
        found.append(
            EngineRecord(
                queue.core, queue.name, queue.count, busy // cycle,
                sum(queue.waiting.values()) // cycle, waits, queue.finished // cycle,
                busy / total, tuple(sorted(evidence[queue.index].items())),
            )
        )  # fmt: skip
    return tuple(found)


def _evidence(machine: Machine) -> list[Counter[str]]:
    """Per queue, cycles of its instructions by how well their cost is known."""
    counts: Counter[tuple[int, int]] = Counter()
    for _, queue, pc, _, _, _ in machine.trace.instructions:
        counts[queue, machine.program.queues[queue].forms[pc]] += 1
    found: list[Counter[str]] = [Counter() for _ in machine.scheduler.queues]
    for (queue, form), count in counts.items():
        cost = machine.cost(queue, form)
        found[queue][cost.evidence.value] += cost.interval * count
    return found


def evidence_order(mix: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Evidence from the strongest to the weakest."""
    return tuple((e.value, mix[e.value]) for e in Evidence if mix.get(e.value))


def deadlock(machine: Machine) -> Problem:
    """Why nothing can go on: every queue that waits, for what, and who could still help."""
    program, scheduler = machine.program, machine.scheduler
    notes = []
    blocked = scheduler.blocked()
    for queue in blocked:
        wait = _wait_of(machine, queue)
        value = scheduler.semaphores[queue.core * scheduler.per_core + wait.semaphore].value
        said = (
            f"{queue.name} pc {queue.pc} waits for "
            f"{wait_text(machine, queue.index, queue.pc)}; it is {value}"
        )
        if wait.value > value:
            said += f", short by {wait.value - value}"
        elif wait.op == "==":
            said += f", past it by {value - wait.value}"
        span = program.span(queue.index, queue.pc)
        notes.append(Note(f"{said}; {_posters(machine, wait.semaphore)}", span))
    first = program.span(blocked[0].index, blocked[0].pc) if blocked else None
    said = f"deadlock at {machine.microseconds(scheduler.now):.3f} µs: "
    waiting = listed((f"@{q.name}" for q in blocked), "and")
    said += f"{waiting} {'waits' if len(blocked) == 1 else 'wait'} for what will never happen"
    return Problem("E0510", said, first, _way_out(machine), tuple(notes))


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
    ahead = [f"{queues[i].name} pc {pcs[0]}" for i, pcs in left.items() if pcs]
    if not ahead:
        return "every update of it has been made"
    return f"the next update is to come from {listed(ahead)}, which is held up itself"


def _way_out(machine: Machine) -> str:
    """What to do about a deadlock: the likeliest of its causes."""
    program = machine.program
    started = {o.name for f in program.forms for o in f.operands if isinstance(o, Prepared)}
    idle = [name for name in program.transfers if name not in started]
    if idle:
        return f"the transfer {listed(idle, 'and')} is declared, and no instruction starts it"
    waits = [_wait_of(machine, queue) for queue in machine.scheduler.blocked()]
    lacking = {w.semaphore for w in waits if not _updaters(machine, w.semaphore)}
    if lacking:
        awaited = {wait.semaphore for wait in program.waits if wait is not None}
        spare = {u.semaphore for u in program.updates if u is not None} - awaited
        names = [f"${program.semaphore_name(s)}" for s in sorted(spare)]
        if names:
            return f"{listed(names, 'and')} is updated and nobody waits for it: is it meant here?"
        names = [f"${program.semaphore_name(s)}" for s in sorted(lacking)]
        return f"no instruction updates {listed(names)}: one has to, or the wait is not needed"
    if any(wait.op == "==" for wait in waits):
        return "an == wait holds only while the value is exactly that: wait with >="
    if all("every update" in _posters(machine, wait.semaphore) for wait in waits):
        return "the updates are fewer than the wait expects: count them"
    if len(waits) == 1:
        return "the update stands behind the wait in the same queue: it never gets its turn"
    return "each waits for another of them: let one of the updates come before a wait"


def memory_hash(machine: Machine) -> str:
    """BLAKE2b-128 over every tensor's bytes and written-mask, in order of declaration."""
    import hashlib

    from nasm.machine.load import contents

    hasher = hashlib.blake2b(digest_size=16)
    for name, tensor in machine.program.tensors.items():
        view = View.whole(tensor)
        hasher.update(name.encode())
        hasher.update(np.ascontiguousarray(contents(machine, view)).tobytes())
        hasher.update(np.packbits(machine.access(view).mask).tobytes())
    return hasher.hexdigest()
