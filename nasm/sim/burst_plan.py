"""What a burst is of, when its instructions start and complete, and what is reported of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.isa.core_state import Burst


class Planned(NamedTuple):
    """A burst, and the instructions it is of.

    ``pcs`` are their pcs, ``micros`` which they are of what these are expanded to, -1 for the
    instruction itself; ``place`` is both. ``expansion`` is what the pc of the last of so many is
    expanded to.
    """

    burst: Burst
    instructions: Sequence[Any]
    pcs: Sequence[int]
    micros: Sequence[int]
    place: Callable[[int], int]
    expansion: Callable[[int], Sequence[Any]]


class Times(NamedTuple):
    """Ticks of each of some instructions of a queue, in order.

    When it was next in its queue, when it started, and when it completed.
    """

    heads: NDArray[np.int64]
    starts: NDArray[np.int64]
    finishes: NDArray[np.int64]

    def cut(self, count: int) -> Times:
        """Those of the first ones."""
        return Times(*(of[:count] for of in self))

    def met(self, most: int) -> int:
        """How many there are at most, so that one completes when the last of them starts."""
        starts = self.starts[:most]
        at = np.searchsorted(self.finishes, starts)
        (some,) = (self.finishes[np.minimum(at, len(self.finishes) - 1)] == starts).nonzero()
        return int(some[-1]) + 1 if len(some) else 0


class CompletedBurst(NamedTuple):
    """Instructions of a burst that have completed, the first of those that were planned.

    ``first`` is the record of the first start.
    """

    planned: Planned
    times: Times
    first: int
