"""What is kept of a run to judge its order: which instructions started, and what they touch."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nasm.isa import effects
from nasm.isa.list_kinds import views
from nasm.order.skeleton import Event, Stream
from nasm.program.program import Instruction, Program
from nasm.sim.channels import Flight, Group, TouchedRegions
from nasm.sim.events import Observer
from nasm.sim.queues import NEVER, Queue, Task, Work
from nasm.views.regions import Region
from nasm.views.tensor import Tensor

if TYPE_CHECKING:
    from nasm.sim.repeated import Repeated

_tuple = tuple.__new__  # makes a NamedTuple in a third of the time

MOST = 1_000_000
"""Instructions whose order is judged, some 30 bytes each, and their waits and transfers more."""


APART = (effects.Transfer, effects.Clear, effects.Rendezvous, effects.RankExchange, effects.Packet)
"""What is in no order with its own queue, or touches more than an instruction names."""


def matters(program: Program, areas: Mapping[int, int], held: bool) -> bool:
    """Whether anything in a program could be in no order.

    It moves data, has counters that are set, or waited for to be just so, or it has queues that
    touch the same of the ``areas`` of its tensors. If engines are not ``held`` until they have
    their own results, their reads could be, too.
    """
    if not held or any(i.row.effect in APART for i in program.instructions):
        return True
    if program.tiles and any(i.row.sends for i in program.instructions):
        return True
    queues = enumerate(program.queues)
    busy = [(queue, lines) for queue, lines in queues if len(lines.instructions)]
    if len(busy) < 2:
        return False
    if len({(lines.core, lines.engine) for _, lines in busy}) < len(busy):
        return True
    if any(u is not None and (u.op != "+" or u.value < 0) for u in program.updates):
        return True
    if any(w is not None and w.op == "==" for w in program.waits):
        return True
    owners: dict[int, int] = {}
    return any(
        owners.setdefault(areas[tensor.index], queue) != queue
        for queue, lines in busy
        for number in set(lines.instructions)
        for tensor in _touched(program.instructions[number])
    )


def _touched(instruction: Instruction) -> Iterator[Tensor]:
    """The tensors that an instruction may touch."""
    for view in itertools.chain.from_iterable(map(views, instruction.operands)):
        yield view.tensor
        if view.offsets is not None:
            yield view.offsets.tile.tensor


class TransferTouches(NamedTuple):
    """What a transfer touches, posts to, and in how many shares; its ``number`` is its own.

    ``pattern`` is the same for all that touch the same. It ``adds`` to what it writes, or is part
    of a meeting (``met``), which then is over when it has landed. Of a ``silent`` one its sender
    never learns that it has landed. ``way`` is what tells it from others whose answers say nothing
    of it, if its instruction does not.
    """

    number: int
    pattern: int
    reads: tuple[Region, ...]
    writes: tuple[Region, ...]
    counter: int | None
    shares: int
    adds: bool
    met: bool
    silent: bool = False
    way: Hashable = None


class RepeatedPart(NamedTuple):
    """Of rounds that were repeated the part of a queue: ``length`` instructions, from one on."""

    queue: int
    begin: int
    length: int
    rounds: Repeated


class Longer(Protocol):
    """Remembers a run that is longer than what is remembered of all of it."""

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Remember a start."""

    def issued(self, flight: Flight, now: int) -> None:
        """Remember what a transfer touches."""


class TouchedByAddress(Protocol):
    """What instructions touch that they do not name, and what they come after.

    ``reads`` and ``writes`` are of bytes, by queue and number of the instruction. ``follows`` are
    instructions, each with what it comes after. ``streams`` are those of transfers that no line
    sends, and of what instructions touch by units, which ``touching`` names, when others of their
    queue are complete.
    """

    reads: dict[tuple[int, int], list[tuple[int, int, int]]]
    writes: dict[tuple[int, int], list[tuple[int, int, int]]]
    follows: list[tuple[int, int, Event]]
    streams: dict[Stream, None]
    touching: dict[tuple[int, int], str]

    def touched(self, queue: int, index: int) -> tuple[tuple[Region, ...], tuple[Region, ...]]:
        """What an instruction has read and written by addresses."""


