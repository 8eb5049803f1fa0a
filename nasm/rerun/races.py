"""Which races of a run there are to be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nasm.order.skeleton import Event
from nasm.session import Session
from nasm.sim.regions import Region


@dataclass(frozen=True, slots=True)
class Race:
    """Two accesses without an order: the end of each, and the bytes that both touch."""

    first: Event
    second: Event
    regions: tuple[Region, ...] = ()


def races_of(session: Session) -> Sequence[Race]:
    """The races of a run that is over, in the order of its report."""
    return ()
