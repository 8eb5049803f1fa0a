"""RoundFinder: what repeats itself tick by tick is computed once, where nothing observes it.

The rounds of an unrolled loop are instructions in a row that differ in nothing that decides the
time: in addresses of transfers, and in the values of semaphores that they wait for, which grow
evenly. As soon as all that a scheduler remembers is the same after one of them as before, but for
ticks, places and counts that have grown, so will it be after each that follows. Those are then
one event, and what comes of them, and when, is what comes of them one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from nasm.sim.counters import HIGHEST
from nasm.sim.events import Observer, hear_rounds
from nasm.sim.queues import NEVER, Queue
from nasm.sim.repeated import Repeated
from nasm.sim.shifts import NotedMoment, Setter, Shifted, ShiftHost, pass_over

LEAST = 12
"""Instructions of a queue in a round: comparing two moments takes as long as half as many."""

MOST = 1 << 14
"""Instructions of a queue up to which a round may have."""

GAIN = 40
"""Instructions that have to be left after a round that is compared with the one before."""

AHEAD = 1 << 16
"""Instructions that are repeated at once: so long a run cannot be stopped."""

TRIES = 6
"""Rounds in a row that are compared with the one before, until one is repeated."""

LAGS = 6
"""Distances of like instructions that are looked at: the most frequent ones."""

PATIENCE = 64
"""Rounds that pass at the most before the next try, twice as many after each that failed.