class Watch(Observer):
    """The instructions of a run in the order of their starts, by queue.

    ``queues`` are the queues in that order. Of each queue, by the number of an instruction in it:
    ``works`` is what it does, ``pcs`` its place, ``begins`` when it started, ``ends`` when
    the one before it completed, ``moved`` the transfer that it issued. ``meetings`` says which met,
    ``sizes`` how many in each. ``signals`` are the counters that instructions have raised by
    packets, with the queue and the number of each. Shares of ``flights`` landed at ``landings``.
    ``full`` says that there was more, from a queue, pc and tick on (``beyond``); a ``closed`` one
    remembers nothing more.
    ``lowest`` is to how few instructions it was cut since the check set it to NEVER. ``future`` is
    another one after each change by hand: results for one do not hold for another. ``vague`` are
    bytes of which what has a number, or a pattern, touches some, it is not known which. What comes
    after so many is remembered by ``longer``, if loops allow that and the run does not go back.
    """

    CACHES = ("lowest", "vague", "longer")

    def __init__(
        self, queues: Sequence[Queue], longer: Callable[[Watch], Longer] | None = None
    ) -> None:
        self._all, self._longer = queues, longer
        self.longer: Longer | None = None
        self.queues = array("H")
        self._works: list[list[Work]] = [[] for _ in queues]
        self.pcs = [array("i") for _ in queues]
        self.begins = [array("q") for _ in queues]
        self.ends = [array("q") for _ in queues]
        self._moved: list[dict[int, TransferTouches]] = [{} for _ in queues]
        self._repeats: list[RepeatedPart] = []
        self.meetings: dict[tuple[int, int], int] = {}
        columns = zip(self._works, self.pcs, self.begins, self.ends, strict=True)
        self._add: list[tuple[Callable[[Any], None], ...]] = [
            (works.append, pcs.append, begins.append, ends.append)
            for works, pcs, begins, ends in columns
        ]
        self.flights, self.landings = array("q"), array("q")
        self.full = self.closed = False
        self.beyond: tuple[int, int, int] | None = None
        self.lowest = NEVER
        self.future = object()
        self.sizes: list[int] = []
        self.signals: list[tuple[int, int, int]] = []
        self.vague: Mapping[int, Collection[Region]] = {}

    def empty(self) -> Watch:
        """Another one of the same queues, of which nothing is remembered yet."""
        return Watch(self._all)

    @property
    def works(self) -> list[list[Work]]:
        """What each instruction does."""
        if self._repeats:
            self._make()
        return self._works

    @property
    def moved(self) -> list[dict[int, TransferTouches]]:
        """The transfers that instructions have issued, by their numbers."""
        if self._repeats:
            self._make()
        return self._moved

    def columns(self, queue: int) -> tuple[array[int], array[int], array[int]]:
        """What is kept of each instruction of a queue as a number."""
        return self.pcs[queue], self.begins[queue], self.ends[queue]

    @property
    def by_address(self) -> TouchedByAddress | None:
        """What is touched by addresses; None where cores hold nothing that does that."""
        return None

    # -- events

    def started(self, queue: Queue, task: Task, now: int) -> None:
        """Remember a start."""
        index = queue.index
        if self.closed or len(self.queues) >= MOST:
            self._beyond(queue, task, now)
            return
        work, pc, begin, end = self._add[index]
        work(task.work)
        pc(queue.pc)
        begin(now)
        end(queue.last_finish)
        self.queues.append(index)  # last, so that what an interrupt leaves can be judged

    def _beyond(self, queue: Queue, task: Task, now: int) -> None:
        """Remember a start by another one, which leaves out rounds of loops."""
        if not self.full and not self.closed:
            self.beyond = queue.index, queue.pc, now
            self.longer = None if self._longer is None else self._longer(self)
        self.full = True
        if self.longer is not None:
            self.longer.started(queue, task, now)

    def met(self, queues: Sequence[int]) -> None:
        """Remember which instructions start together: the next ones of these queues."""
        if self.full:
            self.longer = None
            return
        for queue in queues:
            self.meetings[queue, len(self._works[queue])] = len(self.sizes)
        self.sizes.append(len(queues))

    def issued(self, flight: Flight, now: int) -> None:
        """Remember what a transfer touches, by the instruction that issued it."""
        if self.longer is not None:
            self.longer.issued(flight, now)
        queue, pc = flight.origin
        index = len(self._works[queue])
        met = bool(self.meetings) and (queue, index) in self.meetings
        if not met:
            index = self.issuer(queue, pc)
        if self.full or index < 0:
            return
        if flight.signals_only:
            if flight.semaphore is not None:
                self.signals.append((queue, index, flight.semaphore))
            return
        moved = (
            flight.key, flight.pattern, *flight.touched.both, flight.semaphore, flight.left,
            flight.adds, met, flight.signals, None,
        )  # fmt: skip
        self._moved[queue][index] = _tuple(TransferTouches, moved)

    def issuer(self, queue: int, pc: int) -> int:
        """The number of the instruction at a pc that issues a transfer; -1 if it is not kept."""
        pcs = self.pcs[queue]
        return len(pcs) - 1 if pcs and pcs[-1] == pc else -1

    def landed(self, group: Group, now: int) -> None:
        """Remember when shares landed."""
        self.flights.append(group.flight.key)
        self.landings.append(now)

    def repeated(self, mark: Any, rounds: Repeated) -> None:
        """Remember what was remembered since a mark some times more."""
        order, counts, landed = mark
        _repeat(self.queues, order, rounds.times, 0)
        _repeat(self.flights, landed, rounds.times, rounds.launches)
        _repeat(self.landings, landed, rounds.times, rounds.ticks)
        for queue, begin in enumerate(counts):
            works = self._works[queue]
            count = len(works) - begin
            if count:
                self._repeats.append(RepeatedPart(queue, begin, count, rounds))
                steps = rounds.places[queue], rounds.ticks, rounds.ticks
                for column, step in zip(self.columns(queue), steps, strict=True):
                    _repeat(column, begin, rounds.times, step)
                works.extend(works[begin:] * rounds.times)

    def like(self, queue: int) -> NDArray[np.int64]:
        """Of each instruction of a queue the one that was executed which it repeats, or itself."""
        found = np.arange(len(self._works[queue]))
        for part in self._repeats:
            if part.queue == queue:
                end = part.begin + part.length
                later = found[end : end + part.rounds.times * part.length]
                later.reshape(-1, part.length)[:] = found[part.begin : end]
        return found

    @property
    def executed(self) -> tuple[list[list[Work]], list[dict[int, TransferTouches]]]:
        """What was executed does, and what it issued.

        Of what repeats it there are its works, instead of their own, and no transfers.
        """
        return self._works, self._moved

    def moves(self, queue: int, index: int) -> TouchedRegions:
        """What the transfer of an instruction that repeats another one touches."""
        return self._repeats[0].rounds.touched((queue, self.pcs[queue][index]))[0]

    def _make(self) -> None:
        """Make what repeats what was executed."""
        made, self._repeats = self._repeats, []
        for part in made:
            self._make_part(part)
        for queue in {part.queue for part in made}:
            self._moved[queue] = dict(sorted(self._moved[queue].items()))

    def _make_part(self, part: RepeatedPart) -> None:
        queue, begin, count, rounds = part
        works, moved, pcs = self._works[queue], self._moved[queue], self.pcs[queue]
        fetch, place = self._all[queue].fetch, rounds.places[queue]
        issued = [(n, moved[n]) for n in range(begin, begin + count) if n in moved]
        end = begin + count
        works[end : end + rounds.times * count] = [
            fetch(pc)[0].work for pc in pcs[end : end + rounds.times * count]
        ]
        for later in range(1, rounds.times + 1):
            for n, one in issued:
                touched, pattern = rounds.touched((queue, pcs[n] + later * place))
                reads, writes = touched.both
                moved[n + later * count] = one._replace(
                    number=one.number + later * rounds.launches, pattern=pattern, reads=reads,
                    writes=writes,
                )  # fmt: skip

    def mark(self) -> Any:
        """How much there is."""
        return len(self.queues), [len(works) for works in self._works], len(self.flights)

    def since(self, mark: Any) -> bool:
        """Whether all that started since a mark is remembered, and there is room for much more."""
        return not (self.full or self.closed) and len(self.queues) < MOST // 4

    def turn(self) -> None:
        """Something is changed by hand: what comes now may be another run."""
        self.future, self.longer = object(), None

    def close(self) -> None:
        """Remember nothing more: what comes before what does not follow from the program now."""
        self.full = self.closed = True
        self.longer = None

    def begin(self, queue: int, index: int) -> int:
        """When an instruction started."""
        return self.begins[queue][index]

    def end(self, queue: int, index: int, last: int) -> int:
        """When an instruction completes; ``last`` is when the last of its queue does."""
        ends = self.ends[queue]
        return ends[index + 1] if index + 1 < len(ends) else last

    def completion(self, queue: int, index: int) -> int:
        """When an instruction completes."""
        return self.end(queue, index, self._all[queue].last_finish)

    def landing(self, flight: int) -> int | None:
        """When the last of a transfer's shares so far landed."""
        landings = zip(reversed(self.flights), reversed(self.landings), strict=True)
        return next((landing for key, landing in landings if key == flight), None)

    # -- checkpoints

    def save(self) -> Any:
        """How much there is."""
        counts = tuple(zip(map(len, self.works), map(len, self.moved), strict=True))
        kept = len(self.meetings), len(self.flights)
        state = self.full, self.closed, self.future, self.beyond
        return len(self.queues), counts, kept, state, (len(self.sizes), len(self.signals))

    def restore(self, saved: Any) -> None:
        """Forget what came later."""
        length, counts, (meetings, landed), state, (met, signals) = saved
        del self.signals[signals:]
        self.full, self.closed, self.future, self.beyond = state
        self.longer = None
        self.lowest = min(self.lowest, length)
        del self.queues[length:], self.flights[landed:], self.landings[landed:]
        for queue, (count, moved) in enumerate(counts):
            for column in (self.pcs[queue], self.begins[queue], self.ends[queue]):
                del column[count:]
            del self.works[queue][count:]
            while len(self.moved[queue]) > moved:
                self.moved[queue].popitem()
        del self.sizes[met:]
        while len(self.meetings) > meetings:
            self.meetings.popitem()


def _repeat(column: array[int], begin: int, times: int, step: int) -> None:
    """Let numbers of a column, from one on, follow some times more, each time by so much more."""
    numbers = np.array(column[begin:])
    if len(numbers):
        more = np.arange(1, times + 1, dtype=numbers.dtype)[:, None] * step + numbers
        column.frombytes(more.astype(numbers.dtype).tobytes())
