"""Service: when transfers are issued, and when their shares start, are over and land."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from nasm.sim import round_robin
from nasm.sim.channels import ChannelGroup, Channels, Flight, Group
from nasm.sim.counters import Who
from nasm.sim.gates import Gates
from nasm.sim.legs import Arriving, Leg, Reply
from nasm.sim.queues import Queue
from nasm.sim.resources import Resource
from nasm.sim.waits import Waits

COMMIT = 0
LANDING, OVER, TURN = 1, 1, 2
ARRIVE, START = 3, 4
"""Ranks at a tick: results appear, and what has passed, before anything else is read."""


class ServiceHost(Protocol):
    """What service needs of a scheduler."""

    now: int
    queues: list[Queue]
    waits: Waits
    gates: Gates
    acting: Who
    record: int
    records: int
    listeners: Mapping[str, tuple[Callable[..., None], ...]]
    """The observers of an event."""

    def push(self, tick: int, rank: int, what: Any) -> None:
        """Let something happen at a tick."""

    def pressing(self, rank: int) -> bool:
        """Whether something of at most this rank is still to be committed at this tick."""


class Service:
    """Serves the channels of cores that have queues; ``transfers`` are those in flight, by key.

    ``supply`` says by how much a share takes longer that starts while so many channels of all cores
    have work: a numerator and a denominator for each number of them, if what the cores share
    cannot serve them all at once.
    """

    def __init__(
        self, host: ServiceHost, cores: Sequence[Channels], supply: Sequence[tuple[int, int]] = ()
    ) -> None:
        self.host, self.cores = host, {one.core: one for one in cores}
        self.supply = tuple(supply)
        self.transfers: dict[int, Flight] = {}

    def make(self, maker: Resource, ticks: int) -> int:
        """Occupy something outside the queues for the instruction that acts, as soon as it is free.

        Returns the number of this.
        """
        host = self.host
        record, start, because = host.records, max(host.now, maker.free_at), host.record
        host.records = record + 1
        if maker.free_at > host.now:
            because = maker.record
        maker.take(start + ticks, host.acting, record)
        for tell in host.listeners["made"]:
            tell(host.queues[host.acting[0]], record, because, start, maker.free_at)
        return record

    def issue(self, flight: Flight, at: int) -> None:
        """Put a transfer in flight; its shares reach their channels at a tick."""
        host = self.host
        self.transfers[flight.key] = flight
        flight.record = host.record
        for tell in host.listeners["issued"]:
            tell(flight, host.now)
        host.push(at, ARRIVE, flight)

    def send(self, flight: Flight, legs: Sequence[tuple[int, Leg]]) -> None:
        """Put a transfer in flight that a network carries: legs, each from a tick on."""
        host = self.host
        self.transfers[flight.key] = flight
        flight.record = host.record
        for tell in host.listeners["issued"]:
            tell(flight, host.now)
        for tick, leg in legs:
            host.push(tick, ARRIVE, leg)

    def _depart(self, leg: Leg) -> None:
        """A leg begins: it takes its bytes."""
        host, flight, portion = self.host, leg.flight, leg.portion
        for tell in host.listeners["queued"]:
            tell(flight, host.now)
        group = Group(flight, portion, portion.channels, host.now)
        group.start, group.cause, group.because = host.now, "arrival", flight.record
        group.record = host.record = host.records
        host.records += 1
        host.acting = flight.origin
        self.cores[flight.core].carry(portion)
        group.free, group.landing = host.now + group.busy, leg.landed
        for tell in host.listeners["read"]:
            tell(group, host.now)
        if flight.cargo is not None:
            group.payload = flight.cargo.read(group.shares)
        host.push(leg.landed, LANDING, Arriving(group, leg))

    def _deliver(self, group: Group, leg: Leg) -> None:
        """A leg has landed: its bytes appear, and its sender will learn of it."""
        host, flight = self.host, leg.flight
        host.acting, host.record = flight.origin, group.record
        for tell in host.listeners["landed"]:
            tell(group, host.now)
        if flight.cargo is not None:
            flight.cargo.write(group.shares, group.payload)
        for tell in host.listeners["delivered"]:
            tell(group, host.now)
        flight.left -= group.count
        if leg.known > host.now:
            host.push(leg.known, LANDING, Reply(group))
        else:
            self._over(group)
        if leg.core is not None and leg.core != flight.core and host.gates.closed_queues:
            host.gates.changed(leg.core, host.now)

    def _over(self, group: Group) -> None:
        """Nothing is left to come of shares that have landed: each of them posts."""
        host, flight, count = self.host, group.flight, group.count
        flight.unposted -= count
        if not flight.unposted:
            del self.transfers[flight.key]
        if flight.semaphore is not None:
            host.waits.count(flight.semaphore, count, flight.notify)
        if host.gates.closed_queues:
            host.gates.changed(flight.core, host.now)

    def arrive(self, flight: Flight | Leg) -> None:
        """The shares of a transfer reach their rings; a channel without work starts at once."""
        if type(flight) is Leg:
            self._depart(flight)
            return
        assert isinstance(flight, Flight)
        now = self.host.now
        for tell in self.host.listeners["queued"]:
            tell(flight, now)
        channels = self.cores[flight.core]
        for portion in flight.portions:
            known = channels.servers.get(portion.channels)
            if known is not None and known.rings:
                group = Group(flight, portion, known.channels, now)
                if not known.follow(group):
                    known.add(group, now)
                    self._expect(known, known.change())
                continue
            for server in channels.gather(portion.channels, self._parted):
                group = Group(flight, portion, server.channels, now)
                idle = not server.rings
                server.add(group, now)
                if idle:
                    self._begin(server, group, "arrival", flight.record)
                self._expect(server, server.change())

    def over(self, server: ChannelGroup | Arriving | Reply) -> None:
        """Something changes on a server: a group is over, or another has its first turn.

        Or it is something that a network carries.
        """
        host, now = self.host, self.host.now
        if type(server) is Arriving:
            self._deliver(server.group, server.leg)
            return
        if type(server) is Reply:
            host.acting, host.record = server.group.flight.origin, server.group.record
            self._over(server.group)
            return
        assert isinstance(server, ChannelGroup)
        if server.due != now:
            return  # it was put off when more arrived
        ended = server.reach(now)
        if ended is not None:
            ended.free = now
            landing = ended.start + ended.latency
            if landing > now:
                ended.landing = landing
                host.push(landing, LANDING, ended)
            else:
                ended.landing = now
                self.land(ended)
        if server.rings:
            if host.pressing(OVER):
                host.push(now, TURN, server)
            else:
                self.turn(server)

    def land(self, group: Group) -> None:
        """Shares have landed together: their bytes appear, then each of them posts."""
        host, flight, count = self.host, group.flight, group.count
        host.acting, host.record = flight.origin, group.record
        for tell in host.listeners["landed"]:
            tell(group, host.now)
        if flight.cargo is not None:
            flight.cargo.write(group.shares, group.payload)
        for tell in host.listeners["delivered"]:
            tell(group, host.now)
        flight.left -= count
        flight.unposted -= count
        if not flight.left:
            del self.transfers[flight.key]
            if flight.landed is not None:
                flight.landed()
        if flight.semaphore is not None:
            host.waits.count(flight.semaphore, count, flight.notify)
        if host.gates.closed_queues:
            host.gates.changed(flight.core, host.now)

    def turn(self, server: ChannelGroup) -> None:
        """The next packet of a server begins, and with it perhaps a group."""
        heads = server.heads()
        head = heads[0]
        if head.start < 0:
            self._begin(server, head, "channel", server.holder)
        alone = len(heads) == 1 and not head.done
        self._expect(
            server, server.at + head.busy if alone else round_robin.change(heads, server.at)
        )

    def _begin(self, server: ChannelGroup, group: Group, cause: str, because: int) -> None:
        """Start a group: it reads its bytes."""
        host, flight = self.host, group.flight
        group.start, group.cause, group.because = host.now, cause, because
        group.record = host.record = host.records
        host.records += 1
        host.acting = flight.origin
        if self.supply and flight.shared:
            self._stretch(group)
        server.start(group)
        group.free = group.start + group.busy
        for tell in host.listeners["read"]:
            tell(group, host.now)
        if flight.cargo is not None:
            group.payload = flight.cargo.read(group.shares)

    def _parted(self, group: Group, other: Group) -> None:
        """Part of a group that has started goes its own way, and has a number of its own."""
        host = self.host
        other.record = host.records
        host.records += 1
        for tell in host.listeners["parted"]:
            tell(group, other, host.now)

    def _stretch(self, group: Group) -> None:
        """Let a group take longer while the cores together want more than there is."""
        flight = group.flight
        others = (core.working for core in self.cores.values() if core.core != flight.core)
        more, of = self.supply[flight.working + sum(others)]
        busy = -(-group.busy * more // of)
        group.latency += busy - group.busy
        group.busy = busy

    def _expect(self, server: ChannelGroup, due: int) -> None:
        """Come back to a server when something changes there."""
        if due != server.due:
            server.due = due
            self.host.push(due, OVER, server)

    def save(self) -> Any:
        """Everything that changes."""
        transfers = self.transfers.values()
        flying = tuple((flight, flight.left, flight.unposted) for flight in transfers)
        return flying, tuple(core.save() for core in self.cores.values())

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        flying, cores = saved
        self.transfers.clear()
        for flight, left, unposted in flying:
            self.transfers[flight.key], flight.left, flight.unposted = flight, left, unposted
        for core, state in zip(self.cores.values(), cores, strict=True):
            core.restore(state)
