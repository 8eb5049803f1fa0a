"""From a word that is pushed to the words that reach the wait gate: templates, then replays.

Sources: the pages of both expanders of the public ISA documentation of Wormhole B0. What comes out
knows where it came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Final, NamedTuple

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.front.mop import Slot, template_0, template_1
from nasm.targets.tensix.state import U32, Coprocessor, Thread

REPLAY_WORDS: Final = 32


class ExpanderAction(Enum):
    """What an expander does with a word, which then does not reach the wait gate."""

    TEMPLATE = "expands a template"
    MASK = "sets the mask of a template"
    BUFFER = "records or plays"
    DECLARES = "declares what instructions use"


_EXPANDING: Final = (ExpanderAction.TEMPLATE, ExpanderAction.MASK, ExpanderAction.BUFFER)
_CONSUMED: Final = frozenset({ExpanderAction.MASK, ExpanderAction.DECLARES})
"""What nothing comes of."""

EXPANDERS: Final[dict[int, ExpanderAction]] = {}
"""By opcode, the words for expanders, as their rows declare."""
EXPANDER_NAMES: Final[dict[int, str]] = {}
"""Their mnemonics."""


@cache
def expander_name(expander: ExpanderAction) -> str:
    """The mnemonic of the word with which an expander does this."""
    return next(EXPANDER_NAMES[code] for code, one in EXPANDERS.items() if one is expander)


class ExpandedWord(NamedTuple):
    """A word that reaches the gate, and where it came from.

    ``slot`` names the word of the template it came from, and is empty without one. ``played`` is
    its place in the replay buffer; None if it was not played.
    """

    word: int
    slot: str = ""
    played: int | None = None

    @property
    def origin(self) -> str:
        """Where it came from: LoopOp, replay 12, LoopOp replay 12."""
        replay = f"replay {self.played}" if self.played is not None else ""
        return f"{self.slot} {replay}".strip()


def expand(
    core: Coprocessor,
    thread: int,
    word: int,
    outer_bug: bool = True,
    place: tuple[int, int] | None = None,
) -> tuple[ExpandedWord, ...] | None:
    """What reaches the gate in place of a word that is pushed to a thread; None: the word itself.

    ``place`` is the place of the word. It changes the thread's recording, replay buffer and mask,
    so each word is expanded once. Nothing comes of what sets the mask, of
    what begins to record, and of a word that is only recorded. Raises Refused where a word for an
    expander would reach the gate.
    """
    own = core.threads[thread]
    opcode = word >> 24
    if opcode not in EXPANDERS and not own.recording.left:
        return None
    if EXPANDERS.get(opcode) is ExpanderAction.MASK:
        own.mop_mask_high = word & 0xFFFF
        return ()
    if EXPANDERS.get(opcode) is ExpanderAction.DECLARES:
        if own.recording.left:
            message = f"{EXPANDER_NAMES[opcode]} is recorded: what happens is not documented"
            raise Refused("E0701", message, "declare it before or after")
        return ()  # it is for automatic TTSync, which is not modelled
    slots = _slots(own, word, outer_bug)
    if not own.recording.left and not any(_records(slot.word) for slot in slots):
        return _played(own.replay.tobytes(), slots)
    out = tuple(micro for slot in slots for micro in _replayed(own, slot, place))
    return None if out == (ExpandedWord(word),) else out


def taken(
    core: Coprocessor, thread: int, word: int, outer_bug: bool, place: tuple[int, int]
) -> tuple[tuple[ExpandedWord, ...] | None, tuple[int, ...]]:
    """What reaches the gate in place of a word, as :func:`expand` has it, and in which pieces.

    Those are, for each word that leaves the MOP expander, how many of them there are.
    """
    own = core.threads[thread]
    if EXPANDERS.get(word >> 24) in _CONSUMED or (
        word >> 24 not in EXPANDERS and not own.recording.left
    ):
        micros = expand(core, thread, word, outer_bug, place)
        return micros, (1,) if micros is None else ()
    slots = _slots(own, word, outer_bug)
    pieces = [tuple(_replayed(own, slot, place)) for slot in slots]
    micros = tuple(micro for piece in pieces for micro in piece)
    plain = micros == (ExpandedWord(word),)
    return None if plain else micros, tuple(map(len, pieces))


def foreseen(
    own: Thread, replay: U32, word: int, outer_bug: bool = True
) -> tuple[ExpandedWord, ...] | None:
    """What would reach the gate in place of a word; None where that would change anything.

    Nothing is recorded then, and ``replay`` is what the thread has recorded.
    """
    if EXPANDERS.get(word >> 24) in _CONSUMED:
        return None
    slots = _slots(own, word, outer_bug)
    if any(_records(slot.word) for slot in slots):
        return None
    return _played(replay.tobytes(), slots)


def _slots(own: Thread, word: int, outer_bug: bool) -> tuple[Slot, ...]:
    """What leaves the MOP expander for a word."""
    if EXPANDERS.get(word >> 24) is ExpanderAction.TEMPLATE:
        return _mop(word, own.mop_mask_high, own.mop.tobytes(), outer_bug)
    return (Slot(word, ""),)


@lru_cache(maxsize=256)
def _mop(word: int, mask_high: int, config: bytes, outer_bug: bool) -> tuple[Slot, ...]:
    words = np.frombuffer(config, np.uint32).tolist()
    if word >> 23 & 1:
        return tuple(template_1(words, outer_bug))
    return tuple(template_0(words, mask_high << 16 | word & 0xFFFF, word >> 16 & 0x7F))


@lru_cache(maxsize=256)
def _played(buffer: bytes, slots: tuple[Slot, ...]) -> tuple[ExpandedWord, ...]:
    """What becomes of words none of which records: the same from the same buffer."""
    held = np.frombuffer(buffer, np.uint32).tolist()
    return tuple(micro for slot in slots for micro in _through(held, slot))


def _records(word: int) -> bool:
    return EXPANDERS.get(word >> 24) is ExpanderAction.BUFFER and bool(word & 1)


def _count(word: int) -> int:
    """The words that a replay records or plays; 0 means 64."""
    return word >> 4 & 0x3F or 64


def _replayed(own: Thread, slot: Slot, place: tuple[int, int] | None) -> Iterator[ExpandedWord]:
    """What the replay expander makes of one word."""
    recording = own.recording
    if recording.left:
        at = recording.index % REPLAY_WORDS
        own.replay[at] = slot.word
        own.recorded = (*own.recorded[:at], place, *own.recorded[at + 1 :])
        recording.left -= 1
        recording.index = (recording.index + 1) % REPLAY_WORDS
        if recording.executes:
            yield ExpandedWord(_for_gate(slot.word), slot.name)
    elif _records(slot.word):
        recording.left = _count(slot.word)
        recording.index = slot.word >> 14 & 0x1F
        recording.executes = bool(slot.word & 2)
    else:
        yield from _through(own.replay.tolist(), slot)


def _through(held: Sequence[int], slot: Slot) -> Iterator[ExpandedWord]:
    """A word that is not recorded, or what is played from the buffer."""
    if EXPANDERS.get(slot.word >> 24) is not ExpanderAction.BUFFER:
        yield ExpandedWord(_for_gate(slot.word), slot.name)
        return
    first = slot.word >> 14 & 0x1F
    for i in range(_count(slot.word)):
        index = (first + i) % REPLAY_WORDS
        yield ExpandedWord(_for_gate(held[index]), slot.name, index)


def _for_gate(word: int) -> int:
    """A word that may reach the gate: none that an expander should have taken."""
    if word >> 24 not in EXPANDERS:
        return word
    template, mask, buffer = map(expander_name, _EXPANDING)
    raise Refused(
        "E0701",
        f"{EXPANDER_NAMES[word >> 24]} reaches the wait gate, past its expander: "
        "what happens is not documented",
        f"a {template} may make {buffer}, but not {template} or {mask}; "
        "the replay buffer holds none of these",
    )
