"""How a DMA is split over the core's 16 engines, and how long each share takes.

Partition p belongs to engine p // 8 (of dst, if both sides have partitions); between linear
memories each engine moves one of 16 equal runs. Every engine posts, also one that moved nothing.
A transpose that the engines have hardware for keeps all of them busy for as long.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from nasm.spec.cut import run_length
from nasm.spec.effects import SUM, Plan, Share, Transfer
from nasm.spec.generation import Generation
from nasm.spec.view import View

PARTITIONS_PER_ENGINE = 8
"""NKI DMA overview; the default the guides draw for tiles that start at partition 0."""

DESCRIPTOR_BYTES = 65536
"""The length field of a descriptor has 16 bits, 0 meaning 64 KiB (Neuron driver, udma)."""

TRANSPOSE_TILE = (128, 16)
"""Partitions and elements that the engines write together when they transpose (Trainium2 guide,
'DMA Transpose'); smaller tiles take the time of a whole one (assumed)."""

Range = tuple[int, int, int]


def plan(transfer: Transfer, generation: Generation, engine: str) -> Plan:
    """Split a transfer into shares, one per DMA engine."""
    ring, priority = transfer.option("queue"), transfer.option("priority")
    least = max(0, generation.priorities - 1)
    return Plan(
        _shares(tuple(_shape(transfer, views, generation) for views in transfer.moves), generation),
        ring if isinstance(ring, int) else 0,
        _ticks(generation, generation.number("dma_dispatch_ns").value),
        _ticks(generation, generation.number("dma_notify_ns").value),
        priority if isinstance(priority, int) else least,
    )


class Shape(NamedTuple):
    """What the split of one move depends on: its size, and the partitions that decide.

    ``width`` is the bytes that an element takes of a DMA engine's rate, ``run`` the elements of
    a descriptor, ``together`` the bytes that every engine is busy for, whatever it moves.
    """

    elements: int
    itemsize: int
    width: float
    run: int
    first: int
    partitions: int
    step: int
    together: float


def _shape(transfer: Transfer, views: tuple[View, ...], generation: Generation) -> Shape:
    dst, *srcs = views
    guide = next((v for v in views if v.partitioned), dst)
    first, count, step = 0, 0, 0
    if guide.partitioned:
        first = (guide.tensor.partition or 0) + guide.partition
        count, step = guide.shape[0], guide.steps[0]
    width: float = max(v.dtype.itemsize for v in views)
    run = min(run_length(v) for v in views)
    together = 0.0
    if transfer.op == SUM:
        width *= max(1.0, len(srcs) / 2) / generation.number("dma_sum_rate").value
    if transfer.axes:
        run = 1
        if generation.switches["dma_transpose"]:
            together = _transposed(dst, srcs[0], generation)
    run = min(run, DESCRIPTOR_BYTES // dst.dtype.itemsize)
    return Shape(dst.size, dst.dtype.itemsize, width, run, first, count, step, together)


def _transposed(dst: View, src: View, generation: Generation) -> float:
    """The bytes whose time a transpose takes of each engine."""
    where = src.tensor.memory.name
    rate = generation.number(f"dma_transpose_{where}_rate").value
    rows, columns = TRANSPOSE_TILE
    across = math.ceil(dst.shape[0] / rows) * rows
    along = math.ceil(dst.shape[-1] / columns) * columns
    middle = dst.size // (dst.shape[0] * dst.shape[-1])
    return across * middle * along * dst.dtype.itemsize / rate / generation.channels


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
    busy, moved, descriptors = sum(shape.together for shape in shapes) / rate, 0, 0
    for number, begin, end in ranges:
        shape = shapes[number]
        count = end - begin
        moved += count * shape.itemsize
        pieces = math.ceil(count / shape.run)
        descriptors += pieces
        if not shape.together:
            busy += max(pieces * least, count * shape.width / rate)
    return Share(
        channel,
        ranges,
        _ticks(generation, busy),
        _ticks(generation, max(payload, busy)),
        moved,
        descriptors,
    )
