"""Who has updated a semaphore, how often, and who would do so if nothing held it up."""

from __future__ import annotations

from collections.abc import Container
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from nasm.analysis.flow import Flow, FlowLoop
from nasm.analysis.straight_run import ExecutedPath, Sequencer, executed_path
from nasm.base.problems import Failure
from nasm.base.records import dataclass
from nasm.base.source import Span
from nasm.isa.effects import Clear, Rendezvous
from nasm.program.program import Program, Wait
from nasm.program.receivers import effect_of, posts_of, receivers
from nasm.sim.counters import Who

if TYPE_CHECKING:
    from nasm.machine.machine import Machine
    from nasm.machine.rendezvous import Member
    from nasm.sim.queues import Queue


@dataclass(frozen=True, slots=True)
class Updater:
    """A line of a queue that updates a semaphore.

    It has ``made`` so many updates; ``ahead`` are those that it would still make, and ``maybe``
    says that it may make others. ``shares`` is how many posts of a transfer they are, if they are.
    """

    queue: int
    pcs: tuple[int, ...]
    op: str
    value: int
    shares: int
    made: int
    ahead: int
    maybe: bool

    @property
    def coming(self) -> bool:
        """Whether it may still update."""
        return self.ahead > 0 or self.maybe

    @property
    def adds(self) -> bool:
        """Whether it makes the value greater."""
        return self.op == "+" and self.value > 0

    @property
    def takes(self) -> bool:
        """Whether it makes the value less."""
        return self.op == "+" and self.value < 0

    @property
    def most(self) -> float:
        """What it may still add or take."""
        return self.value * (float("inf") if self.maybe else self.ahead)


class Coming(NamedTuple):
    """What a queue may still add to a semaphore, take from it (below 0), and set it to."""

    added: float
    taken: float
    sets: set[int]


Update = tuple[int, int, str, int, int]
"""A queue, a line of it, what it does with a semaphore, a value, and posts of a transfer."""