There is no such bound before anything was repeated: looking for it then takes ever less time.
"""

WARM = 64
"""Instructions that the anchor starts one by one before anything is looked for."""


class InstructionForms(NamedTuple):
    """Of each instruction of a queue what decides its time: a number, below 0 if no other is like.

    Those that wait, wait until the ``semaphores`` have at least the ``values``; others for -1.
    """

    forms: NDArray[np.int64]
    semaphores: NDArray[np.int64]
    values: NDArray[np.int64]


class Formed(Shifted, Protocol):
    """A machine whose instructions have forms."""

    def forms(self, queue: Queue) -> InstructionForms:
        """Those of a queue."""


class RoundHost(ShiftHost, Protocol):
    """What rounds need of a scheduler."""

    observers: list[Observer]
    listeners: Mapping[str, tuple[Callable[..., None], ...]]


class RoundEnd(NamedTuple):
    """A moment at which a round may begin or end.

    Of observers what they say of it; by queue its pc, how many have started, and the first pc of
    what is in flight; how many starts there were, how many completed,
    how many transfers were launched, and the values of semaphores.
    """

    moment: NotedMoment
    marks: list[Any]
    pcs: list[int]
    started: list[int]
    oldest: list[int]
    records: int
    retired: int
    launched: int
    values: dict[int, int]


Coming = list[int]
"""In how many ticks each event that is known is to happen: the same at both ends of a round that
repeats itself, and soon compared."""


class Lag:
    """Rounds of one length: of so many instructions of the anchor, which may begin at ``pcs``.

    The next one is looked at when the anchor starts the instruction ``at`` a pc. At its begin so
    much was ``coming``; if that is likely to be so at its end, too, it has been ``seen`` then. So
    many rounds in a row have ``failed`` to repeat the one before.
    """

    def __init__(self, length: int, pcs: NDArray[np.intp]) -> None:
        self.length, self.pcs = length, pcs
        self.coming: Coming | None = None
        self.seen: RoundEnd | None = None
        self.at = self.failed = 0
        self.forget()

    def forget(self) -> None:
        """Begin again, when what comes first is over."""
        self.failed = 0
        self.begin(self.length // 4)

    def begin(self, pc: int) -> None:
        """Look at the first round that may begin at a pc or after it."""
        index = int(np.searchsorted(self.pcs, pc))
        self.coming = self.seen = None
        self.at = NEVER if index == len(self.pcs) else int(self.pcs[index])

    def reach(self, pc: int, coming: Coming, seen: RoundEnd | None) -> None:
        """A round begins here, and ends as far away as it is long, if it may."""
        index = int(np.searchsorted(self.pcs, pc))
        if index < len(self.pcs) and self.pcs[index] == pc:
            self.coming, self.seen, self.at = coming, seen, pc + self.length
        else:
            self.begin(pc + 1)

    def fail(self, pc: int, patience: int) -> bool:
        """A round was not like the one before: whether to compare with the next, or to wait."""
        self.failed += 1
        if self.failed <= TRIES:
            return True
        pause = min(2 ** (self.failed - TRIES), patience)
        self.begin(pc + 1 + pause * self.length)
        return False


class RoundFinder:
    """Finds and repeats the rounds of a scheduler.

    The queue with the most instructions is looked at, its ``anchor``, when it starts the one ``at``
    a pc, or a later one.
    """

    def __init__(self, host: RoundHost, machine: Formed) -> None:
        self.host, self.machine = host, machine
        self.anchor = max(host.queues, key=lambda queue: queue.length)
        self.at = WARM
        self.until, self.retire = NEVER, NEVER
        self._forms: dict[int, InstructionForms] = {}
        self._lags: list[Lag] | None = None
        self._paid = False
        self._listeners: object = None
        self._heard = False

    def begin(self, until: int, retire: int | None) -> Queue | None:
        """A run begins that may go to a tick, and until so many instructions have completed.

        Returns the anchor if there can be rounds in it.
        """
        self.until, self.retire = until, NEVER if retire is None else retire
        if self._listeners is not self.host.listeners:
            self._listeners = self.host.listeners
            self._heard = hear_rounds(self.host.observers)
        return self.anchor if self._heard and self.at < NEVER else None

    def forget(self) -> None:
        """The run has gone back."""
        self.at = WARM if self._lags is None else 0
        for lag in self._lags or ():
            lag.forget()

    def made(self) -> bool:
        """Whether rounds were repeated from the head of the anchor on, which may start now.

        It still may, as many rounds later.
        """
        pc, made = self.anchor.pc, False
        if self._lags is None:
            if pc != self.at:  # many were executed at once, or it has jumped
                self.at = pc + WARM
                return False
            self._lags = self._look()
        lags = self._lags
        for lag in lags:
            if lag.at < pc:  # the queue has jumped
                lag.begin(pc)
        reached = [lag for lag in lags if lag.at == pc]
        if reached:
            now = self.host.now
            coming = sorted([event[0] - now for event in self.host.heap])
            made = self._reached(reached, coming)
        self.at = min((lag.at for lag in lags), default=NEVER)
        return made

    def _reached(self, lags: Sequence[Lag], coming: Coming) -> bool:
        """Whether a round that may begin or end at the head of the anchor was repeated."""
        pc, now = self.anchor.pc, None
        for lag in lags:
            promising = self._paid
            if lag.coming is not None:
                alike = lag.coming == coming
                if alike and lag.seen is not None:
                    now = now or self._now()
                    if self._ended(lag, lag.seen, now):
                        return True
                    if not self._paid and lag.failed and not self._double(lag):
                        continue
                if (lag.seen is not None or not alike) and not self._again(lag):
                    continue
                promising = promising or alike
            if promising:
                now = now or self._now()
            lag.reach(pc, coming, now if promising else None)
        return False

    def _double(self, lag: Lag) -> bool:
        """Let rounds that only seem to repeat be half of rounds that do: queues may take turns.

        Returns False if there are others of that length, which then are looked at instead.
        """
        assert self._lags is not None
        length = 2 * lag.length
        if any(other.length == length for other in self._lags):
            self._lags.remove(lag)
            return False
        pcs = self._begins(length)
        if length <= MOST and len(pcs):
            lag.length, lag.pcs = length, pcs
        return True

    def _again(self, lag: Lag) -> bool:
        """Whether to look at the next round, too, after one that was not like the one before."""
        return lag.fail(self.anchor.pc, PATIENCE if self._paid else NEVER)

    def _ended(self, lag: Lag, seen: RoundEnd, now: RoundEnd) -> bool:
        """Whether a round that ends at the head of the anchor was repeated from there on."""
        pc = self.anchor.pc
        ends = (other.at for other in self._lags or () if other.seen is not None and other.at > pc)
        if not self._repeat(seen, now, min(ends, default=NEVER) - pc - 1):
            return False
        for other in self._lags or ():
            if other.at <= self.anchor.pc:
                other.begin(self.anchor.pc + 1)
        lag.failed, self._paid = 0, True
        return True

    def _look(self) -> list[Lag]:
        """Where rounds may begin in the anchor, the longest ones first."""
        lengths = _distances(self._of(self.anchor).forms)
        found = ((length, self._begins(length)) for length in lengths)
        return [Lag(length, pcs) for length, pcs in found if len(pcs)]

    def _begins(self, length: int) -> NDArray[np.intp]:
        """Where rounds of a length may begin in the anchor."""
        alike = _alike(self._of(self.anchor).forms, length)
        return (alike[length:] >= length + max(length, GAIN)).nonzero()[0]

    def _of(self, queue: Queue) -> InstructionForms:
        found = self._forms.get(queue.index)
        if found is None:
            found = self._forms[queue.index] = self.machine.forms(queue)
        return found

    def _now(self) -> RoundEnd:
        host, queues = self.host, self.host.queues
        for each in queues:
            self._of(each)  # which may bind tasks, and with that name what they occupy
        moment = NotedMoment(host.now)
        pass_over(host, moment, self.machine)
        oldest = [queue.flight[0].pc if queue.flight else queue.pc for queue in queues]
        for flight in host.service.transfers.values():
            queue, pc = flight.origin
            oldest[queue] = min(oldest[queue], pc)
        return RoundEnd(
            moment,
            [observer.mark() for observer in host.observers],
            [queue.pc for queue in queues],
            [queue.started for queue in queues],
            oldest,
            host.records,
            host.retired,
            self.machine.launched,
            {number: semaphore.value for number, semaphore in host.semaphores.items()},
        )

    def _repeat(self, first: RoundEnd, last: RoundEnd, most: int) -> bool:
        """Let what happened between two moments happen again, as often as it will.

        The anchor advances by so many instructions at the most.
        """
        host, marks = self.host, first.marks
        places = [pc - before for before, pc in zip(first.pcs, last.pcs, strict=True)]
        starts = [after - before for before, after in zip(first.started, last.started, strict=True)]
        if places != starts or first.values.keys() != last.values.keys():
            return False
        for observer, mark in zip(host.observers, marks, strict=True):
            if not observer.since(mark):
                return False
        ticks, records = last.moment.now - first.moment.now, last.records - first.records
        step = first.moment.step_to(last.moment, records, places)
        if step is None:
            return False
        counters = {number: last.values[number] - had for number, had in first.values.items()}
        named = len(host.resources)
        count = min(most // places[self.anchor.index], self._count(first, last, places, counters))
        if count < 1 or len(host.resources) > named:  # some that the moments have not noted
            return False
        launches, touched = last.launched - first.launched, self.machine.touched
        rounds = Repeated(count, ticks, records, places, counters, launches, touched)
        for observer, mark in zip(host.observers, marks, strict=True):
            observer.repeated(mark, rounds)
        numbers = np.array(last.moment.numbers, np.int64) + count * step
        pass_over(host, Setter(host.now, numbers.tolist()), self.machine)
        host.now += count * ticks
        return True

    def _count(
        self, first: RoundEnd, last: RoundEnd, places: Sequence[int], counters: Mapping[int, int]
    ) -> int:
        """How often a round can be repeated that goes from one moment to another."""
        host = self.host
        found = min(
            AHEAD,
            (self.until - host.now) // max(1, last.moment.now - first.moment.now),
            (self.retire - 1 - host.retired) // max(1, last.retired - first.retired),
        )
        for number, more in counters.items():
            if more:
                found = min(found, (HIGHEST - last.values[number]) // more)
        for queue, step, oldest in zip(host.queues, places, first.oldest, strict=True):
            if step > 0:
                found = min(found, self._rounds(queue, step, oldest, counters))
            elif queue.wait is not None and not queue.waited:
                number, op, value = queue.wait
                more = counters.get(number, 0)
                if more:
                    short = value - 1 - last.values[number]
                    found = min(found, short // more if op == ">=" else 0)
        return found

    def _rounds(self, queue: Queue, step: int, oldest: int, counters: Mapping[int, int]) -> int:
        """How many rounds of so many instructions follow from the head of a queue on."""
        forms, semaphores, values = self._of(queue)
        end = min(len(forms), queue.pc + max(AHEAD, 4 * step))
        here, there = slice(oldest, end - step), slice(oldest + step, end)
        waits = semaphores[here]
        known = np.zeros(max((0, *counters)) + 2, np.int64)
        known[list(counters)] = list(counters.values())
        grown = values[there] - values[here] == known[np.minimum(waits, len(known) - 1)]
        alike = (forms[here] == forms[there]) & (forms[there] >= 0) & (forms[here] >= 0)
        alike &= (waits < 0) | grown
        (wrong,) = (~alike).nonzero()
        until = oldest + (int(wrong[0]) if len(wrong) else len(alike))
        return (until - 1 - queue.pc) // step + 1


def _distances(forms: NDArray[np.int64]) -> list[int]:
    """How far like instructions are apart, mostly: in multiples that are worth a comparison."""
    order = np.argsort(forms, kind="stable")
    ordered = forms[order]
    same = (ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0)
    lags, counts = np.unique(np.diff(order)[same], return_counts=True)
    frequent = lags[np.argsort(-counts, kind="stable")[:LAGS]].tolist()
    once = {lag * -(-LEAST // lag) for lag in frequent if lag <= MOST}
    found = once | {2 * lag for lag in once}  # of other queues only every other one may be like it
    return sorted((lag for lag in found if lag < len(forms)), reverse=True)


def _alike(forms: NDArray[np.int64], lag: int) -> NDArray[np.int64]:
    """How many instructions in a row, from so far after each on, are like those as far before."""
    wrong = (forms[lag:] != forms[:-lag]) | (forms[lag:] < 0)
    numbers = np.arange(len(wrong))
    ends = np.where(wrong, numbers, len(wrong))
    return np.minimum.accumulate(ends[::-1])[::-1] - numbers
