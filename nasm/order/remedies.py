"""What would bring two accesses into order: who has to wait, for which counter to reach what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nasm.order.accesses import READ, ByteAccess
from nasm.order.check import Check
from nasm.order.places import Place
from nasm.order.posts import Posts
from nasm.order.skeleton import COMPLETES, LANDS, CounterWait, Event

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
    total, behind, least, nearest = 0, 0, 0, 1 << 60
    others: list[tuple[int, int]] = []
    known = check.order.clock(waiter.queue, waiter.index)
    for posts in check.order.streams(counter):
        for nth in range(posts.before(waiter.queue, waiter.index)):
            weight = posts.totals[nth] - posts.total(nth)
            total += weight
            mine = posts.queue == event.queue and posts.indices[nth] == event.index
            if mine and posts.kind == LANDS == event.kind:
                behind, nearest, least = behind + 1, 0, least or 1
            elif _follows(check, posts, nth, event):
                behind += weight
                away = posts.indices[nth] - event.index if posts.queue == event.queue else 1 << 30
                nearest = min(nearest, away)
                least = min(least, weight) if least else weight
            elif not posts.known(known, nth):
                others.append((posts.queue, posts.indices[nth]))
    if not behind:
        return None
    return (nearest, len(others)), total - behind + least, tuple(others[:FEW])


def _follows(check: Check, posts: Posts, nth: int, event: Event) -> bool:
    """Whether a post is made after an event, or is one itself."""
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
    (place,) = check.accesses.places.of((access.region,))
    near = set(map(id, place.near))
    at = [0] * check.order.queues
    for queue in check.watch.queues:
        index = at[queue]
        at[queue] = index + 1
        work = check.watch.works[queue][index]
        yield from _of(check, near, queue, index, work.number, work.reads, work.writes, False)
        moved = check.watch.moved[queue].get(index)
        if moved is not None:
            pattern, moves = moved.pattern, True
            yield from _of(check, near, queue, index, pattern, moved.reads, moved.writes, moves)


def _of(
    check: Check,
    near: set[int],
    queue: int,
    index: int,
    number: int,
    reads: tuple,  # type: ignore[type-arg]
    writes: tuple,  # type: ignore[type-arg]
    moves: bool,
) -> Iterator[ByteAccess]:
    sides: tuple[tuple[Place, ...], ...] = check.accesses.touched(number, reads, writes)
    for places, kind in zip(sides, (READ, "write"), strict=True):
        for place in places:
            if id(place) in near:
                yield ByteAccess(queue, index, kind, moves, place.region)
                break
