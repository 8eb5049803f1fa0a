"""Runs of moves from SrcA to Dst, executed together where nothing observes in between.

Which rows each moves follows from row counters, which are moved first, word by word.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Final, NamedTuple

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix import moves, ownership
from nasm.targets.tensix.matrix.arithmetic import dst_row
from nasm.targets.tensix.matrix.facts import MATRIX_UNIT, Banks, MovedRows
from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.matrix.replays import PlannedReplay, last_writes
from nasm.targets.tensix.matrix.src import bank_a, source_format, wide_dst
from nasm.targets.tensix.matrix.timing import dst_blocks
from nasm.targets.tensix.scalar.addr_mods import increments, move
from nasm.targets.tensix.state import Coprocessor, RowCounters
from nasm.targets.tensix.words import OPCODES
from nasm.targets.tensix.words.word import Fields

NO_FLIPS: Final = (0, 0)


class _Word(NamedTuple):
    """A word that can be in a run: what its row declares of its rows and banks, and its fields."""

    moved: MovedRows
    banks: Banks
    fields: Fields


@lru_cache(maxsize=1 << 12)
def _decoded(word: int) -> _Word | None:
    known = OPCODES.get(word >> 24)
    facts = None if known is None else MATRIX_UNIT.get(known.mnemonic)
    if known is None or facts is None or facts.moved is None or known.encoding.wrong(word):
        return None
    fields = known.fields_of(word)
    return None if fields["UseDst32bLo"] else _Word(facts.moved, facts.banks, fields)


def fits(word: int) -> bool:
    """Whether a word can be in a run: what it writes depends on nothing that Dst holds."""
    return _decoded(word) is not None


def fit(words: tuple[int, ...]) -> int:
    """How many of these words, from the first on, can be executed together at all."""
    return next((number for number, word in enumerate(words) if not fits(word)), len(words))


def plan(core: Coprocessor, thread: int, words: tuple[int, ...]) -> PlannedReplay | None:
    """What words that ``fit`` would do if the first started now, as it may; or None.

    Nothing is changed. None is for what is refused or waits for a bank, where two write the same
    row, and for numbers that take two rows each.
    """
    own = core.threads[thread]
    try:
        if source_format(core, thread) is Format.TF32:
            return None
        base, wide = dst_row(core, thread, 0) - own.rows.dst, wide_dst(core, thread)
    except Refused:
        return None
    rows = RowCounters(*own.rows.save())
    sources: list[int] = []
    targets: list[int] = []
    blocks = []
    for word in words:
        decoded = _decoded(word)
        assert decoded is not None
        if ownership.blocked_by(core, decoded.banks) is not None:
            return None
        source, to = decoded.moved(decoded.fields, rows, base)
        sources += source
        targets += to
        blocks.append(dst_blocks(to.start, len(to), wide))
        move(rows, increments(own.config, decoded.fields["AddrMod"], rows.extra_addr_mod), True)
    if len(set(targets)) < len(targets):
        return None
    perform = partial(_perform, core, thread, sources, targets, source.start, rows.save())
    starts = tuple(range(len(words)))
    return PlannedReplay(starts, tuple(blocks), last_writes(blocks), NO_FLIPS, perform)


def _perform(
    core: Coprocessor,
    thread: int,
    sources: list[int],
    targets: list[int],
    last: int,
    after: tuple[int, ...],
) -> bool:
    """Move rows; the last word begins with a row of SrcA, and leaves the counters as they are."""
    moves.to_dst(core, thread, bank_a(core)[sources], np.array(targets), 0)
    core.matrix.srca_row = last
    core.threads[thread].rows.restore(after)
    return True
