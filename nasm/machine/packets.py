"""Packets on a running machine: bound to memories, and passed to the network of the target.

What goes to a tile that the program has no core for is carried and lands nowhere: nothing can look
at it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused, counted
from nasm.isa.core_state import Blocked
from nasm.isa.effects import Packet, UntilAnswered
from nasm.isa.generation import Generation
from nasm.isa.network import Crossing, Network
from nasm.isa.tile_grid import TilePlace, chip_of, on_chip
from nasm.machine.findings import Findings
from nasm.machine.state import State
from nasm.machine.transfers import MOST_IN_FLIGHT
from nasm.program.program import Program
from nasm.program.receivers import addressed
from nasm.sim.channels import Flight, Portion, TouchedRegions
from nasm.sim.counters import Who
from nasm.sim.legs import Leg
from nasm.sim.memory import Journal, Store
from nasm.sim.scheduler import Scheduler
from nasm.views.regions import Region
from nasm.views.tensor import Memory
from nasm.views.view import View

ATOMIC_BYTES = 16
"""Aligned bytes that an atomic operation acts on."""


class BytePlace(NamedTuple):
    """Some bytes of a core's memory, or of one that cores share; of a run without values no store.

    ``base`` is the address of the first byte of the store. They are of a ``core``, or of the
    ``tensor`` with a number; -1 for none.
    """

    memory: Memory
    store: Store | None
    base: int
    address: int
    size: int
    region: Region
    tensor: int = -1
    core: int = 0

    def read(self, findings: Findings) -> NDArray[np.uint8]:
        """The bytes as they are now."""
        store, begin = self.store, self.address - self.base
        assert store is not None
        if store.pending:
            store.flush()
        known = store.written[0, begin : begin + self.size]
        missing = 0 if store.complete else self.size - int(known.sum())
        if missing:
            findings.uninitialised_bytes(self.memory.name, self.address, self.size, missing)
        found: NDArray[np.uint8] = store.data[0, begin : begin + self.size].copy()
        return found

    def write(self, data: NDArray[np.uint8], first: int = 0) -> None:
        """Put bytes here, from one of them on."""
        store, begin = self.store, self.address - self.base + first
        if store is None:
            return
        change = ByteChange((begin, begin + len(data)))
        store.before_change(change)
        store.data[0, begin : begin + len(data)] = data
        store.written[0, begin : begin + len(data)] = True


class ByteChange:
    """Bytes of a store that are about to change together."""

    __slots__ = ("columns", "kept")

    def __init__(self, columns: tuple[int, int]) -> None:
        self.columns = columns
        self.kept: Journal | None = None


class PacketBytes:
    """What one packet takes and delivers: a share for each of its receivers.

    By the tick ``gone`` the last of the bytes has been taken.
    """

    def __init__(
        self,
        packet: Packet,
        here: BytePlace | None,
        there: Sequence[BytePlace | None],
        at: Findings,
    ) -> None:
        self.packet, self.here, self.there, self.findings = packet, here, there, at
        self.gone = 0

    def read(self, shares: Sequence[int]) -> Any:
        """Take the bytes as they are now, or make the change there of an atomic operation."""
        (share,) = shares
        packet, there = self.packet, self.there[share]
        if packet.data or not packet.count:
            return None
        source = there if packet.fetches or packet.atomic is not None else self.here
        if source is None or source.store is None:
            return None
        if packet.atomic is None:
            return source.read(self.findings)
        address = source.address & -ATOMIC_BYTES
        whole = source._replace(address=address, size=ATOMIC_BYTES)
        put, back = packet.atomic(whole.read(self.findings))
        whole.write(put)
        return back

    def write(self, shares: Sequence[int], payload: Any) -> None:
        """Deliver what was taken."""
        (share,) = shares
        packet = self.packet
        back = packet.fetches or packet.atomic is not None
        goal = self.here if back else self.there[share]
        if goal is None or not packet.count:
            return
        data = np.frombuffer(packet.data, np.uint8) if packet.data else payload
        if data is None:
            return
        for number in packet.only:
            goal.write(data[number : number + 1], number)
        if not packet.only:
            goal.write(data[: goal.size])

    def part(self, shares: Sequence[int], payload: Any, some: Sequence[int]) -> tuple[Any, Any]:
        """Each share goes its own way from the start."""
        raise AssertionError("shares of a packet are apart")


class BoundPacket(NamedTuple):
    """A packet with what it touches, and where it goes."""

    packet: Packet
    here: BytePlace | None
    there: tuple[BytePlace | None, ...]
    receivers: tuple[TilePlace, ...]
    cores: tuple[int | None, ...]
    number: int
    semaphores: tuple[int | None, ...]


class Packets:
    """Binds packets of the program's tiles, and sends them."""

    CACHES = ("_given", "holds")

    def __init__(
        self,
        program: Program,
        state: State,
        findings: Findings,
        scheduler: Scheduler,
        make: Callable[[Generation], Network],
    ) -> None:
        self.program, self.state, self.findings = program, state, findings
        self.scheduler = scheduler
        self.holds: Mapping[int, Any] = {}
        self.sent = 0
        self._given = -1
        tiles = program.places
        chips = sorted(set(map(chip_of, tiles)))
        self.networks = {chip: make(program.generation) for chip in chips}
        self._cores: Mapping[TilePlace, int] = {place: n for n, place in enumerate(tiles)}
        self._tiles = tiles

    def core_at(self, place: TilePlace) -> int | None:
        """The core of a place, if the program has one there."""
        return self._cores.get(place)

    @property
    def network(self) -> Network:
        """The networks of the first chip."""
        return next(iter(self.networks.values()))

    def network_of(self, core: int) -> Network:
        """The networks of the chip of a core."""
        return self.networks[chip_of(self._tiles[core])]

    def bind(self, packet: Packet, core: int, semaphore: int | None, signals: bool) -> BoundPacket:
        """A packet of a core, with its places; raises Refused where it cannot go."""
        tile, network = self._tiles[core], self.network_of(core)
        packet = addressed(self.program, network, packet, tile, semaphore if signals else None)
        receivers = tuple(network.receivers(packet, tile[:2]))
        cores = tuple(self._cores.get(on_chip(place, chip_of(tile))) for place in receivers)
        count = packet.count
        here = None if packet.here is None else self.place(packet.here, core, count)
        there: tuple[BytePlace | None, ...] = (None,) * len(receivers)
        if packet.there is not None:
            pairs = zip(receivers, cores, strict=True)
            there = tuple(self._there(packet, network, place, other) for place, other in pairs)
        written = () if packet.fetches else tuple(zip(cores, there, strict=True))
        if packet.fetches or packet.atomic is not None:
            written = (*written, (core, here))
        for other, place in written:
            if other is not None and place is not None and not place.memory.shared:
                self.check_code(other, place.address, place.size)
        self._given -= 1
        semaphores = self._posted(semaphore, cores, signals)
        return BoundPacket(packet, here, there, receivers, cores, self._given, semaphores)

    def check_code(self, core: int, address: int, size: int) -> None:
        """Refuse to write into code of a core."""
        code_in = self.program.target.code_in
        held = self.holds.get(core)  # what was not made yet has no code
        if code_in is not None and held is not None and code_in(held, address, size):
            tile = f" of tile {self.program.core_name(core)}" if self.program.tiles else ""
            some = f"{counted(size, 'byte')} at {address:#x}{tile}"
            message = f"of the {some} some are code of RISC-V cores"
            raise Refused("E0325", message, "put the data elsewhere")

    def _posted(
        self, semaphore: int | None, cores: Sequence[int | None], signals: bool
    ) -> tuple[int | None, ...]:
        """What the landing of each share posts to: that of the same number in each tile."""
        if semaphore is None or not signals:
            return (semaphore,)
        counters = self.program.generation.counters
        number = semaphore % counters
        return tuple(None if core is None else core * counters + number for core in cores)

    def _there(
        self, packet: Packet, network: Network, place: TilePlace, core: int | None
    ) -> BytePlace | None:
        there = packet.there
        assert there is not None
        if isinstance(there, View) and there.tensor.memory.shared:
            return self.place(there, 0, packet.count)
        if core is not None:
            return self.place(there, core, packet.count)
        if network.listens(place):
            if packet.fetches:
                message = f"the program has nothing on tile {place[0]}, {place[1]} to read"
                raise Refused("E0325", message, "declare a tensor there, after a .tile")
            return None
        name = network.memory(place)
        if name and not isinstance(there, View):
            return self._within(name, there, packet.count)
        what = network.where(place)
        message = f"{place[0]}, {place[1]} is {what}, whose addresses nasm does not model"
        raise Refused("E0325", message, "name a tensor that is declared there")

    def _within(self, name: str, address: int, count: int) -> BytePlace:
        """Some bytes of a memory that tiles share, by address: those of a tensor that has them."""
        for tensor in self.program.tensors.values():
            first = tensor.offset
            if tensor.memory.name != name or first is None:
                continue
            if first <= address and address + count <= first + tensor.bytes:
                store = self.state.by_tensor.get(tensor.index)
                region = self._region(tensor.memory, 0, address, count, tensor.index)
                base = 0 if store is None else store.base
                at = address, count
                return BytePlace(tensor.memory, store, base, *at, region, tensor.index)
        some = f"{counted(count, 'byte')} at {address:#x}"
        message = f"no tensor of {name} has the {some}"
        raise Refused("E0325", message, f"declare one: .{name} NAME u8[{count}] @ {address:#x}")

    def place(self, where: View | int, core: int, count: int) -> BytePlace:
        """Some bytes by a view, or by an address in the linear memory of a core."""
        if isinstance(where, View):
            memory = where.tensor.memory
            address = (where.tensor.offset or 0) + where.offset
            index = where.tensor.index
            if not memory.shared and where.tensor.core != core:
                index = -1  # the same bytes of another tile
        else:
            memory = self._numbered()
            address, index = where, -1
        if address + count > (memory.size or address + count):
            raise Refused(
                "E0521",
                f"{counted(count, 'byte')} at {address:#x}, and {memory.name} has {memory.size:,}",
                f"the last byte of {memory.name} is at {memory.size - 1:#x}",
            )
        store = self.state.by_tensor.get(index) or self.state.numbered.of(memory.name, core)
        base = 0 if store is None else store.base
        region = self._region(memory, core, address, count, index)
        return BytePlace(memory, store, base, address, count, region, index, core)

    def linear(self, core: int) -> tuple[str, int]:
        """The linear memory of a core as accesses are compared, with its area."""
        region = self._region(self._numbered(), core, 0, 1, -1)
        return region.place, region.area

    def _numbered(self) -> Memory:
        memories = self.program.generation.memories.values()
        return next(memory for memory in memories if memory.numbered and not memory.shared)

    def _region(self, memory: Memory, core: int, address: int, count: int, index: int) -> Region:
        """The bytes as accesses are compared: what shares a memory of a core has an area."""
        owner = 0 if memory.shared else core
        area = self.state.areas.get(index, -1)
        if area < 0:
            for tensor in self.program.tensors.values():
                if tensor.memory is memory and (memory.shared or tensor.core == core):
                    area = self.state.areas[tensor.index]
                    break
        high = address + max(count, 1)
        place = f"{owner}.{memory.name}"
        return Region(place, (0, 1, 1), address, high, address, ((1, high - address),), 1, (), area)

    def send(self, packet: Packet, core: int) -> Sequence[Crossing]:
        """Send a packet for what acts now, which has found itself that it does; raises Refused."""
        bound = self.bind(packet, core, None, False)
        return self._launch(bound, False, self.scheduler.acting, self.scheduler.now)

    def tile(self, core: int) -> TilePlace:
        """The place of a core."""
        return self._tiles[core][:2]

    def answered(self, core: int, part: Hashable) -> bool:
        """Whether no transfer of a core is in flight whose end changes a part of what it holds."""
        flights = self.scheduler.transfers.values()
        return not any(one.core == core and part in one.parts for one in flights)

    def launch(self, bound: BoundPacket, signals: bool, who: Who, now: int) -> None:
        """Send a packet for an instruction."""
        self._counted(bound, who)
        self._launch(bound, signals, who, now)

    def _launch(self, bound: BoundPacket, signals: bool, who: Who, now: int) -> Sequence[Crossing]:
        if len(self.scheduler.transfers) >= MOST_IN_FLIGHT:
            raise Refused(
                "E0517",
                f"{MOST_IN_FLIGHT:,} transfers are in flight, and nothing waits for them",
                "wait for those of an earlier round before starting more",
            )
        packet = bound.packet
        core = self.program.queues[who[0]].core
        network = self.network_of(core)
        crossings = network.cross(packet, self._tiles[core][:2], bound.receivers, now)
        size = network.occupied(packet)
        legs: list[tuple[int, Leg]] = []
        flight = None if signals else self._flight(bound, who, core, size, len(crossings))
        flights = []
        gone = max(crossing.taken for crossing in crossings) + size
        for share, crossing in enumerate(crossings):
            made = flight
            if made is None:
                made = self._signal(bound, who, core, size, share)
                flights.append(made)
            portion = Portion(1 << packet.network, (share,), size, 0, packet.count, 1)
            leg = Leg(made, portion, crossing.landed, crossing.known, bound.cores[share])
            legs.append((crossing.taken, leg))
        if flight is not None:
            assert isinstance(flight.cargo, PacketBytes)
            flight.cargo.gone = gone
            self.scheduler.service.send(flight, legs)
        for made, leg_at in zip(flights, legs, strict=False):
            self.scheduler.service.send(made, (leg_at,))
        return crossings

    def _counted(self, bound: BoundPacket, who: Who) -> None:
        """Refuse a multicast that updates by another number than that of its receivers."""
        lines, receivers = self.program.queues[who[0]], len(bound.receivers)
        update = self.program.updates[lines.updates[who[1]]]
        if len(bound.packet.to) == 4 and update is not None and update.value != receivers:
            message = (
                f"the update is += {update.value}, and {counted(receivers, 'tile')} receive it"
            )
            raise Refused("E0314", message, f"write += {receivers}: each of them posts 1")

    def _flight(self, bound: BoundPacket, who: Who, core: int, size: int, shares: int) -> Flight:
        """The transfer of a packet with bytes, which has a share for each receiver."""
        packet, here = bound.packet, bound.here
        there = tuple(one.region for one in bound.there if one is not None)
        mine = () if here is None else (here.region,)
        reads, writes = (there, mine) if packet.fetches else (mine, there)
        if packet.atomic is not None:
            reads, writes = (), (*there, *mine)
        return self._made(bound, who, core, (size, shares), bound.semaphores[0], reads, writes)

    def _signal(self, bound: BoundPacket, who: Who, core: int, size: int, share: int) -> Flight:
        """The transfer that does nothing but post where it lands."""
        return self._made(bound, who, core, (size, 1), bound.semaphores[share], (), ())

    def _made(
        self,
        bound: BoundPacket,
        who: Who,
        core: int,
        shape: tuple[int, int],
        semaphore: int | None,
        reads: tuple[Region, ...],
        writes: tuple[Region, ...],
    ) -> Flight:
        packet, (size, shares) = bound.packet, shape
        self.sent += 1
        share = self._portion(packet, size)
        return Flight(
            self.sent,
            who,
            core,
            packet.network,
            (share,) * shares,
            PacketBytes(packet, bound.here, bound.there, self.findings),
            touched=TouchedRegions(lambda: (reads, writes)),
            pattern=bound.number,
            semaphore=semaphore,
            adds=packet.atomic is not None,
            signals=not packet.reply,
            parts=self.network_of(core).parts(packet),
        )

    @staticmethod
    def _portion(packet: Packet, size: int) -> Portion:
        """What one share of a packet takes of its network."""
        return Portion(1 << packet.network, (0,), size, 0, packet.count)

    def outstanding(self, queue: int, drain: UntilAnswered) -> Blocked | None:
        """What keeps a queue from continuing that waits for what it has sent.

        Raises Refused where more is outstanding than what it waits on can count.
        """
        network, now = self.network_of(self.program.queues[queue].core), self.scheduler.now
        sent = [
            one.cargo
            for one in self.scheduler.transfers.values()
            if one.origin[0] == queue and isinstance(one.cargo, PacketBytes)
        ]
        left = [one for one in sent if drain.covers(one.packet)]
        if drain.taken:
            left = [one for one in left if one.gone > now]
        if not left:
            return None
        tagged = "" if drain.tag is None else f" with transaction ID {drain.tag}"
        what = f"{counted(len(left), 'request')}{tagged}"
        if drain.tag is not None and len(left) > network.most_counted:
            message = f"{what} are outstanding, and its counter has room for {network.most_counted}"
            raise Refused("E0860", message, "wait for some of them before sending more")
        verb = "has" if len(left) == 1 else "have"
        if drain.taken:
            until = max(one.gone for one in left)
            return Blocked("noc", f"bytes of {what} {verb} still to leave", until, by=())
        verb = "is" if len(left) == 1 else "are"
        return Blocked("noc", f"{what} of it {verb} outstanding", by=(), completions=False)

    def save(self) -> Any:
        """How many were sent, and what is in the networks."""
        return self.sent, [network.save() for network in self.networks.values()]

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        self.sent, networks = saved
        for network, state in zip(self.networks.values(), networks, strict=True):
            network.restore(state)
