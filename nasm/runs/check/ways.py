"""Every way through a program whose branches values decide, as far as there are not too many.

Each is a run of its own without values. A way is what was decided, in the order of that run: the
next one is the same up to a decision, and there goes the other way. Short ones come first, so that
each branch is soon seen to go both ways.

What is found on all ways is so for every input. What is found on some of them, or only if addresses
that are not known are the same, is reported as what may be, with the ways.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cached_property
from heapq import heappop, heappush

from nasm.base.problems import Problem
from nasm.base.records import dataclass
from nasm.isa.ranges import Bounds
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.runs.check.contents import Element
from nasm.runs.check.counters import Place
from nasm.runs.check.followed import Followed
from nasm.runs.check.input_search import InputSearch
from nasm.runs.check.may_race import RACE, may_race, on_some_ways, same, with_values
from nasm.runs.check.way import Decision, Impossible
from nasm.runs.settings import RunSettings

MOST_WAYS = 64
"""EveryWay that are followed. One of a few hundred instructions takes some milliseconds."""


FEW = 5
"""Branches of the first way: if there are more, both sides of branches are first tried as one."""

MOST_TRIED = 2
"""Ways for which values are searched, of one problem."""


@dataclass(frozen=True, slots=True)
class FollowedWay:
    """What was found on one way.

    ``errors`` and ``warnings`` are certain on it, ``vague`` are races if addresses are the same.
    ``idle`` says of the instructions that waited whether that never ordered anything. ``elements``
    are the numbers that decide, with what they are within. It is ``clean`` if nothing was found.
    """

    decisions: tuple[Decision, ...]
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    vague: tuple[Problem, ...]
    idle: dict[Place, bool]
    unknown: tuple[Problem, ...]
    status: Status
    instructions: int
    elements: dict[Element, Bounds]
    clean: bool

    @classmethod
    def of(cls, one: Followed) -> FollowedWay:
        """What is kept of a run."""
        ordering = one.session.ordering
        return cls(
            tuple(one.way.decisions),
            (*one.errors, *one.later()),
            one.report.warnings,
            () if ordering is None else ordering.vague_races(),
            one.idle(),
            tuple(one.unknown),
            one.report.status,
            one.session.machine.scheduler.retired,
            one.way.elements,
            one.clean,
        )


class EveryWay:
    """All ways through a program that were followed.

    ``first`` is the run of the first one. ``left`` is the first decision that was not tried both
    ways, if any was not. If values are ``tried``, some are searched for what some of them lead to.
    """

    def __init__(
        self, program: Program, settings: RunSettings, most: int | None, tried: bool = True
    ) -> None:
        self.program, self.settings, self.most = program, settings, most
        self.search = InputSearch(program) if tried and program.ranks == 1 else None
        self.first = Followed(program, settings, most)
        self.every = [FollowedWay.of(self.first)]
        self.left: Decision | None = None
        joined = None
        if len(self.first.way.decisions) > FEW:
            joined = self.joined()
        if joined is None:
            more, self.left = self._others(self.first)
            self.every += more
        if self.left is not None and len(self.first.way.decisions) <= FEW:
            joined = self.joined()
        if joined is not None:
            self.every, self.left = [self.every[0], *joined], None

    def _others(self, first: Followed) -> tuple[list[FollowedWay], Decision | None]:
        """All ways that differ from a first one, and the first decision that was not tried."""
        waiting: list[tuple[int, tuple[int, ...], Decision]] = []
        _add(waiting, first)
        found, most = list[FollowedWay](), self.most
        done, made = first.session.machine.scheduler.retired, 1
        while waiting:
            _, given, decision = heappop(waiting)
            if made >= MOST_WAYS or (most is not None and done >= most):
                return found, decision
            made += 1
            left = None if most is None else most - done
            try:
                one = Followed(self.program, self.settings, left, given, joined=first.joined)
            except Impossible:
                continue
            found.append(FollowedWay.of(one))
            _add(waiting, one)
            done += max(1, found[-1].instructions)
        return found, None

    def joined(self) -> list[FollowedWay] | None:
        """Ways on which branches have both their sides, if nothing is found on all of these."""
        first = Followed(self.program, self.settings, self.most, joined=True)
        if not first.way.joins.meets or not first.clean:
            return None
        more, left = self._others(first)
        every = [FollowedWay.of(first), *more]
        return every if left is None and all(one.clean for one in every) else None

    @property
    def asked(self) -> bool:
        """Whether anything depends on a value."""
        return self.first.way.asked

    @property
    def whole(self) -> bool:
        """Whether every way was followed to its end."""
        ended = all(one.status is not Status.LIMIT and not one.unknown for one in self.every)
        return ended and self.left is None

    @property
    def unknown(self) -> list[Problem]:
        """Why some ways could not be followed further, each place once."""
        found = {same(p): p for one in self.every for p in one.unknown}
        return list(found.values())

    def idle(self) -> set[Place]:
        """The instructions whose waits never order anything, on any way."""
        found: dict[Place, bool] = {}
        for one in self.every if self.whole else ():
            for place, idle in one.idle.items():
                found[place] = found.get(place, True) and idle
        return {place for place, idle in found.items() if idle}

    # -- what was found

    def errors(self) -> list[Problem]:
        """What is so for every input."""
        return [problem for problem, sure in self._judged if sure]

    def maybe(self) -> Iterator[Problem]:
        """What is so for some, as far as is known, or may be."""
        sure = {same(problem) for problem, certain in self._judged if certain}
        said: set[Hashable] = set()
        for problem, certain in self._judged:
            if not certain:
                said.add(same(problem))
                yield self._on_some(problem)
        warned = set(map(same, self.every[0].warnings))
        for one in self.every[1:]:
            for problem in one.warnings:
                if same(problem) not in warned:
                    warned.add(same(problem))
                    yield on_some_ways(self.program, problem, one.decisions)
        for one in self.every:
            for problem in one.vague:
                if (key := same(problem)) not in sure and key not in said:
                    said.add(key)
                    race = may_race(self.program, problem, one.decisions, vague=True)
                    yield self._tried(race, key, self._with_vague(key))

    def _on_some(self, problem: Problem) -> Problem:
        """An error that is not on all ways."""
        key = same(problem)
        ways = [one for one in self.every if any(same(p) == key for p in one.errors)]
        if problem.code == RACE:
            made = may_race(self.program, problem, ways[0].decisions, vague=False)
        else:
            made = on_some_ways(self.program, problem, ways[0].decisions)
        return self._tried(made, key, ways)

    def _with_vague(self, key: Hashable) -> list[FollowedWay]:
        return [one for one in self.every if any(same(p) == key for p in one.vague)]

    def _tried(self, problem: Problem, what: Hashable, ways: list[FollowedWay]) -> Problem:
        """The same with values with which a run has it, if some are found."""
        search = self.search
        for one in ways[:MOST_TRIED] if search is not None else ():
            assert search is not None
            values = search.find(what, one.elements, one.instructions)
            if values is not None:
                return with_values(problem, values)
        return problem

    @cached_property
    def _judged(self) -> list[tuple[Problem, bool]]:
        """Each error that is found on a way, and whether it is on every one."""
        if not self.asked:
            return [(problem, True) for problem in self.every[0].errors]
        counts: dict[Hashable, int] = {}
        first: dict[Hashable, list[Problem]] = {}
        for one in self.every:
            known = set(first)
            for key in dict.fromkeys(map(same, one.errors)):
                counts[key] = counts.get(key, 0) + 1
            for problem in one.errors:
                if same(problem) not in known:
                    first.setdefault(same(problem), []).append(problem)
        plain = self._plain()
        return [
            (problem, key in plain or (self.whole and counts[key] == len(self.every)))
            for key, problems in first.items()
            for problem in problems
        ]

    def _plain(self) -> set[Hashable]:
        """What is found up to where the first value decides: every input leads there."""
        if self.whole:
            return set()
        run = Followed(self.program, self.settings, self.most, open_=False)
        return set(map(same, FollowedWay.of(run).errors))


def _add(waiting: list[tuple[int, tuple[int, ...], Decision]], one: Followed) -> None:
    """What is the same as a way up to one of its decisions, and then another, is to follow."""
    made = tuple(decision.way for decision in one.way.decisions)
    for at in range(len(one.way.given), len(made)):
        for other in one.way.others[at]:
            heappush(waiting, (at, (*made[:at], other), one.way.decisions[at]))
