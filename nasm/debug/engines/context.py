"""What every engine is doing now, what it does next, and why that does not start yet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nasm.debug.engines.outlook import Outlook
from nasm.debug.engines.records import Context, Doing, EngineContext, Hold, Location
from nasm.debug.engines.transfers import NOTIFYING, TransferRecord, look_ahead, under_way
from nasm.machine.describe import instruction_text, units
from nasm.problems import listed
from nasm.records import Status
from nasm.sim.counters import TRANSFER, Post, Semaphore, Who, holds
from nasm.sim.queues import NEVER, Queue, Task, Wait
from nasm.sim.regions import REGISTERS, Region, intersect
from nasm.sim.resources import Resource
from nasm.source import Frame, Span
from nasm.spec.implicit_operands import EngineValue
from nasm.spec.view import View

if TYPE_CHECKING:
    from nasm.machine import Machine

SHOWN = 2
"""Posters of a semaphore that a sentence names."""


def context(machine: Machine, outlook: Outlook, status: Status) -> Context:
    """What every engine is doing now, and why."""
    seen = Scene(machine, outlook, status)
    return Context(machine.scheduler.now, status, seen.engines(), seen.transfers, units(machine))


@dataclass(slots=True)
class _Start:
    """When the next instruction of a queue can start at the earliest, and whether just then."""

    tick: int | None
    certain: bool = True
    holds: list[Hold] = field(default_factory=list)

    def hold(self, found: Hold) -> None:
        """Something keeps it from starting."""
        self.holds.append(found)
        self.certain = self.certain and found.certain and found.until is not None
        if found.until is None or self.tick is None:
            self.tick = None
        else:
            self.tick = max(self.tick, found.until)


def _step(frame: Frame) -> str:
    """The round of a loop, or the call of a macro, that led to a line."""
    if "(" in frame.what:
        where = frame.span.brief
        return f"{frame.what} {'in' if frame.span.source.label else 'on'} {where}"
    return frame.what.partition(".for ")[2]


class Scene:
    """A machine between two events: reads it, and changes nothing."""

    def __init__(self, machine: Machine, outlook: Outlook, status: Status) -> None:
        self.machine, self.program, self.outlook = machine, machine.program, outlook
        self.scheduler, self.status = machine.scheduler, status
        self.now = machine.scheduler.now
        landings, self.earliest = look_ahead(machine, outlook)
        self.transfers = under_way(machine, landings)

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
        )

    # -- words

    def place(self, who: Who | None) -> Location:
        """An instruction by queue and pc; None is a hand."""
        if who is None:
            return Location("a change by hand", -1, None)
        span = self.program.span(*who)
        name = self.program.queue_name(who[0])
        if span is None:
            return Location(name, who[1], None)
        steps = filter(None, map(_step, span.chain))
        return Location(name, who[1], span.line, ", ".join(steps), span.source.label)

    def more(self, tick: int) -> str:
        """How long it is until a tick."""
        us = self.machine.microseconds(tick - self.now)
        return f"{us:,.3f} µs more" if us >= 0.0005 else "less than 0.001 µs more"

    def time(self, tick: int) -> str:
        """A tick in microseconds."""
        return f"{self.machine.microseconds(tick):,.3f} µs"

    def _beside(self, who: Who, queue: Queue) -> str:
        """An instruction, told from the engine whose next one is looked at."""
        place = self.place(who)
        return place.where if who[0] == queue.index else str(place)

    # -- when the next instruction starts

    def start(self, queue: Queue) -> _Start:
        """When the next instruction of a queue starts, and what keeps it from doing so."""
        if self.status is Status.FAULT:
            mine = self.scheduler.acting == (queue.index, queue.pc)
            said = (
                "cannot: this is where the fault is" if mine else "does not: a fault ended the run"
            )
            return _Start(None, False, [Hold("over", said, None, False)])
        if queue.arrived is not None:
            return self._arrived(queue)
        task, wait = queue.head, queue.wait
        if task is None:  # before the first event
            lines = self.program.queues[queue.index]
            wait = self.program.waits[lines.waits[queue.pc]]
        start = _Start(self.now)
        if not queue.parked:
            start.tick = max(self.now, queue.due)
        if task is not None:
            self._resources(queue, task, start)
        if wait is not None and not queue.waited:
            self._waits(queue, wait, start)
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

    def _resources(self, queue: Queue, task: Task, start: _Start) -> None:
        """What the instruction occupies, and the results that it needs."""
        unit = task.unit if task.needs is None else task.needs.last
        free = task.free_at
        if free > self.now:
            start.hold(self._busy("unit", queue, task, unit, free, not task.contended))
        behind = queue.behind
        if behind is not None and behind.finish > self.now:
            who = (queue.index, behind.pc)
            what = self._result(queue, task, behind.task)
            said = f"waits for {what} of {self._beside(who, queue)}, {self.more(behind.finish)}"
            start.hold(Hold("data", said, behind.finish, True, (self.place(who),)))
        gate = task.work.gate() if task.work.gate is not None else 0
        if gate > self.now:
            maker = next((f.pc for f in reversed(queue.flight) if f.until == gate), None)
            by = () if maker is None else (self.place((queue.index, maker)),)
            of = f" of {self._beside((queue.index, maker), queue)}" if maker is not None else ""
            said = f"waits for {self._awaited(queue, gate)}{of}, {self.more(gate)}"
            start.hold(Hold("data", said, gate, True, by))
        for port in task.ports:
            start.certain = False
            if port.free_at > self.now:
                start.hold(self._busy("port", queue, task, port, port.free_at, False))

    def _closed(self, queue: Queue, start: _Start) -> None:
        """The condition of the instruction did not hold when it was asked last."""
        blocked = queue.blocked
        assert blocked is not None
        start.holds.clear()
        start.tick = self.now
        start.hold(Hold("condition", f"waits: {blocked.said}", blocked.until, False))

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
            said = f"makes {resource.name} ready ({label}), {self.more(free)}"
            return Hold("ready", said, free, certain)
        by = () if holder is None else (self.place(holder),)
        what = f" by {self._beside(holder, queue)}" if holder is not None else ""
        name = resource.name if kind in resource.name else f"{kind} {resource.name}"
        said = f"waits for the {name}, kept{what}, {self.more(free)}"
        return Hold(kind, said, free, certain, by)

    # -- semaphores

    def _waits(self, queue: Queue, wait: Wait, start: _Start) -> None:
        """The semaphore that the instruction waits for."""
        number, op, value = wait
        semaphore = self.scheduler.semaphores.get(number) or Semaphore()
        name = f"${self.program.semaphore_name(number)}"
        check = self.now if start.tick is None else start.tick
        if queue.parked:
            found = self._noticed(queue, semaphore)
        else:
            found = seen(semaphore, op, value, check)
        if found is None:
            start.hold(self._unmet(queue, wait, semaphore, name))
        elif found[0] > check or queue.parked:
            at, post = found
            start.hold(self._notification(queue, number, name, at, post))
        elif self._changes(queue, number):
            start.certain = False

    @staticmethod
    def _noticed(queue: Queue, semaphore: Semaphore) -> tuple[int, Post | None] | None:
        """When a parked queue has been told that it may go on; None if it has not."""
        if queue.due == NEVER:
            return None
        posts = (p for p in semaphore.pending if p.record == queue.because and p.at == queue.due)
        return queue.due, next(posts, None)

    def _notification(
        self, queue: Queue, number: int, name: str, at: int, post: Post | None
    ) -> Hold:
        """A post has been made, and is not seen yet."""
        by: tuple[Location, ...] = ()
        who = queue.blocker if post is None else post.by
        poster = queue.poster if post is None else post.poster
        if isinstance(who, tuple):
            by = (self.place(who),)
        what = "the notification" if poster == TRANSFER else "the hand-off"
        said = f"waits for {what} of {name}, {self.more(at)}"
        if self._sooner(queue, number, at):
            return Hold("notification", f"{said} at most", self.now, False, by, name)
        return Hold("notification", said, at, True, by, name)

    def _changes(self, queue: Queue, number: int) -> bool:
        """Whether anything else may change a semaphore before a queue looks at it."""
        others = any(who[0] != queue.index for who in self.outlook.posters(number))
        flying = any(
            flying.task.update is not None and flying.task.update[0] == number
            for other in self.scheduler.queues
            for flying in other.flight
        )
        clearing = any(
            number in flying.task.work.clears
            for other in self.scheduler.queues
            for flying in other.flight
        )
        moving = any(flight.semaphore == number for flight in self.scheduler.transfers.values())
        return others or flying or clearing or moving

    def _sooner(self, queue: Queue, number: int, at: int) -> bool:
        """Whether a post that is yet to be made might be seen before a tick."""
        if self.now + self.scheduler.delay >= at:
            return self._landing_sooner(number, at)
        acting = any(
            not self.program.instruction(*who).row.posts and who[0] != queue.index
            for who in self.outlook.posters(number)
        )
        flying = any(
            flying.task.update is not None and flying.task.update[0] == number
            for other in self.scheduler.queues
            for flying in other.flight
        )
        return acting or flying or self._landing_sooner(number, at)

    def _landing_sooner(self, number: int, at: int) -> bool:
        """Whether shares of a transfer might be seen to land before a tick."""
        flights = self.scheduler.transfers.values()
        return any(f.semaphore == number and self.now + f.notify < at for f in flights)

    def _unmet(self, queue: Queue, wait: Wait, semaphore: Semaphore, name: str) -> Hold:
        """Nobody has posted yet what the instruction waits for."""
        number, op, value = wait
        coming = tuple(
            t
            for t in self.transfers
            if t.semaphore == name[1:] and t.phase != NOTIFYING and self._of(t, number)
        )
        acting = [
            (queue_.index, flying.pc)
            for queue_ in self.scheduler.queues
            for flying in queue_.flight
            if self._posts(flying.task, number)
        ]
        posters = [who for who in self.outlook.posters(number) if who not in acting]
        left = sum(t.left for t in coming)
        enough = left + sum(self._adds(who) for who in acting) + semaphore.value
        parts = [self._landing(coming)] if coming else []
        if acting:
            posts = "posts" if len(acting) == 1 else "post"
            parts.append(f"{self._listed(acting)} {posts} on completing")
        if posters and not holds(enough, op, value):
            parts.append(self._to_post(queue, posters))
        if not parts:
            parts.append("nothing that is left posts it")
        said = f"waits for {name} {op} {value} (it is {semaphore.value})"
        until = None
        if coming and not acting and not posters and semaphore.value + left == value:
            until = max([*(t.seen for t in coming), *(p.at for p in semaphore.pending)])
        certain = until is not None and all(t.certain for t in coming)
        return Hold(
            "semaphore",
            f"{said}: {'; '.join(parts)}",
            until if certain else None,
            certain,
            tuple(map(self.place, (*acting, *posters))),
            name,
            semaphore.value,
            value,
            coming,
            said,
            "; ".join(parts),
            f"{said}, {self._in_short(coming, [*acting, *posters])}",
            holds(enough, op, value) and bool(coming or acting),
        )

    def _in_short(self, coming: tuple[TransferRecord, ...], others: list[Who]) -> str:
        """Who posts, in a few words."""
        spans = [t.span for t in coming] + [self.program.span(*who) for who in others]
        if any(spans):
            return f"posted by {briefly(spans)}"
        places = [f"{t.engine} pc {t.pc}" for t in coming] + [str(self.place(w)) for w in others]
        return f"posted by {listed(places, 'and')}" if places else "nothing posts it"

    def _adds(self, who: Who) -> int:
        """What an instruction adds to the semaphore that it updates."""
        update = self.program.updates[self.program.queues[who[0]].updates[who[1]]]
        return update.value if update is not None and update.op == "+" else 0

    @staticmethod
    def _posts(task: Task, number: int) -> bool:
        update = task.update
        return (update is not None and update[0] == number and not update[3]) or (
            number in task.work.clears
        )

    def _of(self, transfer: TransferRecord, number: int) -> bool:
        """Whether a transfer posts to this semaphore: names are of one core, numbers of all."""
        flight = self.scheduler.transfers.get(transfer.number)
        return flight is not None and flight.semaphore == number

    def _landing(self, coming: tuple[TransferRecord, ...]) -> str:
        """Transfers that will post, and when they have all landed."""
        last = max(coming, key=lambda t: t.lands)
        of = briefly(sorted((t.span for t in coming), key=_by_line)) or coming[0].engine
        one = len(coming) == 1
        certain = all(t.certain for t in coming)
        when = (
            f"lands at {self.time(last.lands)}"
            if certain
            else (f"lands not before {self.time(last.lands)}")
        )
        phase = f"{coming[0].phase}, " if one else ""
        count = "the transfer" if one else f"{len(coming)} transfers"
        return f"{count} of {of}: {phase}{when}" if one else f"{count} of {of}, the last {when}"

    def _listed(self, who: list[Who]) -> str:
        said = [str(self.place(one)) for one in who[:SHOWN]]
        if len(who) > SHOWN:
            said.append(f"{len(who) - SHOWN} more")
        return listed(said, "and")

    def _to_post(self, queue: Queue, posters: list[Who]) -> str:
        """Who would post, and where they stand."""
        parts = []
        for index, pc in posters[:SHOWN]:
            other = self.scheduler.queues[index]
            place = self.place((index, pc))
            if index == queue.index:
                parts.append(f"{place} posts it, behind this wait")
            elif other.pc == pc:
                stands = "waits itself" if other.parked else "is next there"
                parts.append(f"{place} posts it, and {stands}")
            else:
                stand = self.place((index, other.pc)).where
                parts.append(f"{place} posts it, and {place.engine} is at {stand}")
        if len(posters) > SHOWN:
            parts.append(f"{len(posters) - SHOWN} more engines post it")
        return "; ".join(parts)

    # -- other cores

    def _arrived(self, queue: Queue) -> _Start:
        """A queue that has arrived at a rendezvous."""
        start = _Start(self.now)
        if not queue.parked:
            start.tick = max(self.now, queue.due)
            start.hold(
                Hold("core", f"goes on with the other core, {self.more(queue.due)}", queue.due)
            )
            return start
        for member, absent in self.machine.rendezvous.waiting():
            if member.queue == queue.index:
                cores = listed(map(str, absent), "and")
                name = member.context.row.name
                said = f"waits at {name} for core {cores} to reach one"
                heads = [
                    self.place((q.index, q.pc))
                    for q in self.scheduler.queues
                    if q.core in absent and not q.done and q.engine == queue.engine
                ]
                if heads:
                    said += f"; {heads[0].engine} is at {heads[0].where}"
                start.hold(Hold("core", said, None, False, tuple(heads)))
                return start
        return self._exchange(queue, start)

    def _exchange(self, queue: Queue, start: _Start) -> _Start:
        """What the cores exchange is on its way."""
        queues, notify = self.machine.rendezvous.exchanging(queue.index)
        heads = {(index, self.scheduler.queues[index].pc) for index in queues}
        transfers = tuple(t for t in self.transfers if (t.queue, t.pc) in heads)
        if not transfers:  # the last has landed, and the release is under way
            start.hold(Hold("core", "waits for the exchange of the cores", None, False))
            return start
        last, certain = max(t.lands for t in transfers), all(t.certain for t in transfers)
        when = "which lands at" if certain else "which lands not before"
        said = f"waits for what the cores exchange, {when} {self.time(last)}"
        start.hold(Hold("core", said, last + notify, certain, transfers=transfers))
        return start


def seen(semaphore: Semaphore, op: str, value: int, tick: int) -> tuple[int, Post | None] | None:
    """When a condition is seen to hold from a tick on, as :meth:`Semaphore.visible`.

    But it changes nothing, so that the tick may lie ahead.
    """
    if not holds(semaphore.value, op, value):
        return None
    have, at, by = semaphore.seen, tick, None
    for post in semaphore.pending:
        if post.at > tick and holds(have, op, value):
            break
        have = have + post.value if post.op == "+" else post.value
        if post.at > tick:
            at, by = post.at, post
    return (at, by) if holds(have, op, value) else None


def briefly(spans: Iterable[Span | None]) -> str:
    """The lines of some places in few words, each once: ``line 3, 5 and lib/a.nasm:12``."""
    held = [span for span in spans if span is not None]
    own = dict.fromkeys(str(span.line) for span in held if not span.source.label)
    others = dict.fromkeys(span.brief for span in held if span.source.label)
    return ("line " if own else "") + listed([*own, *others], "and")


def _by_line(span: Span | None) -> tuple[str, int]:
    return (span.source.label, span.line) if span is not None else ("", 0)


def _last_first(hold: Hold) -> tuple[bool, int, bool]:
    return hold.until is not None, -(hold.until or 0), hold.kind != "data"
