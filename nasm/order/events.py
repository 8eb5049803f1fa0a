"""From what was kept of a run to the steps of its order: waits, changes, transfers, interlocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial

from nasm.isa.effects import Clear, Jump, Rendezvous
from nasm.order.accesses import Accesses, Touched
from nasm.order.clocks import Order
from nasm.order.observer import TransferTouches, Watch
from nasm.order.places import Area
from nasm.order.sent_packets import SendingLines, SentPackets
from nasm.order.skeleton import (
    SILENT,
    CounterChange,
    CounterWait,
    Event,
    Issue,
    Step,
    Stream,
    Take,
    stream_of,
)
from nasm.program.program import Program, QueueProgram
from nasm.program.wait_columns import WaitColumns
from nasm.sim.queues import Work
from nasm.views.regions import Region

_tuple = tuple.__new__  # makes a NamedTuple in a third of the time

Place = tuple[int, int]
"""A queue, and the number of an instruction among those it executed."""

Added = CounterWait | Take | Event
"""What an instruction is to wait for, too: a counter, or an event itself."""

More = Mapping[Place, Sequence[Added]]
"""What instructions are to wait for that the program does not say, by their place."""

Follows = dict[Place, list[Event]]
"""What instructions come after, by these."""


class Sources:
    """What of a program matters to order: its waits and changes, and which streams there are.

    ``tracked`` are queues whose interlock matters: where what starts is seen by others before it
    completes, or where a counter may go down. ``typed`` says that some instructions were typed in
    while it ran, ``clears`` that some clear semaphores, ``jumps`` that some may run several times.
    ``columns`` knows its waits as columns.
    """

    def __init__(self, program: Program, columns: Callable[[], WaitColumns] | None = None) -> None:
        self.program = program
        self._columns = columns or partial(WaitColumns.of, program)
        self.typed = any(lines.typed for lines in program.queues)
        self.streams: list[Stream] = []
        down = any(u is not None and (u.op != "+" or u.value < 0) for u in program.updates)
        self.down = down
        early = {n for n, u in enumerate(program.updates) if u is not None and u.at_read}
        effects = enumerate(i.row.effect for i in program.instructions)
        acting = {n: effect for n, effect in effects if effect is not None}
        self.clears, self.jumps = Clear in acting.values(), Jump in acting.values()
        moving = {n for n in acting if program.instructions[n].row.moves}
        self.silent = {n for n in moving if not program.instructions[n].row.posts}
        self.packets = SendingLines(program)
        meeting = {n for n, effect in acting.items() if effect is Rendezvous}
        self.tracked: list[bool] = []
        for queue, lines in enumerate(program.queues):
            moves = _some(moving, lines.instructions)
            streams = self._streams(queue, lines, moving) if moves else []
            self.streams += streams
            held = _some(early, lines.updates) or _some(meeting, lines.instructions)
            self.tracked.append(bool(streams) or held or down or self.clears)
        self.changes = [
            None if u is None else CounterChange(u.semaphore, u.op, u.value, u.at_read)
            for u in program.updates
        ]

    @cached_property
    def waits(self) -> list[CounterWait | None]:
        """Each wait of the program."""
        return [
            None if w is None else _tuple(CounterWait, (w.semaphore, w.op, w.value))
            for w in self.program.waits
        ]

    @cached_property
    def wait_columns(self) -> WaitColumns:
        """The same as columns."""
        return self._columns()

    @cached_property
    def counters(self) -> set[int]:
        """The counters that something waits for, or changes."""
        waited = {w.semaphore for w in self.program.waits if w is not None}
        return waited | {u.semaphore for u in self.program.updates if u is not None}

    def _streams(self, queue: int, lines: QueueProgram, moving: Container[int]) -> list[Stream]:
        """The streams of a queue; ``moving`` are the numbers of instructions that transfer."""
        pairs = zip(lines.instructions, lines.updates, strict=True)
        found: dict[Stream, None] = {}
        for instruction, number in dict.fromkeys(pairs):
            if instruction in moving:
                update = self.program.updates[number]
                counter = None if update is None else update.semaphore
                counter = SILENT if instruction in self.silent else counter
                found[stream_of(queue, Issue(counter, 0, self.way(queue, instruction)))] = None
        return list(found)

    def way(self, queue: int, number: int) -> Hashable:
        """The way of a transfer, by the number of its instruction."""
        return self.packets.of(queue, number).way if number in self.packets.sending else None

    def core(self, counter: int) -> int:
        """The core that a counter belongs to."""
        return self.program.generation.counter(counter)[0]

    def change(self, queue: int, pc: int) -> CounterChange | None:
        """What an instruction changes itself; None if nothing, or if its transfer posts."""
        lines = self.program.queues[queue]
        posts = self.program.instructions[lines.instructions[pc]].row.posts
        return None if posts else self.changes[lines.updates[pc]]


def _some(wanted: set[int], numbers: Iterable[int]) -> bool:
    """Whether some of the wanted are among numbers."""
    return bool(wanted) and not wanted.isdisjoint(numbers)


class Steps:
    """Gives an order the steps of a run, as far as they are kept, and finds what is shared.

    ``ends`` says, by queue and instruction, which column of a clock reaches which count when a
    transfer is over. ``more`` is what instructions are to wait for that the program does not say.
    No more than the ``first`` instructions are taken. Some wait for so much ``less`` than it says.
    """

    def __init__(
        self,
        sources: Sources,
        watch: Watch,
        order: Order,
        accesses: Accesses,
        more: More,
        first: int,
        less: Mapping[Place, int],
    ) -> None:
        self.sources, self.watch, self.order, self.accesses = sources, watch, order, accesses
        self.more, self.first, self.less = more, first, less
        self.ends: list[dict[int, tuple[int, int]]] = [{} for _ in range(order.queues)]
        self.taken = 0
        queues = range(order.queues)
        self._at = [0 for _ in queues]
        self._completed = [-1 for _ in queues]
        self._tracked = [held and accesses.held for held in sources.tracked]
        self._owners: dict[Area, tuple[Place | None, bool]] = {}
        self._owned: list[set[int]] = [set() for _ in queues]
        self.sent = SentPackets(order.queues)
        self.lasts: dict[Place, tuple[int, int]] = {}
        self._signalled = [0 for _ in queues]
        self._follows: Follows = {}
        self._followed = 0

    def take(self) -> None:
        """Take the steps that are new."""
        watch, at, meetings = self.watch, self._at, self.watch.meetings
        waits, counters, take = self.sources.waits, self.sources.counters, self.order.take
        changes, instructions = self.sources.changes, self.sources.program.instructions
        lines, more, new = self.sources.program.queues, self.more, self._new()
        clears, less, follows = self.sources.clears, self.less, self._new_follows()
        drains = self.sources.packets.drains
        self.order.expect(self._lived(new))
        together: list[Step] = []
        tiles = watch.by_address
        tiled = set() if tiles is None else {*tiles.reads, *tiles.writes}
        touching = {} if tiles is None else tiles.touching
        columns = [
            (
                watch.works[q],
                watch.pcs[q],
                one.waits,
                one.updates,
                one.instructions,
                watch.moved[q],
                self._tracked[q],
                self._owned[q],
            )
            for q, one in enumerate(lines)
        ]
        for queue in new:
            works, pcs, waits_of, updates_of, numbers, moved, tracked, owned = columns[queue]
            index = at[queue]
            at[queue] = index + 1
            work, pc = works[index], pcs[index]
            wait = waits[waits_of[pc]]
            change = changes[number] if (number := updates_of[pc]) else None
            if change is not None and instructions[numbers[pc]].row.posts:
                change = None
            after = -1
            if tracked and (work.reads or work.writes):
                after = self._after(queue, index, work)
            flight = moved.get(index)
            meeting = meetings.get((queue, index), -1) if meetings else -1
            if more:
                self._more(queue, index)
            if drains and numbers[pc] in drains:
                self._drain(queue, index, numbers[pc])
            if follows is not None:
                self._follow(follows, queue, index)
            signals = change is not None and instructions[numbers[pc]].row.signals
            if signals:
                change = None
            if less and wait is not None and (queue, index) in less:
                wait = wait._replace(value=wait.value - less[queue, index])
            lasting = bool(touching) and (queue, index) in touching
            if wait or change or flight or after >= 0 or meeting >= 0 or lasting:
                issue = None
                if flight is not None:
                    issue = self._issue(queue, index, flight, numbers[pc])
                elif lasting:
                    issue = self._lasting(queue, index, touching[queue, index])
                step = Step(queue, index, wait, change, issue, after, meeting)
                if meeting < 0:
                    take(step)
                else:  # nothing comes between, not even what another member is to wait for
                    together.append(step)
                    if len(together) == watch.sizes[meeting]:
                        for member in together:
                            take(member)
                        together.clear()
            if signals:
                self._signal(queue, index)
            for counter in work.clears if clears else ():
                if counter in counters:
                    take(Step(queue, index, None, CounterChange(counter, "=", 0)))
            number = work.number
            if number not in owned:
                self._own((queue, -1), work.reads, work.writes)
                if number >= 0:
                    owned.add(number)
            if tiles is not None and (queue, index) in tiled:
                self._own((queue, -1), *tiles.touched(queue, index))
            if flight is not None:
                self._own((queue, index), flight.reads, flight.writes)
        self.taken += len(new)

    def _new_follows(self) -> Follows | None:
        """Which instructions come after others by what cores hold; None if none do."""
        tiles = self.watch.by_address
        if tiles is None:
            return None
        for queue, index, event in tiles.follows[self._followed :]:
            self._follows.setdefault((queue, index), []).append(event)
        self._followed = len(tiles.follows)
        return self._follows

    def _lived(self, new: Sequence[int]) -> set[int]:
        """The counters that what is new sets, or takes from."""
        watch = self.watch
        found: set[int] = set()
        if not (self.sources.down or self.sources.clears):
            return found
        for queue, count in Counter(new).items():
            first = self._at[queue]
            last, updates = first + count, self.sources.program.queues[queue].updates
            for pc in set(watch.pcs[queue][first:last]) if self.sources.down else ():
                change = self.sources.change(queue, pc) if updates[pc] else None
                if change is not None and (change.op != "+" or change.value < 0):
                    found.add(change.counter)
            for work in watch.works[queue][first:last] if self.sources.clears else ():
                found.update(self.sources.counters.intersection(work.clears))
        return found

    def _new(self) -> Sequence[int]:
        """The queues of what is new in the order of starts, but each meeting at its first member.

        Others may start between two of its members, at the same tick. What starts from the first
        member of a meeting on is left for later until all of its members have.
        """
        watch, at = self.watch, list(self._at)
        new = watch.queues[self.taken : self.first]
        if not watch.meetings:
            return new
        members: dict[int, list[int]] = {}
        for row, queue in enumerate(new):
            number = watch.meetings.get((queue, at[queue]), -1)
            at[queue] += 1
            if number >= 0:
                members.setdefault(number, []).append(row)
        end = len(new)
        first: dict[int, list[int]] = {}
        for number, rows in reversed(members.items()):
            if len(rows) < watch.sizes[number] or rows[-1] >= end:
                end = min(end, rows[0])
            first[rows[0]] = rows
        behind = {row for rows in members.values() for row in rows[1:]}
        return [
            new[one] for row in range(end) if row not in behind for one in first.get(row, (row,))
        ]

    def _more(self, queue: int, index: int) -> None:
        """Take what an instruction is to wait for that the program does not say."""
        for one in self.more.get((queue, index), ()):
            if isinstance(one, Event):
                self.order.take(Step(queue, index, after_event=one))
            elif isinstance(one, Take):
                wait = one.wait
                change = CounterChange(wait.counter, "+", -wait.value)
                self.order.take(Step(queue, index, wait, change))
            else:
                self.order.take(Step(queue, index, one))

    def _issue(self, queue: int, index: int, flight: TransferTouches, number: int) -> Issue | None:
        """The transfer of a step; that of a meeting is over once its members have met."""
        if flight.met:
            self.ends[queue][index] = queue, index + 1
            return None
        counter = SILENT if flight.silent else flight.counter
        way = flight.way
        if way is None:
            way = self.sources.way(queue, number)
        issue = Issue(counter, flight.shares, way)
        column = self.order.columns[stream_of(queue, issue)]
        end = self.ends[queue][index] = column, len(self.order.issued[column]) + 1
        packets = self.sources.packets
        if number in packets.sending:
            after = self.sent.send(queue, index, packets.of(queue, number), *end)
            issue = issue._replace(after=after)
        return issue

    def _lasting(self, queue: int, index: int, unit: str) -> Issue:
        """What an instruction touches by a unit, of which nothing posts that it is over."""
        issue = Issue(SILENT, 1, unit)
        column = self.order.columns[stream_of(queue, issue)]
        self.lasts[queue, index] = column, len(self.order.issued[column]) + 1
        return issue

    def _signal(self, queue: int, index: int) -> None:
        """An instruction raises counters by packets, after all that its queue has done before."""
        signals = self.watch.signals
        for at in range(self._signalled[queue], len(signals)):
            whose, which, counter = signals[at]
            if whose == queue and which <= index:
                self._signalled[queue] = at + 1
                if which == index:
                    change = CounterChange(counter, "+", 1)
                    self.order.take(Step(queue, index, change=change))

    def _follow(self, follows: Follows, queue: int, index: int) -> None:
        """An instruction starts after others, by what its core holds."""
        for event in follows.pop((queue, index), ()):
            self.order.take(Step(queue, index, after_event=event))

    def _drain(self, queue: int, index: int, number: int) -> None:
        """An instruction starts once what its queue has sent is answered, or taken."""
        drain = self.sources.packets.drain(queue, number)
        for event in self.sent.drain(queue, index, drain):
            self.order.take(Step(queue, index, after_event=event))

    def _after(self, queue: int, index: int, work: Work) -> int:
        """The last earlier instruction of a queue that writes what one reads; -1 if it is known."""
        reads, writes = self._certain(work)
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

    def _certain(self, work: Work) -> Touched:
        """What an instruction certainly touches: only that makes a later one wait."""
        vague = self.watch.vague.get(work.number)
        if vague is None:
            return self.accesses.touched(work.number, work.reads, work.writes)
        reads = tuple([region for region in work.reads if region not in vague])
        writes = tuple([region for region in work.writes if region not in vague])
        return self.accesses.touched(-1, reads, writes)

    def _own(self, owner: Place, reads: Iterable[Region], writes: Iterable[Region]) -> None:
        """What several touch, and one of them writes, is shared: transfers are apart.

        Where engines have no interlock, what one of them writes is, too.
        """
        shared, owners, only = self.accesses.shared, self._owners, self.accesses.only
        for regions, written in ((reads, False), (writes, True)):
            for region in regions:
                area = region.area if region.area >= 0 else region.place  # as area_of does
                if area in shared or (only is not None and area not in only):
                    continue
                known, before = owners.get(area, (owner, False))
                if known is not None or written:
                    alone = known == owner and self.accesses.held
                    now = owners[area] = (owner if alone else None), before or written
                    if now == (None, True):
                        shared.add(area)
