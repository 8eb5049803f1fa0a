"""What a run can stop at, as observers: each tests what it observes, and reports what it met.

An instruction is stopped at before it starts, everything else when the event is over in which it
happens. A test is begun at the start of each move, when it learns what is the case already.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nasm.base.problems import in_line
from nasm.base.records import dataclass
from nasm.debugger.moving.locations import CodeLocation
from nasm.machine.access import Access
from nasm.runs.execution import Execution
from nasm.sim.channels import Flight, Group
from nasm.sim.counters import Semaphore, Who, holds
from nasm.sim.events import Observer
from nasm.sim.queues import Flying, Queue, Task, Work
from nasm.views.regions import Region, overlap
from nasm.views.view import View

FEW = 4
"""Elements that are shown as they were and as they are."""


@dataclass(frozen=True, slots=True)
class ElementChange:
    """An element of a view before and after; None is one that is not initialised."""

    index: tuple[int, ...]
    before: object
    after: object


@dataclass(frozen=True, slots=True, repr=False)
class Met:
    """What a test met: a sentence, and of memory how many elements changed, with the first few.

    What happened before the event at which it was seen has the ``tick`` of then.
    """

    text: str
    queue: int = -1
    pc: int = -1
    count: int = 0
    elements: tuple[ElementChange, ...] = ()
    kind: str = ""
    tick: int = -1

    def __repr__(self) -> str:
        return f"<{in_line(self.text) or 'met'}>"


class Test(Observer):
    """Something to stop at. It calls ``meet`` when it meets it; ``until`` is when to look again."""

    polled = False
    """Whether it has to be asked after every event."""

    pcs: Mapping[int, frozenset[int]] | None = None
    """The instructions before which it stops at the most, by queue; None if any may be."""

    def __init__(self, running: Execution) -> None:
        self.running = running
        self.meet: Callable[[Met], None] = lambda met: None

    def begin(self) -> None:
        """A move begins: conditions that hold already are not reported."""

    def poise(self, queue: Queue, task: Task) -> bool:
        """Whether to stop before a task starts."""
        return False

    def until(self) -> int | None:
        """The tick at which to look, if it is one that is to come."""
        return None

    def look(self) -> None:
        """It is that tick, or an event is over."""

    def acting(self, queue: int, pc: int) -> str:
        """An instruction in a few words."""
        program = self.running.program
        span = program.span(queue, pc)
        line = f", {span.brief}" if span is not None else ""
        row, origin = program.instruction(queue, pc).row.name, program.origin(pc)
        of = f", from {origin}" if origin else ""
        return f"@{program.queue_name(queue)} pc {pc} ({row}{line}{of})"


class BeforeLocation(Test):
    """Before an instruction starts."""

    def __init__(self, running: Execution, location: CodeLocation) -> None:
        super().__init__(running)
        self.location, self.pcs = location, location.pcs

    def poise(self, queue: Queue, task: Task) -> bool:
        """Stop before it."""
        if not self.location.holds(queue.index, queue.pc):
            return False
        who = self.acting(queue.index, queue.pc)
        self.meet(Met(f"before {who} starts", queue.index, queue.pc))
        return True


class AfterLocation(Test):
    """When an instruction has completed."""

    def __init__(self, running: Execution, location: CodeLocation) -> None:
        super().__init__(running)
        self.location = location

    def finished(self, queue: Queue, done: Flying) -> None:
        """Stop after it."""
        if self.location.holds(queue.index, done.pc):
            who = self.acting(queue.index, done.pc)
            self.meet(Met(f"{who} completed", queue.index, done.pc))


class OnCounter(Test):
    """A semaphore or event changed, or a condition on it became true."""

    def __init__(self, running: Execution, number: int, condition: tuple[str, int] | None) -> None:
        super().__init__(running)
        self.number, self.condition = number, condition
        self.value = 0

    def begin(self) -> None:
        """Its value now."""
        self.value = self.running.machine.scheduler.semaphores[self.number].value

    def posted(self, number: int, semaphore: Semaphore, now: int) -> None:
        """Look at its new value."""
        if number != self.number:
            return
        was, self.value = self.value, semaphore.value
        if self.condition is not None:
            if _compares(was, *self.condition) or not _compares(self.value, *self.condition):
                return
        elif was == self.value:
            return
        name = self.running.program.semaphore_name(number)
        by = f", by {self.acting(*semaphore.by)}" if semaphore.by is not None else ""
        who = semaphore.by or (-1, -1)
        self.meet(Met(f"${name} {was} -> {self.value}{by}", *who))


def _compares(value: int, op: str, want: int) -> bool:
    if op in (">=", "=="):
        return holds(value, op, want)
    return {"<": value < want, "<=": value <= want, ">": value > want, "!=": value != want}[op]


class OnRegister(Test):
    """A register changed."""

    def __init__(self, running: Execution, queue: int, number: int) -> None:
        super().__init__(running)
        self.queue, self.number = queue, number
        self.held = running.machine.state.registers[queue]
        self.was: tuple[bool, Any] = (False, 0)

    def begin(self) -> None:
        """Its value now."""
        self.was = self._now()

    def _now(self) -> tuple[bool, Any]:
        return self.held.known[self.number], self.held.values[self.number]

    def finished(self, queue: Queue, done: Flying) -> None:
        """Look at it."""
        if queue.index == self.queue and (now := self._now()) != self.was:
            old, new = (str(v) if known else "unset" for known, v in (self.was, now))
            self.was = now
            who = self.acting(queue.index, done.pc)
            name = self.running.program.queue_name(queue.index)
            self.meet(Met(f"%r{self.number} of {name} {old} -> {new}, by {who}", *done[1:3]))


class OnTransfer(Test):
    """A transfer starts, or all of it has landed; of those that a location issues, or any."""

    def __init__(
        self, running: Execution, starts: bool, lands: bool, location: CodeLocation | None
    ) -> None:
        super().__init__(running)
        self.starts, self.lands, self.location = starts, lands, location

    def _meant(self, flight: Flight) -> bool:
        return self.location is None or self.location.holds(*flight.origin)

    def issued(self, flight: Flight, now: int) -> None:
        """It starts."""
        if self.starts and self._meant(flight):
            text = f"the transfer of {self.acting(*flight.origin)} starts"
            self.meet(Met(text, *flight.origin))

    def delivered(self, group: Group, now: int) -> None:
        """Some of it has landed."""
        flight = group.flight
        if self.lands and flight.left == group.count and self._meant(flight):
            text = f"the transfer of {self.acting(*flight.origin)} has landed"
            self.meet(Met(text, *flight.origin))


class OnBlocked(Test):
    """The next instruction of a queue has been blocked for more than this many cycles."""

    def __init__(self, running: Execution, cycles: int, queue: int | None) -> None:
        super().__init__(running)
        self.cycles = cycles
        queues = running.machine.scheduler.queues
        self.queues = queues if queue is None else [queues[queue]]
        self.reported: set[tuple[int, int]] = set()

    def begin(self) -> None:
        """Those that are blocked for that long already are not reported."""
        now = self.running.now
        self.reported = {
            (q.index, q.started) for q in self._queues_at_head() if self._due(q) <= now
        }

    def _queues_at_head(self) -> list[Queue]:
        return [q for q in self.queues if not q.done and q.head is not None]

    def _due(self, queue: Queue) -> int:
        return queue.reached + self.cycles * self.running.machine.cycle(queue.index)

    def until(self) -> int | None:
        """When the first of them will have been blocked for that long."""
        now = self.running.now
        due = [
            self._due(q)
            for q in self._queues_at_head()
            if (q.index, q.started) not in self.reported
        ]
        least = min(self.cycles * self.running.machine.cycle(q.index) for q in self.queues)
        return min([d for d in due if d > now] + [now + max(1, least)])

    def look(self) -> None:
        """Whether one of them has."""
        now = self.running.now
        for queue in self._queues_at_head():
            key = (queue.index, queue.started)
            if key not in self.reported and self._due(queue) <= now:
                self.reported.add(key)
                who = self.acting(queue.index, queue.pc)
                self.meet(Met(f"{who} is blocked for {self.cycles:,} cycles", *key[:1], queue.pc))


class AtTime(Test):
    """A tick is reached."""

    def __init__(self, running: Execution, tick: int) -> None:
        super().__init__(running)
        self.tick = tick
        self.before = False

    def begin(self) -> None:
        """Whether it is to come."""
        self.before = self.running.now < self.tick

    def until(self) -> int | None:
        """It."""
        return self.tick if self.before else None

    def look(self) -> None:
        """Whether it is reached."""
        if self.before and self.running.now >= self.tick:
            self.before = False
            self.meet(Met(f"{self.running.machine.microseconds(self.tick):,.3f} µs are reached"))


class OnBirth(Test):
    """A result is NaN or infinite though no operand was."""

    def __init__(self, running: Execution) -> None:
        super().__init__(running)
        self.numbers = running.machine.findings.numbers
        self.born: dict[Who, tuple[int, ...]] = {}

    def begin(self) -> None:
        """How many there were."""
        self.born = {line: found.counts for line, found in self.numbers.born.items()}

    def finished(self, queue: Queue, done: Flying) -> None:
        """Look whether there are more."""
        self._look()

    def delivered(self, group: Group, now: int) -> None:
        """Look whether there are more."""
        self._look()

    def _look(self) -> None:
        for line, found in self.numbers.born.items():
            if self.born.get(line) != found.counts:
                self.born[line] = found.counts
                text = f"{self.acting(*found.who)} made NaN or infinite elements"
                where = f", the first in {found.where}" if found.where else ""
                self.meet(Met(text + where, *found.who))


class Watched:
    """Some memory under watch: views, their regions, and what they held."""

    def __init__(self, running: Execution, views: Sequence[View]) -> None:
        addresses = running.machine.addresses
        self.views = tuple(views)
        self.regions = tuple(addresses.region(view) for view in views)
        self.accesses: list[Access] = [addresses.access(view) for view in views]
        self.elements = [access.elements for access in self.accesses]
        self.held: list[tuple[Any, Any]] = []
        self.complete: list[bool] = []
        self._known: dict[int, bool] = {}

    def keep(self) -> None:
        """Keep what they hold now."""
        self.held = [
            (np.array(elements), np.array(access.known()))
            for elements, access in zip(self.elements, self.accesses, strict=True)
        ]
        self.complete = [access.complete for access in self.accesses]

    def touched(self, work: Work, regions: Iterable[Region]) -> bool:
        """Whether what an instruction touches is among it."""
        if work.number < 0:
            return self.among(regions)
        found = self._known.get(work.number)
        if found is None:
            found = self._known[work.number] = self.among(regions)
        return found

    def among(self, regions: Iterable[Region]) -> bool:
        """Whether any of some regions overlaps it."""
        return any(overlap(a, b) for a in self.regions for b in regions)

    def changes(self) -> tuple[int, tuple[ElementChange, ...]]:
        """How many elements are not what they were, and the first few; from now on, they are."""
        count, few = 0, []
        for n, access in enumerate(self.accesses):
            before, knew = self.held[n]
            now, known = self.elements[n], access.known()
            raw = f"u{now.dtype.itemsize}"
            other = before.view(raw) != now.view(raw)
            whole = access.complete and self.complete[n]
            if not whole:
                other = (other & known & knew) | (known != knew)
            total = int(np.count_nonzero(other))
            if not total:
                continue
            count += total
            after, known = np.array(now), np.array(known)
            for at in np.argwhere(other)[:FEW] if other.ndim else [()]:
                index = tuple(int(i) for i in at)
                old, new = (
                    values[index] if bool(has[index]) else None
                    for values, has in ((before, knew), (after, known))
                )
                few.append(ElementChange(index, old, new))
            self.held[n], self.complete[n] = (after, known), access.complete
        return count, tuple(few[:FEW])


class OnMemory(Test):
    """Memory changes: instructions or transfers give it other values."""

    def __init__(self, running: Execution, views: Sequence[View], name: str, changed: bool) -> None:
        super().__init__(running)
        self.watched, self.name, self.changed = Watched(running, views), name, changed

    def begin(self) -> None:
        """What it holds now."""
        self.watched.keep()

    def finished(self, queue: Queue, done: Flying) -> None:
        """Look, if the instruction wrote any of it."""
        work = done.task.work
        if work.writes and self.watched.touched(work, work.writes):
            self._written(queue.index, done.pc, "")

    def delivered(self, group: Group, now: int) -> None:
        """Look, if the transfer writes any of it."""
        if self.watched.among(group.flight.writes):
            self._written(*group.flight.origin, "the transfer of ")

    def _written(self, queue: int, pc: int, what: str) -> None:
        count, few = self.watched.changes()
        if count or not self.changed:
            by = f"{what}{self.acting(queue, pc)}"
            verb = "changed" if count else "written, and as it was,"
            self.meet(Met(f"{self.name} {verb} by {by}", queue, pc, count, few))


class OnRead(Test):
    """Memory is about to be read by an instruction, or has been by a transfer that starts."""

    def __init__(self, running: Execution, views: Sequence[View], name: str) -> None:
        super().__init__(running)
        self.watched, self.name = Watched(running, views), name

    def poise(self, queue: Queue, task: Task) -> bool:
        """Stop before an instruction that reads it."""
        if not (task.work.reads and self.watched.touched(task.work, task.work.reads)):
            return False
        text = f"{self.name} is about to be read by {self.acting(queue.index, queue.pc)}"
        self.meet(Met(text, queue.index, queue.pc))
        return True

    def read(self, group: Group, now: int) -> None:
        """Stop when shares have been read that may be of it."""
        if self.watched.among(group.flight.reads):
            who = self.acting(*group.flight.origin)
            self.meet(Met(f"{self.name} is read by the transfer of {who}", *group.flight.origin))


class OnHazard(Test):
    """A hazard that counts has been found; of one code, or any."""

    def __init__(self, running: Execution, code: str = "") -> None:
        super().__init__(running)
        self.code = code
        self.known: set[object] = set()
        self.counts: tuple[int, ...] = ()

    def begin(self) -> None:
        """Those that are known."""
        self.known, self.counts = set(self._hazards_by_key()), self._counts()

    def _counts(self) -> tuple[int, ...]:
        return (len(self.running.problems), *self.running.hazard_counts())

    def _hazards_by_key(self) -> dict[object, str]:
        found = (*self.running.hazards, *self.running.problems)
        return {
            (p.code, p.span): f"{p.code}: {p.message}" for p in found if self.code in ("", p.code)
        }

    def new_hazards(self) -> list[str]:
        """Those that were found since."""
        if self.counts == self._counts() and not self.running.policy.strict:
            return []
        return [text for key, text in self._hazards_by_key().items() if key not in self.known]


class When(Test):
    """An expression becomes true; it is evaluated after every event."""

    polled = True

    def __init__(self, running: Execution, text: str, holds: Callable[[], bool]) -> None:
        super().__init__(running)
        self.text, self.holds = text, holds
        self.was = False

    def begin(self) -> None:
        """Whether it is true already."""
        self.was = self.holds()

    def look(self) -> None:
        """Whether it is now."""
        was, self.was = self.was, self.holds()
        if self.was and not was:
            self.meet(Met(f"{self.text} is true"))
