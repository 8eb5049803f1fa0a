"""All groups of a program's tiles, wherever they are, which execute window after window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nasm.machine.group_packets import LaunchedPacket, Payload
from nasm.tiles.interface import GroupWindow, Reached
from nasm.workers.actors import Actor

FAR = 1 << 12
"""Ticks of a window in which nothing can be sent any more."""


class Groups:
    """Lets groups execute, and meet where a window ends.

    Nothing that is sent in a window is at another tile in less than ``soonest`` ticks after its
    beginning: that is where it ends. ``found`` is what they have reached.
    """

    def __init__(self, actors: Sequence[Actor], soonest: int) -> None:
        self.actors, self.soonest = actors, soonest
        self.end = soonest
        self.found: list[Reached] = []
        self.over = False
        self._launches: list[LaunchedPacket] = []
        self._payloads: list[list[Payload]] = [[] for _ in actors]

    @property
    def now(self) -> int:
        """The tick of the last event."""
        return max(one.now for one in self.found)

    @property
    def retired(self) -> int:
        """How many instructions have completed."""
        return sum(one.retired for one in self.found)

    def advance(self, meanwhile: Callable[[], None]) -> None:
        """Execute a window in all groups, side by side, and do something while they do."""
        windows = [GroupWindow(self.end, self._launches, some) for some in self._payloads]
        asked = [a.call("advance", w) for a, w in zip(self.actors, windows, strict=True)]
        meanwhile()
        self.found = [one.result() for one in asked]
        sent = [launch for one in self.found for launch in one.launches]
        self._launches = sorted(sent, key=_order)
        self._payloads = [[] for _ in self.actors]
        for payload in (payload for one in self.found for payload in one.payloads):
            self._payloads[payload.group].append(payload)
        self._find_end()

    def _find_end(self) -> None:
        """Where the next window ends; with what was sent last, it is not known what comes first."""
        if self._launches:
            self.end += self.soonest
            return
        coming = [one.next for one in self.found if one.next is not None]
        self.over = not coming
        if coming:
            sends = any(one.sends for one in self.found)
            self.end = max(self.end, min(coming)) + (self.soonest if sends else FAR)

    def each(self, method: str, *args: Any) -> list[Any]:
        """What all of them return."""
        asked = [actor.call(method, *args) for actor in self.actors]
        return [one.result() for one in asked]


def _order(launch: LaunchedPacket) -> tuple[int, int]:
    return launch.order
