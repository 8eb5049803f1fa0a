"""How a DMA is split over the core's 16 engines, and how long each share takes.

Partition p belongs to engine p // 8 (of dst, if both sides have partitions); between linear
memories each engine moves one of 16 equal runs. Every engine posts, also one that moved nothing.
A transpose that the engines have hardware for keeps all of them busy for as long.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

from nasm.isa.effects import SUM, Plan, Share, Transfer
from nasm.isa.generation import Generation
from nasm.targets.neuron import dge
from nasm.views.pattern_runs import run_length
from nasm.views.view import View

PARTITIONS_PER_ENGINE = 8
"""NKI DMA overview; the default the guides draw for tiles that start at partition 0."""

DESCRIPTOR_BYTES = 65536
"""The length field of a descriptor has 16 bits, 0 meaning 64 KiB (Neuron driver, udma)."""

TRANSPOSE_TILE = (128, 16)
"""Partitions and elements that the engines write together when they transpose (Trainium2 guide,
'DMA Transpose'); smaller tiles take the time of a whole one (assumed)."""

MAKER = "descriptors"
"""What of a core makes descriptors for GpSimd, apart from its instructions."""

RATES = ("dma_bytes_per_ns", "dma_descriptor_ns")
LOADED = ("dma_load_payload_ns", "dma_load_spread")
STORED = ("dma_store_payload_ns", "dma_store_part")
"""The figures that the time of a share depends on."""

Range = tuple[int, int, int]


def plan(transfer: Transfer, generation: Generation, engine: str) -> Plan:
    """Split a transfer into shares, one per DMA engine."""
    options = dict(transfer.options)
    ring, priority = options.get("queue"), options.get("priority")
    least = max(0, generation.priorities - 1)
    return _planned(
        _shapes(transfer, generation),
        all(dst.partitioned for dst, *_ in transfer.moves),
        any(view.tensor.memory.shared for views in transfer.moves for view in views),
        ring if isinstance(ring, int) else 0,
        priority if isinstance(priority, int) else least,
        _made(transfer, options, generation, engine),
        generation,
    )


def engines(transfer: Transfer, generation: Generation) -> int:
    """How many DMA engines have something to do."""
    return _busy(_shapes(transfer, generation), generation.channels)


def _made(
    transfer: Transfer, options: dict[str, object], generation: Generation, engine: str
) -> str:
    """The figure for the time that GpSimd makes descriptors; empty if it makes none."""
    if "dge_mode" not in options:
        return ""
    views = [view for move in transfer.moves for view in move]
    given = options["dge_mode"]
    used = dge.mode(generation, engine, views, given if isinstance(given, str) else None)
    if used != "swdge":
        return ""
    rows = any(view.gathers for view in views)
    return "dma_row_descriptors_ns" if rows else "dma_descriptors_ns"


@lru_cache(maxsize=1024)
def _planned(
    shapes: tuple[SplitShape, ...],
    load: bool,
    shared: bool,
    ring: int,
    urgency: int,
    made: str,
    generation: Generation,
) -> Plan:
    """The plan of all transfers of a shape; programs move tiles of a few shapes over and over."""
    way = "load" if load else "store"

    def ticks(figure: str) -> int:
        return _ticks(generation, generation.numbers[figure].value)

    shares = _shares(shapes, load, generation)
    return Plan(
        shares,
        ring,
        ticks(f"dma_{way}_dispatch_ns"),
        ticks(f"dma_{way}_notify_ns"),
        urgency,
        MAKER if made else "",
        ticks(made) if made else 0,
        shared,
        sum(share.descriptors for share in shares),
        (
            ("dispatch", (f"dma_{way}_dispatch_ns",)),
            ("shares", (*RATES, *(LOADED if load else STORED))),
            ("notification", (f"dma_{way}_notify_ns",)),
            ("descriptors", (made,)),
        ),
    )


class SplitShape(NamedTuple):
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


def _shapes(transfer: Transfer, generation: Generation) -> tuple[SplitShape, ...]:
    return tuple(_shape(transfer, views, generation) for views in transfer.moves)


def _shape(transfer: Transfer, views: tuple[View, ...], generation: Generation) -> SplitShape:
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
        width *= max(1.0, len(srcs) / 2) / generation.numbers["dma_sum_rate"].value
    if transfer.axes:
        run = 1
        if generation.switches["dma_transpose"]:
            together = _transposed(dst, srcs[0], generation)
    run = min(run, DESCRIPTOR_BYTES // dst.dtype.itemsize)
    return SplitShape(dst.size, dst.dtype.itemsize, width, run, first, count, step, together)


def _transposed(dst: View, src: View, generation: Generation) -> float:
    """The bytes whose time a transpose takes of each engine."""
    where = src.tensor.memory.name
    rate = generation.numbers[f"dma_transpose_{where}_rate"].value
    rows, columns = TRANSPOSE_TILE
    across = math.ceil(dst.shape[0] / rows) * rows
    along = math.ceil(dst.shape[-1] / columns) * columns
    middle = dst.size // (dst.shape[0] * dst.shape[-1])
    return across * middle * along * dst.dtype.itemsize / rate / generation.channels


def _shares(
    shapes: tuple[SplitShape, ...], load: bool, generation: Generation
) -> tuple[Share, ...]:
    """The shares of all channels."""
    ranges: list[list[Range]] = [[] for _ in range(generation.channels)]
    for number, shape in enumerate(shapes):
        for channel, begin, end in _split(shape, generation.channels):
            ranges[channel].append((number, begin, end))
    part = _busy(shapes, generation.channels) / generation.channels if generation.channels else 0
    return tuple(_share(n, tuple(r), shapes, load, part, generation) for n, r in enumerate(ranges))


@lru_cache(maxsize=1024)
def _busy(shapes: tuple[SplitShape, ...], channels: int) -> int:
    """How many channels have something to do."""
    if any(shape.together for shape in shapes):
        return channels
    return len({channel for shape in shapes for channel, _, _ in _split(shape, channels)})


def _ticks(generation: Generation, nanoseconds: float) -> int:
    return math.ceil(nanoseconds * generation.ticks / 1000)


def _split(shape: SplitShape, channels: int) -> list[tuple[int, int, int]]:
    """The elements each channel moves, as (channel, begin, end)."""
    size = shape.elements
    if not shape.partitions:
        cuts = [(n, size * n // channels, size * (n + 1) // channels) for n in range(channels)]
        return [cut for cut in cuts if cut[1] < cut[2]]
    each = size // shape.partitions
    return [(n, a * each, b * each) for n, a, b in _by_partition(shape, channels)]


def _by_partition(shape: SplitShape, channels: int) -> list[tuple[int, int, int]]:
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
    channel: int,
    ranges: tuple[Range, ...],
    shapes: tuple[SplitShape, ...],
    load: bool,
    part: float,
    generation: Generation,
) -> Share:
    """One channel's share; ``part`` is that of the channels that have something to do."""
    rate = generation.numbers["dma_bytes_per_ns"].value
    least = generation.numbers["dma_descriptor_ns"].value
    busy, moved = math.fsum(shape.together for shape in shapes) / rate, 0
    packets, descriptors = 0, 0
    for number, begin, end in ranges:
        shape = shapes[number]
        count = end - begin
        moved += count * shape.itemsize
        packets += _packets(count, shape, generation)
        pieces = math.ceil(count / shape.run)
        descriptors += pieces
        if not shape.together:
            busy += max(pieces * least, count * shape.width / rate)
    latency = _latency(busy, load, part, generation)
    return Share(
        channel,
        ranges,
        _ticks(generation, busy),
        _ticks(generation, max(latency, busy)),
        moved,
        max(1, packets),
        descriptors,
    )


def _latency(busy: float, load: bool, part: float, generation: Generation) -> float:
    """From the start of a share to its landing, if nothing holds it up."""

    def number(figure: str) -> float:
        return generation.numbers[figure].value

    if load:
        return number("dma_load_payload_ns") + busy * (1 + number("dma_load_spread") * part)
    return number("dma_store_payload_ns") + busy * number("dma_store_part")


def _packets(count: int, shape: SplitShape, generation: Generation) -> int:
    """Packets of so many elements: whole descriptors, or equal parts of one that is longer."""
    most = max(1, int(generation.numbers["dma_packet_bytes"].value))
    size = shape.run * shape.itemsize
    if size >= most:
        return math.ceil(count * shape.itemsize / most)
    return math.ceil(math.ceil(count / shape.run) / (most // size))