class Changing:
    """Which instructions of a program change each semaphore: from its text alone."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._pcs: dict[int, dict[int, list[int]]] = {}

    @cached_property
    def _all(self) -> dict[int, dict[Update, list[int]]]:
        program = self.program
        found: dict[int, dict[Update, list[int]]] = {}
        clears = {n for n, i in enumerate(program.instructions) if i.row.effect is Clear}
        for queue, lines in enumerate(program.queues):
            for pc, (number, update) in enumerate(
                zip(lines.instructions, lines.updates, strict=True)
            ):
                line = lines.spans[pc] or -1 - pc
                if update:
                    change = program.updates[update]
                    assert change is not None
                    shares = posts_of(program, queue, number)
                    semaphores = self._changed(queue, pc, change.semaphore)
                    value = change.value if len(semaphores) == 1 else 1
                    key = (queue, line, change.op, value, shares)
                    for semaphore in semaphores:
                        found.setdefault(semaphore, {}).setdefault(key, []).append(pc)
                if number in clears:
                    for semaphore in self._cleared(queue, pc):
                        key = (queue, line, "=", 0, 0)
                        found.setdefault(semaphore, {}).setdefault(key, []).append(pc)
        return found

    def _changed(self, queue: int, pc: int, semaphore: int) -> list[int]:
        """The semaphores that an update changes: of a multicast that of its number in each tile."""
        program = self.program
        row = program.instruction(queue, pc).row
        if not (row.signals and row.spreads):
            return [semaphore]
        places = receivers(
            program, queue, effect_of(program, queue, program.instruction(queue, pc))
        )
        counters = program.generation.counters
        tiles = [program.tiles.index(place) for place in places if place in program.tiles]
        return [tile * counters + semaphore % counters for tile in tiles]

    def _cleared(self, queue: int, pc: int) -> range:
        program = self.program
        clear = Sequencer(program, queue).effect(pc)
        assert isinstance(clear, Clear)
        base = program.queues[queue].core * program.generation.counters
        return range(base + clear.first, base + clear.last + 1)

    def of(self, semaphore: int) -> dict[Update, list[int]]:
        """The pcs that update a semaphore, by queue, line, and what they do."""
        return self._all.get(semaphore, {})

    def pcs(self, semaphore: int) -> dict[int, list[int]]:
        """The pcs that update a semaphore, by queue, in order."""
        if semaphore not in self._pcs:
            found: dict[int, list[int]] = {}
            for (queue, *_), pcs in self.of(semaphore).items():
                found.setdefault(queue, []).extend(pcs)
            self._pcs[semaphore] = {queue: sorted(pcs) for queue, pcs in found.items()}
        return self._pcs[semaphore]


class Supply:
    """Updates of semaphores and arrivals at rendezvous, as they are now."""

    def __init__(self, machine: Machine, changing: Changing | None = None) -> None:
        self.machine, self.program = machine, machine.program
        self.changing = changing or Changing(machine.program)
        self.blocked: list[Queue] = machine.scheduler.blocked()
        self._flows: dict[int, Flow] = {}
        self._courses: dict[int, ExecutedPath] = {}
        self._updaters: dict[int, list[Updater]] = {}
        self._left: dict[int, dict[int, Coming]] = {}

    # -- of a queue

    def flow(self, queue: int) -> Flow:
        """Where a queue can go."""
        if queue not in self._flows:
            self._flows[queue] = Flow(self.program, queue)
        return self._flows[queue]

    def executed_path(self, queue: int) -> ExecutedPath:
        """What a queue would still execute or complete, its head included."""
        if queue not in self._courses:
            standing = self.machine.scheduler.queues[queue]
            own = (f.pc for f in standing.flight if f.pc < standing.length)
            pc = next(own, (*standing.resume, standing.pc)[0])
            registers = self.machine.state.registers[queue]
            self._courses[queue] = executed_path(self.flow(queue), pc, registers)
        return self._courses[queue]

    def wait(self, queue: Queue) -> Wait:
        """What a queue waits for that is not held at a rendezvous."""
        wait = self.program.waits[self.program.queues[queue.index].waits[queue.pc]]
        assert wait is not None
        return wait

    def completed(self, queue: int, pc: int) -> int:
        """How often an instruction has been executed."""
        return int(self.machine.summary.completed(queue)[pc])

    def ahead(self, queue: int, pc: int) -> tuple[int, bool]:
        """How often an instruction would still complete, and whether maybe more often."""
        standing = self.machine.scheduler.queues[queue]
        if standing.done and not standing.flight:
            return 0, False
        if pc >= standing.length:  # what was typed in
            left = (*(f.pc for f in standing.flight), *standing.ahead())
            blocks = [block for at in standing.within() if pc in (block := standing.block(at))]
            labels = self.program.queues[queue].labels.values()
            return left.count(pc), any(label in block for block in blocks for label in labels)
        path = self.executed_path(queue)
        maybe = not path.whole and self.flow(queue).reaches(path.stopped, pc)
        return path.times[pc], maybe

    def round(self, updater: Updater) -> FlowLoop | None:
        """The innermost loop in which a line updates once in every round; None if there is none."""
        flow, pc = self.flow(updater.queue), updater.pcs[0]
        if len(updater.pcs) > 1 or not flow.in_loop(pc):
            return None
        around = [loop for loop in flow.loops if flow.block(pc) in loop.blocks]
        loop = min(around, key=lambda found: len(found.blocks), default=None)
        if loop is None:
            return None
        head = flow.starts[min(loop.blocks)]
        rounds = self.completed(updater.queue, head) + self.ahead(updater.queue, head)[0]
        return loop if rounds == updater.made + updater.ahead else None

    # -- of a semaphore

    def updaters(self, semaphore: int) -> list[Updater]:
        """Every line that updates a semaphore, in the order of queues."""
        if semaphore not in self._updaters:
            self._updaters[semaphore] = [
                self._updater(key, pcs) for key, pcs in self.changing.of(semaphore).items()
            ]
        return self._updaters[semaphore]

    def _updater(self, key: Update, pcs: list[int]) -> Updater:
        queue, _, op, value, shares = key
        each = [self.ahead(queue, pc) for pc in pcs]
        early = self._early(queue, pcs)
        return Updater(
            queue,
            tuple(pcs),
            op,
            value,
            shares,
            sum(self.completed(queue, pc) for pc in pcs) + early,
            sum(times for times, _ in each) - early,
            any(maybe for _, maybe in each),
        )

    def _early(self, queue: int, pcs: list[int]) -> int:
        """How many of some instructions are not complete, but have updated at their start."""
        flight = self.machine.scheduler.queues[queue].flight
        updates = [flying.task.update for flying in flight if flying.pc in pcs]
        return sum(1 for update in updates if update is not None and update[3])

    def coming(self, updater: Updater) -> int:
        """The pc from which the next update of a line would come."""
        at = self.machine.scheduler.queues[updater.queue].pc
        left = [pc for pc in updater.pcs if any(self.ahead(updater.queue, pc))]
        return min(left, key=lambda pc: (pc < at, pc))

    # -- what would do

    def satisfied(self, queue: Queue, among: Container[int]) -> bool:
        """Whether what a queue waits for could come from others than some queues."""
        if queue.blocked is not None:
            return any(q not in among for q in self.enders(queue))
        if queue.arrived is not None:
            return all(
                any(q not in among for q in self.arriving(member, core))
                for member, absent in self.machine.rendezvous.waiting()
                if member.queue == queue.index
                for core in absent
            )
        wait = self.wait(queue)
        left = [c for q, c in self._coming(wait.semaphore).items() if q not in among]
        values = {value for coming in left for value in coming.sets}
        if self.program.generation.counter(wait.semaphore)[2]:
            return wait.value in values
        values.add(self.machine.scheduler.semaphores[wait.semaphore].value)
        most = max(values) + sum(coming.added for coming in left)
        least = min(values) + sum(coming.taken for coming in left)
        return most >= wait.value and (wait.op == ">=" or least <= wait.value)

    def enders(self, queue: Queue) -> list[int]:
        """The queues that could still let the condition of a queue hold, maybe its own."""
        assert queue.blocked is not None
        engines = [engine.name for engine in self.program.generation.engines]
        by = [engines[n] for n in queue.blocked.by]
        return [
            other.index
            for other in self.machine.scheduler.queues
            if other.core == queue.core and not (other.done and not other.flight)
            if (other.engine in by if by else other is not queue)
        ]

    def _coming(self, semaphore: int) -> dict[int, Coming]:
        """What each queue may still do with a semaphore."""
        if semaphore not in self._left:
            by_queue: dict[int, list[Updater]] = {}
            for updater in self.updaters(semaphore):
                if updater.coming:
                    by_queue.setdefault(updater.queue, []).append(updater)
            self._left[semaphore] = {
                queue: Coming(
                    sum(u.most for u in updaters if u.adds),
                    sum(u.most for u in updaters if u.takes),
                    {u.value for u in updaters if u.op == "="},
                )
                for queue, updaters in by_queue.items()
            }
        return self._left[semaphore]

    def arriving(self, member: Member, core: int) -> list[int]:
        """The queues of a core that would still arrive at the rendezvous of a member."""
        found = []
        for queue in self.machine.scheduler.queues:
            if queue.core == core and not queue.done and self._arrives(queue, member):
                found.append(queue.index)
        return found

    def _arrives(self, queue: Queue, member: Member) -> bool:
        first = queue.pc + (queue.arrived is not None)
        for pc in self.meetings(queue.index):
            if (pc >= first or self.flow(queue.index).in_loop(pc)) and any(
                self.ahead(queue.index, pc)
            ):
                try:
                    work = self.machine.tasks[queue.index].fetch(pc)[0].work
                except Failure:
                    continue
                other = self.machine.rendezvous.member(work)
                if other is None or other.key == member.key:
                    return True
        return False

    def meetings(self, queue: int) -> list[int]:
        """The instructions of a queue that meet others."""
        program = self.program
        kind = {n for n, i in enumerate(program.instructions) if i.row.effect is Rendezvous}
        return [pc for pc, n in enumerate(program.queues[queue].instructions) if n in kind]

    # -- in words

    def span(self, queue: int, pc: int) -> Span | None:
        """Where an instruction is written."""
        return self.program.span(queue, pc)

    def who(self, queue: int, pc: int) -> str:
        """An instruction by its queue and pc."""
        return f"{self.program.queue_name(queue)} pc {pc}"

    def line(self, who: Who) -> str:
        """The line of an instruction, or what else it is called by."""
        span = self.span(*who)
        return span.brief if span is not None else self.who(*who)
