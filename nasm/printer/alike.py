"""What rounds of a ``.for`` have in common: which other rounds theirs come after, in one text.

A line is written once, and stands for a round each of the loops around it: a tuple of the values of
their variables. That each round comes after a round of another line is said by indices, of which
each is one of the line's own variables plus a constant, or a constant; and by the rounds of which
it holds, where it does not of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

Round = tuple[int, ...]

MOST = 6
"""So many sentences about one line are still read; beyond that its rounds are not alike."""

FEW = 4
"""So many single values of a variable are tried, each as a condition."""

WIDE = 64
"""Of a variable with more values than these no two conditions are tried together."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index: a ``variable`` of the line, by its place, plus ``offset``; or that alone, at -1."""

    variable: int
    offset: int

    def at(self, own: Round) -> int:
        """Its value in a round."""
        return self.offset + (own[self.variable] if self.variable >= 0 else 0)

    def text(self, variables: tuple[str, ...]) -> str:
        """As it is written."""
        if self.variable < 0:
            return str(self.offset)
        name = variables[self.variable]
        sign = "-" if self.offset < 0 else "+"
        return f"{name} {sign} {abs(self.offset)}" if self.offset else name


@dataclass(frozen=True, slots=True)
class Test:
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
    """After which round of another line each round comes, if all ``tests`` hold."""

    indices: tuple[Index, ...]
    tests: tuple[Test, ...]

    def says(self, own: Round, other: Round) -> bool:
        """Whether it says of a round that it comes after another one."""
        return _at(self.indices, own) == other and all(test.holds(own) for test in self.tests)

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
) -> list[Sentence] | None:
    """Sentences that say of each round which ones of another line it comes after.

    They say all that is ``wanted``, and what ``may`` be said besides: of which other round a round
    comes after anyhow. None if it takes too many.
    """
    left = [(one, two) for one, some in wanted.items() for two in some]
    known = set(other.rounds)
    made: list[Sentence] = []
    while left:
        best: tuple[tuple[int, ...], Sentence] | None = None
        for indices in _indices(own, other, left):
            good = {v for v in own.rounds if (w := _at(indices, v)) in known and may(v, w)}
            needed = [v for v, w in left if _at(indices, v) == w]
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


def _at(indices: tuple[Index, ...], own: Round) -> Round:
    return tuple(index.at(own) for index in indices)


def _indices(
    own: Rounds, other: Rounds, left: list[tuple[Round, Round]]
) -> Iterator[tuple[Index, ...]]:
    """Indices that say some of what is left."""
    seen: set[tuple[Index, ...]] = set()
    for one, two in (left[0], left[len(left) // 2], left[-1]):
        choices = []
        for value in two:
            steps = [Index(at, value - mine) for at, mine in enumerate(one)]
            choices.append([*steps, Index(-1, value)])
        for indices in product(*choices):
            if indices not in seen:
                seen.add(indices)
                yield indices


def _effort(own: Rounds, other: Rounds, indices: tuple[Index, ...], tests: tuple[Test, ...]) -> int:
    """How much there is to understand: least, the same round of the same loop."""
    effort = 0
    for at, index in enumerate(indices):
        if index.variable < 0 or own.variables[index.variable] != other.variables[at]:
            effort += 3 if index.variable < 0 else 2
        effort += bool(index.offset)
    return 2 * effort + sum(2 + (test.op != ">=") for test in tests)


def _tests(own: Rounds, good: set[Round], needed: list[Round]) -> Iterator[tuple[Test, ...]]:
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


def _single(at: int, own: Rounds, bad: list[Round], needed: list[Round]) -> Iterator[Test]:
    """Conditions on one variable that no bad round meets."""
    values, worst = {v[at] for v in own.rounds}, {v[at] for v in bad}
    above = [value for value in values if value > max(worst)]
    if above:
        yield Test(at, ">=", min(above))
    below = [value for value in values if value < min(worst)]
    if below:
        yield Test(at, "<=", max(below))
    yield from (Test(at, "==", v) for v in sorted({v[at] for v in needed} - worst)[:FEW])


def _pairs(
    own: Rounds, at: tuple[int, int], bad: list[Round], needed: list[Round]
) -> Iterator[tuple[Test, ...]]:
    """Conditions on two variables, one of which has one value, that no bad round meets."""
    for one, two in (at, at[::-1]):
        values = sorted({v[one] for v in needed})
        for value in values if len(values) <= WIDE else ():
            test = Test(one, "==", value)
            here = [v for v in bad if test.holds(v)]
            some = [v for v in needed if test.holds(v)]
            rest = Rounds(own.variables, tuple(v for v in own.rounds if test.holds(v)))
            if here:
                yield from ((test, other) for other in _single(two, rest, here, some))
        lowest = sorted({v[one] for v in own.rounds})
        for value in lowest[1:] if len(lowest) <= WIDE else ():
            test = Test(one, ">=", value)
            here = [v for v in bad if test.holds(v)]
            some = [v for v in needed if test.holds(v)]
            rest = Rounds(own.variables, tuple(v for v in own.rounds if test.holds(v)))
            if here and some:
                yield from ((test, other) for other in _single(two, rest, here, some))
