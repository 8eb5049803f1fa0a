"""The façade: everything that can be done with a program on a machine.

The shell command, the REPL and Python programs all use a :class:`Session`; what it returns are
frozen records, and arrays. Each ability lives in :mod:`nasm.debugger`; here it has its name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, Unpack

from nasm.base.delegation import part_attribute, part_method, part_property
from nasm.base.drawing import Drawn
from nasm.base.files import Allowed, Files
from nasm.base.problems import Failure, Problem, counted, in_line
from nasm.base.records import replace
from nasm.base.source import Source
from nasm.base.source_files import Given, Text, bytes_of
from nasm.base.suppressions import Policy
from nasm.debugger.moving.breakpoint_records import Breakpoint, Hit
from nasm.debugger.moving.breakpoints import Breakpoints
from nasm.debugger.moving.driver import SessionDriver
from nasm.debugger.moving.locations import loop_variables
from nasm.debugger.moving.past import KEPT, Past
from nasm.debugger.moving.travel import Travel
from nasm.debugger.parts.changes import ChangePart
from nasm.debugger.parts.engines import EnginePart
from nasm.debugger.parts.expressions import ExpressionPart
from nasm.debugger.parts.memory import MemoryPart
from nasm.debugger.parts.moves import MovePart
from nasm.debugger.parts.why import WhyPart
from nasm.debugger.values.names import Lets, Named
from nasm.isa.target import Loader
from nasm.language.assemble import Rewrite
from nasm.language.expanding.statements import unknown_target
from nasm.machine import Machine
from nasm.machine.inputs import Inputs
from nasm.machine.records import Rows, Status
from nasm.program.program import Program
from nasm.runs.execution import Checkpoint, Execution
from nasm.runs.settings import (
    EmptyKeywords,
    RunSettings,
    SessionKeywords,
    with_keywords,
    with_settings,
)
from nasm.targets import TARGETS, USUAL

if TYPE_CHECKING:  # what is asked rarely is imported when it is
    from nasm.runs.waits.records import WaitReport

NO_PROGRAM = "an empty machine"
"""Instead of the name of a program."""


MANY = 1 << 20
"""Events that are processed at once."""


def _execution(
    program: Program | Text, inputs: Inputs | None, rank: int | None, chosen: RunSettings
) -> Execution:
    """A machine with a program: the only one, or one of its ranks."""
    if rank is None:
        return Execution(program, inputs, settings=chosen)
    from nasm.ranks.peers import of_rank  # which most programs do not need

    made = chosen.loaded(program)
    found = of_rank(made.program, inputs, rank, chosen.after_loading(program))
    found.source, found.assembly = made.source, chosen
    return found


class Session(Drawn):
    """A program on a machine, where it can be run, stopped, inspected, changed and taken back.

    ``program`` is a Program, the path of a file or a text of several lines to assemble. ``inputs``
    are arrays by tensor name, or the path of a .npz file or of a folder of .npy files; they
    override initialisers. The keywords are described at :class:`nasm.RunSettings`. Everything is
    loaded once, here; raises :class:`nasm.Failure` with every problem.

    Of a program with several ranks it is one, ``rank``: the others run as far as it waits for them.

    It has parts: ``execution`` is the run, ``moves`` moves it forward and back, ``stops`` are its
    breakpoints, ``past`` what was kept to go back by; ``memory``, ``engines`` and ``expressions``
    look at the moment it is at, ``why`` asks where values came from, and ``changes`` is what was
    typed or changed by hand. What is used most is a method of the session, too.

    Names, places, times and expressions are texts as the debugger takes them. What is not one
    raises :class:`nasm.Failure`, with its place in a text that does not parse, or
    :class:`nasm.Refused`; both are a :class:`nasm.Error`, and have ``problems``. Times in records
    are ticks: :meth:`microseconds` says what they are worth. A session belongs to one thread; only
    :meth:`halt` may be called by another. It cannot be copied or pickled: a program can, and so can
    records that hold no tensors.
    """

    execution: Execution
    stops: Breakpoints
    moves: MovePart
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
        rank: int | None = None,
        settings: RunSettings | None = None,
        **keywords: Unpack[SessionKeywords],
    ) -> None:
        chosen = with_keywords(settings, keywords)
        self.given = inputs
        self.execution = run = _execution(program, inputs, rank, chosen)
        keep = chosen.keep
        if keep is None:
            keep = 0 if chosen.profile or chosen.trace else KEPT
        self.past = Past(run, run.forward, keep)
        self.stops = self.breakpoints = Breakpoints(run, self.past)
        run.driver = SessionDriver(run, self.past, self.stops)
        self._travel = travel = Travel(run, self.past, self.stops)
        self.moves = MovePart(run, self.stops, travel)
        self.expressions = ExpressionPart(run, travel)
        self.memory = MemoryPart(run)
        self.engines = EnginePart(run, self.past)
        self.why = WhyPart(run, travel, self.engines)
        self.changes = ChangePart(run, travel, self.expressions, self.memory)
        run.named = names = dict[str, str]()
        self._lets = Lets(run, names, self.stops.read_again, lambda: loop_variables(run.program))

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
        text = [f"<session of {name}: {self.status.value}"]
        if self.status is not Status.READY:
            text.append(f"at {self.units.moment(self.now)}")
        if self.hits:
            text.append(f"at {in_line(str(self.hits[0]))}")
        if self.changes_made:
            text.append(f"{counted(self.changes_made, 'change')} by hand")
        return f"{', '.join(text)}>"

    def __reduce_ex__(self, protocol: object) -> Any:
        text = "a session is not copied or pickled: make another one of its program"
        raise TypeError(text)

    @classmethod
    @with_settings(SessionKeywords)
    def load(
        cls,
        source: Given,
        inputs: Inputs | None = None,
        *,
        targets: Mapping[str, Loader] = TARGETS,
        rewrite: Rewrite | None = None,
        rank: int | None = None,
        settings: RunSettings | None = None,
        **keywords: Unpack[SessionKeywords],
    ) -> Self:
        """Assemble a source or take an object, also for other ``targets``; raises Failure.

        ``rewrite`` is as for :func:`~nasm.language.assemble.assemble`, all else as for a program
        that is assembled. A ``rank`` is left out of account where the program has one alone.
        """
        chosen = with_keywords(settings, keywords)
        made = chosen.assembled(source, targets, rewrite)
        number = rank if made.program.ranks > 1 else None
        session = cls(made.program, inputs, rank=number, settings=chosen.of_assembled())
        session.source, session.execution.assembly = made.source, chosen
        return session

    def recorded(self) -> bytes:
        """The run as bytes, with its past, for :meth:`replayed`: raises Failure or Refused.

        In it are the program with what it includes, the inputs, what was typed and changed by
        hand, named moments, names of expressions and breakpoints, but no commands of these.
        """
        from nasm.debugger.recordings.writing import written

        return written(self.execution, self._travel, self.stops, self.changes.texts)

    @classmethod
    def replayed(
        cls, recording: bytes | str | os.PathLike[str], files: Files | None = None
    ) -> Self:
        """A session where a recorded one was, with the same past; raises Failure.

        ``recording`` is a file, or its bytes. While it is done again no file is read; ``files`` are
        those that may be read after that, as for a program. Refused is a recording of which this
        version of nasm computes anything else.
        """
        from nasm.debugger.recordings.reading import ReadRecording

        name = "the recording"
        if not isinstance(recording, bytes):
            name = os.fspath(recording)
            recording = bytes_of(name)
        replay = ReadRecording(recording, name)
        made = replay.made
        session = cls(made.program, made.inputs, settings=made.settings)
        run = session.execution
        run.source, run.assembly, run.called = made.source, made.assembly, made.called
        replay.done(run, session._travel, session.stops, session.changes, session.let)
        run.files = run.program.files = Allowed.of(files).holding(run.assembled.files.held)
        return session

    @property
    def rank(self) -> int | None:
        """The rank that it is, of a program with several."""
        return self.machine.rank if self.execution.peers is not None else None

    def ranks(self) -> list[str]:
        """What each rank is at, in the order of ranks; empty if the program has one alone."""
        peers = self.execution.peers
        return peers.states() if peers is not None else []

    def of_rank(self, rank: int) -> Session:
        """Another rank of the same run, at the same time; raises Failure if there is none such.

        Nothing that was changed by hand here is known there.
        """
        run = self.execution
        made = type(self)(self.assembled, self.given, rank=rank, settings=run.settings)
        other = made.execution
        other.source, other.assembly, other.called = run.source, run.assembly, run.called
        while not other.ended and other.process(MANY, until=run.now):
            pass
        return made

    def restart(self) -> None:
        """Return to the start with the inputs that were loaded then; changes by hand are gone."""
        self.execution.restart()
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
        return self.execution.rows(Named, (Named(name, text) for name, text in self.named.items()))

    def waits(self) -> WaitReport:
        """Which waits and posts of the program could go, wait for less, or be elsewhere."""
        from nasm.runs.waits import advised

        return advised(self.assembled)

    # -- moving

    event = part_method("moves", MovePart.event)
    finish = part_method("moves", MovePart.finish)
    finish_loop = part_method("moves", MovePart.finish_loop)
    finish_expansion = part_method("moves", MovePart.finish_expansion)
    finish_transfers = part_method("moves", MovePart.finish_transfers)
    stop_for = part_method("moves", MovePart.stop_for)
    stop_when = part_method("moves", MovePart.stop_when)
    run_until = part_method("moves", MovePart.run_until)
    back = part_method("moves", MovePart.back)
    back_cycles = part_method("moves", MovePart.back_cycles)
    back_until = part_method("moves", MovePart.back_until)
    back_to_stop = part_method("moves", MovePart.back_to_stop)
    back_to_write = part_method("moves", MovePart.back_to_write)
    goto = part_method("moves", MovePart.goto)
    mark = part_method("moves", MovePart.mark)
    moments = part_method("moves", MovePart.moments)
    mend = part_method("moves", MovePart.mend)
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

    # -- the execution

    program: Program = part_attribute("execution", "program", "The program, which may grow.")
    assembled: Program = part_attribute("execution", "assembled", "The program as it was given.")
    source: Source | None = part_attribute("execution", "source", "Its text, if that is known.")
    machine: Machine = part_attribute("execution", "machine", "The machine that it runs on.")
    files: Allowed = part_attribute("execution", "files", "The files that it may read.")
    policy: Policy = part_attribute("execution", "policy", "Which of its problems are ignored.")
    inputs: Mapping[str, Any] = part_attribute("execution", "inputs", "What was given, by name.")
    status: Status = part_attribute("execution", "status", "How far the run has got.")
    problems: list[Problem] = part_attribute("execution", "problems", "Why it did not end well.")
    changes_made: int = part_attribute("execution", "changes_made", "How many changes by hand.")
    interrupted: bool = part_attribute("execution", "interrupted", "Whether a move was cut short.")
    asked: bool = part_attribute("execution", "asked", "Whether it was asked to halt.")
    checkpoints: list[Checkpoint] = part_attribute(
        "execution", "checkpoints", "Those it can go to."
    )
    named: Mapping[str, str] = part_attribute("execution", "named", "Expressions by their names.")

    title = part_property("execution", Execution.title)
    values = part_property("execution", Execution.values)
    now = part_property("execution", Execution.now)
    units = part_property("execution", Execution.units)
    ordering = part_property("execution", Execution.ordering)
    hazards = part_property("execution", Execution.hazards)
    order = part_method("execution", Execution.order)
    trace = part_property("execution", Execution.trace)
    messages = part_property("execution", Execution.messages)
    moment = part_property("execution", Execution.moment)
    ended = part_property("execution", Execution.ended)
    over = part_property("execution", Execution.over)

    run = part_method("execution", Execution.run)
    step = part_method("execution", Execution.step)
    advance = part_method("execution", Execution.advance)
    process = part_method("execution", Execution.process)
    halt = part_method("execution", Execution.halt)
    complete = part_method("execution", Execution.complete)
    progress = part_method("execution", Execution.progress)
    checkpoint = part_method("execution", Execution.checkpoint)
    back_to = part_method("execution", Execution.back_to)
    report = part_method("execution", Execution.report)
    profile = part_method("execution", Execution.profile)
    timeline = part_method("execution", Execution.timeline)
    page = part_method("engines", EnginePart.page)
    what_if = part_method("execution", Execution.what_if)
    delayed = part_method("execution", Execution.delayed)
    microseconds = part_method("execution", Execution.microseconds)
    name = part_method("execution", Execution.name)
    view = part_method("execution", Execution.view)
    scope = part_method("execution", Execution.scope)
    read = part_method("execution", Execution.read)
    known = part_method("execution", Execution.known)
    registers = part_method("execution", Execution.registers)
    loop_registers = part_method("execution", Execution.loop_registers)
    queue = part_method("execution", Execution.queue)
    semaphore = part_method("execution", Execution.semaphore)
    queues = part_method("execution", Execution.queues)
    semaphores = part_method("execution", Execution.semaphores)
    channels = part_method("execution", Execution.channels)
    banks = part_method("execution", Execution.banks)
    judged = part_method("execution", Execution.judged)
    unused = part_method("execution", Execution.unused)
    outputs = part_method("execution", Execution.outputs)
    expectations = part_method("execution", Execution.expectations)
