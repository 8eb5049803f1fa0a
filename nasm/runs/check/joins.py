"""Branches of which both sides are followed as one, where they meet again.

What a branch that a value decides goes around, and what it does instead, are *optional*: on some
ways they are executed, on others not. If optional instructions neither wait nor post, and only
touch memory and registers, all ways through the branch synchronise as one that executes all of
them, one side after the other. On that one

* no optional instruction orders anything: nothing counts as waiting for its results;
* what it touches it may touch, as what is at an address that is not known;
* what it writes is not written for what is read later, a register has its value or the old one, and
  its engine holds values of the same form as before.

So whatever is in order there is so on every way. What is not may be so anyway: it is then looked
for way by way.
"""

from __future__ import annotations

from collections.abc import Collection

from nasm.base.records import dataclass, field
from nasm.isa.effects import Jump
from nasm.isa.list_kinds import views
from nasm.machine.machine import Machine
from nasm.runs.check.accesses import Touches
from nasm.runs.check.counters import Place
from nasm.sim.events import Observer
from nasm.sim.queues import Queue, Task
from nasm.views.regions import Region


@dataclass(slots=True)
class Joins:
    """The branches of a program whose sides meet again.

    ``meets`` says where, by the branch; ``ends`` are the jumps at the end of one side over the
    other, by the branch that they belong to; ``optional`` are the instructions of the sides.
    """

    meets: dict[Place, int] = field(default_factory=dict)
    ends: dict[Place, Place] = field(default_factory=dict)
    optional: set[Place] = field(default_factory=set)


def joins(machine: Machine, touches: Touches, added: Collection[int]) -> Joins:
    """The branches whose sides can be followed as one.

    ``added`` are areas onto which instructions accumulate: who wrote these last matters.
    """
    found = Joins()
    for queue, lines in enumerate(machine.program.queues):
        if lines.labels:
            _Branches(machine, touches, added, queue, found).find()
    return found


class _Branches:
    """The branches of one queue."""

    def __init__(
        self, machine: Machine, touches: Touches, added: Collection[int], queue: int, found: Joins
    ) -> None:
        self.machine, self.touches, self.added, self.queue = machine, touches, added, queue
        self.found, self.lines = found, machine.program.queues[queue]
        self.fixed: dict[int, int] = {}
        self.open: dict[int, int] = {}
        for pc in range(len(self.lines)):
            self._jump(pc)

    def _jump(self, pc: int) -> None:
        """Remember where a jump leads that is always taken, or that a value may decide."""
        instruction = self.machine.program.instruction(self.queue, pc)
        if instruction.row.effect is not Jump:
            return
        known, labels = self.touches.target(self.queue, pc), self.lines.labels
        if known is None:
            for number in instruction.row.labels:
                self.open[pc] = labels[str(instruction.operands[number])]
        else:
            self.fixed[pc] = pc + 1 if known.target is None else labels[known.target]

    def find(self) -> None:
        """Find those whose sides meet: the inner ones first."""
        for pc in sorted(self.open, reverse=True):
            target = self.open[pc]
            if target > pc:
                self._branch(pc, target)

    def _branch(self, pc: int, target: int) -> None:
        meets, end, queue = target, target - 1, self.queue
        other = self.fixed.get(end, -1) if end > pc else -1
        if other >= target:
            meets = other
            sides = self._optional(pc + 1, end) and self._optional(target, meets)
            if not sides or self._synchronises(end):
                return
        elif not self._optional(pc + 1, target):
            return
        if self._entered(pc, meets):
            return
        self.found.meets[queue, pc] = meets
        self.found.optional |= {(queue, at) for at in range(pc + 1, meets)}
        if other >= target:
            self.found.ends[queue, end] = queue, pc

    def _optional(self, at: int, high: int) -> bool:
        """Whether all from one pc to another touch memory and registers alone."""
        while at < high:
            meets = self.found.meets.get((self.queue, at))
            if meets is None and not self._plain(at):
                return False
            if meets is not None and self._synchronises(at):
                return False
            at = at + 1 if meets is None else meets
        return at == high

    def _entered(self, pc: int, meets: int) -> bool:
        """Whether something from elsewhere leads into the sides of a branch."""
        jumps = (*self.fixed.items(), *self.open.items())
        return any(pc < to < meets and not pc <= at < meets for at, to in jumps)

    def _synchronises(self, pc: int) -> bool:
        """Whether an instruction waits or posts."""
        return self.lines.waits[pc] != 0 or self.lines.updates[pc] != 0

    def _plain(self, pc: int) -> bool:
        """Whether all that an instruction does is done to memory and registers."""
        instruction = self.machine.program.instruction(self.queue, pc)
        row = instruction.row
        if self._synchronises(pc) or row.effect is not None or row.condition is not None:
            return False
        areas = self.machine.state.areas
        every = [view for operand in instruction.operands for view in views(operand)]
        return not (
            row.holds or row.posts or any(areas[view.tensor.index] in self.added for view in every)
        )


class OptionalTouches(Observer):
    """What optional instructions touch, by the number of their work, in ``touched``."""

    CACHES = ("touched",)

    def __init__(self, optional: Collection[Place]) -> None:
        self.optional = optional
        self.touched: dict[int, frozenset[Region]] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """All that an optional instruction touches, it may touch."""
        if (queue.index, queue.pc) in self.optional:
            work = task.work
            self.touched[work.number] = frozenset((*work.reads, *work.writes))
