"""Packets of a machine that simulates a group of its tiles, while others simulate the rest.

Each group has all the networks. In a window of time that is shorter than the way to another tile,
a group sends its packets as if no other did. Then all packets of the window are sent again, in the
order in which one machine would have sent them, and what becomes of each is known: it is what one
machine finds. Within the window only two things follow from a packet, that its bytes are taken and
that a tile sends to itself. What other tiles send in the window passes this tile's links no
earlier than its end, so that either of them is delayed past the end or not at all; the former is
taken back. Where more than that would have to be taken back, the groups are :class:`Unfit`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from nasm.base.records import replace
from nasm.isa.effects import Packet
from nasm.isa.generation import Generation
from nasm.isa.network import Crossing, Network
from nasm.isa.tile_grid import TilePlace
from nasm.machine.findings import Findings
from nasm.machine.packets import BoundPacket, BytePlace, PacketBytes, Packets
from nasm.machine.state import State
from nasm.program.program import Program
from nasm.sim.channels import Flight
from nasm.sim.counters import Who
from nasm.sim.group_scheduler import CrossingKey, GroupScheduler
from nasm.sim.service import ARRIVE, LANDING, START
from nasm.views.regions import Region

LAUNCH, JOB, OVER = "launch", "job", "over"
"""The first words of what is heard of a packet: that it is sent, that a share has landed, and that
nothing is left to come of a transfer."""


CODE = "code of a core uses the interfaces of its tile to the networks"


class Unfit(Exception):
    """Something that groups of tiles cannot do apart: one machine has to run all of them."""


class BytesAt(NamedTuple):
    """Bytes of a memory, in words that mean the same to each machine: see ``BytePlace``.

    ``tensor`` is the number of one that has a store of its own; -1 for a memory of a core.
    """

    tensor: int
    memory: str
    core: int
    address: int
    size: int


class LaunchedPacket(NamedTuple):
    """A packet that a queue has sent; ``packet`` without its places, which are ``here``, ``there``.

    It was sent at the event of a ``tick`` and a ``rank``.
    """

    tick: int
    rank: int
    who: Who
    packet: Packet
    here: BytesAt | None
    there: tuple[BytesAt | None, ...]
    receivers: tuple[TilePlace, ...]
    cores: tuple[int | None, ...]
    semaphores: tuple[int | None, ...]
    signals: bool

    @property
    def order(self) -> tuple[int, int]:
        """What puts all packets in the order in which one machine would send them."""
        return self.tick, self.rank

    @property
    def asks(self) -> bool:
        """Whether its bytes are taken where it goes."""
        return self.packet.fetches or self.packet.atomic is not None


FlightName = tuple[tuple[int, int], int]
"""A transfer as each group names it: the order of its packet, and which of its transfers it is."""


class PacketStep(NamedTuple):
    """Something that happens for a share of a packet: at an event, by a group, by a method."""

    group: int
    tick: int
    rank: int
    key: CrossingKey
    name: str


class Payload(NamedTuple):
    """The bytes that one group has taken for another, of a share that the key names."""

    group: int
    key: CrossingKey
    taken: int
    data: Any


class Sent:
    """A packet of a queue of this group, until all of what becomes of it is known.

    ``flights`` has one for each share, or the same for all; ``done`` are the steps of the window.
    """

    def __init__(
        self, launch: LaunchedPacket, flights: Sequence[Flight], crossings: Sequence[Crossing]
    ) -> None:
        self.launch, self.flights, self.crossings = launch, flights, crossings
        self.done: dict[tuple[int, str], PacketStep] = {}


class GroupPackets(Packets):
    """Sends the packets of a group's tiles, and lets happen in it what those of others bring.

    ``groups`` says which group has a core, ``memories`` which one a memory that tiles share.
    ``window`` is the first tick that is not executed now. ``mine`` are the packets of the window,
    ``outgoing`` the bytes taken for others, ``names`` those of flights by their numbers here.
    """

    scheduler: GroupScheduler

    def __init__(
        self,
        program: Program,
        state: State,
        findings: Findings,
        scheduler: GroupScheduler,
        make: Callable[[Generation], Network],
        group: int,
        groups: Sequence[int],
        memories: Mapping[str, int],
    ) -> None:
        super().__init__(program, state, findings, scheduler, make)
        self.group, self.groups, self.memories = group, groups, memories
        self.window = 0
        self.mine: list[Sent] = []
        self.names: dict[int, FlightName] = {}
        self.open: dict[tuple[int, int], Sent] = {}
        self.outgoing: list[Payload] = []
        self._payloads: dict[CrossingKey, tuple[int, Any]] = {}
        self._before: Any = None

    # -- sending

    def send(self, packet: Packet, core: int) -> Sequence[Crossing]:
        """Code learns what becomes of its packet before that is known here."""
        raise Unfit(CODE)

    def tile(self, core: int) -> TilePlace:
        """The same of what code asks of the interfaces of its tile."""
        raise Unfit(CODE)

    def _launch(self, bound: BoundPacket, signals: bool, who: Who, now: int) -> Sequence[Crossing]:
        """Send a packet for an instruction, as far as that is known within the window."""
        scheduler, packet = self.scheduler, bound.packet
        if scheduler.rank >= START + len(scheduler.queues):
            raise Unfit("a queue of a network had to wait for a unit that another one shares")
        bare = replace(packet, here=None, there=None)
        launch = LaunchedPacket(
            now,
            scheduler.rank,
            who,
            bare,
            _bytes_at(bound.here),
            tuple(map(_bytes_at, bound.there)),
            bound.receivers,
            bound.cores,
            bound.semaphores,
            signals,
        )
        if self._before is None:
            self._before = [network.save() for network in self.networks.values()]
        crossings = self._cross(launch)
        sent = Sent(launch, self._flights(bound, signals, who, len(crossings)), crossings)
        self._let_go(launch, sent.flights, crossings)
        scheduler.heard.append((LAUNCH, launch.order, who, len(dict.fromkeys(sent.flights))))
        for number, flight in enumerate(dict.fromkeys(sent.flights)):
            self.names[flight.key] = launch.order, number
        self.mine.append(sent)
        self.open[launch.order] = sent
        for share, step in self._steps(launch, crossings):
            if step.tick < self.window and step.group == self.group:
                sent.done[share, step.name] = step
                self._let(launch, share, crossings[share], step)
        return crossings

    def _flights(
        self, bound: BoundPacket, signals: bool, who: Who, shares: int
    ) -> Sequence[Flight]:
        """The transfers of a packet by share, which wait to be answered from now on."""
        core = self.program.queues[who[0]].core
        size = self.network_of(core).occupied(bound.packet)
        scheduler = self.scheduler
        if signals:
            found = [self._signal(bound, who, core, size, share) for share in range(shares)]
        else:
            found = [self._flight(bound, who, core, size, shares)] * shares
        for flight in dict.fromkeys(found):
            scheduler.transfers[flight.key] = flight
            flight.record = scheduler.record
            for tell in scheduler.listeners["issued"]:
                tell(flight, scheduler.now)
        return found

    def _let_go(
        self, launch: LaunchedPacket, flights: Sequence[Flight], crossings: Sequence[Crossing]
    ) -> None:
        """Note when the last bytes of a packet leave its tile."""
        network = self.network_of(self._core(launch))
        gone = max(one.taken for one in crossings) + network.occupied(launch.packet)
        for flight in flights:
            if not launch.signals:
                assert isinstance(flight.cargo, PacketBytes)
                flight.cargo.gone = gone

    def _cross(self, launch: LaunchedPacket) -> Sequence[Crossing]:
        core = self._core(launch)
        network, sender = self.network_of(core), self._tiles[core][:2]
        return network.cross(launch.packet, sender, launch.receivers, launch.tick)

    # -- between two windows

    def commit(self, launches: Sequence[LaunchedPacket]) -> None:
        """Send all packets of the window that is over, of every group and in order."""
        known = {sent.launch.order: sent for sent in self.mine}
        alone = len(known) == len(launches)
        if self._before is not None and not alone:
            for network, state in zip(self.networks.values(), self._before, strict=True):
                network.restore(state)
        for launch in launches:
            sent = known.get(launch.order)
            crossings = sent.crossings if alone and sent is not None else self._cross(launch)
            self._settle(launch, crossings, sent)
        self.mine, self._before = [], None

    def _settle(
        self, launch: LaunchedPacket, crossings: Sequence[Crossing], sent: Sent | None
    ) -> None:
        """Let happen in this group what becomes of a packet, but for what has happened."""
        if sent is not None:
            self._carry(launch, len(crossings))
            self._let_go(launch, sent.flights, crossings)
        for share, step in self._steps(launch, crossings):
            if step.group != self.group:
                continue
            early = None if sent is None else sent.done.get((share, step.name))
            if early == step:
                continue
            if step.tick < self.window or (early is not None and early.name != "_take"):
                raise Unfit("a packet is earlier because of what another tile sent")
            if early is not None:
                self.scheduler.revoke(early.tick, early.rank, early.key)
                self._payloads.pop(_of(launch, share), None)
            self._let(launch, share, crossings[share], step)

    def _carry(self, launch: LaunchedPacket, shares: int) -> None:
        """Count what a network carries for a tile."""
        core = self._core(launch)
        portion = self._portion(launch.packet, self.network_of(core).occupied(launch.packet))
        for _ in range(shares):
            self.scheduler.service.cores[core].carry(portion)

    def receive(self, payloads: Iterable[Payload]) -> None:
        """Bytes that other groups have taken for tiles of this one."""
        for one in payloads:
            self._payloads[one.key] = one.taken, one.data

    def given(self) -> list[Payload]:
        """The bytes for other groups since this was called last."""
        found, self.outgoing = self.outgoing, []
        return found

    # -- what becomes of a packet

    def _steps(
        self, launch: LaunchedPacket, crossings: Sequence[Crossing]
    ) -> Iterator[tuple[int, PacketStep]]:
        """What happens for each share of a packet, and which group does it."""
        sender = self._sender(launch)
        for share, crossing in enumerate(crossings):
            _, taken, landed, known, _ = crossing
            returns = _returns(launch, crossing)
            receiver = self._receiver(launch, share)
            lands = sender if returns else receiver
            take = _of(launch, share)
            land = (taken, ARRIVE, take, 0)
            yield (
                share,
                PacketStep(receiver if launch.asks else sender, taken, ARRIVE, take, "_take"),
            )
            yield share, PacketStep(lands, landed, LANDING, land, "_land")
            if known > landed:
                reply = (landed, LANDING, land)
                yield share, PacketStep(sender, known, LANDING, reply, "_answered")
            elif lands != sender:
                yield share, PacketStep(sender, landed, LANDING, (*land[:3], 1), "_over")
            if returns and receiver != sender and launch.cores[share] is not None:
                yield share, PacketStep(receiver, landed, LANDING, (*land[:3], 1), "_wake")

    def _core(self, launch: LaunchedPacket) -> int:
        return self.program.queues[launch.who[0]].core

    def _sender(self, launch: LaunchedPacket) -> int:
        """The group whose tile sends a packet."""
        return self.groups[self._core(launch)]

    def _receiver(self, launch: LaunchedPacket, share: int) -> int:
        """The group that has where a share goes; the sender's if nothing can look at it."""
        core, there = launch.cores[share], launch.there[share]
        if core is not None:
            return self.groups[core]
        sender = self._sender(launch)
        return sender if there is None else self.memories.get(there.memory, sender)

    def _let(
        self, launch: LaunchedPacket, share: int, crossing: Crossing, step: PacketStep
    ) -> None:
        act = partial(getattr(self, step.name), launch, share, crossing)
        self.scheduler.place(step.tick, step.rank, step.key, act)

    def _take(self, launch: LaunchedPacket, share: int, crossing: Crossing) -> None:
        """A share begins: it takes its bytes."""
        scheduler = self.scheduler
        scheduler.acting, scheduler.record = launch.who, scheduler.records
        scheduler.records += 1
        payload = self._cargo(launch, share).read((0,))
        key, sender = _of(launch, share), self._sender(launch)
        lands = sender if _returns(launch, crossing) else self._receiver(launch, share)
        if lands == self.group:
            self._payloads[key] = crossing.taken, payload
        elif payload is not None:
            self.outgoing.append(Payload(lands, key, crossing.taken, payload))

    def _land(self, launch: LaunchedPacket, share: int, crossing: Crossing) -> None:
        """A share has landed: its bytes appear, and its sender will learn of it."""
        scheduler, (_, taken, landed, known, _) = self.scheduler, crossing
        scheduler.acting, scheduler.record = launch.who, -1
        scheduler.heard.append(self._job(launch, share, taken))
        at, payload = self._payloads.pop(_of(launch, share), (taken, None))
        assert at == taken, "bytes of a packet are those of when it left"
        self._cargo(launch, share).write((0,), payload)
        if known == landed:
            self._over(launch, share, crossing)
        self._wake(launch, share, crossing)

    def _wake(self, launch: LaunchedPacket, share: int, crossing: Crossing) -> None:
        """Something has landed that the tile at the other end may wait for."""
        core, sender = launch.cores[share], self._core(launch)
        gates = self.scheduler.gates
        if core is None or core == sender or self.groups[core] != self.group:
            return
        if gates.closed_queues:
            gates.changed(core, self.scheduler.now)

    def _answered(self, launch: LaunchedPacket, share: int, crossing: Crossing) -> None:
        """What comes back for a share has arrived at its sender."""
        self._over(launch, share, crossing)

    def _over(self, launch: LaunchedPacket, share: int, crossing: Crossing) -> None:
        """Nothing is left to come of a share: its sender, or the tile it signals, is posted to."""
        scheduler, core = self.scheduler, self._core(launch)
        scheduler.acting, scheduler.record = launch.who, -1
        ours = self.groups[core] == self.group
        if ours:
            flight = self.open[launch.order].flights[share]
            flight.left -= 1
            flight.unposted -= 1
            if not flight.unposted:
                del scheduler.transfers[flight.key]
                scheduler.heard.append((OVER, *self.names[flight.key]))
                if all(not one.unposted for one in self.open[launch.order].flights):
                    del self.open[launch.order]
        there = self._receiver(launch, share) == self.group
        number = launch.semaphores[share if launch.signals else 0]
        if number is not None and (there if launch.signals else ours):
            scheduler.waits.count(number, 1, 0)
        if ours and scheduler.gates.closed_queues:
            scheduler.gates.changed(core, scheduler.now)

    def _job(self, launch: LaunchedPacket, share: int, taken: int) -> tuple[Any, ...]:
        """What is heard of a share that lands: the record of it, and which transfer that is."""
        queue, pc = launch.who
        packet, now, core = launch.packet, self.scheduler.now, self._core(launch)
        busy = self.network_of(core).occupied(packet) or 1
        record = (
            core, 1 << packet.network, packet.network, queue, pc,
            taken, taken, taken + busy, now, packet.count, 1,
        )  # fmt: skip
        return JOB, record, launch.order, share if launch.signals else 0

    # -- bytes

    def _cargo(self, launch: LaunchedPacket, share: int) -> PacketBytes:
        """What one share takes and delivers."""
        here, there = launch.here, launch.there[share]
        places = [None if at is None else self._bytes(at) for at in (here, there)]
        return PacketBytes(launch.packet, places[0], places[1:], self.findings)

    def _bytes(self, at: BytesAt) -> BytePlace:
        """Bytes of this machine."""
        state, memory = self.state, self.program.generation.memories[at.memory]
        store = state.by_tensor.get(at.tensor) or state.numbered.of(at.memory, at.core)
        base = 0 if store is None else store.base
        return BytePlace(memory, store, base, at.address, at.size, NOWHERE, at.tensor, at.core)


def _returns(launch: LaunchedPacket, crossing: Crossing) -> bool:
    """Whether what lands does so at the sender: the answer to a request."""
    return launch.asks and launch.packet.reply and crossing.landed > crossing.taken


NOWHERE = Region("", (0, 1, 1), 0, 0, 0, (), 1)


def _bytes_at(place: BytePlace | None) -> BytesAt | None:
    """Where bytes are, in words that mean the same to each machine."""
    if place is None:
        return None
    return BytesAt(place.tensor, place.memory.name, place.core, place.address, place.size)


def _of(launch: LaunchedPacket, share: int) -> CrossingKey:
    """What orders the beginnings of shares that begin together."""
    return (*launch.order, share)
