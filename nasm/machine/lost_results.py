"""Results that nothing read: written, and overwritten before any byte of them was read.

Each place that is written remembers who wrote it, until something reads a byte of it. Only where
something overwrites a part, the bytes that are left are tracked one by one, of that one place.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, Final, Protocol

import numpy as np

from nasm.machine.grown_table import GrownTable
from nasm.program.program import Program
from nasm.sim.counters import Who
from nasm.sim.memory import Mask
from nasm.views.regions import Region, RowPattern, covers, overlap, rows_intersect

WIDEST = 1 << 24
"""Bytes, from its first to its last, of a result whose bytes are tracked one by one."""

MOST = 1_000_000
"""Pairs of places of an area that have bytes in common; with more nothing is reported for it."""


class Acting(Protocol):
    """Says which instruction starts, completes or moves bytes now."""

    acting: Any


class Silent:
    """No instruction: what is written on its behalf is not remembered."""

    acting = None


SILENT: Final = Silent()


class ByteRange(Protocol):
    """An access: its bytes in their store, from ``low`` up to ``high``."""

    region: Region
    low: int
    high: int

    def within(self, bits: Mask, low: int) -> Mask:
        """Its bytes in an array that begins at some byte of the store."""


class TrackedBytes:
    """The bytes of an access, and of all others to the same bytes, whichever tensor they are of.

    ``token`` says who wrote them, if nothing has read one of them since; it is IDLE until something
    is written in the area. ``others`` are the places that have a byte in common with this one,
    ``clock`` says who writes. ``initialised`` is set once all of it is known to be, which only a
    restored checkpoint undoes. ``dense`` says that it is a plain run in each of its rows.
    """

    __slots__ = ("access", "clock", "dense", "initialised", "others", "region", "token")
    CACHES = ("access", "clock", "initialised", "others")

    def __init__(self, access: ByteRange, dense: bool, clock: Acting) -> None:
        self.access, self.region, self.dense, self.clock = access, access.region, dense, clock
        self.token: Token | Idle | None = IDLE
        self.others: list[TrackedBytes] = []
        self.initialised = False

    def filled(self) -> bool:
        """Whether initialised places have all of it between them, in rows or in columns.

        That is quickly seen of plain runs; of others it is left open.
        """
        (first, count, step), low, high = self.region.rows, self.region.low, self.region.high
        if not self.dense or step != 1:
            return False
        rows: list[tuple[int, int]] = []
        columns: list[tuple[int, int]] = []
        for other in self.others:
            if other.initialised and other.dense:
                region = other.region
                if region.rows == self.region.rows:
                    columns.append((region.low, region.high))
                if region.rows[2] == 1 and region.low <= low and high <= region.high:
                    rows.append((region.rows[0], region.rows[0] + region.rows[1]))
        return _reach(rows, first, first + count) or _reach(columns, low, high)


class PiecewiseResult:
    """What one execution wrote in several pieces.

    ``due`` counts what it has yet to write, ``left`` the pieces that nothing has overwritten; it is
    -1 once something has read one of them, or if there is more to it than bytes.
    """

    __slots__ = ("due", "left", "who")

    def __init__(self, who: Who, due: int = 0, left: int = 0) -> None:
        self.who, self.due, self.left = who, due, left


class Piece:
    """A place of a result; ``rest`` says of each of its bytes whether it is left, if not all are.

    Places known to touch none of these are in ``clear``.
    """

    __slots__ = ("clear", "rest", "result")
    CACHES = ("clear",)

    def __init__(self, result: PiecewiseResult, rest: Mask | None = None) -> None:
        self.result, self.rest = result, rest
        self.clear: set[TrackedBytes] = set()


class Idle:
    """In the place of what was written: nothing has been written in the area yet."""


IDLE: Final = Idle()

Token = Who | Piece
"""What was written at a place: by an execution that wrote nothing else, or a piece of more."""


class Losses:
    """The results that were lost in a run, by the line of the instruction.

    ``open`` are those of transfers in flight. Of each line there are ``pairs`` of the instructions
    that wrote and overwrote the first of its results, and of that line a number for ``counts``.
    """

    def __init__(self, program: Program, clock: Acting) -> None:
        self.program, self.clock = program, clock
        self.areas: dict[int, Unread] = {}
        self.open: dict[PiecewiseResult, None] = {}
        self.pairs = GrownTable[Who, tuple[Who, Who]]()
        self.counts = array("q")

    def area(self, number: int) -> Unread:
        """What is unread in the bytes that some tensors share."""
        found = self.areas.get(number)
        if found is None:
            found = self.areas[number] = Unread(self)
        return found

    def begin(self, who: Who, due: int) -> PiecewiseResult:
        """The result of a transfer that starts."""
        result = PiecewiseResult(who, due)
        self.open[result] = None
        return result

    def landed(self, result: PiecewiseResult, count: int, places: Iterable[TrackedBytes]) -> None:
        """So many of the shares that move anything have landed, at some places."""
        self.written_with(result, places)
        result.due -= count
        if not result.due:
            self.open.pop(result, None)

    def written_with(self, result: PiecewiseResult, places: Iterable[TrackedBytes]) -> None:
        """Places were just written with one result."""
        acting = self.clock.acting
        for place in places:
            if place.token is acting and acting is not None:
                place.token = None
                if result.left >= 0:
                    result.left += 1
                    place.token = Piece(result)

    def gone(self, token: Token, by: Who) -> None:
        """Something overwrote all that was left at a place."""
        if type(token) is not Piece:
            self._report(token, by)  # type: ignore[arg-type]
            return
        result = token.result
        if result.left > 0:
            result.left -= 1
            if not (result.left or result.due):
                self._report(result.who, by)

    def _report(self, who: Who, by: Who) -> None:
        line = self.program.line(*who)
        number = self.pairs.number(line)
        if number is None:
            number = self.pairs.add(line, (who, by))
            self.counts.append(0)
        self.counts[number] += 1

    @property
    def lost(self) -> Iterator[tuple[Who, tuple[Who, Who, int]]]:
        """Each line with results that were lost: who wrote and overwrote the first, how many."""
        for (line, (who, by)), count in zip(self.pairs.items(), self.counts, strict=True):
            yield line, (who, by, count)

    def save(self) -> Any:
        """Everything that changes."""
        held = [
            (place, place.token)
            for area in self.areas.values()
            for place in area.places
            if place.token is not None
        ]
        results = dict.fromkeys(self.open)
        results |= {token.result: None for _, token in held if type(token) is Piece}
        states = tuple((result, result.due, result.left) for result in results)
        return held, states, tuple(self.open), self.pairs.save(), self.counts[:]

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        held, states, opened, pairs, counts = saved
        for area in self.areas.values():
            for place in area.places:
                place.token = None
        for place, token in held:
            place.token = token
        for result, due, left in states:
            result.due, result.left = due, left
        self.open, self.counts = dict.fromkeys(opened), counts[:]
        self.pairs.restore(pairs)


PlacesBySize = dict[int, list[tuple[int, int, TrackedBytes]]]
"""Places by the length of what they span, as a power of 2: in order of their lowest byte."""


class Unread:
    """The places of one area, and what is unread in them."""

    CACHES = ("_beside", "_covering", "_idle", "_known", "_pairs", "_sizes", "clock", "places")

    def __init__(self, losses: Losses) -> None:
        self.losses = losses
        self.clock: Acting = losses.clock
        self.places: list[TrackedBytes] = []
        self._idle: list[TrackedBytes] | None = []
        self._pairs = 0
        self._sizes: dict[RowPattern, PlacesBySize] = {}
        self._beside: dict[RowPattern, list[PlacesBySize]] = {}
        self._covering: dict[tuple[TrackedBytes, TrackedBytes], bool] = {}
        self._known: dict[tuple[Any, ...], TrackedBytes] = {}

    def tracked(self, access: ByteRange, dense: bool) -> TrackedBytes:
        """The place of an access: one for all accesses to the same bytes."""
        region = access.region
        key = (region.rows, region.low, region.high) if dense else region
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = TrackedBytes(access, dense, self.clock)
            self._enter(found)
        return found

    def forget(self) -> None:
        """Forget what is known to be initialised: a checkpoint was restored."""
        for place in self._known.values():
            place.initialised = False

    def read(self, place: TrackedBytes) -> None:
        """Something is about to read all of a place."""
        if place.token is IDLE:
            return
        for other in (place, *place.others):
            token = other.token
            if type(token) is not Piece:
                other.token = None
            elif self._touches(place, other, token):
                other.token, token.result.left = None, -1

    def wrote(self, place: TrackedBytes) -> None:
        """Something has just written all of a place."""
        if self._idle is not None:
            idle, self._idle = self._idle, None
            for other in idle:
                self._enter(other)
        for other in (place, *place.others):
            if isinstance(other.token, tuple | Piece):
                self._over(place, other, other.token)
        place.token = place.clock.acting

    def _over(self, place: TrackedBytes, other: TrackedBytes, token: Token) -> None:
        """Something was written over what another place held, all of it or a part."""
        acting = self.losses.clock.acting
        if token is acting:  # one of its own pieces
            other.token = None
            return
        if place is not other and not self._covers(place, other):
            piece = token if isinstance(token, Piece) else Piece(PiecewiseResult(token, left=1))
            if place in piece.clear:
                return
            rest = _rest(place, other, piece)
            if rest is None:  # too wide: nothing is reported for it
                piece.result.left = -1
            elif rest.any():
                left = other.token = Piece(piece.result, rest)
                left.clear = {*piece.clear, place}
                return
            token = piece
        other.token = None
        self.losses.gone(token, acting)

    def _covers(self, place: TrackedBytes, other: TrackedBytes) -> bool:
        """Whether a place has every byte of another one."""
        found = self._covering.get((place, other))
        if found is None:
            found = self._covering[place, other] = covers(place.region, other.region)
        return found

    def _touches(self, place: TrackedBytes, other: TrackedBytes, piece: Piece) -> bool:
        """Whether a place has a byte that is left of another one."""
        if piece.rest is None:
            return True
        if place in piece.clear:
            return False
        bits = _bits(place, other)
        if bits is None or (bits & piece.rest).any():
            return True
        piece.clear.add(place)
        return False

    # -- what lies near

    def _enter(self, place: TrackedBytes) -> None:
        """A place that something may read or write: what is near it counts from a write on."""
        if self._idle is not None:
            self._idle.append(place)
            return
        place.token, region, dense = None, place.region, place.dense
        for other in self._near(region):
            if overlap(region, other.region, dense and other.dense):
                place.others.append(other)
                other.others.append(place)
                self._pairs += 1
        sizes = self._sizes[region.rows]
        alike = sizes.setdefault((region.high - region.low).bit_length(), [])
        insort(alike, (region.low, len(self.places), place), key=itemgetter(0))
        self.places.append(place)
        if self._pairs > MOST:
            self.clock = SILENT
            for other in self.places:
                other.token, other.clock = None, SILENT
                other.others.clear()

    def _near(self, region: Region) -> Iterator[TrackedBytes]:
        """Places whose rows, lowest and highest bytes leave open whether they overlap a region."""
        beside = self._beside.get(region.rows) or self._met(region.rows)
        if self.clock is SILENT:
            return
        for sizes in beside:
            for size, alike in sizes.items():
                first = bisect_left(alike, region.low - (1 << size), key=itemgetter(0))
                last = bisect_left(alike, region.high, first, key=itemgetter(0))
                for _, _, place in alike[first:last]:
                    yield place

    def _met(self, rows: RowPattern) -> list[PlacesBySize]:
        """The places in rows that have one in common with some, which are new."""
        own = self._sizes[rows] = {}
        for other, beside in self._beside.items():
            if rows_intersect(rows, other):
                beside.append(own)
        found = [one for other, one in self._sizes.items() if rows_intersect(rows, other)]
        self._beside[rows] = found
        return found


def _reach(pieces: list[tuple[int, int]], low: int, high: int) -> bool:
    """Whether pieces have everything from one number up to another."""
    for first, last in sorted(pieces):
        if first > low:
            break
        low = max(low, last)
    return low >= high


def _rest(place: TrackedBytes, other: TrackedBytes, piece: Piece) -> Mask | None:
    """The bytes of a piece without those of a place; None if they lie too far apart."""
    gone = _bits(place, other)
    if gone is None:
        return None
    return ~gone if piece.rest is None else piece.rest & ~gone


def _bits(place: TrackedBytes, other: TrackedBytes) -> Mask | None:
    """Which bytes of another place a place has; None if they lie too far apart."""
    mine, theirs = place.access, other.access
    first, last = min(theirs.low, mine.low), max(theirs.high, mine.high)
    if last - first > WIDEST:
        return None
    bits = np.zeros(last - first, np.bool_)
    mine.within(bits, first)[...] = True
    return theirs.within(bits, first)
