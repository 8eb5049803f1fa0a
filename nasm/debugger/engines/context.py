"""What every engine is doing now, what it does next, and why that does not start yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nasm.analysis.summary import form_text, instruction_text, units
from nasm.base.problems import listed
from nasm.debugger.engines.future_posts import ProgramFlows
from nasm.debugger.engines.moment import Start
from nasm.debugger.engines.records import Context, Doing, EngineContext, Hold
from nasm.debugger.engines.semaphore_wait import Awaiting
from nasm.isa.implicit_kinds import EngineValue
from nasm.isa.micro_instructions import Micro
from nasm.machine.records import Status
from nasm.sim.queues import NEVER, Queue, Task
from nasm.sim.resources import Resource
from nasm.views.regions import REGISTERS, Region, intersect
from nasm.views.view import View

if TYPE_CHECKING:
    from nasm.machine import Machine


def context(machine: Machine, flows: ProgramFlows, status: Status) -> Context:
    """What every engine is doing now, and why."""
    seen = Scene(machine, flows, status)
    return Context(machine.scheduler.now, status, seen.engines(), seen.transfers, units(machine))


class Scene(Awaiting):
    """A machine between two events: reads it, and changes nothing."""

    @property
    def ended(self) -> bool:
        """Whether nothing more happens."""
        return self.status in (Status.FINISHED, Status.DEADLOCK, Status.FAULT)

    def engines(self) -> tuple[EngineContext, ...]:
        """Every engine, in the order of queues."""
        return tuple(map(self.engine, self.scheduler.queues))

    def engine(self, queue: Queue) -> EngineContext:
        """What one engine does now."""
        index, machine, program = queue.index, self.machine, self.program
        doing = tuple(
            Doing(
                self.place((index, one.pc)),
                instruction_text(machine, index, one.pc),
                program.span(index, one.pc),
                one.start,
                one.finish,
                one.until,
            )
            for one in queue.flight
        )
        mine = EngineContext(
            program.queue_name(index),
            queue.core,
            index,
            self.now // machine.cycle(index),
            queue.length,
            queue.count,
            doing,
        )
        if queue.done:
            return mine
        start = self.start(queue)
        holds, least = sorted(start.holds, key=_last_first), self.earliest[index]
        if start.tick is None and not self.ended and least < NEVER:
            start.tick, start.certain = least, False
        return EngineContext(
            mine.engine,
            mine.core,
            mine.index,
            mine.cycle,
            mine.length,
            mine.completed,
            doing,
            self.place((index, queue.pc)),
            instruction_text(machine, index, queue.pc),
            program.span(index, queue.pc),
            tuple(holds),
            start.tick,
            start.certain,
            self._expansion(queue),
            program.origin(queue.pc),
        )

    def _expansion(self, queue: Queue) -> str:
        """What the next instruction is one of, if an expansion has put it there."""
        if type(queue.pc) is not Micro:
            return ""
        pc, last = int(queue.pc), len(queue.expansion) - 1
        where = self.place((queue.index, pc)).where
        text = f"{pc}.0 to {pc}.{last}" if last else f"{pc}.0"
        return f"{text} for {form_text(self.program, queue.index, pc)}, {where}"

    # -- when the next instruction starts

    def start(self, queue: Queue) -> Start:
        """When the next instruction of a queue starts, and what keeps it from doing so."""
        if self.status is Status.FAULT:
            mine = self.scheduler.acting == (queue.index, queue.pc)
            text = (
                "cannot: this is where the fault is" if mine else "does not: a fault ended the run"
            )
            return Start(None, False, [Hold("over", text, None, False)])
        if queue.arrived is not None:
            return self._arrived(queue)
        task, wait = queue.head, queue.wait
        if task is None:  # before the first event
            lines = self.program.queues[queue.index]
            wait = self.program.waits[lines.waits[queue.pc]]
        start = Start(self.now)
        if not queue.parked:
            start.tick = max(self.now, queue.due)
        if task is not None and queue.missing is None:
            self._resources(queue, task, start)
        if wait is not None and not queue.waited:
            self.waits(queue, wait, start)
        if queue.blocked is not None:
            self._closed(queue, start)
        turn = not start.holds and start.tick is not None and start.tick > self.now
        if turn:
            assert start.tick is not None
            start.hold(Hold("turn", f"starts at {self.time(start.tick)}, its turn", start.tick))
        if task is not None and (task.contended or task.expand or task.work.arrive):
            start.certain = False
        if task is not None and task.work.condition is not None:
            start.certain = False
        return start

    def _resources(self, queue: Queue, task: Task, start: Start) -> None:
        """What the instruction occupies, and the results that it needs."""
        unit = task.unit if task.needs is None else task.needs.last
        free = task.free_at
        if free > self.now:
            start.hold(self._busy("unit", queue, task, unit, free, not task.contended))
        behind = queue.behind
        if behind is not None and behind.finish > self.now:
            who = (queue.index, behind.pc)
            what = self._result(queue, task, behind.task)
            text = (
                f"waits for {what} of {self.relative_place(who, queue)}, {self.more(behind.finish)}"
            )
            start.hold(Hold("data", text, behind.finish, True, (self.place(who),)))
        gate = task.work.gate() if task.work.gate is not None else 0
        if gate > self.now:
            maker = next((f.pc for f in reversed(queue.flight) if f.until == gate), None)
            by = () if maker is None else (self.place((queue.index, maker)),)
            of = (
                f" of {self.relative_place((queue.index, maker), queue)}"
                if maker is not None
                else ""
            )
            text = f"waits for {self._awaited(queue, gate)}{of}, {self.more(gate)}"
            start.hold(Hold("data", text, gate, True, by))
        for port in task.ports:
            start.certain = False
            if port.free_at > self.now:
                start.hold(self._busy("port", queue, task, port, port.free_at, False))

    def _closed(self, queue: Queue, start: Start) -> None:
        """The condition of the instruction did not hold when it was asked last."""
        blocked = queue.blocked
        assert blocked is not None
        start.holds.clear()
        start.tick = self.now
        start.hold(Hold("condition", f"waits: {blocked.reason}", blocked.until, False))

    def _awaited(self, queue: Queue, gate: int) -> str:
        """What the next instruction of a queue needs of what the engine holds from a tick on."""
        ready = self.machine.state.engines[queue.index].ready
        operands = self.program.instruction(queue.index, queue.pc).row.operands
        kinds = [o.kind for o in operands if isinstance(o.kind, EngineValue)]
        names = [f"the {k.name}" for k in kinds if ready.get(k.name) == gate]
        return listed(names, "and") if names else "a result"

    def _result(self, queue: Queue, reader: Task, writer: Task) -> str:
        """What one instruction reads of what another writes: registers and tensors."""
        names: dict[str, None] = {}
        for read in reader.work.reads:
            if intersect((read,), writer.work.writes):
                names[self._name(read)] = None
        return listed(names, "and") if names else "a result"

    def _name(self, region: Region) -> str:
        """What some bytes belong to."""
        if region.place.startswith(REGISTERS):
            return f"%r{region.low // 4}"
        areas = self.machine.state.areas
        tensors = [t for t in self.program.tensors.values() if areas[t.index] == region.area]
        inside = [
            t
            for t in tensors
            if intersect((self.machine.addresses.region(View.whole(t)),), (region,))
        ]
        return (inside or tensors)[0].name if tensors else "a result"

    def _busy(
        self, kind: str, queue: Queue, task: Task, resource: Resource, free: int, certain: bool
    ) -> Hold:
        """A resource that is occupied, and by which instruction."""
        holder = resource.holder
        if holder == (queue.index, queue.pc) and resource.record > queue.record:
            label = task.pace.label if task.pace is not None else ""
            text = f"makes {resource.name} ready ({label}), {self.more(free)}"
            return Hold("ready", text, free, certain)
        by = () if holder is None else (self.place(holder),)
        what = f" by {self.relative_place(holder, queue)}" if holder is not None else ""
        name = resource.name if kind in resource.name else f"{kind} {resource.name}"
        text = f"waits for the {name}, kept{what}, {self.more(free)}"
        return Hold(kind, text, free, certain, by)

    # -- other cores

    def _arrived(self, queue: Queue) -> Start:
        """A queue that has arrived at a rendezvous."""
        start = Start(self.now)
        if not queue.parked:
            start.tick = max(self.now, queue.due)
            start.hold(
                Hold("core", f"continues with the other core, {self.more(queue.due)}", queue.due)
            )
            return start
        for member, absent in self.machine.rendezvous.waiting():
            if member.queue == queue.index:
                cores = listed(map(str, absent), "and")
                name = member.context.row.name
                text = f"waits at {name} for core {cores} to reach one"
                heads = [
                    self.place((q.index, q.pc))
                    for q in self.scheduler.queues
                    if q.core in absent and not q.done and q.engine == queue.engine
                ]
                if heads:
                    text += f"; {heads[0].engine} is at {heads[0].where}"
                start.hold(Hold("core", text, None, False, tuple(heads)))
                return start
        return self._exchange(queue, start)

    def _exchange(self, queue: Queue, start: Start) -> Start:
        """What the cores exchange is in flight."""
        queues, notify = self.machine.rendezvous.exchanging(queue.index)
        heads = {(index, self.scheduler.queues[index].pc) for index in queues}
        transfers = tuple(t for t in self.transfers if (t.queue, t.pc) in heads)
        if not transfers:  # the last has landed, and the release is in progress
            start.hold(Hold("core", "waits for the exchange of the cores", None, False))
            return start
        last, certain = max(t.lands for t in transfers), all(t.certain for t in transfers)
        when = "which lands at" if certain else "which lands not before"
        text = f"waits for what the cores exchange, {when} {self.time(last)}"
        start.hold(Hold("core", text, last + notify, certain, transfers=transfers))
        return start


def _last_first(hold: Hold) -> tuple[bool, int, bool]:
    return hold.until is not None, -(hold.until or 0), hold.kind != "data"
