"""What is shown of a whole run, before its steps are judged one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from nasm.order.places import Area
from nasm.order.posts import Clock


class KnownClocks(Protocol):
    """The clocks of a whole run."""

    def by_instruction(self) -> Sequence[Sequence[Clock]]:
        """That with which each instruction of each queue starts."""


class WholeOrder(NamedTuple):
    """What is shown of a run: nothing is left in flight, or something may be.

    In these ``areas`` something may be in no order; what is elsewhere certainly is. If the
    ``clocks`` are there, they are those that going through the steps finds.
    """

    landed: bool
    areas: frozenset[Area]
    clocks: KnownClocks | None

    @property
    def in_order(self) -> bool:
        """Whether there is nothing to report."""
        return self.landed and not self.areas
