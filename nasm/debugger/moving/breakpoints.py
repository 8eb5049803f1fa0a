"""A run that stops at breakpoints, and how often each was met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from functools import partial

from nasm.base.problems import Failure, Refused
from nasm.base.records import replace
from nasm.debugger.moving.breakpoint_list import BreakpointList
from nasm.debugger.moving.breakpoint_records import HAZARDS, Armed, Breakpoint, Hit
from nasm.debugger.moving.locations import rounds
from nasm.debugger.moving.past import MadeChange, Past, poising, watching
from nasm.debugger.moving.stops import Met, OnHazard, Test
from nasm.machine.records import Moment
from nasm.runs.execution import Execution
from nasm.sim.queues import Queue, Task

_Places = list[Set[int] | None]
"""By queue, some pcs; None is any."""


class Breakpoints(BreakpointList):
    """The breakpoints of a session, in the order of their numbers.

    One is found by its number or its name: ``breakpoints[2]``, ``breakpoints["acc"]``. ``hits``
    are those at which the session last stopped. With ``hazards`` it stops at those, too.
    """

    def __init__(self, running: Execution, past: Past) -> None:
        super().__init__(running)
        self.past = past
        self.hits: tuple[Hit, ...] = ()
        self._asked: tuple[tuple[Test, ...], _Places] = (), []
        self._begun: list[Test] = []
        self._left: tuple[Moment, MadeChange | None] | None = None
        self._hazards: Armed | None = None
        self._aside = False

    @property
    def hazards(self) -> bool:
        """Whether hazards stop the run."""
        return self._hazards is not None

    @hazards.setter
    def hazards(self, wanted: bool) -> None:
        found = Armed(Breakpoint(HAZARDS, "hazards"), OnHazard(self.running), None)
        self._hazards = found if wanted else None

    @property
    def armed(self) -> bool:
        """Whether there is anything that stops the run."""
        return bool(self._armed())

    # -- running

    def advance(
        self,
        events: int,
        until: int | None = None,
        retire: int | None = None,
        tests: Sequence[Test] = (),
    ) -> tuple[Met, ...]:
        """As :meth:`Past.advance`, but stop where a breakpoint, or one of some ``tests``, is met.

        Returns what the tests have met.
        """
        armed = self._armed()
        if not armed and not tests:
            self.past.advance(events, until, retire)
            return ()
        mine = [Armed(Breakpoint(-1, ""), test, None) for test in tests]
        for sets in self._stops([*armed, *mine], events, until, retire):
            found = tuple(met for one in mine for met in one.met)
            self.hits = tuple(self._counted([one for one in sets if one not in mine]))
            if self.hits or found:
                self.running.stopped = True
                return found
        return ()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Nothing within is stopped at; then ``hits`` are what they were."""
        hits, before, self._aside = self.hits, self._aside, True
        try:
            yield
        finally:
            self.hits, self._aside = hits, before

    def _armed(self) -> list[Armed]:
        if self._aside:
            return []
        found = [one for one in self._set.values() if one.record.enabled]
        return [*found, self._hazards] if self._hazards is not None else found

    def _counted(self, hits: Sequence[Armed]) -> Iterator[Hit]:
        """Of breakpoints that were met those that stop the run; each is counted."""
        for one in hits:
            record = one.record
            one.record = replace(record, hits=record.hits + 1, ignore=max(0, record.ignore - 1))
            if record.ignore:
                continue
            if record.temporary:
                del self._set[record.number]
            yield from (Hit(one.record, met) for met in one.met)

    def before(self, moment: Moment, which: Sequence[int | str] = ()) -> Moment | None:
        """The last moment before another at which a breakpoint is met; the run is left there.

        None if there is none: then it is at its start. Nothing is counted.
        """
        return self._search(moment, [self._set[self._number(w)] for w in which] or self._armed())

    def search(self, moment: Moment, test: Test) -> Moment | None:
        """The last moment before another at which a test meets something; as :meth:`before`."""
        return self._search(moment, [Armed(Breakpoint(-1, ""), test, None)])

    def _search(self, moment: Moment, armed: Sequence[Armed]) -> Moment | None:
        self.hits = ()
        try:
            return self._searched(moment, armed)
        except (Failure, Refused):  # a condition that cannot be judged somewhere in the past
            self.past.goto(moment)
            raise

    def _searched(self, moment: Moment, armed: Sequence[Armed]) -> Moment | None:
        for begin, end in self.past.intervals(moment):
            found: tuple[Moment, tuple[Hit, ...]] | None = None
            left = end.position - begin.position + 1
            for hits in self._stops(armed, left, None, None, end):
                now = self.running.moment
                if now > end or now >= moment:  # at the end of an earlier stretch it counts
                    break
                found = now, tuple(Hit(one.record, met) for one in hits for met in one.met)
            if self.running.asked:
                return None
            if found is not None:
                self.past.goto(found[0])
                self.hits = found[1]
                return found[0]
        self.running.back_to(self.running.checkpoints[0])
        return None

    def quietly(self, test: Test) -> None:
        """Run on until a test meets something, and stop at nothing else."""
        for _ in self._stops([Armed(Breakpoint(-1, ""), test, None)], 1 << 62, None, None):
            return

    def _stops(
        self,
        armed: Sequence[Armed],
        events: int,
        until: int | None,
        retire: int | None,
        end: Moment | None = None,
    ) -> Iterator[list[Armed]]:
        """Advance, and give the breakpoints that are met, again and again."""
        scheduler = self.running.machine.scheduler
        last = scheduler.position + events
        self._begin(armed, again=False)
        each = any(one.test.polled for one in armed)
        while scheduler.position < last and not self.running.asked:
            begun = self.running.moment
            if end is not None and begun > end:
                return
            limit = min(self._looks(armed, begun.tick, until), default=None)
            with self._testing(armed):
                self.past.advance(1 if each else last - begun.position, limit, retire)
            self._check_hazards(armed, begun)
            for one in armed:
                one.test.look()
            scheduler.halted = self.running.asked
            met = [one for one in armed if one.met and self._holds(one)]
            stopped = any(one.met for one in armed)
            if met:
                yield met
            for one in armed:
                one.met.clear()
            self._left = self._state()
            if retire is not None and scheduler.retired >= retire:
                return
            early = limit is not None and limit != until and self.running.now >= limit
            if not (stopped or early or (each and scheduler.position > begun.position)):
                return

    def _begin(self, armed: Sequence[Armed], again: bool = True) -> None:
        """Nothing is met: conditions that hold already are not reported by any test.

        Unless they begin ``again``, tests that have seen everything until now keep their state.
        """
        knowing = () if again or self._state() != self._left else self._begun
        for one in armed:
            one.met.clear()
            if one.test not in knowing:
                one.test.begin()
        self._begun = [one.test for one in armed]

    def _state(self) -> tuple[Moment, MadeChange | None]:
        """The state of the machine: the moment, and the last change that led there."""
        made = self.running.changes_made
        return self.running.moment, self.past.changes[made - 1] if made else None

    @staticmethod
    def _looks(armed: Sequence[Armed], now: int, until: int | None) -> Iterator[int]:
        """The ticks to which to run at the most: at which a test has to look, and ``until``."""
        if until is not None:
            yield until
        for one in armed:
            tick = one.test.until()
            if tick is not None and tick > now:
                yield tick

    @contextmanager
    def _testing(self, armed: Sequence[Armed]) -> Iterator[None]:
        """Tests observe what happens, and halt the run when one meets something."""
        scheduler = self.running.machine.scheduler
        left = dict(scheduler.poised_at)  # a start at which the run already is is not met again
        for one in armed:
            one.test.meet = partial(self._meet, one)
        asked = tuple(one.test for one in armed if type(one.test).poise is not Test.poise)
        places = self._places(asked)

        def poise(queue: Queue, task: Task) -> bool:
            some = places[queue.index]
            if some is not None and queue.pc not in some:
                return False
            stood = left.get(queue.index) == (queue.pc, queue.record)
            return not stood and any([test.poise(queue, task) for test in asked])

        def changed() -> None:
            for one in armed:  # as it was when the change was made: a move began after it
                if not isinstance(one.test, OnHazard):
                    one.test.begin()

        observed = watching(self.running, *(one.test for one in armed))
        with observed, poising(self.running, poise if asked else None):
            before, self.past.changed = self.past.changed, changed
            try:
                yield
            finally:
                self.past.changed = before
        scheduler.halted = self.running.asked

    def _places(self, tests: tuple[Test, ...]) -> _Places:
        """The instructions before which some tests may stop."""
        if self._asked[0] != tests:
            places: _Places = []
            for queue in range(len(self.running.program.queues)):
                several = [None if test.pcs is None else test.pcs.get(queue, ()) for test in tests]
                anywhere = None in several
                some = frozenset(pc for pcs in several for pc in pcs or ())
                places.append(None if anywhere else some)
            self._asked = tests, places
        return self._asked[1]

    def _meet(self, one: Armed, met: Met) -> None:
        one.met.append(met)
        self.running.machine.scheduler.halted = True

    def _holds(self, one: Armed) -> bool:
        if one.holds is None:
            return True
        met = one.met[-1]
        names = rounds(self.running, met.queue, met.pc) if met.pc >= 0 else {}
        return one.holds(names)

    def _check_hazards(self, armed: Sequence[Armed], begun: Moment) -> None:
        """Look for new hazards; if there are some, go back to the event that made the first.

        Hazards that are found late were not seen when they happened: the run goes there again.
        """
        hazards = [(one, one.test) for one in armed if isinstance(one.test, OnHazard)]
        if not any(test.new_hazards() for _, test in hazards):
            return
        low, high = begun.position, self.running.moment.position
        while high - low > 1:
            middle = (low + high) // 2
            self.past.to_position(middle)
            new = any(test.new_hazards() for _, test in hazards)
            low, high = (low, middle) if new else (middle, high)
        if high > begun.position:
            known = [test.known for _, test in hazards]
            self.past.goto(begun)
            self._begin(armed)
            with self._testing(armed):
                self.past.advance(high - begun.position)
            for (_, test), before in zip(hazards, known, strict=True):
                test.known = before
        for one, test in hazards:
            one.met += [Met(text) for text in test.new_hazards()]
            test.begin()
