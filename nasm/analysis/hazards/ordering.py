"""The order of a machine's run, judged when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from nasm.base.problems import Problem
from nasm.machine.addresses import Addresses
from nasm.machine.outlines import RegionAddresses
from nasm.order.accesses import ByteAccess
from nasm.order.check import Check, Line, Race
from nasm.order.events import Sources
from nasm.order.faults import Fault, faults, plain
from nasm.order.late_takes import late_takes
from nasm.order.observer import Watch
from nasm.program.program import Program
from nasm.sim.counters import Who
from nasm.sim.scheduler import Scheduler
from nasm.views.tensor import Tensor
from nasm.views.view import View

if TYPE_CHECKING:  # most runs have no race to describe, and are short
    from nasm.analysis.hazards.races import Races
    from nasm.order.whole_order import WholeOrder
    from nasm.program.wait_columns import WaitColumns

SET = "E0540"
"""The code of a set of a counter that is in no order; its facts name the semaphore."""


LEAST = 1_000
"""Instructions of a run that is worth looking for loops in."""


class Ordering:
    """Judges the order of what a run has executed, which ``watch`` keeps."""

    def __init__(
        self,
        program: Program,
        scheduler: Scheduler,
        addresses: Addresses | RegionAddresses,
        watch: Watch,
        waits: Callable[[], WaitColumns],
    ) -> None:
        self.program, self.scheduler, self.watch = program, scheduler, watch
        self._waits = waits
        self.places, self.region = addresses, addresses.region
        self._inputs: set[int] | None = None
        self._asked: tuple[object, ...] = ()
        self._reported_at = -1
        self._faults: tuple[Fault, ...] = ()
        self._found: tuple[Problem, ...] = ()
        self._looped: tuple[tuple[object, ...], Check | None] = (), None
        self._decided: tuple[tuple[object, ...], tuple[Problem, ...]] = (), ()
        self._whole: tuple[tuple[object, ...], WholeOrder | None] = (), None

    @cached_property
    def _sources(self) -> Sources:
        return Sources(self.program, self._waits)

    @cached_property
    def _check(self) -> Check:
        """The run step by step: where it is over, only in what is not shown to be in order."""
        held, shown = self.scheduler.interlock.held, self._by_columns
        return Check(self._sources, self.watch, held, shown=shown)

    @cached_property
    def _races(self) -> Races:
        from nasm.analysis.hazards.races import Races

        flying = self.scheduler.transfers.__contains__
        unordered = self._last, self._filled, self._known, flying, self._coming
        return Races(self._check, self.program, self.region, *unordered)

    def _coming(self, counter: int) -> bool:
        """Whether instructions that post to a counter are still to start."""
        if self.scheduler.idle:
            return False
        updates = self.program.updates
        posts = {n for n, u in enumerate(updates) if u is not None and u.semaphore == counter}
        return any(
            not posts.isdisjoint(lines.updates[queue.pc :])
            for queue, lines in zip(self.scheduler.queues, self.program.queues, strict=True)
        )

    def _last(self, queue: int) -> int:
        return self.scheduler.queues[queue].last_finish

    @property
    def by_loops(self) -> Check | None:
        """The run with few rounds of its loop, if it is over and in order as that shows."""
        if not self._over:
            return None
        if self._looped[0] != self._executed:
            from nasm.order.by_loops import in_order

            self._looped = self._executed, in_order(self._sources, self.watch)
        return self._looped[1]

    @property
    def in_order(self) -> bool:
        """Whether the run is over, and shown to be in order without judging it step by step."""
        if self.by_loops is not None:
            return True
        return self._by_columns is not None and self._by_columns.in_order

    @property
    def _by_columns(self) -> WholeOrder | None:
        """What is shown of the whole run, if it is over."""
        if not self._over:
            return None
        if self._whole[0] != self._executed:
            from nasm.order.by_columns import judged

            self._whole = self._executed, judged(self._sources, self.watch, self.places)
        return self._whole[1]

    @property
    def _executed(self) -> tuple[object, ...]:
        """What has been executed."""
        return self.watch.future, len(self.watch.queues)

    @property
    def _over(self) -> bool:
        """Whether the run is over, and so long that looking for a short way is worth it."""
        if not self.scheduler.idle or self.watch.vague:
            return False
        return self.scheduler.interlock.held and len(self.watch.queues) >= LEAST

    def judged(self) -> Check:
        """The order of the run so far, round by round."""
        if self._check.shown is not None:
            self._check = Check(self._sources, self.watch, self.scheduler.interlock.held)
        return self._settled()

    def _settled(self) -> Check:
        """The same, as far as something may be in no order."""
        self._check.settle()
        return self._check

    def among(
        self, found: Sequence[Problem], counts: Callable[[Problem], bool]
    ) -> tuple[Problem, ...]:
        """All hazards of the run: those that were met, but for what only a race has led to.

        A suppressed race explains nothing.
        """
        races: Sequence[Problem] = self.problems()
        unordered = [p for p in races if p.code == "E0502"]
        raced = {
            self._races.place(access)
            for problem, fault in zip(races, self._faults, strict=False)
            if counts(problem)
            for one in (fault, *fault.alike)
            for pair in one.race.pairs
            for access in pair
            if not access.writes
        }
        if unordered and all(map(counts, unordered)):  # a fix for these fixes all
            raced |= {
                self._races.place(access)
                for race in self._check.races
                for access in (race.first, race.second)
                if not access.writes
            }
        kept = [p for p in found if p.code != "E0501" or _place(p) not in raced]
        twice = {p.facts["event"] for p in kept if p.code == "E0513"}
        races = [p for p in races if p.code != SET or p.facts["semaphore"] not in twice]
        return (*kept, *races)

    def problems(self) -> tuple[Problem, ...]:
        """Races, and sets of counters that are in no order, of the run so far."""
        if self.in_order:
            self._faults = ()
            return ()
        check = self._settled()
        many = sum(race.many for race in check.races)
        asked = self.watch.future, len(self.watch.queues), many
        if asked != self._asked:
            self.__dict__.pop("_races", None)  # computed from what was executed by then
            found = faults(check, self._races.meant, self._races.apart) if check.races else ()
            self._faults, self._reported_at = tuple(found), -1
            self._asked = asked
        if self._reported_at != len(self.watch.landings):  # which sentences tell
            problems = list(self._races.races(self._faults)) if self._faults else []
            sets = {(one.counter, check.line(*one.set)): one for one in reversed(check.unordered)}
            problems += [self._races.unordered(one) for one in reversed(sets.values())]
            self._found = tuple(problems)
            self._reported_at = len(self.watch.landings)
        return self._found

    def hold(self) -> None:
        """The run is about to change: search for the hints of what was reported of it."""
        races = self.__dict__.get("_races")
        if races is not None:
            races.hold()

    def counts(self) -> tuple[int, int]:
        """How many pairs of lines are in a race, and how many sets of counters in no order."""
        if self.in_order:
            return 0, 0
        check = self._settled()
        return len(check.races), len(check.unordered)

    def races(self) -> Iterator[tuple[Problem, Race]]:
        """The races that are among the problems."""
        problems = self.problems()
        for problem, fault in zip(problems, self._faults, strict=False):
            yield problem, fault.race

    def vague_races(self) -> tuple[Problem, ...]:
        """What is a race if accesses to bytes that are not known are to the same ones."""
        if self.in_order:
            return ()
        if not self.watch.vague:
            return ()
        check, races = self._settled(), self._races
        found = [plain(check, race, races.meant) for race in check.vague_races]
        return tuple(races.races(found))

    def explained(self, counts: Callable[[Problem], bool]) -> Callable[[Line, Line], bool]:
        """Whether a race says already why a line lost what it wrote to another one.

        The two are in a race, or one of them with what would have read it; a suppressed race is
        marked at its own two lines only.
        """
        if self.in_order:
            return lambda one, by: False
        check = self._settled()
        pairs: set[frozenset[Line]] = set()
        early: set[Line] = set()
        count = all(counts(problem) for problem, _ in self.races())
        for race in check.races:
            sides = {check.line(one.queue, one.index): one for one in (race.first, race.second)}
            pairs.add(frozenset(sides))
            if count and any(not one.writes for one in sides.values()):
                early |= {line for line, one in sides.items() if one.writes}
        return lambda one, by: frozenset((one, by)) in pairs or one in early or by in early

    def _late_takes(self) -> Iterator[Problem]:
        check, seen = self._settled(), set()
        for take, wait, counter in late_takes(check):
            lines = check.line(*take), check.line(*wait)
            if lines not in seen:
                seen.add(lines)
                yield self._races.late_take(take, wait, counter)

    def moved(self, counts: Callable[[Problem], bool]) -> set[Line]:
        """The lines of transfers in a race that is not ignored: the fix waits for them."""
        return {
            self._check.line(access.queue, access.index)
            for problem, race in self.races()
            if counts(problem)
            for access in (race.first, race.second)
            if access.moves
        }

    def _filled(self, access: ByteAccess) -> bool:
        """Whether the host fills what an access touches."""
        if self._inputs is None:
            self._inputs = self._areas(lambda t: t.role in ("input", "inout"))
        return access.region.area in self._inputs

    def _known(self, access: ByteAccess) -> bool:
        """Whether what an access touches has values before the run, whatever wrote them."""
        if self._filled(access):
            return True
        return access.region.area in self._areas(lambda t: t.init is not None)

    def _areas(self, wanted: Callable[[Tensor], bool]) -> set[int]:
        tensors = self.program.tensors.values()
        return {self.region(View.whole(t)).area for t in tensors if wanted(t)}

    def warnings(self) -> Iterator[Problem]:
        """What decides the run and may be different; waits for just a value that may be overrun.

        One for each line.
        """
        if self.in_order and not (self.by_loops is not None and self.by_loops.sums):
            return
        check, seen = self._settled(), set()
        if check.races or check.sums:
            yield from self._deciding(check)
        if self.watch.full and not self.watch.closed:
            yield self._races.cut(len(self.watch.queues), self.watch.beyond)
        yield from self._late_takes()
        for found in check.order.overruns():
            line = check.line(*found.place)
            if line not in seen:
                seen.add(line)
                yield self._races.overrun(found)

    def _deciding(self, check: Check) -> tuple[Problem, ...]:
        """What decides the run, and may be different; looked for once until more is executed."""
        key = *self._executed, len(check.races), len(check.sums)
        if self._decided[0] != key:
            from nasm.analysis.hazards.deciding_values import DecidingValues

            found = DecidingValues(self.program, check, self.region).problems()
            self._decided = key, tuple(found)
        return self._decided[1]

    def unlanded(self) -> list[Who]:
        """The transfers into outputs that may not have landed when every queue is done.

        For a run that was not judged to its end this is not known.
        """
        if self.watch.full or self.in_order:
            return []
        outputs = self._areas(lambda t: t.role in ("output", "inout"))
        return [
            (queue, self.watch.pcs[queue][index])
            for queue, index in self._settled().unlanded()
            if any(r.area in outputs for r in self.watch.moved[queue][index].writes)
        ]


def _place(problem: Problem) -> tuple[int | None, str]:
    """The line and the tensor of an uninitialised read."""
    line = problem.span.excerpt()[0] if problem.span is not None else None
    return line, problem.facts.get("tensor", "")
