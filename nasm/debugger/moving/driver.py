"""What moves the run of a session: to a breakpoint, or as far as it is asked to."""

from __future__ import annotations

from nasm.debugger.moving.breakpoints import Breakpoints
from nasm.debugger.moving.past import Past
from nasm.runs.execution import Driver, Execution

ALL = 1 << 62
"""More events than a run has."""

Limits = tuple[int | None, int | None]
"""Until which tick a move goes at the most, and until how many instructions have completed."""


class SessionDriver(Driver):
    """Moves the execution of a session.

    Where nothing is kept of the past, and nothing is stopped at, many instructions may be one
    event. Moments are numbers of events: when one is asked for after that, all since the last
    checkpoint is run again, event by event. ``_limits`` are those of the last move that went
    somewhere, which determine how far that is, unless it was ``_cut`` short.
    """

    def __init__(self, execution: Execution, past: Past, stops: Breakpoints) -> None:
        super().__init__(execution)
        self.past, self.stops = past, stops
        self._limits: Limits | None = None
        self._cut = False

    @property
    def over(self) -> bool:
        """Whether nothing more can happen, not even a change by hand."""
        return self.execution.ended and self.past.next_change is None

    @property
    def changes(self) -> tuple[str, ...]:
        """What was changed by hand, in words."""
        done = self.past.changes[: self.execution.changes_made]
        return tuple(str(one.change) for one in done)

    @property
    def bursts(self) -> bool:
        """Whether many instructions may be one event now."""
        run, past = self.execution, self.past
        alone = run.program.ranks == 1 and run.peers is None
        return alone and not past.kept and past.next_change is None and not self.stops.armed

    def begin(self) -> None:
        """A move begins."""
        self.stops.hits = ()

    def move(self, events: int, until: int | None, retire: int | None) -> int:
        """Process events, up to a breakpoint; returns how many it was."""
        scheduler = self.execution.machine.scheduler
        if not self.bursts:
            self.exact()
            position = scheduler.position
            self.stops.advance(events, until, retire)
            return scheduler.position - position
        if self._limits is None:
            scheduler.merged = False
        done = self.execution.forward(events, until, retire, bursts=True)
        if done and scheduler.merged:
            reached = retire is not None and scheduler.retired >= retire
            self._limits = until, retire
            self._cut = scheduler.halted or (done == events and not reached)
        return done

    def exact(self) -> None:
        """Run again what many instructions were one event of."""
        if self._limits is None:
            return
        run, (until, retire) = self.execution, self._limits
        scheduler = run.machine.scheduler
        now, records, retired = scheduler.now, scheduler.records, scheduler.retired
        status, limit, halted = run.status, run.limit, scheduler.halted
        scheduler.halted = False
        run.back_to(run.checkpoints[-1])
        if not self._cut:
            run.forward(ALL, until, retire)
        else:
            run.forward(ALL, now - 1)
            while (scheduler.records < records or scheduler.retired < retired) and run.forward(1):
                pass
        run.status, run.limit, scheduler.halted = status, limit, halted

    def gone_back(self) -> None:
        """The run has returned to a checkpoint."""
        self._limits = None
