"""What engines do and wait for, what is in progress, and how they got there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.debugger.moving.past import Past
from nasm.machine.records import Rows
from nasm.runs.execution import Execution

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.base.page import RunPage
    from nasm.debugger.engines.context import Scene
    from nasm.debugger.engines.counters import Changed, Counter
    from nasm.debugger.engines.future_posts import ProgramFlows
    from nasm.debugger.engines.network import ChipLoad
    from nasm.debugger.engines.records import Context
    from nasm.debugger.engines.strips import TimeSoFar
    from nasm.debugger.engines.transfers import TransferRecord
    from nasm.debugger.engines.users import LineUse
    from nasm.debugger.engines.wait_chain import WaitChain
    from nasm.debugger.values.engine_state import StatePart

STRIP = 60
"""Default number of cells of a strip."""


class EnginePart:
    """The engines of a run, with its past, which is done again to see how it went."""

    _looked: ProgramFlows | None = None

    def __init__(self, run: Execution, past: Past) -> None:
        self.run, self.past = run, past

    @property
    def _flows(self) -> ProgramFlows:
        from nasm.debugger.engines.future_posts import ProgramFlows

        if self._looked is None or not self._looked.current:
            self._looked = ProgramFlows(self.run.machine)
        return self._looked

    def context(self) -> Context:
        """What every engine executes, what it does next, and why that does not start yet."""
        from nasm.debugger.engines.context import context

        return context(self.run.machine, self._flows, self.run.status)

    def transfers(self) -> Rows[TransferRecord]:
        """Every transfer (DMA) in flight, oldest first."""
        from nasm.debugger.engines.transfers import TransferRecord

        return self.run.rows(TransferRecord, self.scene().transfers)

    def network(self, chip: int = 0) -> ChipLoad:
        """A chip as a map, with the loads of the links of its networks so far."""
        from nasm.debugger.engines.network import chip_load

        return chip_load(self.run.machine, chip)

    def counters(self, name: str = "") -> Rows[Counter]:
        """Every semaphore and event the program names, or one, with who waits and who can post.

        Raises Refused if there is none of that name.
        """
        from nasm.debugger.engines.counters import Counter, counter

        numbers = {**self.run.program.semaphores, **self.run.program.events}
        scene = self.scene()
        wanted = [self.run.semaphore(name)] if name else sorted(numbers.values())
        return self.run.rows(Counter, (counter(scene, number) for number in wanted))

    def blocked(self, engine: str) -> WaitChain:
        """Why an engine is blocked, back to what no other blocks; raises Refused.

        It is named as :meth:`queue` says.
        """
        from nasm.debugger.engines.wait_chain import blocked

        return blocked(self.scene(), self.run.queue(engine))

    def who(self, text: str) -> Rows[LineUse]:
        """Every line that reads or writes a tensor or slice, or uses a ``$semaphore``.

        ``%r0`` and ``@scalar.%r0`` are registers. Raises Failure or Refused.
        """
        from nasm.debugger.engines import users as who

        return self.run.rows(who.LineUse, who.uses(self.run, self._flows, text))

    def held(self, engine: str = "") -> tuple[StatePart, ...]:
        """What an engine, or each of them, holds between instructions: tiles, masks, accumulators.

        It is named as :meth:`queue` says. Raises Refused, and Failure in a run without values.
        """
        from nasm.debugger.values.engine_state import engine_parts

        return engine_parts(self.run, engine)

    # -- the past

    def history(self, name: str, most: int | None = None) -> Rows[Changed]:
        """The last changes of a semaphore or event, the latest last; raises Refused.

        The run is done again to see them, from the last checkpoint or from earlier ones.
        """
        from nasm.debugger.engines.counters import Changed, history

        given = {} if most is None else {"most": most}
        found = history(self.past, self.scene(), self.run.semaphore(name), **given)
        return self.run.rows(Changed, found)

    def strip(self, cycles: int | None = None, width: int = STRIP) -> TimeSoFar | None:
        """What every engine did in the last cycles of the base clock: in so many cells, and in all.

        The run is done again from the last checkpoint before that. None if it is halted on the way.
        """
        from nasm.debugger.engines.strips import strip

        return strip(self.past, self.scene(), cycles, width)

    def page(self) -> RunPage | None:
        """The run so far as a page of HTML: its timeline, where its time went, its memory.

        Unless the session was made with ``profile=True`` the run is done again. None if it is
        halted on the way.
        """
        from nasm.analysis.profile.profile import WatchedMachine
        from nasm.base.drawing import views
        from nasm.runs.results import Results

        if self.run.results.watched is not None:
            return views().page(self.run.results)
        machine = self.run.machine
        with self.past.excursion() as end:
            self.past.return_before(lambda point: False)
            watched = WatchedMachine(machine)
            self.past.replay(end, *watched.observers)
            if machine.scheduler.halted:
                return None
            return views().page(Results(self.run, watched, reruns=False))

    def scene(self) -> Scene:
        """What engines do now, and can do next."""
        from nasm.debugger.engines.context import Scene

        return Scene(self.run.machine, self._flows, self.run.status)
