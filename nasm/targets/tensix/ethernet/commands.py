"""The records of the Ethernet base firmware's queues, as the bytes that the host sees.

Sources: the series "Tenstorrent Wormhole" of corsix.org, part 4, for the structures, flags and
who writes what; the public header ``eth_interface.h`` of the firmware for the header of broadcasts
and the place of the structure. All integers are little-endian.
"""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from nasm.base.problems import Refused
from nasm.base.records import dataclass

SOURCE: Final = "corsix.org, Tenstorrent Wormhole Series, part 4"
UNDOCUMENTED: Final = "E0326"
"""The code of a request that has no documented meaning."""

POINTER: Final = 0x170
"""Where a word of the tile's L1 has the address of the structure."""
STRUCTURE: Final = 0x11000
"""That address, in the public header of the firmware."""

SLOTS: Final = 4
INDEX_MODULUS: Final = 8
BLOCK_BYTES: Final = 1024
COMMAND_BYTES: Final = 32
QUEUE_BYTES: Final = 192
LATENCIES: Final = 16
"""How many latency counters there are, of 8 bytes each."""
SUBMISSIONS: Final = LATENCIES * 8
COMPLETIONS: Final = SUBMISSIONS + 2 * QUEUE_BYTES
"""Where the queues are in the structure; between them is one that is reserved."""
BUFFERS: Final = 4096
STRUCTURE_BYTES: Final = BUFFERS + SLOTS * BLOCK_BYTES

COUNTERS: Final = ("wr_req", "wr_resp", "rd_req", "rd_resp", "error")
WRITE_INDEX, READ_INDEX, CONTENTS = 0x20, 0x30, 0x40
"""Where the indices and the commands are in a queue; the counters are at its start."""


class FlagRow(NamedTuple):
    """A flag of requests or of responses: its name, bit and meaning."""

    name: str
    bit: int
    response: bool
    meaning: str

    @property
    def value(self) -> int:
        """The flag as a number."""
        return 1 << self.bit


FLAGS: Final = (
    FlagRow("WR_REQ", 0, False, "write"),
    FlagRow("WR_ACK", 1, True, "a write is done"),
    FlagRow("RD_REQ", 2, False, "read"),
    FlagRow("RD_DATA", 3, True, "a read is done"),
    FlagRow("DATA_BLOCK_DMA", 4, False, "with DATA_BLOCK: the block is in the host's memory"),
    FlagRow("DATA_BLOCK", 6, False, "a block of bytes, not a word"),
    FlagRow("BROADCAST", 7, False, "write to many tiles of many chips"),
    FlagRow("USE_NOC1", 9, False, "network 1 of the target's chip, with its coordinates"),
    FlagRow("TIMESTAMP", 10, False, "measure latencies from this request on"),
    FlagRow("ORDERED", 12, False, "arrive in order with others that have it"),
    FlagRow("DATA_BLOCK_UNAVAILABLE", 30, True, "no buffer was free for the block"),
    FlagRow("DEST_UNREACHABLE", 31, True, "no port leads to the target's chip"),
)
"""Every documented flag; responses repeat DATA_BLOCK, DATA_BLOCK_DMA and BROADCAST."""

_BY_NAME: Final = {row.name: row.value for row in FLAGS}
WR_REQ, WR_ACK = _BY_NAME["WR_REQ"], _BY_NAME["WR_ACK"]
RD_REQ, RD_DATA = _BY_NAME["RD_REQ"], _BY_NAME["RD_DATA"]
DMA, BLOCK = _BY_NAME["DATA_BLOCK_DMA"], _BY_NAME["DATA_BLOCK"]
BROADCAST, NOC1 = _BY_NAME["BROADCAST"], _BY_NAME["USE_NOC1"]
TIMESTAMP, ORDERED = _BY_NAME["TIMESTAMP"], _BY_NAME["ORDERED"]
UNAVAILABLE = _BY_NAME["DATA_BLOCK_UNAVAILABLE"]
UNREACHABLE = _BY_NAME["DEST_UNREACHABLE"]
REQUESTS: Final = sum(row.value for row in FLAGS if not row.response)


def flag_names(flags: int) -> str:
    """Flags by their names: ``WR_REQ|DATA_BLOCK``; bits without a name as a number."""
    names = [row.name for row in FLAGS if flags & row.value]
    rest = flags & ~sum(row.value for row in FLAGS)
    return "|".join([*names, *([f"{rest:#x}"] if rest else [])]) or "0"


class ChipPlace(NamedTuple):
    """Where a chip is: its column and row on its shelf, and those of the shelf among racks."""

    x: int = 0
    y: int = 0
    rack: int = 0
    shelf: int = 0

    def __str__(self) -> str:
        return f"{self.x}, {self.y} of shelf {self.shelf} in rack {self.rack}"


