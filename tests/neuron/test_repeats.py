"""Whether a pattern meets an element twice, however large it is."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from nasm.base import dtypes
from nasm.targets.neuron.generations import memories
from nasm.targets.neuron.rules import repeats
from nasm.views.methods import pattern
from nasm.views.tensor import Tensor
from nasm.views.view import View


def view(pairs: list[list[int]], size: int = 1 << 22) -> View:
    """A pattern of a tensor of bytes in HBM, from its middle on if it goes backwards."""
    uint8 = dtypes.find("uint8")
    assert uint8 is not None
    whole = View.whole(Tensor("A", memories(192)["hbm"], uint8, (size,)))
    back = -sum(min(0, step) * (count - 1) for step, count in pairs)
    return pattern(whole, pairs, back)


def test_it_agrees_with_a_walk_on_small_patterns() -> None:
    random = np.random.default_rng(0)
    told = []
    for _ in range(500):
        dims = int(random.integers(1, 4))
        pairs = [[int(random.integers(-9, 10)), int(random.integers(1, 6))] for _ in range(dims)]
        places = [
            sum(step * n for (step, _), n in zip(pairs, at, strict=True))
            for at in itertools.product(*(range(count) for _, count in pairs))
        ]
        told.append(repeats(view(pairs)))
        assert told[-1] == (len(set(places)) < len(places)), pairs
    assert 50 < sum(told) < 450


@pytest.mark.parametrize(
    ("pairs", "twice"),
    [
        ([[1, 1 << 21], [1, 1 << 21]], True),
        ([[0, 1 << 40]], True),
        ([[2, 1 << 20], [3, 1 << 19]], True),
        ([[2048, 2048], [1, 2048]], False),
        ([[3, 1000], [3001, 1000]], False),
    ],
)
def test_a_large_pattern_is_judged_at_once(pairs: list[list[int]], twice: bool) -> None:
    begun = time.process_time()
    assert repeats(view(pairs)) is twice
    assert time.process_time() - begun < 1  # step by step it takes hours
