"""The network interfaces of a tile, as its cores reach them: registers that start requests.

Source: the public ISA documentation of Wormhole B0, NoC: MemoryMap, Counters and Atomics. Each of
the two interfaces has four request initiators, whose registers become packets like those of lines
of the networks. Assumed is that firmware has enabled the translation of coordinates.
"""

from __future__ import annotations

from typing import Final

from nasm.base.problems import Refused
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.noc import counters, requests
from nasm.targets.tensix.noc.chip_map import MAPS, ChipMap
from nasm.targets.tensix.noc.requests import INITIATORS_OF, Initiator
from nasm.targets.tensix.state import INITIATORS, THREADS
from nasm.targets.tensix.unit_queries import core_text

EARLY: Final = "E0865"
"""The code of a store to an initiator whose request has not left."""

COUNTED: Final = 0x200
"""The first of the counters of an interface, by its distance from its first register."""


def _network(address: int) -> int:
    return address >> 16 & 1


def load(core: Tensix, number: int, address: int) -> int:
    """A register of an interface; raises Refused for one that is not modelled."""
    network, offset, of = _network(address), address & 0xFFFF, INITIATORS_OF[core.chip.name]
    initiator, register = divmod(offset, of.step)
    if initiator < INITIATORS and register in of.names:
        if register == of.start:
            return int(_busy(core, network, initiator))
        return int(core.initiators[network, initiator, register >> 2])
    if initiator < INITIATORS and register == of.node_id:
        return _node(core, network)
    if offset == of.status:
        return sum(_busy(core, network, n) << n for n in range(INITIATORS))
    if offset == of.logical:
        x, y = _map(core).translated(core.around.tile)
        return x | y << 6
    index = (offset - COUNTED) >> 2
    if 0 <= index < len(counters.NAMES):
        return _count(core, number, network, index)
    raise _absent(core, "a load", address)


def store(core: Tensix, number: int, address: int, value: int) -> None:
    """Store to a register of an interface, which may start a request; raises Refused."""
    network, offset, of = _network(address), address & 0xFFFF, INITIATORS_OF[core.chip.name]
    initiator, register = divmod(offset, of.step)
    if offset == of.clear:
        core.around.network.counters.clear(
            network, core.around.tile, value & 0xFFFF, core.around.now
        )
        return
    if initiator >= INITIATORS or register not in of.names:
        raise _absent(core, "a store", address)
    if _busy(core, network, initiator):
        until = int(core.sending[network, initiator])
        message = (
            f"{core_text(number)} writes {of.names[register]} of initiator {initiator} of NoC "
            f"{network}, whose request has no virtual channel before cycle {until:,}"
        )
        raise Refused(EARLY, message, "load NOC_CMD_CTRL until it is 0")
    if register != of.start:
        core.initiators[network, initiator, register >> 2] = (
            value & 0xFFFF if register == of.tag else value
        )
    elif value & 1:
        _start(core, network, initiator)


def _start(core: Tensix, network: int, initiator: int) -> None:
    """Start the request of an initiator, after its coordinates are translated."""
    held, of = core.initiators[network, initiator], INITIATORS_OF[core.chip.name]
    for register in (of.targ_to, of.ret_to):
        request = Initiator(core.chip, network, held.tolist(), core.around.tile)
        held[register >> 2] = request.translated(register)
    sent = core.around.send(
        requests.packet(Initiator(core.chip, network, held.tolist(), core.around.tile))
    )
    core.sending[network, initiator] = sent[0].left


def _map(core: Tensix) -> ChipMap:
    """The tiles of the chip."""
    return MAPS[core.chip.name]


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
    chip = _map(core)
    x, y = chip.of_network(network, core.around.tile)
    wraps = (x == chip.columns - 1) << 26 | (y == chip.rows - 1) << 27
    return x | y << 6 | chip.columns << 12 | chip.rows << 19 | wraps | (not network) << 28


def _absent(core: Tensix, what: str, address: int) -> Refused:
    network, offset, of = _network(address), address & 0xFFFF, INITIATORS_OF[core.chip.name]
    message = f"{what} at {address:#x}, {offset:#x} of the interface of NoC {network}"
    if offset % of.step == of.endpoint_id:
        why = "which index a tile has in NOC_ENDPOINT_ID is not documented"
        return Refused("E0701", f"{message}: {why}")
    if offset % of.step < of.ctrl:
        return Refused(
            "E0701", f"{message}: the map has nothing between the registers of an address"
        )
    return Refused("E0601", f"{message}: nasm does not model that register")
