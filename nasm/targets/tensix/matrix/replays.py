"""Runs of instructions of the matrix unit, evaluated together where nothing observes in between.

Row counters are moved first, word by word: which rows each word reads and writes follows from them
and from the configuration. Then products of matrices are computed at once, and added to Dst in as
many steps as one block of Dst has sums: those of other blocks in the same step, and each block's
in their order, so that they are rounded as one by one.

A word that moves on to other banks is the last of a run: others see in the next cycle that these
are released.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.targets.tensix.matrix import ownership
from nasm.targets.tensix.matrix.accumulate import Ints, added, packed, rules, unpacked
from nasm.targets.tensix.matrix.arithmetic import dst_row, phase_of
from nasm.targets.tensix.matrix.dst import read_blocks, write_blocks
from nasm.targets.tensix.matrix.facts import BOTH, MATRIX_UNIT, MatrixFacts
from nasm.targets.tensix.matrix.formats import Style, Styles, dst_from_integers, integers_from_dst
from nasm.targets.tensix.matrix.multiply import Batch, batch, integer_products, products
from nasm.targets.tensix.matrix.src import ROWS, bank_a, bank_b, computed_styles, wide_dst
from nasm.targets.tensix.matrix.timing import DST_STALL, dst_blocks
from nasm.targets.tensix.scalar.addr_mods import increments, move
from nasm.targets.tensix.state import U16, Bools, Coprocessor, RowCounters
from nasm.targets.tensix.words import OPCODES

_AT_ONCE: Final = 16
"""So many products of matrices are computed at once: their terms stay in the host's caches."""


class PlannedReplay(NamedTuple):
    """What a run of words is going to do.

    ``starts`` are the cycles, after the first one, at which each starts; ``blocks`` the aligned
    blocks of eight rows of Dst that each writes, ``last_writes`` the words that write any of them
    last, by number, and which. ``flips`` are
    the banks, of SrcA and SrcB, from which the last one moves on. ``perform`` executes all of them
    but for that; where it is False, nothing has changed.
    """

    starts: tuple[int, ...]
    blocks: tuple[frozenset[int], ...]
    last_writes: tuple[tuple[int, list[int]], ...]
    flips: tuple[int, int]
    perform: Callable[[], bool]


class _Word(NamedTuple):
    """A word that can be in a run: what its row declares of it, and its fields."""

    facts: MatrixFacts
    fields: Mapping[str, int]

    @property
    def flips(self) -> tuple[int, int]:
        """Whether the matrix unit moves on to its other bank of SrcA, and of SrcB."""
        return self.fields.get("FlipSrcA", 0), self.fields.get("FlipSrcB", 0)


@lru_cache(maxsize=1 << 12)
def _decoded(word: int) -> _Word | None:
    """A word by its fields; None where a run ends."""
    known = OPCODES.get(word >> 24)
    facts = None if known is None else MATRIX_UNIT.get(known.mnemonic)
    if known is None or facts is None or (facts.product is None and facts.counts is None):
        return None
    if known.encoding.wrong(word):
        return None
    return _Word(facts, {one.name: one.get(word) for one in known.encoding.fields()})


@lru_cache(maxsize=1 << 10)
def fit(words: tuple[int, ...]) -> int:
    """How many of these words, from the first on, can be evaluated together at all."""
    for number, word in enumerate(words):
        if ends(word):
            return number + (_decoded(word) is not None)
    return len(words)


@lru_cache(maxsize=1 << 12)
def ends(word: int) -> bool:
    """Whether a run ends with a word, or before it."""
    decoded = _decoded(word)
    return decoded is None or any(decoded.flips)


def plan(
    core: Coprocessor, thread: int, words: tuple[int, ...], now: int, written: NDArray[np.int64]
) -> PlannedReplay | None:
    """What words that ``fit`` would do if the first started now, as it may; or None.

    ``written`` says of each block of Dst when it was written last. Nothing is changed. None is
    for what is refused, or has to wait for a bank, when it is executed.
    """
    own = core.threads[thread]
    wide = wide_dst(core, thread)
    walked = _walk(
        words,
        own.rows.save(),
        own.config.tobytes(),
        dst_row(core, thread, 0) - own.rows.dst & 0x3FF,
        phase_of(core, thread) - own.rows.fidelity & 3,
        wide,
    )
    if walked is None:
        return None
    styles = Styles(Style.BF16, Style.BF16)
    if walked.parts:
        if ownership.blocked_by(core, BOTH) is not None:
            return None
        try:
            styles = computed_styles(core, thread)
        except Refused:
            return None
    starts = walked.starts
    if walked.parts and int(written[walked.waits_for].max()) + DST_STALL >= now:
        starts = _starts(walked.reads, walked.writes, dict(enumerate((written - now).tolist())))
    perform = partial(_perform, core, thread, walked, styles, wide)
    last = _decoded(words[-1])
    assert last is not None
    return PlannedReplay(starts, walked.writes, walked.last_writes, last.flips, perform)


