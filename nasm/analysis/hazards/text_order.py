"""Which of two accesses comes first by a text that synchronises nothing: its lines have an order.

Where a line reads what only lines below it write, the text was written engine by engine. Then the
first of all executions of a line belong to the first of another line, and the last to the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from nasm.analysis.hazards.rounds import ExecutedLines, Place
from nasm.isa.effects import Jump
from nasm.order import places
from nasm.order.accesses import READ, ByteAccess, Touched
from nasm.order.check import Check
from nasm.program.program import Program

MOST = 20_000
"""Instructions of a run of which the order of lines is looked at."""

Key = tuple[int, ...]


def bare(program: Program) -> bool:
    """Whether a text has no waits, updates or moments."""
    some = [one for one in (*program.waits, *program.updates) if one is not None]
    return not program.posts and all(one.semaphore in program.unnamed for one in some)


class TextOrder:
    """The order of the lines of one run; ``filled`` are accesses to what has values before it."""

    def __init__(
        self, check: Check, executed: ExecutedLines, filled: Callable[[ByteAccess], bool]
    ) -> None:
        self.check, self.executed, self.filled = check, executed, filled

    @property
    def settled(self) -> bool:
        """Whether the order of the lines is all that a text needs to have every wait found."""
        program = self.executed.program
        drained = len(program.waits) > 1 or len(program.updates) > 1
        jumps = any(one.row.effect is Jump for one in program.instructions)
        can = program.target.sequencing is not None and len(program.spans) > 1
        return can and not (drained or jumps or self.long) and self.sequential

    @property
    def long(self) -> bool:
        """Whether the run is too long to be looked at."""
        return len(self.check.watch.queues) > MOST

    def first(self, one: ByteAccess, other: ByteAccess) -> ByteAccess | None:
        """Which of two accesses comes first; None if the text does not say it."""
        if self.long:
            return None
        if not self.sequential:
            (first, count), (second, many) = self._part(one), self._part(other)
            if (first + 1) * many <= second * count:
                return one
            if (second + 1) * count <= first * many:
                return other
        keys = [self.executed.written((a.queue, a.index)) for a in (one, other)]
        if keys[0] == keys[1]:
            return None
        above, below = (one, other) if keys[0] < keys[1] else (other, one)
        if not self.sequential and below.writes and not above.writes:
            return above if self._fed(above, below) else below
        return above

    def _part(self, access: ByteAccess) -> tuple[int, int]:
        """Which of how many executions of its line an access belongs to."""
        return self._parts.get((access.queue, access.index), (0, 1))

    @cached_property
    def _parts(self) -> dict[Place, tuple[int, int]]:
        """Which of how many executions of its line each is, in all calls of a macro."""
        found: dict[Place, tuple[int, int]] = {}
        for calls in self.executed.lines.values():
            some = sorted(place for places in calls.values() for place in places)
            found |= {place: (number, len(some)) for number, place in enumerate(some)}
        return found

    @cached_property
    def _touched(self) -> list[tuple[Place, Key, Touched]]:
        return list(self._everything())

    def _everything(self) -> Iterator[tuple[Place, Key, Touched]]:
        """What each instruction touches, by whatever means."""
        watch, touched = self.check.watch, self.check.accesses.touched
        at = [0] * len(watch.pcs)
        for queue in watch.queues:
            place = queue, at[queue]
            at[queue] += 1
            work, moved = watch.works[queue][place[1]], watch.moved[queue].get(place[1])
            reads, writes = touched(work.number, work.reads, work.writes)
            if moved is not None:
                more = touched(moved.pattern, moved.reads, moved.writes)
                reads, writes = reads + more[0], writes + more[1]
            yield place, self.executed.written(place), (reads, writes)

    @cached_property
    def _writers(self) -> dict[int, list[tuple[Key, Place]]]:
        """Who writes each place."""
        found: dict[int, list[tuple[Key, Place]]] = {}
        for place, key, (_, writes) in self._touched:
            for near in writes:
                found.setdefault(near.number, []).append((key, place))
        return found

    def _near(self, place: places.Place) -> Iterator[tuple[Key, Place]]:
        """Who writes bytes of a place."""
        for near in place.near:
            yield from self._writers.get(near.number, ())

    @cached_property
    def sequential(self) -> bool:
        """Whether no line reads what only later lines write."""
        for (queue, index), key, (reads, _) in self._touched:
            for place in reads:
                first = min((written for written, _ in self._near(place)), default=key)
                if first > key and not self.filled(
                    ByteAccess(queue, index, READ, False, place.region)
                ):
                    return False
        return True

    def _fed(self, reader: ByteAccess, writer: ByteAccess) -> bool:
        """Whether a reader has its values from something other than a writer below it."""
        (place,) = self.check.accesses.places.of((reader.region,))
        key = self.executed.written((reader.queue, reader.index))
        line = self.executed.line((writer.queue, writer.index))
        others = (at for above, at in self._near(place) if above < key)
        return self.filled(reader) or any(self.executed.line(at) != line for at in others)
