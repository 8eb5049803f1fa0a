"""A machine in words and records: where each queue is, what it waits for, what it cost."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from nasm.analysis.outputs import idle
from nasm.base.dtypes import Array, DType
from nasm.base.pieces import windows
from nasm.base.problems import Problem, counted, listed
from nasm.base.source import Span
from nasm.isa.effects import RankExchange
from nasm.isa.evidence import Evidence
from nasm.machine.records import (
    BankRecord,
    ChannelRecord,
    EngineRecord,
    Executed,
    Message,
    QueueRecord,
    SemaphoreRecord,
    Units,
)
from nasm.machine.state import lanes
from nasm.program import instruction_text as written
from nasm.program.program import Program, Update
from nasm.sim.channels import Channels
from nasm.sim.memory import Store
from nasm.sim.queues import CAUSES, ORDER
from nasm.sim.resources import Resource
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import View

if TYPE_CHECKING:
    from nasm.machine.machine import Machine
    from nasm.sim.queues import Queue


def units(machine: Machine) -> Units:
    """What numbers in records are worth."""
    generation = machine.program.generation
    program = machine.program
    return Units(generation.ticks, generation.base.cycle, program.cores, program.core_names)


_REGISTER = re.compile(r'"(?:[^"\\]|\\.)*"|%r(\d+)(?!\w)')


def form_text(program: Program, queue: int, pc: int) -> str:
    """An instruction with its operands as a program would write it; defaults are left out.

    A register that a loop was given is named as the text does, by what it holds.
    """
    instruction, span = program.instruction(queue, pc), program.span(queue, pc)
    typed = written.typed(instruction, span)
    text = f"{instruction.row.name} {written.operands(instruction, typed)}".rstrip()
    names = program.register_names(queue, pc) if program.loop_registers else {}
    if not names or "%r" not in text:
        return text
    return _REGISTER.sub(lambda m: names.get(int(m[1]), m[0]) if m[1] else m[0], text)


def messages(machine: Machine) -> tuple[Message, ...]:
    """What instructions have said so far, in order."""
    program = machine.program
    return tuple(
        Message(
            program.queue_name(queue),
            core,
            program.queues[queue].engine,
            pc,
            program.span(queue, pc),
            tick,
            machine.microseconds(tick),
            text,
        )
        for core, queue, pc, tick, text in machine.summary.messages
    )


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
    parts = [form_text(machine.program, queue, pc)]
    parts += [t for t in (wait_text(machine, queue, pc), update_text(machine, queue, pc)) if t]
    return "  ".join(parts)


def executed(machine: Machine, record: tuple[int, ...]) -> Executed:
    """A trace record with its text."""
    core, queue, pc, head, start, finish = record
    return Executed(
        core,
        machine.program.queues[queue].engine,
        queue,
        pc,
        instruction_text(machine, queue, pc),
        machine.program.span(queue, pc),
        head,
        start,
        finish,
        (start - head) // machine.cycle(queue),
    )


def queue_record(machine: Machine, queue: Queue) -> QueueRecord:
    """The state of a queue."""
    more = not queue.done
    state = "done"
    if more:
        state = "waiting" if queue.parked or queue.blocked is not None else "running"
    elif queue.flight:
        state = "running"
    elif queue.length == 0:
        state = "idle"
    return QueueRecord(
        queue.core,
        queue.engine,
        queue.index,
        queue.pc,
        queue.length,
        state,
        instruction_text(machine, queue.index, queue.pc) if more else "",
        _blocked_on(machine, queue) if state == "waiting" else "",
        tuple(form_text(machine.program, queue.index, flying.pc) for flying in queue.flight),
        machine.program.span(queue.index, queue.pc) if more else None,
        queue.count,
        _occupied(machine, queue) if more else "",
    )


def _occupied(machine: Machine, queue: Queue) -> str:
    """Which resource a queue's next instruction waits for, and who has it; empty if for none."""
    resource, now = queue.blocker, machine.scheduler.now
    if queue.cause == "data" and queue.head is not None and queue.reached > now:
        resource = queue.head.unit  # before it waits for the data
    elif queue.cause not in ("unit", "port") or not isinstance(resource, Resource):
        return ""
    if queue.due <= now or resource.holder is None:
        return ""
    name, pc = machine.program.queue_name(resource.holder[0]), resource.holder[1]
    free = machine.microseconds(resource.free_at)
    return f"{resource.name}, which {name} pc {pc} occupies until {free:.3f} µs"


