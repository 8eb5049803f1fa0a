"""The packet that the registers of a request initiator ask for.

Source: the public ISA documentation of Wormhole B0, NoC: MemoryMap and Atomics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.isa.effects import Atomic, Packet
from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.chips import Chip
from nasm.targets.tensix.noc import atomics, chip_map, routes
from nasm.targets.tensix.noc.chip_map import MAPS, ChipMap
from nasm.targets.tensix.noc.links import INCLUDE, MAJOR


@dataclass(frozen=True, slots=True, eq=False)
class InitiatorRegisters:
    """The registers of an initiator of a generation, by their distance from its first one.

    Of an address they are its lower half, what is above that, and the word with coordinates, of
    which those of a tile begin at bit ``first`` and those of the other corner 12 bits further on.
    ``masked`` are how many bytes a mask may select, with its upper half at ``upper``. ``step`` is
    from the registers of an initiator to those of the next one. The rest are other registers of an
    interface; ``status`` is -1 where what it says is not known.
    """

    targ: int
    targ_to: int
    ret: int
    ret_to: int
    tag: int
    ctrl: int
    length: int
    data: int
    start: int
    first: int
    masked: int
    upper: int
    step: int
    node_id: int
    endpoint_id: int
    clear: int
    status: int
    logical: int
    names: Mapping[int, str]


def _named(targ: int, ret: int, three: bool, others: Mapping[int, str]) -> dict[int, str]:
    parts = ("LO", "MID", "HI") if three else ("LO", "MID")
    found = {targ + 4 * n: f"NOC_TARG_ADDR_{part}" for n, part in enumerate(parts)}
    found |= {ret + 4 * n: f"NOC_RET_ADDR_{part}" for n, part in enumerate(parts)}
    return {**found, **others}


OF_WORMHOLE: Final = InitiatorRegisters(
    targ=0, targ_to=4, ret=0xC, ret_to=0x10, tag=0x18, ctrl=0x1C, length=0x20, data=0x24,
    start=0x28, first=4, masked=32, upper=-1, step=0x400, node_id=0x2C, endpoint_id=0x30,
    clear=0x50, status=0x54, logical=0x138,
    names=_named(0, 0xC, False, {
        0x18: "NOC_PACKET_TAG", 0x1C: "NOC_CTRL", 0x20: "NOC_AT_LEN_BE", 0x24: "NOC_AT_DATA",
        0x28: "NOC_CMD_CTRL",
    }),
)  # fmt: skip
OF_BLACKHOLE: Final = InitiatorRegisters(
    targ=0, targ_to=8, ret=0xC, ret_to=0x14, tag=0x18, ctrl=0x1C, length=0x20, data=0x28,
    start=0x40, first=0, masked=64, upper=0x24, step=0x800, node_id=0x44, endpoint_id=0x48,
    clear=0x60, status=-1, logical=0x148,
    names=_named(0, 0xC, True, {
        0x18: "NOC_PACKET_TAG", 0x1C: "NOC_CTRL", 0x20: "NOC_AT_LEN_BE", 0x24: "NOC_AT_LEN_BE_1",
        0x28: "NOC_AT_DATA", 0x2C: "NOC_BRCST_EXCLUDE", 0x40: "NOC_CMD_CTRL",
    }),
)  # fmt: skip
INITIATORS_OF: Final = {"wormhole": OF_WORMHOLE, "blackhole": OF_BLACKHOLE}
"""By the name of the generation."""

READ, ATOMIC, WRITE = 0, 1, 2
"""Types of requests, in the lowest bits of NOC_CTRL."""

BYTE_MASK, IN_LINE, ANSWERED, MULTICAST, LINKED, STATIC = 2, 3, 4, 5, 6, 7
"""Bits of NOC_CTRL, and four more."""
CHANNEL, BY_COLUMNS, INCLUDED, PRIORITY = 13, 16, 17, 27

TO_OVERLAY, HEADER, NUMBER = 6, 9, 10
"""Bits of NOC_PACKET_TAG."""

UNSENDABLE: Final = "E0325"

UNSAFE: Final = "a write in line to L1 is not safe on Blackhole, by a bug of the hardware"

INCREMENT, MASKED, COMPARE, INDEXED, INDEXED_TOO = 1, 3, 4, 6, 7
"""Atomic operations, in bits 12 to 14 of NOC_AT_LEN_BE."""


class Initiator(NamedTuple):
    """The registers of an initiator with which a tile of a chip starts a request."""

    chip: Chip
    network: int
    held: Sequence[int]
    tile: TilePlace

    @property
    def map(self) -> ChipMap:
        """The tiles of the chip."""
        return MAPS[self.chip.name]

    @property
    def of(self) -> InitiatorRegisters:
        """Where its registers are."""
        return INITIATORS_OF[self.chip.name]

    def word(self, register: int) -> int:
        """A register, by its distance from the first."""
        return self.held[register >> 2]

    @property
    def control(self) -> int:
        """NOC_CTRL."""
        return self.word(self.of.ctrl)

    def translated(self, register: int) -> int:
        """A word with coordinates, as the network has them."""
        first, word = self.of.first, self.word(register)
        found = word & ~(0xFFFFFF << first)
        for low in (first, first + 12):
            x, y = word >> low & 63, word >> low + 6 & 63
            x, y = self.map.untranslated(self.network, x, y)
            found |= x << low | y << low + 6
        return found

    def address(self, register: int) -> int:
        """The address whose lower half is in a register."""
        upper = self.word(register + 4)
        return self.word(register) | (upper & 15 if self.of.first else upper) << 32

    def place(self, register: int) -> tuple[int, int]:
        """The coordinates in a word."""
        word = self.word(register) >> self.of.first
        return word & 63, word >> 6 & 63

    def target(self, register: int) -> tuple[int, ...]:
        """The coordinates of a tile, or of a rectangle from its first corner to its last."""
        word = self.word(register) >> self.of.first
        if not self.control >> MULTICAST & 1:
            return self.place(register)
        return word >> 12 & 63, word >> 18 & 63, *self.place(register)

    def name(self, register: int) -> str:
        """What a register is called."""
        return self.of.names[register]


def packet(request: Initiator) -> Packet:
    """The packet of registers, which a tile sends; raises Refused."""
    control = request.control
    _check_flags(control, request.word(request.of.tag))
    kind = control & 3
    if kind == READ:
        return _read(request)
    if kind == ATOMIC:
        return _atomic(request)
    if control >> IN_LINE & 1:
        return _inline(request)
    return _write(request)


def _check_flags(control: int, tag: int) -> None:
    """Refuse what is reserved, and what is not modelled."""
    if control & 3 == 3:
        raise Refused("E0701", "NOC_CTRL has request type 3, which is reserved")
    for bit, name in ((LINKED, "NOC_CMD_VC_LINKED"), (PRIORITY, "NOC_CMD_ARB_PRIORITY")):
        if control >> bit & (15 if bit == PRIORITY else 1):
            raise Refused("E0601", f"NOC_CTRL has {name}, which nasm does not model")
    for bit, name in ((TO_OVERLAY, "DeliverToReceiverOverlay"), (HEADER, "HEADER_STORE")):
        if tag >> bit & 1:
            raise Refused("E0601", f"NOC_PACKET_TAG has {name}, which nasm does not model")
    if control >> MULTICAST & 1 and control & 3 == READ:
        raise Refused("E0701", "a read request is broadcast: what that does is not documented")


def _connected(request: Initiator, to: Sequence[int]) -> tuple[int, ...]:
    """Where a packet goes; raises Refused where there is no memory."""
    chip, network = request.map, request.network
    first = chip.place_of(network, *to[:2])
    if len(to) > 2:
        chip.place_of(network, *to[2:])
    elif (kind := chip.kind_of(first)) in chip_map.SILENT:
        what = f"{to[0]}, {to[1]} is {chip_map.TITLES[kind]}, with nothing to read or write"
        raise Refused(UNSENDABLE, what)
    return tuple(to)


def _own(request: Initiator, register: int) -> None:
    """Refuse what comes back to another tile than the one that asks."""
    x, y = request.place(register)
    if request.map.place_of(request.network, x, y) != request.tile:
        message = f"{request.name(register)} names {x}, {y}: what comes back goes to another tile "
        raise Refused("E0601", f"{message}than the one that asks, which nasm does not model")


def _labels(request: Initiator) -> dict[str, Any]:
    """What a packet has of a transaction ID, a static virtual channel, and of a broadcast."""
    control, found = request.control, dict[str, Any]()
    if control >> MULTICAST & 1:
        major = routes.Y if control >> BY_COLUMNS & 1 else routes.X
        found["options"] = ((MAJOR, major), (INCLUDE, bool(control >> INCLUDED & 1)))
    if control >> STATIC & 1:
        found["lane"] = channel = control >> CHANNEL & 7
        if (channel >= 4) != bool(control >> MULTICAST & 1) or channel >= 6:
            message = f"NOC_CTRL has the static channel {channel}"
            hint = "static channels of requests are 0 to 3, and 4 or 5 of multicasts"
            raise Refused(UNSENDABLE, message, hint)
    return found | {"tag": request.word(request.of.tag) >> NUMBER & 15}


def _length(request: Initiator) -> int:
    count, most = request.word(request.of.length), request.map.most_bytes
    if not 0 < count <= most:
        message = f"NOC_AT_LEN_BE is {count:,}: a packet has 1 to {most:,} bytes"
        if not count:
            raise Refused(UNSENDABLE, message)
        hint = "that the interface divides longer requests is not modelled: send several"
        raise Refused("E0601", message, hint)
    return count


def _read(request: Initiator) -> Packet:
    of = request.of
    _own(request, of.ret_to)
    return Packet(
        request.network,
        _length(request),
        _in_l1(request, of.ret),
        request.address(of.targ),
        _connected(request, request.place(of.targ_to)),
        fetches=True,
        **_labels(request),
    )


def _in_l1(request: Initiator, register: int) -> int:
    """An address of the tile's own L1; raises Refused for that of a device."""
    address = request.address(register)
    if address >= request.chip.l1_bytes:
        message = f"{request.name(register)} is {address:#x}, beyond L1"
        raise Refused("E0601", f"{message}: packets to and from devices are not modelled")
    return address


