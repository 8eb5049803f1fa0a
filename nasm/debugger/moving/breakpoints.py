"""Breakpoints: what a run is to stop at, how often each was met, and the run that stops there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from functools import partial
from typing import Any, Unpack

from nasm.base.drawing import Drawn
from nasm.base.problems import Failure, Refused, counted, number_of, quoted
from nasm.base.records import replace
from nasm.debugger.moving import specs
from nasm.debugger.moving.breakpoint_records import (
    HAZARDS,
    NAME,
    Armed,
    Breakpoint,
    BreakpointKeywords,
    Hit,
)
from nasm.debugger.moving.line_tracking import followed
from nasm.debugger.moving.locations import rounds
from nasm.debugger.moving.past import MadeChange, Past, poising, watching
from nasm.debugger.moving.specs import StopRequest
from nasm.debugger.moving.stops import Met, OnHazard, Test
from nasm.language.text.aliases import names_in
from nasm.machine.records import Moment
from nasm.runs.execution import Execution
from nasm.runs.settings import with_settings
from nasm.sim.queues import Queue, Task

WRONG = "E0822"

_Places = list[Set[int] | None]
"""By queue, some pcs; None is any."""


def _times(wanted: int) -> int:
    """How often to ignore something."""
    return number_of("times to ignore it", wanted)


class Breakpoints(Drawn):
    """The breakpoints of a session, in the order of their numbers.

    One is found by its number or its name: ``breakpoints[2]``, ``breakpoints["acc"]``. ``hits``
    are those at which the session last stopped. With ``hazards`` it stops at those, too.
    """

    def __init__(self, running: Execution, past: Past) -> None:
        self.running, self.past = running, past
        self.hits: tuple[Hit, ...] = ()
        self._set: dict[int, Armed] = {}
        self._last = 0
        self._asked: tuple[tuple[Test, ...], _Places] = (), []
        self._begun: list[Test] = []
        self._left: tuple[Moment, MadeChange | None] | None = None
        self._hazards: Armed | None = None
        self._aside = False

    # -- which there are

    @property
    def hazards(self) -> bool:
        """Whether hazards stop the run."""
        return self._hazards is not None

    @hazards.setter
    def hazards(self, wanted: bool) -> None:
        found = Armed(Breakpoint(HAZARDS, "hazards"), OnHazard(self.running), None)
        self._hazards = found if wanted else None

    def set(self, wanted: Breakpoint) -> Breakpoint:
        """Set what a record ``asked`` for, under a number of its own; raises Refused or Failure."""
        spec = specs.asked_for(self.running, wanted.asked)
        condition = wanted.condition.strip()
        holds = specs.condition(self.running, condition) if condition else None
        self._free(wanted.name)
        self._last += 1
        made = replace(
            wanted,
            number=self._last,
            what=spec.what,
            condition=condition,
            ignore=_times(wanted.ignore),
            note=spec.note,
        )
        self._set[self._last] = Armed(made, spec.test, holds)
        return made

    @with_settings(BreakpointKeywords, record=Breakpoint)
    def at(
        self, what: str | int, *, after: bool = False, **keywords: Unpack[BreakpointKeywords]
    ) -> Breakpoint:
        """Stop where ``what`` says; raises Refused or Failure.

        A line, a label, a mnemonic, an engine or ``tensor pc 3``: before such an instruction
        starts, or ``after`` it has completed. ``$loaded`` and ``$loaded >= 32``: when it changes,
        or becomes true. ``@scalar.%r0``; ``cycle 500``, ``2.5us``; ``transfer [start | land]
        [LOCATION]``; ``held N [ENGINE]``; ``hazard [CODE]``; ``nan``; ``if EXPRESSION``. Only if
        the ``condition`` holds, an expression that may use the variables of the loops around an
        instruction; the first ``ignore`` times not; if it is ``temporary`` only once. ``commands``
        are what the debugger does there. It is listed here, and deleted and disabled by
        its number or ``name``.
        """
        return self._new(StopRequest(str(what), specs.AFTER if after else ""), keywords)

    @with_settings(BreakpointKeywords, record=Breakpoint)
    def watch(
        self, what: str, how: str = "changed", **keywords: Unpack[BreakpointKeywords]
    ) -> Breakpoint:
        """Stop when memory is ``changed``, ``written`` or ``read``; raises Refused or Failure.

        ``what`` is a tensor or a part of one, ``psum bank 2``, ``sbuf 0:64 partitions 0:8``
        (bytes), a semaphore or a register; the rest is as for :meth:`at`.
        """
        return self._new(StopRequest(what, how), keywords)

    def _new(self, asked: StopRequest, keywords: BreakpointKeywords) -> Breakpoint:
        given: dict[str, Any] = {**keywords, "commands": specs.lines(keywords.get("commands", ()))}
        return self.set(Breakpoint(0, "", asked=asked, **given))

    def take_over(self, others: Breakpoints) -> tuple[tuple[Breakpoint, str], ...]:
        """Set the breakpoints of another session; returns those that cannot be, each with why.

        Those on a line go where its text is now, and their notes report it.
        """
        lost = []
        for one in others:
            try:
                what = one.asked.what
                if not one.watch:
                    what = followed(what, others.running, self.running)
                made = self.set(replace(one, hits=0, asked=one.asked._replace(what=what)))
                if what != one.asked.what:
                    note = f"it was {one.what}; its text is there now"
                    self._set[made.number].record = replace(made, note=note)
            except Refused as refused:
                lost.append((one, refused.message))
            except Failure as failure:
                lost.append((one, failure.problems[0].message))
        return tuple(lost)

    def read_again(self, names: Set[str]) -> None:
        """Some names mean other expressions now: what uses them is parsed again.

        Raises Refused, and leaves all as it is, if one of them cannot be.
        """
        made = []
        for one in self._set.values():
            record = one.record
            if not names & (names_in(record.asked.what) | names_in(record.condition)):
                continue
            try:
                spec = specs.asked_for(self.running, record.asked)
                holds = (
                    specs.condition(self.running, record.condition) if record.condition else None
                )
            except (Refused, Failure) as error:
                why = error.problems[0].message
                message = f"breakpoint {record} needs that, and would not be one: {why}"
                hint = f"delete {record.number}"
                raise Refused(WRONG, message, hint) from None
            made.append((one, spec, holds))
        for one, spec, holds in made:
            one.test, one.holds = spec.test, holds
            one.record = replace(one.record, what=spec.what, note=spec.note)

    def _free(self, name: str) -> None:
        """Refuse a name that another one has, or that is a number."""
        if not name:
            return
        if any(one.record.name == name for one in self._set.values()):
            hint = "give it another name, or delete the other one"
            raise Refused(WRONG, f"a breakpoint is called {quoted(name)} already", hint)
        if not NAME.fullmatch(name):
            message = f"'{quoted(name)}' is no name of a breakpoint"
            raise Refused(WRONG, message, "letters, digits, _ and -, and first a letter")

    def __iter__(self) -> Iterator[Breakpoint]:
        return iter([one.record for one in self._set.values()])

    def __len__(self) -> int:
        return len(self._set)

    def __bool__(self) -> bool:
        return True  # as an object; how many there are, len() says

    def __repr__(self) -> str:
        return f"<{counted(len(self), 'breakpoint')}>"

    def __getitem__(self, which: int | str) -> Breakpoint:
        return self._set[self._number(which)].record

    def _number(self, which: int | str) -> int:
        text = str(which)
        for number, one in self._set.items():
            if text and text in (str(number), one.record.name):
                return number
        there = ", ".join(str(n) for n in self._set)
        hint = f"known are {there}" if there else "there are none: 'break' sets one"
        raise Refused(WRONG, f"no breakpoint '{quoted(text)}'", hint)

    def change(
        self,
        which: int | str,
        *,
        enabled: bool | None = None,
        ignore: int | None = None,
        commands: str | Sequence[str] | None = None,
        name: str | None = None,
    ) -> Breakpoint:
        """Change what is given of a breakpoint, by its number or name; raises Refused."""
        one = self._set[self._number(which)]
        changes: dict[str, Any] = {}
        if enabled is not None:
            changes["enabled"] = bool(enabled)
        if ignore is not None:
            changes["ignore"] = _times(ignore)
        if commands is not None:
            changes["commands"] = specs.lines(commands)
        if name is not None and name != one.record.name:
            self._free(name)
            changes["name"] = name
        one.record = replace(one.record, **changes)
        return one.record

    def delete(self, which: int | str) -> Breakpoint:
        """Delete one, by its number or name; raises Refused."""
        return self._set.pop(self._number(which)).record

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
