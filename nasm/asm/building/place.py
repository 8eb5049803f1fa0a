"""Where tensors go: automatic placement, and the map that is printed when they do not fit.

Tensors of a partitioned memory that the program does not place start at partition 0, never share
bytes, and are placed in the order of their declaration, each at the first byte that is free. In a
memory with banks one that fits a bank stays within one; a larger one starts at a bank's border.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

from nasm.problems import Problem
from nasm.spec.memory import Memory, Tensor

MOST = 50
"""Tensors of one memory that are said not to fit: the rest would be more of the same."""

LISTED = 12
"""Owners that a map names before it says how many more there are."""


def place(tensors: Iterable[Tensor]) -> list[Problem]:
    """Give every tensor without a place one; returns what does not fit, up to MOST of it."""
    problems: list[Problem] = []
    by_memory: dict[tuple[int, str], list[Tensor]] = {}
    for tensor in tensors:
        core = 0 if tensor.memory.shared else tensor.core
        by_memory.setdefault((core, tensor.memory.name), []).append(tensor)
    for group in by_memory.values():
        room = _Room(group)
        before = len(problems)
        for tensor in group:
            if tensor.offset is not None:
                continue
            at = room.first_fit(tensor)
            if at is None:
                problems.append(_full(tensor, group, mapped=len(problems) > before))
                if len(problems) - before == MOST:
                    break
                continue
            tensor.partition, tensor.offset = 0, at
            room.take(at, tensor.bytes)
    return problems


class _Room:
    """What is taken of a memory of one core.

    Tensors placed here start at partition 0 and share no bytes: ``starts`` and ``ends`` of theirs
    are both in order. Those that the program placed may overlap, and stand apart: ``runs`` are the
    bytes they take, by how many partitions are looked at.
    """

    def __init__(self, group: Iterable[Tensor]) -> None:
        placed = sorted((t for t in group if t.offset is not None), key=_start)
        self.fixed = [t for t in placed if t.fixed]
        self.runs: dict[int, tuple[list[int], list[int]]] = {}
        self.starts = [_start(t) for t in placed if not t.fixed]
        self.ends = [_start(t) + t.bytes for t in placed if not t.fixed]
        self.reached: dict[tuple[int, int, int], int] = {}

    def first_fit(self, tensor: Tensor) -> int | None:
        """The lowest byte offset at partition 0 that is free; None if there is none.

        Nothing is ever given back, so that one like an earlier one is looked for from there on.
        """
        like = tensor.bytes, tensor.dtype.itemsize, tensor.partitions
        at, clear = self.reached.get(like, _aligned(0, tensor)), False
        while not clear:
            begun = at
            behind = bisect_left(self.starts, at + tensor.bytes)
            if behind and self.ends[behind - 1] > at:
                at = _aligned(self.ends[behind - 1], tensor)
                continue
            at = self._past_fixed(tensor, at)
            clear = at == begun
        self.reached[like] = at
        size = tensor.memory.size
        return at if not size or at + tensor.bytes <= size else None

    def _past_fixed(self, tensor: Tensor, at: int) -> int:
        starts, ends = self._taken(tensor.partitions)
        behind = bisect_right(ends, at)
        while behind < len(starts) and starts[behind] < at + tensor.bytes:
            at = _aligned(ends[behind], tensor)
            behind = bisect_right(ends, at, behind)
        return at

    def _taken(self, partitions: int) -> tuple[list[int], list[int]]:
        """The runs of bytes that placed tensors take of the first partitions, apart, in order."""
        runs = self.runs.get(partitions)
        if runs is None:
            starts: list[int] = []
            ends: list[int] = []
            for other in self.fixed:
                if other.memory.partitions and (other.partition or 0) >= partitions:
                    continue
                start = _start(other)
                if ends and start <= ends[-1]:
                    ends[-1] = max(ends[-1], start + other.bytes)
                else:
                    starts.append(start)
                    ends.append(start + other.bytes)
            runs = self.runs[partitions] = starts, ends
        return runs

    def take(self, at: int, size: int) -> None:
        """Note that these bytes have an owner now."""
        behind = bisect_left(self.starts, at)
        self.starts.insert(behind, at)
        self.ends.insert(behind, at + size)


def _start(tensor: Tensor) -> int:
    return tensor.offset or 0


def _aligned(at: int, tensor: Tensor) -> int:
    """The next byte at which the tensor may start: its alignment, and its bank's border."""
    memory = tensor.memory
    align = max(memory.align, tensor.dtype.itemsize)
    at = -(-at // align) * align
    if memory.bank and (at + tensor.bytes - 1) // memory.bank != at // memory.bank:
        at = -(-at // memory.bank) * memory.bank
    return at


def _full(tensor: Tensor, group: list[Tensor], mapped: bool) -> Problem:
    """What does not fit, with the map of its memory unless that was shown before."""
    memory = tensor.memory
    placed = [t for t in group if t.offset is not None]
    used = sum(t.bytes for t in placed)
    head = (
        f"{tensor.name} needs {tensor.bytes:,} bytes per partition, and {memory.name} has no "
        f"free run of that size: {used:,} of {memory.size:,} are used"
    )
    lines = [f"{memory.name} without it:", *chart(memory, placed)]
    hint = "" if mapped else "\n".join(["declare fewer or smaller tensors, or reuse one", *lines])
    return Problem("E0311", head, tensor.span, hint)


def chart(memory: Memory, placed: list[Tensor]) -> list[str]:
    """Who owns which bytes of each partition, in order, with the gaps between them."""
    lines: list[str] = []
    at = 0
    for tensor in sorted(placed, key=_start):
        start = _start(tensor)
        if start > at:
            lines.append(_row(memory, at, start, "(free)"))
        end = start + tensor.bytes
        first = tensor.partition or 0
        lines.append(
            _row(
                memory,
                start,
                end,
                f"{tensor.name}, partitions {first} to {first + tensor.partitions - 1}",
            )
        )
        at = max(at, end)
    if memory.size > at:
        lines.append(_row(memory, at, memory.size, "(free)"))
    if len(lines) > LISTED + 1:
        rest = len(lines) - LISTED
        lines = [*lines[: LISTED - 1], f"    … {rest} more …", lines[-1]]
    return lines


def _row(memory: Memory, start: int, end: int, owner: str) -> str:
    banks = ""
    if memory.bank:
        first, last = start // memory.bank, (end - 1) // memory.bank
        banks = f"bank {first}" if first == last else f"banks {first}-{last}"
        banks = f"{banks:<11}"
    return f"    {start:>7,} .. {end:>7,}  {banks}{end - start:>7,} bytes  {owner}"


def fixed_problem(tensor: Tensor) -> str | None:
    """What is wrong with the place a program chose, or None."""
    memory = tensor.memory
    assert tensor.offset is not None
    first = tensor.partition or 0
    if memory.partitions and not 0 <= first <= memory.partitions - tensor.partitions:
        return (
            f"{tensor.name} would cover partitions {first} to {first + tensor.partitions - 1}; "
            f"{memory.name} has {memory.partitions}"
        )
    if tensor.offset < 0:
        return f"{tensor.name} would begin at byte {tensor.offset}; the first is 0"
    if memory.size and tensor.offset + tensor.bytes > memory.size:
        return (
            f"{tensor.name} would end at byte {tensor.offset + tensor.bytes:,} of each partition; "
            f"{memory.name} has {memory.size:,}"
        )
    if tensor.offset % tensor.dtype.itemsize:
        return f"{tensor.name} at byte {tensor.offset} is not aligned to its {tensor.dtype.name}"
    return None
