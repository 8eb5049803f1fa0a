"""Memory of random programs: what was written, by whom, and who has read it since.

Bytes are told apart by groups of 32 partitions (in HBM: of rows) and words of 32 bits. Several
tensors may lie in one area.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from tests.fuzz.ordered.weave import COMPLETES, LANDS, STARTS, Event, Op, Where

ROWS = 32

GROUPS = ((0, 1), (0, 2), (0, 4), (1, 1), (2, 1), (2, 2), (3, 1))
"""Groups that an engine can have: the first, and how many."""


class Entry(NamedTuple):
    """An access that later ones may have to wait for; ``strict`` are those of its queue as well."""

    op: Op
    mask: int
    writes: bool
    event: Event
    strict: bool


@dataclass(eq=False)
class Area:
    """Bytes that some tensors share; a core's, or in HBM.

    ``filled`` is what has a value, ``multiplied`` what a matmul wrote last, ``unread`` are results
    that nothing has read.
    """

    memory: str
    core: int
    words: int
    tensors: list[Tensor] = field(default_factory=list)
    filled: int = 0
    multiplied: int = 0
    unread: list[int] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    def needs(self, where: Where, mask: int, writes: bool, moves: bool) -> Iterator[Event]:
        """What has to be over before an access."""
        for entry in self.entries:
            if not entry.mask & mask or not (writes or entry.writes):
                continue
            if moves or entry.strict or entry.op.where != where:
                yield entry.event

    def writers(self, mask: int) -> Iterator[Op]:
        """The instructions that wrote some bytes."""
        for entry in self.entries:
            if entry.mask & mask and entry.writes and not entry.op.moves:
                yield entry.op

    def read(self, op: Op, mask: int, strict: bool = False) -> None:
        """An access that reads."""
        self.unread = [left for left in self.unread if not left & mask]
        event = op.event(LANDS if op.moves else COMPLETES if strict else STARTS)
        self.entries.append(Entry(op, mask, False, event, strict or op.moves))

    def write(self, op: Op, masks: Iterable[int], strict: bool = False) -> None:
        """An access that writes; each mask is a result."""
        for mask in masks:
            self.unread = [left & ~mask for left in self.unread] + [mask]
            self.entries = [e._replace(mask=e.mask & ~mask) for e in self.entries if e.mask & ~mask]
            self.entries.append(Entry(op, mask, True, op.end, strict or op.moves))
            self.filled |= mask
            self.multiplied &= ~mask


@dataclass(eq=False)
class Tensor:
    """A tensor of float32: groups of rows by words, from a group and a word of its area on."""

    name: str
    area: Area
    group: int
    groups: int
    word: int
    width: int
    declared: str

    def view(self, group: int, groups: int, start: int, count: int, step: int) -> View:
        """Some groups and words of it."""
        return View(self, group, groups, start, count, step)

    @property
    def whole(self) -> View:
        """All of it."""
        return View(self, 0, self.groups, 0, self.width, 1)


class View(NamedTuple):
    """Groups of a tensor from one on, and words from one on, with a step."""

    tensor: Tensor
    group: int
    groups: int
    start: int
    count: int
    step: int

    @property
    def area(self) -> Area:
        """Where it lies."""
        return self.tensor.area

    @property
    def mask(self) -> int:
        """Its bytes in the area."""
        tensor, row = self.tensor, 0
        for word in range(self.count):
            row |= 1 << tensor.word + self.start + word * self.step
        first = tensor.group + self.group
        return sum(row << self.area.words * g for g in range(first, first + self.groups))

    def meets(self, other: View) -> bool:
        """Whether they share a byte."""
        return self.area is other.area and bool(self.mask & other.mask)

    def __str__(self) -> str:
        tensor = self.tensor
        if self == tensor.whole:
            return tensor.name
        rows = ":"
        if self.groups < tensor.groups:
            rows = f"{ROWS * self.group}:{ROWS * (self.group + self.groups)}"
        end = self.start + (self.count - 1) * self.step + 1
        if self.count == tensor.width:
            return f"{tensor.name}[{rows}]"
        step = f":{self.step}" if self.step > 1 else ""
        return f"{tensor.name}[{rows}, {self.start}:{end}{step}]"


def drawn(
    draw: Random, tensor: Tensor, groups: int = 0, count: int = 0, whole: float = 0.3
) -> View | None:
    """A view of a tensor, of some groups and words if these are given."""
    if not groups and not count and draw.random() < whole:
        return tensor.whole
    rows = [
        (g, n)
        for g, n in GROUPS
        if g + n <= tensor.groups
        and (groups in (0, n))
        and ((g + tensor.group, n) in GROUPS or tensor.area.memory == "hbm")
    ]
    if not rows or count > tensor.width:
        return None
    group, many = draw.choice(rows)
    step = draw.choice((1, 1, 1, 2, 2, 4))
    while count and (count - 1) * step >= tensor.width:
        step -= 1
    most = (tensor.width - 1) // step + 1
    number = count or draw.choice([n for n in (1, 2, 4, 8, 16, most) if n <= most])
    start = draw.randint(0, tensor.width - 1 - (number - 1) * step)
    if step > 1 and number == 1:
        step = 1
    return tensor.view(group, many, start, number, step)
