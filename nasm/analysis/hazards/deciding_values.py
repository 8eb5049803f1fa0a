"""What a branch or an address depends on and two orders may make different.

The order is judged for what a run executed. A program without a race executes the same under every
timing, for what it reads to decide is the same. Where that is in a race, or follows from something
that is, or from a sum that may round differently, other instructions may be executed under another
timing: they are judged in a run that executes them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

import numpy as np

from nasm.analysis.flow import compared_registers, written_registers
from nasm.base.problems import Note, Problem, Severity
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.isa.effects import Jump
from nasm.isa.list_kinds import views
from nasm.order.accesses import ByteAccess
from nasm.order.check import Check
from nasm.order.skeleton import STARTS, Event
from nasm.program.program import Instruction, Program
from nasm.sim.queues import Work
from nasm.views.regions import REGISTERS, Region, overlap
from nasm.views.view import Reg, View

DECIDES = "E0546"

MOST = 2_000
"""Different pieces of work through which it is followed what a number was computed from."""


MOST_PAIRS = 200
"""Accesses in no order that are looked at; of more lines it is known that they race."""

UnorderedPair = tuple[ByteAccess, ByteAccess, bool]
"""Two accesses in no order, and whether both only add."""


@dataclass(frozen=True, slots=True)
class DecidingRead:
    """An executed instruction that reads what decides: some bytes.

    ``user`` is the pc of a branch, or of an instruction with an address, that depends on it.
    """

    queue: int
    index: int
    regions: tuple[Region, ...]
    user: int


class DecidingValues:
    """Finds them in a run that was judged; ``region`` says which bytes a view touches."""

    def __init__(self, program: Program, check: Check, region: Callable[[View], Region]) -> None:
        self.program, self.check, self.region = program, check, region
        pairs = [(race.first, race.second, False) for race in check.races]
        pairs += [(first, second, True) for first, second in check.sums]
        self._pairs = pairs[:MOST_PAIRS]

    def problems(self) -> Iterator[Problem]:
        """One for each line that reads what may be different."""
        for read in self._reads() if self._pairs else ():
            found = self._found(read, self._pairs)
            if found is not None:
                yield self._problem(read, *found)

    # -- what decides

    def _reads(self) -> Iterator[DecidingRead]:
        """The reads of what decides: of each line the first with each piece of work."""
        watch, seen = self.check.watch, set[object]()
        for queue, works in enumerate(watch.works):
            users = _users(self.program, queue)
            tiles = self._tiles(queue)
            if not (users or tiles):
                continue
            for index, (work, pc) in enumerate(zip(works, watch.pcs[queue], strict=True)):
                number = self.program.queues[queue].instructions[pc]
                user = next((users[r] for r in self._loaded(number) if r in users), None)
                regions = tiles.get(number, ())
                if user is not None:
                    regions = tuple([r for r in work.reads if not r.place.startswith(REGISTERS)])
                key = self.check.line(queue, index), regions
                if regions and key not in seen:
                    seen.add(key)
                    yield DecidingRead(queue, index, regions, pc if user is None else user)

    def _loaded(self, number: int) -> Iterable[int]:
        return written_registers(self.program.instructions[number])

    def _tiles(self, queue: int) -> dict[int, tuple[Region, ...]]:
        """The entries that address something, by the instruction of a queue."""
        found: dict[int, tuple[Region, ...]] = {}
        for number in dict.fromkeys(self.program.queues[queue].instructions):
            named = (v for o in self.program.instructions[number].operands for v in views(o))
            tiles = [view.offsets.tile for view in named if view.offsets is not None]
            if tiles:
                found[number] = tuple(map(self.region, tiles))
        return found

    # -- what may be different

    def _found(self, read: DecidingRead, pairs: list[UnorderedPair]) -> UnorderedPair | None:
        """The first two accesses on whose order it depends what is read."""
        for pair in pairs:
            changed = [one for one in pair[:2] if one.writes and not self._later(read, one)]
            if any(_meet(read.regions, (one.region,)) for one in changed):
                return pair
        return next((of for region, of in self._followed if _meet(read.regions, (region,))), None)

    def _later(self, read: DecidingRead, access: ByteAccess) -> bool:
        """Whether an access certainly begins after a read."""
        if access.queue == read.queue:
            return access.index > read.index
        order, start = self.check.order, Event(STARTS, read.queue, read.index)
        return order.before(start, access.queue, access.index)

    @cached_property
    def _followed(self) -> list[tuple[Region, UnorderedPair]]:
        """What was computed from what may be different, each with the reason."""
        left, found = list(self._steps()), list[tuple[Region, UnorderedPair]]()
        if len(left) > MOST:
            return found
        new = [(one.region, pair) for pair in self._pairs for one in pair[:2] if one.writes]
        while new:
            region, pair = new.pop(0)
            for step in [step for step in left if _meet(step[0], (region,))]:
                left.remove(step)
                more = [(written, pair) for written in step[1]]
                found += more
                new += more
        return found

    def _steps(self) -> Iterator[tuple[tuple[Region, ...], tuple[Region, ...]]]:
        """What each piece of work reads and writes, transfers included."""
        watch = self.check.watch
        works: dict[int, Work] = {}
        for of_queue in watch.works:
            works.update((work.number, work) for work in of_queue)
        yield from ((work.reads, work.writes) for work in works.values() if work.writes)
        moved = {m.pattern: m for of_queue in watch.moved for m in of_queue.values()}
        yield from ((one.reads, one.writes) for one in moved.values())

    # -- in words

    def _problem(
        self, read: DecidingRead, first: ByteAccess, second: ByteAccess, adds: bool
    ) -> Problem:
        program, queue = self.program, read.queue
        who = self._name(queue, read.index)
        user = program.instruction_name(queue, read.user)
        one, other = (self._name(a.queue, a.index) for a in (first, second))
        what = f"nothing orders {one} and {other}"
        if adds:
            what = f"{one} and {other} add in either order, and the sum may round differently"
        decided = "its addresses depend" if read.user == self._pc(queue, read.index) else ""
        text = f"{who} reads what may be different under another timing"
        text += f", and {decided or f'{user} depends'} on it: {what}"
        parties = ((a.queue, a.index) for a in (first, second))
        notes = [
            Note(f"{self._name(*place)} is here", self._span(*place), party=True, excerpt=True)
            for place in parties
            if place != (queue, read.index)
        ]
        if not decided:
            notes.append(Note(f"{user} depends on it", program.span(queue, read.user)))
        hint = "put the two in order: only what this run executes was judged"
        span = self._span(queue, read.index)
        return Problem(DECIDES, text, span, hint, tuple(notes), Severity.WARNING)

    def _pc(self, queue: int, index: int) -> int:
        return self.check.watch.pcs[queue][index]

    def _name(self, queue: int, index: int) -> str:
        return self.program.instruction_name(queue, self._pc(queue, index))

    def _span(self, queue: int, index: int) -> Span | None:
        return self.program.span(queue, self._pc(queue, index))


def _users(program: Program, queue: int) -> dict[int, int]:
    """The registers on which branches and addresses depend, each with the pc of one of these."""
    places = _first_places(program.queues[queue].instructions)
    found: dict[int, int] = {}
    for number, pc in places.items():
        for register in _decided_by(program.instructions[number]):
            found.setdefault(register, pc)
    changed = bool(found)
    while changed:
        changed = False
        for number in places:
            one = program.instructions[number]
            user = next((found[r] for r in written_registers(one) if r in found), None)
            for register in () if user is None else _read_registers(one):
                changed = changed or register not in found
                found.setdefault(register, user)  # type: ignore[arg-type]
    return found


def _first_places(instructions: array[int]) -> dict[int, int]:
    """Where each instruction of a queue is first: the one that is last of all first."""
    column = np.frombuffer(instructions, np.int32)
    numbers, first = np.unique(column, return_index=True)
    _, last = np.unique(column[::-1], return_index=True)
    order = np.argsort(last)
    return dict(zip(numbers[order].tolist(), first[order].tolist(), strict=True))


def _decided_by(one: Instruction) -> Iterator[int]:
    """The registers on which it depends where a branch goes, or what is addressed."""
    if one.row.effect is Jump:
        yield from compared_registers(one)
    for operand in one.operands:
        for view in views(operand):
            yield from (dynamic.register for dynamic in view.dynamic)


def _read_registers(one: Instruction) -> Iterator[int]:
    for operand in one.row.reads:
        value = one.operand(operand.name) if not operand.implicit else None
        if isinstance(value, Reg):
            yield value.number


def _meet(some: Iterable[Region], others: Iterable[Region]) -> bool:
    kept = list(others)
    return any(overlap(a, b) for a in some for b in kept)
