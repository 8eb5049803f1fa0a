"""From what was kept of a run to the steps of its order: waits, changes, transfers, interlocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nasm.order.accesses import Accesses
from nasm.order.clocks import Order
from nasm.order.places import Area, area_of
from nasm.order.skeleton import Change, Event, Issue, Step, Wait
from nasm.order.watch import Moved, Watch
from nasm.sim.queues import Work
from nasm.sim.regions import Region
from nasm.spec.effects import Clear, Transfer
from nasm.spec.program import Program, QueueProgram

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""

Sync = tuple[Wait | None, Change | None]
"""What an instruction waits for, and what it changes itself."""

More = Mapping[Place, Sequence[Wait | Event]]
"""What instructions are to wait for, too, by their place: counters, or events themselves."""

Stream = tuple[int, int | None]
"""A queue, and the counter that its transfers post to."""


class Sources:
    """What of a program matters to order: its waits and changes, and which streams there are.

    ``tracked`` are queues whose interlock matters: where what starts is seen by others before it
    completes, or where a counter may go down.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.streams: list[Stream] = []
        self.counters = {w.semaphore for w in program.waits if w is not None}
        self.counters |= {u.semaphore for u in program.updates if u is not None}
        down = any(u is not None and (u.op != "+" or u.value < 0) for u in program.updates)
        clears = any(i.row.effect is Clear for i in program.instructions)
        self.tracked: list[bool] = []
        for queue, lines in enumerate(program.queues):
            streams = self._streams(queue, lines)
            self.streams += streams
            early = any(
                update is not None and update.at_read
                for update in map(program.updates.__getitem__, set(lines.updates))
            )
            self.tracked.append(bool(streams) or early or down or clears)
        self._known: dict[tuple[int, int, int], Sync] = {}

    def _streams(self, queue: int, lines: QueueProgram) -> list[Stream]:
        program, found = self.program, dict[Stream, None]()
        pairs = dict.fromkeys(zip(lines.instructions, lines.updates, strict=True))
        for instruction, number in pairs:
            if program.instructions[instruction].row.effect is Transfer:
                update = program.updates[number]
                found[queue, None if update is None else update.semaphore] = None
        return list(found)

    def core(self, counter: int) -> int:
        """The core that a counter belongs to."""
        return self.program.generation.counter(counter)[0]

    def sync(self, queue: int, pc: int) -> Sync | None:
        """What an instruction waits for and changes; None if nothing."""
        lines = self.program.queues[queue]
        waits, updates = lines.waits[pc], lines.updates[pc]
        if not (waits or updates):
            return None
        key = (waits, updates, lines.instructions[pc])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._sync(*key)
        return found

    def _sync(self, waits: int, updates: int, number: int) -> Sync:
        program = self.program
        wait, update = program.waits[waits], program.updates[updates]
        change = None
        if update is not None and not program.instructions[number].row.posts:
            change = Change(update.semaphore, update.op, update.value, update.at_read)
        return (Wait(wait.semaphore, wait.op, wait.value) if wait is not None else None), change


