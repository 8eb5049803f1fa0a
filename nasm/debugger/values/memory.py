"""Memories as they are now: who owns which bytes, and how much of them was written."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nasm.analysis import summary
from nasm.base.drawing import Drawn
from nasm.base.dtypes import Array
from nasm.base.problems import Refused, counted, did_you_mean, listed, number_of
from nasm.base.records import dataclass
from nasm.machine.outlines import NoValues
from nasm.machine.records import BankRecord
from nasm.machine.writers import written as writes
from nasm.program.program import Instruction
from nasm.runs.inspection import Inspection
from nasm.views.tensor import Memory, Tensor
from nasm.views.view import View

FREE = -1
"""A cell of a map that no tensor owns."""


@dataclass(frozen=True, slots=True, repr=False)
class Owner:
    """A tensor in its memory: its partitions (none in a linear memory), its bytes in each of them.

    ``written`` is the share that is initialised, None in a run without values.
    """

    name: str
    core: int
    dtype: str
    shape: tuple[int, ...]
    partition: int
    partitions: int
    low: int
    high: int
    written: float | None

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.shape))
        return f"<{self.name} {self.dtype}[{sizes}], bytes {self.low:,} to {self.high:,}>"


@dataclass(frozen=True, slots=True, repr=False)
class MemoryNow(Drawn):
    """A memory of a core: its tensors by address, and a map of the bytes as far as they reach.

    ``cells`` has rows of partitions (one row in a linear memory) and columns of bytes: for each
    the number of its owner (``FREE`` for none) and the share of it that is initialised. ``placed``
    are the bytes of each partition that a tensor owns.
    """

    memory: str
    core: int
    partitions: int
    size: int
    bank: int
    owners: tuple[Owner, ...]
    placed: int
    reach: int
    cells: tuple[tuple[tuple[int, float], ...], ...]

    def __repr__(self) -> str:
        owners = counted(len(self.owners), "tensor")
        return f"<{self.memory} of core {self.core}: {owners}, {self.placed:,} bytes have an owner>"


@dataclass(frozen=True, slots=True, repr=False)
class BankNow:
    """A bank now: what is written in it, and whether instructions ahead add to that.

    ``state`` is ``free``, ``unwritten``, ``accumulating`` or ``closed``; ``next`` is the next
    instruction that writes it, with its queue and pc.
    """

    record: BankRecord
    state: str
    next: str = ""

    def __repr__(self) -> str:
        names = ", ".join(self.record.tensors)
        return (
            f"<{self.record.memory} bank {self.record.bank}: {self.state}, {names or 'no tensor'}>"
        )


@dataclass(frozen=True, slots=True, repr=False)
class Lane:
    """What a tensor has in one partition: bytes from ``low`` on, and how many were written."""

    owner: Owner
    memory: str
    low: int
    high: int
    written: int | None

    def __repr__(self) -> str:
        return f"<{self.owner.name} in {self.memory}: bytes {self.low:,} to {self.high:,}>"


def written(held: Inspection, name: str) -> float:
    """How much of a tensor or a part of one is initialised, from 0 to 1; raises Failure."""
    view = held.view(name)
    if not held.values:
        raise NoValues.of(name)
    access = held.machine.addresses.access(view)
    if access.complete:
        return 1.0
    known = access.known()
    return int(np.count_nonzero(known)) / known.size


# ---------------------------------------------------------------- maps


def memories(
    held: Inspection, name: str = "", rows: int = 8, columns: int = 64
) -> tuple[MemoryNow, ...]:
    """Every memory that has tensors, or that one, of every core; refuses an unknown name."""
    known = held.program.generation.memories
    if name and name not in known:
        hint = did_you_mean(name, known) or f"there is {listed(known, 'and')}"
        raise Refused("E0822", f"no memory '{name}'", hint)
    number_of("rows", rows, 1)
    number_of("columns", columns, 1)
    found = []
    for memory in known.values():
        if name and memory.name != name:
            continue
        cores = range(1 if memory.shared else held.program.cores)
        for core in cores:
            tensors = [
                t
                for t in held.program.tensors.values()
                if t.memory is memory and (memory.shared or t.core == core)
            ]
            if tensors or name:
                found.append(_memory(held, memory, core, tensors, rows, columns))
    return tuple(found)


def _memory(
    held: Inspection, memory: Memory, core: int, tensors: list[Tensor], rows: int, columns: int
) -> MemoryNow:
    tensors = sorted(tensors, key=lambda t: (t.offset or 0, t.partition or 0))
    owners = tuple(owner(held, tensor) for tensor in tensors)
    reach = max((o.high for o in owners), default=0)
    down = min(rows, memory.partitions or 1)
    grid = [[(FREE, 0.0)] * min(columns, reach) for _ in range(down)]
    for number, tensor in enumerate(tensors):
        _mark(held, tensor, number, memory, reach, grid)
    return MemoryNow(
        memory.name,
        core,
        memory.partitions,
        memory.size,
        memory.bank,
        owners,
        _union([(o.low, o.high) for o in owners]),
        reach,
        tuple(map(tuple, grid)),
    )


def owner(held: Inspection, tensor: Tensor) -> Owner:
    """A tensor in its memory."""
    low = tensor.offset or 0
    return Owner(
        tensor.name,
        tensor.core,
        tensor.dtype.name,
        tensor.shape,
        tensor.partition or 0,
        tensor.partitions,
        low,
        low + tensor.bytes,
        written(held, tensor.name) if held.values else None,
    )


def _union(spans: list[tuple[int, int]]) -> int:
    """How many bytes some spans, which are in order, have together."""
    total = at = 0
    for low, high in spans:
        total += max(0, high - max(low, at))
        at = max(at, high)
    return total


def _mark(
    held: Inspection,
    tensor: Tensor,
    number: int,
    memory: Memory,
    reach: int,
    grid: list[list[tuple[int, float]]],
) -> None:
    """Enter a tensor into the cells of which it owns the most, or that are still empty."""
    parts, first = memory.partitions or 1, tensor.partition or 0
    count, low = tensor.partitions or 1, tensor.offset or 0
    known = _known(held, tensor, count)
    for r, row in enumerate(grid):
        top, end = r * parts // len(grid), (r + 1) * parts // len(grid)
        lanes = slice(max(0, top - first), min(count, end - first))
        if lanes.start >= lanes.stop:
            continue
        for c in range(len(row)):
            left, right = c * reach // len(row), (c + 1) * reach // len(row)
            begin, stop = max(left, low) - low, min(right, low + tensor.bytes) - low
            if begin >= stop or (row[c][0] != FREE and 2 * (stop - begin) <= right - left):
                continue
            size = tensor.dtype.itemsize
            part = None if known is None else known[lanes, begin // size : -(-stop // size)]
            row[c] = (number, 1.0 if part is None else float(part.mean()))


def _known(held: Inspection, tensor: Tensor, count: int) -> Array | None:
    """Which elements are initialised, by partition; None if all are, or that is not known."""
    if not held.values:
        return None
    access = held.machine.addresses.access(View.whole(tensor))
    return None if access.complete else access.known().reshape(count, -1)


def lanes(held: Inspection, partition: int, memory: str = "") -> tuple[Lane, ...]:
    """What every tensor has in a partition, by memory and address; refuses one that is none."""
    most = max((m.partitions for m in held.program.generation.memories.values()), default=0)
    if number_of("partitions", partition) >= most:
        message = f"no partition {partition}"
        raise Refused("E0822", message, f"they are 0 to {most - 1}" if most else "")
    found = []
    for tensor in held.program.tensors.values():
        first = tensor.partition or 0
        if not tensor.partitions or not first <= partition < first + tensor.partitions:
            continue
        if memory and tensor.memory.name != memory:
            continue
        count = None
        if held.values:
            known = _known(held, tensor, tensor.partitions)
            size = tensor.dtype.itemsize
            count = tensor.bytes
            if known is not None:
                count = int(np.count_nonzero(known[partition - first])) * size
        about = owner(held, tensor)
        found.append(Lane(about, tensor.memory.name, about.low, about.high, count))
    return tuple(sorted(found, key=lambda lane: (lane.memory, lane.owner.core, lane.low)))


# ---------------------------------------------------------------- banks


def banks(held: Inspection) -> tuple[BankNow, ...]:
    """Every bank of a banked memory, and who writes it next."""
    ahead = _next_writes(held)
    found = []
    for record in held.banks():
        coming = [ahead[name] for name in record.tensors if name in ahead]
        state = "unwritten"
        if not record.tensors:
            state = "free"
        elif record.written:
            state = "accumulating" if any(adds for _, adds in coming) else "closed"
        found.append(BankNow(record, state, coming[0][0] if coming else ""))
    return tuple(found)


def _next_writes(held: Inspection) -> dict[str, tuple[str, bool]]:
    """By tensor the next instruction that writes it, in the order of its queue, and if it adds.

    Branches are not followed; what is in progress counts as ahead.
    """
    program, machine = held.program, held.machine
    banked = {name for name, t in program.tensors.items() if t.memory.bank}
    kept: dict[int, list[tuple[str, bool]]] = {}
    found: dict[str, tuple[str, bool]] = {}
    for queue in machine.scheduler.queues:
        numbers = program.queues[queue.index].instructions
        first = min([queue.pc, *(flying.pc for flying in queue.flight)])
        met: set[str] = set()
        for pc in range(first, len(numbers)):
            number = numbers[pc]
            if number not in kept:
                kept[number] = list(_writes(program.instructions[number], banked))
            for name, adds in kept[number]:
                if name not in met:
                    met.add(name)
                    form = summary.form_text(program, queue.index, pc)
                    text = f"{program.queue_name(queue.index)} pc {pc}  {form}"
                    if name not in found or adds:
                        found[name] = text, adds
            if len(met) == len(banked):
                break
    return found


def _writes(instruction: Instruction, banked: set[str]) -> Iterator[tuple[str, bool]]:
    """The banked tensors that an instruction writes, and whether it adds to them."""
    added = adds(instruction)
    for view in writes(instruction):
        if view.tensor.name in banked:
            yield view.tensor.name, added


def adds(instruction: Instruction) -> bool:
    """Whether an instruction adds to what it writes."""
    flags = [o.adds for o in instruction.row.writes if o.adds]
    return any(instruction.operand(flag) for flag in flags)
