"""The rows of the tables, one by one while the program runs: see :mod:`nasm.show.schema`.

What is remembered of a run does not grow with it: what is in progress, and which bytes of the banks
were written.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nasm.analysis.summary import form_text, update_text, wait_text
from nasm.isa.micro_instructions import Micro, micro_of
from nasm.runs.execution import Execution
from nasm.show import schema
from nasm.show.table_summary import Sums, summary
from nasm.sim.channels import Flight, Group, members
from nasm.sim.counters import TRANSFER, Post, Semaphore
from nasm.sim.events import Observer
from nasm.sim.queues import Flying, Queue, Task
from nasm.views.regions import Region
from nasm.views.tensor import Memory

Row = dict[str, Any]
Sink = Callable[[str, Row], None]
"""Takes a row of the table with a name."""

PROFILER = "Neuron Explorer"
"""The vendor's tool whose names the opcodes are."""

DMA, HOST = "DMA", "host"
KNOWN = 100_000
"""So many equal things are remembered."""


class TableRows(Observer):
    """Gives every row of a session's run to a sink; the session was made with ``profile=True``.

    It is made before the session runs. :meth:`close` gives what there is only at the end.
    """

    def __init__(self, session: Execution, sink: Sink) -> None:
        self.session, self.sink = session, sink
        self.program, self.machine = session.program, session.machine
        generation = self.program.generation
        self.ticks = generation.ticks
        self.sums = Sums(list(generation.memories))
        columns = schema.tables(generation)[schema.INSTRUCTION]
        self._empty: Row = dict.fromkeys(column.name for column in columns)
        self._open: list[deque[_Open]] = [deque() for _ in self.program.queues]
        self._flights: dict[int, _Flight] = {}
        self._waits: dict[int, int] = {}
        self._early: dict[int, list[dict[str, int]]] = {}
        self._counters: dict[int, str] = {}
        self._texts: dict[tuple[int, int, int], Row] = {}
        self._moved: dict[int, dict[str, int]] = {}
        self._transfers = 0
        memory = schema.banked(generation)
        self._banks = _Banks(memory) if memory is not None else None
        self.machine.scheduler.observe(self)

    def ns(self, tick: int) -> int:
        """A tick in whole nanoseconds, rounded down."""
        return tick * 1000 // self.ticks

    # -- instructions

    def waited(self, queue: Queue, semaphore: int, by: Any, seen: int) -> None:
        """Note for how long nothing but a semaphore held an instruction back."""
        self._waits[queue.index] = max(0, seen - queue.reached)

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Note what an instruction touches."""
        work = task.work
        moved = dict(self._sizes(work.number, work.reads, work.writes))
        self._open[queue.index].append(_Open(queue.pc, self._waits.pop(queue.index, 0), moved))
        for sizes in self._early.pop(queue.index, ()):
            _add(moved, sizes)

    def readied(
        self, queue: Queue, task: Task, record: int, because: int, start: int, until: int
    ) -> None:
        """A row for what makes a unit ready."""
        assert task.pace is not None
        row = {**self._empty, **self._times(start, until), **self._place(queue.index, queue.pc)}
        row |= {"id": record, "opcode": task.pace.label, "mnemonic": "", "operands": ""}
        self.sink(schema.INSTRUCTION, row)
        self.sums.took(queue.engine, until - start)

    def finished(self, queue: Queue, done: Flying) -> None:
        """A row for an instruction."""
        _, index, pc, _, start, finish, task, _, until, record = done
        opened = self._open[index].popleft()
        self.sums.moved(opened.moved)
        self.sums.took(queue.engine, finish - start)
        row = {**self._times(start, finish), "id": record, **self._text(index, pc)}
        row["evt_wait_time_ns"] = self.ns(opened.waited)
        row["occupied_ns"] = self.ns(until) - self.ns(start)
        self.sink(schema.INSTRUCTION, row | opened.moved)
        if row["tensor_instruction_type"] is not None:
            self.sums.matmuls += 1
        self._written(task.work.writes, queue.core, finish)

    def _times(self, start: int, end: int) -> Row:
        first, last = self.ns(start), self.ns(end)
        return {"start_ts": first, "end_ts": last, "duration_ns": last - first}

    def _place(self, queue: int, pc: int) -> Row:
        lines = self.program.queues[queue]
        span = self.program.spans[lines.spans[pc]]
        where = f"{span.source.name}:{span.line}" if span else ""
        row: Row = {"pcore_idx": lines.core, "engine": lines.engine, "pc": int(pc)}
        micro = pc.micro if type(pc) is Micro else None
        return row | {schema.MICRO.name: micro, schema.PLACE.name: where}

    def _text(self, queue: int, pc: int) -> Row:
        """What is the same of an instruction whenever it is executed."""
        at = queue, pc, micro_of(pc)
        known = self._texts.get(at)
        if known is None:
            if len(self._texts) >= KNOWN:
                self._texts.clear()
            known = self._texts[at] = self._row_texts(queue, pc)
        return known

    def _row_texts(self, queue: int, pc: int) -> Row:
        instruction, machine = self.program.instruction(queue, pc), self.machine
        row = instruction.row
        operands = form_text(self.program, queue, pc)[len(row.name) :].strip()
        words = (wait_text(machine, queue, pc), update_text(machine, queue, pc), operands)
        text: Row = {
            **self._place(queue, pc),
            "opcode": "".join(row.vendor.get(PROFILER, ())[:1]),
            "mnemonic": row.name,
            "operands": " ".join(word for word in words if word),
        }
        names = ("tensor_instruction_type", "raw_flops", "adjusted_flops", "flops_transpose",
                 "adjusted_flops_transpose")  # fmt: skip
        if row.flops is None:
            return text | dict.fromkeys(names)
        flops = row.flops(machine.shape(queue, pc).context)
        moving = flops.count if flops.transpose else 0
        kind = "TRANSPOSE" if flops.transpose else "REGULAR"
        done = (kind, flops.count, flops.count * flops.weight, moving, moving * flops.weight)
        return text | dict(zip(names, done, strict=True))

    # -- memories

    def _sizes(
        self, number: int, reads: Sequence[Region], writes: Sequence[Region]
    ) -> dict[str, int]:
        """The bytes of some regions by the names of their columns; ``number`` is what is known."""
        known = self._moved.get(number)
        if known is None:
            known = dict.fromkeys(self.sums.bytes, 0)
            for verb, regions in (("read", reads), ("write", writes)):
                for region in regions:
                    column = f"{_memory(region)}_{verb}_bytes"
                    if column in known:
                        known[column] += region.size
            if number != -1:  # by which nothing is known
                if len(self._moved) >= KNOWN:
                    self._moved.clear()
                self._moved[number] = known
        return known

    def _written(self, regions: Sequence[Region], core: int, now: int) -> None:
        """A row if more of the banks has been written."""
        if self._banks is None or not self._banks.add(regions, core):
            return
        names = [f"bank_{bank}_util_percent" for bank in range(self._banks.count)]
        parts = self._banks.percent(core)
        average = sum(parts) / len(parts)
        row = {"timestamp": self.ns(now), "pcore_idx": core, "avg_util_percent": average}
        self.sink(schema.USAGE, row | dict(zip(names, parts, strict=True)))

    # -- transfers

    def issued(self, flight: Flight, now: int) -> None:
        """Note when a transfer was issued, and add what it moves to its instruction."""
        queue = self.machine.scheduler.queues[flight.origin[0]]
        moved = self._sizes(flight.pattern, flight.reads, flight.writes)
        opened, ends = self._open[queue.index], None
        if queue.arrived is not None or not opened or opened[-1].pc != flight.origin[1]:
            self._early.setdefault(queue.index, []).append(moved)  # cores exchange it
        else:
            _add(opened[-1].moved, moved)
            ends = max(now + queue.latency, queue.last_finish)
        self._flights[flight.key] = _Flight(self._transfers, now, ends)
        self._transfers += 1

    def read(self, group: Group, now: int) -> None:
        """Note when the first shares of a transfer start."""
        flight = self._flights[group.flight.key]
        if flight.start < 0:
            flight.start = now

    def landed(self, group: Group, now: int) -> None:
        """A row for a transfer when all of it has landed."""
        flight = group.flight
        if flight.left > group.count:
            return
        noted = self._flights.pop(flight.key)
        took = (now - noted.start) / self.ticks / 1e6
        reads, writes = flight.reads, flight.writes
        self.sink(schema.TRANSFER, {
            **self._times(noted.start, now),
            "id": noted.number,
            **self._place(*flight.origin),
            "pcore_idx": flight.core,
            "queue_idx": flight.ring,
            "dma_engines": _channels(flight),
            "source": _memories(reads),
            "dest": _memories(writes),
            "read_bytes": sum(region.size for region in reads),
            "write_bytes": sum(region.size for region in writes),
            "transfer_bytes": flight.bytes,
            "descriptors": flight.descriptors,
            "throughput": flight.bytes / took if took else None,
            "semaphore_id": None if flight.semaphore is None else self._counter(flight.semaphore),
            "trigger": self.ns(noted.issued),
            "completion": None if noted.ends is None else self.ns(noted.ends),
        })  # fmt: skip
        self.sums.transferred(flight.bytes, now - noted.start)
        self._written(writes, flight.core, now)

    # -- semaphores

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """A row for a change."""
        post = semaphore.last
        assert post is not None
        core, _, event = self.program.generation.counter(number)
        source = DMA if post.poster == TRANSFER else HOST
        if post.poster is not None and post.poster != TRANSFER:
            source = self.program.queues[post.poster].engine
        self.sink(schema.UPDATE, {
            "timestamp": self.ns(now),
            "pcore_idx": core,
            "id": self._counter(number),
            "value": semaphore.value,
            "update_source": source,
            "update_operation_type": _operation(post, event),
        })  # fmt: skip

    def _counter(self, number: int) -> str:
        known = self._counters.get(number)
        if known is None:
            _, own, event = self.program.generation.counter(number)
            name = self.program.semaphore_name(number)
            known = self._counters[number] = f"{'E' if event else 'S'}[{own}] ({name})"
        return known

    # -- the end

    def close(self) -> None:
        """Give the last row: what the run was as a whole."""
        self.machine.scheduler.ignore(self)
        self.sink(schema.SUMMARY, summary(self.session, self.sums))

    def restore(self, saved: Any) -> None:
        """What was given cannot be taken back."""
        raise ValueError("a session whose tables are being written cannot go back")


class _Open:
    """An instruction in progress: for how long it waited, and the bytes it moves by column."""

    __slots__ = ("moved", "pc", "waited")

    def __init__(self, pc: int, waited: int, moved: dict[str, int]) -> None:
        self.pc, self.waited, self.moved = pc, waited, moved


def _add(to: dict[str, int], sizes: dict[str, int]) -> None:
    for column, size in sizes.items():
        to[column] += size


class _Flight:
    """A transfer in flight: its number, when it was issued and that ends, when shares started."""

    __slots__ = ("ends", "issued", "number", "start")

    def __init__(self, number: int, issued: int, ends: int | None) -> None:
        self.number, self.issued, self.ends, self.start = number, issued, ends, -1


class _Banks:
    """Which bytes of the banks of each core were written."""

    def __init__(self, memory: Memory) -> None:
        self.memory, self.partitions = memory.name, memory.partitions
        self.bank, self.count = memory.bank, memory.banks
        self._masks: dict[int, Any] = {}
        self._seen: set[Region] = set()

    def add(self, regions: Sequence[Region], core: int) -> bool:
        """Add what is written; returns whether any of it was not before."""
        more = False
        for region in regions:
            if _memory(region) != self.memory or region in self._seen:
                continue
            if len(self._seen) >= KNOWN:
                self._seen.clear()
            self._seen.add(region)
            mask = self._masks.get(core)
            if mask is None:
                shape = (self.partitions, self.bank * self.count)
                mask = self._masks[core] = np.zeros(shape, np.bool_)
            first, rows, step = region.rows
            which = [first + step * n for n in range(rows)]
            for low, high in region.spans().tolist():
                part = mask[which, low:high]
                if not part.all():
                    mask[which, low:high] = more = True
        return more

    def percent(self, core: int) -> list[float]:
        """How full each bank of a core is."""
        parts = self._masks[core].reshape(self.partitions, self.count, self.bank)
        return [100 * float(share) for share in parts.mean(axis=(0, 2))]


def _memory(region: Region) -> str:
    return region.place.partition(".")[2]


def _memories(regions: Sequence[Region]) -> str:
    return ", ".join(dict.fromkeys(map(_memory, regions)))


def _channels(flight: Flight) -> str:
    """The channels that move some bytes: those that follow each other as one range."""
    mask = 0
    for portion in flight.portions:
        if portion.bytes:
            mask |= portion.channels
    runs: list[list[int]] = []
    for channel in members(mask):
        if runs and runs[-1][1] == channel - 1:
            runs[-1][1] = channel
        else:
            runs.append([channel, channel])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _operation(post: Post, event: bool) -> str:
    if event:
        return "evt_set" if post.value else "evt_clr"
    if post.op == "=":
        return "sem_wr_imm"
    if abs(post.value) == 1:
        return "sem_inc" if post.value > 0 else "sem_dec"
    return "sem_add_imm" if post.value > 0 else "sem_sub_imm"
