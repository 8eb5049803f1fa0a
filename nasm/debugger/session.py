"""The façade: everything that can be done with a program on a machine.

The shell command, the REPL and Python programs all use a :class:`Session`; what it returns are
frozen records, and arrays. Each ability lives in :mod:`nasm.debugger`; here it has its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self, Unpack

from nasm.base.delegation import part_method
from nasm.base.drawing import Drawn
from nasm.base.gc_pause import paused
from nasm.base.problems import Failure, Problem, counted, in_line, number_of
from nasm.base.records import replace
from nasm.base.source import Source
from nasm.base.source_files import Text
from nasm.debugger.moving import moves, specs
from nasm.debugger.moving.breakpoint_records import Breakpoint, Hit
from nasm.debugger.moving.breakpoints import Breakpoints
from nasm.debugger.moving.locations import loop_variables
from nasm.debugger.moving.past import KEPT, Past
from nasm.debugger.moving.stops import Met, Test
from nasm.debugger.moving.travel import Mark, Travel
from nasm.debugger.parts.changes import ChangePart
from nasm.debugger.parts.engines import EnginePart
from nasm.debugger.parts.expressions import ExpressionPart
from nasm.debugger.parts.memory import MemoryPart
from nasm.debugger.parts.why import WhyPart
from nasm.debugger.values.names import Lets, Named
from nasm.language.expanding.statements import unknown_target
from nasm.machine import Machine
from nasm.machine.inputs import Inputs
from nasm.machine.records import Moment, Rows, RunReport, Status
from nasm.program.program import Program
from nasm.runs.execution import CHUNK, Running
from nasm.runs.settings import (
    EmptyKeywords,
    RunSettings,
    SessionKeywords,
    with_keywords,
    with_settings,
)
from nasm.sim.delays import Delays
from nasm.targets import TARGETS, USUAL

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.analysis.profile.what_if import WhatIf

NO_PROGRAM = "an empty machine"
"""Instead of the name of a program."""


class Session(Drawn, Running):
    """A program on a machine, where it can be run, stopped, inspected, changed and taken back.

    ``program`` is a Program, the path of a file or a text of several lines to assemble. ``inputs``
    are arrays by tensor name, or the path of a .npz file or of a folder of .npy files; they
    override initialisers. The keywords are described at :class:`nasm.RunSettings`. Everything is
    loaded once, here; raises :class:`nasm.Failure` with every problem.

    It has parts: ``stops`` are its breakpoints, ``past`` what was kept to go back by, ``memory``,
    ``engines`` and ``expressions`` look at the moment it is at, ``why`` asks where values came
    from, and ``changes`` is what was typed or changed by hand. What is used most is a method of the
    session, too.

    Names, places, times and expressions are texts as the debugger takes them. What is not one
    raises :class:`nasm.Failure`, with its place in a text that does not parse, or
    :class:`nasm.Refused`; both are a :class:`nasm.Error`, and have ``problems``. Times in records
    are ticks: :meth:`microseconds` says what they are worth. A session belongs to one thread; only
    :meth:`halt` may be called by another. It cannot be copied or pickled: a program can, and so can
    records that hold no tensors.
    """

    BURSTS = False

    stops: Breakpoints
    expressions: ExpressionPart
    memory: MemoryPart
    engines: EnginePart
    why: WhyPart
    changes: ChangePart

    @with_settings(SessionKeywords)
    def __init__(
        self,
        program: Program | Text,
        inputs: Inputs | None = None,
        *,
        settings: RunSettings | None = None,
        **keywords: Unpack[SessionKeywords],
    ) -> None:
        chosen = with_keywords(settings, keywords)
        super().__init__(program, inputs, settings=chosen)
        keep = chosen.keep
        if keep is None:
            keep = 0 if chosen.profile or chosen.trace else KEPT
        self.past = Past(self, super()._advance, keep)
        self.stops = self.breakpoints = Breakpoints(self, self.past)
        self._travel = travel = Travel(self, self.past, self.stops)
        self.expressions = ExpressionPart(self, travel)
        self.memory = MemoryPart(self)
        self.engines = EnginePart(self, self.past)
        self.why = WhyPart(self, travel, self.engines)
        self.changes = ChangePart(self, travel, self.expressions, self.memory)
        self.named = {}
        self._lets = Lets(
            self, self.named, self.stops.read_again, lambda: loop_variables(self.program)
        )

    @classmethod
    @with_settings(EmptyKeywords)
    def empty(
        cls,
        target: str | None = None,
        *,
        settings: RunSettings | None = None,
        **keywords: Unpack[EmptyKeywords],
    ) -> Self:
        """A machine without a program, on which declarations and instructions can be typed.

        What it takes is as for a program. Raises Failure if there is no such target.
        """
        chosen = with_keywords(settings, keywords)
        name = target or chosen.target or USUAL
        if name not in TARGETS:
            raise Failure(unknown_target(str(name), TARGETS).at(None))
        chosen = replace(chosen, target=None, defines=None)
        return cls(Source(NO_PROGRAM, f".target {name}\n"), settings=chosen)

    def __repr__(self) -> str:
        name = in_line(self.source.name) if self.source else "a program"
        said = [f"<session of {name}: {self.status.value}"]
        if self.status is not Status.READY:
            said.append(f"at {self.units.moment(self.now)}")
        if self.hits:
            said.append(f"at {in_line(str(self.hits[0]))}")
        if self.changes_made:
            said.append(f"{counted(self.changes_made, 'change')} by hand")
        return f"{', '.join(said)}>"

    def __reduce_ex__(self, protocol: object) -> Any:
        said = "a session is not copied or pickled: make another one of its program"
        raise TypeError(said)

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.ended and self.past.next_change is None

    def _begin(self) -> None:
        super()._begin()
        self.stops.hits = ()

    def _advance(self, events: int, until: int | None = None, retire: int | None = None) -> int:
        position = self.machine.scheduler.position
        self.stops.advance(events, until, retire)
        return self.machine.scheduler.position - position

    def restart(self) -> None:
        """Return to the start with the inputs that were loaded then; changes by hand are gone."""
        super().restart()
        self.past.changes.clear()
        self.stops.hits = ()

    # -- stopping

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The breakpoints that the last move met, if it stopped there."""
        return self.stops.hits

    break_at = part_method("stops", Breakpoints.at)
    watch = part_method("stops", Breakpoints.watch)

    def take_over(self, other: Session) -> tuple[tuple[Named | Breakpoint, str], ...]:
        """Have the names of expressions and the breakpoints of another session.

        Returns those that cannot be, each with why.
        """
        lost = self._lets.take_over(other.named)
        return (*lost, *self.stops.take_over(other.breakpoints))

    # -- names

    def let(self, name: str, text: str) -> Named:
        """Give an expression a name, which may be used in place of it: evaluated when it is used.

        So it is another value at another moment. What it is made of may have such names, too. If it
        was a name of another expression, breakpoints that use it are parsed again. Raises Failure
        or Refused, also if the name means something else in the program.
        """
        return self._lets.set(name, text)

    def unlet(self, name: str) -> Named:
        """Forget the name of an expression; raises Refused, also if something is made of it."""
        return self._lets.remove(name)

    def lets(self) -> Rows[Named]:
        """The names of expressions, in the order in which they were given first."""
        return self._rows(Named, (Named(name, text) for name, text in self.named.items()))

    # -- moving

    def event(self) -> tuple[Met, ...]:
        """Run to the next event; none if nothing more can happen."""
        return self.run_until(moves.AnyEvent(self))

    def finish(self, engine: str) -> tuple[Met, ...]:
        """Run until an engine has completed all its instructions; raises Refused."""
        return self.run_until(moves.Done(self, self.queue(engine)))

    def finish_loop(self, engine: str, whole: bool = False) -> tuple[Met, ...]:
        """Run until the round of the loop that an engine is in has ended, or the ``whole`` loop.

        Raises Refused if its next instruction is in none.
        """
        return self.run_until(moves.of_loop(self, engine, whole))

    def finish_expansion(self, engine: str) -> tuple[Met, ...]:
        """Run until the instruction that an engine is in has been executed, with all it expands to.

        Raises Refused if its next instruction is not one of an expansion.
        """
        return self.run_until(moves.of_expansion(self, engine))

    def finish_transfers(self, where: str | int = "") -> tuple[Met, ...]:
        """Run until the transfers in flight have landed: all, or those that a place issued.

        Raises Refused if there are none.
        """
        return self.run_until(moves.of_transfers(self, str(where)))

    def stop_for(self, what: str | int) -> Test:
        """What a text as for :meth:`break_at` would stop at, for :meth:`run_until`."""
        return specs.breaking(self, str(what)).test

    def stop_when(self, text: str) -> Test:
        """An expression to be true, for :meth:`run_until`; raises Failure if it is none."""
        return specs.when(self, text)

    def run_until(self, test: Test | str) -> tuple[Met, ...]:
        """Run until an expression is true, or to a breakpoint; returns what it met.

        Nothing if the run ended, or stopped at a breakpoint, before. ``test`` may also be what
        :meth:`stop_for` gives: ``session.run_until(session.stop_for("line 19"))``. Raises Failure.
        """
        if not isinstance(test, Test):
            test = self.stop_when(test)
        self._begin()
        with paused():
            while not self.over:
                position = self.machine.scheduler.position
                met = self.stops.advance(CHUNK, tests=(test,))
                if self._halted():
                    return met
                if self.machine.scheduler.position == position:
                    break
        return ()

    # -- going back

    def back(self, count: int = 1, engine: str | None = None) -> int:
        """Go back by so many completed instructions, of an engine or of any, as a step counts them.

        Returns by how many it went: fewer if that is the start. Raises Refused.
        """
        queue = self.queue(engine) if engine is not None else None
        return self._travel.back(number_of("instructions", count), queue)

    def back_cycles(self, cycles: int, engine: str | None = None) -> None:
        """Go back by cycles of an engine's clock (default: the base clock); raises Refused."""
        clock = self.program.generation.base.cycle
        if engine is not None:
            clock = self.machine.cycle(self.queue(engine).index)
        self._travel.to_tick(max(0, self.now - number_of("cycles", cycles) * clock))

    def back_until(self, expression: str) -> bool:
        """Go back to where an expression last became true; whether it ever did."""
        return self._travel.to_condition(self.stop_when(expression))

    def back_to_stop(self, *which: int | str) -> bool:
        """Go back to where a breakpoint was met last, some or any; whether there was one."""
        return self._travel.to_stop(which)

    def back_to_write(self, what: str) -> tuple[Met, ...]:
        """Go back to just before the last write of a tensor or a part of one; returns what it was.

        Nothing if it was not written before.
        """
        return self._travel.to_write(specs.watching(self, what, "written").test)

    def goto(self, where: str | int | Mark | Moment) -> None:
        """Go to a moment, back or forward; nothing stops on the way. Raises Refused.

        ``where`` is a cycle of the base clock, a time (``2.5us``), ``start``, ``end``, the name of
        a moment or what :meth:`mark` returned, or what :attr:`moment` was.
        """
        self._travel.to(where)

    def mark(self, name: str) -> Mark:
        """Give this moment a name, for :meth:`goto`; raises Refused if it is no word."""
        return self._travel.mark(name)

    def moments(self) -> Rows[Mark]:
        """The moments that have a name."""
        return self._rows(Mark, self._travel.marks.values())

    def mend(self) -> None:
        """Go to before the event in the middle of which the machine was stopped."""
        self._travel.to_position(max(0, self.machine.scheduler.position - 1))

    at = part_method("_travel", Travel.at)

    # -- what parts do, under the names that are typed most

    evaluate = part_method("expressions", ExpressionPart.evaluate)
    context = part_method("engines", EnginePart.context)
    transfers = part_method("engines", EnginePart.transfers)
    counters = part_method("engines", EnginePart.counters)
    blocked = part_method("engines", EnginePart.blocked)
    who = part_method("engines", EnginePart.who)
    history = part_method("engines", EnginePart.history)
    last_write = part_method("why", WhyPart.last_write)
    execute = part_method("changes", ChangePart.execute)
    declare = part_method("changes", ChangePart.declare)
    set = part_method("changes", ChangePart.set)
    skip = part_method("changes", ChangePart.skip)
    set_pc = part_method("changes", ChangePart.set_pc)
    undo = part_method("changes", ChangePart.undo)

    # -- what it comes to

    def report(self, hashes: bool = True) -> RunReport:
        """The run so far, and what was changed by hand; expectations are judged if it finished."""
        changes = tuple(map(str, self.changes.made))
        return replace(super().report(hashes), changes=changes)

    def what_if(self) -> Iterator[WhatIf]:
        """Run the program again, each time without something that may have cost it time.

        Not after changes by hand: another machine would run the program without them.
        """
        return iter(()) if self.changes_made else super().what_if()

    def delayed(self, delays: Delays) -> Machine:
        """A machine with other timings; raises Failure after changes by hand, too."""
        if self.changes_made:
            said = "the run was changed by hand, which other runs of the program would not be"
            raise Failure(Problem("E0836", said, None, "'restart' takes back what was changed"))
        return super().delayed(delays)
