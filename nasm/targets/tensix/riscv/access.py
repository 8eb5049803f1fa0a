"""What loads and stores of each core reach: the memory map by core, and by the size of an access.

Source: the memory map of BabyRISCV in the public ISA documentation of Wormhole B0, and the pages of
what it leads to. Blocks that threads' cores have are those of ``host/blocks.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.targets.tensix import memory_map as at
from nasm.targets.tensix.address_names import address_text
from nasm.targets.tensix.core import stores
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.host import blocks
from nasm.targets.tensix.memory_map import Block, MappedRegion
from nasm.targets.tensix.noc import interface
from nasm.targets.tensix.risc_state import NC, B
from nasm.targets.tensix.riscv import pushing, queues
from nasm.targets.tensix.state import THREADS
from nasm.targets.tensix.unit_queries import core_text

_LOCAL: Final = frozenset({Block.LOCAL, Block.SLOW_LOCAL})
_BY_BYTES: Final = frozenset({Block.L1, Block.LOCAL, Block.SLOW_LOCAL})
"""What takes stores of less than a word. Of the configuration only loads are."""


def region_of(core: Tensix, number: int, address: int) -> MappedRegion:
    """The region of an address of a core; raises Refused where it has nothing."""
    found = core.chip.addresses.region_of(number, address)
    if found is None:
        raise _unmapped(number, address)
    return found


def _unmapped(number: int, address: int) -> Refused:
    message = f"{address_text(address)} is not mapped for {core_text(number)}"
    return Refused("E0701", message, "a load there may never return, by the documentation")


# -- waits


def waits_to_load(core: Tensix, number: int, address: int) -> Blocked | None:
    """What keeps a load from coming back; raises Refused where nothing is modelled."""
    core.settle()
    block = region_of(core, number, address).block
    if block is Block.CORE_B:
        return queues.waits_to_load(core, number, address)
    return blocks.waits_to_load(core, number, address) if block in _OF_BLOCKS else None


def waits_to_store(core: Tensix, number: int, address: int) -> Blocked | None:
    """What keeps a store from being emitted."""
    core.settle()
    block = region_of(core, number, address).block
    if block is Block.CORE_B:
        return queues.waits_to_store(core, number, address)
    if block is Block.INSTRUCTIONS:
        return pushing.room(core, number, pushing.thread_at(number, address))
    return blocks.waits_to_store(core, number, address) if block in _OF_BLOCKS else None


_OF_BLOCKS: Final = frozenset({Block.SYNC, Block.MAILBOXES})
"""Where loads and stores may wait, as those of threads' lines do."""


# -- loads and stores


def load(core: Tensix, number: int, address: int, size: int) -> int:
    """Load some bytes at a multiple of their count; raises Refused where nothing is modelled."""
    core.settle()
    region = region_of(core, number, address)
    if region.block is Block.L1:
        return int.from_bytes(core.l1.read(address, size).tobytes(), "little")
    if region.block in _LOCAL:
        number, address = _own(core, number, address)
        return _part(_local(core, number, address), address, size)
    if size < 4 and region.block is not Block.CONFIGURATION:
        raise _narrow("a load", region, address, size)
    own = _LOADS.get(region.block)
    word = address & -4
    found = blocks.load(core, number, word) if own is None else own(core, number, word)
    return _part(found, address, size)


def store(core: Tensix, number: int, address: int, size: int, value: int) -> None:
    """Store some bytes at a multiple of their count; raises Refused where nothing is modelled."""
    core.settle()
    region = region_of(core, number, address)
    if region.block is Block.L1:
        data = np.frombuffer(value.to_bytes(size, "little"), np.uint8)
        core.l1.write(address, data)
        return
    if region.block in _LOCAL:
        number, address = _own(core, number, address)
        word, shift = _local(core, number, address), 8 * (address & 3)
        mask = ((1 << 8 * size) - 1) << shift
        local = core.riscs[number].local
        local[(address - at.LOCAL) >> 2] = word & ~mask | value << shift
        return
    if size < 4 and region.block not in _BY_BYTES:
        raise _narrow("a store", region, address, size)
    own = _STORES.get(region.block)
    if own is None:
        blocks.store(core, number, address, value)
    else:
        own(core, number, address, value)


