"""The packet that the registers of a request initiator ask for.

Source: the public ISA documentation of Wormhole B0, NoC: MemoryMap and Atomics.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nasm.base.problems import Refused
from nasm.isa.effects import Atomic, Packet
from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.noc import atomics, chip_map, routes
from nasm.targets.tensix.noc.links import INCLUDE, MAJOR, MOST_BYTES

TARG, RET, TAG, CTRL, LENGTH, DATA, START = 0, 0xC, 0x18, 0x1C, 0x20, 0x24, 0x28
"""Registers of an initiator; of an address the lower half, after which comes the other."""

READ, ATOMIC, WRITE = 0, 1, 2
"""Types of requests, in the lowest bits of NOC_CTRL."""

BYTE_MASK, IN_LINE, ANSWERED, MULTICAST, LINKED, STATIC = 2, 3, 4, 5, 6, 7
"""Bits of NOC_CTRL, and four more."""
CHANNEL, BY_COLUMNS, INCLUDED, PRIORITY = 13, 16, 17, 27

TO_OVERLAY, HEADER, NUMBER = 6, 9, 10
"""Bits of NOC_PACKET_TAG."""

UNSENDABLE: Final = "E0325"

INCREMENT, MASKED, COMPARE, INDEXED, INDEXED_TOO = 1, 3, 4, 6, 7
"""Atomic operations, in bits 12 to 14 of NOC_AT_LEN_BE."""


def translated(network: int, word: int) -> int:
    """The upper half of an address with its coordinates as the network has them."""
    found = word & ~0x0FFFFFF0
    for low in (4, 16):
        x, y = word >> low & 63, word >> low + 6 & 63
        x, y = chip_map.untranslated(network, x, y)
        found |= x << low | y << low + 6
    return found


def packet(network: int, held: Sequence[int], tile: TilePlace) -> Packet:
    """The packet of registers, which a tile sends; raises Refused."""
    control, tag = held[CTRL >> 2], held[TAG >> 2]
    _check_flags(control, tag)
    kind = control & 3
    if kind == READ:
        return _read(network, held, tile)
    if kind == ATOMIC:
        return _atomic(network, held, tile)
    if control >> IN_LINE & 1:
        return _inline(network, held)
    return _write(network, held, tile)


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


def _address(held: Sequence[int], register: int) -> int:
    """The address in a pair of registers."""
    return held[register >> 2] | (held[(register >> 2) + 1] & 15) << 32


def _place(held: Sequence[int], register: int) -> tuple[int, int]:
    """The coordinates in a pair of registers."""
    word = held[(register >> 2) + 1]
    return word >> 4 & 63, word >> 10 & 63


def _target(held: Sequence[int], register: int) -> tuple[int, ...]:
    """The coordinates of a tile, or of a rectangle from its first corner to its last."""
    word = held[(register >> 2) + 1]
    if not held[CTRL >> 2] >> MULTICAST & 1:
        return _place(held, register)
    return word >> 16 & 63, word >> 22 & 63, *_place(held, register)


def _connected(network: int, to: Sequence[int]) -> tuple[int, ...]:
    """Coordinates of tiles with a memory, if it is one; raises Refused."""
    first = chip_map.place_of(network, *to[:2])
    if len(to) == 4:
        chip_map.place_of(network, *to[2:])
    elif (kind := chip_map.kind_of(first)) in (chip_map.EMPTY, chip_map.ARC):
        what = f"{to[0]}, {to[1]} is {chip_map.TITLES[kind]}, with nothing to read or write"
        raise Refused(UNSENDABLE, what)
    return tuple(to)


def _own(network: int, held: Sequence[int], register: int, tile: TilePlace, name: str) -> None:
    """Refuse what comes back to another tile than the one that asks."""
    x, y = _place(held, register)
    if chip_map.place_of(network, x, y) != tile:
        message = f"{name} names {x}, {y}: what comes back goes to another tile than the one that"
        raise Refused("E0601", f"{message} asks, which nasm does not model")


def _labels(held: Sequence[int]) -> dict[str, Any]:
    """What a packet has of a transaction ID, a static virtual channel, and of a broadcast."""
    control, found = held[CTRL >> 2], dict[str, Any]()
    if control >> MULTICAST & 1:
        major = routes.Y if control >> BY_COLUMNS & 1 else routes.X
        found["options"] = ((MAJOR, major), (INCLUDE, bool(control >> INCLUDED & 1)))
    if control >> STATIC & 1:
        found["lane"] = channel = control >> CHANNEL & 7
        if (channel >= 4) != bool(control >> MULTICAST & 1) or channel >= 6:
            message = f"NOC_CTRL has the static channel {channel}"
            hint = "static channels of requests are 0 to 3, and 4 or 5 of multicasts"
            raise Refused(UNSENDABLE, message, hint)
    return found | {"tag": held[TAG >> 2] >> NUMBER & 15}


def _length(held: Sequence[int]) -> int:
    count = held[LENGTH >> 2]
    if not 0 < count <= MOST_BYTES:
        message = f"NOC_AT_LEN_BE is {count:,}: a packet has 1 to {MOST_BYTES:,} bytes"
        if not count:
            raise Refused(UNSENDABLE, message)
        hint = "that the interface divides longer requests is not modelled: send several"
        raise Refused("E0601", message, hint)
    return count


def _read(network: int, held: Sequence[int], tile: TilePlace) -> Packet:
    _own(network, held, RET, tile, "NOC_RET_ADDR_MID")
    return Packet(
        network,
        _length(held),
        _in_l1(held, RET, "NOC_RET_ADDR_LO"),
        _address(held, TARG),
        _connected(network, _place(held, TARG)),
        fetches=True,
        **_labels(held),
    )


def _in_l1(held: Sequence[int], register: int, name: str) -> int:
    """An address of the tile's own L1; raises Refused for that of a device."""
    address = _address(held, register)
    if address >= WORMHOLE.l1_bytes:
        message = f"{name} is {address:#x}, beyond L1"
        raise Refused("E0601", f"{message}: packets to and from devices are not modelled")
    return address


