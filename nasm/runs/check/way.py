"""One way through a program whose branches values decide, without these values.

At each branch that may go both ways one is taken, and what it says of the values is kept: so a
later branch on the same number goes one way only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

from nasm.base.problems import Refused
from nasm.isa.effects import Effect, Jump
from nasm.isa.instruction import Row
from nasm.isa.kinds import Tile
from nasm.isa.ranges import (
    Bounds,
    Narrowed,
    NumberSource,
    RegisterComparison,
    Some,
    Unknown,
    bounds,
    limited,
)
from nasm.machine.machine import Machine
from nasm.machine.outlines import refused
from nasm.runs.check.contents import Contents, Element
from nasm.runs.check.counters import Place
from nasm.runs.check.joins import Joins
from nasm.views.regions import Region
from nasm.views.view import View

MOST_DECISIONS = 4_000
"""Branches of one way that values decide."""

MOST_ROUNDS = 20_000
"""How often a branch goes the only way that is left to it: a loop that never ends may do so."""


class Decision(NamedTuple):
    """A branch that could go several ways: where it is, and the number of the way that it went."""

    queue: int
    pc: int
    way: int
    taken: bool


class Impossible(Exception):
    """What was decided before leaves a branch no way: no values lead here."""


class Way:
    """Decides as it was ``given``, and from there on so that each branch goes each way in turn.

    ``decisions`` are those that were made, ``others`` the ways that each did not go.
    ``vague_regions`` says of which bytes what has a number touches some. ``values`` are what
    registers got, by what that was computed from. Of the branches that it ``joins`` it goes through
    both sides, one after the other; what it finds then is ``vaguer`` than what each way has.
    """

    def __init__(
        self,
        machine: Machine,
        contents: Contents,
        given: Sequence[int] = (),
        joins: Joins | None = None,
    ) -> None:
        self.machine, self.contents, self.given = machine, contents, given
        self.joins, self.vaguer = joins or Joins(), False
        self.decisions: list[Decision] = []
        self.vague_regions: dict[int, frozenset[Region]] = {}
        self._both: set[Place] = set()
        self.values: dict[Hashable, Unknown] = {}
        self.others: list[tuple[int, ...]] = []
        self._went: Counter[tuple[int, int, bool]] = Counter()
        self._forced: Counter[tuple[int, int]] = Counter()

    @property
    def asked(self) -> bool:
        """Whether anything depended on a value."""
        return bool(self.decisions or self.vague_regions or self._forced)

    @property
    def elements(self) -> dict[Element, Bounds]:
        """What the elements of tensors that were loaded are within on this way."""
        return {
            key[-1]: value.source.bounds
            for key, value in self.values.items()
            if isinstance(key, tuple) and isinstance(key[-1], Element)
        }

    # -- what a run asks

    def result(self, row: Row, arguments: Sequence[Any], tiles: Sequence[View]) -> Any:
        """What is known of what goes to a register: the same for the same operands and contents."""
        if row.bounds is None:
            return Unknown.within()
        key = row.name, *map(_operand, arguments), *map(self.contents.of, tiles)
        held = self._held(row, arguments, key)
        if held is not None:
            return held
        try:
            found = row.bounds(*arguments)
        except Refused:  # for some values it has no result, and ends the run
            found = Unknown.within()
        if isinstance(found, int):
            return found
        known = self.values.setdefault(key, found)
        if known is not found:
            self.limit(known, found.low, found.high)
        return known

    def _held(self, row: Row, arguments: Sequence[Any], key: tuple[Any, ...]) -> Any:
        """What the semantics return of an element that the program fills; None if it is none."""
        held = self.contents.initial(key[-1]) if isinstance(key[-1], Element) else None
        if held is None:
            return None
        at = next(n for n, o in enumerate(row.reads) if any(isinstance(k, Tile) for k in o.kinds))
        return row.semantics(*arguments[:at], held, *arguments[at + 1 :])

    def decide(self, row: Row, arguments: Sequence[Any]) -> Effect:
        """Which way a branch goes, as far as that is open."""
        assert row.ways is not None
        every: Iterable[tuple[Effect, RegisterComparison]] = row.ways(*arguments)
        open_ = [
            (n, to, so) for n, (to, how) in enumerate(every) if (so := how.narrowed()) is not None
        ]
        if not open_:
            raise Impossible
        queue, pc = self.machine.scheduler.acting
        if len(open_) > 1 and (queue, pc) in self.joins.meets:
            self._both.add((queue, pc))
            return Jump(None)
        if len(open_) == 1:
            return self._forced_way(queue, pc, open_[0])
        if len(self.decisions) >= MOST_DECISIONS:
            raise refused(f"{row.name} is the {MOST_DECISIONS + 1:,}th that values decide")
        number = len(self.decisions)
        if number < len(self.given):
            chosen = next(one for one in open_ if one[0] == self.given[number])
        else:
            chosen = min(open_, key=lambda one: (self._went[queue, pc, _taken(one[1])], one[0]))
        way, effect, narrowed = chosen
        self._went[queue, pc, _taken(effect)] += 1
        self.decisions.append(Decision(queue, pc, way, _taken(effect)))
        self.others.append(tuple(one[0] for one in open_ if one[0] != way))
        self._narrow(narrowed)
        return effect

    def _forced_way(self, queue: int, pc: int, way: tuple[int, Effect, Narrowed]) -> Effect:
        """The only way that is left to a branch."""
        self._forced[queue, pc] += 1
        if self._forced[queue, pc] > MOST_ROUNDS:
            raise refused(f"a loop of more than {MOST_ROUNDS:,} rounds is decided by a value")
        self._narrow(way[2])
        return way[1]

    def goes(self, effect: Jump) -> Jump:
        """Where a jump leads: from the end of one of two sides to the other."""
        branch = self.joins.ends.get(self.machine.scheduler.acting)
        if branch not in self._both:
            return effect
        self._both.discard(branch)
        return Jump(None)

    def stored(self, before: Some, known: bool, value: Some) -> Some:
        """What a register gets: of an optional instruction that, or what it had."""
        if self.machine.scheduler.acting not in self.joins.optional:
            return value
        self.vaguer = self.vaguer or not known
        (low, high), (least, most) = bounds(before), bounds(value)
        low, high = min(low, least), max(high, most)
        return low if low == high else Unknown.within(low, high)

    def limit(self, value: Unknown, low: int, high: int) -> None:
        """A value is within bounds from now on: what one side says of it may be that it is not."""
        if self.joins.meets and not low <= value.low <= value.high <= high:
            self.vaguer = True
        narrowed = limited(value, low, high)
        if narrowed is not None:
            self._narrow(narrowed)

    def _narrow(self, narrowed: Narrowed) -> None:
        """Keep what follows for values, but for what follows on one side of a branch alone."""
        if self.machine.scheduler.acting not in self.joins.optional:
            _set(narrowed)

    def vague(self, number: int, regions: Iterable[Region]) -> None:
        """What has a number touches some of these bytes."""
        self.vague_regions[number] = frozenset(regions)

    # -- checkpoints

    def save(self) -> Any:
        """Everything that changes."""
        values = tuple(self.values.items())
        sources: dict[NumberSource, Bounds] = {v.source: v.source.bounds for _, v in values}
        made = list(self.decisions), list(self.others)
        sides = set(self._both), self.vaguer
        return made, values, sources, dict(self._went), dict(self._forced), sides

    def restore(self, saved: Any) -> None:
        """As it was."""
        made, values, sources, went, forced, (both, self.vaguer) = saved
        self._both = set(both)
        self.decisions[:], self.others[:] = made
        self.values = dict(values)
        self._went, self._forced = Counter(went), Counter(forced)
        _set(sources)


def _set(narrowed: Narrowed) -> None:
    for source, within in narrowed.items():
        source.bounds = within


def _operand(value: Any) -> Hashable:
    """What is equal for operands that are the same: also for what is not known."""
    if isinstance(value, Unknown):
        return value.source, value.scale, value.offset
    return value if isinstance(value, int) else str(value)


def _taken(effect: Effect) -> bool:
    return isinstance(effect, Jump) and effect.target is not None
