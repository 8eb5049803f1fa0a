"""Runs of words of one unit that a thread has executed at once, where nothing else changes.

A run begins after the wait gate. While it lasts no unit of another thread becomes idle, nothing in
progress ends, and threads that wait at a gate wait for what no word of the run does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Final

from nasm.base.records import dataclass
from nasm.isa.core_state import Blocked, Burst, Place
from nasm.program.program import Instruction
from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.core.findings import SAFE_LOAD, too_near
from nasm.targets.tensix.core.instruction_start import with_banks
from nasm.targets.tensix.core.tensix import UNITS, Issued, Tensix
from nasm.targets.tensix.expansion import record, word_of, words_of
from nasm.targets.tensix.lanes import replays as of_vector
from nasm.targets.tensix.lanes import scheduling
from nasm.targets.tensix.matrix import moved_runs as of_moves
from nasm.targets.tensix.matrix import replays as of_matrix
from nasm.targets.tensix.matrix.facts import timing_of
from nasm.targets.tensix.matrix.replays import PlannedReplay
from nasm.targets.tensix.matrix.src import flip
from nasm.targets.tensix.risc_state import RISC_CORES
from nasm.targets.tensix.riscv import bursts as of_cores
from nasm.targets.tensix.state import THREADS
from nasm.targets.tensix.words import OPCODES
from nasm.targets.tensix.words.units import MATRIX, VECTOR, TensixUnit

LEAST: Final = 8
"""Words that are worth it."""

_STAYS: Final = frozenset({"semwait", "stallwait", "mutex", "bank", "src", "unit"})
"""Causes that no word of a run ends: nothing in it posts, unlocks, or releases a bank."""

_UNPACKERS: Final = frozenset({"unpack0", "unpack1"})

_FOREVER: Final = 1 << 40


def burst(
    core: Tensix,
    thread: int,
    pieces: Iterable[Sequence[Instruction]],
    ticks: int,
    blocked: Mapping[int, Blocked],
) -> Burst | int | None:
    """The words that a thread can have executed at once, from now on; or else not before when.

    None where each comes at a time of its own: what a core does, and what it pushes. Only on
    Wormhole: what is decided once for words takes them for words of Wormhole.
    """
    if thread >= THREADS:
        number = thread - THREADS
        coded = number < RISC_CORES and core.codes[number] is not None
        return of_cores.burst(core, thread, ticks, blocked) if coded else None
    if core.chip is not WORMHOLE or core.lines[thread] is not None:
        return None
    ends = _disturbed(core, thread, blocked)
    ticks = min(ticks, ends - core.now - 1)
    if ticks < LEAST:
        return max(ends, core.now + 1)
    words: list[int] = []
    some: tuple[int, ...] = ()
    unit = before = None
    for piece in pieces:
        if piece is not before:  # what is played again and again is the same
            before, some = piece, words_of(tuple(piece))
        words += some
        unit = _unit(words[0])
        if unit not in _RUNS or _unit(words[-1]) is not unit or len(words) > ticks:
            break
        if unit is MATRIX and of_matrix.ends(words[-1]) and not of_moves.fits(words[-1]):
            break
    made = _RUNS.get(unit)
    found = None if made is None else made(core, thread, tuple(words), ticks)
    return core.now + 1 if found is None else found


@lru_cache(maxsize=1 << 14)
def leads(instruction: Instruction) -> bool:
    """Whether a run can begin with an instruction: with one of a RISC-V core, or a word of a unit.

    What one expands to has instructions of its own.
    """
    encoding = instruction.row.encoding
    if encoding is None or OPCODES.get(encoding.code) is None:
        return True
    word = word_of(instruction)
    unit = _unit(word)
    if unit is MATRIX:
        return of_moves.fits(word) or not of_matrix.ends(word)
    return unit is VECTOR and of_vector.fit((word,)) > 0


@lru_cache(maxsize=1 << 12)
def _unit(word: int) -> TensixUnit | None:
    known = OPCODES.get(word >> 24)
    return None if known is None else known.unit


def _name(word: int) -> str:
    return OPCODES[word >> 24].mnemonic


def _disturbed(core: Tensix, thread: int, blocked: Mapping[int, Blocked]) -> int:
    """The first tick at which something happens that concerns a run: now, where it is not known."""
    now = core.now
    if core.threads[thread].latch.block:
        return now
    if core.bubble[thread] > now:
        return core.bubble[thread]
    if any(tick >= now - 1 for _, tick, _ in core.recent.configured):
        return now
    for other, why in blocked.items():
        if why.cause not in _STAYS or core.threads[other].latch.met >= 0:
            return now
    ends = [t for at, t in enumerate(core.until) if t > now and at % THREADS != thread]
    return min((*ends, _next_entry(core, blocked)))


def _next_entry(core: Tensix, blocked: Mapping[int, Blocked]) -> int:
    """The tick of the first that is still to happen, but for what concerns only unpackers."""
    passed = not _reads_concern(core, blocked)
    for entry in core.entries:
        if not (passed and type(entry.key) is tuple and entry.key[0] == "unpack"):
            return entry.tick
    return _FOREVER


def _reads_concern(core: Tensix, blocked: Mapping[int, Blocked]) -> bool:
    """Whether it matters to others than unpackers when these are through, and with what.

    It does to those that wait for them, and where they write Dst, or the bank that the matrix unit
    works on, or is to work on next. When one is through depends on the other.
    """
    matrix = core.matrix
    for reads, bank in zip(core.reads, (matrix.matrix_a, matrix.matrix_b), strict=True):
        if reads is not None and reads.bank in (None, bank):
            return True
    return any(part in _UNPACKERS for why in blocked.values() for part in why.on)


def issued_then(
    tick: int, place: Callable[[int], Place], number: int, thread: int, word: int
) -> Issued:
    """A word of a run, by its number, as it has started at a tick."""
    return Issued(tick, place(number), thread, _name(word), word)


@dataclass(frozen=True, slots=True)
class WordRun(ABC):
    """Words of a thread, one after the other: see :class:`nasm.isa.core_state.Burst`."""

    core: Tensix
    thread: int
    words: tuple[int, ...]
    starts: Sequence[int]
    latencies: Sequence[int]
    cause: str

    @property
    def stalls(self) -> Sequence[tuple[int, str]]:
        """Those that do not start in the next cycle."""
        starts, cause = self.starts, self.cause
        if starts[-1] == len(starts) - 1:
            return ()
        return [(n, cause) for n in range(1, len(starts)) if starts[n] > starts[n - 1] + 1]

    @property
    def route(self) -> None:
        """They come one after the other."""
        return None

    @property
    def settle(self) -> Callable[[], None]:
        """What lets happen what is due."""
        return self.core.settle

    @abstractmethod
    def perform(self, count: int, place: Callable[[int], Place]) -> bool:
        """Execute some; False if that is not done at once, and nothing has changed."""

    def issued(self, number: int, place: Callable[[int], Place]) -> Issued:
        """One of the words, as it has started."""
        tick = self.core.now + self.starts[number]
        return issued_then(tick, place, number, self.thread, self.words[number])

    def note(self, unit: str, count: int, place: Callable[[int], Place]) -> None:
        """Note until when a unit has something of the thread, and what it has seen and recorded."""
        core, starts = self.core, self.starts
        at, until = THREADS * UNITS.index(unit) + self.thread, core.until
        some = range(max(0, count - max(self.latencies)), count)
        ends = core.now + max(starts[n] + self.latencies[n] for n in some)
        if until[at] < ends:
            core.until = (*until[:at], ends, *until[at + 1 :])
        core.recent.configured = ()
        if core.threads[self.thread].recording.left:
            later = range(1, count)  # the first was recorded when it was expanded
            record(core, self.thread, ((self.words[n], place(n)) for n in later))
        core.threads[self.thread].latch.looked = core.now + starts[count - 1]


class VectorRun(WordRun):
    """Words of the vector unit."""

    def perform(self, count: int, place: Callable[[int], Place]) -> bool:
        """Execute some; False if one of them has a finding, or is not done at once."""
        core = self.core
        if not of_vector.perform(core, self.thread, self.words[:count], core.quirks):
            return False
        core.recent.vector = self.issued(count - 1, place)
        self.note("vector", count, place)
        return True


def _vector(core: Tensix, thread: int, words: tuple[int, ...], ticks: int) -> WordRun | int | None:
    """A run of words of the vector unit."""
    last, first = core.recent.vector, words[0]
    if core.vector.pending:
        return None
    if core.recent.matrix.tick > core.now - SAFE_LOAD:
        return core.recent.matrix.tick + SAFE_LOAD
    next_to = last.tick == core.now - 1
    if next_to and too_near(core.chip, last.mnemonic, last.word, _name(first), first):
        return core.now + 1
    words = words[: of_vector.fit(words)]
    if len(words) < LEAST:
        return core.now + max(1, len(words))
    starts = of_vector.starts(words)[: len(words)]
    count = bisect_right(starts, ticks)
    if count < LEAST:
        return core.now + 1
    words = words[:count]
    return VectorRun(core, thread, words, starts[:count], _latencies(words), "vector")


@lru_cache(maxsize=1 << 10)
def _latencies(words: tuple[int, ...]) -> tuple[int, ...]:
    """Those of some words."""
    return tuple(map(_latency, words))


@lru_cache(maxsize=1 << 12)
def _latency(word: int) -> int:
    """After how many cycles a word of the vector unit completes."""
    name = _name(word)
    return scheduling.latency(name, OPCODES[word >> 24].fields_of(word))


@dataclass(frozen=True, slots=True)
class MatrixRun(WordRun):
    """Words of the matrix unit."""

    planned: PlannedReplay

    def perform(self, count: int, place: Callable[[int], Place]) -> bool:
        """Execute some; False if that is not done at once."""
        core, planned, words = self.core, self.planned, self.words
        if count < len(words):
            found = _planned(core, self.thread, words[:count])
            if found is None:
                return False
            planned = found
        if not planned.perform():
            return False
        recent, by = core.recent, list(core.recent.by)
        for number, blocks in planned.last_writes:
            tick = core.now + self.starts[number]
            recent.dst[blocks] = tick
            later = partial(issued_then, tick, place, number, self.thread, self.words[number])
            for block in blocks:
                by[block] = later
        last = recent.matrix = self.issued(count - 1, place)
        recent.by = tuple(by)
        if any(planned.flips):
            with_banks(core, last, partial(flip, core, self.thread, *planned.flips))
        self.note("matrix", count, place)
        return True


def _planned(core: Tensix, thread: int, words: tuple[int, ...]) -> PlannedReplay | None:
    """What words would do that start now."""
    if of_moves.fits(words[0]):
        return of_moves.plan(core, thread, words)
    return of_matrix.plan(core, thread, words, core.now, core.recent.dst)


def _matrix(core: Tensix, thread: int, words: tuple[int, ...], ticks: int) -> WordRun | int | None:
    """A run of words of the matrix unit."""
    fit = of_moves.fit if of_moves.fits(words[0]) else of_matrix.fit
    words = words[: min(fit(words), ticks + 1)]
    if len(words) < LEAST:
        return core.now + max(1, len(words))
    planned = _planned(core, thread, words)
    if planned is None or planned.starts[-1] > ticks:
        return None
    latencies = [timing_of(_name(word)).latency for word in words]
    return MatrixRun(core, thread, words, planned.starts, latencies, "dst", planned)


_RUNS: Final[
    Mapping[TensixUnit | None, Callable[[Tensix, int, tuple[int, ...], int], WordRun | int | None]]
] = {VECTOR: _vector, MATRIX: _matrix}
