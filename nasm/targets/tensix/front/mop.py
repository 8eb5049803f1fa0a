"""The MOP expander: what the two templates make of the nine words that configure it.

Source: the page of the MOP expander of the public ISA documentation of Wormhole B0; the public
simulator and the vendor's kernels agree with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

NOP_OPCODE: Final = 0x02

WORDS: Final = (
    ("", "Flags", "B", "A0", "A1", "A2", "A3", "SkipA0", "SkipB"),
    (
        "OuterCount",
        "InnerCount",
        "StartOp",
        "EndOp0",
        "EndOp1",
        "LoopOp",
        "LoopOp1",
        "Loop0Last",
        "Loop1Last",
    ),
)
"""By template: what each of the nine words is called. Template 0 does not use the first."""


class Slot(NamedTuple):
    """A word that the expander makes, and the name of the word it was configured by."""

    word: int
    name: str


def template_0(config: Sequence[int], mask: int, count: int) -> Iterator[Slot]:
    """``count`` + 1 rounds, a bit of ``mask`` each: A0 to A3 and B, or if set SkipA0 and SkipB.

    ``config`` are the nine words; Flags say whether there are A1 to A3, and B and SkipB.
    """
    slots = [Slot(word, name) for word, name in zip(config, WORDS[0], strict=True)]
    flags, b, a0, *more, skip_a0, skip_b = slots[1:]
    has_b, has_more = flags.word & 1, flags.word & 2
    for i in range(count + 1):
        if mask >> i & 1:
            yield skip_a0
            if has_b:
                yield skip_b
        else:
            yield a0
            if has_more:
                yield from more
            if has_b:
                yield b


def template_1(config: Sequence[int], outer_bug: bool = True) -> Iterator[Slot]:
    """Two loops, the inner of which ends with a word of its own.

    With ``outer_bug`` one outer round that has nothing but its end becomes 129, as in hardware.
    """
    start, end_0, end_1, *loops, last, inner_last = (
        Slot(word, name) for word, name in zip(config[2:], WORDS[1][2:], strict=True)
    )
    outer, inner = config[0] & 127, config[1] & 127
    if _is_idle(loops[1]):
        loops = loops[:1]
    inner *= len(loops)
    if outer_bug and outer == 1 and not inner and _is_idle(start) and not _is_idle(end_0):
        outer = 129
    for j in range(outer):
        if not _is_idle(start):
            yield start
        for i in range(inner - 1):
            yield loops[i % len(loops)]
        if inner:
            yield last if j == outer - 1 else inner_last
        if not _is_idle(end_0):
            yield end_0
            if not _is_idle(end_1):
                yield end_1


def _is_idle(slot: Slot) -> bool:
    """Only the plain idle word means that there is none."""
    return slot.word >> 24 == NOP_OPCODE
