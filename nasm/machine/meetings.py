"""Cores that meet: instructions held until one like them is held on each of the other cores.

What they exchange is moved by the channels of the sender, as a transfer that posts nothing, or by
the engines themselves. The scheduler knows none of this: it holds a queue until it is released.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nasm.machine import moves
from nasm.machine.bind import Bound
from nasm.problems import Note, Refused, listed
from nasm.sim.memory import Region
from nasm.spec.effects import COPY, Exchange, Rendezvous, Transfer
from nasm.spec.instruction import Context

if TYPE_CHECKING:
    from nasm.machine.acts import Acts
    from nasm.machine.machine import Machine

DO_NOT_FIT = "E0512"

Key = tuple[str, tuple[int, ...], tuple[tuple[str, object], ...]]
"""What instructions meet by: their row, the cores, and what else the meeting names."""


@dataclass(slots=True, eq=False)
class Member:
    """An instruction of one queue that meets others; ``pc`` is where it last came from."""

    queue: int
    core: int
    bound: Bound
    context: Context
    meeting: Rendezvous
    pc: int = 0

    @property
    def key(self) -> Key:
        """What it meets others by."""
        return (self.context.row.name, self.meeting.cores, self.meeting.by)


class Meetings:
    """Who is held, and what happens when all have come."""

    def __init__(self, machine: Machine, acts: Acts) -> None:
        self.machine, self.acts = machine, acts
        self.held: dict[Key, dict[int, Member]] = {}
        self._senders: dict[int, Member] = {}
        self._parts: dict[tuple[int, int], moves.Part] = {}
        self._plans: dict[tuple[int, int], moves.BoundTransfer] = {}

    def hold(self, queue: int, bound: Bound, context: Context, meeting: Rendezvous) -> None:
        """Let an instruction come to a meeting before it starts."""
        core = self.machine.program.queues[queue].core
        member = Member(queue, core, bound, context, meeting)
        exchange = meeting.exchange
        bound.branches = False
        bound.arrive = lambda now: self._arrive(member, now)
        bound.start = lambda now: None
        if exchange is not None and exchange.direct:
            bound.reads, bound.writes = self._regions(exchange)
            bound.start = lambda now: self._take(member)
            bound.finish = _deliver
        else:
            bound.finish = _nothing

    def _regions(self, exchange: Exchange) -> tuple[tuple[Region, ...], tuple[Region, ...]]:
        access = self.machine.access
        return (access(exchange.src).region,), (access(exchange.dst).region,)

    # -- coming together

    def _arrive(self, member: Member, now: int) -> None:
        """One more is held; the last one of a meeting begins it."""
        member.pc = self.machine.scheduler.queues[member.queue].pc
        here = self.held.setdefault(member.key, {})
        other = here.get(member.core)
        if other is not None or member.core not in member.meeting.cores:
            raise self._misfit(member, other or member, "stand on one core, and one may come")
        here[member.core] = member
        if len(here) < len(member.meeting.cores):
            return
        del self.held[member.key]
        members = [here[core] for core in sorted(here)]
        self._compare(members)
        if member.meeting.exchange is None:
            self._release(members, now)
        elif member.meeting.exchange.direct:
            for m in members:
                self._senders[m.queue] = here[_exchange(m).source]
            self._release(members, now)
        else:
            self._move(members, here, now)

    def _release(self, members: list[Member], at: int) -> None:
        for member in members:
            self.machine.scheduler.release(member.queue, at)

    def _compare(self, members: list[Member]) -> None:
        """Whether they fit each other; raises Refused."""
        first = members[0]
        for other in members[1:]:
            for (name, mine), (_, theirs) in zip(
                first.meeting.alike, other.meeting.alike, strict=True
            ):
                if mine != theirs:
                    said = f"differ in {name}: {_word(mine)} and {_word(theirs)}"
                    raise self._misfit(first, other, said)
        by_core = {m.core: m for m in members}
        for member in members if first.meeting.exchange is not None else ():
            to = _exchange(member).to
            peer = by_core.get(to)
            if peer is None or _exchange(peer).source != member.core:
                said = f"do not exchange: core {member.core} sends to core {to}"
                if peer is not None:
                    said += f", which receives from core {_exchange(peer).source}"
                raise self._misfit(member, members[0 if member is members[-1] else -1], said)

    def _misfit(self, member: Member, other: Member, said: str) -> Refused:
        program = self.machine.program
        names = [f"{program.queue_name(m.queue)} pc {m.pc}" for m in (member, other)]
        last = self.machine.scheduler.acting[0]  # the one that the problem will point at
        there, name = (other, names[1]) if member.queue == last else (member, names[0])
        note = Note(f"{name} is here", program.span(there.queue, there.pc))
        return Refused(
            DO_NOT_FIT,
            f"{member.context.row.name} of {listed(names, 'and')} {said}",
            "both sides of a meeting are written for each other",
            (note,),
        )

    # -- what is exchanged

    def _move(self, members: list[Member], here: dict[int, Member], now: int) -> None:
        """Send everything by the channels, and release all once all of it has landed."""
        left = len(members)
        plans = [self._plan(m, here[_exchange(m).to]) for m in members]
        notify = max(plan.transfer.notify for plan in plans)
        scheduler = self.machine.scheduler

        def landed() -> None:
            nonlocal left
            left -= 1
            if not left:
                self._release(members, scheduler.now + notify)

        for member, plan in zip(members, plans, strict=True):
            self.acts.launch(plan, member.queue, member.pc, now, landed=landed)

    def _plan(self, sender: Member, receiver: Member) -> moves.BoundTransfer:
        key = (sender.bound.number, receiver.bound.number)
        found = self._plans.get(key)
        if found is None:
            pair = (_exchange(receiver).dst, _exchange(sender).src)
            found = self._plans[key] = self.acts.plan(Transfer((pair,)), sender.context)
        return found

    def _take(self, member: Member) -> Any:
        """What the engine of another core sends, as it is now."""
        sender = self._senders.pop(member.queue)
        key = (sender.bound.number, member.bound.number)
        part = self._parts.get(key)
        if part is None:
            dst, src = _exchange(member).dst, _exchange(sender).src
            part = self._parts[key] = moves.Part(self.machine, dst, (src,), COPY, ())
        (read,) = part.reads
        if not read.settled and read.unwritten():
            self.machine.hazard_unwritten(sender.queue, read.view, pc=sender.pc)
        return part, part.take()

    # -- who is missing

    def waiting(self) -> Iterator[tuple[Member, list[int]]]:
        """Everyone who is held for others, with the cores that have not come."""
        for here in self.held.values():
            for member in here.values():
                yield member, [core for core in member.meeting.cores if core not in here]


def _exchange(member: Member) -> Exchange:
    assert member.meeting.exchange is not None
    return member.meeting.exchange


def _deliver(payload: Any, _: int) -> None:
    part, values = payload
    part.put(values)
    part.write.mark()


def _nothing(_: Any, __: int) -> None:
    return None


def _word(value: object) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)