# -- which rows


class _Product(NamedTuple):
    """A product of matrices: rows of SrcA and SrcB, a phase, and a block of Dst.

    Where there are 32 bits it is that of high halves. ``kept`` are the rows that are written.
    """

    rows_a: tuple[int, ...]
    rows_b: tuple[int, ...]
    phase: int
    block: int
    kept: tuple[bool, ...]


class _Step(NamedTuple):
    """Products that are added to Dst at once: which of a part, to which of the blocks.

    ``kept`` are the rows that are written, if these are not all.
    """

    products: slice
    blocks: slice
    kept: Bools | None


class _Part(NamedTuple):
    """Products that are computed at once, and the steps in which they are added."""

    which: Batch
    steps: tuple[_Step, ...]


class _Walked(NamedTuple):
    """A run, of which everything is known but numbers and who waits for what was before it.

    ``blocks`` are those of Dst that it adds to, of high halves where there are 32 bits; ``kept``
    [block, row] are the rows that are written, if not all. ``after`` are the row counters then,
    ``srca_row`` where the last product has its SrcA.
    """

    reads: tuple[frozenset[int], ...]
    writes: tuple[frozenset[int], ...]
    last_writes: tuple[tuple[int, list[int]], ...]
    waits_for: Ints
    starts: tuple[int, ...]
    parts: tuple[_Part, ...]
    blocks: Ints
    kept: Bools | None
    after: tuple[int, ...]
    srca_row: int


_NOTHING: Final[frozenset[int]] = frozenset()


@lru_cache(maxsize=256)
def _walk(
    words: tuple[int, ...],
    counters: tuple[int, ...],
    configuration: bytes,
    offset: int,
    phase: int,
    wide: bool,
) -> _Walked | None:
    """Where words lead; None if one of them would be refused.

    ``offset`` and ``phase`` are added to the counters of Dst and of the phase.
    """
    rows, config = RowCounters(*counters), np.frombuffer(configuration, np.uint16)
    found: list[_Product] = []
    blocks = []
    for word in words:
        decoded = _decoded(word)
        assert decoded is not None
        facts, fields = decoded
        if facts.counts is not None:
            _count(rows, facts.counts, fields)
            blocks.append(_NOTHING)
            continue
        if rows.srca & 0x38 > ROWS - 16:
            return None
        row = fields["DstRow"] + offset + rows.dst & 0x3FF
        blocks.append(dst_blocks(row & 0x3F8, 8, wide))
        found.append(_product(rows, decoded, row, rows.fidelity + phase & 3, min(blocks[-1])))
        move(rows, increments(config, fields["AddrMod"], rows.extra_addr_mod), True)
    parts, blocks_used, kept = _arranged(found)
    together = tuple(blocks)
    return _Walked(
        together,
        together,
        last_writes(together),
        np.array(sorted(_NOTHING.union(*together)), np.intp),
        _starts(together, together, {}),
        parts,
        blocks_used,
        kept,
        rows.save(),
        found[-1].rows_a[0] if found else 0,
    )


def last_writes(writes: Sequence[frozenset[int]]) -> tuple[tuple[int, list[int]], ...]:
    """Which word writes blocks last, by number, and these."""
    by_block = {block: number for number, some in enumerate(writes) for block in some}
    last: dict[int, list[int]] = {}
    for block, number in by_block.items():
        last.setdefault(number, []).append(block)
    return tuple(last.items())


def _count(rows: RowCounters, counts: Callable[..., None], fields: Mapping[str, int]) -> None:
    """Move row counters, by the fields that what does it names."""
    counts(rows, **{name: fields[name] for name in _named(counts)})


@cache
def _named(counts: Callable[..., None]) -> tuple[str, ...]:
    """What a function takes besides the row counters."""
    return tuple(inspect.signature(counts).parameters)[1:]