def _part(word: int, address: int, size: int) -> int:
    return word >> 8 * (address & 3) & ((1 << 8 * size) - 1)


_SLOW: Final = tuple((at.SLOW_LOCAL + 0x2000 * n, of) for n, of in enumerate((B, NC, 0, 1, 2)))
"""From which address on each core's local memory is for all cores; those of threads twice."""


def _own(core: Tensix, number: int, address: int) -> tuple[int, int]:
    """The core whose local memory is at an address, and the address where that core has it."""
    if address < at.SLOW_LOCAL:
        return number, address
    first, owner = max(one for one in _SLOW if one[0] <= address)
    size = core.chip.addresses.local_bytes(owner)
    return owner, at.LOCAL + (address - first) % size


def _local(core: Tensix, number: int, address: int) -> int:
    return int(core.riscs[number].local[(address - at.LOCAL) >> 2])


def _narrow(what: str, region: MappedRegion, address: int, size: int) -> Refused:
    count = "a byte" if size == 1 else f"{size} bytes"
    message = f"{what} of {count} at {address_text(address & -4)} reaches {region.block.value}"
    return Refused("E0701", message, "only loads and stores of words are documented there")


# -- the coprocessor, as B reaches it


def _of_thread(address: int) -> tuple[int, int]:
    """The thread whose registers are at an address of B, and their address for its own core."""
    thread, inside = divmod(address - at.REGFILE, 256)
    if thread >= THREADS:
        raise Refused("E0701", f"{address:#x} is beyond the registers of the three threads")
    return thread, at.REGFILE + inside


def _load_register(core: Tensix, number: int, address: int) -> int:
    thread, there = _of_thread(address) if number == B else (number, address)
    if core.lines[thread] is None:
        return int(core.threads[thread].registers[(there - at.REGFILE) >> 2])
    return blocks.load(core, thread, there)


def _store_register(core: Tensix, number: int, address: int, value: int) -> None:
    thread, there = _of_thread(address) if number == B else (number, address)
    if core.lines[thread] is None:
        core.threads[thread].registers[(there - at.REGFILE) >> 2] = value
    else:
        blocks.store(core, thread, there, value)


def _store_config(core: Tensix, number: int, address: int, value: int) -> None:
    """What B stores may be read, or overtaken, by instructions of every thread that is pushed."""
    if number != B:
        blocks.store(core, number, address, value)
        return
    bank, word = blocks.config_word(core, address)
    for thread, lines in enumerate(core.lines):
        if lines is not None and bank < 2:
            stores.stored(core, thread, stores.config_word(word))
    blocks.store_bank(core, bank, word, value)


def _load_config(core: Tensix, number: int, address: int) -> int:
    if number != B:
        return blocks.load(core, number, address)
    bank, word = blocks.config_word(core, address)
    for thread, lines in enumerate(core.lines):
        if lines is not None and bank < 2:
            stores.read_back(core, thread, stores.config_word(word))
    return blocks.load_bank(core, bank, word)


_LOADS: Final[Mapping[Block, Callable[[Tensix, int, int], int]]] = {
    Block.NOC0: interface.load,
    Block.NOC1: interface.load,
    Block.CORE_B: queues.load,
    Block.REGISTERS: _load_register,
    Block.CONFIGURATION: _load_config,
}
_STORES: Final[Mapping[Block, Callable[[Tensix, int, int, int], None]]] = {
    Block.NOC0: interface.store,
    Block.NOC1: interface.store,
    Block.CORE_B: queues.store,
    Block.REGISTERS: _store_register,
    Block.CONFIGURATION: _store_config,
    Block.INSTRUCTIONS: pushing.store,
}
