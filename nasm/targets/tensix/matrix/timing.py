"""How long the matrix unit, unpackers and packers take: figures of the documents, in cycles.

Sources: Dst.md (Instruction scheduling), UNPACR_Regular.md (Performance), and of packers the notes
on L1. Rows of the matrix unit declare theirs. Nothing here was measured by us.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from nasm.targets.tensix.matrix.dst import LOW_HALF, adjusted
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT
from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.scalar.dst_order import placed16

DST_STALL: Final = 4
"""Cycles for which an aligned block of 8 rows of Dst that was just written cannot be read."""


def cycles_blocked(earlier: str, later: str) -> int:
    """Cycles after ``earlier`` started in which the matrix unit does not take ``later``.

    1 is the next cycle; 0 if it may follow at once. What depends on rows of Dst comes on top.
    """
    before = MATRIX_UNIT.get(earlier)
    return 0 if before is None else before.holds(MATRIX_UNIT[later])


@cache
def longest() -> int:
    """Cycles that an instruction of the matrix unit takes at most."""
    return max(facts.timing.latency for facts in MATRIX_UNIT.values() if facts.timing)


@lru_cache(maxsize=1 << 12)
def dst_blocks(row: int, count: int, wide: bool, order: int = 0) -> frozenset[int]:
    """The aligned blocks of 8 rows of 16 bits that rows of Dst are in, by number."""
    numbers = range(row, row + count)
    if wide:
        rows = [int(adjusted(r, order)) for r in numbers]
    else:
        rows = [int(placed16(r & 0x3FF, order)) for r in numbers]
    return frozenset(r // 8 for r in rows) | frozenset((r + LOW_HALF) // 8 for r in rows if wide)


ADDRESS_CYCLES: Final = 2
"""Before an unpacker reads: its thread, and every unpack of others, waits for them."""

SPEEDS: Final = (1, 2, 4)
"""By Throttle_mode, in 16 bytes a cycle."""

_CONTENTION: Final[Mapping[tuple[int, int], tuple[int, int]]] = {
    (1, 1): (1, 1), (2, 1): (2, 1), (4, 1): (4, 1),
    (1, 2): (1, 2), (2, 2): (1, 1), (4, 2): (2, 1),
    (1, 4): (1, 4), (2, 4): (1, 2), (4, 4): (2, 2),
}  # fmt: skip
"""What unpackers 0 and 1 get of what they want, both at once."""


def wanted_speed(
    throttle: int, source: Format, *, tilized: bool, to_dst: bool, upsampling: int = 0
) -> int:
    """The speed that an unpacker wants, in 16 bytes a cycle: x1, x2 or x4.

    ``upsampling`` is the number of zeros after each number: 0, 1, 3 or 7.
    """
    if tilized:
        return 4
    if upsampling >= 3 or source in (Format.BFP2, Format.BFP2A):
        return 1
    most = 2 if upsampling or (to_dst and source in (Format.BFP4, Format.BFP4A)) else 4
    return min(SPEEDS[min(throttle, 2)], most)


def shared_speed(first: int, second: int) -> tuple[int, int]:
    """What unpackers 0 and 1 get if they want these speeds at once."""
    return _CONTENTION[first, second]


def pack_cycles(bytes_written: int, *, accumulates: bool = False, atomic: bool = False) -> int:
    """Cycles in which a packer writes bytes to L1: 16 a cycle, in 2 if it adds, in 5 if atomic."""
    return -(-bytes_written // 16) * (5 if atomic else 2 if accumulates else 1)
