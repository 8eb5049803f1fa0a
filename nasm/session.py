"""The façade: everything that can be done with a program on a machine.

The shell command, the REPL and Python programs all use a :class:`Session`; what it returns are
frozen records, and arrays. Each ability lives in :mod:`nasm.debug`; here it has its name.
"""

from __future__ import annotations

from typing import Any

from nasm.debug.changes import Change, Divert, SetElements, Type
from nasm.debug.past import KEPT, Past
from nasm.debug.setting import Altered, going_on_at, held, setting, skipping
from nasm.debug.typed import Observed, Typed, Typing, Written, told, written_by
from nasm.running import ASSEMBLED, CHUNK, Running

__all__ = ["ASSEMBLED", "Session"]


class Session(Running):
    """A program on a machine, where it can be run, stopped, inspected, changed and taken back.

    It is made as a :class:`~nasm.running.Running` is. So that going back takes no time, up to
    ``keep`` bytes are kept of the past; with 0 it takes as long as the run did. What is profiled
    keeps nothing unless it is said.
    """

    def __init__(self, *args: Any, keep: int | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        if keep is None:
            keep = 0 if more.get("profile") or more.get("trace") else KEPT
        self.past = Past(self, super()._advance, keep)
        self._typing = Typing(self)

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.ended and self.past.ahead is None

    def _advance(self, events: int, until: int | None = None, retire: int | None = None) -> int:
        return self.past.advance(events, until, retire)

    # -- stopping

    # -- moving

    # -- going back

    # -- seeing

    # -- asking

    # -- trying

    def execute(self, text: str) -> Typed:
        """Assemble a typed text and execute it now, its instructions as the next of their engines.

        An engine need not be named if it was chosen last, or if no other has the instruction. Other
        engines go on until all of it has completed; what cannot complete is a deadlock. Raises
        Failure if anything is wrong with the text: then nothing was done.
        """
        typing = self._typing
        change = typing.take(text)
        seen = Observed(self, written_by(self.program, change))
        with self._watched() as done:
            self.past.change(change)
            self._complete(change)
        return told(self, typing, change, seen, done)

    def declare(self, text: str) -> Typed:
        """Take declarations, which can be named from now on; raises Failure, and takes nothing."""
        change = self._typing.take(text, declarations=True)
        self.past.change(change)
        return told(self, self._typing, change, Observed(self, ()), [])

    def set(self, place: str, value: object) -> Written | Altered:
        """Give a place a value: a tensor or a part of one, ``$semaphore``, or ``@engine %r0``.

        ``value`` is a number, an array, or a text: an expression as expectations have, or in quotes
        the name of an array file. It is broadcast, and rounded once. Raises Failure or Refused.
        """
        change = setting(self, place, value)
        if isinstance(change, SetElements):
            seen = Observed(self, [view for view, _ in change.values])
            self.past.change(change)
            return next(seen.written())
        before = held(self, change)
        self.past.change(change)
        after = held(self, change)
        assert after is not None
        return Altered(place.strip(), before, after)

    def skip(self, engine: str | None = None) -> Altered:
        """Let an engine go past its next instruction; it need not be named if no other has one."""
        return self._divert(skipping(self, engine))

    def set_pc(self, engine: str, place: int | str) -> Altered:
        """Send an engine to a pc, a label, or the first of its instructions on ``"line N"``."""
        return self._divert(going_on_at(self, engine, place))

    def _divert(self, change: Divert) -> Altered:
        queue = self.machine.scheduler.queues[change.queue]
        before = queue.pc
        self.past.change(change)
        return Altered(f"@{self.program.queue_name(change.queue)} pc", before, queue.pc)

    @property
    def by_hand(self) -> tuple[Change, ...]:
        """What was changed by hand, up to this moment."""
        return tuple(made.change for made in self.past.changes[: self.changes])  # type: ignore[misc]

    def trial(self, text: str) -> Typed:
        """Execute a typed text, and go back to how it is now; what it declares stays declared."""
        past, moment = self.past, self.past.now
        changes = list(past.changes)
        try:
            return self.execute(text)
        finally:
            self.halt(False)
            past.goto(moment)
            past.changes[:] = changes

    def _complete(self, change: Type) -> None:
        """Run until the instructions of a change have completed, or nothing can happen."""
        scheduler = self.machine.scheduler
        queues = [scheduler.queues[index] for index, _ in change.pcs]
        wanted = [
            queue.count + len(queue.flight) + len(pcs)
            for queue, (_, pcs) in zip(queues, change.pcs, strict=True)
        ]
        while any(q.count < n for q, n in zip(queues, wanted, strict=True)) and not self.over:
            self._advance(CHUNK, retire=scheduler.retired + 1)
            if self._halted() or scheduler.poised:
                return
        if not self.over and scheduler.stuck:
            self._advance(CHUNK)  # nothing starts any more: it only gets known
