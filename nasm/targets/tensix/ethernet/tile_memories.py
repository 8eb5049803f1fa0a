"""The memories of a chip that requests reach: L1 and registers of tiles, DRAM, the host's.

A memory is whatever reads and writes bytes by address, such as the L1 of a tile of a run
(``session.changes.addressed``); what is not given is a memory of its own that begins as zeros.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.isa.core_state import Bytes
from nasm.isa.tile_grid import TilePlace, chip_of
from nasm.targets.tensix.chips import WORMHOLE
from nasm.targets.tensix.ethernet.commands import UNDOCUMENTED, ChipPlace
from nasm.targets.tensix.noc import chip_map

REGISTERS: Final = 0xFFB00000
"""From here on a tile has registers; here they are words that keep what is written."""
ETHERNET_L1: Final = 256 << 10
"""Bytes of an Ethernet tile's L1 (assumed: the firmware's public map ends there)."""
PAGE: Final = 4096


class PagedBytes:
    """A memory of zeros that has room only for pages that were written."""

    def __init__(self, size: int, first: int = 0) -> None:
        self.size, self.first = size, first
        self.pages: dict[int, bytearray] = {}

    def read(self, address: int, count: int) -> NDArray[np.uint8]:
        """A copy of some bytes; raises Refused for any that it does not have."""
        self._check(address, count)
        found = bytearray()
        for page, start, end in _pieces(address, count):
            held = self.pages.get(page)
            found += bytes(end - start) if held is None else held[start:end]
        return np.frombuffer(bytes(found), np.uint8).copy()

    def write(self, address: int, data: NDArray[np.uint8]) -> None:
        """Put bytes at an address; raises Refused for any that it does not have."""
        self._check(address, len(data))
        whole, done = bytes(data), 0
        for page, start, end in _pieces(address, len(data)):
            held = self.pages.setdefault(page, bytearray(PAGE))
            held[start:end] = whole[done : done + end - start]
            done += end - start

    def save(self) -> dict[int, bytes]:
        """The pages that were written."""
        return {page: bytes(held) for page, held in self.pages.items()}

    def restore(self, saved: dict[int, bytes]) -> None:
        """As it was when it was saved."""
        self.pages = {page: bytearray(held) for page, held in saved.items()}

    def _check(self, address: int, count: int) -> None:
        if not (self.first <= address and address + count <= self.first + self.size):
            last = self.first + self.size - 1
            message = f"{count:,} bytes at {address:#x} of a memory from {self.first:#x}"
            raise Refused(UNDOCUMENTED, f"{message} to {last:#x}")


def _pieces(address: int, count: int) -> list[tuple[int, int, int]]:
    """The parts of pages that a range has: the page, and its bytes from where to where."""
    found, end = [], address + count
    while address < end:
        start = address % PAGE
        stop = min(PAGE, start + end - address)
        found.append((address // PAGE, start, stop))
        address += stop - start
    return found


class AddressedRun(Protocol):
    """Of a session: its program, and memories of cores by byte address."""

    @property
    def program(self) -> Any:
        """The program, which has its tiles."""

    @property
    def changes(self) -> Any:
        """What is done by hand, by which bytes are read and written."""


def memories_of(session: AddressedRun) -> dict[TilePlace, Bytes]:
    """The L1 of each tile of a session, by its place; a write is a change by hand of the run."""
    tiles = session.program.tiles or [chip_map.WORMHOLE.first]
    return {
        tile: session.changes.addressed("l1", core)
        for core, tile in enumerate(tiles)
        if chip_of(tile) == 0
    }


class JoinedChip:
    """A Wormhole among others: where it is, and its memories; no row is fused off.

    ``memories`` are L1s by the place of a tile, and DRAMs by name (``dram3``).
    """

    def __init__(self, place: ChipPlace, memories: Mapping[Any, Bytes] | None = None) -> None:
        self.place = place
        self.memories: dict[TilePlace | str, Bytes] = dict(memories or {})
        self.registers: dict[TilePlace, PagedBytes] = {}
        for name in self.memories:
            if not (
                name in chip_map.WORMHOLE.dram_memories or (isinstance(name, tuple) and _l1(name))
            ):
                message = f"{name} is no memory of a chip"
                raise Refused(UNDOCUMENTED, message, "name a Tensix or Ethernet tile, or dram0")

    def has_memory(self, tile: TilePlace) -> bool:
        """Whether a tile has a memory here."""
        return chip_map.WORMHOLE.kind_of(tile) == chip_map.DRAM or _l1(tile) > 0

    def memory(self, tile: TilePlace, address: int) -> Bytes:
        """The memory that has an address of a tile; raises Refused if there is none here."""
        if chip_map.WORMHOLE.kind_of(tile) == chip_map.DRAM:
            name = chip_map.WORMHOLE.dram_memories[chip_map.WORMHOLE.dram_at(tile)]
            return self.memories.setdefault(name, PagedBytes(chip_map.WORMHOLE.dram_bytes))
        size = _l1(tile)
        if not size:
            title = chip_map.TITLES[chip_map.WORMHOLE.kind_of(tile)]
            message = f"{tile[0]}, {tile[1]} is {title}, whose addresses are not modelled"
            raise Refused(UNDOCUMENTED, message, "address a Tensix, Ethernet or DRAM tile")
        if address >= REGISTERS:
            room = (1 << 32) - REGISTERS
            return self.registers.setdefault(tile, PagedBytes(room, REGISTERS))
        return self.memories.setdefault(tile, PagedBytes(size))

    def check(self, tile: TilePlace, address: int, count: int) -> None:
        """Refuse bytes that a tile does not have."""
        self.memory(tile, address)
        dram = chip_map.WORMHOLE.kind_of(tile) == chip_map.DRAM
        size = chip_map.WORMHOLE.dram_bytes if dram else _l1(tile)
        end = 1 << 32 if address >= REGISTERS and not dram else size
        if address + count > end:
            message = f"{count:,} bytes at {address:#x} of tile {tile[0]}, {tile[1]}"
            raise Refused(UNDOCUMENTED, message, f"its memory ends at {end - 1:#x}")

    def save(self) -> Any:
        """What is in memories of its own, and in registers."""
        own = {name: m.save() for name, m in self.memories.items() if isinstance(m, PagedBytes)}
        return own, {tile: memory.save() for tile, memory in self.registers.items()}

    def restore(self, saved: Any) -> None:
        """As it was when it was saved: what was first reached later is as at first."""
        own, registers = saved
        for name, memory in self.memories.items():
            if isinstance(memory, PagedBytes):
                memory.restore(own.get(name, {}))
        for tile, words in self.registers.items():
            words.restore(registers.get(tile, {}))

    def read(self, tile: TilePlace, address: int, count: int) -> bytes:
        """Bytes of a tile; raises Refused for any that it does not have."""
        return self.memory(tile, address).read(address, count).tobytes()

    def write(self, tile: TilePlace, address: int, data: bytes) -> None:
        """Write bytes of a tile; raises Refused for any that it does not have."""
        self.memory(tile, address).write(address, np.frombuffer(data, np.uint8))


def _l1(tile: TilePlace) -> int:
    """The bytes of a tile's L1, 0 if it has none."""
    x, y = tile
    if not (0 <= x < chip_map.WORMHOLE.columns and 0 <= y < chip_map.WORMHOLE.rows):
        return 0
    kinds = {chip_map.TENSIX: WORMHOLE.l1_bytes, chip_map.ETHERNET: ETHERNET_L1}
    return kinds.get(chip_map.WORMHOLE.kind_of(tile), 0)


def ethernet_tile(number: int) -> TilePlace:
    """The place of E0 to E15 on network 0; raises Refused for others.

    Columns alternate between the ends of the row, as the chip's wiring folds the torus: E2 is at
    8, 0 and E10 at 8, 6 (source: the same article, and the order of channels in tt-umd).
    """
    if not 0 <= number < 2 * len(_ETHERNET_COLUMNS):
        raise Refused(UNDOCUMENTED, f"no Ethernet tile E{number}", "there are E0 to E15")
    row, column = divmod(number, len(_ETHERNET_COLUMNS))
    return _ETHERNET_COLUMNS[column], 6 * row


_ETHERNET_COLUMNS: Final = (9, 1, 8, 2, 7, 3, 6, 4)
