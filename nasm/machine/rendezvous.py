"""Rendezvous: an instruction of each core waits for the others, then all execute together.

What they exchange is moved by the channels of the sender, as a transfer that posts nothing, or by
the engines themselves. The scheduler knows none of this: it parks a queue until it is released.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from nasm.base.problems import Note, Refused, listed
from nasm.base.records import dataclass
from nasm.isa import effects
from nasm.isa.effects import Exchange, Transfer
from nasm.isa.instruction import InstructionContext
from nasm.machine.addresses import Addresses
from nasm.machine.findings import Findings
from nasm.machine.transfers import Launched, Mover, Transfers
from nasm.program.program import Program
from nasm.sim.queues import Work
from nasm.sim.scheduler import Scheduler

DO_NOT_FIT = "E0512"

Key = tuple[str, tuple[int, ...], tuple[tuple[str, object], ...]]
"""What instructions are matched by: their row, the cores, and what else they name."""


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """An instruction that takes part in a rendezvous; ``number`` is its own."""

    queue: int
    core: int
    number: int
    context: InstructionContext
    effect: effects.Rendezvous

    @property
    def key(self) -> Key:
        """What it is matched by."""
        return (self.context.row.name, self.effect.cores, self.effect.by)

    @property
    def exchange(self) -> Exchange:
        """What it sends and receives."""
        assert self.effect.exchange is not None
        return self.effect.exchange


@dataclass(frozen=True, slots=True)
class Arrival:
    """A member that has arrived, at a pc of its queue."""

    member: Member
    pc: int


class Outstanding:
    """The transfers of an exchange that are in flight, and the members that wait for them."""

    __slots__ = ("left", "members", "notify")

    def __init__(self, left: int, members: list[Member], notify: int) -> None:
        self.left, self.members, self.notify = left, members, notify


class RendezvousPoint:
    """The members that have arrived, and what happens when all have.

    ``held`` are those that wait for others, by what they are matched by and their core.
    """

    CACHES = ("_moves", "_bound")

    def __init__(
        self,
        program: Program,
        addresses: Addresses,
        findings: Findings,
        transfers: Transfers,
        scheduler: Scheduler,
    ) -> None:
        self.program, self.addresses, self.findings = program, addresses, findings
        self.transfers, self.scheduler = transfers, scheduler
        self.held: dict[Key, dict[int, Arrival]] = {}
        self.senders: dict[int, Arrival] = {}
        self.outstanding: list[Outstanding] = []
        self._moves: dict[tuple[int, int], Mover] = {}
        self._bound: dict[tuple[int, int], Launched] = {}

    def work(
        self, number: int, queue: int, context: InstructionContext, effect: effects.Rendezvous
    ) -> Work:
        """An instruction that waits for the others of its rendezvous before it starts."""
        core = self.program.queues[queue].core
        member = Member(queue, core, number, context, effect)
        exchange, arrive = effect.exchange, partial(self._arrive, member)
        if exchange is None or not exchange.direct:
            return Work(number, _nothing, _nothing, arrive=arrive)
        region = self.addresses.region
        reads, writes = (region(exchange.src),), (region(exchange.dst),)
        start = partial(self._take, member)
        return Work(number, start, self._deliver, reads, writes, arrive=arrive)

    # -- arrivals

    def _arrive(self, member: Member, now: int) -> None:
        """A member arrives; the last one releases all of them."""
        arrival = Arrival(member, self.scheduler.acting[1])
        here = self.held.setdefault(member.key, {})
        other = here.get(member.core)
        if other is not None or member.core not in member.effect.cores:
            raise self._misfit(arrival, other or arrival, "are on one core")
        here[member.core] = arrival
        if len(here) < len(member.effect.cores):
            return
        del self.held[member.key]
        arrivals = [here[core] for core in sorted(here)]
        self._compare(arrivals)
        members = [arrival.member for arrival in arrivals]
        for tell in self.scheduler.listeners["met"]:
            tell([one.queue for one in members])
        if member.effect.exchange is None:
            self._release(members, now)
        elif member.effect.exchange.direct:
            for one in members:
                self.senders[one.queue] = here[one.exchange.source]
            self._release(members, now)
        else:
            self._exchange(arrivals, here, now)

    def _release(self, members: list[Member], at: int) -> None:
        for member in members:
            self.scheduler.release(member.queue, at)

    def _compare(self, arrivals: list[Arrival]) -> None:
        """Refuse members that do not match."""
        first = arrivals[0]
        for other in arrivals[1:]:
            for (name, mine), (_, theirs) in zip(
                first.member.effect.alike, other.member.effect.alike, strict=True
            ):
                if mine != theirs:
                    text = f"differ in {name}: {_word(mine)} and {_word(theirs)}"
                    raise self._misfit(first, other, text)
        by_core = {arrival.member.core: arrival.member for arrival in arrivals}
        for arrival in arrivals if first.member.effect.exchange is not None else ():
            member = arrival.member
            to = member.exchange.to
            peer = by_core.get(to)
            if peer is None or peer.exchange.source != member.core:
                text = f"do not match: core {member.core} sends to core {to}"
                if peer is not None:
                    text += f", which receives from core {peer.exchange.source}"
                other = arrivals[0 if arrival is arrivals[-1] else -1]
                raise self._misfit(arrival, other, text)

    def _misfit(self, arrival: Arrival, other: Arrival, text: str) -> Refused:
        program = self.program
        names = [f"{program.queue_name(a.member.queue)} pc {a.pc}" for a in (arrival, other)]
        last = self.scheduler.acting[0]  # the one that the problem will point at
        mine = arrival.member.queue == last
        there, name = (other, names[1]) if mine else (arrival, names[0])
        note = Note(f"{name} is here", program.span(there.member.queue, there.pc))
        return Refused(
            DO_NOT_FIT,
            f"{arrival.member.context.row.name} of {listed(names, 'and')} {text}",
            "both sides of a rendezvous have to match",
            (note,),
        )

    # -- what is exchanged

    def _exchange(self, arrivals: list[Arrival], here: dict[int, Arrival], now: int) -> None:
        """Send everything by the channels, and release the members once all of it has landed."""
        members = [arrival.member for arrival in arrivals]
        bound = [self._sent(m, here[m.exchange.to].member) for m in members]
        notify = max(transfer.plan.notify for transfer in bound)
        waiting = Outstanding(len(members), members, notify)
        self.outstanding.append(waiting)
        for arrival, transfer in zip(arrivals, bound, strict=True):
            who = (arrival.member.queue, arrival.pc)
            self.transfers.launch(transfer, None, now, who, partial(self._landed, waiting))

    def _landed(self, waiting: Outstanding) -> None:
        waiting.left -= 1
        if not waiting.left:
            self.outstanding.remove(waiting)
            self._release(waiting.members, self.scheduler.now + waiting.notify)

    def _sent(self, sender: Member, receiver: Member) -> Launched:
        key = (sender.number, receiver.number)
        found = self._bound.get(key)
        if found is None:
            pair = (receiver.exchange.dst, sender.exchange.src)
            transfer = Transfer((pair,))
            plan = self.transfers.plan(transfer, sender.context)
            found = self._bound[key] = self.transfers.bind(transfer, plan)
        return found

    def _take(self, member: Member, _: int) -> Any:
        """What the engine of another core sends, as it is now."""
        sender = self.senders.pop(member.queue)
        key = (sender.member.number, member.number)
        move = self._moves.get(key)
        if move is None:
            pair = (member.exchange.dst, sender.member.exchange.src)
            move = self._moves[key] = self.transfers.direct(pair)
        return move, move.take({}, self.findings, (sender.member.queue, sender.pc))

    def _deliver(self, payload: Any) -> None:
        move, values = payload
        move.put({}, values, self.findings)

    # -- who is absent

    def waiting(self) -> Iterator[tuple[Member, list[int]]]:
        """Every member that waits for others, with the cores that have not arrived."""
        for here in self.held.values():
            for arrival in here.values():
                cores = arrival.member.effect.cores
                yield arrival.member, [core for core in cores if core not in here]

    def exchanging(self, queue: int) -> tuple[list[int], int]:
        """The queues that exchange something with one, itself among them, and the ticks after it.

        Those are the ticks from the landing of all of it until they are released.
        """
        for one in self.outstanding:
            queues = [member.queue for member in one.members]
            if queue in queues:
                return queues, one.notify
        return [], 0

    @staticmethod
    def member(work: Work) -> Member | None:
        """Who takes part in a rendezvous when some work is done; None if it is another kind."""
        return work.arrive.args[0] if isinstance(work.arrive, partial) else None

    # -- checkpoints

    def save(self) -> Any:
        """Everything that changes."""
        held = {key: dict(here) for key, here in self.held.items()}
        return held, dict(self.senders), tuple((one, one.left) for one in self.outstanding)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        held, senders, outstanding = saved
        self.held = {key: dict(here) for key, here in held.items()}
        self.senders = dict(senders)
        self.outstanding = []
        for one, left in outstanding:
            one.left = left
            self.outstanding.append(one)


def _nothing(_: Any) -> None:
    return None


def _word(value: object) -> str:
    return str(list(value)) if isinstance(value, tuple) else str(value)
