"""How long the matrix unit, unpackers and packers take: figures of the documents, in cycles.

Sources: MatrixUnit.md, Dst.md (Instruction scheduling), the pages of the moves, UNPACR_Regular.md
(Performance), and of packers the notes on L1. Nothing here was measured by us.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from nasm.targets.tensix.matrix.dst import LOW_HALF, adjusted
from nasm.targets.tensix.matrix.formats import Format


@dataclass(frozen=True, slots=True)
class Timing:
    """Cycles until the unit takes the next instruction, and until the result is there."""

    interval: int
    latency: int
    source: str


def _all(names: str, interval: int, latency: int, source: str) -> dict[str, Timing]:
    return dict.fromkeys(names.split(), Timing(interval, latency, f"ISA documentation, {source}"))


MATRIX_UNIT: Final[Mapping[str, Timing]] = {
    **_all("MVMUL DOTPV GAPOOL GMPOOL ELWMUL ELWADD ELWSUB", 1, 5, "MatrixUnit"),
    **_all("SETRWC INCRWC CLEARDVALID CLREXPHIST GATESRCRST", 1, 1, "MatrixUnit"),
    **_all("SHIFTXA ZEROACC ZEROSRC TRNSPSRCB", 1, 1, "MatrixUnit"),
    **_all("SHIFTXB", 2, 2, "MatrixUnit, SHIFTXB"),
    **_all("MOVD2A", 1, 2, "MatrixUnit, MOVD2A"),
    **_all("MOVA2D MOVDBGA2D MOVB2D MOVB2A", 1, 4, "MatrixUnit, MOVA2D"),
    **_all("MOVD2B", 1, 4, "MOVD2B"),
}
"""By mnemonic. MOVD2B has no latency of its own in the documents: the three cycles in which nothing
else is accepted make it four."""

DST_STALL: Final = 4
"""Cycles for which an aligned block of 8 rows of Dst that was just written cannot be read."""

_AFTER_MOVE_TO_DST = frozenset(
    [
        "MOVD2A",
        "MOVD2B",
        "ELWMUL",
        "MVMUL",
        "DOTPV",
        "GMPOOL",
        "GAPOOL",
        "MFCONV3S1",
        "CONV3S1",
        "MPOOL3S1",
        "APOOL3S1",
        "CONV3S2",
        "MPOOL3S2",
        "APOOL3S2",
    ]
)
"""What waits behind MOVA2D, MOVDBGA2D and MOVB2D, wherever in Dst it reads."""


def held_after(earlier: str, later: str) -> int:
    """Cycles after ``earlier`` started in which the matrix unit does not take ``later``.

    1 is the next cycle; 0 if it may come right behind. What depends on rows of Dst is
    ``dst_ready``.
    """
    if earlier == "SHIFTXB":
        return 1
    if earlier == "MOVD2A":
        return 0 if later in ("MOVD2A", "MOVB2A") else 1
    if earlier == "MOVD2B":
        return 0 if later == "MOVD2B" else 3
    if earlier in ("MOVA2D", "MOVDBGA2D", "MOVB2D"):
        return 3 if later in _AFTER_MOVE_TO_DST else 0
    return 0


@lru_cache(maxsize=1 << 12)
def dst_blocks(row: int, count: int, wide: bool) -> frozenset[int]:
    """The aligned blocks of 8 rows of 16 bits that rows of Dst are in, by number."""
    rows = [int(adjusted(r)) if wide else r & 0x3FF for r in range(row, row + count)]
    return frozenset(r // 8 for r in rows) | frozenset((r + LOW_HALF) // 8 for r in rows if wide)


def dst_ready(written: Mapping[int, int], blocks: frozenset[int]) -> int:
    """The first cycle in which blocks can be read, by the cycle in which each was last written."""
    return max((written[b] + DST_STALL + 1 for b in blocks if b in written), default=0)


ADDRESS_CYCLES: Final = 2
"""Before an unpacker reads: its thread, and every UNPACR of others, waits for them."""

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

    ``upsampling`` is the number of zeros behind each number: 0, 1, 3 or 7.
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


def unpack_cycles(bytes_read: int, speed: int) -> int:
    """Cycles in which an unpacker reads bytes of L1 at a speed, behind ``ADDRESS_CYCLES``."""
    return -(-bytes_read // (16 * speed))


def pack_cycles(bytes_written: int, *, accumulates: bool = False, atomic: bool = False) -> int:
    """Cycles in which a packer writes bytes to L1: 16 a cycle, in 2 if it adds, in 5 if atomic."""
    return -(-bytes_written // 16) * (5 if atomic else 2 if accumulates else 1)


def matrix_flops(rows: int = 8) -> int:
    """Operations of one MVMUL: of 8 rows, 4096."""
    return rows * 16 * 16 * 2
