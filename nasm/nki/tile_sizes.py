"""nl.tile_size: the sizes that tiles can have."""

from __future__ import annotations

import math

from nasm.isa.generation import Generation
from nasm.nki.errors import refuse
from nasm.nki.target import default_target
from nasm.nki.tracing import tracing
from nasm.targets import TARGETS
from nasm.views.tensor import Memory

WORD = 4
"""Bytes of a float32, in which AWS gives most sizes."""


class TileSize:
    """Sizes of the generation that a kernel is traced for.

    Outside of a kernel, where modules keep them as constants, that is the default target of
    kernels.
    """

    sbuf_min_align = 1

    @property
    def gemm_stationary_fmax(self) -> int:
        """Columns of a stationary tile at most."""
        return _limit("tile_max")

    @property
    def bn_stats_fmax(self) -> int:
        """Elements of a partition at most of which statistics are made at once."""
        return _limit("stats_max")

    @property
    def pmax(self) -> int:
        """Partitions of a tile at most."""
        return _memory("sbuf").partitions

    @property
    def psum_bank_fmax_bytes(self) -> int:
        """Bytes of a bank of PSUM in each partition."""
        return _memory("psum").bank

    @property
    def psum_bank_fmax(self) -> int:
        """The same as float32 elements."""
        return self.psum_bank_fmax_bytes // WORD

    psum_fmax = psum_bank_fmax

    gemm_moving_fmax = psum_bank_fmax
    """Columns of a moving tile: as many sums as a bank holds, where hardware takes more too."""

    @property
    def psum_min_align(self) -> int:
        """What the address of a tile in PSUM is a multiple of."""
        return _memory("psum").align

    @property
    def psum_num_banks(self) -> int:
        """Banks of PSUM."""
        return _memory("psum").banks

    @property
    def sbuf_fmax_bytes(self) -> int:
        """Bytes of a partition of SBUF."""
        return _memory("sbuf").size

    total_available_sbuf_size = sbuf_fmax_bytes

    @property
    def sbuf_fmax(self) -> int:
        """The same as float32 elements."""
        return self.sbuf_fmax_bytes // WORD

    @property
    def sbuf_size_bytes(self) -> int:
        """Bytes of all partitions of SBUF."""
        return math.prod((self.sbuf_fmax_bytes, self.pmax))


def generation() -> Generation:
    """The generation of the kernel that is being traced, else that of the default target."""
    trace = tracing()
    if trace is not None:
        return trace.builder.generation
    name = default_target()
    found = TARGETS[name]().generation(name) if name in TARGETS else None
    if found is None:
        refuse(f"no target {name!r}", f"for example {', '.join(TARGETS)}")
    return found


def _limit(name: str) -> int:
    return int(generation().numbers[name].value)


def _memory(name: str) -> Memory:
    return generation().memories[name]
