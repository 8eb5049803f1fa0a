"""What would bring two accesses into order: who has to wait, for which counter to reach what."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from nasm.order.accesses import READ, WRITE, ByteAccess
from nasm.order.check import Check
from nasm.order.place_touches import PlaceTouch, PlaceTouches
from nasm.order.posts import Posts
from nasm.order.skeleton import COMPLETES, LANDS, CounterWait, Event
from nasm.views.regions import Region

SIDES = READ, WRITE

FEW = 4
"""Posts that a remedy names."""


class Remedy(NamedTuple):
    """``waiter`` is to wait until ``other`` is over: for ``wait``, if there is one that does it.

    ``others`` are places of instructions whose posts count as well, and may come earlier or later.
    The wait may be ``placed`` before the waiter, at an instruction that this comes after. Each
    round of a loop ``takes`` what it waits for, or not.
    """

    waiter: ByteAccess
    other: ByteAccess
    wait: CounterWait | None
    others: tuple[tuple[int, int], ...] = ()
    placed: tuple[int, int] | None = None
    takes: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """Where to wait."""
        return self.placed or (self.waiter.queue, self.waiter.index)


def remedy(check: Check, waiter: ByteAccess, other: ByteAccess) -> Remedy:
    """The wait that orders an access after another one: for what that posts itself, if it can."""
    event = check.end(other)
    core = check.sources.program.queues[waiter.queue].core
    best: tuple[tuple[int, int], Remedy] | None = None
    for counter in check.order.counters:
        if check.order.goes_down(counter) or check.sources.core(counter) != core:
            continue
        found = _wait(check, waiter, event, counter)
        if found is not None:
            rank, value, others = found
            made = Remedy(waiter, other, CounterWait(counter, ">=", value), others)
            if best is None or rank < best[0]:
                best = rank, made
    return best[1] if best is not None else Remedy(waiter, other, None)


def _wait(
    check: Check, waiter: ByteAccess, event: Event, counter: int
) -> tuple[tuple[int, int], int, tuple[tuple[int, int], ...]] | None:
    """The value of a counter that something has to happen for, and who else posts to it.

    That is one more than all other posts that may come before the waiter. Ranked by how far after
    the event the first such post is, and by how much else is waited for.
    """
    total, behind, least, nearest, many = 0, 0, 0, 1 << 60, 0
    others: list[tuple[int, int]] = []
    known = check.order.clock(waiter.queue, waiter.index)
    for posts in check.order.streams(counter):
        count = posts.before(waiter.queue, waiter.index)
        first = bisect_left(range(count), True, key=lambda nth: _follows(check, posts, nth, event))
        mine = _landing(posts, first, event)
        total += posts.total(count)
        if mine is not None:
            behind, nearest, least = behind + 1, 0, least or 1
        if first < count:
            behind += posts.total(count) - posts.total(first)
            away = posts.indices[first] - event.index if posts.queue == event.queue else 1 << 30
            nearest = min(nearest, away)
            weight = posts.least(first, count)
            least = min(least, weight) if least else weight
        unknown = range(posts.known_count(known), first)
        many += len(unknown) - (mine in unknown)
        some = (posts.indices[nth] for nth in unknown if nth != mine)
        others += [(posts.queue, index) for index in islice(some, FEW)]
    if not behind:
        return None
    return (nearest, many), total - behind + least, tuple(others[:FEW])


def _landing(posts: Posts, first: int, event: Event) -> int | None:
    """Which of the posts that do not follow a landing is that landing itself; None if none is."""
    if posts.queue != event.queue or not posts.kind == LANDS == event.kind:
        return None
    nth = bisect_left(posts.indices, event.index, 0, first)
    return nth if nth < first and posts.indices[nth] == event.index else None


def _follows(check: Check, posts: Posts, nth: int, event: Event) -> bool:
    """Whether a post is made after an event, or is one itself: then so are those after it."""
    if posts.queue == event.queue and event.kind != LANDS:
        index = posts.indices[nth]
        if posts.kind == COMPLETES:
            return index >= event.index
        if event.kind != COMPLETES:
            return index >= event.index
    return check.order.before(event, posts.queue, posts.indices[nth])


# -- who is meant to come first


class Meant(NamedTuple):
    """Who of two should wait for the other one, most likely, and whether it is ``sure``.

    What the text says (``by_text``), which has one line before another, need not be what is meant.
    """

    waiter: ByteAccess
    other: ByteAccess
    sure: bool = False
    by_text: bool = False


def meant(check: Check, first: ByteAccess, second: ByteAccess, filled: bool) -> Meant:
    """Who of two accesses should wait for the other one, most likely.

    ``filled`` says that the bytes had values before the run. A writer waits for the only reader of
    the values that it destroys; else a reader waits for the write whose values nothing else reads.
    """
    if check.starts_after(second, first):
        return Meant(second, first, True)
    if check.starts_after(first, second):
        return Meant(first, second, True)
    if first.writes and second.writes:
        return Meant(second, first)
    reader, writer = (second, first) if first.writes else (first, second)
    before, after, in_place = [], [], False
    others: list[ByteAccess] = []
    for access in _touching(check, writer):
        if access in (reader, writer):
            continue
        if (access.queue, access.index) == (writer.queue, writer.index):
            in_place = True
        elif access.writes:
            others.append(access)
            if check.ordered(access, reader):
                before.append(access)
        elif check.ordered(writer, access):
            after.append(access)
    later = [other for other in others if _later(check, other, writer)]
    after = [one for one in after if not any(check.ordered(other, one) for other in later)]
    if not (before or filled):
        return Meant(reader, writer, True)
    read = [
        access
        for access in _touching(check, writer)
        if not access.writes
        and access != reader
        and check.ordered(access, reader)
        and all(check.ordered(one, access) for one in before)
    ]
    if not (read or in_place):
        return Meant(writer, reader)
    if not after:
        return Meant(reader, writer)
    again = any(a.queue == reader.queue and a.index > reader.index for a in after)
    return Meant(writer, reader) if again else Meant(reader, writer)


def _later(check: Check, one: ByteAccess, other: ByteAccess) -> bool:
    """Whether a write follows another one: in its queue, or in every execution."""
    return check.ordered(other, one) or (one.queue == other.queue and one.index > other.index)


def _touching(check: Check, access: ByteAccess) -> Iterator[ByteAccess]:
    """Everything in the run that has a byte in common with an access."""
    if check.touches is None:
        check.touches = PlaceTouches(check.watch, check.accesses)
    (place,) = check.accesses.places.of((access.region,))
    found: dict[tuple[int, bool, int], tuple[int, PlaceTouch, Region]] = {}
    for near in place.near:
        for one in check.touches.of(near.number):
            key = one.at, one.moves, one.side
            if key not in found or one.rank < found[key][0]:
                found[key] = one.rank, one, near.region
    for key in sorted(found):
        _, one, region = found[key]
        yield ByteAccess(one.queue, one.number, SIDES[one.side], one.moves, region)
