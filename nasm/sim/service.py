"""Service: when the shares of transfers start, are over and land on the channels of all cores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from nasm.sim import turns
from nasm.sim.channels import ChannelGroup, Channels, Flight, Group
from nasm.sim.counters import Who

COMMIT = 0
LANDING, OVER, TURN = 1, 1, 2
ARRIVE, START = 3, 4
"""Ranks at a tick: results appear, and what has passed, before anything else is read."""


class ServiceHost(Protocol):
    """What service needs of a scheduler."""

    now: int
    acting: Who
    record: int
    records: int
    listeners: Mapping[str, tuple[Callable[..., None], ...]]
    """Who is told of an event."""

    def push(self, tick: int, rank: int, what: Any) -> None:
        """Let something happen at a tick."""

    def pressing(self, rank: int) -> bool:
        """Whether something of at most this rank is still to be committed at this tick."""

    def land(self, group: Group) -> None:
        """Shares have landed."""


class Service:
    """Serves the channels of all cores.

    ``supply`` says by how much a share takes longer that starts while so many channels of all cores
    have work: a numerator and a denominator for each number of them, if what the cores share
    cannot serve them all at once.
    """

    def __init__(
        self, host: ServiceHost, cores: Sequence[Channels], supply: Sequence[tuple[int, int]] = ()
    ) -> None:
        self.host, self.cores = host, list(cores)
        self.supply = tuple(supply)

    def arrive(self, flight: Flight) -> None:
        """The shares of a transfer reach their rings; a channel without work starts at once."""
        now = self.host.now
        channels = self.cores[flight.core]
        for portion in flight.portions:
            servers = channels.gather(portion.channels, self._parted)
            for server in servers:
                group = Group(flight, portion, server.channels, now)
                idle = not server.rings
                server.add(group, now)
                if idle:
                    self._begin(server, group, "arrival", flight.record)
                self._expect(server, server.change())

    def over(self, server: ChannelGroup) -> None:
        """Something changes on a server: a group is over, or another has its first turn."""
        host, now = self.host, self.host.now
        if server.due != now:
            return  # it was put off when more arrived
        ended = server.reach(now)
        if ended is not None:
            ended.free = now
            landing = ended.landing = max(ended.start + ended.latency, now)
            if landing == now:
                host.land(ended)
            else:
                host.push(landing, LANDING, ended)
        if server.rings:
            if host.pressing(OVER):
                host.push(now, TURN, server)
            else:
                self.turn(server)

    def turn(self, server: ChannelGroup) -> None:
        """The next packet of a server begins, and with it perhaps a group."""
        heads = server.heads()
        if heads[0].start < 0:
            self._begin(server, heads[0], "channel", server.holder)
        self._expect(server, turns.change(heads, server.at))

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
        others = (core.working for core in self.cores if core.core != flight.core)
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
        return tuple(core.save() for core in self.cores)

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        for core, state in zip(self.cores, saved, strict=True):
            core.restore(state)
