"""Seeding the random generators of the vector unit, as a write to the configuration does.

Sources: the page of the vector unit of the public ISA documentation says how a generator steps; how
32 of them are seeded is as the public simulator has it.
"""

from __future__ import annotations

from typing import Final

from nasm.targets.tensix.state import LANES, Coprocessor

_TAPS: Final = 0x80200003


def _stepped(state: int) -> int:
    return state >> 1 | (~(state & _TAPS).bit_count() & 1) << 31


def reseed(core: Coprocessor, value: int) -> None:
    """Seed the generators of all 32 lanes: 32 steps, then two from each lane to the one below."""
    for _ in range(32):
        value = _stepped(value)
    for lane in reversed(range(LANES)):
        value = _stepped(_stepped(value))
        core.vector.random[lane] = value
