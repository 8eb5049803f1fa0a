"""The changes that are worth a trial: what certainly is needed as it is is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from nasm.base.records import replace
from nasm.order.check import Check
from nasm.order.firm_waits import FirmWaits
from nasm.program.program import Program, Update, Wait
from nasm.runs.waits.edits import Place, WaitEdits, joined
from nasm.runs.waits.lines import Key, LinesOfText
from nasm.runs.waits.records import AT_READ, DROP, EARLIER, LATER, WEAKER
from nasm.runs.waits.trials import WaitTrials

FURTHEST = 64
"""Instructions by which a wait or a post is moved, at most."""


class Candidate(NamedTuple):
    """A change to some instructions of a line: by how much less, or by how many instructions."""

    kind: str
    key: Key
    places: tuple[Place, ...]
    amount: int
    edits: WaitEdits


class Candidates:
    """Tries the changes of each kind, on a run that is in order."""

    def __init__(self, program: Program, check: Check, trials: WaitTrials) -> None:
        self.program, self.check, self.trials = program, check, trials
        self.lines, self.firm = LinesOfText(program), FirmWaits(check)
        self._places = _executed(check)
        self._silent = self._pure()

    def found(self) -> Iterator[Candidate]:
        """Every change that holds, of each line the one that changes most."""
        dropped = self._tried(self._drops())
        yield from self._by_line(dropped)
        gone = {place for one in dropped for place in one.places}
        weaker = self._tried(self._weaker(gone))
        most = [self._most(one, self._weaker_line, doubled=True) for one in weaker]
        yield from self._by_line(most)
        later = self._tried(self._later(gone))
        yield from (self._most(one, self._later_line) for one in later)
        read = self._tried(self._at_read())
        yield from read
        early = {place for one in read for place in one.places}
        earlier = self._tried(self._earlier(early))
        yield from (self._most(one, self._earlier_line) for one in earlier)

    def _by_line(self, some: list[Candidate]) -> Iterator[Candidate]:
        """The same change to several instructions of a line as one, if they hold together."""
        groups: dict[tuple[Key, int], list[Candidate]] = {}
        for one in some:
            groups.setdefault((one.key, one.amount), []).append(one)
        for (key, amount), group in groups.items():
            edits = joined(one.edits for one in group)
            places = tuple(place for one in group for place in one.places)
            if len(group) == 1 or edits is None or not self.trials.holds(edits):
                yield from group
            else:
                yield Candidate(group[0].kind, key, places, amount, edits)

    def _tried(self, some: Iterator[Candidate]) -> list[Candidate]:
        return self.trials.holding(list(some), lambda one: one.edits)

    def _most(
        self,
        one: Candidate,
        line: Callable[[Key, Sequence[Place], int], Candidate | None],
        doubled: bool = False,
    ) -> Candidate:
        """The largest amount by which a change holds, as it does by each smaller one."""
        known, step = one, max(1, one.amount)
        while self.trials.budget > 0:
            amount = known.amount + step if doubled else known.amount + 1
            more = line(one.key, one.places, amount)
            if more is None or not self.trials.holds(more.edits):
                if not doubled or step <= max(1, one.amount):
                    break
                step = max(1, one.amount, step // 2)
                continue
            known = more
            step *= 2 if doubled else 1
        return known

    # -- which instructions

    @property
    def touching(self) -> set[Place]:
        """The instructions that were executed and touch something."""
        return self._places.keys() - self._silent

    def _executions(self, place: Place, among: set[tuple[int, int]]) -> bool:
        """Whether any execution of an instruction is among some."""
        return not among.isdisjoint(self._places.get(place, ()))

    def _pure(self) -> set[Place]:
        """Instructions that touch nothing whenever they are executed."""
        works, moved = self.check.watch.works, self.check.watch.moved
        return {
            place
            for place, indices in self._places.items()
            if not any(works[q][n].reads or works[q][n].writes or n in moved[q] for q, n in indices)
        }

    # -- waits

    def _drops(self) -> Iterator[Candidate]:
        for key, place in self._waiting(self.firm.needed):
            wait = self.lines.wait(place)
            if wait is not None and wait.value <= 0 and self._counts(place):
                continue  # what a counter has from the start, as in the first rounds of a loop
            taken = {place: None} if self.lines.take(place) is not None else {}
            yield Candidate(DROP, key, (place,), 0, WaitEdits({place: None}, taken))

    def _weaker(self, gone: set[Place]) -> Iterator[Candidate]:
        for key, place in self._waiting(self.firm.enough):
            wait = self.lines.wait(place)
            if wait is None or place in gone or not self._counts(place):
                continue
            made = self._weaker_line(key, (place,), self.firm.units[wait.semaphore] or 1)
            if made is not None:
                yield made

    def _waiting(self, firm: set[tuple[int, int]]) -> Iterator[tuple[Key, Place]]:
        """The instructions that wait and were executed, never as ``firm`` says."""
        for key, every in self.lines.waiting():
            for place in every:
                if place in self._places and not self._executions(place, firm):
                    yield key, place

    def _counts(self, place: Place) -> bool:
        """Whether what an instruction waits for only goes up, and it waits for at least so much."""
        wait = self.lines.wait(place)
        assert wait is not None
        return wait.op == ">=" and not self.check.order.goes_down(wait.semaphore)

    def _weaker_line(self, key: Key, places: Sequence[Place], amount: int) -> Candidate | None:
        waits: dict[Place, Wait | None] = {}
        for place in places:
            wait = self.lines.wait(place)
            assert wait is not None
            if wait.value <= amount:
                return None
            waits[place] = wait._replace(value=wait.value - amount)
        return Candidate(WEAKER, key, tuple(places), amount, WaitEdits(waits, {}))

    def _later(self, gone: set[Place]) -> Iterator[Candidate]:
        placed = self.firm.placed
        for key, every in self.lines.waiting():
            places = tuple(p for p in every if p in self._places and p not in gone)
            if not places or any(self._executions(p, placed) for p in places):
                continue
            made = self._later_line(key, places, self._first(places))
            if made is not None:
                yield made

    def _first(self, places: Sequence[Place]) -> int:
        """The least distance that makes a difference: what touches nothing orders nothing."""
        return 2 if all(place in self._silent for place in places) else 1

    def _later_line(self, key: Key, places: Sequence[Place], by: int) -> Candidate | None:
        waits: dict[Place, Wait | None] = dict.fromkeys(places)
        updates: dict[Place, Update | None] = {}
        for place in places:
            take = self.lines.take(place)
            to = self._target(place, by, places, post=take is not None)
            if to is None:
                return None
            waits[to] = self.lines.wait(place)
            if take is not None:
                updates[place], updates[to] = None, take
        return Candidate(LATER, key, tuple(places), by, WaitEdits(waits, updates))

    def _target(self, place: Place, by: int, places: Sequence[Place], post: bool) -> Place | None:
        """Where a wait can be instead: at an instruction that has none, of another line."""
        to = self.lines.moved(place, by) if by <= FURTHEST else None
        if to is None or self.lines.wait(to) is not None or to in places:
            return None
        return None if post and self.lines.update(to) is not None else to

    # -- posts

    def _at_read(self) -> Iterator[Candidate]:
        for key, every in self.lines.posting():
            if any(self._executions(p, self.firm.completing) for p in every):
                continue
            updates: dict[Place, Update | None] = {}
            for place in every:
                update = self.lines.update(place)
                if place in self._places and place not in self._silent and update is not None:
                    updates[place] = replace(update, at_read=True)
            late = [p for p in updates if not _is_early(self.lines.update(p))]
            if late and len(late) == len(every):
                yield Candidate(AT_READ, key, tuple(late), 0, WaitEdits({}, updates))

    def _earlier(self, early: set[Place]) -> Iterator[Candidate]:
        for key, every in self.lines.posting():
            places = tuple(p for p in every if p in self._places and p not in early)
            if len(places) < len(every) or any(
                self._executions(p, self.firm.posting) for p in places
            ):
                continue
            made = self._earlier_line(key, places, self._first(places))
            if made is not None:
                yield made

    def _earlier_line(self, key: Key, places: Sequence[Place], by: int) -> Candidate | None:
        updates: dict[Place, Update | None] = dict.fromkeys(places)
        for place in places:
            to = self.lines.moved(place, -by) if by <= FURTHEST else None
            if to is None or to in places or self.lines.update(to) is not None:
                return None
            if self.lines.transfers(to) or self.lines.take(place) is not None:
                return None
            update = self.lines.update(place)
            assert update is not None
            updates[to] = replace(update, at_read=False)
        return Candidate(EARLIER, key, tuple(places), by, WaitEdits({}, updates))


def _is_early(update: Update | None) -> bool:
    return update is not None and update.at_read


def _executed(check: Check) -> dict[Place, list[tuple[int, int]]]:
    """The executions of each instruction, as numbers among those of its queue."""
    found: dict[Place, list[tuple[int, int]]] = {}
    for queue, pcs in enumerate(check.watch.pcs):
        for index, pc in enumerate(pcs):
            found.setdefault((queue, pc), []).append((queue, index))
    return found
