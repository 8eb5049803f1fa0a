"""Where tensors go: automatic placement, and the map that is printed when they do not fit.

Tensors of a partitioned memory that the program does not place start at partition 0, share no
bytes, and are placed in the order of their declaration, each at the first byte that is free. In a
memory with banks one that fits a bank stays within one; a larger one starts at a bank's border.

Those of a block share bytes with those of other blocks, neither around it nor within it: they are
not alive together. What is in no block shares its bytes with nothing, whatever comes first in the
text: a loop may lead back to a block.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy

from nasm.base.problems import Problem
from nasm.views.tensor import Memory, Tensor

MOST = 50
"""Limit of tensors of one memory reported not to fit: the rest would be more of the same."""

LISTED = 12
"""Owners that a map names before it says how many more there are."""


Runs = tuple[list[int], list[int]]
"""Bytes of each partition that are taken: starts and ends of runs that are apart, in order."""

Align = Callable[[int, int, Tensor], int]
"""The next byte from one on at which a tensor of so many bytes may start."""


def place(tensors: Iterable[Tensor]) -> list[Problem]:
    """Give every tensor without a place one; returns what does not fit, up to MOST of it."""
    problems: list[Problem] = []
    for group in by_memory(tensors):
        room = _Room(group)
        before = len(problems)
        for tensor in group:
            if tensor.offset is not None:
                continue
            size = tensor.bytes
            at = room.first_fit(tensor, size)
            if at is None:
                problems.append(_full(tensor, group, mapped=len(problems) > before))
                if len(problems) - before == MOST:
                    break
                continue
            tensor.partition, tensor.offset = 0, at
            room.take(tensor, at, size)
    return problems


def placed_in(tensor: Tensor) -> tuple[str, int]:
    """The memory of a core that a tensor is in; that of core 0 if cores share it."""
    return tensor.memory.name, 0 if tensor.memory.shared else tensor.core


def chosen(tensors: Iterable[Tensor]) -> dict[tuple[str, int], bool]:
    """Of each memory of a core, whether all tensors in it would be placed where they are."""
    found: dict[tuple[str, int], bool] = {}
    for group in by_memory(tensors):
        again = [copy(tensor) for tensor in group]
        for tensor in again:
            if not tensor.fixed:
                tensor.partition = tensor.offset = None
        wrong = place(again)
        found[placed_in(group[0])] = not wrong and all(
            (a.partition, a.offset) == (b.partition, b.offset)
            for a, b in zip(again, group, strict=True)
        )
    return found


def by_memory(tensors: Iterable[Tensor]) -> list[list[Tensor]]:
    """Tensors that could be in each other's way: those of one memory of one core."""
    found: dict[tuple[str, int], list[Tensor]] = {}
    for tensor in tensors:
        found.setdefault(placed_in(tensor), []).append(tensor)
    return list(found.values())


class Room:
    """The bytes of each partition that tensors take which share none."""

    def __init__(self) -> None:
        self.runs: Runs = [], []

    def take(self, at: int, size: int) -> None:
        """Note that these bytes have an owner now."""
        starts, ends = self.runs
        behind = bisect_left(starts, at)
        starts.insert(behind, at)
        ends.insert(behind, at + size)

    def give(self, at: int) -> None:
        """Note that what was taken from this byte on is free again."""
        starts, ends = self.runs
        behind = bisect_left(starts, at)
        del starts[behind], ends[behind]


def clear(tensor: Tensor, size: int, at: int, taken: Iterable[Runs], align: Align) -> int:
    """The first byte from one on where a tensor at partition 0 is clear of what is taken."""
    begun = -1
    at = align(at, size, tensor)
    while begun != at:
        begun = at
        for starts, ends in taken:
            behind = bisect_left(starts, at + size)
            while behind and ends[behind - 1] > at:
                at = align(ends[behind - 1], size, tensor)
                behind = bisect_left(starts, at + size)
    return at


def joined(spans: Iterable[tuple[int, int]]) -> Runs:
    """What spans of bytes, which are in order and may overlap, take together."""
    starts: list[int] = []
    ends: list[int] = []
    for low, high in spans:
        if ends and low <= ends[-1]:
            ends[-1] = max(ends[-1], high)
        else:
            starts.append(low)
            ends.append(high)
    return starts, ends


class _Room:
    """What is taken of a memory of one core, by those placed here, which are never given back.

    Those that the program placed may overlap, and are kept apart: ``runs`` are the bytes they take,
    by how many partitions are looked at.
    """

    def __init__(self, group: Iterable[Tensor]) -> None:
        placed = sorted((t for t in group if t.offset is not None), key=_start)
        self.fixed = [t for t in placed if t.fixed and not t.block]
        self.runs: dict[int, Runs] = {}
        self.own = Room()
        self.own.runs = joined(_span(t) for t in placed if not t.fixed)
        self.reached: dict[tuple[object, ...], int] = {}
        self.blocks = _Blocks()
        for tensor in placed:
            if tensor.block:
                self.blocks.take(tensor, _start(tensor))

    def first_fit(self, tensor: Tensor, size: int) -> int | None:
        """The lowest byte offset at partition 0 with so many bytes free; None if there is none.

        One like an earlier one is looked for from there on.
        """
        partitions, most = tensor.partitions, tensor.memory.size
        like = size, tensor.dtype.itemsize, partitions, tensor.block
        taken = (self.own.runs, self._taken(partitions), *self.blocks.taken(tensor.block))
        at = self.reached[like] = clear(tensor, size, self.reached.get(like, 0), taken, aligned)
        return at if not most or at + size <= most else None

    def take(self, tensor: Tensor, at: int, size: int) -> None:
        """Note that a tensor has its place."""
        if tensor.block:
            tensor.fixed = True  # others may have its bytes
            self.blocks.take(tensor, at)
        else:
            self.own.take(at, size)

    def _taken(self, partitions: int) -> Runs:
        """What placed tensors take of the first partitions."""
        runs = self.runs.get(partitions)
        if runs is None:
            met = (t for t in self.fixed if meets(t, partitions))
            runs = self.runs[partitions] = joined(map(_span, met))
        return runs


