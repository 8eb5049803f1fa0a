"""What random tests choose, drawn by hypothesis so that what fails shrinks.

Every choice has what is simplest first. An array costs two or three choices, however large it is:
what it is like, and the seed of a generator where it is like nothing in particular.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests import parts
from tests.neuron.programs import Array

Made = TypeVar("Made")
CASES = 200


class Choices:
    """Choices of one example.

    They come from a `Random` of hypothesis: drawn from a strategy each, they would be copied from
    one another in most examples, which leaves some options out.
    """

    def __init__(self, random: Random) -> None:
        self._random = random

    def one_of(self, *options: Any) -> Any:
        """One of some options, each as likely; the first is the simplest."""
        return options[self.number(0, len(options) - 1)]

    def number(self, low: int, high: int) -> int:
        """An integer from low to high, both included; nearest to 0 is the simplest."""
        return self._random.randint(low, high)

    def flag(self, chance: float = 0.5) -> bool:
        """True with this chance, in hundredths; False is simpler."""
        return self.number(0, 99) >= 100 - round(100 * chance)

    def real(self, most: int = 4) -> float:
        """A number of three decimals, at most so far from 0."""
        return self.number(-1000 * most, 1000 * most) / 1000

    # -- arrays

    def generator(self) -> np.random.Generator:
        """Where contents come from that are too many to choose one by one."""
        return np.random.default_rng(self.number(0, 2**24 - 1))

    def numbers(self, low: int, high: int, shape: int | Sequence[int]) -> Array:
        """Integers from low to high, both included: all the same, counting up, or any."""
        how = self.one_of("same", "counting", "any", "any", "any", "any")
        if how == "same":
            return np.full(shape, self.number(low, high), np.int64)
        if how == "counting":
            size = int(np.prod(shape))
            return (low + np.arange(size, dtype=np.int64) % (high - low + 1)).reshape(shape)
        return self.generator().integers(low, high, shape, np.int64, endpoint=True)

    def reals(self, low: float, high: float, shape: Sequence[int]) -> Array:
        """Numbers between two others: all the same, or any."""
        if self.one_of("same", "any", "any", "any") == "same":
            return np.full(shape, low + (high - low) * self.number(0, 99) / 100)
        return self.generator().uniform(low, high, shape)

    def some(self, options: Any, shape: Sequence[int]) -> Array:
        """An array of some options."""
        found: Array = np.asarray(options)[self.numbers(0, len(options) - 1, shape)]
        return found

    def order(self, count: int) -> Array:
        """The numbers below ``count`` in some order."""
        how = self.one_of("counting", "backwards", "any", "any", "any", "any")
        if how == "any":
            return self.generator().permutation(count)
        return np.arange(count)[:: 1 if how == "counting" else -1]


def examples(
    make: Callable[[Random], Made], check: Callable[[Made], None], name: str, count: int = CASES
) -> Callable[[], None]:
    """A test that makes and checks so many examples; of those that fail it shows the simplest.

    What is drawn depends on the name, an identifier, and on nothing else; in `make test`, which
    has a sixteenth of many examples, on the seed of the run.
    """

    @st.composite
    def made(draw: st.DrawFn) -> Made:
        return make(draw(st.randoms(use_true_random=False)))

    def test(example: Made) -> None:
        check(example)

    test.__name__ = test.__qualname__ = name
    setting = settings(
        max_examples=parts.examples(count, max(count // 16, 8)),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
    )
    found = setting(given(made())(test))
    return found if parts.everything() else seed(parts.seed())(found)
