"""The base firmware of Ethernet tiles, on chips that are joined by links.

A mock of what the firmware promises to a host, in events: it pops a request, pushes a response
whose flags are 0, has the request done on its chip or sends it through a port, and fills the
response in its place. How long that takes is assumed, except for the rate of a link.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np

from nasm.base.problems import Refused
from nasm.base.records import dataclass, replace
from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.ethernet.commands import (
    BLOCK,
    BLOCK_BYTES,
    BROADCAST,
    BROADCAST_BYTES,
    COMMAND_BYTES,
    DMA,
    LATENCIES,
    NOC1,
    ORDERED,
    POINTER,
    RD_REQ,
    SLOTS,
    STRUCTURE,
    TIMESTAMP,
    UNAVAILABLE,
    UNDOCUMENTED,
    UNREACHABLE,
    WR_REQ,
    BroadcastHeader,
    ChipPlace,
    RoutingCommand,
)
from nasm.targets.tensix.ethernet.queues import FirmwareQueues, TileWords
from nasm.targets.tensix.ethernet.requests import answer, check, counted_blocks, target
from nasm.targets.tensix.ethernet.tile_memories import JoinedChip, PagedBytes, ethernet_tile
from nasm.targets.tensix.noc import chip_map

STEP: Final = 200
"""Cycles in which a tile's firmware handles a request once (assumed)."""
CROSSING: Final = 1000
"""Cycles from one end of a link to the other, apart from the bytes (assumed)."""
ON_CHIP: Final = 218
"""Cycles of a request of a network and its answer: 198 of hops, and 20 between tiles and routers
(documented: the ISA documentation, NoC: Performance; the longest way)."""
HALF_BYTES_PER_CYCLE: Final = 25
"""A link has 100 Gbit/s (documented: the ISA documentation's README), at 1 GHz (assumed)."""

Port = tuple[ChipPlace, int]
"""An Ethernet tile of a chip: 8 is E8."""


@dataclass(slots=True)
class InFlight:
    """A request that a firmware has popped, and is not answered yet.

    ``slot`` is the index of its response, None for none; ``stamp`` the number of its latency
    counter. ``back`` are the cycles of the response's way, ``held`` the tile whose buffer it has.
    """

    command: RoutingCommand
    data: bytes
    origin: EthernetFirmware
    slot: int | None
    started: int
    stamp: int | None
    back: int = 0
    held: EthernetFirmware | None = None


class EthernetFirmware:
    """The firmware of one Ethernet tile."""

    def __init__(self, chip: JoinedChip, number: int) -> None:
        self.chip, self.number = chip, number
        self.tile: TilePlace = ethernet_tile(number)
        self.busy = self.sending = self.buffered = 0
        self.stamping: int | None = None
        words = TileWords(chip, self.tile)
        if words.word(POINTER) == 0:
            words.put(POINTER, STRUCTURE)

    @property
    def queues(self) -> FirmwareQueues:
        """Its queues, where the pointer says that they are."""
        return FirmwareQueues(self.chip, self.tile)

    def handle(self, now: int) -> int:
        """When it has handled one more request."""
        self.busy = max(self.busy, now) + STEP
        return self.busy

    def stamp(self, flags: int) -> int | None:
        """The latency counter of a request: 0 for one with TIMESTAMP, then those after it.

        That there are as many as counters is assumed; a transfer of the host's memory is the last.
        """
        number = 0 if flags & TIMESTAMP else self.stamping
        ends = number is None or number + 1 >= LATENCIES or flags & DMA
        self.stamping = None if ends or number is None else number + 1
        return number


