"""All groups of a program's tiles, wherever they are, which execute window after window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nasm.machine.group_packets import LaunchedPacket, Payload
from nasm.tiles.interface import GroupWindow, Reached
from nasm.workers.actors import Actor, ActorReply

FAR = 1 << 12
"""Ticks of a window in which nothing can be sent any more."""


TELL = 4_000
"""Events after which groups tell what has happened: it takes less time for many together."""


class Groups:
    """Lets groups execute, and meet where a window ends.

    Nothing that is sent in a window is at another tile in less than ``soonest`` ticks after its
    beginning: that is where it ends. ``found`` is what they have reached, ``calls`` how many
    windows they were asked to execute. What happened before the tick ``certain`` is not taken back.
    ``merge`` gets what each has reported, of all of them up to one tick.
    """

    def __init__(
        self, actors: Sequence[Actor], soonest: int, merge: Callable[[list[Any]], None]
    ) -> None:
        self.actors, self.soonest, self.merge = actors, soonest, merge
        self.end = soonest
        self.certain = self.calls = self._last = 0
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

    def advance(self) -> None:
        """Execute a window in all groups that have something to do, side by side.

        What they have reported is put in order while they do.
        """
        telling = sum(one.kept for one in self.found) > TELL
        reported = [actor.call("reported", self.certain) for actor in self.actors if telling]
        asked = {n: self._asked(n) for n in range(len(self.actors)) if self._busy(n)}
        if reported:
            self.merge([one.result() for one in reported])
        self.found = [
            asked[n].result() if n in asked else self.found[n]._replace(launches=(), payloads=())
            for n in range(len(self.actors))
        ]
        sent = [launch for one in self.found for launch in one.launches]
        self._launches = sorted(sent, key=_order)
        for payload in (payload for one in self.found for payload in one.payloads):
            self._payloads[payload.group].append(payload)
        self.certain, self._last = self._last, self.end
        self._find_end()

    def _busy(self, number: int) -> bool:
        """Whether a group has something to do in a window: what all have sent, or an event."""
        if self._launches or not self.found:
            return True
        coming = self.found[number].next
        return coming is not None and coming < self.end

    def _asked(self, number: int) -> ActorReply:
        """What a group will have reached at the end of the window."""
        payloads, self._payloads[number] = self._payloads[number], []
        self.calls += 1
        window = GroupWindow(self.end, self._launches, payloads)
        return self.actors[number].call("advance", window)

    def finish(self) -> None:
        """Put all in order that was not reported yet."""
        self.merge(self.each("reported", None))

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