class Steps:
    """Gives an order the steps of a run, as far as they are kept, and finds what is shared.

    ``ends`` says, by queue and instruction, which column of a clock reaches which count when a
    transfer is over. ``more`` is
    what instructions are to wait for that the program does not say.
    """

    def __init__(
        self, sources: Sources, watch: Watch, order: Order, accesses: Accesses, more: More
    ) -> None:
        self.sources, self.watch, self.order, self.accesses = sources, watch, order, accesses
        self.more = more
        self.ends: list[dict[int, tuple[int, int]]] = [{} for _ in range(order.queues)]
        self.taken = 0
        queues = range(order.queues)
        self._at = [0 for _ in queues]
        self._completed = [-1 for _ in queues]
        self._tracked = [held and accesses.held for held in sources.tracked]
        self._owners: dict[Area, tuple[Place | None, bool]] = {}
        self._owned: set[tuple[int, int]] = set()

    def take(self) -> None:
        """Take the steps that are new."""
        watch, at, tracked = self.watch, self._at, self._tracked
        moved, meetings, more, sync_of = watch.moved, watch.meetings, self.more, self.sources.sync
        owned, take = self._owned, self.order.take
        together: list[Step] = []
        new = self._new()
        for queue in new:
            index = at[queue]
            at[queue] = index + 1
            work = watch.works[queue][index]
            sync = sync_of(queue, watch.pcs[queue][index])
            after = self._after(queue, index, work) if tracked[queue] else -1
            where = (queue, index)
            flight = moved[queue].get(index)
            meeting = meetings.get(where, -1) if meetings else -1
            for one in more.get(where, ()) if more else ():
                take(
                    Step(queue, index, behind=one)
                    if isinstance(one, Event)
                    else Step(queue, index, one)
                )
            if sync is not None or flight is not None or after >= 0 or meeting >= 0:
                wait, change = sync or (None, None)
                issue = self._issue(queue, index, flight) if flight is not None else None
                step = Step(queue, index, wait, change, issue, after, meeting)
                if meeting < 0:
                    take(step)
                else:  # nothing comes between, not even what another member is to wait for
                    together.append(step)
                    if len(together) == watch.sizes[meeting]:
                        for member in together:
                            take(member)
                        together.clear()
            for counter in work.clears:
                if counter in self.sources.counters:
                    take(Step(queue, index, None, Change(counter, "=", 0)))
            if (queue, work.number) not in owned:
                self._own((queue, -1), work.reads, work.writes)
                if work.number >= 0:
                    owned.add((queue, work.number))
            if flight is not None:
                self._own(where, flight.reads, flight.writes)
        self.taken += len(new)

    def _new(self) -> Sequence[int]:
        """The queues of what is new in the order of starts, but each meeting at its first member.

        Others may start between two of its members, at the same tick. What starts from the first
        member of a meeting on is left for later until all of its members have.
        """
        watch, at = self.watch, list(self._at)
        new = watch.queues[self.taken :]
        if not watch.meetings:
            return new
        members: dict[int, list[int]] = {}
        for row, queue in enumerate(new):
            number = watch.meetings.get((queue, at[queue]), -1)
            at[queue] += 1
            if number >= 0:
                members.setdefault(number, []).append(row)
        end, first = len(new), dict[int, list[int]]()
        for number, rows in reversed(members.items()):
            if len(rows) < watch.sizes[number] or rows[-1] >= end:
                end = min(end, rows[0])
            first[rows[0]] = rows
        behind = {row for rows in members.values() for row in rows[1:]}
        return [
            new[one] for row in range(end) if row not in behind for one in first.get(row, (row,))
        ]

    def _issue(self, queue: int, index: int, flight: Moved) -> Issue | None:
        """The transfer of a step; that of a meeting is over once its members have met."""
        if flight.met:
            self.ends[queue][index] = queue, index + 1
            return None
        column = self.order.columns[queue, flight.counter]
        self.ends[queue][index] = column, len(self.order.issued[column]) + 1
        return Issue(flight.counter, flight.shares)

    def _after(self, queue: int, index: int, work: Work) -> int:
        """The last earlier instruction of a queue that writes what one reads; -1 if it is known."""
        reads, writes = self.accesses.touched(work.number, work.reads, work.writes)
        after = self._completed[queue]
        for place in reads:
            for near in place.near:
                after = max(after, near.written.get(queue, -1))
        for place in writes:
            place.written[queue] = index
        if after == self._completed[queue]:
            return -1
        self._completed[queue] = after
        return after

    def _own(self, owner: Place, reads: Iterable[Region], writes: Iterable[Region]) -> None:
        """What several touch, and one of them writes, is shared: transfers are apart.

        Where engines have no interlock, what one of them writes is, too.
        """
        shared, owners = self.accesses.shared, self._owners
        for regions, written in ((reads, False), (writes, True)):
            for region in regions:
                area = area_of(region)
                if area in shared:
                    continue
                known, before = owners.get(area, (owner, False))
                alone = known == owner and self.accesses.held
                owners[area] = (owner if alone else None), before or written
                if owners[area] == (None, True):
                    shared.add(area)
