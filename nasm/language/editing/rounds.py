"""What rounds of a ``.for`` have in common: which other rounds theirs come after, in one text.

A line is written once, and is executed in each round of the loops around it: a tuple of the values
of their variables. That each round comes after a round of another line is expressed by indices,
each of which is one of the line's own variables plus a constant, or a constant; and by the rounds
for which it holds, where that is not all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from nasm.base.records import dataclass

Round = tuple[int, ...]

MOST = 3
"""Limit of clauses about two lines; beyond that their rounds have too little in common."""

FEW = 4
"""So many single values of a variable are tried, each as a condition."""

IN_ALL = 400_000
"""Rounds that all searches for steep sentences of one program look at."""
WORK, LEAST = 120_000, 20_000
"""So many of them one search may look at, and so many in any case."""

WIDE = 64
"""Of a variable with more values than these no two conditions are tried together."""


@dataclass(slots=True)
class SearchWork:
    """Rounds that searches for steep sentences may look at until they give up."""

    left: int = IN_ALL

    @property
    def stop(self) -> int:
        """What is left when the next search gives up."""
        return min(max(0, self.left - WORK), self.left - LEAST)


class RangeEnd(NamedTuple):
    """Where the values of a variable end: a name of the program for a number."""

    name: str
    value: int


@dataclass(frozen=True, slots=True)
class RoundIndex:
    """An index: a ``variable`` of the line, by its place, plus ``offset``; or that alone, at -1.

    With a ``stop`` it is each number from the offset on to before that. A *steep* one multiplies
    the variable by ``times``, and divides it by ``over``, before the offset is added.
    """

    variable: int
    offset: int
    stop: int | None = None
    times: int = 1
    over: int = 1

    def of(self, own: Round) -> range:
        """Its values in a round."""
        value = own[self.variable] * self.times // self.over if self.variable >= 0 else 0
        first = self.offset + value
        return range(first, first + 1 if self.stop is None else self.stop)

    def text(self, variables: tuple[str, ...], bound: RangeEnd | None = None) -> str:
        """As it is written; ``bound`` is the upper one of the loop that has this variable."""
        if self.stop is not None:
            stop = bound.name if bound is not None and bound.value == self.stop else self.stop
            return f"{self.offset}..{stop}"
        if self.variable < 0:
            last = bound is not None and bound.value == self.offset + 1
            return f"{bound.name} - 1" if bound is not None and last else str(self.offset)
        name = variables[self.variable]
        name = f"{self.times}*{name}" if self.times != 1 else name
        name = f"{name} // {self.over}" if self.over != 1 else name
        sign = "-" if self.offset < 0 else "+"
        return f"{name} {sign} {abs(self.offset)}" if self.offset else name


@dataclass(frozen=True, slots=True)
class VariableTest:
    """A comparison of a variable with a number."""

    variable: int
    op: str
    value: int

    def holds(self, own: Round) -> bool:
        """Whether it holds of a round."""
        return _COMPARE[self.op](own[self.variable], self.value)


_COMPARE: dict[str, Callable[[int, int], bool]] = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
}


@dataclass(frozen=True, slots=True)
class Sentence:
    """After which rounds of another line each round comes, if all ``tests`` hold."""

    indices: tuple[RoundIndex, ...]
    tests: tuple[VariableTest, ...]

    def says(self, own: Round, other: Round) -> bool:
        """Whether it says of a round that it comes after another one."""
        return _says(self.indices, own, other) and all(test.holds(own) for test in self.tests)

    def condition(self, variables: tuple[str, ...]) -> str:
        """The condition as it is written; empty if it always holds."""
        made = (f"{variables[t.variable]} {t.op} {t.value}" for t in self.tests)
        return " and ".join(made)


@dataclass(frozen=True, slots=True)
class Rounds:
    """A line: the variables of the loops around it, and all its rounds."""

    variables: tuple[str, ...]
    rounds: tuple[Round, ...]


def sentences(
    own: Rounds,
    other: Rounds,
    wanted: Mapping[Round, Iterable[Round]],
    may: Callable[[Round, Round], bool],
    steep: SearchWork | None = None,
) -> list[Sentence] | None:
    """Sentences that say of each round which ones of another line it comes after.

    They say all that is ``wanted``, and what ``may`` be said besides: of which other round a round
    comes after anyhow. None if it takes too many. With work to spend indices may be ``steep``.
    """
    left = [(one, two) for one, some in wanted.items() for two in some]
    known = set(other.rounds)
    made: list[Sentence] = []
    stop = steep.stop if steep is not None else 0

    def legal(indices: tuple[RoundIndex, ...], some: Iterable[Round]) -> set[Round]:
        return {v for v in some if all(w in known and may(v, w) for w in _at(indices, v))}

    while left:
        best: tuple[tuple[int, ...], Sentence] | None = None
        for indices in _indices(own, left, steep is not None):
            if steep is not None:
                steep.left -= len(left)
                if steep.left < stop:
                    return None
            needed = [v for v, w in left if _says(indices, v, w)]
            here = legal(indices, dict.fromkeys(needed))
            most = sum(v in here for v in needed)
            if most < max(1, best[0][0] if best is not None else 0):
                continue
            good = legal(indices, own.rounds)
            if steep is not None:
                conditions = len(own.variables) * (len(good) < len(own.rounds))
                steep.left -= len(own.rounds) * (1 + 8 * conditions)
            for tests in _tests(own, good, needed):
                count = sum(all(t.holds(v) for t in tests) for v in needed)
                rank = (count, -_effort(own, other, indices, tests))
                if count and (best is None or rank > best[0]):
                    best = rank, Sentence(indices, tests)
        if best is None or len(made) == MOST:
            return None
        found = best[1]
        made.append(found)
        left = [(v, w) for v, w in left if not found.says(v, w)]
    return made


def unguarded(sentence: Sentence, own: Rounds, other: Iterable[Round]) -> Sentence:
    """The sentence without its tests if it means the same without them.

    ``made[r - 2]`` is nothing in rounds before the first one that posts it, as the assembler has
    it: of a variable that goes up.
    """
    axes = [n for n, index in enumerate(sentence.indices) if _earlier(index, own)]
    left = [v for v in own.rounds if not all(test.holds(v) for test in sentence.tests)]
    if not left or not axes:
        return sentence
    first: dict[tuple[int, Round], int] = {}
    for each in other:
        for axis in axes:
            key = axis, _without(each, axes)
            first[key] = min(first.get(key, each[axis]), each[axis])
    for round_ in left:
        at = tuple(index.of(round_)[0] for index in sentence.indices)
        firsts = ((axis, first.get((axis, _without(at, axes)))) for axis in axes)
        if not any(one is not None and at[axis] < one for axis, one in firsts):
            return sentence
    return Sentence(sentence.indices, ())


def _earlier(index: RoundIndex, own: Rounds) -> bool:
    """Whether an index is of an earlier round: less than a variable that goes up."""
    plain = index.stop is None and (index.times, index.over) == (1, 1)
    if index.variable < 0 or index.offset >= 0 or not plain:
        return False
    values = list(dict.fromkeys(v[index.variable] for v in own.rounds))
    return values == sorted(values)


def _without(round_: Round, axes: list[int]) -> Round:
    return tuple(value for at, value in enumerate(round_) if at not in axes)


def _at(indices: tuple[RoundIndex, ...], own: Round) -> Iterator[Round]:
    return product(*(index.of(own) for index in indices))


def _says(indices: tuple[RoundIndex, ...], own: Round, other: Round) -> bool:
    return all(at in index.of(own) for index, at in zip(indices, other, strict=True))


def _indices(
    own: Rounds, left: list[tuple[Round, Round]], steep: bool
) -> Iterator[tuple[RoundIndex, ...]]:
    """Indices that say some of what is left."""
    slopes = [list(_slopes(place, left)) if steep else [] for place in range(len(left[0][1]))]
    seen: set[tuple[RoundIndex, ...]] = set()
    for one, two in (left[0], left[len(left) // 2], left[-1]):
        choices = []
        mine = {w for v, w in left if v == one}
        for place, value in enumerate(two):
            steps = [RoundIndex(at, value - own_value) for at, own_value in enumerate(one)]
            row = _row(two, place, mine)
            choices.append([*steps, *slopes[place], *row, RoundIndex(-1, value)])
        for indices in product(*choices):
            if indices not in seen:
                seen.add(indices)
                yield indices


def _slopes(place: int, left: list[tuple[Round, Round]]) -> Iterator[RoundIndex]:
    """The steep indices that are right of all that is left."""
    first, value = left[0][0], left[0][1][place]
    for at in range(len(first)):
        other = next(((v, w[place]) for v, w in left if v[at] != first[at]), None)
        if other is None:
            continue
        run, rise = other[0][at] - first[at], other[1] - value
        slopes = [(rise // run, 1)] if rise % run == 0 and rise else []
        slopes += [(1, over) for over in range(2, min(max(v[at] for v, _ in left), WIDE) + 1)]
        for times, over in slopes:
            found = RoundIndex(at, value - first[at] * times // over, None, times, over)
            if (times, over) != (1, 1) and all(w[place] in found.of(v) for v, w in left):
                yield found


def _row(one: Round, place: int, some: set[Round]) -> Iterator[RoundIndex]:
    """The numbers in a row that rounds have which differ from one in nothing else."""
    values = {
        w[place] for w in some if w[:place] == one[:place] and w[place + 1 :] == one[place + 1 :]
    }
    first = stop = one[place]
    while first - 1 in values:
        first -= 1
    while stop in values:
        stop += 1
    if stop - first > 1:
        yield RoundIndex(-1, first, stop)


def _effort(
    own: Rounds, other: Rounds, indices: tuple[RoundIndex, ...], tests: tuple[VariableTest, ...]
) -> int:
    """How much there is to understand: least, the same round of the same loop."""
    effort, pinned = 0, {test.variable for test in tests if test.op == "=="}
    for at, index in enumerate(indices):
        if index.variable < 0:
            effort += 3
            continue
        effort += 4 * (index.times != 1 or index.over != 1)
        effort += 2 * (own.variables[index.variable] != other.variables[at])
        effort += 4 if index.offset and index.variable in pinned else bool(index.offset)
    return 2 * effort + sum(2 + (test.op != ">=") for test in tests)


def _tests(
    own: Rounds, good: set[Round], needed: list[Round]
) -> Iterator[tuple[VariableTest, ...]]:
    """Conditions that hold only of rounds of which a sentence may be said, the simplest first."""
    if len(good) == len(own.rounds):
        yield ()
        return
    bad = [v for v in own.rounds if v not in good]
    singles = [t for at in range(len(own.variables)) for t in _single(at, own, bad, needed)]
    yield from ((test,) for test in singles)
    if any(any(test.holds(v) for v in needed) for test in singles):
        return
    for one, two in product(range(len(own.variables)), repeat=2):
        if one < two:
            yield from _pairs(own, (one, two), bad, needed)


def _single(at: int, own: Rounds, bad: list[Round], needed: list[Round]) -> Iterator[VariableTest]:
    """Conditions on one variable that no bad round meets."""
    values, worst = {v[at] for v in own.rounds}, {v[at] for v in bad}
    above = [value for value in values if value > max(worst)]
    if above:
        yield VariableTest(at, ">=", min(above))
    below = [value for value in values if value < min(worst)]
    if len(below) > 1:
        yield VariableTest(at, "<=", max(below))
    yield from (VariableTest(at, "==", v) for v in sorted({v[at] for v in needed} - worst)[:FEW])


def _pairs(
    own: Rounds, at: tuple[int, int], bad: list[Round], needed: list[Round]
) -> Iterator[tuple[VariableTest, ...]]:
    """Conditions on two variables that no bad round meets."""
    for one, two in (at, at[::-1]):
        equal, every = sorted({v[one] for v in needed}), sorted({v[one] for v in own.rounds})
        if len(every) > WIDE:
            continue
        tests = [VariableTest(one, "==", value) for value in equal]
        for test in (*tests, *(VariableTest(one, ">=", value) for value in every[1:])):
            here = [v for v in bad if test.holds(v)]
            some = [v for v in needed if test.holds(v)]
            rest = Rounds(own.variables, tuple(v for v in own.rounds if test.holds(v)))
            if here and some:
                yield from ((test, other) for other in _single(two, rest, here, some))
