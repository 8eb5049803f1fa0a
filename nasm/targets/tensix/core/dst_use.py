"""Which blocks of Dst an instruction of the matrix unit reads and writes, before it starts."""

from __future__ import annotations

from typing import Final, NamedTuple

from nasm.targets.tensix.matrix.arithmetic import dst_row
from nasm.targets.tensix.matrix.facts import DstRows
from nasm.targets.tensix.matrix.src import wide_dst
from nasm.targets.tensix.matrix.timing import dst_blocks
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words.word import Fields

Blocks = frozenset[int]
_NONE: Final[Blocks] = frozenset()


class DstUse(NamedTuple):
    """Aligned blocks of eight rows of 16 bits, by number."""

    reads: Blocks
    writes: Blocks


def dst_use(core: Coprocessor, thread: int, used: DstRows, fields: Fields) -> DstUse:
    """What an instruction uses that declares rows of Dst, with the counters as they are now."""
    count = used.count(fields)
    row = dst_row(core, thread, fields["DstRow"]) & -count
    blocks = dst_blocks(row, count, wide_dst(core, thread), core.matrix.order)
    return DstUse(blocks if used.reads(fields) else _NONE, blocks if used.writes else _NONE)