def _product(rows: RowCounters, word: _Word, row: int, phase: int, block: int) -> _Product:
    """The rows of a product, as the row counters are."""
    first = rows.srca & 0x38
    rows_a = tuple(range(first, first + 16))
    assert word.facts.product is not None
    rows_b, kept = word.facts.product(word.fields, rows, row)
    return _Product(rows_a, rows_b, phase, block, kept)


def _starts(
    reads: Iterable[frozenset[int]], writes: Iterable[frozenset[int]], written: dict[int, int]
) -> tuple[int, ...]:
    """When words start that read and write blocks, in cycles after the first."""
    starts: list[int] = []
    at = -1
    for needed, changed in zip(reads, writes, strict=True):
        at += 1
        for block in needed:
            if block in written:
                at = max(at, written[block] + DST_STALL + 1)
        for block in changed:
            written[block] = at
        starts.append(at)
    return tuple(starts)


# -- in which order


def _arranged(found: Sequence[_Product]) -> tuple[tuple[_Part, ...], Ints, Bools | None]:
    """Parts of products in the order in which they are added; blocks of Dst, and rows written.

    Each step adds one product to every block that has any left. Blocks with most come first, so
    that those of a step are the first ones.
    """
    by_block: dict[int, list[_Product]] = {}
    for one in found:
        by_block.setdefault(one.block, []).append(one)
    columns = sorted(by_block.values(), key=len, reverse=True)
    order = [
        (one, block)
        for step in range(len(columns[0]) if columns else 0)
        for block, column in enumerate(columns)
        for one in column[step : step + 1]
    ]
    parts = tuple(_part(order[i : i + _AT_ONCE]) for i in range(0, len(order), _AT_ONCE))
    blocks = np.array([column[0].block for column in columns])
    kept = np.array([[any(k) for k in zip(*(p.kept for p in c), strict=True)] for c in columns])
    return parts, blocks, None if kept.all() else kept


def _part(order: Sequence[tuple[_Product, int]]) -> _Part:
    """Products and their blocks, which ascend within a step."""
    steps, first = [], 0
    for i in range(1, len(order) + 1):
        if i == len(order) or order[i][1] <= order[i - 1][1]:
            kept = np.array([one.kept for one, _ in order[first:i]])
            blocks = slice(order[first][1], order[i - 1][1] + 1)
            steps.append(_Step(slice(first, i), blocks, None if kept.all() else kept[:, :, None]))
            first = i
    which = batch([(one.rows_a, one.rows_b, one.phase) for one, _ in order], ROWS, ROWS)
    return _Part(which, tuple(steps))


# -- what comes out


def _perform(core: Coprocessor, thread: int, walked: _Walked, styles: Styles, wide: bool) -> bool:
    """Execute a run."""
    m = core.matrix
    if walked.parts:
        added_to = _integers if styles.a is Style.INT8 else _numbers
        high, low = added_to(core, walked, *read_blocks(m, walked.blocks, wide), styles, wide)
        write_blocks(m, walked.blocks, high, low, wide, walked.kept)
        m.srca_row = walked.srca_row
    core.threads[thread].rows.restore(walked.after)
    return True


def _numbers(
    core: Coprocessor, walked: _Walked, high: U16, low: U16, styles: Styles, wide: bool
) -> tuple[U16, U16]:
    """Blocks of Dst after products were added to them."""
    style = styles.a
    how = rules(style, wide, styles.loses_one)
    held = unpacked(high, low, style, wide)
    for part in walked.parts:
        terms, largest = products(bank_a(core), bank_b(core), part.which, styles, wide)
        tiny = bool(largest.min() < 2.0 ** (how.bits + 1))
        for step in part.steps:
            old, some = held[step.blocks], terms[:, step.products]
            new = added(old, some, largest[step.products], how, tiny=tiny)
            np.copyto(old, new, where=True if step.kept is None else step.kept)
    return packed(held, style, wide)


def _integers(
    core: Coprocessor, walked: _Walked, high: U16, low: U16, styles: Styles, wide: bool
) -> tuple[U16, U16]:
    """The same of style INT8: sums are saturated one by one."""
    held = integers_from_dst(high.astype(np.uint32) << 16 | low)
    for part in walked.parts:
        terms = integer_products(bank_a(core), bank_b(core), part.which)
        for step in part.steps:
            old = held[step.blocks]
            new = (old + terms[step.products]).clip(-0x7FFFFFFF, 0x7FFFFFFF)
            np.copyto(old, new, where=True if step.kept is None else step.kept)
    made = dst_from_integers(held)
    return (made >> 16).astype(np.uint16), made.astype(np.uint16)
