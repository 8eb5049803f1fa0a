"""Everything of a machine that changes: memories, registers and what engines hold."""

from __future__ import annotations

from typing import Any

from nasm.sim.memory import Store
from nasm.spec.memory import Tensor
from nasm.spec.program import Program


class Registers:
    """The registers of one queue: 32-bit integers, and which were ever set."""

    __slots__ = ("known", "values")

    def __init__(self, count: int) -> None:
        self.values = [0] * count
        self.known = [False] * count

    def set(self, number: int, value: int) -> None:
        """Store a value, wrapped to a signed 32-bit integer."""
        self.values[number] = (value + 2**31) % 2**32 - 2**31
        self.known[number] = True


class State:
    """Memories by core and name, registers by queue, and what each engine holds by name."""

    def __init__(self, program: Program) -> None:
        self.stores: dict[tuple[int, str], Store] = {}
        self.registers = [Registers(program.generation.registers) for _ in program.queues]
        self.held: list[dict[str, Any]] = [{} for _ in program.queues]
        self.ready: list[dict[str, int]] = [{} for _ in program.queues]
        cores = sorted({q.core for q in program.queues})
        for memory in program.generation.memories.values():
            size = memory.size or _extent(program, memory.name)
            for core in cores[:1] if memory.shared else cores:
                self.stores[core, memory.name] = Store(memory.name, memory.partitions, size, core)
        self._shared = _overlapping(program)

    def alone(self, tensor: Tensor) -> bool:
        """Whether no other tensor shares bytes with this one."""
        return tensor.index not in self._shared

    def store(self, tensor: Tensor) -> Store:
        """The memory a tensor lives in."""
        memory = tensor.memory
        return self.stores[0 if memory.shared else tensor.core, memory.name]


def _overlapping(program: Program) -> set[int]:
    """Numbers of the tensors that share a byte with another; only chosen places can."""
    found: set[int] = set()
    tensors = list(program.tensors.values())
    for fixed in (t for t in tensors if t.fixed):
        for other in tensors:
            if other is not fixed and _meet(fixed, other):
                found |= {fixed.index, other.index}
    return found


def _meet(a: Tensor, b: Tensor) -> bool:
    if a.memory is not b.memory or (a.core != b.core and not a.memory.shared):
        return False
    first, second, start, begin = a.partition or 0, b.partition or 0, a.offset or 0, b.offset or 0
    rows = not a.partitions or (
        first < second + b.partitions and second < first + a.partitions
    )
    return rows and start < begin + b.bytes and begin < start + a.bytes


def _extent(program: Program, name: str) -> int:
    """Bytes a memory needs to hold everything declared in it."""
    ends = [
        (t.offset or 0) + t.bytes for t in program.tensors.values() if t.memory.name == name
    ]
    return max(ends, default=0)
