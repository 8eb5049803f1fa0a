"""A program on a machine: makes the parts, wires them, and runs them.

The only place that knows both a target and the simulator. What changes lives in
:class:`~nasm.machine.state.State`, in the scheduler, in rendezvous and in observers; everything
else is decided once and follows from the program.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nasm.base import gc_pause
from nasm.base.problems import Failure, Refused
from nasm.isa.core_state import Holds
from nasm.isa.evidence import Cost
from nasm.isa.generation import Generation
from nasm.isa.pace import Pace
from nasm.machine.addresses import Addresses
from nasm.machine.byte_memory import Around, CoreMemories, Touched
from nasm.machine.changes import UNCHANGED, Changes
from nasm.machine.core_holds import CoreHolds
from nasm.machine.effects import Effects
from nasm.machine.findings import Findings
from nasm.machine.following import Follower
from nasm.machine.kernels import Kernels
from nasm.machine.lost_results import SILENT, Losses
from nasm.machine.negative_counters import BelowZero
from nasm.machine.operands import Operands
from nasm.machine.outlines import OutlinedTransfers, Outlines, RegionAddresses, unread
from nasm.machine.rank_meetings import RankMeetings
from nasm.machine.rendezvous import RendezvousPoint
from nasm.machine.state import State
from nasm.machine.stretches import Planner, Stretches
from nasm.machine.tasks import Tasks
from nasm.machine.transfers import Transfers
from nasm.order.observer import Longer, Watch, matters
from nasm.program.program import Program
from nasm.program.shapes import Shape, Shapes
from nasm.sim.channels import Channels
from nasm.sim.counters import Counters
from nasm.sim.delayed_scheduler import DelayedScheduler
from nasm.sim.delays import Delays
from nasm.sim.events import Observer
from nasm.sim.queues import Queue
from nasm.sim.scheduler import Scheduler
from nasm.sim.trace import ExpandedSummary, Summary, Trace

if TYPE_CHECKING:
    from nasm.machine.outside_calls import OutsideCalls
    from nasm.machine.packets import Packets
    from nasm.program.wait_columns import WaitColumns

SMALL = 64 << 10
"""Bytes that a checkpoint is counted as in addition to those of memory: mostly a little more than
it takes."""

HELD = 256 << 10
"""The same for what each core but the first one holds."""

MODERATE = 20_000
"""Instructions up to which a program is bound before it runs."""


class Machine:
    """One run of a program: memories, queues, channels and a clock.

    ``trace`` has every record of the run if that was asked for. Without ``values`` the run has its
    times and no tensors. ``changes`` are its deviations from the target; ``delays``, if given,
    decide how long things take. Unless it is ``checked`` its order and its unwritten outputs are
    not examined. ``later`` are observers added when the running program grew, with their saved
    state; ``tensors`` is how many tensors it had at first. ``rank`` is its number among those
    machines that run the program together, which meet at its ``ranks``; without values it may be
    None, any of them.
    """

    def __init__(
        self,
        program: Program,
        trace: bool = False,
        values: bool = True,
        changes: Changes = UNCHANGED,
        delays: Delays | None = None,
        checked: bool = True,
        rank: int | None = 0,
    ) -> None:
        self.program, self.values, self.changes, self.rank = program, values, changes, rank
        self.tensors = len(program.tensors)
        self.checked = checked
        generation = program.generation
        self.findings = self._new_findings()
        self.state = State(program, values, self.findings.numbers.clipped)
        make = program.target.paces
        self.paces = {
            core: {name: of(generation) for name, of in make.items()} for core in program.busy_cores
        }
        every = [pace for paces in self.paces.values() for pace in paces.values()]
        self.scheduler = self._new_scheduler(every, changes, delays)
        lengths = [len(lines) for lines in program.queues]
        summary = Summary if program.target.expand is None else ExpandedSummary
        self.summary = summary(generation.counters, lengths)
        self.trace = self.tracer() if trace else None
        self.losses = Losses(program, self.scheduler)
        self.addresses = (
            Addresses(self.state.by_tensor, self.state.areas, self.losses)
            if values
            else RegionAddresses(self.state.areas, self.losses)
        )
        self.transfers = (Transfers if values else OutlinedTransfers)(
            program, self.addresses, self.state.castings[-1], self.findings, self.scheduler, changes
        )
        self.rendezvous = RendezvousPoint(
            program, self.addresses, self.findings, self.transfers, self.scheduler
        )
        missing = self.findings.uninitialised_bytes
        self.core_memories = CoreMemories(program, self.state.numbered, missing, unread)
        self.packets = self._packets()
        self.ranks = RankMeetings(
            program, self.addresses, self.findings, self.scheduler, rank, values
        )
        if program.target.holds is not None:
            for tensor in program.tensors.values():
                if tensor.memory.numbered:  # what a core holds may read it: that is not known
                    self.losses.area(self.state.areas[tensor.index]).clock = SILENT
        self.holds = CoreHolds(program.cores, self._holds)
        for core in program.busy_cores:
            self.holds[core]  # what cannot be is refused now
        self.outside = self._outside()
        if self.packets is not None:
            self.packets.holds = self.holds.made
        self.shapes = Shapes(generation)
        numbers = itertools.count()
        self.tasks = [self._tasks(queue, numbers) for queue in range(len(program.queues))]
        for index, (lines, tasks) in enumerate(zip(program.queues, self.tasks, strict=True)):
            fetch = tasks.fetch if program.target.expand is None else tasks.fetch_expanded
            queue = Queue(lines.core, lines.engine, index, len(lines), fetch)
            queue.expand = None if program.target.expand is None else tasks.expand
            queue.burst = self._bursting(tasks, delays)
            self.scheduler.add_queue(queue)
        if not values and delays is None:
            self._find_rounds()
        self.watch: Watch | None = None
        self.watch_order()
        self.scheduler.observe(self.findings)
        self.scheduler.observe(self.summary)
        if self.trace is not None:
            self.scheduler.observe(self.trace)
        self.below_zero = BelowZero(program)
        if self.below_zero.needed:
            self.scheduler.observe(self.below_zero)
        self.later: list[tuple[Observer, Any]] = []

    def _new_findings(self) -> Findings:
        """What collects the facts of the run."""
        return Findings(
            self.program, lambda: self.scheduler.acting, lambda view: self.addresses.region(view)
        )

    def _new_scheduler(
        self, paces: Sequence[Pace], changes: Changes, delays: Delays | None
    ) -> Scheduler:
        """What decides when things happen."""
        parts = scheduler_parts(self.program, paces, changes)
        return Scheduler(**parts) if delays is None else DelayedScheduler(**parts, delays=delays)

    def _find_rounds(self) -> None:
        """Let rounds that repeat themselves be one event, where instructions stay what they are."""
        if self.program.target.expand is not None or not self.program.queues:
            return
        from nasm.machine.forms import TimedForms  # most runs have values
        from nasm.sim.rounds import RoundFinder

        parts = self.program, self.state, self.transfers, self.scheduler.queues
        forms = TimedForms(*parts, lambda: self.wait_columns)
        self.scheduler.repeat(RoundFinder(self.scheduler, forms))

    @cached_property
    def wait_columns(self) -> WaitColumns:
        """The waits of the program, before anything is typed in."""
        from nasm.program.wait_columns import WaitColumns  # most runs are short, or have values

        return WaitColumns.of(self.program)

    def _packets(self) -> Packets | None:
        """What sends packets, if the target has a network."""
        make = self.program.target.network
        if make is None:
            return None
        from nasm.machine.packets import Packets  # other targets do without

        return Packets(self.program, self.state, self.findings, self.scheduler, make)

    def _outside(self) -> OutsideCalls | None:
        """What has instructions call what is outside of the cores, if the target has that."""
        if self.packets is None or self.program.target.outside is None:
            return None
        from nasm.machine.outside_calls import OutsideCalls  # other targets do without

        every = self.program, self.state, self.findings, self.scheduler, self.packets
        return OutsideCalls(*every, self.core_memories)

    def _bursting(self, tasks: Tasks, delays: Delays | None) -> Planner | None:
        """What plans the execution of many instructions of a queue at once, if anything can."""
        target, lines = self.program.target, tasks.lines
        if self.values:
            return None if target.bursting is None else tasks.burst
        if target.expand is not None or delays is not None or not Stretches.any(lines):
            return None
        return Stretches(lines, self.scheduler.interlock).plan

    def _tasks(self, queue: int, numbers: itertools.count[int]) -> Tasks:
        program, state, findings = self.program, self.state, self.findings
        lines = program.queues[queue]
        cycle = program.generation.engine(lines.engine).cycle
        registers, engine = state.registers[queue], state.engines[queue]
        kernels: Kernels | Outlines
        if self.values:
            operands = Operands(queue, self.addresses, state, findings)
            kernels = Kernels(
                lines.core,
                cycle,
                operands,
                engine,
                findings,
                self.losses,
                self.changes,
                self.holds[lines.core],
                self.rank,
            )
        else:
            kernels = Outlines(
                lines.core,
                cycle,
                self.addresses,
                registers,
                engine,
                findings,
                self.changes,
                self.holds[lines.core],
                self.rank,
            )
        meeting = self.rendezvous, self.packets, self.outside, self.ranks
        effects = Effects(program, queue, self.scheduler, self.transfers, *meeting)
        return Tasks(
            program,
            queue,
            kernels,
            effects,
            registers,
            findings,
            self.scheduler.resources,
            self.shapes,
            numbers.__next__,
            self.paces[lines.core],
            self.changes,
        )

    def _holds(self, core: int) -> Holds | None:
        """What a core holds; its paces can look at that."""
        program, make = self.program, self.program.target.holds
        if make is None:
            return None
        memories = self.core_memories[core]
        around = Around(
            core, memories, self.scheduler, self.findings.reported, program, self.packets
        )
        held = make(program.generation, around)
        _set(program, core, held)
        if program.target.begins is not None:
            program.target.begins(held)
        for pace in self.paces.get(core, {}).values():
            pace.holds = held
        return held

    def follow(self, following: Follower) -> None:
        """Continue where a value decides that a run without values does not have."""
        self.scheduler.repeat(None)
        assert isinstance(self.transfers, OutlinedTransfers), (
            "only runs without values are followed"
        )
        for tasks in self.tasks:
            assert isinstance(tasks.kernels, Outlines)
            tasks.following = tasks.kernels.following = following
        self.transfers.following = following

    def watch_order(self) -> Watch | None:
        """Keep what is executed from now on, if its order matters and nothing does so yet."""
        if self.watch is not None or not self.checked:
            return None
        if matters(self.program, self.state.areas, self.scheduler.interlock.held):
            self.watch = self._new_watch()
            self.scheduler.observe(self.watch)
        return self.watch

    def _new_watch(self) -> Watch:
        """What keeps a run; of tiles also what they touch by addresses."""
        everywhere = {e.name for e in self.program.generation.engines if e.everywhere}
        outside = any(lines.engine in everywhere for lines in self.program.queues)
        if self.packets is None or not (self.program.tiles or outside):
            return Watch(self.scheduler.queues, partial(_longer, self.program))
        from nasm.order.tile_watch import TileWatch  # other targets do without

        rows = self.program.instructions
        coded = {
            number
            for number, lines in enumerate(self.program.queues)
            if any(rows[one].row.sends for one in lines.instructions)
        }
        pushing = {engine.pushes for engine in self.program.generation.engines}
        engines = enumerate(lines.engine for lines in self.program.queues)
        pushed = {number for number, engine in engines if engine in pushing}
        watch = TileWatch(self.scheduler.queues, self.packets.linear, coded, pushed)
        scheduler = self.scheduler

        def touching(core: int) -> Touched:
            return lambda address, count, writes: watch.reached(
                scheduler.acting, core, address, count, writes
            )

        self.core_memories.watch(touching)
        return watch

    def tracer(self) -> Trace:
        """An observer that records what happens from when it observes the scheduler."""
        return Trace(self.program.generation.counters)

    def microseconds(self, ticks: int) -> float:
        """Ticks in microseconds, for showing."""
        return ticks / self.program.generation.ticks

    def cycle(self, queue: int) -> int:
        """Ticks of one cycle of a queue's engine."""
        return self.tasks[queue].kernels.cycle

    def shape(self, queue: int, pc: int) -> Shape:
        """The shape of the instruction at a pc of a queue."""
        return self.tasks[queue].shape_at(pc)

    def cost(self, queue: int, number: int) -> Cost:
        """What an instruction costs on a queue."""
        return self.tasks[queue].cost(number)

    # -- running

    def prepare(self, bursts: bool = False) -> None:
        """Bind a program of moderate size at once, before it runs, with ``bursts`` or without.

        It is the same work as at each first execution, but twice as fast: the kernels of a run
        leave little of the interpreter in the host's caches. Without values there are none, and
        rounds that are repeated need not be bound. What cannot be bound raises when its turn comes.
        """
        if len(self.program) > MODERATE or not self.values:
            return
        with gc_pause.paused():
            for tasks in self.tasks:
                tasks.prepare(bursts)

    def run(
        self, events: int, until: int | None = None, retire: int | None = None, bursts: bool = False
    ) -> int:
        """Advance the machine; see :meth:`Scheduler.run`."""
        try:
            signal = self.findings.numbers.signal
            heard = np.errstate(all="call", under="ignore", call=signal)
            with heard, gc_pause.paused():
                return self.scheduler.run(events, until, retire, bursts)
        except Refused as refused:
            raise Failure(refused.at(self.program.span(*self.scheduler.acting))) from None
        finally:
            self.summary.settle()

    # -- checkpoints

    def save(self) -> Any:
        """Everything that changes while a program runs."""
        return tuple(part.save() for part in self._parts())

    def restore(self, saved: Any) -> None:
        """Everything as it was when it was saved; what was saved later is gone."""
        for observer, blank in self.later:
            observer.restore(blank)
        for part, state in zip(self._parts(), saved, strict=True):
            part.restore(state)
        self.addresses.forget()

    def discard(self, saved: Any) -> None:
        """Give up a checkpoint."""
        self.state.discard(saved[0])

    def kept(self, saved: Any) -> int:
        """About how many bytes are kept for a checkpoint: of memory, and of all that is small."""
        more = sum(held is not None for held in self.holds.made.values())
        return self.state.kept(saved[0]) + self.summary.size + SMALL + HELD * max(0, more - 1)

    def _parts(self) -> tuple[Any, ...]:
        parts = (self.state, self.scheduler, self.transfers, self.rendezvous, self.losses)
        sent = tuple([part for part in (self.packets, self.outside) if part is not None])
        return *parts, self.ranks, *sent, self.holds


