"""A machine in words and records: what stands where, who waits for what, what it cost."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from nasm.problems import Note, Problem
from nasm.records import (
    BankRecord,
    ChannelRecord,
    EngineRecord,
    Executed,
    QueueRecord,
    SemaphoreRecord,
)
from nasm.spec.facts import Evidence
from nasm.spec.memory import Memory, Tensor
from nasm.spec.program import Form, Update
from nasm.spec.view import View

if TYPE_CHECKING:
    from nasm.machine.machine import Machine
    from nasm.sim.scheduler import Queue


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
        waits = tuple((c, t // cycle) for c, t in queue.waiting.items() if t)
        found.append(
            EngineRecord(
                queue.core, queue.name, queue.count, queue.busy // cycle,
                sum(queue.waiting.values()) // cycle, waits, queue.finished // cycle,
                queue.busy / total, tuple(sorted(evidence[queue.index].items())),
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
    first = None
    for queue in scheduler.blocked():
        span = program.span(queue.index, queue.pc)
        first = first or span
        wait = program.waits[program.queues[queue.index].waits[queue.pc]]
        assert wait is not None
        number = queue.core * scheduler.per_core + wait.semaphore
        value = scheduler.semaphores[number].value
        said = (
            f"{queue.name} pc {queue.pc} waits for "
            f"{wait_text(machine, queue.index, queue.pc)}; it is {value}"
        )
        if wait.op == ">=":
            said += f", short by {wait.value - value}"
        notes.append(Note(f"{said}; {_posters(machine, wait.semaphore)}", span))
    return Problem(
        "E0510", f"deadlock at {machine.microseconds(scheduler.now):.3f} µs: nothing is left that "
        "could happen", first,
        "count who updates each semaphore, and how often, before the wait", tuple(notes),
    )  # fmt: skip


def _posters(machine: Machine, semaphore: int) -> str:
    """Who still has an update of a semaphore ahead of it."""
    program = machine.program
    changing = {n for n, u in enumerate(program.updates) if u and u.semaphore == semaphore}
    ahead, ever = [], False
    for index, lines in enumerate(program.queues):
        at = [pc for pc, n in enumerate(lines.updates) if n in changing]
        ever = ever or bool(at)
        left = [pc for pc in at if pc >= machine.scheduler.queues[index].pc]
        if left:
            ahead.append(f"{lines.engine} pc {left[0]}")
    if ahead:
        return "still to come from " + ", ".join(ahead)
    return "every update of it has been made" if ever else "nothing in the program updates it"


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