class EthernetNetwork:
    """Chips that are joined by Ethernet, and the host's memory; time is in cycles of 1 GHz.

    ``links`` join two ports each. ``answers_writes`` says whether writes are answered in the
    completion queue, as the article has it; the firmware that was published later only counts
    them. Raises Refused if a link has no two ends.
    """

    def __init__(
        self,
        chips: Iterable[JoinedChip],
        links: Iterable[tuple[Port, Port]],
        *,
        answers_writes: bool = True,
    ) -> None:
        every = tuple(chips)
        self.chips = {chip.place: chip for chip in every}
        if len(self.chips) < len(every):
            raise Refused(UNDOCUMENTED, "two chips are at one place", "give each its own")
        self.firmwares = {
            (place, number): EthernetFirmware(chip, number)
            for place, chip in self.chips.items()
            for number in range(16)
        }
        self.peers: dict[Port, Port] = {}
        for ends in links:
            for one, other in (ends, ends[::-1]):
                if one not in self.firmwares or one in self.peers or one[0] == other[0]:
                    message = f"E{one[1]} of the chip at {one[0]} cannot be an end of this link"
                    raise Refused(UNDOCUMENTED, message, "a link joins free ports of two chips")
                self.peers[one] = other
        self.answers_writes = answers_writes
        self.host: PagedBytes = PagedBytes(1 << 32)
        self.now = 0
        self._turns: dict[tuple[ChipPlace, ChipPlace], int] = {}
        self._events: list[tuple[int, int, Callable[[], None]]] = []
        self._number = 0

    # -- time

    def run(self, until: int | None = None) -> None:
        """Let every firmware do what it can, up to a cycle.

        Raises Refused at a request that has no documented meaning.
        """
        for firmware in self.firmwares.values():
            self._take(firmware)
        while self._events and (until is None or self._events[0][0] <= until):
            self.now, _, act = heapq.heappop(self._events)
            act()
        if until is not None:
            self.now = max(self.now, until)

    def save(self) -> Any:
        """Everything that changes; raises AssertionError where something is in flight."""
        assert not self._events, "what is in flight is not saved"
        kept = [
            (one.busy, one.sending, one.buffered, one.stamping) for one in self.firmwares.values()
        ]
        chips = [chip.save() for chip in self.chips.values()]
        return self.now, dict(self._turns), self._number, kept, chips, self.host.save()

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        self.now, turns, self._number, kept, chips, host = saved
        self._turns = dict(turns)
        self._events.clear()
        for firmware, state in zip(self.firmwares.values(), kept, strict=True):
            firmware.busy, firmware.sending, firmware.buffered, firmware.stamping = state
        for chip, memories in zip(self.chips.values(), chips, strict=True):
            chip.restore(memories)
        self.host.restore(host)

    def _at(self, time: int, act: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._events, (time, self._number, act))

    # -- requests

    def _take(self, firmware: EthernetFirmware) -> None:
        """Pop requests while there is room for responses."""
        queues = firmware.queues
        requests, responses = queues.submissions, queues.completions
        while requests.occupancy and not responses.full:
            if requests.occupancy > SLOTS:
                message = f"indices {requests.write_index} and {requests.read_index} of a queue"
                raise Refused(UNDOCUMENTED, f"{message} of {SLOTS} commands")
            command = requests.at(requests.read_index)
            data = self._block(queues, requests.read_index, command)
            self.check(command, data)
            slot = None
            if command.flags & RD_REQ or self.answers_writes:
                slot = responses.push(replace(command, data=0, flags=0))
            name = "wr_req" if command.flags & WR_REQ else "rd_req"
            requests.count(name, counted_blocks(command))
            requests.pop()
            stamp = firmware.stamp(command.flags)
            flight = InFlight(command, data, firmware, slot, self.now, stamp)
            send = self._broadcast if command.flags & BROADCAST else self._forward
            self._at(firmware.handle(self.now), partial(send, flight, firmware))

    def check(self, command: RoutingCommand, data: bytes) -> None:
        """Refuse a request that has no documented meaning, or is for bytes that there are not.

        ``data`` are the bytes that it writes, if they are a block.
        """
        check(command)
        if command.flags & BROADCAST:
            header = BroadcastHeader.unpack(data[:BROADCAST_BYTES])
            for place, chip in self.chips.items():
                if not header.skips(place):
                    for tile in _written(chip, command, header):
                        chip.check(tile, command.address, len(data) - BROADCAST_BYTES)
        elif command.chip in self.chips:
            count = command.data if command.flags & BLOCK else 4
            self.chips[command.chip].check(target(command), command.address, count)

    def _block(self, queues: FirmwareQueues, index: int, command: RoutingCommand) -> bytes:
        """The bytes that a request writes."""
        if not command.flags & WR_REQ:
            return b""
        if not command.flags & BLOCK:
            return command.data.to_bytes(4, "little")
        if command.flags & DMA:
            check(command)
            return self.host.read(command.dma_address, command.data).tobytes()
        return queues.read(index, min(command.data, BLOCK_BYTES))

    def _forward(self, flight: InFlight, at: EthernetFirmware) -> None:
        """Have a request done where it is, or send it on."""
        if flight.command.chip == at.chip.place:
            local = target(flight.command) == at.tile
            self._at(self.now + (0 if local else ON_CHIP), lambda: self._serve(flight, at))
            return
        port = self._port(at, flight.command)
        if port is None:
            self._fail(flight, UNREACHABLE)
        elif port is not at:
            flight.back += ON_CHIP // 2
            arrival = port.handle(self.now + ON_CHIP // 2)
            self._at(arrival, lambda: self._forward(flight, port))
        else:
            self._cross(flight, at)

    def _cross(self, flight: InFlight, at: EthernetFirmware) -> None:
        """Send a request through a tile's link; a block needs a buffer at its other end."""
        peer = self.firmwares[self.peers[at.chip.place, at.number]]
        if flight.command.flags & BLOCK:
            if peer.buffered == SLOTS:
                self._fail(flight, UNAVAILABLE)
                return
            self._release(flight)
            peer.buffered += 1
            flight.held = peer
        at.sending = max(at.sending, self.now) + on_link(len(flight.data))
        flight.back += CROSSING
        arrival = peer.handle(at.sending + CROSSING)
        self._at(arrival, lambda: self._forward(flight, peer))

    def _port(self, at: EthernetFirmware, command: RoutingCommand) -> EthernetFirmware | None:
        """The tile of a chip by whose link a request leaves it, None if none leads there.

        That of the fewest links (assumed). A tile with such a link uses its own; others use those
        of the chip by turns, and always the first for ORDERED.
        """
        place, goal = at.chip.place, command.chip
        away = self._distances(goal)
        if place not in away:
            return None
        ports = [
            self.firmwares[one]
            for one, other in sorted(self.peers.items())
            if one[0] == place and away.get(other[0], len(away)) < away[place]
        ]
        if at in ports:
            return at
        turn = 0 if command.flags & ORDERED else self._turns.get((place, goal), 0)
        if not command.flags & ORDERED:
            self._turns[place, goal] = turn + 1
        return ports[turn % len(ports)]

    def _distances(self, goal: ChipPlace) -> dict[ChipPlace, int]:
        """How many links are between a chip and each that is joined with it."""
        found = {goal: 0} if goal in self.chips else {}
        line = list(found)
        for place in line:
            for one, other in self.peers.items():
                if one[0] == place and other[0] not in found:
                    found[other[0]] = found[place] + 1
                    line.append(other[0])
        return found

    # -- what requests do

    def _serve(self, flight: InFlight, at: EthernetFirmware) -> None:
        """Read or write the target's bytes, and send the response."""
        command, tile = flight.command, target(flight.command)
        found, word = b"", 0
        if command.flags & WR_REQ:
            at.chip.write(tile, command.address, flight.data)
        else:
            block = bool(command.flags & BLOCK)
            read = at.chip.read(tile, command.address, command.data if block else 4)
            found = read if block else b""
            word = command.data if block else int.from_bytes(read, "little")
        self._release(flight)
        time = self.now + flight.back + (on_link(len(found)) if flight.back else 0)
        self._at(time, lambda: self._finish(flight, answer(command.flags), word, found))

    def _broadcast(self, flight: InFlight, at: EthernetFirmware) -> None:
        """Write the tiles of each chip that can be reached, and respond when all is written."""
        command, away = flight.command, self._distances(at.chip.place)
        header = BroadcastHeader.unpack(flight.data[:BROADCAST_BYTES])
        data, end = flight.data[BROADCAST_BYTES:], self.now
        for place, links in away.items():
            if not header.skips(place):
                chip = self.chips[place]
                time = self.now + links * (STEP + CROSSING + on_link(len(flight.data))) + ON_CHIP
                self._at(time, partial(_write_tiles, chip, command, header, data))
                end = max(end, time + links * CROSSING)
        self._at(end, lambda: self._finish(flight, answer(command.flags)))

    def _fail(self, flight: InFlight, error: int) -> None:
        """Send a response with an error."""
        self._release(flight)
        flags = answer(flight.command.flags) | error
        self._at(self.now + flight.back, lambda: self._finish(flight, flags))

    def _release(self, flight: InFlight) -> None:
        if flight.held is not None:
            flight.held.buffered -= 1
            flight.held = None

    def _finish(self, flight: InFlight, flags: int, word: int = 0, found: bytes = b"") -> None:
        """Count a response, store its bytes, and fill its slot."""
        queues, command = flight.origin.queues, flight.command
        name = "wr_resp" if command.flags & WR_REQ else "rd_resp"
        queues.submissions.count(name, counted_blocks(command))
        if flags & (UNREACHABLE | UNAVAILABLE):
            queues.submissions.count("error")
        if flight.stamp is not None:
            place = queues.address + 8 * flight.stamp
            queues.words.put(place, self.now - flight.started, 8)
        if flight.slot is None:
            return
        if command.flags & DMA and found:
            self.host.write(command.dma_address, np.frombuffer(found, np.uint8))
        elif found:
            queues.write(flight.slot, found)
        slot = queues.completions.at(flight.slot)
        queues.completions.fill(flight.slot, replace(slot, data=word, flags=flags))


def on_link(count: int) -> int:
    """Cycles in which a link carries a command and so many bytes of a block."""
    return -(-2 * (COMMAND_BYTES + count) // HALF_BYTES_PER_CYCLE)


def _written(
    chip: JoinedChip, command: RoutingCommand, header: BroadcastHeader
) -> Iterator[TilePlace]:
    """The tiles with a memory that a broadcast does not leave out, in the order of writes."""
    network = int(bool(command.flags & NOC1))
    for y in range(chip_map.WORMHOLE.rows):
        for x in range(chip_map.WORMHOLE.columns):
            if not (header.rows >> y & 1 or header.columns >> x & 1):
                tile = chip_map.WORMHOLE.place_of(network, x, y)
                if chip.has_memory(tile):
                    yield tile


def _write_tiles(
    chip: JoinedChip, command: RoutingCommand, header: BroadcastHeader, data: bytes
) -> None:
    for tile in _written(chip, command, header):
        chip.write(tile, command.address, data)
