"""A machine that simulates some tiles of a program, while other machines simulate the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from nasm.base.problems import Problem
from nasm.isa.micro_instructions import Micro
from nasm.isa.pace import Pace
from nasm.machine.changes import Changes
from nasm.machine.findings import Fact, Findings, Key
from nasm.machine.group_packets import GroupPackets, Unfit
from nasm.machine.machine import Machine, scheduler_parts
from nasm.machine.numbers import LineFindings, NumberFindings
from nasm.program.program import Program
from nasm.sim.channels import Group
from nasm.sim.counters import Semaphore, Who
from nasm.sim.delays import Delays
from nasm.sim.events import Observer
from nasm.sim.group_scheduler import GroupScheduler
from nasm.sim.queues import Flying, Queue, Task

DONE, POST, SAY, FOUND, COUNT, BEGUN = "done", "post", "say", "found", "count", "begun"
BELOW = "below"
"""The first words of what an event of a group tells; those of packets are in group_packets."""


class Telling(Observer):
    """Tells what a summary, a trace and a watch of the whole machine would hear.

    ``expanded`` counts the instructions that were expanded to others, by queue.
    """

    def __init__(self, scheduler: GroupScheduler, per_core: int) -> None:
        self.scheduler, self.per_core = scheduler, max(1, per_core)
        self.expanded: dict[int, Counter[Any]] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """An instruction has started."""
        self.scheduler.heard.append((BEGUN, queue.index))

    def finished(self, queue: Queue, done: Flying) -> None:
        """An instruction has completed."""
        core, index, pc, head, start, finish = done[:6]
        micro = -1
        if type(pc) is Micro:
            micro = pc.micro
            self.expanded.setdefault(index, Counter())[pc.instruction] += 1
        record = core, index, int(pc), head, start, finish
        self.scheduler.heard.append((DONE, record, done.record, micro))

    def landed(self, group: Group, now: int) -> None:
        """Something was moved by channels, which no network is."""
        raise Unfit("it moves data by channels")

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """A semaphore was changed."""
        core, own = divmod(number, self.per_core)
        self.scheduler.heard.append((POST, (core, own, now, semaphore.value)))
        last = semaphore.last
        if semaphore.value < 0 and last is not None:
            self.scheduler.heard.append((BELOW, number, now, semaphore.value, last))

    def message_printed(self, queue: Queue, text: str, now: int) -> None:
        """An instruction has said something."""
        self.scheduler.heard.append((SAY, (queue.core, queue.index, int(queue.pc), now, text)))


class TellingNumbers(NumberFindings):
    """Tells of each line what was counted, each time."""

    scheduler: GroupScheduler

    def _count(
        self,
        found: dict[Any, LineFindings],
        key: Any,
        who: Who,
        where: str,
        counts: tuple[int, ...],
    ) -> None:
        super()._count(found, key, who, where, counts)
        self.scheduler.heard.append((COUNT, found is self.born, key, who, where, counts))


class TellingFindings(Findings):
    """Tells of each finding when it is new."""

    scheduler: GroupScheduler

    def _add(self, fact: Fact | Problem, key: Key, warning: bool = False) -> None:
        if not self._known(key):
            self.scheduler.heard.append((FOUND, fact, key, warning))
        super()._add(fact, key, warning)


class GroupMachine(Machine):
    """A machine of all of a program's tiles, of which those of one ``group`` do something.

    ``groups`` says which group has a core, ``memories`` which one a memory that tiles share. What
    is observed of it is heard by its ``scheduler``, in the order of the group.
    """

    scheduler: GroupScheduler
    packets: GroupPackets

    def __init__(
        self,
        program: Program,
        group: int,
        groups: Sequence[int],
        memories: Mapping[str, int],
        values: bool,
        checked: bool,
    ) -> None:
        self.group, self.groups, self.memories = group, groups, memories
        self.cores = frozenset(core for core, of in enumerate(groups) if of == group)
        super().__init__(program, values=values, checked=checked)
        self.scheduler.ignore(self.summary)
        if self.below_zero.needed:
            self.scheduler.ignore(self.below_zero)
        self.telling = Telling(self.scheduler, program.generation.counters)
        self.scheduler.observe(self.telling)

    def _new_findings(self) -> Findings:
        made = TellingFindings(
            self.program, lambda: self.scheduler.acting, lambda view: self.addresses.region(view)
        )
        made.numbers = TellingNumbers(self.program, lambda: self.scheduler.acting)
        return made

    def _new_scheduler(
        self, paces: Sequence[Pace], changes: Changes, delays: Delays | None
    ) -> GroupScheduler:
        made = GroupScheduler(**scheduler_parts(self.program, paces, changes), cores=self.cores)
        assert isinstance(self.findings, TellingFindings)
        assert isinstance(self.findings.numbers, TellingNumbers)
        self.findings.scheduler = self.findings.numbers.scheduler = made
        return made

    def _packets(self) -> GroupPackets:
        make = self.program.target.network
        assert make is not None, "tiles have a network"
        return GroupPackets(
            self.program,
            self.state,
            self.findings,
            self.scheduler,
            make,
            self.group,
            self.groups,
            self.memories,
        )

    def owns(self, core: int, memory: str) -> bool:
        """Whether something of a core, or of a memory that tiles share, is of this group."""
        shared = self.memories.get(memory)
        return self.groups[core] == self.group if shared is None else shared == self.group

    def prepare(self, bursts: bool = False) -> None:
        """Bind the instructions of the group's tiles before they run."""
        for queue, tasks in zip(self.scheduler.queues, self.tasks, strict=True):
            if queue.core in self.cores:
                tasks.prepare(bursts)
