"""What a run would wait for if a tile had a second buffer.

A *use* of a tile begins with a write that does not read it. With a second buffer it waits for what
was done with the use before the last one, not with the last. The waits of the program that were
there for the last one are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from nasm.sim.conflicts import ALL, ActiveAccess, Conflicts, Tie
from nasm.sim.history import SHARES, History
from nasm.sim.recording import Recording
from nasm.views.regions import Region

BEFORE = 64
"""So many instructions before a write at most is the wait looked for that it relies on."""


class Reused(Conflicts):
    """Finds which waits a tile is written again after, by the tile's area of memory.

    ``waits`` has the records that wait, in order, of each area in ``among``.
    """

    def __init__(
        self, history: History, recording: Recording, delay: int, among: frozenset[int]
    ) -> None:
        super().__init__(history, recording, ALL, delay)
        self.among = among
        self.waits: dict[int, dict[int, None]] = {}
        self._waiting: dict[int, list[int]] = {}

    def _conflicts(self, record: int, queue: int) -> Iterator[Tie]:
        if self.history[record].nth >= 0:
            self._waiting.setdefault(queue, []).append(record)
        yield from super()._conflicts(record, queue)

    def _write(self, access: ActiveAccess, region: Region, queue: int) -> Iterator[Tie]:
        if self._begins(access, region):
            for earlier in self._users(region):
                found = self._wait(access.record, queue, earlier)
                if found >= 0:
                    self.waits.setdefault(region.area, {})[found] = None
        yield from super()._write(access, region, queue)

    def _begins(self, access: ActiveAccess, region: Region) -> bool:
        """Whether an access begins a use of a tile that is looked at."""
        if region.area not in self.among:
            return False
        read = self.recording.reads(access.record)
        return all(other.area != region.area for other in read)

    def _users(self, region: Region) -> list[ActiveAccess]:
        """What was done last with some bytes."""
        found = []
        for near in self._place(region).near:
            found += [near.writer] if near.writer is not None else []
            found += near.readers.values()
        return found

    def _wait(self, record: int, queue: int, earlier: ActiveAccess) -> int:
        """The wait after which a record may rely on an earlier access; -1 if it is none's."""
        if self.history[earlier.record].queue == queue:
            return -1
        for waiting in reversed(self._waiting.get(queue, ())[-BEFORE:]):
            row = self.history[waiting]
            if self._covers(self.history.posts[row.semaphore].records[row.nth], earlier):
                return waiting
        return -1

    def _covers(self, posted: int, earlier: ActiveAccess) -> bool:
        """Whether an access had been made when a record posted."""
        row = self.history[posted]
        if earlier.flight is not None:
            return row.kind == SHARES and (row.issuer, row.queue) == earlier.flight
        if row.kind == SHARES:
            return False
        return row.queue == self.history[earlier.record].queue and posted >= earlier.record


class SecondBuffer(Reused):
    """The ties of all queues if the tile of one area had a second buffer."""

    def __init__(self, history: History, recording: Recording, delay: int, area: int) -> None:
        super().__init__(history, recording, delay, frozenset((area,)))
        self._older: dict[Region, list[ActiveAccess]] = {}

    def _write(self, access: ActiveAccess, region: Region, queue: int) -> Iterator[Tie]:
        if not self._begins(access, region):
            other = {what for access in self._older.get(region, ()) for what in _names(access)}
            yield from (
                tie for tie in super()._write(access, region, queue) if tie.what not in other
            )
            return
        for earlier in self._older.get(region, ()):
            yield from self._tie(access.record, queue, earlier, region)
        self._older[region] = self._users(region)
        place = self._place(region)
        place.writer = access
        place.readers.clear()


def _names(access: ActiveAccess) -> tuple[object, ...]:
    """What a tie to an access may name."""
    return access.record, access.flight