def _set(program: Program, core: int, held: Holds) -> None:
    """Put what the program sets into what a core holds."""
    generation = program.generation
    settings, engines = program.target.settings(generation), [e.name for e in generation.engines]
    for one in program.settings:
        if settings is not None and one.core == core:
            queue = engines.index(one.engine) if one.engine else 0
            settings.put(held, queue, settings.named(one.name), one.value)


def scheduler_parts(program: Program, paces: Sequence[Pace], changes: Changes) -> dict[str, Any]:
    """What a scheduler of a program is made of, by the names of its parameters."""
    generation = program.generation
    channels = [Channels(core, generation.channels) for core in program.busy_cores]
    fact = generation.numbers.get("semaphore_ns")
    delay = -int(-fact.value * generation.ticks // 1000) if fact else 0
    return {
        "semaphores": Counters(generation.semaphores, generation.events),
        "channels": channels,
        "delay": changes.delay(delay),
        "supply": _supply(generation, len(channels) * generation.channels),
        "interlock": program.target.interlocked(generation.options),
        "paces": paces,
    }


def _supply(generation: Generation, channels: int) -> list[tuple[int, int]]:
    """How much longer shares take while so many channels have work, as fractions; none if never."""
    if generation.supply is None:
        return []
    there, each = (Fraction(generation.numbers[name].value) for name in generation.supply)
    most = there / each
    if channels <= most:
        return []
    return [max(Fraction(1), n / most).as_integer_ratio() for n in range(channels + 1)]


def _longer(program: Program, watch: Watch) -> Longer:
    """What remembers a long run further."""
    from nasm.order.beyond import Beyond  # most runs are short

    return Beyond(program, watch)
