"""How a DMA is split over the core's 16 engines, and how long each share takes.

Partition p belongs to engine p // 8 (of dst, if both sides have partitions); between two linear
memories each engine moves one of 16 equal runs. Every engine posts, also one that moved nothing.
"""

from __future__ import annotations

import math

from nasm.spec.effects import Move, Share, Transfer
from nasm.spec.target import Generation
from nasm.spec.view import View

PARTITIONS_PER_ENGINE = 8
"""NKI DMA overview; the default the guides draw for tiles that start at partition 0."""


def plan(move: Move, generation: Generation, engine: str) -> Transfer:
    """Split a move into shares, one per DMA engine."""
    moves: list[list[Pair]] = [[] for _ in range(generation.channels)]
    for dst, src in move.moves:
        for channel, pair in _split(dst, src, generation.channels):
            moves[channel].append(pair)
    ring = move.option("queue")
    return Transfer(
        tuple(_share(n, tuple(pairs), generation) for n, pairs in enumerate(moves)),
        ring if isinstance(ring, int) else 0,
        _ticks(generation, generation.number("dma_dispatch_ns").value),
        _ticks(generation, generation.number("dma_notify_ns").value),
    )


def _ticks(generation: Generation, nanoseconds: float) -> int:
    return math.ceil(nanoseconds * generation.ticks / 1000)


Pair = tuple[View, View]


def _split(dst: View, src: View, channels: int) -> list[tuple[int, Pair]]:
    """The pairs each channel moves, as (channel, pair)."""
    guide = dst if dst.partitioned else src
    size = dst.size
    if not guide.partitioned:
        cuts = [(n, size * n // channels, size * (n + 1) // channels) for n in range(channels)]
    else:
        each = size // guide.shape[0]
        cuts = [(n, a * each, b * each) for n, a, b in _by_partition(guide, channels)]
    return [(n, pair) for n, begin, end in cuts for pair in _pieces(dst, src, begin, end)]


def _by_partition(view: View, channels: int) -> list[tuple[int, int, int]]:
    """Runs of a view's axis 0 that fall to one channel, as (channel, first, end)."""
    first = (view.tensor.partition or 0) + view.partition
    owners = [
        (first + view.steps[0] * i) // PARTITIONS_PER_ENGINE % channels
        for i in range(view.shape[0])
    ]
    runs = []
    begin = 0
    for i in range(1, len(owners) + 1):
        if i == len(owners) or owners[i] != owners[begin]:
            runs.append((owners[begin], begin, i))
            begin = i
    return runs


def _pieces(dst: View, src: View, begin: int, end: int) -> list[Pair]:
    """Elements [begin, end) of both sides, in as few pieces as their patterns allow."""
    pieces = []
    while begin < end:
        stop = end
        while True:
            shorter = min(_reach(dst, begin, stop), _reach(src, begin, stop))
            if shorter == stop:
                break
            stop = shorter
        pieces.append((_run(dst, begin, stop), _run(src, begin, stop)))
        begin = stop
    return pieces


def _reach(view: View, begin: int, end: int) -> int:
    """How far from ``begin`` one access pattern can walk the view in row-major order."""
    inner = view.size // view.shape[0]
    if begin % inner == 0 and end - begin >= inner:
        return begin + (end - begin) // inner * inner
    row = begin // inner
    stop = min(end, (row + 1) * inner) - row * inner
    return row * inner + _reach(view.index([row]), begin % inner, stop)


def _run(view: View, begin: int, end: int) -> View:
    """Elements [begin, end) of a view, which one pattern can walk."""
    if begin == 0 and end == view.size:
        return view
    inner = view.size // view.shape[0]
    if begin % inner == 0 and end % inner == 0:
        return view.index([slice(begin // inner, end // inner)])
    row = begin // inner
    return _run(view.index([row]), begin - row * inner, end - row * inner)


def _share(channel: int, moves: tuple[Pair, ...], generation: Generation) -> Share:
    moved = sum(dst.size * dst.dtype.itemsize for dst, _ in moves)
    rate = generation.number("dma_bytes_per_ns").value
    least = generation.number("dma_descriptor_ns").value
    payload = generation.number("dma_payload_ns").value
    busy = sum(
        max(descriptors(dst, src) * least, dst.size * dst.dtype.itemsize / rate)
        for dst, src in moves
    )
    return Share(
        channel, moves, _ticks(generation, busy), _ticks(generation, max(payload, busy)), moved
    )


def descriptors(dst: View, src: View) -> int:
    """Contiguous byte runs a share moves: the larger number of the two sides."""
    return max(_contiguous_runs(dst), _contiguous_runs(src))


def _contiguous_runs(view: View) -> int:
    dims = view.dims
    run_length = dims[-1][1] if dims and dims[-1][0] == 1 else 1
    return view.size // run_length
