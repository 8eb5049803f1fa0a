"""The coprocessor in time: what is in progress in it, which units are at work, and until when.

An instruction acts when it starts, and what it leaves for later is done at a tick of its own, here:
threads complete their instructions in whatever order these take. A caller that reads the
coprocessor first lets what is due happen (``settle``), each at its tick, and the wait gates look at
every tick at which something changes. A change made by a start is seen from the next cycle on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.base.records import dataclass, field
from nasm.isa.core_state import Place, Surroundings
from nasm.isa.words import Words
from nasm.targets.tensix.chips import CONFIGURING
from nasm.targets.tensix.core.l1_sharing import Reads
from nasm.targets.tensix.front.feeding import FrontEnd
from nasm.targets.tensix.lanes.quirks import DOCUMENTED, Quirks
from nasm.targets.tensix.mutable_state import MutableState
from nasm.targets.tensix.risc_state import RISC_CORES, B
from nasm.targets.tensix.scalar.timing import AFTER_CONFIG
from nasm.targets.tensix.state import THREADS, Coprocessor
from nasm.targets.tensix.sync.gate import look
from nasm.targets.tensix.unit_queries import STREAMS_PART

UNITS: Final = (
    "unpack0", "unpack1", "pack0", "pack1", "pack2", "pack3", "matrix", "vector", "mover",
)  # fmt: skip
"""Units that waits ask about."""
_UNIT: Final = {name: number for number, name in enumerate(UNITS)}
_THREADS: Final = range(THREADS)

SEMAPHORES: Final = 8
BLOCKS: Final = 128
"""Aligned blocks of eight rows of Dst."""


class CoreEvent(NamedTuple):
    """Something that happens at a tick; of one tick in the order of their numbers.

    ``place`` is that of the instruction which left it for then. Without an ``act`` it is only a
    tick at which waits look again. No two have the same ``key``.
    """

    tick: int
    number: int
    key: Hashable
    act: Callable[[], None] | None
    place: Place


class Issued(NamedTuple):
    """An instruction that has started: when, its place, what it is; the number of that."""

    tick: int
    place: Hashable
    thread: int
    mnemonic: str
    word: int
    record: int = -1


NOTHING: Final = Issued(-1000, None, -1, "", 0)


@dataclass(slots=True, eq=False)
class Recent(MutableState):
    """What started last, where later instructions have to know.

    ``dst[block]`` is when the matrix unit last wrote a block of Dst, and ``by[block]`` what did, or
    what makes that: see ``writer``.
    ``configured`` are words of the configuration in flight, each with its tick and place.
    ``posted[n]`` is the thread that posted semaphore n last, -1 before.
    """

    matrix: Issued = NOTHING
    vector: Issued = NOTHING
    config: Issued = NOTHING
    unpack: Issued = NOTHING
    atomic: Issued = NOTHING
    dst: NDArray[np.int64] = field(default_factory=lambda: np.full(BLOCKS, -1000, np.int64))
    by: tuple[Issued | Callable[[], Issued] | None, ...] = (None,) * BLOCKS
    configured: tuple[tuple[int, int, Hashable], ...] = ()
    posted: tuple[int, ...] = (-1,) * SEMAPHORES

    def writer(self, block: int) -> Issued | None:
        """What of the matrix unit wrote a block of Dst last."""
        found = self.by[block]
        return found if found is None or isinstance(found, Issued) else found()


@dataclass(slots=True, eq=False)
class Tensix(Coprocessor):
    """A coprocessor with what is in progress in it.

    ``until`` are the ticks until which a unit has something of a thread, thread by thread.
    ``entries`` are what is still to happen, in order, ``made`` how many there were. ``bubble`` is
    the cycle before which a thread's expander lets nothing out; ``after_mop`` says that it had a
    macro-operation last. ``fronts`` has what is in front of the gates of threads whose
    RISC-V core pushes their lines. ``codes`` is what each RISC-V core executes, if it has RISC-V
    instructions; threads that are ``fed`` execute what these push. ``words`` are those of the
    instructions of threads. While RISC-V cores have ``late`` accesses, so many, ``press`` processes
    those that may be, once at each tick at which something looks at the core. A branch of theirs
    occupies the integer unit for ``branch_cycles``.
    """

    CACHES = (
        *Coprocessor.CACHES,
        "around",
        "quirks",
        "outer_bug",
        "codes",
        "fed",
        "words",
        "press",
        "branch_cycles",
    )

    around: Surroundings = field(kw_only=True)
    quirks: Quirks = DOCUMENTED
    outer_bug: bool = True
    branch_cycles: int = 1
    entries: tuple[CoreEvent, ...] = ()
    made: int = 0
    until: tuple[int, ...] = (0,) * (len(UNITS) * THREADS)
    recent: Recent = field(default_factory=Recent)
    reads: tuple[Reads | None, Reads | None] = (None, None)
    bubble: tuple[int, int, int] = (0, 0, 0)
    after_mop: tuple[bool, bool, bool] = (False, False, False)
    fronts: tuple[FrontEnd, ...] = field(
        default_factory=lambda: tuple(FrontEnd() for _ in range(THREADS))
    )
    codes: tuple[object, ...] = (None,) * RISC_CORES
    fed: tuple[bool, ...] = (False,) * THREADS
    words: Words | None = None
    late: int = 0
    press: Callable[[Tensix], None] | None = None

    def discard(self, thread: int) -> None:
        """Give up what a core has begun, and pushed if the MOP expander has not taken it."""
        pipeline = self.riscs[thread].pipeline
        self.late -= len(pipeline.late)
        pipeline.late, pipeline.window = (), ()
        if thread < THREADS:
            self.fronts[thread].discard()

    def restart(self, number: int) -> None:
        """Let a RISC-V core at its end begin again, and the threads to which it pushes."""
        self.riscs[number].ended = False
        self.around.restart(THREADS + number)
        for thread in _THREADS:
            if self.fed[thread] and number in (thread, B):
                self.around.restart(thread)

    # -- time

    def settle(self) -> None:
        """Let happen what is due."""
        now = self.around.now
        if now != self.now or (self.entries and self.entries[0].tick <= now):
            self._settle(now)

    def _settle(self, now: int) -> None:
        before = self.now
        latched = [t for t in _THREADS if self.threads[t].latch.block]
        while self.entries and self.entries[0].tick <= now:
            tick = self.entries[0].tick
            if latched:
                self._look(latched, tick)
            self.now = max(self.now, tick)
            while self.entries and self.entries[0].tick == tick:
                entry, *rest = self.entries
                self.entries = tuple(rest)
                if entry.act is not None:
                    self.around.late(entry.place, tick, entry.act)
            for thread in latched:
                look(self, thread, self)
        if latched:
            self._look(latched, now)
        self.now = now
        if self.late and now > before and self.press is not None:
            self.press(self)

    def _look(self, latched: list[int], before: int) -> None:
        """Have gates look at the ticks, before one, at which units became idle."""
        if max(self.until) <= self.now:
            return
        ticks = {t for t in self.until if self.now < t < before}
        for tick in sorted(ticks):
            self.now = tick
            for thread in latched:
                look(self, thread, self)

    def at(
        self, tick: int, act: Callable[[], None] | None, key: Hashable = None, place: Place = None
    ) -> None:
        """Have something happen at a tick, in place of what had its key.

        It is done for the instruction at a place, or else for the one that acts now.
        """
        by = self.around.place if place is None else place
        kept = [e for e in self.entries if key is None or e.key != key]
        kept.append(CoreEvent(tick, self.made, key, act, by))
        kept.sort(key=lambda e: (e.tick, e.number))
        self.made += 1
        self.entries = tuple(kept)

    def next_change(self) -> int | None:
        """The next tick at which something changes by itself."""
        now, entries, until = self.now, self.entries, self.until
        ticks = [t for t in until if t > now] if max(until) > now else []
        if entries:
            ticks.append(entries[0].tick)
        return min(ticks, default=None)

    def streams_changed(self) -> None:
        """A register of a stream may have changed: waits look at it from the next cycle on."""
        self.at(self.around.now + 1, None, "streams")
        self.around.changed(STREAMS_PART)

    def passed(self, thread: int, parts: tuple[str, ...]) -> None:
        """A thread has waited for parts to be as they are: that orders what it starts next."""
        self.around.passed(thread, *parts)

    def changed(self, by: Issued, *parts: str) -> None:
        """Tell that something that waits ask about changes now, by an instruction's doing.

        Parts are units, "src" for the owners of banks, "semaphore 3", "mutex 3", "cfg".
        """
        self.around.changed(*parts, record=by.record)

    # -- units

    def busy(self, unit: str, thread: int) -> bool:
        """Whether a unit has an instruction of a thread in any of its stages."""
        if unit == "host":
            return False
        if unit == CONFIGURING:
            return self.recent.config.tick + AFTER_CONFIG >= self.now
        at = _UNIT[unit]
        if at < 2 and any(r is not None and r.thread == thread for r in self.reads[at : at + 1]):
            return True
        until = self.until[THREADS * at : THREADS * at + THREADS]
        return (max(until) if unit == "mover" else until[thread]) > self.now

    def in_flight(self, thread: int) -> bool:
        """Whether an instruction of a thread that has passed its gate is not done."""
        lines = self.lines[thread]
        assert lines is not None
        of_units = self.until[thread::THREADS]
        reads = any(one is not None and one.thread == thread for one in self.reads)
        acts = any(
            e.act is not None and isinstance(e.place, tuple) and e.place[0] == lines.queue
            for e in self.entries
        )
        waits = self.threads[thread].requests or self.scalar_owner == thread
        return max(of_units) > self.now or reads or acts or bool(waits)

    def occupy(self, unit: str, thread: int, cycles: int) -> None:
        """Note that a unit has something of a thread for so many cycles from now on."""
        at, until = THREADS * _UNIT[unit] + thread, self.until
        if until[at] < self.now + cycles:
            self.until = (*until[:at], self.now + cycles, *until[at + 1 :])