def _blocked_on(machine: Machine, queue: Queue) -> str:
    """What a queue waits for: a semaphore, its condition, or cores that have not arrived."""
    if queue.blocked is not None:
        return queue.blocked.reason
    if queue.arrived is None:
        return wait_text(machine, queue.index, queue.pc)
    absent = [
        core
        for member, cores in machine.rendezvous.waiting()
        if member.queue == queue.index
        for core in cores
    ]
    return f"core {listed(map(str, absent), 'and')}" if absent else "the exchange of the cores"


def semaphore_records(machine: Machine) -> tuple[SemaphoreRecord, ...]:
    """The semaphores and events a program names: core by core, semaphores first, by number."""
    found = []
    program, scheduler = machine.program, machine.scheduler
    named = {**program.semaphores, **program.events}
    for name, index in sorted(named.items(), key=lambda i: i[1]):
        semaphore = scheduler.semaphores[index]
        core, number, event = program.generation.counter(index)
        parked = tuple(program.queue_name(q) for q in semaphore.parked)
        found.append(SemaphoreRecord(core, number, name, semaphore.value, parked, event))
    return tuple(found)


def channel_records(machine: Machine) -> tuple[ChannelRecord, ...]:
    """The channels, by number."""
    there, count = machine.scheduler.service.cores, machine.program.generation.channels
    idle_ones = Channels(0, count).counts()
    return tuple(
        ChannelRecord(core, *of)
        for core in range(machine.program.cores)
        for of in (there[core].counts() if core in there else idle_ones)
    )


def bank_records(machine: Machine) -> tuple[BankRecord, ...]:
    """The banks of every memory that has some."""
    found = []
    for memory in machine.program.generation.memories.values():
        tensors = [t for t in machine.program.tensors.values() if t.memory is memory]
        for core in range(machine.program.cores):
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
            mask = machine.addresses.access(View.whole(tensor)).mask.any(axis=0).reshape(-1)
            touched[first - low : last - low] |= mask[first - start : last - start]
    return BankRecord(core, memory.name, bank, memory.bank, int(touched.sum()), tuple(names))


