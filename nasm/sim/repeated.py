"""What is reported of rounds that were repeated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from nasm.sim.channels import TouchedRegions
from nasm.sim.counters import Who


class Repeated(NamedTuple):
    """That what happened since a moment has happened as many ``times`` more.

    Each time so many ``ticks``, starts (``records``) and ``launches`` of transfers later, by
    instructions that are further by as many as ``places`` says for each queue, with semaphores
    raised by ``counters``. ``touched`` says what the transfer of an instruction touches, and its
    pattern.
    """

    times: int
    ticks: int
    records: int
    places: Sequence[int]
    counters: Mapping[int, int]
    launches: int
    touched: Callable[[Who], tuple[TouchedRegions, int]]
