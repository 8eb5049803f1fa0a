"""Moving a run to where something happens, and to any moment it was at."""

from __future__ import annotations

from nasm.base.gc_pause import paused
from nasm.base.problems import number_of
from nasm.debugger.moving import moves, specs
from nasm.debugger.moving.breakpoints import Breakpoints
from nasm.debugger.moving.stops import Met, Test
from nasm.debugger.moving.travel import Mark, Travel
from nasm.machine.records import Moment, Rows
from nasm.runs.execution import CHUNK, Execution


class MovePart:
    """Moves a run forward to what it is asked for, or to a breakpoint, and back."""

    def __init__(self, run: Execution, stops: Breakpoints, travel: Travel) -> None:
        self.run, self.stops, self.travel = run, stops, travel

    def event(self) -> tuple[Met, ...]:
        """Run to the next event; none if nothing more can happen."""
        return self.run_until(moves.AnyEvent(self.run))

    def finish(self, engine: str) -> tuple[Met, ...]:
        """Run until an engine has completed all its instructions; raises Refused."""
        return self.run_until(moves.Done(self.run, self.run.queue(engine)))

    def finish_loop(self, engine: str, whole: bool = False) -> tuple[Met, ...]:
        """Run until the round of the loop that an engine is in has ended, or the ``whole`` loop.

        Raises Refused if its next instruction is in none.
        """
        return self.run_until(moves.of_loop(self.run, engine, whole))

    def finish_expansion(self, engine: str) -> tuple[Met, ...]:
        """Run until the instruction that an engine is in has been executed, with all it expands to.

        Raises Refused if its next instruction is not one of an expansion.
        """
        return self.run_until(moves.of_expansion(self.run, engine))

    def finish_transfers(self, where: str | int = "") -> tuple[Met, ...]:
        """Run until the transfers in flight have landed: all, or those that a place issued.

        Raises Refused if there are none.
        """
        return self.run_until(moves.of_transfers(self.run, str(where)))

    def stop_for(self, what: str | int) -> Test:
        """What a text as for :meth:`break_at` would stop at, for :meth:`run_until`."""
        return specs.breaking(self.run, str(what)).test

    def stop_when(self, text: str) -> Test:
        """An expression to be true, for :meth:`run_until`; raises Failure if it is none."""
        return specs.when(self.run, text)

    def run_until(self, test: Test | str) -> tuple[Met, ...]:
        """Run until an expression is true, or to a breakpoint; returns what it met.

        Nothing if the run ended, or stopped at a breakpoint, before. ``test`` may also be what
        :meth:`stop_for` gives: ``session.run_until(session.stop_for("line 19"))``. Raises Failure.
        """
        if not isinstance(test, Test):
            test = self.stop_when(test)
        self.run.begin()
        with paused():
            while not self.run.over:
                position = self.run.machine.scheduler.position
                met = self.stops.advance(CHUNK, tests=(test,))
                if self.run.met_halt():
                    return met
                if self.run.machine.scheduler.position == position:
                    break
        return ()

    # -- going back

    def back(self, count: int = 1, engine: str | None = None) -> int:
        """Go back by so many completed instructions, of an engine or of any, as a step counts them.

        Returns by how many it went: fewer if that is the start. Raises Refused.
        """
        queue = self.run.queue(engine) if engine is not None else None
        return self.travel.back(number_of("instructions", count), queue)

    def back_cycles(self, cycles: int, engine: str | None = None) -> None:
        """Go back by cycles of an engine's clock (default: the base clock); raises Refused."""
        clock = self.run.program.generation.base.cycle
        if engine is not None:
            clock = self.run.machine.cycle(self.run.queue(engine).index)
        self.travel.to_tick(max(0, self.run.now - number_of("cycles", cycles) * clock))

    def back_until(self, expression: str) -> bool:
        """Go back to where an expression last became true; whether it ever did."""
        return self.travel.to_condition(self.stop_when(expression))

    def back_to_stop(self, *which: int | str) -> bool:
        """Go back to where a breakpoint was met last, some or any; whether there was one."""
        return self.travel.to_stop(which)

    def back_to_write(self, what: str) -> tuple[Met, ...]:
        """Go back to just before the last write of a tensor or a part of one; returns what it was.

        Nothing if it was not written before.
        """
        return self.travel.to_write(specs.watching(self.run, what, "written").test)

    def goto(self, where: str | int | Mark | Moment) -> None:
        """Go to a moment, back or forward; nothing stops on the way. Raises Refused.

        ``where`` is a cycle of the base clock, a time (``2.5us``), ``start``, ``end``, the name of
        a moment or what :meth:`mark` returned, or what :attr:`moment` was.
        """
        self.travel.to(where)

    def mark(self, name: str) -> Mark:
        """Give this moment a name, for :meth:`goto`; raises Refused if it is no word."""
        return self.travel.mark(name)

    def moments(self) -> Rows[Mark]:
        """The moments that have a name."""
        return self.run.rows(Mark, self.travel.marks.values())

    def mend(self) -> None:
        """Go to before the event in the middle of which the machine was stopped."""
        self.travel.to_position(max(0, self.run.machine.scheduler.position - 1))
