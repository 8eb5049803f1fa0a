"""Searches through the past: each stretch of a run again, from the latest to the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from nasm.base.problems import Failure, Problem
from nasm.debugger.origins.argument_arrays import leaf
from nasm.debugger.origins.candidates import Chances, Pcs, RunPosition
from nasm.debugger.origins.elements import TensorElements
from nasm.debugger.origins.origins import Place, RegisterOrigin, values
from nasm.debugger.origins.writes import (
    CHANGE,
    Learned,
    Replayable,
    Search,
    Write,
    WriteResults,
    WriteWatch,
    made,
    regions,
)
from nasm.machine import Machine
from nasm.machine.records import Moment
from nasm.machine.writers import Writers
from nasm.views.regions import Region
from nasm.views.view import View

Grow = Callable[[Search, WriteResults], Sequence[Search]]
"""Takes what a search found; returns the searches that follow from it."""


class Sweep:
    """Finds the last writes of places, and of what these were made of, in one way back."""

    def __init__(self, machine: Machine, past: Replayable, grow: Grow) -> None:
        self.machine, self.past, self.grow = machine, past, grow
        self.searches: list[Search] = []
        self._begun: dict[Any, tuple[int, Any]] = {}
        self._learned: Learned = {}
        self._chances: Chances | None = None
        if not past.changes:  # by hand anything may be written, and queues may be led elsewhere
            self._chances = Chances(machine.program, Writers(machine.program, self._region))
        self._writing: dict[int, list[tuple[Pcs, Pcs, Pcs]]] = {}
        self._behind = RunPosition.of(machine)
        self._missed: set[Any] = set()

    def run(self, searches: Sequence[Search]) -> None:
        """Find everything; the machine is then back where it was."""
        self.searches += searches
        with self.past.excursion():
            for begin, end in self._stretches():
                if begin.changes != end.changes and begin.position == end.position:
                    self._changed(begin, end)
                else:
                    self._stretch(begin, end)
                if all(search.over for search in self.searches):
                    return

    def _region(self, view: View) -> Region:
        return self.machine.addresses.region(view)

    def _stretches(self) -> Iterator[tuple[Moment, Moment]]:
        """The stretches of the run, those in which something was changed by hand parted there."""
        changes = self.past.changes
        for begin, end in self.past.intervals():
            for change in reversed(changes[begin.changes : end.changes]):
                before = change.moment
                after = before._replace(changes=before.changes + 1)
                if end != after:
                    yield after, end
                yield before, after
                end = before
            if begin != end:
                yield begin, end

    # -- a stretch

    def _stretch(self, begin: Moment, end: Moment) -> None:
        """Run a stretch again, as often as it has something that is looked for."""
        self.past.goto(begin)
        here, behind = RunPosition.of(self.machine), self._behind
        tried: set[Any] = set()
        while True:
            active = [s for s in self.searches if not s.over and s.before > begin.position]
            scans = [s for s in active if s.scanned > begin.position + 1]
            for search in [s for s in scans if not self._possible(s, here)]:
                search.scanned = begin.position + 1
                scans.remove(search)
            keys = self._keys(active, here, behind) - tried
            if not scans and not keys:
                self._behind = here
                return
            self._again(begin, end, scans, keys)
            tried |= keys
            self._missed |= keys - self._begun.keys()
            for search in active:
                self._settle(search)

    def _possible(self, search: Search, here: RunPosition) -> bool:
        """Whether anything may have written to the place of a search in a stretch."""
        if self._chances is None:
            return True
        found = self._writing.get(id(search))
        if found is None:
            place = search.place
            found = self._chances.writing(place, regions(self.machine, place))
            self._writing[id(search)] = found
        return self._chances.possible(found, here, self._behind)

    def _keys(self, active: Sequence[Search], here: RunPosition, behind: RunPosition) -> set[Any]:
        """Starts in a stretch that have to be examined."""
        heads = [s.candidates[0][0] for s in active if s.candidates]
        wanted = {
            w.key
            for w in heads
            if here.records <= w.record and (w.record < behind.records or w.key in self._missed)
        }
        return wanted - self._begun.keys()

    def _again(self, begin: Moment, end: Moment, scans: Sequence[Search], keys: set[Any]) -> None:
        self.past.goto(begin)
        watch = WriteWatch(self.machine, scans, keys)
        self.past.replay(end, watch)
        if self.machine.scheduler.halted:
            raise Failure(Problem("E0822", "halted: what was looked for is not known", None))
        self._begun |= watch.begun
        for search, noted in zip(scans, watch.noted, strict=True):
            search.candidates += reversed(noted)
            search.scanned = begin.position + 1

    def _settle(self, search: Search) -> None:
        """Look at those of its candidates of which it is known what they started from."""
        while search.candidates and not search.over:
            write, what = search.candidates[0]
            begun = self._begun.get(write.key)
            if begun is None:
                return
            del search.candidates[0]
            for found in made(search, write, what, begun, self._learned):
                self._add_result(search, found)

    def _add_result(self, search: Search, found: WriteResults) -> None:
        search.made.append(found)
        search.left[found.which] = False
        self.searches += self.grow(search, found)
        search.over = search.over or not search.left.any()
        if search.over:
            search.candidates.clear()

    # -- what was changed by hand

    def _changed(self, begin: Moment, end: Moment) -> None:
        """A change by hand made what is different after it."""
        active = [s for s in self.searches if not s.over and s.before > begin.position]
        if not active:
            return
        self.past.goto(begin)
        before = [place_values(self.machine, search.place) for search in active]
        self.past.goto(end)
        change = self.past.changes[begin.changes].change
        write = Write(
            CHANGE,
            (0, 0),
            -2 - begin.changes,
            begin.position,
            begin.tick,
            begin.tick,
            change=change,
        )
        for search, old in zip(active, before, strict=True):
            new = place_values(self.machine, search.place)
            if old is not None and new is not None:
                search.candidates.append((write, np.flatnonzero(old != new)))
                self._begun[write.key] = begin.position, None
                self._settle(search)


def place_values(machine: Machine, place: Place) -> Any:
    """What a place holds now, as numbers to compare; None if it holds nothing."""
    if isinstance(place, TensorElements):
        bits = values(machine, place)
        return bits.view(place.dtype.bits_dtype) if place.dtype.itemsize else bits
    if isinstance(place, RegisterOrigin):
        return np.array([machine.state.registers[place.queue].values[place.number]])
    value = machine.state.engines[place.queue].values.get(place.name)
    if value is None:
        return None
    array = leaf(value, place.path)
    return array.reshape(-1)[place.numbers] if len(array.reshape(-1)) > max(place.numbers) else None
