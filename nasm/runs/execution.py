"""A program on a machine: loaded, run or stepped, taken back to a checkpoint, and reported.

What it returns are the frozen records of :mod:`nasm.machine.records`, and arrays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, Self, Unpack

from nasm.analysis import summary
from nasm.analysis.hazards.endless_loops import Endless
from nasm.analysis.outputs import unfinished, unwritten
from nasm.base import gc_pause, suppressions
from nasm.base.delegation import part_method
from nasm.base.files import Allowed
from nasm.base.problems import Failure, Problem, number_of
from nasm.base.records import replace
from nasm.base.source import Source
from nasm.base.source_files import Given, Text, program_of
from nasm.isa.target import Loader
from nasm.language.assemble import Rewrite
from nasm.language.expectations.judge import check_python
from nasm.machine import Machine, memory_needs, tensor_io
from nasm.machine import inputs as given_inputs
from nasm.machine.records import MOST_INSTRUCTIONS, Executed, Moment, Progress, RunReport, Status
from nasm.program.program import Program
from nasm.runs.inspection import Inspection
from nasm.runs.results import Results
from nasm.runs.settings import RunSettings, SessionKeywords, with_keywords, with_settings
from nasm.sim.queues import Queue
from nasm.sim.trace import InstructionRecord
from nasm.targets import TARGETS

if TYPE_CHECKING:  # most runs are not profiled
    from nasm.analysis.profile.profile import WatchedMachine

CHUNK = 1_000
"""Events between two looks at the clock: some hundredths of a second."""

DEADLOCKED = "E0510"
"""The code of a deadlock, which a change by hand may end."""


class Checkpoint:
    """A moment of a session that it can go back to.

    By then instructions had completed as ``retired`` and, by queue, ``counts`` say. One that is not
    ``pinned`` may be given up; ``work`` are the seconds of computing since the one before it, and
    ``size`` is about how many bytes were kept for it when the one after it was made.
    """

    __slots__ = (
        "counts", "limit", "moment", "pinned", "problems", "retired", "saved", "size", "status",
        "work",
    )  # fmt: skip

    def __init__(self, session: Execution, pinned: bool = True) -> None:
        scheduler = session.machine.scheduler
        self.moment, self.status = session.moment, session.status
        self.problems, self.limit = tuple(session.problems), session.limit
        self.retired = scheduler.retired
        self.counts = tuple(queue.count for queue in scheduler.queues)
        self.pinned, self.work = pinned, 0.0
        self.saved = session.machine.save()
        self.size = session.kept(self)

    def __repr__(self) -> str:
        return f"<checkpoint at tick {self.moment.tick}>"


class HasExecution(Protocol):
    """An execution, or a session of one."""

    @property
    def execution(self) -> Execution:
        """The run itself."""


class Driver:
    """Moves an execution. This one moves it as far as it is asked to; others may stop it before."""

    def __init__(self, execution: Execution) -> None:
        self.execution = execution

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.execution.ended

    @property
    def changes(self) -> tuple[str, ...]:
        """What was changed by hand, in words."""
        return ()

    @property
    def bursts(self) -> bool:
        """Whether many instructions may be one event: not where a run is taken back to events."""
        return True

    def exact(self) -> None:
        """The number of events is about to be asked for."""

    def gone_back(self) -> None:
        """The run has returned to a checkpoint."""

    def begin(self) -> None:
        """A move begins."""

    def move(self, events: int, until: int | None, retire: int | None) -> int:
        """Process events: at most so many; returns how many it was."""
        return self.execution.forward(events, until, retire, bursts=True)


class MeetingPeers(Protocol):
    """The other ranks of one that is debugged, which run only as far as it waits for them."""

    def meet(self) -> None:
        """Let what has arrived land; raises Failure."""

    def over(self) -> None:
        """The rank has ended."""

    def halt(self, wanted: bool) -> None:
        """End what the others are run for, where their machines are whole."""

    def states(self) -> list[str]:
        """What each rank is at, in the order of ranks."""


class Execution(Inspection):
    """A program on a machine, where it can be run, stepped, inspected and taken back.

    ``program`` is a Program, or a text or a file to assemble. ``inputs`` are arrays by tensor name,
    or the path of a .npz file or of a folder of .npy files; they override initialisers. Everything
    is loaded once, here; raises Failure with every problem. The keywords are described at
    :class:`nasm.RunSettings`. ``assembled`` is the program as it was given; ``program`` may grow
    while it runs. It was made with ``settings``; its text, if it has one, was assembled with those
    of ``assembly``. With a ``rank`` it is one of the program's ranks, which something else lets
    meet: it is ``together`` with others. ``alone`` it is whichever rank, without values, and all
    others are taken to reach its collectives when it does. Its ``results`` are a part of it. A
    ``driver`` moves it.
    """

    @with_settings(SessionKeywords)
    def __init__(
        self,
        program: Program | Text,
        inputs: given_inputs.Inputs | None = None,
        *,
        rank: int | None = None,
        alone: bool = False,
        settings: RunSettings | None = None,
        **keywords: Unpack[SessionKeywords],
    ) -> None:
        chosen = with_keywords(settings, keywords)
        self.source: Source | None = None
        self.settings, self.assembly = chosen, chosen
        allowed = Allowed.of(chosen.files, chosen.include)
        if isinstance(program, Program):
            chosen.refuse_text()
        else:
            made = chosen.assembled(program_of(program))
            program, self.source = made.program, made.source
        self.assembled, self.program = program, program.own()
        program = self.program
        self.policy = suppressions.policy(program.allows, chosen.allow, chosen.strict)
        _check_allowed(self.policy)
        files = program.files if chosen.files is None else allowed.holding(program.files.held)
        self.files = replace(files, python=chosen.python)
        inputs = given_inputs.by_name(program, inputs)
        if chosen.values:
            for expectation in program.expectations:
                check_python(expectation, self.files)
            memory_needs.check(program, inputs)
        self.together = rank is not None
        self.peers: MeetingPeers | None = None
        if program.ranks > 1 and not (self.together or alone):
            raise Failure(several_ranks(program))
        number = None if alone else rank or 0
        self.machine = Machine(
            program, chosen.trace, chosen.values, checked=chosen.checked, rank=number
        )
        self.machine.ranks.topology = chosen.topology
        Endless.watch(self.machine)
        watched: WatchedMachine | None = None
        if chosen.profile:
            from nasm.analysis.profile.profile import WatchedMachine

            watched = WatchedMachine(self.machine)
            self.machine.scheduler.observe(*watched.observers)
        self.inputs = inputs
        self.status = Status.READY
        self.problems: list[Problem] = []
        self.limit: Problem | None = None
        self.results = Results(self, watched, chosen.reruns)
        if chosen.values:
            read = self.results.load(self.machine)
            if chosen.profile:  # what would help is asked of machines with the same inputs
                self.inputs = read
            if chosen.reruns:  # and a caller's array is the caller's again
                self.inputs = {name: tensor_io.kept(value) for name, value in read.items()}
        elif problems := tensor_io.unknown(program, inputs):
            raise Failure(problems)
        self.changes_made = 0
        self.driver = Driver(self)
        self.stopped = self.interrupted = False
        self.asked = False
        self.checkpoints = [Checkpoint(self)]

    @classmethod
    @with_settings(SessionKeywords)
    def load(
        cls,
        source: Given,
        inputs: given_inputs.Inputs | None = None,
        *,
        targets: Mapping[str, Loader] = TARGETS,
        rewrite: Rewrite | None = None,
        settings: RunSettings | None = None,
        **keywords: Unpack[SessionKeywords],
    ) -> Self:
        """Assemble a source or take an object, also for other ``targets``; raises Failure.

        ``rewrite`` is as for :func:`~nasm.language.assemble.assemble`, all else as for a program
        that is assembled.
        """
        chosen = with_keywords(settings, keywords)
        made = chosen.assembled(source, targets, rewrite)
        execution = cls(made.program, inputs, settings=chosen.of_assembled())
        execution.source, execution.assembly = made.source, chosen
        return execution

    # -- going back

    @property
    def execution(self) -> Execution:
        """This one: what takes a session takes an execution, too."""
        return self

    @property
    def moment(self) -> Moment:
        """The moment at which the run is."""
        self.driver.exact()
        scheduler = self.machine.scheduler
        return Moment(scheduler.position, scheduler.now, self.changes_made, scheduler.poised)

    def checkpoint(self, pinned: bool = True) -> Checkpoint:
        """Remember this moment: from now on, memory is copied before it changes."""
        before = self.checkpoints[-1]
        before.size = self.kept(before)
        self.checkpoints.append(Checkpoint(self, pinned))
        return self.checkpoints[-1]

    def back_to(self, checkpoint: Checkpoint) -> None:
        """Return to a checkpoint; those made after it are discarded.

        Raises ValueError if the checkpoint was discarded itself, or is of another session.
        """
        if checkpoint not in self.checkpoints:
            raise ValueError(f"{checkpoint} is not, or no longer, a checkpoint of this session")
        self.hold_hints()
        self.machine.restore(checkpoint.saved)
        self.driver.gone_back()
        self.status, self.problems = checkpoint.status, list(checkpoint.problems)
        self.limit, self.changes_made = checkpoint.limit, checkpoint.moment.changes
        del self.checkpoints[self.checkpoints.index(checkpoint) + 1 :]

    def discard(self, checkpoint: Checkpoint) -> None:
        """Give up a checkpoint, which will not be returned to; the first is kept."""
        before = self.checkpoints[self.checkpoints.index(checkpoint) - 1]
        self.checkpoints.remove(checkpoint)
        self.machine.discard(checkpoint.saved)
        before.size = self.kept(before)

    def kept(self, checkpoint: Checkpoint) -> int:
        """About how many bytes are kept for a checkpoint."""
        return self.machine.kept(checkpoint.saved)

    def restart(self) -> None:
        """Return to the start, with the inputs that were loaded then: no file is read again."""
        self.back_to(self.checkpoints[0])

    # -- results

    def report(self, hashes: bool = True) -> RunReport:
        """The run so far, and what was changed by hand; expectations are judged if it finished."""
        return self.results.report(hashes, self.driver.changes)

    profile = part_method("results", Results.profile)
    timeline = part_method("results", Results.timeline)
    what_if = part_method("results", Results.what_if)
    delayed = part_method("results", Results.delayed)

    # -- running

    @property
    def ended(self) -> bool:
        """Whether the run has ended by itself."""
        return self.status in (Status.FINISHED, Status.DEADLOCK, Status.FAULT)

    @property
    def over(self) -> bool:
        """Whether nothing more can happen."""
        return self.driver.over

    def halt(self, wanted: bool = True) -> None:
        """End the current run, step or advance where the machine is whole, or else the next one.

        For a signal handler, an observer or another thread; what was halted can be run on.
        ``wanted=False`` takes it back.
        """
        self.asked = self.machine.scheduler.halted = wanted
        if self.peers is not None:
            self.peers.halt(wanted)

    def met_halt(self) -> bool:
        """Whether it was halted, and is not any more, or has met something to stop at."""
        halted, self.asked = self.asked, False
        self.machine.scheduler.halted = False
        self.interrupted = halted or self.stopped
        return self.interrupted

    def run(
        self,
        *,
        max_cycles: int | None = None,
        max_instructions: int | None = MOST_INSTRUCTIONS,
        progress: Callable[[Progress], None] | None = None,
        every: float = 0.2,
        hashes: bool = True,
    ) -> RunReport:
        """Run to the end, or until ``max_cycles`` of the base clock; then judge expectations.

        It also stops when it has completed ``max_instructions`` that were not complete before
        (None: no limit). Stopped at either limit it has the status LIMIT and can be run again; the
        status of a run that was halted is RUNNING, and its report has no hashes.

        ``progress`` is called about every ``every`` seconds; ``hashes`` says whether the report
        carries the hashes of trace and memory, which take a while to compute on large programs.
        """
        until = None
        if max_cycles is not None:
            until = number_of("cycles", max_cycles) * self.program.generation.base.cycle
        if max_instructions is not None:
            max_instructions = number_of("instructions", max_instructions)
        self.begin()
        with gc_pause.paused():
            if self.status is Status.READY:
                self.machine.prepare(self.driver.bursts)
            self._run(until, max_instructions, progress, every)
            return self.report(hashes and self.status is not Status.RUNNING)

    def begin(self) -> None:
        """A move begins."""
        self.stopped = self.interrupted = False
        self.driver.begin()

    def _run(
        self,
        until: int | None,
        most: int | None,
        progress: Callable[[Progress], None] | None,
        every: float,
    ) -> None:
        """Advance chunk by chunk until nothing is left or a limit is reached."""
        started = called = time.monotonic()
        scheduler = self.machine.scheduler
        last = None if most is None else scheduler.retired + most
        while not self.over:
            done = 0
            if last is None or scheduler.retired < last:
                done = self.process(CHUNK, until, last)
            elif not scheduler.remaining:  # what is in flight still lands
                done = self.process(CHUNK, until)
            if self.met_halt():
                break
            if not done and not self.over:
                counts = last is not None and scheduler.retired >= last and scheduler.remaining
                self.met_limit(most if counts else None)
                break
            if progress is not None and time.monotonic() - called >= every:
                called = time.monotonic()
                progress(self.progress(called - started))

    def met_limit(self, instructions: int | None) -> None:
        """The run has met its limit: of so many instructions, or the cycle it is at."""
        self.status = Status.LIMIT
        self.limit = summary.limit(self.machine, instructions)

    def process(self, events: int, until: int | None = None, retire: int | None = None) -> int:
        """Process so many events at the most, until a tick, until so many have completed.

        Ends at what its driver stops at; returns how many it was.
        """
        return self.driver.move(events, until, retire)

    def forward(
        self, events: int, until: int | None = None, retire: int | None = None, bursts: bool = False
    ) -> int:
        """Process events without a stop; settles the status when nothing is left or one failed."""
        if self.ended:
            return 0
        self.status, self.limit = Status.RUNNING, None
        self.hold_hints()
        try:
            done = self.machine.run(events, until, retire, bursts)
            self._meet()
        except Failure as failure:
            self.problems += failure.problems
            self.status = Status.FAULT
            return 0
        self._settle()
        return done

    def _meet(self) -> None:
        """Where the machine has paused for other ranks, and there are none: continue alone."""
        machine = self.machine
        if machine.ranks.unseen:
            machine.scheduler.halted = self.asked
            if self.peers is None and not self.together:
                machine.ranks.meet_alone()
        if self.peers is not None:
            if machine.ranks.arrived:
                self.peers.meet()
            if machine.scheduler.idle and not machine.ranks.arrived:
                self.peers.over()

    def _settle(self) -> None:
        """Finish if nothing is left."""
        if not self.machine.scheduler.idle or self.machine.ranks.arrived:
            return
        if self.machine.scheduler.blocked():
            from nasm.analysis.deadlock.report import deadlock

            self.status = Status.DEADLOCK
            self.problems += deadlock(self.machine)
        else:
            self.status = Status.FINISHED
            if self.machine.checked:
                for problem in (*unwritten(self.machine), *unfinished(self.machine)):
                    self.machine.findings.add(problem)

    def changed(self) -> None:
        """The machine was changed by hand: whether it is at an end follows from its new state."""
        if self.machine.watch is not None:
            self.machine.watch.turn()
        if self.status is Status.READY:
            return
        self.problems = [problem for problem in self.problems if problem.code != DEADLOCKED]
        self.status, self.limit = Status.RUNNING, None
        self._settle()

    def progress(self, elapsed: float) -> Progress:
        """How far the run has got."""
        scheduler = self.machine.scheduler
        return Progress(
            scheduler.retired, scheduler.now, self.machine.microseconds(scheduler.now), elapsed
        )

    def step(self, engine: str | None = None, count: int = 1) -> list[Executed]:
        """Run until ``count`` more instructions have completed, of one engine or of any.

        An engine is named as :meth:`queue` says; the name of a tile, "3-4", means all of its. The
        step ends with their last instruction, or at a breakpoint. Returns every instruction that
        completed on the way, in order. Raises Refused for an unknown engine.
        """
        queues = self._queues(engine) if engine is not None else []
        scheduler = self.machine.scheduler
        count = number_of("instructions", count)
        wanted = (sum(q.count for q in queues) if queues else scheduler.retired) + count
        self.begin()
        with self.watched() as completed:
            while not self.over and not (queues and all(q.done and not q.flight for q in queues)):
                self.process(CHUNK, retire=scheduler.retired + 1)
                if self.met_halt():
                    break
                if (sum(q.count for q in queues) if queues else scheduler.retired) >= wanted:
                    break
        return [summary.executed(self.machine, r) for r in completed]

    def _queues(self, name: str) -> list[Queue]:
        """The queues of an engine, or of a tile; raises Refused for an unknown one."""
        if name not in self.program.core_names or not self.program.tiles:
            return [self.queue(name)]
        core = self.program.core_names.index(name)
        return [queue for queue in self.machine.scheduler.queues if queue.core == core]

    def advance(self, cycles: int, engine: str | None = None) -> list[Executed]:
        """Run for ``cycles`` of an engine's clock (default: the base clock), or to a breakpoint.

        Returns every instruction that completed on the way. Raises Refused for an unknown engine.
        """
        cycles = number_of("cycles", cycles)
        generation = self.program.generation
        clock = generation.base
        if engine is not None:
            clock = generation.engine(self.queue(engine).engine)
        until = self.now + cycles * clock.cycle
        self.begin()
        with self.watched() as completed:
            while not self.over:
                done = self.process(CHUNK, until)
                if self.met_halt() or not done:
                    break
        return [summary.executed(self.machine, r) for r in completed]

    def complete(self, put: Iterable[tuple[Queue, range]]) -> None:
        """Run until blocks that were put before the next of queues have, or nothing can happen."""
        scheduler = self.machine.scheduler
        wanted = [(queue, len(queue.resume), pcs) for queue, pcs in put]
        self.begin()
        while any(_within(*each) for each in wanted) and not self.over:
            self.process(CHUNK, retire=scheduler.retired + 1)
            if self.met_halt():
                return
        if not self.over and scheduler.stuck:
            self.process(CHUNK)  # nothing starts any more: it only gets known

    @contextmanager
    def watched(self) -> Iterator[list[InstructionRecord]]:
        """The instructions that complete within a block.

        A run that stops at a hazard has gone on and come back: what completed later did not.
        """
        scheduler, before = self.machine.scheduler, self.machine.scheduler.retired
        watching = self.machine.tracer()
        scheduler.observe(watching)
        try:
            yield watching.instructions
        finally:
            scheduler.ignore(watching)
            del watching.instructions[max(0, scheduler.retired - before) :]


def several_ranks(program: Program) -> Problem:
    """That a program needs as many machines as it has ranks."""
    message = f"the program has {program.ranks} ranks, and this runs one machine"
    hint = "'neuron-nasm run' and nasm.run run all of them; --rank N, or rank=N, is one of them"
    return Problem("E0823", message, None, hint)


def _within(queue: Queue, depth: int, pcs: range) -> bool:
    """Whether a queue is in a block that is the last of so many, or has something of it at work."""
    return len(queue.resume) >= depth or any(int(flying.pc) in pcs for flying in queue.flight)


def _check_allowed(policy: suppressions.Policy) -> None:
    """Refuse to allow what cannot be; raises Failure."""
    if policy.allows:
        from nasm.language import codes  # the long form of each, which most runs do not need

        if wrong := codes.unallowable(policy.allows):
            raise Failure(wrong)
