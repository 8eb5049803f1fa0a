"""Numbers about hardware, each with where it comes from and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from enum import Enum

from nasm.base.records import dataclass


class Evidence(Enum):
    """How a figure is known; the order is from the strongest to the weakest."""

    DOCUMENTED = "documented"
    MEASURED = "measured"
    ASSUMED = "assumed"


_STRENGTH = {e: n for n, e in enumerate(Evidence)}


def weakest(kinds: Iterable[Evidence]) -> Evidence:
    """What a figure built from several is worth: as much as the worst of them."""
    return max(kinds, key=_STRENGTH.__getitem__, default=Evidence.DOCUMENTED)


@dataclass(frozen=True, slots=True)
class Fact:
    """A number, its evidence and its source; the unit is in the name that holds it."""

    value: float
    evidence: Evidence
    source: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What an instruction costs, in cycles of the engine that runs it.

    ``interval`` is how long its unit is busy, so the next instruction for that unit starts no
    earlier; ``latency`` is from its start to its results. ``unit`` names the part of the engine
    that is occupied (empty: the engine's datapath), or a unit of the core that its queues share.
    ``parts`` names parts of that unit, if it occupies not all of it: what occupies other parts may
    run at the same time. ``spare`` names another unit that does as well while this one is busy.
    ``pace`` names what of the core paces it beyond this, by its history; ``key`` is what that has
    to know of the instruction. ``issue`` is for how long the queue starts nothing else, whatever
    unit that is for (0: not at all).
    """

    interval: int
    latency: int
    evidence: Evidence
    source: str
    unit: str = ""
    parts: tuple[str, ...] = ()
    spare: str | None = None
    pace: str = ""
    key: Hashable = None
    issue: int = 0
