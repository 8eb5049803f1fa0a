"""How a DMA is split over the core's 16 engines, and how long each share takes.

Partition p belongs to engine p // 8 (of dst, if both sides have partitions); between two linear
memories each engine moves one of 16 equal runs. Every engine posts, also one that moved nothing.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from nasm.spec.cut import run_length
from nasm.spec.effects import Move, Share, Transfer
from nasm.spec.target import Generation
from nasm.spec.view import View

PARTITIONS_PER_ENGINE = 8
"""NKI DMA overview; the default the guides draw for tiles that start at partition 0."""

Range = tuple[int, int, int]


def plan(move: Move, generation: Generation, engine: str) -> Transfer:
    """Split a move into shares, one per DMA engine."""
    ring = move.option("queue")
    return Transfer(
        _shares(tuple(_shape(dst, src) for dst, src in move.moves), generation),
        ring if isinstance(ring, int) else 0,
        _ticks(generation, generation.number("dma_dispatch_ns").value),
        _ticks(generation, generation.number("dma_notify_ns").value),
    )


class Shape(NamedTuple):
    """What the split of one pair depends on: its size, and the partitions that decide."""

    elements: int
    itemsize: int
    run: int
    first: int
    partitions: int
    step: int


def _shape(dst: View, src: View) -> Shape:
    guide = dst if dst.partitioned else src
    first, count, step = 0, 0, 0
    if guide.partitioned:
        first = (guide.tensor.partition or 0) + guide.partition
        count, step = guide.shape[0], guide.steps[0]
    run = min(run_length(dst), run_length(src))
    return Shape(dst.size, dst.dtype.itemsize, run, first, count, step)


@lru_cache(maxsize=256)
def _shares(shapes: tuple[Shape, ...], generation: Generation) -> tuple[Share, ...]:
    """The shares of all channels; programs move tiles of a few shapes over and over."""
    ranges: list[list[Range]] = [[] for _ in range(generation.channels)]
    for number, shape in enumerate(shapes):
        for channel, begin, end in _split(shape, generation.channels):
            ranges[channel].append((number, begin, end))
    return tuple(_share(n, tuple(r), shapes, generation) for n, r in enumerate(ranges))


def _ticks(generation: Generation, nanoseconds: float) -> int:
    return math.ceil(nanoseconds * generation.ticks / 1000)


def _split(shape: Shape, channels: int) -> list[tuple[int, int, int]]:
    """The elements each channel moves, as (channel, begin, end)."""
    size = shape.elements
    if not shape.partitions:
        cuts = [(n, size * n // channels, size * (n + 1) // channels) for n in range(channels)]
        return [cut for cut in cuts if cut[1] < cut[2]]
    each = size // shape.partitions
    return [(n, a * each, b * each) for n, a, b in _by_partition(shape, channels)]


def _by_partition(shape: Shape, channels: int) -> list[tuple[int, int, int]]:
    """Runs of partitions that fall to one channel, as (channel, first, end)."""
    owners = [
        (shape.first + shape.step * i) // PARTITIONS_PER_ENGINE % channels
        for i in range(shape.partitions)
    ]
    runs = []
    begin = 0
    for i in range(1, len(owners) + 1):
        if i == len(owners) or owners[i] != owners[begin]:
            runs.append((owners[begin], begin, i))
            begin = i
    return runs


def _share(
    channel: int, ranges: tuple[Range, ...], shapes: tuple[Shape, ...], generation: Generation
) -> Share:
    rate = generation.number("dma_bytes_per_ns").value
    least = generation.number("dma_descriptor_ns").value
    payload = generation.number("dma_payload_ns").value
    busy, moved = 0.0, 0
    for number, begin, end in ranges:
        shape = shapes[number]
        size = (end - begin) * shape.itemsize
        moved += size
        busy += max(math.ceil((end - begin) / shape.run) * least, size / rate)
    return Share(
        channel, ranges, _ticks(generation, busy), _ticks(generation, max(payload, busy)), moved
    )
