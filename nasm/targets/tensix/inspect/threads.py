"""What belongs to threads, for display: counters, what expanders have, the wait gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.core_state import Part, Seen
from nasm.program import instruction_text
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.expansion import instruction_of
from nasm.targets.tensix.front.mop import WORDS as MOP_WORDS
from nasm.targets.tensix.inspect import put_shared as put
from nasm.targets.tensix.lanes.macros import pending_of
from nasm.targets.tensix.state import Thread
from nasm.targets.tensix.sync.gate import latched, waits_for
from nasm.targets.tensix.unit_queries import thread_name

BLOCKS: Final = (
    "miscellaneous, scalar, mover, packers, unpackers", "sync unit", "packers", "unpackers",
    "mover", "scalar unit", "matrix unit", "configuration unit", "vector unit",
)  # fmt: skip
"""What each bit of a block mask blocks, besides what all of them do."""

_COUNTERS: Final = put.ROW_COUNTERS
_WHO: Final = "unpacker 0", "unpacker 1", "packers"


def text(core: Tensix, word: int) -> str:
    """The instruction of a word; one that is none as it is."""
    try:
        instruction = instruction_of(core.chip, word)
    except Refused:
        return f".word {word:#010x}"
    return f"{instruction.row.name} {instruction_text.operands(instruction)}".rstrip()


def _threads(core: Tensix) -> Iterator[tuple[str, Thread]]:
    return ((thread_name(t), own) for t, own in enumerate(core.threads))


def _whose(rows: Sequence[tuple[str, ...]]) -> str:
    """How many rows each thread has."""
    of = Counter(thread for thread, *_ in rows)
    return ", ".join(f"{count} of {thread}" for thread, count in of.items())


# -- counters


def _rwc(core: Tensix) -> Seen:
    names = [n for n in _COUNTERS if n != "stack" or core.layout.dst.stack is not None]
    held = np.array([[getattr(t.rows, n) for n in names] for t in core.threads], np.int32)
    rows = tuple(
        (thread_name(t), *map(str, row)) for t, row in enumerate(held.tolist()) if any(row)
    )
    heads = "thread", *(f">{name}" for name in names)
    return Seen(held, summary=_whose(rows), heads=heads, rows=rows)


def _adc(core: Tensix) -> Seen:
    held = np.stack([own.adc for own in core.threads])
    rows = []
    for thread, own in _threads(core):
        for who, channels in zip(_WHO, own.adc.tolist(), strict=True):
            for channel, counters in enumerate(channels):
                if any(map(any, counters)):
                    pairs = (f"{counter} ({cr})" for counter, cr in counters)
                    rows.append((thread, who, str(channel), *pairs))
    heads = "thread", "of", ">channel", ">X (CR)", ">Y (CR)", ">Z (CR)", ">W (CR)"
    return Seen(held, summary=_whose(rows), heads=heads, rows=tuple(rows))


def _unpacking(core: Tensix) -> Seen:
    rows = tuple(
        (thread, str(n), str(row), str(context))
        for thread, own in _threads(core)
        for n, (row, context) in enumerate(zip(own.src_row, own.context, strict=True))
        if row or context
    )
    heads = "thread", ">unpacker", ">row of Src", ">context"
    return Seen(summary=_whose(rows), heads=heads, rows=rows)


# -- expanders


def _mop(core: Tensix) -> Seen:
    held = np.stack([own.mop for own in core.threads])
    rows = []
    for thread, own in _threads(core):
        for n, word in enumerate(own.mop.tolist()):
            if word:
                names = [name for template in MOP_WORDS if (name := template[n])]
                number = n == 0 or (n == 1 and word < 1 << 24)
                means = str(word) if number else text(core, word)
                rows.append((thread, " or ".join(names), f"{word:08x}", means))
    heads = "thread", "word of template 0 or 1", "bits", "means"
    return Seen(held, summary=_whose(rows), heads=heads, rows=tuple(rows))


def _replay(core: Tensix) -> Seen:
    held = np.stack([own.replay for own in core.threads])
    rows = tuple(
        (thread, str(n), f"{word:08x}", text(core, word))
        for thread, own in _threads(core)
        for n, word in enumerate(own.replay.tolist())
        if word
    )
    recording = [
        f"{thread} records {own.recording.left} more from {own.recording.index}"
        + " and executes them" * own.recording.executes
        for thread, own in _threads(core)
        if own.recording.left
    ]
    message = ", ".join(recording) or _whose(rows)
    heads = "thread", ">place", "bits", "instruction"
    return Seen(held, summary=message, heads=heads, rows=rows)


def _macros(core: Tensix) -> Seen:
    """What macros go by, of equal columns, and what they have put off."""
    v = core.vector
    rows = []
    for what, words in (("template", v.templates), ("sequence", v.sequences)):
        for n, columns in enumerate(words.tolist()):
            for word in dict.fromkeys(columns):
                if word:
                    means = text(core, word) if what == "template" else ""
                    rows.append((f"{what} {n}", f"{word:08x}", means))
    rows += [
        ("put off", "", f"{one.mnemonic} of {thread_name(one.thread)} in the {one.unit} sub-unit")
        for one in pending_of(v)
    ]
    return Seen(heads=("of", "bits", "means"), rows=tuple(rows))


# -- the wait gate


def _gate(core: Tensix) -> Seen:
    rows = []
    for t, own in enumerate(core.threads):
        latch = own.latch
        if latch.block:
            held = [name for bit, name in enumerate(BLOCKS) if latch.block >> bit & 1]
            what = "everything" if len(held) == len(BLOCKS) else ", ".join(held)
            row = thread_name(t), latched(latch), what
            until = "; ".join(waits_for(core, t, core)) or "all is met"
            rows.append((*row, until, str(latch.since)))
    heads = "thread", "latched", "blocks", "until", ">since tick"
    text = "; ".join(f"{row[0]} blocks the {row[2]} until {row[3]}" for row in rows)
    return Seen(summary=text, heads=heads, rows=tuple(rows))


def _requests(core: Tensix) -> Seen:
    held = np.array([own.requests for own in core.threads], np.int32)
    return Seen(held)


PARTS: Final = (
    Part("rwc", "row counters of Dst, SrcA and SrcB, their carriage returns, fidelity", _rwc,
         by_queue=True, put=put.row_counters),
    Part("adc", "address counters of unpackers and packers, and their carriage returns", _adc,
         by_queue=True, put=put.address_counters),
    Part("unpacking", "rows and contexts at which unpackers continue", _unpacking, by_queue=True),
    Part("mop", "the words that MOP goes by", _mop, by_queue=True, put=put.mop_words),
    Part("replay", "what REPLAY has recorded", _replay, by_queue=True, put=put.replays),
    Part("macros", "what SFPLOADMACRO goes by, and what it has put off", _macros),
    Part("gate", "what the wait gate blocks, and until when", _gate, by_queue=True),
    Part("requests", "requests of the scalar unit to memory that are in flight", _requests,
         by_queue=True),
)  # fmt: skip
"""What there is of each thread."""
