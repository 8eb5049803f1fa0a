"""Runs of words of one unit that a thread has executed at once, where nothing else changes.

A run begins behind the wait gate. While it lasts no unit of another thread comes to rest, nothing
that is under way ends, and whoever waits at a gate waits for what the run does not change.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nasm.held import Blocked, Place
from nasm.spec.program import Instruction
from nasm.targets.tensix.core.fields import fields_of
from nasm.targets.tensix.core.findings import SAFE_LOAD, too_near
from nasm.targets.tensix.core.tensix import UNITS, Issued, Tensix
from nasm.targets.tensix.expansion import words_of
from nasm.targets.tensix.lanes import replays as of_vector
from nasm.targets.tensix.lanes import scheduling
from nasm.targets.tensix.state import THREADS
from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.units import VECTOR

LEAST: Final = 8
"""Words that are worth it."""

_STAYS: Final = frozenset({"semwait", "stallwait", "mutex", "bank", "src"})
"""Causes that no word of a run ends: nothing in it posts, unlocks, or hands a bank over."""

_MNEMONICS: Final[Mapping[int, str]] = {word.opcode: name for name, word in WORDS.items()}
_VECTOR_UNIT: Final = UNITS.index("vector")


def burst(
    core: Tensix,
    thread: int,
    pieces: Iterable[Sequence[Instruction]],
    ticks: int,
    blocked: Mapping[int, Blocked],
) -> Run | None:
    """The words that a thread can have executed at once, from now on."""
    ticks = min(ticks, _quiet(core, thread, blocked))
    if ticks < LEAST or core.recent.configured:
        return None
    words: list[int] = []
    for piece in pieces:
        words.extend(words_of(tuple(piece)))
        if not _of_vector(words[0]) or not _of_vector(words[-1]) or len(words) > ticks:
            break
    if not words or not _of_vector(words[0]):
        return None
    return _vector_run(core, thread, tuple(words), ticks)


def _of_vector(word: int) -> bool:
    mnemonic = _MNEMONICS.get(word >> 24)
    return mnemonic is not None and WORDS[mnemonic].unit is VECTOR


def _quiet(core: Tensix, thread: int, blocked: Mapping[int, Blocked]) -> int:
    """For how many cycles from now on nothing happens that a run has to do with."""
    if core.threads[thread].latch.block or core.bubble[thread] > core.now:
        return 0
    for other, why in blocked.items():
        if why.cause not in _STAYS or core.threads[other].latch.met >= 0:
            return 0
    ends = [
        tick for at, tick in enumerate(core.until) if tick > core.now and at % THREADS != thread
    ]
    ends += [entry.tick for entry in core.entries[:1]]
    return min(ends, default=core.now + (1 << 30)) - core.now - 1


def _vector_run(core: Tensix, thread: int, words: tuple[int, ...], ticks: int) -> Run | None:
    """A run of words of the vector unit."""
    recent, vector = core.recent, core.vector
    if vector.pending or recent.matrix.tick > core.now - SAFE_LOAD:
        return None
    first, last = words[0], recent.vector
    if last.tick == core.now - 1 and too_near(
        last.mnemonic, last.word, _MNEMONICS[first >> 24], first
    ):
        return None
    words = words[: of_vector.fit(words)]
    starts = of_vector.starts(words)
    count = bisect_right(starts[: len(words)], ticks)
    if count < LEAST:
        return None
    words, starts = words[:count], starts[:count]
    latencies = [latency(word) for word in words]
    stalls = [(n, "vector") for n in range(1, count) if starts[n] > starts[n - 1] + 1]
    return Run(core, thread, words, starts, latencies, stalls)


def latency(word: int) -> int:
    """After how many cycles a word of the vector unit completes."""
    mnemonic = _MNEMONICS[word >> 24]
    return scheduling.latency(mnemonic, fields_of(mnemonic, word))


@dataclass(frozen=True, slots=True)
class Run:
    """Words of the vector unit, one after the other: see :class:`nasm.held.Burst`."""

    core: Tensix
    thread: int
    words: tuple[int, ...]
    starts: Sequence[int]
    latencies: Sequence[int]
    stalls: Sequence[tuple[int, str]]

    def perform(self, count: int, place: Callable[[int], Place]) -> bool:
        """Execute some; False if something about them has to be told, or is not done at once."""
        core, words, last = self.core, self.words[:count], count - 1
        if not of_vector.perform(core, self.thread, words):
            return False
        now = core.now + self.starts[last]
        mnemonic = _MNEMONICS[words[last] >> 24]
        core.recent.vector = Issued(now, place(last), self.thread, mnemonic, words[last])
        _occupy(core, _VECTOR_UNIT, self.thread, self.starts[:count], self.latencies[:count])
        core.threads[self.thread].latch.looked = now
        return True

    @property
    def settle(self) -> Callable[[], None]:
        """What lets happen what is due."""
        return self.core.settle


def _occupy(
    core: Tensix, unit: int, thread: int, starts: Sequence[int], latencies: Sequence[int]
) -> None:
    """Note until when a unit has something of a thread."""
    at, until = THREADS * unit + thread, core.until
    ends = max(s + c for s, c in zip(starts[-8:], latencies[-8:], strict=True))
    if until[at] < core.now + ends:
        core.until = (*until[:at], core.now + ends, *until[at + 1 :])