def engine_records(machine: Machine) -> tuple[EngineRecord, ...]:
    """What every engine did, in its own cycles."""
    total = max(1, machine.scheduler.now)
    evidence = _evidence(machine)
    found = []
    for queue in machine.scheduler.queues:
        cycle = machine.cycle(queue.index)
        busy, idle = queue.times(machine.scheduler.now)
        by_cause = {cause: 0 for cause in CAUSES if cause != "empty"}
        for (cause, _), ticks in idle.items():
            if cause not in ("empty", ORDER):
                by_cause[cause] = by_cause.get(cause, 0) + ticks
        waits = tuple((cause, ticks // cycle) for cause, ticks in by_cause.items() if ticks)
        found.append(
            EngineRecord(
                queue.core,
                queue.engine,
                queue.count,
                busy // cycle,
                sum(by_cause.values()) // cycle,
                waits,
                queue.finished // cycle,
                busy / total,
                tuple(sorted(evidence[queue.index].items())),
                machine.program.core_name(queue.core) if machine.program.tiles else "",
            )
        )
    return tuple(found)


def limit(machine: Machine, instructions: int | None) -> Problem:
    """The error of a run that has met its limit: of instructions, or the cycle it is at."""
    cycles = machine.scheduler.now // machine.program.generation.base.cycle
    text, option = f"{cycles:,} cycles", "--max-cycles"
    if instructions is not None:
        text, option = counted(instructions, "instruction"), "--max-instructions"
    span, where = standing(machine)
    return Problem(
        "E0511",
        f"still running after {text}: {where}",
        span,
        f"allow more with {option}, or look for a loop that does not end",
        tuple(idle(machine)),
    )


def standing(machine: Machine) -> tuple[Span | None, str]:
    """What has not finished, as a place in the program and in words.

    Where no engine runs these are also transfers.
    """
    program = machine.program
    records = [queue_record(machine, queue) for queue in machine.scheduler.queues]
    left = [q for q in records if q.state in ("running", "waiting")]
    texts = [f"{program.named(q.core, q.engine)} at pc {q.pc}" for q in left]
    running = [q.span for q in left if q.state == "running"]
    if running:
        return next(filter(None, running), None), ", ".join(texts)
    origins = dict.fromkeys(flight.origin for flight in machine.scheduler.transfers.values())
    texts += [f"a transfer of {program.queue_name(q)} pc {pc} in flight" for q, pc in origins]
    spans = [program.span(*who) for who in origins] + [q.span for q in left]
    return next(filter(None, spans), None), ", ".join(texts)


def _evidence(machine: Machine) -> list[dict[str, int]]:
    """Per queue, cycles of its instructions by how well their cost is known."""
    return [_evidence_of(machine, queue) for queue in range(len(machine.program.queues))]


def _evidence_of(machine: Machine, queue: int) -> dict[str, int]:
    tasks, program = machine.tasks[queue], machine.program
    completed = machine.summary.itself(queue)
    (done,) = completed.nonzero()
    numbers = np.asarray(program.queues[queue].instructions, np.int64)[done]
    times = np.bincount(numbers, completed[done])  # float64: exact up to 2^53
    spent: list[tuple[Evidence, int]] = []
    for number in times.nonzero()[0].tolist():
        if program.instructions[number].row.effect is RankExchange:
            continue  # what it took was known when its ranks met
        cost = tasks.cost(number)
        spent.append((cost.evidence, cost.interval * int(times[number])))
    for instruction, count in machine.summary.expanded(queue).items():
        cost = tasks.shape_of(instruction).cost
        spent.append((cost.evidence, cost.interval * count))
    for evidence, ticks in machine.ranks.evidence.get(queue, {}).items():
        spent.append((evidence, ticks // machine.cycle(queue)))
    mix: dict[str, int] = {}
    for one in Evidence:
        of_it = [ticks for evidence, ticks in spent if evidence is one]
        if of_it:
            mix[one.value] = sum(of_it)
    return mix


def busy_evidence(engines: tuple[EngineRecord, ...]) -> tuple[tuple[str, int], ...]:
    """Cycles of instructions of all engines by how well their cost is known."""
    mix: Counter[str] = Counter()
    for engine in engines:
        mix.update(dict(engine.evidence))
    return evidence_order(mix)


def evidence_order(mix: dict[str, int]) -> tuple[tuple[str, int], ...]:
    """Evidence from the strongest to the weakest."""
    return tuple((e.value, mix[e.value]) for e in Evidence if mix.get(e.value))


def _canonical_nans(elements: Array, dtype: DType) -> Array:
    """Elements with the one NaN of their dtype for each that is one."""
    if not dtype.is_float:
        return elements
    with np.errstate(all="ignore"):  # a signalling NaN warns in some versions
        nan = np.isnan(elements)
    return np.where(nan, np.array(np.nan, elements.dtype), elements) if nan.any() else elements


def memory_hash(machine: Machine) -> str:
    """BLAKE2b-128 over every tensor's bytes and mask, in order of declaration.

    Of tensors that share bytes only the name counts if those declared later have all of them. Every
    NaN counts as the same: what an invalid operation leaves in its sign is the processor's.
    A tensor that was declared while the program ran counts once something was written to it.
    """
    import hashlib

    hasher, overlaid = hashlib.blake2b(digest_size=16), overlaid_tensors(machine)
    for name, tensor in machine.program.tensors.items():
        if tensor.index in overlaid:
            hasher.update(name.encode())
            continue
        access = machine.addresses.access(View.whole(tensor))
        if tensor.index >= machine.tensors and not access.mask.any():
            continue
        hasher.update(name.encode())
        elements = access.elements
        for window in windows(tensor.shape):
            part = _canonical_nans(elements[window], tensor.dtype)
            hasher.update(np.ascontiguousarray(part).reshape(-1).view(np.uint8).data)
        for bits in access.packed_mask():
            hasher.update(bits)
    return hasher.hexdigest()


def overlaid_tensors(machine: Machine) -> set[int]:
    """The tensors, by index, all of whose bytes belong to tensors that are declared later.

    Partitions that all tensors of a store have or do not have are looked at as one.
    """
    found: set[int] = set()
    shared: dict[Store, list[Tensor]] = {}
    for tensor in reversed(machine.program.tensors.values()):
        store = machine.state.by_tensor[tensor.index]
        if not store.alone:
            shared.setdefault(store, []).append(tensor)
    for store, tensors in shared.items():
        cuts = sorted({row for tensor in tensors for row in lanes(tensor)})
        strip = {row: number for number, row in enumerate(cuts)}
        owned = np.zeros((len(cuts), store.data.shape[1]), np.bool_)
        for tensor in tensors:
            (first, last), byte = lanes(tensor), (tensor.offset or 0) - store.base
            mine = owned[strip[first] : strip[last], byte : byte + tensor.bytes]
            if mine.all():
                found.add(tensor.index)
            mine[...] = True
    return found
