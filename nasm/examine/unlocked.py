"""What would break if engines did not wait for their own earlier results.

Without an interlock an instruction that reads what an earlier one of its queue writes is in order
with it only if its queue has waited for something that comes after that one's completion. Whether
it has is decided by forbidding the completion and letting everything else happen that can: an
instruction that can still start does not come after it. This holds for counters that only go up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nasm.examine.executed import Executed, Log
from nasm.examine.records import Executable, Reliance
from nasm.examine.touches import Touches
from nasm.machine.machine import Machine
from nasm.sim.regions import REGISTERS, Region, overlap
from nasm.spec.program import Program

MOST = 2_000_000
"""Pairs of regions that are compared."""


class _TooManyError(Exception):
    """There are too many places in memory to compare them all."""


class _Greedy:
    """Lets everything happen that can, in any order, while completions of one queue are forbidden.

    ``started`` and ``completed`` count the instructions of each queue for which that has happened.
    """

    def __init__(self, queues: Sequence[Sequence[Executed]], held: int) -> None:
        self.queues, self.held = queues, held
        self.allowed = 0
        self.started = [0] * len(queues)
        self.completed = [0] * len(queues)
        self.values: dict[int, int] = {}
        self._waiting: dict[int, set[int]] = {}
        self._members: dict[int, set[int]] = {}
        for queue, log in enumerate(queues):
            for done in log:
                if done.step.meeting >= 0:
                    self._members.setdefault(done.step.meeting, set()).add(queue)
        self._ready: dict[int, set[int]] = {}

    def allow(self, count: int) -> int:
        """Allow so many completions of the queue; returns how many of it can start then."""
        self.allowed = count
        self._go([self.held] if count else list(range(len(self.queues))))
        return self.started[self.held]

    def _go(self, active: list[int]) -> None:
        while active:
            queue = active.pop()
            while self._start(queue, active) or self._complete(queue, active):
                pass

    def _start(self, queue: int, active: list[int]) -> bool:
        at, log = self.started[queue], self.queues[queue]
        if at == len(log):
            return False
        step = log[at].step
        wait = step.wait
        if wait is not None and self.values.get(wait.counter, 0) < wait.value:
            self._waiting.setdefault(wait.counter, set()).add(queue)
            return False
        if step.meeting >= 0 and not self._meets(step.meeting, queue, active):
            return False
        self.started[queue] = at + 1
        change, issue = step.change, step.issue
        if change is not None and change.at_start:
            self._post(change.counter, change.value, active)
        if issue is not None and issue.counter is not None:
            self._post(issue.counter, issue.shares, active)
        return True

    def _meets(self, meeting: int, queue: int, active: list[int]) -> bool:
        """Whether all of a meeting could start; the last to come lets the others try again."""
        ready, members = self._ready.setdefault(meeting, set()), self._members[meeting]
        if ready == members:
            return True
        ready.add(queue)
        if ready != members:
            return False
        active += members - {queue}
        return True

    def _complete(self, queue: int, active: list[int]) -> bool:
        at = self.completed[queue]
        most = self.started[queue]
        if queue == self.held:
            most = min(most, self.allowed)
        if at >= most:
            return False
        self.completed[queue] = at + 1
        change = self.queues[queue][at].step.change
        if change is not None and not change.at_start:
            self._post(change.counter, change.value, active)
        return True

    def _post(self, counter: int, value: int, active: list[int]) -> None:
        self.values[counter] = self.values.get(counter, 0) + value
        active += self._waiting.pop(counter, ())


class _Writers:
    """The last instruction of a queue that wrote each region, and which regions overlap."""

    def __init__(self) -> None:
        self.last: dict[Region, int] = {}
        self._by_place: dict[tuple[int, str], list[Region]] = {}
        self._near: dict[Region, tuple[int, list[Region]]] = {}
        self._pairs = 0

    def wrote(self, region: Region, at: int) -> None:
        """An instruction writes a region."""
        if region not in self.last:
            self._by_place.setdefault((region.area, region.place), []).append(region)
        self.last[region] = at

    def writer(self, region: Region) -> int:
        """The last instruction that wrote any byte of a region; -1 if none did."""
        others = self._by_place.get((region.area, region.place), [])
        known, near = self._near.get(region, (0, []))
        if known < len(others):
            self._pairs += len(others) - known
            if self._pairs > MOST:
                raise _TooManyError
            near += [other for other in others[known:] if overlap(region, other)]
            self._near[region] = len(others), near
        return max((self.last[other] for other in near), default=-1)


def relied(machine: Machine, log: Log, touches: Touches) -> tuple[Reliance, ...] | None:
    """The reads that nothing but the interlock orders, a line and a writer's line at a time.

    None if counters do not only go up, or if it is too much to look at.
    """
    if log.unsteady is not None:
        return None
    found: list[Reliance] = []
    try:
        for queue, executed in enumerate(log.queues):
            if executed:
                found += _of_queue(machine, log, queue, touches)
    except _TooManyError:
        return None
    return tuple(found)


def _of_queue(machine: Machine, log: Log, queue: int, touches: Touches) -> Iterator[Reliance]:
    program, executed = machine.program, log.queues[queue]
    greedy, writers = _Greedy(log.queues, queue), _Writers()
    reach = [greedy.allow(at) for at in range(len(executed))]
    spans = program.queues[queue].spans
    pairs: dict[tuple[int, int, str], list[int]] = {}
    times: dict[int, int] = {}
    for at, done in enumerate(executed):
        reader = spans[done.pc] or -1 - done.pc
        times[reader] = times.get(reader, 0) + 1
        for region in done.reads:
            writer = writers.writer(region)
            if writer >= 0 and reach[writer] > at:
                pc = executed[writer].pc
                what = _what(machine, touches, queue, done.pc, region)
                key = reader, spans[pc] or -1 - pc, what
                pairs.setdefault(key, [done.pc, pc, 0])[2] += 1
        for region in done.writes:
            writers.wrote(region, at)
    for (reader, _, what), (here, there, count) in pairs.items():
        yield Reliance(
            program.queue_name(queue),
            _executable(program, queue, here),
            _executable(program, queue, there),
            what,
            count,
            times[reader],
        )


def _executable(program: Program, queue: int, pc: int) -> Executable:
    return Executable(pc, program.instruction(queue, pc).row.name, program.span(queue, pc))


def _what(machine: Machine, touches: Touches, queue: int, pc: int, region: Region) -> str:
    """What a region is called that an instruction reads."""
    if region.place.startswith(REGISTERS):
        return f"%r{region.low // 4}"
    areas = machine.state.areas
    names = [
        view.tensor.name
        for view in touches.of(queue, pc).reads
        if areas[view.tensor.index] == region.area
    ]
    return names[0] if names else "a result"
