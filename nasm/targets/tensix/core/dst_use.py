"""Which blocks of Dst an instruction of the matrix unit reads and writes, before it starts."""

from __future__ import annotations

from typing import Final, NamedTuple

from nasm.targets.tensix.core.fields import Fields
from nasm.targets.tensix.matrix.arithmetic import dst_row
from nasm.targets.tensix.matrix.src import wide_dst
from nasm.targets.tensix.matrix.timing import dst_blocks
from nasm.targets.tensix.state import Coprocessor

Blocks = frozenset[int]
_NONE: Final[Blocks] = frozenset()

_ACCUMULATES: Final = frozenset({"MVMUL", "DOTPV", "ELWMUL", "GMPOOL", "GAPOOL"})
_SUMS: Final = frozenset({"ELWADD", "ELWSUB"})
_OUT: Final = frozenset({"MOVD2A", "MOVD2B"})
_IN: Final = frozenset({"MOVA2D", "MOVDBGA2D", "MOVB2D"})
USING: Final = _ACCUMULATES | _SUMS | _OUT | _IN
"""Instructions that read or write rows of Dst."""


class DstUse(NamedTuple):
    """Aligned blocks of eight rows of 16 bits, by number."""

    reads: Blocks
    writes: Blocks


def dst_use(core: Coprocessor, thread: int, mnemonic: str, fields: Fields) -> DstUse:
    """What an instruction of ``USING`` uses, with the counters as they are now."""
    count = _rows(mnemonic, fields)
    row = dst_row(core, thread, fields["DstRow"]) & -count
    blocks = dst_blocks(row, count, wide_dst(core, thread))
    reads = mnemonic in _ACCUMULATES or mnemonic in _OUT
    reads = reads or (mnemonic in _SUMS and bool(fields["AddDst"]))
    return DstUse(blocks if reads else _NONE, _NONE if mnemonic in _OUT else blocks)


def _rows(mnemonic: str, fields: Fields) -> int:
    if mnemonic in ("GMPOOL", "GAPOOL"):
        return 4
    if mnemonic in ("MOVA2D", "MOVDBGA2D"):
        return 8 if fields["Move8Rows"] else 1
    if mnemonic == "MOVB2D" and fields["Broadcast1RowTo8"]:
        return 8
    if mnemonic == "MOVB2D" or mnemonic in _OUT:
        return 4 if fields["Move4Rows"] else 1
    return 8
