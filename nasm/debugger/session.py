"""The façade: everything that can be done with a program on a machine.

The shell command, the REPL and Python programs all use a :class:`Session`; what it returns are
frozen records, and arrays. Each ability lives in :mod:`nasm.debugger`; here it has its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, Unpack

from nasm.base.drawing import Drawn
from nasm.base.gc_pause import paused
from nasm.base.problems import Failure, Problem, counted, in_line, number_of
from nasm.base.source import Source
from nasm.base.source_files import Text
from nasm.debugger.edits import Trying
from nasm.debugger.moving import moves, specs
from nasm.debugger.moving.breakpoints import Breakpoint, Breakpoints, Hit
from nasm.debugger.moving.locations import loop_variables
from nasm.debugger.moving.past import KEPT, Past
from nasm.debugger.moving.specs import StopRequest
from nasm.debugger.moving.stops import Met, Test
from nasm.debugger.moving.travel import Mark, Travel
from nasm.debugger.values.expressions import dated
from nasm.debugger.values.names import Lets, Named
from nasm.debugger.values.value import Value
from nasm.language.expanding.statements import unknown_target
from nasm.machine import Machine
from nasm.machine.inputs import Inputs
from nasm.machine.records import Moment, Rows, RunReport, Status
from nasm.program.program import Program
from nasm.runs.running import CHUNK
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
    from nasm.debugger.origins.records import LastWrite, Why

NO_PROGRAM = "an empty machine"
"""Instead of the name of a program."""


class Session(Drawn, Trying):
    """A program on a machine, where it can be run, stopped, inspected, changed and taken back.

    ``program`` is a Program, the path of a file or a text of several lines to assemble. ``inputs``
    are arrays by tensor name, or the path of a .npz file or of a folder of .npy files; they
    override initialisers. The keywords are described at :class:`nasm.RunSettings`. Everything is
    loaded once, here; raises :class:`nasm.Failure` with every problem.

    Names, places, times and expressions are texts as the debugger takes them. What is not one
    raises :class:`nasm.Failure`, with its place in a text that does not parse, or
    :class:`nasm.Refused`; both are a :class:`nasm.Error`, and have ``problems``. Times in records
    are ticks: :meth:`microseconds` says what they are worth. A session belongs to one thread; only
    :meth:`halt` may be called by another. It cannot be copied or pickled: a program can, and so can
    records that hold no tensors.
    """

    BURSTS = False

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
        self.breakpoints = Breakpoints(self, self.past)
        self._travel = Travel(self, self.past, self.breakpoints)
        self.named = {}
        self._lets = Lets(
            self, self.named, self.breakpoints.read_again, lambda: loop_variables(self.program)
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
        return self.ended and self.past.ahead is None

    def _begin(self) -> None:
        super()._begin()
        self.breakpoints.hits = ()

    def _advance(self, events: int, until: int | None = None, retire: int | None = None) -> int:
        position = self.machine.scheduler.position
        self.breakpoints.advance(events, until, retire)
        return self.machine.scheduler.position - position

    def restart(self) -> None:
        """Return to the start with the inputs that were loaded then; changes by hand are gone."""
        super().restart()
        self.past.changes.clear()
        self.breakpoints.hits = ()

    # -- stopping

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The breakpoints that the last move met, if it stopped there."""
        return self.breakpoints.hits

    def break_at(
        self,
        what: str | int,
        *,
        after: bool = False,
        condition: str = "",
        ignore: int = 0,
        temporary: bool = False,
        name: str = "",
        commands: str | Sequence[str] = (),
    ) -> Breakpoint:
        """Stop where ``what`` says; raises Refused or Failure.

        A line, a label, a mnemonic, an engine or ``tensor pc 3``: before such an instruction
        starts, or ``after`` it has completed. ``$loaded`` and ``$loaded >= 32``: when it changes,
        or becomes true. ``@scalar.%r0``; ``cycle 500``, ``2.5us``; ``transfer [start | land]
        [LOCATION]``; ``held N [ENGINE]``; ``hazard [CODE]``; ``nan``; ``if EXPRESSION``. Only if
        the ``condition`` holds, an expression that may use the variables of the loops around an
        instruction; the first ``ignore`` times not; if it is ``temporary`` only once. ``commands``
        are what the debugger does there. It is listed in :attr:`breakpoints`, and deleted and
        disabled there by its number or ``name``.
        """
        asked = StopRequest(str(what), specs.AFTER if after else "")
        lines = specs.lines(commands)
        return self.breakpoints.set(
            Breakpoint(0, "", condition, ignore, temporary, name=name, commands=lines, asked=asked)
        )

    def watch(
        self,
        what: str,
        how: str = "changed",
        *,
        condition: str = "",
        ignore: int = 0,
        temporary: bool = False,
        name: str = "",
        commands: str | Sequence[str] = (),
    ) -> Breakpoint:
        """Stop when memory is ``changed``, ``written`` or ``read``; raises Refused or Failure.

        ``what`` is a tensor or a part of one, ``psum bank 2``, ``sbuf 0:64 partitions 0:8``
        (bytes), a semaphore or a register; the rest is as for :meth:`break_at`.
        """
        asked = StopRequest(what, how)
        lines = specs.lines(commands)
        return self.breakpoints.set(
            Breakpoint(0, "", condition, ignore, temporary, name=name, commands=lines, asked=asked)
        )

    def take_over(self, other: Session) -> tuple[tuple[Named | Breakpoint, str], ...]:
        """Have the names of expressions and the breakpoints of another session.

        Returns those that cannot be, each with why.
        """
        lost = self._lets.take_over(other.named)
        return (*lost, *self.breakpoints.take_over(other.breakpoints))

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
                met = self.breakpoints.advance(CHUNK, tests=(test,))
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

    # -- asked of parts of cores, too

    def why(self, text: str, depth: int | None = None, most: int | None = None) -> Why:
        """Where an element of a tensor, or a part of what a core holds, got the value it has now.

        Of a part that is the last instruction that changed it; of an element what made it, of what,
        and where that came from, ``depth`` times back (copies are ignored), with ``most`` as the
        limit of values in all. Raises Failure.
        """
        from nasm.debugger.origins import part_changes

        asked = part_changes.of_core(self, text)
        if asked is None:
            return super().why(text, depth, most)
        with self.breakpoints.aside(), self.past.excursion():
            return part_changes.why(self, asked, self._travel.met_last, self.past)

    def last_write(self, text: str) -> LastWrite | None:
        """The last write of any element of a tensor or slice until now; None if there was none.

        Of a part of what a core holds it is the last change. Raises Failure.
        """
        from nasm.debugger.origins import part_changes

        asked = part_changes.of_core(self, text)
        if asked is None:
            return super().last_write(text)
        with self.breakpoints.aside(), self.past.excursion():
            return part_changes.last_change(self, asked, self._travel.met_last, self.past)

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

    # -- at another moment

    def evaluate(self, text: str, names: Mapping[str, int | float] | None = None) -> Value:
        """What an expression is now, to be read before the machine runs on; raises Failure.

        ``acc at 2.5us`` is what it was, or will be, at another moment: see :meth:`goto`.
        """
        text, where = dated(str(text))
        if where:
            from nasm.debugger.values.differences import kept

            with self.at(where):
                return kept(super().evaluate(text, names))
        return super().evaluate(text, names)

    @contextmanager
    def at(self, where: str | int | Mark | Moment) -> Iterator[None]:
        """Within, the run is at another moment, as for :meth:`goto`; then it is back."""
        with self.breakpoints.aside(), self.past.excursion():
            self.goto(where)
            yield

    def report(self, hashes: bool = True) -> RunReport:
        """The run so far, and what was changed by hand; expectations are judged if it finished."""
        changes = tuple(map(str, self.by_hand))
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