_COMMAND: Final = struct.Struct("<IHHIIH5HI")
assert _COMMAND.size == COMMAND_BYTES

_WIDTHS: Final = {"noc_x": 6, "noc_y": 6, "x": 6, "y": 6, "rack": 8, "shelf": 8}
_WIDTHS_OF_WORDS: Final = {"address": 32, "data": 32, "flags": 32, "dma_address": 32}


@dataclass(frozen=True, slots=True)
class RoutingCommand:
    """A request or a response, 32 bytes.

    ``address`` is one of the tile ``noc_x, noc_y`` of the chip at ``chip``. ``data`` is a word, or
    the bytes of a block; ``dma_address`` is one of the host's memory.
    """

    address: int = 0
    noc_x: int = 0
    noc_y: int = 0
    chip: ChipPlace = ChipPlace()
    data: int = 0
    flags: int = 0
    dma_address: int = 0

    def pack(self) -> bytes:
        """Its 32 bytes; raises Refused if a field does not fit."""
        for name, bits in _WIDTHS_OF_WORDS.items():
            _fits(name, getattr(self, name), bits)
        fields = self.chip._asdict() | {"noc_x": self.noc_x, "noc_y": self.noc_y}
        for name, bits in _WIDTHS.items():
            _fits(name, fields[name], bits)
        chip = self.chip
        noc = self.noc_x << 4 | self.noc_y << 10
        place, rack = chip.x | chip.y << 6, chip.rack | chip.shelf << 8
        words = self.address, noc, place, self.data, self.flags, rack
        return _COMMAND.pack(*words, 0, 0, 0, 0, 0, self.dma_address)

    @staticmethod
    def unpack(data: bytes) -> RoutingCommand:
        """The command that 32 bytes are; reserved ones may be anything."""
        if len(data) != COMMAND_BYTES:
            message = f"a command has {COMMAND_BYTES} bytes, found {len(data)}"
            raise Refused(UNDOCUMENTED, message)
        address, noc, place, word, flags, rack, *_, dma = _COMMAND.unpack(data)
        chip = ChipPlace(place & 63, place >> 6 & 63, rack & 255, rack >> 8)
        return RoutingCommand(address, noc >> 4 & 63, noc >> 10, chip, word, flags, dma)


def _fits(name: str, value: object, bits: int) -> None:
    if not (isinstance(value, int) and 0 <= value < 1 << bits):
        message = f"{name} of a command has {bits} bits, found {value}"
        raise Refused(UNDOCUMENTED, message, f"it is 0 to {(1 << bits) - 1}")


_BROADCAST: Final = struct.Struct("<12sIHH12s")
BROADCAST_BYTES: Final = _BROADCAST.size
"""The bytes of the header that the block of a broadcast begins with: 32."""
CHIP_ROWS_OF_MASK: Final = 8


@dataclass(frozen=True, slots=True)
class BroadcastHeader:
    """Which tiles a broadcast leaves out.

    ``shelves`` has a byte for each rack, and in it a bit for each shelf. ``chips`` has bit 8x + y
    for the chip at x, y of every shelf; ``rows`` and ``columns`` have a bit for each of those of a
    chip, as the network counts them.
    """

    shelves: bytes = bytes(12)
    chips: int = 0
    rows: int = 0
    columns: int = 0

    def pack(self) -> bytes:
        """Its 32 bytes; the last twelve are the firmware's, and 0."""
        if len(self.shelves) != 12:
            message = f"a broadcast has masks for 12 racks, found {len(self.shelves)}"
            raise Refused(UNDOCUMENTED, message)
        for name, bits in {"chips": 32, "rows": 16, "columns": 16}.items():
            _fits(name, getattr(self, name), bits)
        return _BROADCAST.pack(self.shelves, self.chips, self.rows, self.columns, bytes(12))

    @staticmethod
    def unpack(data: bytes) -> BroadcastHeader:
        """The header that 32 bytes are; raises Refused if the firmware's bytes are not 0."""
        shelves, chips, rows, columns, visited = _BROADCAST.unpack(data)
        if any(visited):
            message = "the last 12 bytes of a broadcast's header are the firmware's"
            raise Refused(UNDOCUMENTED, message, "the host sets them to 0")
        return BroadcastHeader(shelves, chips, rows, columns)

    def skips(self, chip: ChipPlace) -> bool:
        """Whether it leaves out a whole chip."""
        shelf = chip.rack < len(self.shelves) and self.shelves[chip.rack] >> chip.shelf & 1
        return bool(shelf or self.chips >> (chip.x * CHIP_ROWS_OF_MASK + chip.y) & 1)
