"""The networks in time: each link carries a flit a cycle, and packets wait for links in use.

Source: the public ISA documentation of Wormhole B0, NoC: Performance, Virtual channels, Congestion.
A router forwards a packet while it still receives it. What is not documented and assumed here: a
packet passes a link as a whole, where packets of different virtual channels may be interleaved; one
that waits holds no link before that; it takes the first gap that is long enough; the numbers of
virtual channels flip their dateline bit where a link goes round the torus, and the buddy bit is
flipped where the other one's packet is still in the way.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, NamedTuple

from nasm.base.problems import Refused
from nasm.isa.effects import Packet
from nasm.isa.network import Crossing
from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.noc import chip_map, routes
from nasm.targets.tensix.noc.chip_map import ChipMap
from nasm.targets.tensix.noc.counters import NiuCounters, RequestCounts, answering, counts, kind_of
from nasm.targets.tensix.noc.routes import IN, OUT, RouterLink, TreeLink

ENTRY, HOP, EXIT = 5, 9, 5
"""Cycles from a tile to its router, from a router to the next, and from a router to its tile."""

REQUESTS, MULTICASTS, RESPONSES = 0b00, 0b10, 0b11
"""Classes of virtual channels."""

MAJOR, INCLUDE = "major", "include"
"""Options of a packet: the major axis of a multicast, and whether the sender receives it."""

COUNTED: Final = 255
"""Requests that the counter of a transaction ID, of 8 bits, can tell from fewer."""

DATELINE: Final = 0b1000
"""The bit of the number of a virtual channel that flips where links go round the torus."""


class Passing(NamedTuple):
    """A packet on a link: from when until when, on which virtual channel, and when it came."""

    begin: int
    end: int
    channel: int
    came: int


class Links:
    """What has been sent: which cycles of each link are taken, and the load that there was.

    ``counters`` are those of the interfaces of tiles.
    """

    soonest = ENTRY + HOP + EXIT

    def __init__(self, chip: ChipMap) -> None:
        self.chip = chip
        self.counters = NiuCounters()
        self._taken: dict[RouterLink, tuple[Passing, ...]] = {}
        self._now = 0
        self.loads: dict[RouterLink, int] = {}

    # -- where packets go

    def receivers(self, packet: Packet, sender: TilePlace) -> Sequence[TilePlace]:
        """Where a packet goes; raises Refused where nothing listens."""
        network, to = packet.network, packet.to
        if len(to) == 2:
            return (self.chip.place_of(network, *to),)
        first, last = self._corners(packet)
        places = [
            place
            for place in routes.rectangle(self.chip, network, first, last)
            if self.chip.kind_of(place) == chip_map.TENSIX
            and (place != sender or packet.option(INCLUDE))
        ]
        if not places:
            message = "a multicast that no tile receives: Tensix tiles listen, and the sender only "
            raise Refused("E0325", message + "with Include=true", "give a rectangle with others")
        return places

    def _corners(self, packet: Packet) -> tuple[TilePlace, TilePlace]:
        """The corners of a rectangle, in the system of its network."""
        network, to = packet.network, packet.to
        first, last = self.chip.place_of(network, *to[:2]), self.chip.place_of(network, *to[2:])
        return self.chip.of_network(network, first), self.chip.of_network(network, last)

    def home(self, memory: str, sender: TilePlace, network: int) -> TilePlace:
        """Where a memory is that tiles share: of its places that with the shortest way there."""
        places = self.chip.homes(memory)
        return min(
            places, key=lambda place: (routes.hops(self.chip, network, sender, place), place)
        )

    def named(self, network: int, place: TilePlace) -> tuple[int, int]:
        """The coordinates of a place in the system of a network."""
        return self.chip.named(network, place)

    def listens(self, place: TilePlace) -> bool:
        """Whether a place is a Tensix tile."""
        return self.chip.kind_of(place) == chip_map.TENSIX

    def memory(self, place: TilePlace) -> str:
        """The DRAM of a place, or the host's memory."""
        kind = self.chip.kind_of(place)
        if kind == chip_map.DRAM:
            return self.chip.dram_memories[self.chip.dram_at(place)]
        return chip_map.HOST_MEMORY if kind == chip_map.HOST else ""

    @property
    def most_counted(self) -> int:
        """Requests of a transaction ID that its counter has room for."""
        return COUNTED

    def where(self, place: TilePlace) -> str:
        """What a place holds, in words."""
        return chip_map.TITLES[self.chip.kind_of(place)]

    def parts(self, packet: Packet) -> tuple[Hashable, ...]:
        """The counters by which a sender learns that a packet is answered."""
        return answering(packet)

    def occupied(self, packet: Packet) -> int:
        """Cycles that a packet with bytes takes of each link."""
        if packet.data or packet.atomic:
            return 1
        return 1 + -(-packet.count // self.chip.flit)

    # -- when they are there

    def cross(
        self, packet: Packet, sender: TilePlace, receivers: Sequence[TilePlace], now: int
    ) -> Sequence[Crossing]:
        """Send a packet: when it is at each of its receivers, and what comes back at the sender."""
        self._now = now
        self.counters.tidy(now)
        network, size = packet.network, self.occupied(packet)
        if len(packet.to) == 4:
            return self._multicast(packet, sender, receivers, now, size)
        (place,) = receivers
        asks = packet.fetches or packet.atomic is not None
        there, taken = self._unicast(
            network, sender, place, now, 1 if asks else size, REQUESTS, packet.lane
        )
        counted = self._counted(packet, sender, taken, size)
        self.counters.change(there, network, place, counted.arrived)
        if not packet.reply:
            return (Crossing(place, there if asks else taken, there, there, taken),)
        back, _ = self._unicast(network, place, sender, there, size if asks else 1, RESPONSES, None)
        self.counters.change(back, network, sender, counted.answered)
        if asks:
            return (Crossing(place, there, back, back, taken),)
        return (Crossing(place, taken, there, back, taken),)

    def _counted(self, packet: Packet, sender: TilePlace, taken: int, size: int) -> RequestCounts:
        """Count at its sender a request that leaves at a tick; what is counted of it elsewhere."""
        kind, counters, network = kind_of(packet), self.counters, packet.network
        counted = counts(kind, packet.reply, packet.tag, size - 1)
        counters.change(self._now, network, sender, counted.issued)
        counters.change(taken, network, sender, counted.started)
        counters.change(taken + size, network, sender, counted.left)
        return counted

    def _unicast(
        self,
        network: int,
        start: TilePlace,
        end: TilePlace,
        now: int,
        size: int,
        kind: int,
        static: object,
    ) -> tuple[int, int]:
        """When all of a packet has arrived, and when it has left."""
        channel = kind << 1
        if isinstance(static, int):
            channel = static
        moved = isinstance(static, int)
        taken, channel = self._take(RouterLink(network, start, IN), now, size, channel, moved)
        at = taken + ENTRY
        for link in routes.unicast(self.chip, network, start, end):
            begun, channel = self._take(link, at, size, channel, moved)
            at = begun + HOP
        begun, _ = self._take(RouterLink(network, end, OUT), at, size, channel, moved)
        return begun + EXIT + size - 1, taken

    def _multicast(
        self, packet: Packet, sender: TilePlace, receivers: Sequence[TilePlace], now: int, size: int
    ) -> Sequence[Crossing]:
        network, first_last = packet.network, self._corners(packet)
        tree = routes.multicast(self.chip, network, sender, *first_last, str(packet.option(MAJOR)))
        static, channel = packet.lane, MULTICASTS << 1
        moved = isinstance(static, int)
        if isinstance(static, int):
            channel = static
        taken, channel = self._take(RouterLink(network, sender, IN), now, size, channel, moved)
        counted = self._counted(packet, sender, taken, size)
        arrived = self._spread(tree, taken + ENTRY, size, channel, moved)
        arrived.setdefault(sender, (taken + ENTRY, channel))
        found = []
        for place in receivers:
            at, channel = arrived[place]
            begun, _ = self._take(RouterLink(network, place, OUT), at, size, channel, moved)
            there = back = begun + EXIT + size - 1
            self.counters.change(there, network, place, counted.arrived)
            if packet.reply:
                back, _ = self._unicast(network, place, sender, there, 1, RESPONSES, None)
                self.counters.change(back, network, sender, counted.answered)
            act = there if packet.atomic is not None else taken
            found.append(Crossing(place, act, there, back, taken))
        return found

    def _spread(
        self, tree: Sequence[TreeLink], start: int, size: int, channel: int, static: bool
    ) -> dict[TilePlace, tuple[int, int]]:
        """When the head of a multicast is at each router, and on which virtual channel."""
        heads: list[tuple[int, int]] = []
        arrived: dict[TilePlace, tuple[int, int]] = {}
        for branch in tree:
            at, held = heads[branch.after] if branch.after >= 0 else (start, channel)
            begun, held = self._take(branch.link, at, size, held, static)
            heads.append((begun + HOP, held))
            arrived[branch.place] = begun + HOP, held
        return arrived

    def _take(
        self, link: RouterLink, at: int, size: int, channel: int, static: bool
    ) -> tuple[int, int]:
        """Take cycles of a link for a packet whose head is there: when it begins, and its channel.

        Packets of one virtual channel pass a link in the order in which they came.
        """
        if link.wraps:
            channel ^= DATELINE
        begin = self._after(link, channel, at)
        if begin > at and not static and (other := self._after(link, channel ^ 1, at)) < begin:
            channel, begin = channel ^ 1, other
        kept = [one for one in self._taken.get(link, ()) if one.end > self._now]
        for one in sorted(kept, key=lambda one: one.begin):
            if one.begin >= begin + size:
                break
            begin = max(begin, one.end)
        self._taken[link] = (*kept, Passing(begin, begin + size, channel, at))
        self.loads[link] = self.loads.get(link, 0) + size
        return begin, channel

    def _after(self, link: RouterLink, channel: int, at: int) -> int:
        """When what came before on a virtual channel of a link has passed, or now."""
        passing = self._taken.get(link, ())
        ends = (one.end for one in passing if one.channel == channel and one.came <= at)
        return max(at, max(ends, default=at))

    def map(self) -> Sequence[Sequence[tuple[TilePlace, str, tuple[tuple[int, int], ...]]]]:
        """All places row by row, with the loads of their links."""
        loads: dict[tuple[int, TilePlace, str], int] = {}
        for link, load in self.loads.items():
            key = link.network, link.place, link.axis
            loads[key] = loads.get(key, 0) + load

        def of(place: TilePlace, network: int) -> tuple[int, int]:
            x, y = (loads.get((network, place, axis), 0) for axis in (routes.X, routes.Y))
            return x, y

        return [
            [
                (
                    place,
                    self.chip.kind_of(place),
                    tuple(of(place, n) for n in range(chip_map.NETWORKS)),
                )
                for place in ((x, y) for x in range(self.chip.columns))
            ]
            for y in range(self.chip.rows)
        ]

    def save(self) -> Any:
        """What is in them, and the load that there was."""
        return dict(self._taken), dict(self.loads), self._now, self.counters.save()

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        taken, loads, self._now, counters = saved
        self._taken, self.loads = dict(taken), dict(loads)
        self.counters.restore(counters)
