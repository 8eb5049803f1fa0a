"""The façade: everything that can be done with a program on a machine.

The shell command, the REPL and Python programs all use a :class:`Session`; what it returns are
frozen records, and arrays. Each ability lives in :mod:`nasm.debug`; here it has its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from nasm.debug import delta, memory, moves, setting, specs, times, who, writing
from nasm.debug.blocked import Blocked, blocked
from nasm.debug.breakpoints import Asked, Breakpoint, Breakpoints, Condition, Hit
from nasm.debug.changes import Divert, SetElements, Type
from nasm.debug.context import Context, Scene, context
from nasm.debug.counters import REMEMBERED, Changed, Counter, counter, history
from nasm.debug.delta import MemoryChange
from nasm.debug.differences import Difference, difference, of_file
from nasm.debug.expressions import Expression, Value, first
from nasm.debug.held import Held, held
from nasm.debug.latest import SECONDS, Latest, latest
from nasm.debug.memory import BankNow, Lane, MemoryNow, Owner
from nasm.debug.outlook import Outlook
from nasm.debug.past import KEPT, Change, Past
from nasm.debug.pictures import Picture, picture
from nasm.debug.places import loop_variables, place
from nasm.debug.setting import Altered, going_on_at, skipping
from nasm.debug.statistics import BINS, Histogram, Statistics, histogram, statistics
from nasm.debug.stops import Met, Test, When
from nasm.debug.strips import STRIP, TimeSoFar, strip
from nasm.debug.transfers import TransferRecord
from nasm.debug.travel import Mark, Travel
from nasm.debug.typed import Observed, Typed, Typing, Written, program_text, told, written_by
from nasm.debug.who import Use
from nasm.debug.why import DEPTH, MOST, LastWrite, Why, last_write, why
from nasm.gc_pause import paused
from nasm.problems import Failure, Refused, did_you_mean
from nasm.running import ASSEMBLED, CHUNK, Checkpoint, Running
from nasm.source import Source
from nasm.targets import USUAL

__all__ = ["ASSEMBLED", "Session"]

NO_PROGRAM = "an empty machine"
"""Instead of the name of a program."""


class Session(Running):
    """A program on a machine, where it can be run, stopped, inspected, changed and taken back.

    It is made as a :class:`~nasm.running.Running` is. So that going back takes no time, up to
    ``keep`` bytes are kept of the past; with 0 it takes as long as the run did. What is profiled
    or traced keeps nothing unless it is said.
    """

    def __init__(self, *args: Any, keep: int | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        if keep is None:
            keep = 0 if more.get("profile") or more.get("trace") else KEPT
        self.past = Past(self, super()._advance, keep)
        self.breakpoints = Breakpoints(self, self.past)
        self._travel = Travel(self, self.past, self.breakpoints)
        self._typing = Typing(self)

    @classmethod
    def empty(cls, target: str = USUAL, **more: Any) -> Self:
        """A machine without a program, on which declarations and instructions can be typed.

        ``more`` is as for a program.
        """
        return cls(Source(NO_PROGRAM, f".target {target}\n"), **more)

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
        what: str,
        *,
        after: bool = False,
        condition: str = "",
        ignore: int = 0,
        temporary: bool = False,
        name: str = "",
        commands: Sequence[str] = (),
    ) -> Breakpoint:
        """Stop where ``what`` says; raises Refused or Failure.

        A line, a label, a mnemonic, an engine or ``tensor pc 3``: before such an instruction
        starts, or ``after`` it has completed. ``$loaded`` and ``$loaded >= 32``: when it changes,
        or comes to be so. ``@scalar.%r0``; ``cycle 500``, ``2.5us``; ``transfer [start | land]
        [PLACE]``; ``held N [ENGINE]``; ``hazard [CODE]``; ``nan``; ``if EXPRESSION``. Only if the
        ``condition`` holds, an expression that may use the variables of the loops around an
        instruction.
        """
        word, _, rest = what.strip().partition(" ")
        if word == "if" and not condition:
            spec = specs.Spec(f"{rest.strip()} is true", self.stop_when(rest))
        else:
            spec = specs.breaking(self, what, after)
        asked = Asked(what, "after" if after else "")
        return self._set(spec, asked, condition, ignore, temporary, name, commands)

    def watch(
        self,
        what: str,
        how: str = "changed",
        *,
        condition: str = "",
        ignore: int = 0,
        temporary: bool = False,
        name: str = "",
        commands: Sequence[str] = (),
    ) -> Breakpoint:
        """Stop when memory is ``changed``, ``written`` or ``read``; raises Refused or Failure.

        ``what`` is a tensor or a part of one, ``psum bank 2``, ``sbuf 0:64 partitions 0:8``
        (bytes), a semaphore or a register.
        """
        spec = specs.watching(self, what, how)
        asked = Asked(what, how)
        return self._set(spec, asked, condition, ignore, temporary, name, commands)

    def _set(
        self,
        spec: specs.Spec,
        asked: Asked,
        condition: str,
        ignore: int,
        temporary: bool,
        name: str,
        commands: Sequence[str],
    ) -> Breakpoint:
        record = Breakpoint(
            0,
            spec.what,
            condition,
            ignore,
            temporary,
            name=name,
            commands=tuple(commands),
            note=spec.note,
            asked=asked,
        )
        holds = self._condition(condition) if condition else None
        return self.breakpoints.add(record, spec.test, holds)

    def take_over(self, other: Session) -> tuple[tuple[Breakpoint, str], ...]:
        """Set the breakpoints of another session; returns those that cannot be, each with why."""
        lost = []
        for one in other.breakpoints:
            given: dict[str, Any] = {
                "condition": one.condition,
                "ignore": one.ignore,
                "temporary": one.temporary,
                "name": one.name,
                "commands": one.commands,
            }
            what, how = one.asked
            try:
                if one.watch:
                    made = self.watch(what, how, **given)
                else:
                    made = self.break_at(what, after=bool(how), **given)
                self.breakpoints.change(made.number, enabled=one.enabled)
            except Refused as refused:
                lost.append((one, refused.message))
            except Failure as failure:
                lost.append((one, failure.problems[0].message))
        return tuple(lost)

    def _condition(self, text: str) -> Condition:
        """A condition, which may use the variables of loops; false where one of them is none."""
        variables = loop_variables(self.program)
        expression = self.expression(text, variables)
        used = variables & expression.used

        def holds(names: dict[str, int]) -> bool:
            if not used <= names.keys():
                return False
            return expression.value(self, {name: names[name] for name in used}).holds

        return holds

    # -- moving

    def event(self) -> tuple[Met, ...]:
        """Go on to the very next thing that happens; none if nothing more can."""
        return self.run_until(moves.Anything(self))

    def finish(self, engine: str) -> tuple[Met, ...]:
        """Run until an engine has completed all its instructions."""
        return self.run_until(moves.Done(self, self.queue(engine)))

    def finish_loop(self, engine: str, whole: bool = False) -> tuple[Met, ...]:
        """Run until the round of the loop that an engine is in has ended, or the ``whole`` loop.

        Raises Refused if its next instruction is in none.
        """
        queue = self.queue(engine)
        loop = moves.loop_around(self.program, queue.index, queue.pc)
        if loop is None:
            name = self.program.queue_name(queue.index)
            raise Refused("E0822", f"the next instruction of {name} is in no loop")
        return self.run_until(moves.Left(self, queue.index, loop, whole))

    def finish_transfers(self, where: str = "") -> tuple[Met, ...]:
        """Run until the transfers under way have landed: all, or those that a place issued."""
        flying = self.machine.scheduler.transfers.values()
        found = place(self, where) if where else None
        keys = [f.key for f in flying if found is None or found.holds(*f.origin)]
        if not keys:
            raise Refused("E0822", "no such transfer is under way", "'info transfers' lists them")
        return self.run_until(moves.Landed(self, keys))

    def stop_for(self, what: str) -> Test:
        """What a text as for :meth:`break_at` would stop at, for :meth:`run_until`."""
        return specs.breaking(self, what).test

    def stop_when(self, text: str) -> Test:
        """An expression to be true, for :meth:`run_until`; raises Failure if it is none."""
        expression = self.expression(text)
        return When(self, text, lambda: expression.value(self).holds)

    def run_until(self, test: Test | str) -> tuple[Met, ...]:
        """Run until a test meets something, or a breakpoint is met; returns what the test met.

        A text is an expression, to be true.
        """
        if isinstance(test, str):
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

        Returns by how many it went: fewer if that is the start.
        """
        return self._travel.back(count, self.queue(engine) if engine is not None else None)

    def back_cycles(self, cycles: int, engine: str | None = None) -> None:
        """Go back by cycles of an engine's clock (default: the base clock)."""
        clock = self.program.generation.base.cycle
        if engine is not None:
            clock = self.machine.cycle(self.queue(engine).index)
        self._travel.to_tick(max(0, self.now - cycles * clock))

    def back_until(self, expression: str) -> bool:
        """Go back to where an expression came to be true last; whether it ever did."""
        return self._travel.to_condition(self.stop_when(expression))

    def back_to_stop(self, *which: int | str) -> bool:
        """Go back to where a breakpoint was met last, some or any; whether there was one."""
        return self._travel.to_stop(which)

    def back_to_write(self, what: str) -> tuple[Met, ...]:
        """Go back to just before the last write of a tensor or a part of one; returns what it was.

        Nothing if it was not written before.
        """
        return self._travel.to_write(specs.watching(self, what, "written").test)

    def goto(self, where: str | int) -> None:
        """Go to a cycle of the base clock, a time (``2.5us``), ``start``, ``end``, or a mark."""
        text = str(where).strip()
        if text == "start":
            self.back_to(self.checkpoints[0])
        elif text == "end":
            self._travel.to_end()
        elif text in self._travel.marks or text.isidentifier():
            self._travel.to_mark(text)
        else:
            self._travel.to_tick(times.tick(self, text))

    def mark(self, name: str) -> Mark:
        """Give this moment a name."""
        return self._travel.mark(name)

    def moments(self) -> tuple[Mark, ...]:
        """The moments that have a name."""
        return tuple(self._travel.marks.values())

    def mend(self) -> None:
        """Go to before the event in the middle of which the machine was stopped."""
        self.past.to_position(max(0, self.machine.scheduler.position - 1))

    # -- seeing

    def since(self) -> Checkpoint:
        """A moment to compare memory with later, by :meth:`changes`; :meth:`release` it then."""
        delta.settle(self)
        return self.checkpoint()

    def changes(self, since: Checkpoint) -> tuple[MemoryChange, ...]:
        """What of each tensor is not as it was; nothing if the run went back to before that."""
        return delta.changes(self, since) if since in self.checkpoints and self.values else ()

    def release(self, since: Checkpoint) -> None:
        """A moment is no longer needed to compare with."""
        since.pinned = False

    def expression(self, text: str, names: Iterable[str] = ()) -> Expression:
        """An expression of the language of ``.expect``, read once, to be asked at any moment.

        Semaphores (``$loaded``) and registers (``@scalar.%r0``) may stand in it, and ``names`` of
        numbers that are given with each question. Raises Failure.
        """
        return Expression(self, text, names)

    def evaluate(self, text: str, names: Mapping[str, int | float] | None = None) -> Value:
        """What an expression is now, to be read before the machine runs on; raises Failure."""
        return Expression(self, text, names or ()).value(self, names)

    def statistics(self, value: Value) -> Statistics:
        """The least, the greatest and the mean of what an expression is, and what is missing."""
        return statistics(value)

    def first(self, value: Value, count: int) -> Value:
        """The first elements of what an expression is, in row-major order."""
        return first(value, count)

    def written(self, name: str) -> float:
        """How much of a tensor is initialised, from 0 to 1; raises Failure."""
        return memory.written(self, name)

    def latest(self, seconds: float | None = SECONDS) -> Latest | None:
        """When each tensor was written last, and by whom, as far as a search in the past finds it.

        What took more than so many ``seconds`` to compute is not done again, if there is a bound.
        None if it is halted on the way.
        """
        return latest(self.past, self._scene(), seconds)

    def histogram(self, value: Value, bins: int = BINS) -> Histogram:
        """How the finite numbers of what an expression is are spread."""
        return histogram(value, bins)

    def memories(self, name: str = "", rows: int = 8, columns: int = 64) -> tuple[MemoryNow, ...]:
        """Who owns which bytes of a memory, or of each, and what of that is written.

        A map has at most so many rows and columns of cells. Raises Refused for an unknown name.
        """
        return memory.memories(self, name, rows, columns)

    def bank_states(self) -> tuple[BankNow, ...]:
        """Every bank: what is in it, and whether instructions ahead add to that."""
        return memory.banks(self)

    def owners(self, bank: BankNow) -> tuple[Owner, ...]:
        """The tensors that have bytes in a bank."""
        tensors = self.program.tensors
        return tuple(memory.owner(self, tensors[name]) for name in bank.record.tensors)

    def partition(self, number: int) -> tuple[Lane, ...]:
        """What every tensor has in a partition, by memory and address."""
        return memory.lanes(self, number)

    def held(self, engine: str = "") -> tuple[Held, ...]:
        """What an engine, or each of them, holds between instructions: tiles, masks, accumulators.

        It is named as :meth:`queue` says. Raises Refused, and Failure in a run without values.
        """
        return held(self, engine)

    def difference(
        self,
        left: str | Value,
        right: str | Value,
        *,
        rtol: float | None = None,
        atol: float | None = None,
    ) -> Difference:
        """How two values differ, exactly or with a tolerance; raises Failure or Refused.

        They are expressions, values, and on the right also the path of an array file in quotes.
        """
        mine = self.evaluate(left) if isinstance(left, str) else left
        if isinstance(right, str):
            file = re.fullmatch(r'\s*"([^"]*)"\s*', right)
            right = of_file(mine, file[1], self.files) if file else self.evaluate(right)
        return difference(mine, right, rtol, atol)

    def write(self, text: str, path: str, *, over: bool = False) -> writing.Written:
        """Write what an expression is to an array file; raises Failure or Refused.

        A file that exists stays as it is unless it is to be written ``over``.
        """
        return writing.write(self.evaluate(text), path, self.files, over)

    def picture(self, value: Value, rows: int, columns: int, mean: bool = False) -> Picture:
        """What an expression is in at most so many rows and columns of cells; raises Refused.

        A cell has the element of its block that is farthest from zero, or the mean of them.
        """
        return picture(value, rows, columns, mean)

    @cached_property
    def _outlook(self) -> Outlook:
        return Outlook(self.machine)

    def context(self) -> Context:
        """What every engine executes, what it does next, and why that does not start yet."""
        return context(self.machine, self._outlook, self.status)

    def transfers(self) -> tuple[TransferRecord, ...]:
        """Every transfer (DMA) under way, oldest first."""
        return self._scene().transfers

    def counters(self, name: str = "") -> tuple[Counter, ...]:
        """Every semaphore and event the program names, or one, with who waits and who can post.

        Raises Refused if there is none of that name.
        """
        numbers = {**self.program.semaphores, **self.program.events}
        scene = self._scene()
        wanted = [self._semaphore(name)] if name else sorted(numbers.values())
        return tuple(counter(scene, number) for number in wanted)

    def history(self, name: str, most: int = REMEMBERED) -> tuple[Changed, ...]:
        """The last changes of a semaphore or event, the latest last; raises Refused.

        The run is done again to see them, from the last checkpoint or from earlier ones.
        """
        return history(self.past, self._scene(), self._semaphore(name), most)

    def _semaphore(self, name: str) -> int:
        """A semaphore or event by its name, among those of all cores."""
        numbers = {**self.program.semaphores, **self.program.events}
        number = numbers.get(name.removeprefix("$"))
        if number is None:
            hint = did_you_mean(name.removeprefix("$"), numbers, "$")
            hint = hint or "'info semaphores' lists them"
            raise Refused("E0206", f"no semaphore '${name.removeprefix('$')}'", hint)
        return number

    def strip(self, cycles: int | None = None, width: int = STRIP) -> TimeSoFar | None:
        """What every engine did in the last cycles of the base clock: in so many cells, and in all.

        The run is done again from the last checkpoint before that. None if it is halted on the way.
        """
        return strip(self.past, self._scene(), cycles, width)

    def _scene(self) -> Scene:
        return Scene(self.machine, self._outlook, self.status)

    # -- asking

    def blocked(self, engine: str) -> Blocked:
        """Why an engine does not go on, back to what no other holds up; raises Refused.

        It is named as :meth:`queue` says.
        """
        return blocked(self._scene(), self.queue(engine))

    def who(self, text: str) -> tuple[Use, ...]:
        """Every line that reads or writes a tensor or slice, or posts or awaits a ``$semaphore``.

        ``%r0`` and ``@scalar.%r0`` are registers. Raises Failure or Refused.
        """
        register = re.fullmatch(r"(?:@?([\w.]+)[. ]\s*)?%r(\d+)", text.strip())
        if register is not None:
            queues = self.machine.scheduler.queues
            of = [self.queue(register[1])] if register[1] else queues
            return who.of_register(
                self.machine, self._outlook, int(register[2]), [queue.index for queue in of]
            )
        if text.startswith("$"):
            return who.of_semaphore(self.machine, self._outlook, self._semaphore(text))
        return who.of_view(self.machine, self._outlook, self.view(text))

    def why(self, text: str, depth: int = DEPTH, most: int = MOST) -> Why:
        """Where an element of a tensor got the value that it has now; raises Failure.

        ``text`` names it as the language does. What made it, of what, and where that came from,
        ``depth`` times back (copies do not count), at the ``most`` so many values in all.
        """
        return why(self, self.past, text, depth, most)

    def last_write(self, text: str) -> LastWrite | None:
        """The last write of any element of a tensor or slice until now; None if there was none."""
        return last_write(self, self.past, text)

    # -- trying

    def change(self, change: Change) -> object:
        """Change something by hand; what lies ahead of now is forgotten, unless it has a name."""
        return self.past.change(change)

    def undo(self) -> Change | None:
        """Take back the last change by hand, and go to where it was made; None if there is none."""
        return self._travel.undo()

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
            self.change(change)
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
        change = setting.setting(self, place, value)
        if isinstance(change, SetElements):
            seen = Observed(self, [view for view, _ in change.values])
            self.past.change(change)
            return next(seen.written())
        before = setting.held(self, change)
        self.past.change(change)
        after = setting.held(self, change)
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
        return tuple(made.change for made in self.past.changes[: self.changes_made])

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

    def typed_text(self) -> str:
        """The program with what was typed behind it, as a text that assembles; raises Refused."""
        return program_text(self, self._typing, self.by_hand)

    def _complete(self, change: Type) -> None:
        """Run until the instructions of a change have completed, or nothing can happen."""
        scheduler = self.machine.scheduler
        self._begin()
        queues = [scheduler.queues[index] for index, _ in change.pcs]
        wanted = [
            queue.count + len(queue.flight) + len(pcs)
            for queue, (_, pcs) in zip(queues, change.pcs, strict=True)
        ]
        while any(q.count < n for q, n in zip(queues, wanted, strict=True)) and not self.over:
            self._advance(CHUNK, retire=scheduler.retired + 1)
            if self._halted():
                return
        if not self.over and scheduler.stuck:
            self._advance(CHUNK)  # nothing starts any more: it only gets known
