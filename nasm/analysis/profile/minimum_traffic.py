"""How many bytes of outer memory a run had to move: each once, whatever it did."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from nasm.analysis.profile.observers import TouchedMemory
from nasm.views.regions import Region
from nasm.views.tensor import Tensor


def least(touched: TouchedMemory, tensors: Iterable[Tensor]) -> int:
    """Bytes that were read and not made by the run, and bytes that were written and not read back.

    Of a tensor with a role, which is an input or an output, the bytes that were both count twice.
    """
    by_place: dict[str, list[Tensor]] = {}
    for tensor in tensors:
        place = f"{0 if tensor.memory.shared else tensor.core}.{tensor.memory.name}"
        by_place.setdefault(place, []).append(tensor)
    total = 0
    for place, held in by_place.items():
        held.sort(key=lambda tensor: tensor.offset or 0)
        reads = _by_tensor(place, held, touched.reads)
        writes = _by_tensor(place, held, touched.writes)
        for number, tensor in enumerate(held):
            total += _of_tensor(tensor, reads[number], writes[number])
    return total


def _by_tensor(
    place: str, tensors: Sequence[Tensor], regions: Iterable[Region]
) -> list[list[Region]]:
    starts = [tensor.offset or 0 for tensor in tensors]
    found: list[list[Region]] = [[] for _ in tensors]
    for region in regions:
        if region.place == place:
            found[bisect_right(starts, region.low) - 1].append(region)
    return found


def _of_tensor(tensor: Tensor, reads: Sequence[Region], writes: Sequence[Region]) -> int:
    """Count in units of as many bytes as every run of bytes is a multiple of."""
    base, size = tensor.offset or 0, tensor.bytes
    unit = size
    for region in (*reads, *writes):
        unit = gcd(unit, *_lengths(region, base))
    read, written = (_mask(regions, base, size // unit, unit) for regions in (reads, writes))
    both = int(np.count_nonzero(read & written))
    either = int(np.count_nonzero(read | written))
    return unit * (either + (both if tensor.role else -both))


def _lengths(region: Region, base: int) -> Iterable[int]:
    if region.runs:
        for low, high in region.runs:
            yield from (low - base, high - low)
        return
    reach, steps = region.walk()
    yield from (region.low - base, reach)
    yield from (step for step, _ in steps)


def _mask(regions: Sequence[Region], base: int, count: int, unit: int) -> Any:
    """Which units of a tensor some regions touch."""
    mask = np.zeros(count, np.bool_)
    for region in regions:
        for low, high in region.runs:
            mask[(low - base) // unit : (high - base) // unit] = True
        if not region.runs:
            reach, steps = region.walk()
            shape = [n for _, n in reversed(steps)] + [reach // unit]
            strides = [step // unit for step, _ in reversed(steps)] + [1]
            as_strided(mask[(region.low - base) // unit :], shape, strides)[...] = True
    return mask
