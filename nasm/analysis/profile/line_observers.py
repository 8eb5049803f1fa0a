"""Observers that gather, line by line, what is worth a warning.

See :mod:`nasm.analysis.profile.advice`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from nasm.isa.effects import Jump
from nasm.program.program import Program, Wait
from nasm.sim.channels import Flight
from nasm.sim.counters import holds
from nasm.sim.events import Observer
from nasm.sim.history import History
from nasm.sim.queues import Queue, Task
from nasm.views.regions import Region
from nasm.views.tensor import Memory

LOOKAHEAD = 32
"""How many instructions after the head are considered."""

Key = tuple[int, int]
"""A queue, and which line of the program, as the program numbers them."""


class ByLine(Observer):
    """Counts of some kind for each line, with the pc of the instruction that was counted first."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.first: dict[Key, int] = {}
        self.counts: dict[Key, list[int]] = {}

    def add(self, queue: int, pc: int, *counts: int) -> list[int]:
        """Add to the counts of the line at a place of a queue."""
        key = self.program.line(queue, pc)
        found = self.counts.get(key)
        if found is None:
            self.first[key] = pc
            self.counts[key] = found = [0] * len(counts)
        for n, count in enumerate(counts):
            found[n] += count
        return found

    def save(self) -> Any:
        """Every count."""
        return dict(self.first), {key: tuple(counts) for key, counts in self.counts.items()}

    def restore(self, saved: Any) -> None:
        """As it was."""
        first, counts = saved
        self.first = dict(first)
        self.counts = {key: list(found) for key, found in counts.items()}


class IssuedTransfers(ByLine):
    """Of each line its transfers, bytes, descriptors, channels in use, and what they cost.

    That is the ticks of a channel, or those of issuing them where these are more.
    """

    def __init__(self, program: Program, queues: Sequence[Queue]) -> None:
        super().__init__(program)
        self.queues = queues

    def issued(self, flight: Flight, now: int) -> None:
        """Count a transfer."""
        if flight.bytes:
            used = max(1, flight.working)
            ticks = max(flight.busy // used, self.queues[flight.origin[0]].interval)
            self.add(*flight.origin, 1, flight.bytes, flight.descriptors, used, ticks)


class Readied(ByLine):
    """How often the unit of a line was made ready, and for how many ticks."""

    def readied(
        self, queue: Queue, task: Task, record: int, because: int, start: int, until: int
    ) -> None:
        """Count a time."""
        self.add(queue.index, queue.pc, 1, until - start)


class HeadOfLineBlocking(ByLine):
    """How often a line delayed a transfer after it that was ready, and for how many ticks.

    A line holds it back while it waits for a semaphore at the head of its queue. Ready is a
    transfer whose own wait is over: of those without one it is not known what they rely on.
    """

    def __init__(self, program: Program, history: History) -> None:
        super().__init__(program)
        self.history = history
        self._behind: dict[tuple[int, int], Wait | None] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Count what an instruction delayed while it waited."""
        if queue.cause != "semaphore" or now <= queue.reached:
            return
        key = queue.index, queue.pc
        if key not in self._behind:
            self._behind[key] = self._look(*key)
        behind = self._behind[key]
        since = now if behind is None else max(queue.reached, self._over(behind, now))
        if since < now:
            self.add(*key, 1, now - since)

    def _over(self, wait: Wait, now: int) -> int:
        """Since when a wait is over; now if it is not."""
        posts = self.history.posts.get(wait.semaphore)
        if posts is None:
            return 0 if holds(0, wait.op, wait.value) else now
        at = bisect_right(posts.seen, now)
        if not holds(posts.values[at - 1] if at else 0, wait.op, wait.value):
            return now
        nth = posts.since(wait.op, wait.value, now)
        return 0 if nth < 0 else posts.seen[nth]

    def _look(self, queue: int, pc: int) -> Wait | None:
        """The first wait after an instruction, if it is a transfer's."""
        program, lines = self.program, self.program.queues[queue]
        for at in range(pc + 1, min(len(lines), pc + 1 + LOOKAHEAD)):
            wait = program.waits[lines.waits[at]]
            row = program.instruction(queue, at).row
            if wait is not None:
                return wait if row.moves else None
            if row.effect is Jump:
                return None
        return None


class BankConflicts(ByLine):
    """How often a line used a bank of a memory that another engine was using.

    An instruction uses those of its operands for its interval. ``with_whom`` are the other engines
    of each line, by their queues, and the banks.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._memories = {
            f"{core}.{memory.name}": memory
            for core in range(program.cores)
            for memory in program.generation.memories.values()
            if memory.banks
        }
        self._users: dict[tuple[str, int], dict[int, int]] = {}
        self._known: dict[int, tuple[tuple[str, int], ...]] = {}
        self.with_whom: dict[Key, dict[tuple[int, str, int], None]] = {}

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Look who else is in the banks of an instruction."""
        number = task.work.number
        banks = self._known.get(number)
        if banks is None:
            work = task.work
            banks = tuple(
                dict.fromkeys(b for r in (*work.reads, *work.writes) for b in self._of(r))
            )
            if number >= 0:
                self._known[number] = banks
        if banks:
            self._use(queue, banks, now)

    def _of(self, region: Region) -> list[tuple[str, int]]:
        memory: Memory | None = self._memories.get(region.place)
        if memory is None:
            return []
        first, last = region.low // memory.bank, (region.high - 1) // memory.bank
        return [(region.place, bank) for bank in range(first, last + 1)]

    def _use(self, queue: Queue, banks: tuple[tuple[str, int], ...], now: int) -> None:
        me, met = queue.index, []
        for bank in banks:
            users = self._users.setdefault(bank, {})
            met += [(other, *bank) for other, until in users.items() if other != me and until > now]
            users[me] = now + queue.interval
        if met:
            self.add(me, queue.pc, 1)
            key = me, self.program.queues[me].spans[queue.pc] or -1 - queue.pc
            self.with_whom.setdefault(key, {}).update(dict.fromkeys(met))

    def save(self) -> Any:
        """Every count, and who uses what."""
        users = {bank: dict(found) for bank, found in self._users.items()}
        return super().save(), users, {key: dict(met) for key, met in self.with_whom.items()}

    def restore(self, saved: Any) -> None:
        """As it was."""
        counts, users, met = saved
        super().restore(counts)
        self._users = {bank: dict(found) for bank, found in users.items()}
        self.with_whom = {key: dict(found) for key, found in met.items()}
