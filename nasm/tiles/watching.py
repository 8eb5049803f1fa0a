"""What groups have kept to judge the order of a run, put together as one machine would keep it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from nasm.machine.group_packets import FlightName
from nasm.order.observer import TransferTouches
from nasm.order.skeleton import Event, Stream
from nasm.order.tile_watch import TileWatch
from nasm.sim.queues import Queue, Work
from nasm.views.regions import Region


class TouchedWork(NamedTuple):
    """What an instruction touches: a ``Work`` without what it does."""

    number: int
    reads: tuple[Region, ...]
    writes: tuple[Region, ...]
    reads_on: bool
    uses: tuple[str, ...]
    sets: tuple[str, ...]
    clears: range


class WatchedQueue(NamedTuple):
    """The instructions of a queue: their works as numbers of ``works``, and the columns."""

    works: Sequence[TouchedWork]
    which: Sequence[int]
    pcs: array[int]
    begins: array[int]
    ends: array[int]
    moved: Mapping[int, TransferTouches]


class GroupWatched(NamedTuple):
    """What one group has kept; ``names`` are those of its flights by their numbers."""

    queues: Mapping[int, WatchedQueue]
    signals: Sequence[tuple[int, int, int]]
    follows: Sequence[tuple[int, int, Event]]
    reads: Mapping[tuple[int, int], list[tuple[int, int, int]]]
    writes: Mapping[tuple[int, int], list[tuple[int, int, int]]]
    names: Mapping[int, FlightName]
    streams: Mapping[Stream, None]
    touching: Mapping[tuple[int, int], str]


def watched_of(
    watch: TileWatch, own: Sequence[Queue], names: Mapping[int, FlightName]
) -> GroupWatched:
    """What a group has kept of its own queues."""
    queues = {}
    for queue in own:
        numbers: dict[int, int] = {}
        works: list[TouchedWork] = []
        which = array("i")
        for work in watch.works[queue.index]:
            at = numbers.setdefault(id(work), len(works))
            if at == len(works):
                works.append(_touched(work))
            which.append(at)
        columns = watch.columns(queue.index)
        queues[queue.index] = WatchedQueue(works, which, *columns, watch.moved[queue.index])
    return GroupWatched(
        queues, watch.signals, watch.follows, watch.reads, watch.writes, names, watch.streams,
        watch.touching,
    )  # fmt: skip


def _touched(work: Work) -> TouchedWork:
    return TouchedWork(
        work.number, work.reads, work.writes, work.reads_on, work.uses, work.sets, work.clears
    )


def put_together(
    watch: TileWatch, found: Sequence[GroupWatched], numbers: Mapping[FlightName, int]
) -> None:
    """Let a watch, which has heard of starts and landings in order, have the rest.

    ``numbers`` are those of flights among all groups'.
    """
    count = len(found)
    for group, one in enumerate(found):
        for queue, held in one.queues.items():
            works = [_work(work, group, count) for work in held.works]
            watch.works[queue] += [works[n] for n in held.which]
            for column, values in zip(watch.columns(queue), held[2:5], strict=True):
                column.extend(values)
            for index, moved in held.moved.items():
                number, pattern = numbers[one.names[moved.number]], moved.pattern * count - group
                watch.moved[queue][index] = moved._replace(number=number, pattern=pattern)
        watch.follows += one.follows
        watch.reads |= one.reads
        watch.writes |= one.writes
        watch.streams |= one.streams
        watch.touching |= one.touching
    signals = [signal for one in found for signal in one.signals]
    watch.signals += sorted(signals, key=lambda s: (watch.begins[s[0]][s[1]], s[0]))


def _work(touched: TouchedWork, group: int, count: int) -> Work:
    """Work that touches the same, and does nothing; its number is unlike those of other groups."""
    number, reads, writes, reads_on, uses, sets, clears = touched
    return Work(
        number * count + group if number >= 0 else number,
        _nothing,
        _nothing,
        reads,
        writes,
        reads_on=reads_on,
        uses=uses,
        sets=sets,
        clears=clears,
    )


def _nothing(_: Any) -> None:
    """What was done is done."""
