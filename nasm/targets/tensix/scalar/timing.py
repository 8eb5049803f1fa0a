"""How long instructions of the scalar, configuration, miscellaneous and sync units take.

Cycles, from the tables of the units' pages in the public ISA documentation of Wormhole B0. Where
they give a lower bound, an instruction is taken to need just that. Rows name their paces.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

_PAGES: Final = {
    "scalar": "ISA documentation, ScalarUnit",
    "configuration": "ISA documentation, ConfigurationUnit",
    "misc": "ISA documentation, MiscellaneousUnit",
    "sync": "ISA documentation, SyncUnit",
}


class UnitPace(NamedTuple):
    """How a unit takes instructions of a kind.

    ``busy`` cycles pass before the unit takes the next; the result is there after ``latency``.
    ``shared``: one in the whole tile, otherwise one for each thread. ``blocks``: the thread issues
    nothing else for ``busy`` cycles. ``least``: the page gives a lower bound.
    """

    unit: str
    busy: int
    latency: int
    shared: bool
    blocks: bool = False
    least: bool = False

    @property
    def source(self) -> str:
        """The page it is from."""
        return _PAGES[self.unit]


LOAD_LATENCY: Final = 10
"""Cycles until a load's register has it: three to issue, and seven more as its page says."""
ATOMIC_LATENCY: Final = 27
"""The same for an atomic that returns something: three to issue and 24 more."""
ATOMIC_INTERVAL: Final = 12
"""Cycles from one atomic to the next, by the requests that may be in flight."""
RETRY: Final = 15
"""Cycles of each attempt of an atomic that waits for a value."""


def scalar_pace(cycles: int, latency: int = 0, least: bool = False) -> UnitPace:
    """The pace of the scalar unit, which keeps its thread from issuing anything else."""
    return UnitPace("scalar", cycles, latency or cycles, shared=True, blocks=True, least=least)


MISC_PACE: Final = UnitPace("misc", 1, 1, shared=False)
SEMAPHORE_PACE: Final = UnitPace("sync", 1, 1, shared=True)
MUTEX_PACE: Final = UnitPace("sync", 1, 1, shared=False)
"""In one cycle each thread may execute an instruction on a mutex, provided that these differ."""

AFTER_CONFIG: Final = 1
"""Cycles after a write of the bank, or a read, in which no read and no change of bits starts."""


def arithmetic(fields: Mapping[str, int]) -> UnitPace:
    """Arithmetic on registers: a cycle more if they are of two aligned quads."""
    right, left = fields["OpBRegIndex"], fields["OpARegIndex"]
    return scalar_pace(3 if fields["OpBisConst"] or right >> 2 == left >> 2 else 4)


Paces = UnitPace | Callable[[Mapping[str, int]], UnitPace]
"""The pace of an instruction, or what finds it by its fields."""