def _write(network: int, held: Sequence[int], tile: TilePlace) -> Packet:
    control = held[CTRL >> 2]
    answered = bool(control >> ANSWERED & 1)
    if answered:
        _own(network, held, TARG, tile, "NOC_TARG_ADDR_MID")
    here, there = _in_l1(held, TARG, "NOC_TARG_ADDR_LO"), _address(held, RET)
    only: tuple[int, ...] = ()
    if control >> BYTE_MASK & 1:
        count, here, there, only = 32, here & -16, there & -16, _bits(held[LENGTH >> 2], 32)
    else:
        count = _length(held)
    to = _connected(network, _target(held, RET))
    return Packet(network, count, here, there, to, reply=answered, only=only, **_labels(held))


def _bits(mask: int, count: int) -> tuple[int, ...]:
    return tuple(n for n in range(count) if mask >> n & 1)


def _inline(network: int, held: Sequence[int]) -> Packet:
    """A write of a number: byte i of 16 gets byte i & 3 of it, where a mask has its bit."""
    address, mask = _address(held, TARG), held[LENGTH >> 2]
    only = _bits((mask | mask >> 16) & 0xFFFF, 16)
    if not only:
        raise Refused(UNSENDABLE, "NOC_AT_LEN_BE has no byte of an inline write")
    first, count = only[0], only[-1] - only[0] + 1
    data = (held[DATA >> 2].to_bytes(4, "little") * 4)[first : first + count]
    return Packet(
        network,
        count,
        there=(address & -16) + first,
        to=_connected(network, _target(held, TARG)),
        reply=bool(held[CTRL >> 2] >> ANSWERED & 1),
        data=data,
        only=() if len(only) == count else tuple(n - first for n in only),
        **_labels(held),
    )


def _atomic(network: int, held: Sequence[int], tile: TilePlace) -> Packet:
    answered = bool(held[CTRL >> 2] >> ANSWERED & 1)
    here = None
    if answered:
        _own(network, held, RET, tile, "NOC_RET_ADDR_MID")
        here = _in_l1(held, RET, "NOC_RET_ADDR_LO")
    there = _in_l1(held, TARG, "NOC_TARG_ADDR_LO")
    for address in (there, here or 0):
        if address & 3:
            raise Refused(UNSENDABLE, f"an atomic operation at {address:#x}, no multiple of 4")
    return Packet(
        network,
        4,
        here,
        there,
        _connected(network, _target(held, TARG)),
        reply=answered,
        atomic=_operation(there >> 2 & 3, held[LENGTH >> 2], held[DATA >> 2]),
        **_labels(held),
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
