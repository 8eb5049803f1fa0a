"""The host's side of the queues: requests, responses, and transfers of any length.

from nasm.targets.tensix.ethernet.host import n300
host = n300()
host.write(1, 0, tile=(3, 4), address=0x1000, data=bytes(5000))
host.read(1, 0, tile=(3, 4), address=0x1000, count=5000)
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Final, SupportsIndex

from nasm.base.problems import Refused
from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.ethernet.commands import (
    BLOCK,
    BLOCK_BYTES,
    BROADCAST,
    BROADCAST_BYTES,
    DMA,
    RD_DATA,
    RD_REQ,
    UNAVAILABLE,
    UNDOCUMENTED,
    UNREACHABLE,
    WR_ACK,
    WR_REQ,
    BroadcastHeader,
    ChipPlace,
    RoutingCommand,
    flag_names,
)
from nasm.targets.tensix.ethernet.firmware import EthernetNetwork, Port
from nasm.targets.tensix.ethernet.queues import FirmwareQueues
from nasm.targets.tensix.ethernet.requests import ALIGNED, check
from nasm.targets.tensix.ethernet.tile_memories import AddressedRun, JoinedChip, memories_of

N300_LINKS: Final = (
    ((ChipPlace(0, 0), 8), (ChipPlace(1, 0), 0)),
    ((ChipPlace(0, 0), 9), (ChipPlace(1, 0), 1)),
)
"""The links between the two chips of an n300 (source: the same article)."""
E8: Final[Port] = (ChipPlace(), 8)
TENSIX_ONLY: Final = BroadcastHeader(rows=1 << 0 | 1 << 6, columns=1 << 0 | 1 << 5)
"""Leaves out the rows and columns that have no Tensix tiles, as network 0 counts them."""


class EthernetHost:
    """A host that talks to the firmware of one Ethernet tile, one caller at a time."""

    def __init__(self, network: EthernetNetwork, port: Port = E8) -> None:
        if port not in network.firmwares:
            message = f"there is no E{port[1]} of a chip at {port[0]}"
            raise Refused(UNDOCUMENTED, message, "name a chip of the network and 0 to 15")
        self.network, self.port = network, port

    @property
    def queues(self) -> FirmwareQueues:
        """The queues of its tile."""
        return self.network.firmwares[self.port].queues

    # -- one request

    def submit(self, command: RoutingCommand, block: bytes = b"") -> int:
        """Push a request, with the bytes of a block to write; returns its index.

        Raises Refused if it has no documented meaning, or the queue is full.
        """
        command.pack()
        check(command)
        queues = self.queues
        if queues.submissions.full:
            message = "the submission queue is full: it has four requests"
            raise Refused(UNDOCUMENTED, message, "let the network run, and take responses")
        if command.flags & WR_REQ and command.flags & BLOCK and not command.flags & DMA:
            if len(block) != command.data:
                message = f"the request writes {command.data} bytes, and has {len(block)}"
                raise Refused(UNDOCUMENTED, message)
            self.network.check(command, block)
            queues.write(queues.submissions.write_index, block)
        elif block:
            raise Refused(UNDOCUMENTED, "this request takes no block", "set WR_REQ|DATA_BLOCK")
        else:
            dma = command.flags & DMA and command.flags & WR_REQ
            memory = self.network.host
            found = memory.read(command.dma_address, command.data).tobytes() if dma else b""
            self.network.check(command, found)
        return queues.submissions.push(command)

    def complete(self) -> tuple[RoutingCommand, bytes]:
        """Run until the oldest response is there, and pop it; with the bytes of its block.

        Raises Refused if nothing is in flight.
        """
        self.network.run()
        queues = self.queues
        index = queues.completions.read_index
        if not queues.completions.occupancy:
            raise Refused(UNDOCUMENTED, "no response is to come", "submit a request first")
        response = queues.completions.at(index)
        wanted = RD_DATA | BLOCK
        block = response.flags & (wanted | DMA | UNREACHABLE | UNAVAILABLE) == wanted
        found = queues.read(index, response.data) if block else b""
        queues.completions.pop()
        if not response.flags:
            message = "the response has no flags: its request was refused in flight"
            raise Refused(UNDOCUMENTED, message)
        return response, found

    def request(self, command: RoutingCommand, block: bytes = b"") -> tuple[RoutingCommand, bytes]:
        """Submit a request when no other is in flight, and wait for its response.

        A write that is not answered is over when it is counted; its response is made up of that.
        """
        queues = self.queues
        if queues.submissions.occupancy or queues.completions.occupancy:
            raise Refused(UNDOCUMENTED, "other requests are in flight", "take their responses")
        errors = queues.submissions.counters["error"]
        self.submit(command, block)
        try:
            if command.flags & RD_REQ or self.network.answers_writes:
                return self.complete()
            self.network.run()
        except Refused:  # its response stays without flags
            queues.completions.clear()
            raise
        failed = queues.submissions.counters["error"] != errors
        flags = WR_ACK | (UNREACHABLE if failed else 0)
        return RoutingCommand(flags=flags), b""

    # -- transfers

    def read(
        self, x: int, y: int, *, tile: TilePlace, address: int, count: int, flags: int = 0
    ) -> bytes:
        """Bytes of a tile of the chip at ``x, y`` of this shelf; both ends are multiples of 4."""
        found = b""
        place = _tile(tile)
        for start, size in _parts(address, count):
            block = size > 4
            kind = flags | RD_REQ | (BLOCK if block else 0)
            command = RoutingCommand(start, *place, ChipPlace(x, y), size if block else 0, kind)
            response, data = self._done(command)
            found += data if block else response.data.to_bytes(4, "little")
        return found

    def write(
        self, x: int, y: int, *, tile: TilePlace, address: int, data: bytes, flags: int = 0
    ) -> None:
        """Write bytes of a tile of the chip at ``x, y`` of this shelf."""
        place, data = _tile(tile), _bytes(data)
        for start, size in _parts(address, len(data)):
            part = data[start - address : start - address + size]
            block = size > 4
            kind = flags | WR_REQ | (BLOCK if block else 0)
            word = size if block else int.from_bytes(part, "little")
            command = RoutingCommand(start, *place, ChipPlace(x, y), word, kind)
            self._done(command, part if block else b"")

    def broadcast(
        self, address: int, data: bytes, header: BroadcastHeader = TENSIX_ONLY, flags: int = 0
    ) -> None:
        """Write bytes of every tile that the header does not leave out, on every chip."""
        most, data = BLOCK_BYTES - BROADCAST_BYTES, _bytes(data)
        for start, size in _parts(address, len(data), most):
            part = header.pack() + data[start - address : start - address + size]
            kind = flags | WR_REQ | BLOCK | BROADCAST
            self._done(RoutingCommand(start, data=len(part), flags=kind), part)

    def _done(self, command: RoutingCommand, block: bytes = b"") -> tuple[RoutingCommand, bytes]:
        response, data = self.request(command, block)
        if response.flags & UNREACHABLE:
            message = f"no port leads to the chip at {command.chip}"
            raise Refused(UNDOCUMENTED, f"{message}: {flag_names(response.flags)}")
        return response, data


def n300(first: AddressedRun | None = None, second: AddressedRun | None = None) -> EthernetHost:
    """The host of an n300: two chips, of which each may be a session whose tiles it has.

    Requests are given to E8 of the first one. What a session has changes by them as by hand: for
    whatever starts from then on.
    """
    chips = [
        JoinedChip(ChipPlace(x), None if run is None else memories_of(run))
        for x, run in enumerate((first, second))
    ]
    return EthernetHost(EthernetNetwork(chips, N300_LINKS))


def _parts(address: int, count: int, most: int = BLOCK_BYTES) -> list[tuple[int, int]]:
    """Words up to an address that blocks may begin at, then blocks."""
    address, count = _number("address", address), _number("count", count)
    if address % 4 or count % 4:
        message = f"{count} bytes at {address:#x} are not whole words"
        raise Refused(UNDOCUMENTED, message, "both are multiples of 4")
    found, end = [], address + count
    while address < end:
        size = min(most, end - address) if address % ALIGNED == 0 else 4
        found.append((address, size))
        address += size
    return found


def _tile(given: object) -> tuple[int, int]:
    """The coordinates of a tile, as a caller gives them."""
    if not isinstance(given, Sequence) or len(given) != 2:
        message = f"a tile is a column and a row, found {given!r}"
        raise Refused(UNDOCUMENTED, message, "write (3, 4)")
    x, y = given
    return _number("column", x), _number("row", y)


def _bytes(given: object) -> bytes:
    """The bytes of what a caller writes: bytes, or an array."""
    try:
        return memoryview(given).tobytes()  # type: ignore[arg-type]
    except TypeError:
        message = f"bytes or an array are written, found {type(given).__name__}"
        raise Refused(UNDOCUMENTED, message) from None


def _number(name: str, given: object) -> int:
    if not isinstance(given, SupportsIndex) or index(given) < 0:
        message = f"{name} is an integer from 0 on, found {given!r}"
        raise Refused(UNDOCUMENTED, message)
    return index(given)
