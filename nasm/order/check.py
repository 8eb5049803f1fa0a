"""The order of a run, judged from what was kept of it: which accesses are in none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from nasm.base import gc_pause
from nasm.base.records import dataclass
from nasm.order.accesses import ADD, NOTHING, READ, Accesses, ByteAccess
from nasm.order.clocks import Order
from nasm.order.down_counters import Unordered
from nasm.order.events import More, Sources, Steps
from nasm.order.observer import Watch
from nasm.order.place_touches import PlaceTouches
from nasm.order.places import Place
from nasm.order.posts import Clock, TakenStep
from nasm.order.skeleton import COMPLETES, LANDS, STARTS, Event, Stream, Take
from nasm.order.whole_order import WholeOrder
from nasm.sim.queues import NEVER

Line = tuple[int, int]
"""A queue and a line of the text, of which all rounds of a loop have one."""


PAIRS = 100
"""Pairs of accesses that are kept of two lines."""

LONG, PART = 4000, 8
"""Of a run of so many instructions it is first tried whether a part of it has a race already."""


Apart = Callable[[ByteAccess, ByteAccess], object]
"""What tells the races of two lines apart, if there are several."""


@dataclass(slots=True)
class Race:
    """Two accesses that share a byte, of which one writes, and neither of which comes first.

    ``first`` is the one whose instruction started first in this run. ``pairs`` are all of the same
    two lines, this one the first of them, but for those beyond the first hundred, and ``many``
    says how many.
    """

    first: ByteAccess
    second: ByteAccess
    pairs: list[tuple[ByteAccess, ByteAccess]]
    many: int = 1


class Check:
    """Judges the order of what was kept of a run: call :meth:`settle` at any moment of it.

    ``held`` says that engines wait for their own results. ``more`` are waits that the program does
    not have, to see what they would fix. Of accesses to one place only as many are compared as it
    takes to find a race if there is one, unless ``every`` race is wanted. Two lines may have
    several races, which something tells ``apart``. No more than the ``first`` instructions of the
    run are judged. What is ``judged`` already of the same run need only be compared. Some
    instructions wait for so much ``less`` than the program says. What is ``shown``
    of the run as it is now is not judged again.
    """

    def __init__(
        self,
        sources: Sources,
        watch: Watch,
        held: bool,
        more: More | None = None,
        every: bool = False,
        apart: Apart | None = None,
        first: int = NEVER,
        judged: Check | None = None,
        less: Mapping[Line, int] | None = None,
        shown: WholeOrder | None = None,
    ) -> None:
        self.sources, self.watch, self.held, self.more = sources, watch, held, more or {}
        self.apart, self.first, self._judged = apart, first, judged
        self.every, self.less = every or bool(self.more), less or {}
        self.shown, self._whole = shown, len(watch.queues)
        self._torn = False  # an interrupt came while it judged
        self.touches: PlaceTouches | None = None
        self._reset()

    def _reset(self) -> None:
        count, judged = len(self.sources.program.queues), self._judged
        self.order: Order
        self.steps: Steps
        self.accesses = Accesses(count, self.held, self._add_race, self.every)
        self.accesses.only = None if self.shown is None else self.shown.areas
        if judged is not None:
            self.order, self.steps, self._judged = judged.order, judged.steps, None
            self.accesses.shared = judged.accesses.shared
        else:
            streams = list(dict.fromkeys((*self.sources.streams, *self._sent)))
            self.order = Order(count, streams, not self.more, self._clocks_shown())
            steps = self.sources, self.watch, self.order, self.accesses, self.more, self.first
            self.steps = Steps(*steps, self.less)
        self._pairs: dict[tuple[object, ...], Race] = {}
        self._maybe: dict[tuple[object, ...], Race] = {}
        self.sums: list[tuple[ByteAccess, ByteAccess]] = []
        self._future = self.watch.future
        self._known_clean = (-1, False)
        self._plain = False  # whether accesses in no order are a race, and those of two lines one
        self._from_the_start()

    def _clocks_shown(self) -> Sequence[Sequence[Clock]] | None:
        """The clocks of all instructions, where they are shown."""
        if self.shown is None or self.shown.clocks is None or self.more or self.less:
            return None
        return self.shown.clocks.by_instruction()

    @property
    def _sent(self) -> Collection[Stream]:
        """The streams of what no line sends, as far as some was sent."""
        tiles = self.watch.by_address
        return () if tiles is None else tiles.streams

    def _clean(self) -> bool:
        """Whether nothing is wrong with what was judged.

        Then nothing was wrong at any earlier moment of the same run: the more of it is known, the
        less order there is. Otherwise it is checked again when the run has gone back, because
        reports must not depend on the future.
        """
        taken, clean = self._known_clean
        if taken != self.steps.taken:
            order = self.order
            found = self._pairs or self._maybe or self.sums or order.unordered
            clean = not found and not [*order.late_takes(), *order.overruns()]
            self._known_clean = self.steps.taken, clean
        return clean

    def _from_the_start(self) -> None:
        self._pairs.clear()
        self._maybe.clear()
        self.sums.clear()
        self._compared = 0
        self._at = [0] * self.order.queues
        self._nexts = [0] * self.order.queues
        self._clocks = [self.order.nothing] * self.order.queues

    @property
    def parts(self) -> tuple[int, ...]:
        """How much of the run is tried: races of a part are races of the whole."""
        whole = len(self.watch.queues)
        return (whole // PART, whole) if whole >= LONG else (whole,)

    def proposed(self, more: More, apart: Apart | None, first: int = NEVER) -> Check:
        """The same run with waits that the program does not have, to be judged."""
        shown = self.shown
        if any(isinstance(one, Take) for some in more.values() for one in some):
            shown = None  # there may be less order
        run = self.sources, self.watch, self.held
        return Check(*run, more, apart=apart, first=first, shown=shown)

    def tried(self, more: More, apart: Apart | None, first: int = NEVER) -> Check:
        """The same, judged."""
        made = self.proposed(more, apart, first)
        made.settle()
        return made

    @property
    def taken(self) -> list[TakenStep]:
        """The steps of the run, which need not be judged yet."""
        with gc_pause.paused():
            self.steps.take()
        return self.order.taken

    # -- judging

    def settle(self) -> None:
        """Judge what was kept since it was judged last."""
        self.touches = None
        with gc_pause.paused():
            self._settle()

    def _settle(self) -> None:
        if self.watch.vague and not self.every:  # what may write a place supersedes nothing
            self.every, self._torn = True, True
        if not self.order.columns.keys() >= set(self._sent):
            self._torn = True
        changed = self._future is not self.watch.future
        if self.shown is not None and (changed or len(self.watch.queues) != self._whole):
            self.shown, self._torn = None, True
        went_back = self.watch.lowest < self.steps.taken
        if self._torn or changed or (went_back and not self._clean()):
            self._torn = True
            self._reset()
            self._torn = False
        self.watch.lowest = NEVER
        if len(self.watch.queues) < self.steps.taken:
            self.watch.lowest = len(self.watch.queues)
            return  # what comes was judged already
        self._torn = True
        shared = len(self.accesses.shared)
        self.steps.take()
        if self.order.settle() or len(self.accesses.shared) > shared:
            self.accesses.restart()
            self._from_the_start()
        lone = self.held and self.apart is None and not self.more
        self._plain = lone and not (self.sources.typed or self.watch.vague)
        self._compare()
        self._torn = False

    @property
    def races(self) -> list[Race]:
        """All races, by where the second access is in the run."""
        return list(self._pairs.values())

    @property
    def lines(self) -> set[frozenset[tuple[Line, bool, bool]]]:
        """The pairs of lines that are in a race, with what they do."""
        return {frozenset(map(self._side, (race.first, race.second))) for race in self.races}

    @property
    def vague_races(self) -> list[Race]:
        """Races of accesses to bytes that are not known, if these are the same: of other lines."""
        return [race for key, race in self._maybe.items() if key not in self._pairs]

    @property
    def unordered(self) -> list[Unordered]:
        """Sets of counters that are in no order with what else happens to them."""
        return self.order.unordered

    def _compare(self) -> None:
        """Compare all accesses that are new with those before them."""
        watch, at, clocks, accesses = self.watch, self._at, self._clocks, self.accesses
        starts, steps, nexts = self.order.starts, self.order.steps, self._nexts
        compared, kept, ends = accesses.compared, accesses.kept, self.steps.ends
        tiles = watch.by_address
        tiled = set() if tiles is None else {*tiles.reads, *tiles.writes}
        for queue in watch.queues[self._compared : self.steps.taken]:
            index = at[queue]
            at[queue] = index + 1
            known, nth = starts[queue], nexts[queue]
            while nth < len(known) and known[nth] == index:
                clocks[queue] = steps[queue][nth].clock
                nexts[queue] = nth = nth + 1
            work = watch.works[queue][index]
            touched = kept.get(work.number) or compared(work.number, work.reads, work.writes)
            if touched != NOTHING:
                accesses.instruction(queue, index, clocks[queue], touched, work.reads_on)
            if tiles is not None and (queue, index) in tiled:
                found = accesses.compared(-1, *tiles.touched(queue, index))
                over = self.steps.lasts.get((queue, index))
                accesses.instruction(queue, index, clocks[queue], found, end=over)
            end = ends[queue].get(index)
            if end is not None:
                moved = watch.moved[queue][index]
                clock = self.order.later(clocks[queue], queue, index)
                accesses.transfer(queue, index, clock, moved, *end)
        self._compared = self.steps.taken

    def _add_race(self, near: Place, column: int, count: int, kind: str, now: ByteAccess) -> None:
        """An access and an earlier one are in no order."""
        queues, index, moves = self.order.queues, count - 1, False
        if column < queues:
            moved = self.watch.moved[column].get(index)
            queue, moves = column, moved is not None and moved.met
        elif column < 2 * queues:
            queue = column - queues
        else:
            queue, index = self.order.owners[column], self.order.issued[column][index]
            moves = (queue, index) not in self.steps.lasts
        key: tuple[object, ...] = ()
        if self._plain and not ((moves and kind == READ) or kind == now.kind == ADD):
            key = (*self._key(queue, index, moves, kind != READ, now), None)
            known = self._pairs.get(key)
            if known is not None and len(known.pairs) >= PAIRS:
                known.many += 1
                return
        first = ByteAccess(queue, index, kind, moves, near.region)
        if kind == now.kind == ADD:
            self.accesses.summed.add(near.number)
            self.sums.append((first, now))
            return
        if self.sources.typed and self._one_by_hand(first, now):
            return
        if moves and kind == READ and self._taken(first, now):
            return
        if self.more and self.ordered(now, first):  # what waits more comes later than it did
            return
        if not key:
            key = self._key(queue, index, moves, first.writes, now)
            key = (*key, self.apart and self.apart(first, now))
        kept = self._pairs
        if self.watch.vague and (self.vague(first) or self.vague(now)):
            kept = self._maybe
        found = kept.get(key)
        if found is None:
            kept[key] = Race(first, now, [(first, now)])
            return
        if len(found.pairs) < PAIRS or not self.held:
            found.pairs.append((first, now))
        found.many += 1

    def _key(
        self, queue: int, index: int, moves: bool, writes: bool, now: ByteAccess
    ) -> tuple[object, ...]:
        """What tells a race from others: the lines, and what they do."""
        one, other = (self.line(queue, index), moves, writes), self._side(now)
        return (*one, *other) if one < other else (*other, *one)

    def _taken(self, first: ByteAccess, now: ByteAccess) -> bool:
        """Whether the queue that sent some bytes has waited until they were taken, before now."""
        waited = self.steps.sent.taken[first.queue].get(first.index)
        if waited is None:
            return False
        if now.queue == first.queue:
            return now.index > waited
        return self.order.clock(now.queue, now.index)[first.queue] > waited

    def _one_by_hand(self, first: ByteAccess, now: ByteAccess) -> bool:
        """Whether one of two accesses was typed in, and the first was over before the other began.

        The user sees what is complete, and then continues: that is an order of its own.
        """
        watch, lines = self.watch, self.sources.program.queues
        if all(watch.pcs[one.queue][one.index] < len(lines[one.queue]) for one in (first, now)):
            return False
        over: int | None = watch.begin(first.queue, first.index)
        if first.moves:
            over = watch.landing(watch.moved[first.queue][first.index].number)
        elif first.writes:
            over = watch.completion(first.queue, first.index)
        return over is not None and over <= watch.begin(now.queue, now.index)

    def unanswered(self, access: ByteAccess) -> bool:
        """Whether an access is of a transfer of whose end its sender learns nothing."""
        moved = self.watch.moved[access.queue].get(access.index)
        return access.moves and moved is not None and moved.silent

    def lasts(self, access: ByteAccess) -> bool:
        """Whether an access may last longer than later instructions of its queue."""
        return (access.queue, access.index) in self.steps.lasts

    def end(self, access: ByteAccess) -> Event:
        """When an access is over."""
        if access.moves and not self.watch.moved[access.queue][access.index].met:
            return Event(LANDS, access.queue, access.index)
        if self.lasts(access):
            return Event(LANDS, access.queue, access.index)
        stays = access.writes or self.watch.works[access.queue][access.index].reads_on
        kind = COMPLETES if stays and not access.moves else STARTS
        return Event(kind, access.queue, access.index)

    def unlanded(self) -> list[tuple[int, int]]:
        """The transfers that may not have landed when the last instructions are complete."""
        done = self.order.done()
        return [
            (queue, index)
            for queue, ends in enumerate(self.steps.ends)
            for index, (column, count) in ends.items()
            if column >= 2 * self.order.queues and done[column] < count
        ]

    def vague(self, access: ByteAccess) -> bool:
        """Whether an access may be to other bytes than those of its region."""
        watch, queue, index = self.watch, access.queue, access.index
        number = watch.works[queue][index].number
        if access.moves:
            number = watch.moved[queue][index].pattern
        return access.region in watch.vague.get(number, ())

    def starts_after(self, one: ByteAccess, other: ByteAccess) -> bool:
        """Whether an access begins after another one has begun, in every execution."""
        if one.queue == other.queue:
            return one.index > other.index
        return self.order.clock(one.queue, one.index)[other.queue] > other.index

    def ordered(self, one: ByteAccess, other: ByteAccess) -> bool:
        """Whether an access is over before another one begins, in every execution."""
        if one.queue == other.queue and not one.moves and not other.moves:
            return one.index < other.index
        return self.order.before(self.end(one), other.queue, other.index)

    def _side(self, access: ByteAccess) -> tuple[Line, bool, bool]:
        """What tells the accesses of a line apart: by itself or a transfer, read or written."""
        return self.line(access.queue, access.index), access.moves, access.writes

    def split(self, race: Race, waiter: ByteAccess) -> Iterator[tuple[ByteAccess, ByteAccess]]:
        """The pairs of a race, each with the one of the waiter's line first."""
        mine = self._side(waiter)
        for first, second in race.pairs:
            yield (first, second) if self._side(second) != mine else (second, first)

    def line(self, queue: int, index: int) -> Line:
        """The line of the text that an executed instruction came from."""
        return self.line_of(queue, self.watch.pcs[queue][index])

    def line_of(self, queue: int, pc: int) -> Line:
        """The line of the text that an instruction at a place of a queue came from."""
        return self.sources.program.line(queue, pc)
