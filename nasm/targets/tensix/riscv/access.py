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
from nasm.targets.tensix.core import stores
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.host import blocks
from nasm.targets.tensix.memory_map import Block, MappedRegion, address_text, region_at
from nasm.targets.tensix.noc import interface
from nasm.targets.tensix.risc_state import NC, B
from nasm.targets.tensix.riscv import pushing, queues
from nasm.targets.tensix.scalar.config import write_bank
from nasm.targets.tensix.state import THREADS
from nasm.targets.tensix.unit_queries import core_text

_L1: Final = region_at(0)
_LARGE_LOCAL: Final = MappedRegion(Block.LOCAL, at.LOCAL, at.LOCAL + 0xFFF, 2, least=False)
_QUEUES: Final = MappedRegion(Block.CORE_B, at.CORE_B, at.CORE_B + 3 * at.QUEUE_BYTES - 1, 3)
_COPROCESSOR: Final = frozenset({
    Block.EXPANDER, Block.REGISTERS, Block.INSTRUCTIONS, Block.CORE_B, Block.SYNC,
    Block.SEMAPHORES, Block.MAILBOXES, Block.CONFIGURATION,
})  # fmt: skip
_BY_BYTES: Final = frozenset({Block.L1, Block.LOCAL})
"""What takes stores of less than a word. Of the configuration only loads are."""


def region_of(number: int, address: int) -> MappedRegion:
    """The region of an address of a core; raises Refused where it has nothing."""
    if 0 <= address <= _L1.last:
        return _L1
    if number in (B, NC) and _LARGE_LOCAL.first <= address <= _LARGE_LOCAL.last:
        return _LARGE_LOCAL
    if number == B and _QUEUES.first <= address <= _QUEUES.last:
        return _QUEUES
    try:
        region = region_at(address)
    except Refused:
        raise _unmapped(number, address) from None
    absent = number == NC and region.block in _COPROCESSOR
    absent = absent or (number == B and region.block is Block.EXPANDER)
    if absent or (number != B and region.block is Block.INSTRUCTIONS and _beyond(address)):
        raise _unmapped(number, address)
    return region


def _beyond(address: int) -> bool:
    """Whether an address is one at which only B pushes."""
    return address >= at.INSTRUCTIONS + at.QUEUE_BYTES


def _unmapped(number: int, address: int) -> Refused:
    message = f"{address_text(address)} is not mapped for {core_text(number)}"
    return Refused("E0701", message, "a load there may never return, by the documentation")


# -- waits


def waits_to_load(core: Tensix, number: int, address: int) -> Blocked | None:
    """What keeps a load from coming back; raises Refused where nothing is modelled."""
    core.settle()
    block = region_of(number, address).block
    if block is Block.CORE_B:
        return queues.waits_to_load(core, number, address)
    return blocks.waits_to_load(core, number, address) if block in _OF_BLOCKS else None


def waits_to_store(core: Tensix, number: int, address: int) -> Blocked | None:
    """What keeps a store from being emitted."""
    core.settle()
    block = region_of(number, address).block
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
    region = region_of(number, address)
    if region.block is Block.L1:
        return int.from_bytes(core.l1.read(address, size).tobytes(), "little")
    if region.block is Block.LOCAL:
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
    region = region_of(number, address)
    if region.block is Block.L1:
        data = np.frombuffer(value.to_bytes(size, "little"), np.uint8)
        core.l1.write(address, data)
        return
    if region.block is Block.LOCAL:
        word, shift = _local(core, number, address), 8 * (address & 3)
        mask = ((1 << 8 * size) - 1) << shift
        local = core.riscs[number].local
        local[_index(number, address)] = word & ~mask | value << shift
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


def _index(number: int, address: int) -> int:
    return (address & (0xFFF if number in (B, NC) else 0x7FF)) >> 2


def _local(core: Tensix, number: int, address: int) -> int:
    return int(core.riscs[number].local[_index(number, address)])


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
    bank, word = blocks.config_word(address)
    if number != B or bank >= 2:
        blocks.store(core, min(number, THREADS - 1), address, value)
        return
    for thread, lines in enumerate(core.lines):
        if lines is not None:
            stores.stored(core, thread, stores.config_word(word))
    write_bank(core, bank, word, value)


def _load_config(core: Tensix, number: int, address: int) -> int:
    if number != B:
        return blocks.load(core, number, address)
    bank, word = blocks.config_word(address)
    if bank >= 2:
        return int(core.threads[bank - 2].config[word])
    for thread, lines in enumerate(core.lines):
        if lines is not None:
            stores.read_back(core, thread, stores.config_word(word))
    return int(core.config[bank, word])


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
