"""What lines in loops at run time come after: rounds of these loops, counted back.

A line in a ``.loop`` is written once for all its rounds, so it can only say how many rounds earlier
another one was. Rounds are counted on from one entry of a loop to the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from nasm.base.records import dataclass, field, replace
from nasm.language.editing.rounds import (
    RangeEnd,
    Round,
    RoundIndex,
    Rounds,
    Sentence,
    sentences,
    unguarded,
)

MOST_DISTANCES = 8
"""Distances in rounds that a line names of another; beyond that they have too little in common."""


def _cut(round_: Round, axes: list[int]) -> Round:
    return tuple(round_[axis] for axis in axes)


@dataclass(slots=True)
class StatedLines:
    """A statement: the variables of the loops around it, and its line in each round."""

    variables: tuple[str, ...]
    places: tuple[int, ...]
    bounds: tuple[RangeEnd | None, ...]
    lines: dict[Round, int] = field(default_factory=dict)

    @property
    def rounds(self) -> Rounds:
        """Its rounds."""
        return Rounds(self.variables, tuple(self.lines))

    def cut(self, axes: list[int]) -> Rounds:
        """Its rounds by some of the loops alone."""
        names = tuple(self.variables[axis] for axis in axes)
        return Rounds(names, tuple(dict.fromkeys(_cut(each, axes) for each in self.lines)))

    def step(self, axis: int) -> int:
        """What is added to a variable from round to round."""
        values = list(dict.fromkeys(each[axis] for each in self.lines))
        return values[1] - values[0] if len(values) > 1 else 1


class Said(NamedTuple):
    """A sentence of these axes of a statement, and the pairs of rounds of which it is needed."""

    sentence: Sentence
    axes: tuple[int, ...]
    pairs: list[tuple[Round, Round]]


def pairs_of(sentence: Sentence, wanted: dict[Round, list[Round]]) -> list[tuple[Round, Round]]:
    """The pairs of rounds of which a sentence says something."""
    every = ((own, theirs) for own, some in wanted.items() for theirs in some)
    return [pair for pair in every if sentence.says(*pair)]


class LoopPair(NamedTuple):
    """How a round of a line is related to one of another line that it comes after.

    ``axis`` is that of the innermost loop at run time that both are in, -1 if there is none, and
    ``back`` is how many rounds of that earlier the other one is.
    """

    axis: int
    back: int


class LoopAxes:
    """The loops around lines; ``written`` are those at run time, by where their variables are."""

    def __init__(self, written: frozenset[int], prefixes: Mapping[object, Iterable[Round]]) -> None:
        self.written = written
        self._number = {
            (loop, prefix): number
            for loop, some in prefixes.items()
            for number, prefix in enumerate(some)
        }

    @staticmethod
    def of(written: frozenset[int], lines: Iterable[tuple[tuple[int, ...], Round]]) -> LoopAxes:
        """The loops of lines: where their variables are, and their values, in program order."""
        prefixes: dict[object, dict[Round, None]] = {}
        for places, values in lines:
            for axis, place in enumerate(places):
                if place in written:
                    loop = _loop(written, places, values, axis)
                    prefixes.setdefault(loop, {})[values[: axis + 1]] = None
        return LoopAxes(written, prefixes)

    def pair(
        self,
        places: tuple[int, ...],
        own: tuple[int, ...],
        others: tuple[int, ...],
        theirs: tuple[int, ...],
    ) -> LoopPair:
        """How a round of a line is related to one of another line."""
        found = -1
        for axis, (one, two) in enumerate(zip(places, others, strict=False)):
            if one != two or (one not in self.written and own[axis] != theirs[axis]):
                break
            if one in self.written:
                found = axis
        if found < 0:
            return LoopPair(-1, 0)
        loop = _loop(self.written, places, own, found)
        first, second = (self._number[loop, values[: found + 1]] for values in (own, theirs))
        return LoopPair(found, first - second)

    def static(self, places: tuple[int, ...]) -> list[int]:
        """The axes that are not of loops at run time."""
        return [axis for axis, place in enumerate(places) if place not in self.written]

    def sentences(
        self, one: StatedLines, theirs: StatedLines, wanted: dict[Round, list[Round]]
    ) -> list[Said] | None:
        """What one statement says of another one, of which one is in a loop at run time.

        That is a sentence for each distance in rounds; None if there are too many.
        """
        made: list[Said] = []
        groups: dict[LoopPair, list[tuple[Round, Round]]] = {}
        for own, some in wanted.items():
            for at in some:
                pair = self.pair(one.places, own, theirs.places, at)
                groups.setdefault(pair, []).append((own, at))
        if len(groups) > MOST_DISTANCES:
            return None
        mine, others = self.static(one.places), self.static(theirs.places)
        for pair, related in groups.items():
            asked: dict[Round, list[Round]] = {}
            for own, at in related:
                asked.setdefault(_cut(own, mine), []).append(_cut(at, others))
            asked = {own: list(dict.fromkeys(ats)) for own, ats in asked.items()}
            own_rounds, their_rounds = one.cut(mine), theirs.cut(others)
            found = sentences(own_rounds, their_rounds, asked, _only(asked))
            if found is None:
                return None
            for sentence in found:
                plain = unguarded(sentence, own_rounds, their_rounds.rounds)
                said = [(v, w) for v, w in related if sentence.says(_cut(v, mine), _cut(w, others))]
                made.append(Said(*self._placed(plain, pair, one, theirs), said))
        return made

    def _placed(
        self, sentence: Sentence, pair: LoopPair, one: StatedLines, theirs: StatedLines
    ) -> tuple[Sentence, tuple[int, ...]]:
        """A sentence of ``.for`` alone, with the indices of the loops at run time between."""
        mine = self.static(one.places)
        rest = iter(sentence.indices)
        indices, axes = [], []
        for axis, place in enumerate(theirs.places):
            if place in self.written:
                if axis > pair.axis:
                    continue
                back = pair.back * one.step(axis) if axis == pair.axis else 0
                indices.append(RoundIndex(axis, -back))
            else:
                index = next(rest)
                at = mine[index.variable] if index.variable >= 0 else -1
                indices.append(replace(index, variable=at))
            axes.append(axis)
        tests = tuple(replace(test, variable=mine[test.variable]) for test in sentence.tests)
        return Sentence(tuple(indices), tests), tuple(axes)


def _only(asked: Mapping[Round, Iterable[Round]]) -> Callable[[Round, Round], bool]:
    """Nothing may be said but what is asked for."""
    return lambda own, theirs: theirs in asked.get(own, ())


def _loop(
    written: frozenset[int], places: tuple[int, ...], values: tuple[int, ...], axis: int
) -> object:
    """What a loop at run time is: where it is written, in which round of each ``.for``."""
    around = zip(places[:axis], values[:axis], strict=True)
    return places[axis], tuple(value for place, value in around if place not in written)