def _write(request: Initiator) -> Packet:
    control, of = request.control, request.of
    answered = bool(control >> ANSWERED & 1)
    if answered:
        _own(request, of.targ_to)
    here, there = _in_l1(request, of.targ), request.address(of.ret)
    only: tuple[int, ...] = ()
    if control >> BYTE_MASK & 1:
        mask = request.word(of.length)
        if of.upper >= 0:
            mask |= request.word(of.upper) << 32
        count, here, there, only = of.masked, here & -16, there & -16, _bits(mask, of.masked)
    else:
        count = _length(request)
    to = _connected(request, request.target(of.ret_to))
    more = _labels(request)
    return Packet(request.network, count, here, there, to, reply=answered, only=only, **more)


def _bits(mask: int, count: int) -> tuple[int, ...]:
    return tuple(n for n in range(count) if mask >> n & 1)


def _inline(request: Initiator) -> Packet:
    """A write of a number: byte i of 16 gets byte i & 3 of it, where a mask has its bit."""
    of = request.of
    address, mask = request.address(of.targ), request.word(of.length)
    if request.chip.cores.unsafe_in_line:
        raise Refused("E0701", UNSAFE, "write it by length, or by a mask of bytes")
    only = _bits((mask | mask >> 16) & 0xFFFF, 16)
    if not only:
        raise Refused(UNSENDABLE, "NOC_AT_LEN_BE has no byte of an inline write")
    first, count = only[0], only[-1] - only[0] + 1
    data = (request.word(of.data).to_bytes(4, "little") * 4)[first : first + count]
    return Packet(
        request.network,
        count,
        there=(address & -16) + first,
        to=_connected(request, request.target(of.targ_to)),
        reply=bool(request.control >> ANSWERED & 1),
        data=data,
        only=() if len(only) == count else tuple(n - first for n in only),
        **_labels(request),
    )


