"""What is known of integers that are not known, against all that they may be."""

from __future__ import annotations

import operator
from collections.abc import Callable
from random import Random

import pytest

from nasm.isa.ranges import (
    COMPARISONS,
    HIGH,
    Bounds,
    NumberSource,
    RegisterComparison,
    Some,
    Unknown,
    add,
    bounds,
    largest,
    least,
    multiply,
    subtract,
)
from nasm.targets.neuron.alu import REGISTER_OPERATORS, apply_register
from nasm.targets.neuron.register_bounds import register_bounds

HOLDS: dict[str, Callable[[int, int], bool]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
Values = Callable[[int, int], int]


class Drawn:
    """Two sources, and numbers that follow from them."""

    def __init__(self, seed: int) -> None:
        self.draw = draw = Random(seed)
        low, high = sorted((draw.randint(-6, 6), draw.randint(-6, 6)))
        inner = range(low + 1, high)
        holes = frozenset(draw.sample(inner, min(len(inner), draw.randint(0, 2))))
        self.one = NumberSource(Bounds(low, high, holes))
        self.other = NumberSource(Bounds(*sorted((draw.randint(-6, 6), draw.randint(-6, 6)))))
        self.pairs = [(a, b) for a in values(self.one.bounds) for b in values(self.other.bounds)]

    def number(self) -> tuple[Some, Values]:
        """What is known of one, and what it is for given values of the sources."""
        kind, scale = self.draw.randint(0, 2), self.draw.choice((-3, -2, -1, 1, 2, 3))
        offset = self.draw.randint(-5, 5)
        if not kind:
            return offset, lambda a, b: offset
        if kind == 1:
            return Unknown(self.one, scale, offset), lambda a, b: scale * a + offset
        return Unknown(self.other, scale, offset), lambda a, b: scale * b + offset


def values(found: Bounds) -> set[int]:
    return set(range(found.low, found.high + 1)) - found.holes


@pytest.mark.parametrize("base", range(0, 4_000, 1_000))
def test_a_comparison_leaves_just_the_values_for_which_it_is_so(base: int) -> None:
    for seed in range(base, base + 1_000):
        drawn = Drawn(seed)
        (left, of_left), (right, of_right) = drawn.number(), drawn.number()
        op = drawn.draw.choice(COMPARISONS)
        so = [pair for pair in drawn.pairs if HOLDS[op](of_left(*pair), of_right(*pair))]
        narrowed = RegisterComparison(left, op, right).narrowed()
        sources = {n.source for n in (left, right) if isinstance(n, Unknown)}
        if narrowed is None:
            assert not so
            continue
        for at, source in enumerate((drawn.one, drawn.other)):
            kept = values(narrowed.get(source, source.bounds))
            assert kept >= {pair[at] for pair in so}
            if sources == {source}:  # what follows from one is exact
                assert kept == {pair[at] for pair in so}


def test_what_is_computed_is_within_its_bounds() -> None:
    exact = ((add, operator.add), (subtract, operator.sub), (multiply, operator.mul))
    for seed in range(1_500):
        drawn = Drawn(seed)
        (left, of_left), (right, of_right) = drawn.number(), drawn.number()
        for made, function in (*exact, (least, min), (largest, max)):
            found = made(left, right)
            low, high = bounds(found)
            for pair in drawn.pairs:
                value = function(of_left(*pair), of_right(*pair))
                assert low <= value <= high
                if isinstance(found, Unknown) and found.source in (drawn.one, drawn.other):
                    source = pair[found.source is drawn.other]
                    assert found.scale * source + found.offset == value


def test_operators_of_registers_stay_within_their_bounds() -> None:
    draw = Random(1)
    for _ in range(3_000):
        low = draw.choice((-5, 0, 3, -(2**31), HIGH - 3))
        one = Unknown.within(low, min(low + draw.randint(0, 12), HIGH))
        other = draw.choice((0, 1, 2, 7, 31, 32, -1, HIGH, Unknown.within(-2, 9)))
        op = draw.choice(REGISTER_OPERATORS)
        least_, most = bounds(register_bounds(one, other, op))
        for a in range(one.low, one.high + 1):
            first, last = bounds(other)
            for b in range(first, last + 1):
                assert least_ <= apply_register(op, a, b) <= most, (op, one, other)


def test_what_may_wrap_may_be_any() -> None:
    near = Unknown.within(HIGH - 1, HIGH)
    assert bounds(add(near, 1)) == bounds(Unknown.within())
    assert bounds(add(near, -1)) == (HIGH - 2, HIGH - 1)
    assert bounds(multiply(near, 2)) == bounds(Unknown.within())
