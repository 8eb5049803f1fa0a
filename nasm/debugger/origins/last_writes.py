"""When tensors were written last, and by whom: found by running stretches of the past again.

It is asked of many tensors at once, whole, so that one look at the latest stretch mostly does;
:mod:`nasm.debugger.origins.writes` looks for single elements, exactly. Each instruction that may
have written a byte of a tensor, by regions, is taken to have written it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from nasm.base.problems import clean
from nasm.base.records import dataclass
from nasm.debugger.changing.changes import SetBytes, SetElements, Type
from nasm.debugger.engines.context import Scene
from nasm.debugger.engines.records import Location
from nasm.debugger.values.memory import adds
from nasm.isa.effects import Packet
from nasm.machine.records import Moment
from nasm.machine.writers import written
from nasm.sim.channels import Group
from nasm.sim.counters import Who
from nasm.sim.events import Observer
from nasm.sim.queues import Flying, Queue
from nasm.views.regions import Region, overlap
from nasm.views.view import View

if TYPE_CHECKING:
    from nasm.debugger.moving.past import Past


@dataclass(frozen=True, slots=True, repr=False)
class Wrote:
    """A write: when, by which instruction or by the ``transfer`` of which.

    ``under`` is the tensor that the instruction names: another one, if that shares its bytes.
    ``position`` counts the events until then; ``since`` is the tick of the last write that did not
    add to what was there, None if it is not known.
    """

    tick: int
    position: int
    by: Location
    transfer: bool
    since: int | None
    under: str

    def __repr__(self) -> str:
        return clean(f"<written at tick {self.tick} by {self.by}>")


@dataclass(frozen=True, slots=True, repr=False)
class Latest:
    """The last write of each tensor that has been written since a tick: ``back``, 0 for ever."""

    writes: Mapping[str, Wrote]
    back: int

    def __repr__(self) -> str:
        return f"<the last writes of {len(self.writes)} tensors since tick {self.back}>"


@dataclass(slots=True)
class _LastWrite:
    """What is known of a tensor: its last write, and that of the last that did not add."""

    position: int = -1
    tick: int = 0
    by: Who | None = None
    transfer: bool = False
    since: int | None = None


class _Area:
    """Tensors that share bytes, directly or by way of others."""

    def __init__(self, members: list[tuple[str, Region]]) -> None:
        self.members = members
        self.lows = np.array([region.low for _, region in members], np.int64)
        self.highs = np.array([region.high for _, region in members], np.int64)

    def touched(self, region: Region) -> Iterator[str]:
        """Those that have a byte of a region; there may be thousands that have none."""
        near = (self.lows < region.high) & (self.highs > region.low)
        for n in near.nonzero()[0].tolist():
            name, mine = self.members[n]
            if overlap(mine, region):
                yield name


class _Writes(Observer):
    """The last writes of tensors while a stretch runs; those that follow replace them."""

    def __init__(self, scene: Scene, wanted: Mapping[str, Region]) -> None:
        self.scene, self.scheduler = scene, scene.scheduler
        members: dict[int, list[tuple[str, Region]]] = {}
        for name, region in wanted.items():
            members.setdefault(region.area, []).append((name, region))
        self.areas = {area: _Area(found) for area, found in members.items()}
        self.found: dict[str, _LastWrite] = {}
        self._known: dict[int, tuple[str, ...]] = {}
        self._adds: dict[Who, bool] = {}

    def finished(self, queue: Queue, done: Flying) -> None:
        """An instruction has written."""
        work = done.task.work
        if work.writes and (names := self._names(work.number, work.writes)):
            who = done.queue, done.pc
            if who not in self._adds:
                self._adds[who] = adds(self.scene.program.instruction(*who))
            self._note(names, done.finish, who, self._adds[who])

    def landed(self, group: Group, now: int) -> None:
        """Shares are about to write."""
        flight = group.flight
        if group.bytes and (names := self._names(flight.pattern, flight.writes)):
            self._note(names, now, flight.origin, flight.adds, transfer=True)

    def _names(self, number: int, regions: Iterable[Region]) -> tuple[str, ...]:
        names = self._known.get(number)
        if names is None:
            names = tuple(
                name
                for region in regions
                if region.area in self.areas
                for name in self.areas[region.area].touched(region)
            )
            if number != -1:  # of such a one nothing may be remembered
                self._known[number] = names
        return names

    def _note(
        self, names: Iterable[str], tick: int, by: Who, adds: bool, transfer: bool = False
    ) -> None:
        for name in names:
            found = self.found.setdefault(name, _LastWrite())
            found.position, found.tick = self.scheduler.position, tick
            found.by, found.transfer = by, transfer
            found.since = found.since if adds else tick


def latest(past: Past, scene: Scene, events: int | None) -> Latest | None:
    """The last write of every tensor; None if it was halted.

    With a bound it looks at no more than the last ``events``, wherever checkpoints are.
    """
    running = past.running
    hand = _by_hand(past, scene)
    wanted = _candidates(scene, hand)
    first = running.checkpoints[0].moment
    limit = first.position if events is None else max(first.position, past.now.position - events)
    found: dict[str, _LastWrite] = {}
    back = past.now
    with past.excursion():
        for begin, end in past.intervals():
            if not wanted:
                break
            bounded = first.position < limit and begin.position <= limit
            if bounded:  # after the event, not at a checkpoint that may be later at this position
                past.to_position(limit)
                begin = past.now
            watch = _Writes(scene, wanted)
            past.replay(end, watch)
            if scene.scheduler.halted or running.asked:
                return None
            back = begin
            for name in list(wanted):
                one = _joined(found.get(name), watch.found.get(name), hand.get(name), begin)
                if one is not None:
                    found[name] = one
                    if one.since is not None:
                        del wanted[name]
            if bounded:
                break
    tick = back.tick if wanted and back > first else 0
    return Latest({name: _wrote(scene, name, one) for name, one in found.items()}, tick)


def _joined(
    later: _LastWrite | None, earlier: _LastWrite | None, hand: Moment | None, begin: Moment
) -> _LastWrite | None:
    """What is known with a stretch that lies before what was known, and what was done by hand."""
    if hand is not None and hand.position >= begin.position:
        if earlier is None or hand.position >= earlier.position:
            earlier = _LastWrite(hand.position, hand.tick, None, False, hand.tick)
        elif earlier.since is None or earlier.since < hand.tick:
            earlier.since = hand.tick
    if later is None or earlier is None:
        return later or earlier
    later.since = earlier.since
    return later


def _regions(scene: Scene) -> dict[str, Region]:
    region = scene.machine.addresses.region
    return {name: region(View.whole(t)) for name, t in scene.program.tensors.items()}


def _by_hand(past: Past, scene: Scene) -> dict[str, Moment]:
    """When tensors were given values by hand last."""
    regions, found = _regions(scene), dict[str, Moment]()
    for moment, change in past.changes[: past.running.changes_made]:
        if isinstance(change, SetBytes):
            tensors = scene.program.tensors.values()
            found |= {tensor.name: moment for tensor in tensors if change.meets(tensor)}
        if not isinstance(change, SetElements | Type):
            continue
        for view, _ in change.values:
            mine = scene.machine.addresses.region(view)
            found |= {name: moment for name, other in regions.items() if overlap(mine, other)}
    return found


def _candidates(scene: Scene, hand: Iterable[str]) -> dict[str, Region]:
    """The tensors that something may have written by now: others need no search."""
    machine, program, regions = scene.machine, scene.program, _regions(scene)
    flying: dict[Who, int] = {}
    for flight in scene.scheduler.transfers.values():
        if flight.left == sum(len(portion.shares) for portion in flight.portions):
            flying[flight.origin] = flying.get(flight.origin, 0) + 1
    areas, seen = set[int](), set[int]()
    for queue in scene.scheduler.queues:
        numbers = program.queues[queue.index].instructions
        counts = machine.summary.completed(queue.index)
        for pc in counts.nonzero()[0].tolist():
            if numbers[pc] in seen or counts[pc] <= flying.get((queue.index, pc), 0):
                continue
            seen.add(numbers[pc])
            if program.instructions[numbers[pc]].row.effect is Packet:
                return regions  # it may reach what it does not name
            views = written(program.instructions[numbers[pc]])
            areas |= {regions[view.tensor.name].area for view in views}
    return {n: region for n, region in regions.items() if region.area in areas or n in hand}


def _wrote(scene: Scene, name: str, found: _LastWrite) -> Wrote:
    by, under = scene.place(found.by), name
    if found.by is not None:
        into = [view.tensor for view in written(scene.program.instruction(*found.by))]
        mine = scene.program.tensors[name]
        if mine not in into:
            under = next((t.name for t in into if t.shares(mine)), name)
    return Wrote(found.tick, found.position, by, found.transfer, found.since, under)
