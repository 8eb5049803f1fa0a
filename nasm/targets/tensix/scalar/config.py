"""Configuration by name and by word: which of the two banks a thread uses, and what a write does.

Source: the page of the backend configuration of the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from nasm.base.problems import Refused, did_you_mean
from nasm.targets.tensix.chips import Chip
from nasm.targets.tensix.layouts.layout import ConfigField
from nasm.targets.tensix.shift_register import following
from nasm.targets.tensix.state import LANES, Coprocessor

T = TypeVar("T")


def bank(core: Coprocessor, thread: int) -> int:
    """The bank of the configuration that a thread uses: its CFG_STATE_ID_StateID."""
    return int(core.threads[thread].config[0]) & 1


def located(core: Coprocessor, name: str) -> ConfigField:
    """Where a field is; raises Refused with the nearest names."""
    found = core.layout.fields.get(name)
    if found is None:
        hint = did_you_mean(name, core.layout.fields)
        raise Refused("E0208", f"no field of the configuration is called {name}", hint)
    return found


def read(core: Coprocessor, thread: int, number: int) -> int:
    """A word of the configuration, in the thread's bank."""
    return int(core.config[bank(core, thread), _inside(core, number)])


def read_thread(core: Coprocessor, thread: int, number: int) -> int:
    """A word of a thread's own configuration."""
    return int(core.threads[thread].config[_inside_thread(core, number)])


def write(core: Coprocessor, thread: int, number: int, value: int) -> None:
    """Write a word of the configuration, and do what follows from that.

    Words below the first global one are of the thread's bank; the others are the same in both. A
    write to STATE_RESET_EN clears the words of the bank that are not global, one to PRNG_SEED seeds
    the generators of the vector unit.
    """
    write_bank(core, bank(core, thread), number, value)


def write_bank(core: Coprocessor, chosen: int, number: int, value: int) -> None:
    """The same in a bank that is named."""
    _write(core, chosen, number, value, 0xFFFFFFFF)
    if number == core.layout.reset:
        core.config[chosen, : core.layout.shared] = 0


def write_bits(core: Coprocessor, thread: int, number: int, value: int, bits: int) -> None:
    """Write those bits of a word that ``bits`` selects. STATE_RESET_EN is like any other word."""
    _write(core, bank(core, thread), number, value, bits)


def _write(core: Coprocessor, chosen: int, number: int, value: int, bits: int) -> None:
    old = int(core.config[chosen, _inside(core, number)])
    new = (value & bits) | (old & ~bits & 0xFFFFFFFF)
    core.config[slice(None) if number >= core.layout.shared else chosen, number] = new
    if number == core.layout.seed:
        reseed(core, new)


def write_thread(core: Coprocessor, thread: int, number: int, value: int) -> None:
    """Write a word of a thread's own configuration; some bits of one reset context counters."""
    own = core.threads[thread]
    own.config[_inside_thread(core, number)] = value & 0xFFFF
    counters = core.layout.context_resets
    if number == counters[0].word:
        first, second = (
            0 if value >> reset.shift & 1 else count
            for reset, count in zip(counters, own.context, strict=True)
        )
        own.context = first, second


def field(core: Coprocessor, thread: int, name: str) -> int:
    """What a field holds, of the thread or in its bank; raises Refused."""
    kind, word, shift, width = core.layout.fields.get(name) or located(core, name)
    own = core.threads[thread].config
    held = own[word] if kind == "thread" else core.config[int(own[0]) & 1, word]
    return int(held) >> shift & (1 << width) - 1


class KnownSettings:
    """What was read of a configuration, of a core and a thread; it holds until that changes."""

    __slots__ = ("core", "held", "thread")

    def __init__(self, core: Coprocessor, thread: int) -> None:
        """As it is now."""
        self.core, self.thread = core, thread
        self.held: dict[Hashable, Any] = {}
        if type(core.config) is np.ndarray:  # or else it notes what is read
            own = core.threads[thread].config.tobytes()
            self.held = _held(core.chip, core.config.tobytes(), own)

    def field(self, name: str) -> int:
        """What a field holds; raises Refused."""
        found: int | None = self.held.get(name)
        if found is None:
            found = self.held[name] = field(self.core, self.thread, name)
        return found

    def word(self, number: int) -> int:
        """A word of the configuration, in the thread's bank."""
        found: int | None = self.held.get(number)
        if found is None:
            found = self.held[number] = read(self.core, self.thread, number)
        return found

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What follows from the configuration and a key, made once."""
        found: T | None = self.held.get(key)
        if found is None:
            found = self.held[key] = make()
        return found


@lru_cache(maxsize=64)
def _held(chip: Chip, config: bytes, own: bytes) -> dict[Hashable, Any]:
    """What is known of a configuration."""
    return {}


def set_field(core: Coprocessor, thread: int, name: str, value: int) -> None:
    """Write a field and leave the rest of its word; raises Refused if it is too narrow."""
    at = located(core, name)
    if not 0 <= value <= at.mask:
        raise Refused("E0301", f"{name} has {at.width} bits; wanted 0 to {at.mask}, found {value}")
    reads, writes = (read_thread, write_thread) if at.kind == "thread" else (read, write)
    rest = reads(core, thread, at.word) & ~(at.mask << at.shift)
    writes(core, thread, at.word, rest | value << at.shift)


def begin_field(core: Coprocessor, thread: int, name: str, value: int) -> None:
    """A field as it is before anything runs: of the thread, or in both banks.

    STATE_RESET_EN is then like any other word; PRNG_SEED seeds the generators.
    """
    at = located(core, name)
    if at.kind == "thread":
        set_field(core, thread, name, value)
        return
    for chosen in (0, 1):
        put_field(core, chosen, at, value)


def put_field(core: Coprocessor, chosen: int, at: ConfigField, value: int) -> None:
    """A field of a bank, as a RISC-V core would write it; of both banks if its word is global."""
    _write(core, chosen, at.word, value << at.shift, at.mask << at.shift)


def _inside(core: Coprocessor, number: int) -> int:
    words = core.layout.words
    if not 0 <= number < words:
        raise Refused("E0701", f"the configuration has words 0 to {words - 1}; found {number}")
    return number


def _inside_thread(core: Coprocessor, number: int) -> int:
    words = core.layout.thread_words
    if not 0 <= number < words:
        raise Refused(
            "E0701", f"the configuration of a thread has words 0 to {words - 1}; found {number}"
        )
    return number


def reseed(core: Coprocessor, value: int) -> None:
    """Seed the generators of all 32 lanes: 32 steps, then two from each lane to the one below.

    Source: the public simulator; the ISA documentation says only that such a write seeds them all.
    """
    state = np.array([value], np.uint32)
    for _ in range(32):
        state = following(state)
    for lane in reversed(range(LANES)):
        state = following(following(state))
        core.vector.random[lane] = state[0]
