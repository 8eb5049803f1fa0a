"""The front end of a thread whose instructions are pushed: FIFOs, both expanders, and when.

A word that is pushed waits for the MOP expander in a FIFO, of 32 entries (thread 0) or 16 on
Wormhole and of 29 on Blackhole, where words that have not passed the gate count, too; what that
makes for the replay expander in one of 8, and what that makes for the wait gate in one of 2. Each
stage passes on one word a cycle, as soon as the next FIFO has room. Depths are of the diagram of
the front end in the public ISA documentation of Wormhole B0, rates of the pages of both expanders.
That a word passes an empty FIFO in the cycle in which it comes is assumed.

Everything is computed when something asks, up to the cycle of then.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, Protocol

from nasm.base.records import dataclass
from nasm.targets.tensix.mutable_state import MutableState

BEFORE_REPLAY: Final = 8
BEFORE_GATE: Final = 2

STEP: Final = 1
"""Cycles of a word in a stage, and from a push until the first stage has it."""
BUBBLE: Final = 1
"""Cycles without a word between what an expanded word makes and one that is not expanded."""


class Ingested(NamedTuple):
    """A line that the MOP expander has taken: its pc, and what reaches the gate in its place.

    It is the ``number``-th that was pushed. ``micros`` are None if it reaches the gate itself.
    ``counts`` are, for each word that leaves the MOP expander, how many reach the gate.
    ``template`` says that the expander makes them.
    """

    number: int
    pc: int
    micros: Any
    counts: tuple[int, ...]
    template: bool


class PushedLines(Protocol):
    """The lines of a thread, as the MOP expander meets them."""

    def is_template(self, pc: int) -> bool:
        """Whether the MOP expander makes others of the line at a pc."""

    def ingest(self, number: int, pc: int) -> Ingested:
        """Expand the line at a pc, which the MOP expander takes now: once, in their order.

        It is the ``number``-th that was pushed.
        """


@dataclass(slots=True, eq=False)
class FrontEnd(MutableState):
    """The front end of one thread.

    ``pushed`` are cycles in which lines were pushed that the MOP expander has not taken, and their
    pcs; ``number`` is how many were pushed in all, ``last`` the latest one. ``lines`` are lines
    that it has taken and whose first word is not next at the gate, ``passing`` the number of the
    one that passes it. ``counts`` are those of the line ``at`` a pc that it has, of which ``made``
    words have left it; ``template`` says that it expands that. ``words`` are cycles and counts of
    what waits for the replay expander, ``playing`` what that has still to play, ``arrived`` when
    what waits at the gate came there. The cycles in which an expander may pass on the next word are
    ``expander`` and ``replay``, and ``roomy`` those from which there is room in the FIFOs before
    replays and the gate; ``latest`` is when the latest word passed the gate.
    """

    pushed: tuple[tuple[int, int], ...] = ()
    number: int = 0
    lines: tuple[Ingested, ...] = ()
    passing: int = -1
    at: int = -1
    last: int = -1
    counts: tuple[int, ...] = ()
    made: int = 0
    template: bool = False
    words: tuple[tuple[int, int], ...] = ()
    playing: int = 0
    arrived: tuple[int, ...] = ()
    expander: int = 0
    replay: int = 0
    roomy: tuple[int, int] = (0, 0)
    latest: int = -1

    @property
    def busy(self) -> bool:
        """Whether it holds anything that has still to reach the gate."""
        return bool(self.pushed or self.words or self.playing or self.made < len(self.counts))

    def advance(self, now: int, source: PushedLines) -> None:
        """Let everything happen up to a cycle."""
        while True:
            plays, makes = self._plays(), self._makes()
            if plays is not None and plays <= now and (makes is None or plays <= makes):
                self._play(plays)
            elif makes is not None and makes <= now:
                self._make(makes, source)
            else:
                return

    def next_step(self, now: int) -> int | None:
        """The next cycle at which something happens by itself."""
        last = self.expander if self.template else None
        times = self._plays(), self._makes(), last, *self.arrived[:1]
        steps = [at for at in times if at is not None]
        return min((at for at in steps if at > now), default=None)

    # -- the replay expander

    def _plays(self) -> int | None:
        """When the replay expander passes something on, or takes a word of which nothing comes."""
        if self.playing:
            if len(self.arrived) == BEFORE_GATE:
                return None
            return max(self.replay, self.roomy[1])
        if not self.words:
            return None
        came, count = self.words[0]
        if count and len(self.arrived) == BEFORE_GATE:
            return None
        return max(self.replay, came, self.roomy[1] if count else 0)

    def _play(self, now: int) -> None:
        if not self.playing:
            (_, self.playing), *rest = self.words
            self.words = tuple(rest)
            self.roomy = now, self.roomy[1]
        if self.playing:
            self.playing -= 1
            self.arrived = (*self.arrived, now)
        self.replay = now + STEP

    # -- the MOP expander

    def _makes(self) -> int | None:
        """When the MOP expander passes something on, or takes a line."""
        if self.made == len(self.counts) and not self.pushed:
            return None
        if len(self.words) == BEFORE_REPLAY:
            return None
        ready = max(self.expander, self.roomy[0])
        return ready if self.made < len(self.counts) else max(ready, self.pushed[0][0] + STEP)

    def _make(self, now: int, source: PushedLines) -> None:
        if self.made == len(self.counts):
            pc = self.pushed[0][1]
            if self.template and not source.is_template(pc):
                self.template, self.expander = False, self.expander + BUBBLE
                if now < self.expander:
                    return
            taken = source.ingest(self.number - len(self.pushed), pc)
            self.at = pc
            self.pushed = self.pushed[1:]
            self.lines = (*self.lines, taken)
            self.counts, self.made, self.template = taken.counts, 0, taken.template
        if self.counts:
            self.words = (*self.words, (now, self.counts[self.made]))
            self.made += 1
        self.expander = now + STEP

    def templates(self, now: int, source: PushedLines) -> list[int]:
        """The pcs of the lines of which the MOP expander still uses, or will use, its words."""
        found = [pc for _, pc in self.pushed if source.is_template(pc)]
        if self.template and (self.made < len(self.counts) or now < self.expander):
            found.insert(0, self.at)
        return found

    # -- both ends

    def waiting(self, not_passed: bool) -> int:
        """How many words the first FIFO holds, or have not begun to pass the gate."""
        return len(self.pushed) + (len(self.lines) if not_passed else 0)

    def push(self, now: int, pc: int) -> None:
        """The line at a pc is pushed."""
        self.pushed = (*self.pushed, (now, pc))
        self.last = pc
        self.number += 1

    def push_after(self, now: int, pc: int, source: PushedLines) -> None:
        """The line at a pc is pushed past the MOP expander."""
        taken = source.ingest(self.number, pc)
        self.lines = (*self.lines, taken)
        self.words = (*self.words, *((now + STEP, count) for count in taken.counts))
        self.number += 1

    def discard(self) -> None:
        """Forget what the MOP expander has not taken, or has still to make."""
        self.pushed, self.counts = (), self.counts[: self.made]

    def at_gate(self, now: int) -> bool:
        """Whether the next word is at the gate."""
        return bool(self.arrived) and self.arrived[0] <= now

    def passed(self, now: int) -> None:
        """The next word passes the gate."""
        self.arrived = self.arrived[1:]
        self.roomy = self.roomy[0], now
        self.latest = now

    @property
    def empty(self) -> bool:
        """Whether nothing that was pushed is still in front of the gate."""
        left = self.pushed or self.words or self.playing or self.arrived
        return not left and self.made == len(self.counts)
