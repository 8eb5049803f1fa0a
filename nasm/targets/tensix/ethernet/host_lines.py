"""What lines of ``@host`` drive: the queues of the base firmware of E8, of an n300 with two chips.

A line is done when its answer is there; so what a write changes is there from then on. When that is
follows from the same firmware without values: how long a transfer takes does not depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.isa.core_state import Bytes
from nasm.isa.outside import TensorBytes
from nasm.isa.tile_grid import TilePlace, chip_of
from nasm.program.program import Program
from nasm.targets.tensix.ethernet.commands import (
    UNDOCUMENTED,
    BroadcastHeader,
    ChipPlace,
    RoutingCommand,
)
from nasm.targets.tensix.ethernet.firmware import EthernetNetwork
from nasm.targets.tensix.ethernet.host import N300_LINKS, EthernetHost
from nasm.targets.tensix.ethernet.tile_memories import JoinedChip, PagedBytes
from nasm.targets.tensix.noc import chip_map
from nasm.views.view import View


class TensorsOver(PagedBytes):
    """A memory some of whose bytes are those of tensors of the program."""

    def __init__(self, size: int, tensors: Sequence[TensorBytes]) -> None:
        super().__init__(size)
        self.tensors = tensors

    def read(self, address: int, count: int) -> NDArray[np.uint8]:
        """A copy of some bytes; raises Refused for any that it does not have."""
        found = super().read(address, count)
        for tensor, low, high in self._within(address, count):
            found[low - address : high - address] = tensor.read(low, high - low)
        return found

    def write(self, address: int, data: NDArray[np.uint8]) -> None:
        """Put bytes at an address; raises Refused for any that it does not have."""
        super().write(address, data)
        for tensor, low, high in self._within(address, len(data)):
            tensor.write(low, data[low - address : high - address])

    def _within(self, address: int, count: int) -> Iterable[tuple[TensorBytes, int, int]]:
        for tensor in self.tensors:
            low = max(address, tensor.first)
            high = min(address + count, tensor.first + tensor.size)
            if low < high:
                yield tensor, low, high


class RemoteBytes(NamedTuple):
    """Bytes of a tile of a chip, as requests name them: by coordinates of one of its networks."""

    chip: int
    tile: tuple[int, int]
    address: int


class HostTransfer(NamedTuple):
    """A transfer of any length: one of :class:`EthernetHost`, with its flags."""

    verb: str
    where: RemoteBytes
    size: int
    flags: int
    header: BroadcastHeader = BroadcastHeader()

    def do(self, host: EthernetHost, data: bytes) -> bytes:
        """Have a host do it; what was read, or nothing. Raises Refused for what has no meaning."""
        (chip, tile, address), flags = self.where, self.flags
        if self.verb == "read":
            count = self.size
            return host.read(chip, 0, tile=tile, address=address, count=count, flags=flags)
        if self.verb == "write":
            host.write(chip, 0, tile=tile, address=address, data=data, flags=flags)
        else:
            host.broadcast(address, data, self.header, flags)
        return b""


@lru_cache(maxsize=1024)
def duration(transfer: HostTransfer) -> int:
    """Cycles of a transfer when nothing else is in flight: those of one of zeros."""
    host = EthernetHost(EthernetNetwork(map(JoinedChip, PLACES), N300_LINKS))
    transfer.do(host, bytes(transfer.size))
    return host.network.now


PLACES = tuple(map(ChipPlace, range(chip_map.WORMHOLE.chips)))


class HostLines:
    """The host of a program: its tiles by place, and the tensors of memories that they share.

    ``ready`` are the ticks at which the responses are there that were not taken yet.
    """

    def __init__(
        self,
        program: Program,
        tiles: Mapping[TilePlace, Bytes],
        tensors: Iterable[tuple[str, TensorBytes]],
    ) -> None:
        self.program = program
        shared: dict[str, list[TensorBytes]] = {}
        for name, tensor in tensors:
            shared.setdefault(name, []).append(tensor)
        memories: list[dict[Any, Bytes]] = [{} for _ in PLACES]
        for tile, memory in tiles.items():
            memories[chip_of(tile)][tile[:2]] = memory
        for name in chip_map.WORMHOLE.dram_memories:
            if name in shared:
                memories[0][name] = TensorsOver(chip_map.WORMHOLE.dram_bytes, shared[name])
        chips = [JoinedChip(*one) for one in zip(PLACES, memories, strict=True)]
        self.host = EthernetHost(EthernetNetwork(chips, N300_LINKS))
        self.network = self.host.network
        self.network.host = TensorsOver(1 << 32, shared.get(chip_map.HOST_MEMORY, ()))
        self.ready: tuple[int, ...] = ()

    def where(self, there: View | int, chip: int, x: int, y: int, network: int) -> RemoteBytes:
        """Bytes by a tensor of a tile or of DRAM, or by an address and coordinates."""
        if not isinstance(there, View):
            return RemoteBytes(chip, (x, y), there)
        tensor = there.tensor
        address = there.offset + (tensor.offset or 0)
        if tensor.memory.shared:
            homes = chip_map.WORMHOLE.homes(tensor.memory.name)
            return RemoteBytes(0, _named(network, homes[0]), address)
        tile = self.program.places[tensor.core]
        return RemoteBytes(chip_of(tile), _named(network, tile), address)

    # -- transfers

    def over(self, transfer: HostTransfer, now: int) -> int:
        """When a transfer is over that begins now; raises Refused if others are in flight."""
        if self.ready:
            message = "responses of earlier requests were not taken"
            raise Refused(UNDOCUMENTED, message, "take each of them before")
        return now + duration(transfer)

    def transfer(self, transfer: HostTransfer, data: bytes) -> bytes:
        """Do a transfer; what was read, or nothing."""
        return transfer.do(self.host, data)

    # -- single requests

    def submit(self, now: int, command: RoutingCommand, block: bytes) -> None:
        """Push a request, and have all done that can be."""
        self.network.now = now
        self.host.submit(command, block)
        self._settle()

    def answered(self, now: int) -> int:
        """When the oldest response is there; raises Refused if none will be."""
        if not self.ready:
            raise Refused(UNDOCUMENTED, "no response is to come", "submit a request first")
        return max(now, self.ready[0])

    def response(self, now: int) -> tuple[RoutingCommand, bytes]:
        """Pop the oldest response, with the bytes of its block."""
        self.network.now = now
        found = self.host.complete()
        self.ready = self.ready[1:]
        self._settle()
        return found

    def _settle(self) -> None:
        responses = self.host.queues.completions
        self.network.run()
        if responses.occupancy > len(self.ready):
            self.ready = (*self.ready, self.network.now)

    # -- checkpoints

    def save(self) -> Any:
        """Everything of the firmware and of memories that are not the program's."""
        return self.ready, self.network.save()

    def restore(self, saved: Any) -> None:
        """As it was when it was saved."""
        self.ready, network = saved
        self.network.restore(network)


def _named(network: int, place: TilePlace) -> tuple[int, int]:
    x, y, *_ = chip_map.WORMHOLE.of_network(network, place[:2])
    return x, y
