"""The network interfaces of a tile, as its cores reach them: registers that start requests.

Source: the public ISA documentation of Wormhole B0, NoC: MemoryMap, Counters and Atomics. Each of
the two interfaces has four request initiators, whose registers become packets like those of lines
of the networks. Assumed is that firmware has enabled the translation of coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nasm.base.problems import Refused
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.noc import chip_map, counters, requests
from nasm.targets.tensix.noc.requests import CTRL, RET, START, TAG, TARG
from nasm.targets.tensix.state import INITIATORS, THREADS
from nasm.targets.tensix.unit_queries import core_text

EARLY: Final = "E0865"
"""The code of a store to an initiator whose request has not left."""

NAMES: Final[Mapping[int, str]] = {
    TARG: "NOC_TARG_ADDR_LO", TARG + 4: "NOC_TARG_ADDR_MID", RET: "NOC_RET_ADDR_LO",
    RET + 4: "NOC_RET_ADDR_MID", TAG: "NOC_PACKET_TAG", CTRL: "NOC_CTRL",
    requests.LENGTH: "NOC_AT_LEN_BE", requests.DATA: "NOC_AT_DATA", START: "NOC_CMD_CTRL",
}  # fmt: skip
"""Registers of an initiator, by their distance from its first one."""

NODE_ID, ENDPOINT_ID, CLEAR, STATUS, LOGICAL, COUNTED = 0x2C, 0x30, 0x50, 0x54, 0x138, 0x200
"""Other registers of an interface; the last is the first of its counters."""

STEP: Final = 0x400
"""From the registers of an initiator to those of the next one."""


def _network(address: int) -> int:
    return address >> 16 & 1


def load(core: Tensix, number: int, address: int) -> int:
    """A register of an interface; raises Refused for one that is not modelled."""
    network, offset = _network(address), address & 0xFFFF
    initiator, register = divmod(offset, STEP)
    if initiator < INITIATORS and register in NAMES:
        if register == START:
            return int(_busy(core, network, initiator))
        return int(core.initiators[network, initiator, register >> 2])
    if initiator < INITIATORS and register == NODE_ID:
        return _node(core, network)
    if offset == STATUS:
        return sum(_busy(core, network, n) << n for n in range(INITIATORS))
    if offset == LOGICAL:
        x, y = chip_map.translated(core.around.tile)
        return x | y << 6
    index = (offset - COUNTED) >> 2
    if 0 <= index < len(counters.NAMES):
        return _count(core, number, network, index)
    raise _absent("a load", address)


def store(core: Tensix, number: int, address: int, value: int) -> None:
    """Store to a register of an interface, which may start a request; raises Refused."""
    network, offset = _network(address), address & 0xFFFF
    initiator, register = divmod(offset, STEP)
    if offset == CLEAR:
        core.around.network.counters.clear(
            network, core.around.tile, value & 0xFFFF, core.around.now
        )
        return
    if initiator >= INITIATORS or register not in NAMES:
        raise _absent("a store", address)
    if _busy(core, network, initiator):
        until = int(core.sending[network, initiator])
        message = (
            f"{core_text(number)} writes {NAMES[register]} of initiator {initiator} of NoC "
            f"{network}, whose request has no virtual channel before cycle {until:,}"
        )
        raise Refused(EARLY, message, "load NOC_CMD_CTRL until it is 0")
    if register != START:
        core.initiators[network, initiator, register >> 2] = (
            value & 0xFFFF if register == TAG else value
        )
    elif value & 1:
        _start(core, network, initiator)


def _start(core: Tensix, network: int, initiator: int) -> None:
    """Start the request of an initiator, after its coordinates are translated."""
    held = core.initiators[network, initiator]
    for register in (TARG + 4, RET + 4):
        held[register >> 2] = requests.translated(network, int(held[register >> 2]))
    sent = core.around.send(requests.packet(network, held.tolist(), core.around.tile))
    core.sending[network, initiator] = sent[0].left


def _busy(core: Tensix, network: int, initiator: int) -> bool:
    """Whether the request of an initiator still waits for a virtual channel."""
    return bool(core.sending[network, initiator] > core.around.now)


def _count(core: Tensix, number: int, network: int, index: int) -> int:
    around = core.around
    around.heard(THREADS + number, counters.part(network, index))
    found: int = around.network.counters.value(network, around.tile, index, around.now)
    return found


def _node(core: Tensix, network: int) -> int:
    """Coordinates of the tile, sizes of the network, and how it routes."""
    x, y = chip_map.of_network(network, core.around.tile)
    wraps = (x == chip_map.COLUMNS - 1) << 26 | (y == chip_map.ROWS - 1) << 27
    return x | y << 6 | chip_map.COLUMNS << 12 | chip_map.ROWS << 19 | wraps | (not network) << 28


_UNKNOWN: Final[Mapping[int, str]] = {
    ENDPOINT_ID: "which index a tile has in NOC_ENDPOINT_ID is not documented",
    0x08: "the map has nothing between the registers of an address",
    0x14: "the map has nothing between the registers of an address",
}


def _absent(what: str, address: int) -> Refused:
    network, offset = _network(address), address & 0xFFFF
    message = f"{what} at {address:#x}, {offset:#x} of the interface of NoC {network}"
    known = _UNKNOWN.get(offset % STEP)
    if known:
        return Refused("E0701", f"{message}: {known}")
    return Refused("E0601", f"{message}: nasm does not model that register")