class _Blocks:
    """What tensors of blocks take: by their block, and of all that are within one."""

    def __init__(self) -> None:
        self.own: dict[tuple[int, ...], Room] = {}
        self.within: dict[tuple[int, ...], list[tuple[int, int]]] = {}

    def take(self, tensor: Tensor, at: int) -> None:
        """Note that a tensor has its place."""
        block = tensor.block
        self.own.setdefault(block, Room()).take(at, tensor.bytes)
        for end in range(len(block)):
            self.within.setdefault(block[:end], []).append((at, at + tensor.bytes))

    def taken(self, block: tuple[int, ...]) -> Iterator[Runs]:
        """What those take that are in the block of a tensor, around it or within it; or in any."""
        for end in range(1, len(block) + 1):
            room = self.own.get(block[:end])
            if room is not None:
                yield room.runs
        inside = self.within.get(block)
        if inside:
            inside.sort()
            yield joined(inside)


def meets(placed: Tensor, partitions: int) -> bool:
    """Whether a placed tensor has any of the first partitions; in a linear memory it does."""
    return not placed.memory.partitions or (placed.partition or 0) < partitions


def _start(tensor: Tensor) -> int:
    return tensor.offset or 0


def _span(tensor: Tensor) -> tuple[int, int]:
    return _start(tensor), _start(tensor) + tensor.bytes


def aligned(at: int, size: int, tensor: Tensor) -> int:
    """The next byte at which the tensor may start: its alignment, and its bank's border."""
    memory = tensor.memory
    align = max(memory.align, tensor.dtype.itemsize)
    at = -(-at // align) * align
    if memory.bank and (at + size - 1) // memory.bank != at // memory.bank:
        at = -(-at // memory.bank) * memory.bank
    return at


def at_border(at: int, _: int, tensor: Tensor) -> int:
    """The next byte at which a bank begins."""
    bank = tensor.memory.bank
    return -(-at // bank) * bank


def _full(tensor: Tensor, group: list[Tensor], mapped: bool) -> Problem:
    """What does not fit, with the map of its memory unless that was shown before."""
    memory = tensor.memory
    placed = [t for t in group if t.offset is not None]
    used = in_use(placed)
    head = (
        f"{tensor.name} needs {tensor.bytes:,} bytes per partition, and {memory.name} has no "
        f"free run of that size: {used:,} of {memory.size:,} are used"
    )
    lines = [f"{memory.name} without it:", *chart(memory, placed)]
    what = "declare fewer or smaller tensors, or put those that live at other times into '.scope'"
    hint = "" if mapped else "\n".join([what, *lines])
    return Problem("E0311", head, tensor.span, hint)


def in_use(placed: Iterable[Tensor]) -> int:
    """How many bytes of each partition placed tensors take together."""
    starts, ends = joined(sorted(map(_span, placed)))
    return sum(ends) - sum(starts)


def free_runs(memory: Memory, placed: Iterable[Tensor]) -> list[int]:
    """The lengths of what placed tensors leave free."""
    starts, ends = joined(sorted(map(_span, placed)))
    return [low - high for low, high in zip([*starts, memory.size], [0, *ends], strict=True)]


def chart(
    memory: Memory, placed: Iterable[Tensor], about: Mapping[str, str] | None = None
) -> list[str]:
    """Who owns which bytes of each partition, in order, with the gaps between them.

    ``about`` is what else is reported of a tensor, by its name.
    """
    lines: list[str] = []
    at = 0
    for tensor in sorted(placed, key=_start):
        start, end = _span(tensor)
        if start > at:
            lines.append(_row(memory, at, start, "(free)"))
        first = tensor.partition or 0
        owner = f"{tensor.name}, partitions {first} to {first + tensor.partitions - 1}"
        text = (about or {}).get(tensor.name)
        lines.append(_row(memory, start, end, f"{owner}, {text}" if text else owner))
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
    """The error of the place a program chose, or None."""
    memory = tensor.memory
    assert tensor.offset is not None
    first = tensor.partition or 0
    if memory.partitions and not 0 <= first <= memory.partitions - tensor.partitions:
        return (
            f"{tensor.name} would cover partitions {first} to {first + tensor.partitions - 1}; "
            f"{memory.name} has {memory.partitions}"
        )
    if not memory.partitions and first:
        return f"{tensor.name} would begin at partition {first}; {memory.name} has none"
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