def _atomic(request: Initiator) -> Packet:
    of, answered = request.of, bool(request.control >> ANSWERED & 1)
    here = None
    if answered:
        _own(request, of.ret_to)
        here = _in_l1(request, of.ret)
    there = _in_l1(request, of.targ)
    for address in (there, here or 0):
        if address & 3:
            raise Refused(UNSENDABLE, f"an atomic operation at {address:#x}, no multiple of 4")
    return Packet(
        request.network,
        4,
        here,
        there,
        _connected(request, request.target(of.targ_to)),
        reply=answered,
        atomic=_operation(there >> 2 & 3, request.word(of.length), request.word(of.data)),
        **_labels(request),
    )


def _operation(read: int, word: int, data: int) -> Atomic:
    """The operation of NOC_AT_LEN_BE; raises Refused for one that is not documented."""
    code, at = word >> 12 & 7, word & 3
    if code == INCREMENT:
        return atomics.incrementing(read, at, data, word >> 2 & 31)
    if code == COMPARE:
        return atomics.comparing(read, at, word >> 2 & 15, word >> 6 & 15)
    if code == MASKED:
        return atomics.masking(read, data, word >> 2 & 255)
    if code == INDEXED and word >> 2 & 1:
        return atomics.swapping(read, at, data)
    if code == INDEXED_TOO:
        return atomics.swapping(read, word >> 2 & 3, data)
    raise Refused("E0701", f"NOC_AT_LEN_BE has atomic operation {code}: it is not documented")
