"""The fewest chains of a partial order, against every antichain."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import pytest

from nasm.order.sharing import chains
from tests.parts import part


def partial_order(seed: int) -> tuple[int, set[tuple[int, int]]]:
    """A random one of up to nine members, transitively closed."""
    chance = random.Random(seed)
    count = chance.randint(1, 9)
    pairs = {(a, b) for a, b in combinations(range(count), 2) if chance.random() < 0.3}
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not more:
            return count, pairs
        pairs |= more


@pytest.mark.parametrize("first", part(range(0, 400, 20), 5))
def test_chains_are_as_many_as_the_most_of_which_no_two_are_in_order(first: int) -> None:
    for seed in range(first, first + 20):
        count, pairs = partial_order(seed)
        members = list(range(count))
        random.Random(seed).shuffle(members)
        found = chains(members, lambda a, b, pairs=pairs: (a, b) in pairs)  # type: ignore[misc]
        assert sorted(one for chain in found for one in chain) == list(range(count))
        assert all(pair in pairs for chain in found for pair in pairwise(chain))
        widest = max(
            len(some)
            for size in range(1, count + 1)
            for some in combinations(range(count), size)
            if not any(pair in pairs for pair in combinations(some, 2))
        )
        assert len(found) == widest
