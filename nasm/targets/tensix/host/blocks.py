"""What loads and stores of a thread's RISC-V core do in each region of its addresses.

Sources: the pages of the blocks in the public ISA documentation of Wormhole B0. A store acts when
it is issued; that is assumed, as the pages say only in which order stores of one region act.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.targets.tensix import memory_map as at
from nasm.targets.tensix.address_names import address_text
from nasm.targets.tensix.core import stores
from nasm.targets.tensix.core.pushed import front_of, templates
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.memory_map import Block
from nasm.targets.tensix.risc_state import B
from nasm.targets.tensix.scalar import devices
from nasm.targets.tensix.scalar.config import write_bank
from nasm.targets.tensix.state import THREADS
from nasm.targets.tensix.sync.semaphores import MOST
from nasm.targets.tensix.unit_queries import core_text, semaphore_parts, thread_name

BOXES: Final = 4
"""Values that the mailboxes that one core writes hold together."""

Load = Callable[[Tensix, int, int], int]
Store = Callable[[Tensix, int, int, int], None]
Waits = Callable[[Tensix, int, int], Blocked | None]


def _at_once(core: Tensix, thread: int, address: int) -> Blocked | None:
    return None


class BlockAccess(NamedTuple):
    """What a block does for the core of a thread at an address; None for what it does not do."""

    load: Load | None = None
    store: Store | None = None
    waits_to_load: Waits = _at_once
    waits_to_store: Waits = _at_once


def load(core: Tensix, thread: int, address: int) -> int:
    """Load a word; raises Refused where nothing is modelled."""
    core.settle()
    region = core.chip.addresses.region_at(address)
    access = ACCESSES.get(region.block, BlockAccess())
    if access.load is None:
        raise _refused("a load", address, region)
    return access.load(core, thread, address)


def store(core: Tensix, thread: int, address: int, value: int) -> None:
    """Store a word; raises Refused where nothing is modelled."""
    core.settle()
    region = core.chip.addresses.region_at(address)
    access = ACCESSES.get(region.block, BlockAccess())
    if access.store is None:
        raise _refused("a store", address, region)
    access.store(core, thread, address, value)


def waits_to_load(core: Tensix, thread: int, address: int) -> Blocked | None:
    """What keeps a load from coming back."""
    return ACCESSES.get(core.chip.addresses.region_at(address).block, BlockAccess()).waits_to_load(
        core, thread, address
    )


def waits_to_store(core: Tensix, thread: int, address: int) -> Blocked | None:
    """What keeps a store from being issued."""
    return ACCESSES.get(core.chip.addresses.region_at(address).block, BlockAccess()).waits_to_store(
        core, thread, address
    )


def _refused(what: str, address: int, region: at.MappedRegion) -> Refused:
    message = f"{what} at {address_text(address)} reaches {region.block.value}"
    if region.block in _UNDEFINED:
        return Refused("E0701", f"{message}: {_UNDEFINED[region.block]}")
    return Refused("E0601", f"{message}, which nasm does not model")


_UNDEFINED: Final = {
    Block.EXPANDER: "what a load of these gives is undefined",
    Block.INSTRUCTIONS: "instructions are lines of the thread",
}


# -- memories and registers


def _load_l1(core: Tensix, thread: int, address: int) -> int:
    return int(core.l1.read(address, 4).view(np.uint32)[0])


def _store_l1(core: Tensix, thread: int, address: int, value: int) -> None:
    core.l1.write(address, np.array([value], np.uint32).view(np.uint8))


def _load_local(core: Tensix, thread: int, address: int) -> int:
    return int(core.riscs[thread].local[(address - at.LOCAL) >> 2])


def _store_local(core: Tensix, thread: int, address: int, value: int) -> None:
    core.riscs[thread].local[(address - at.LOCAL) >> 2] = value


def _register(address: int) -> int:
    number = (address - at.REGFILE) >> 2
    if number < 64:
        return number
    raise Refused("E0701", f"{address:#x} is beyond the 64 general registers of the thread")


def _load_register(core: Tensix, thread: int, address: int) -> int:
    stores.read_back(core, thread, stores.register(_register(address)))
    return int(core.threads[thread].registers[_register(address)])


def _store_register(core: Tensix, thread: int, address: int, value: int) -> None:
    stores.stored(core, thread, stores.register(_register(address)))
    core.threads[thread].registers[_register(address)] = value


# -- the configuration


def config_word(core: Tensix, address: int) -> tuple[int, int]:
    """The bank and the word of an address; bank 2 and more are the threads' own words.

    Bank -1 is where a store reaches both banks, on generations that have it.
    """
    layout, index = core.layout, (address - at.CONFIGURATION) >> 2
    if index < 2 * layout.words:
        return divmod(index, layout.words)
    index -= 2 * layout.words
    if layout.both_banks:
        if index < layout.words:
            return BOTH, index
        index -= layout.words
    thread, word = divmod(index, layout.thread_step * layout.thread_words)
    if thread < THREADS and not word % layout.thread_step:
        return 2 + thread, word // layout.thread_step
    raise Refused("E0701", f"the configuration has no word at {address:#x}")


BOTH: Final = -1
"""Both banks, where a store reaches them together."""


def load_bank(core: Tensix, bank: int, word: int) -> int:
    """A word of a bank, or of a thread."""
    if bank == BOTH:
        message = "a load from ConfigDualWrite is not supported, by its page"
        raise Refused("E0701", message, "load the word of a bank")
    return int(core.threads[bank - 2].config[word] if bank >= 2 else core.config[bank, word])


def store_bank(core: Tensix, bank: int, word: int, value: int) -> None:
    """Write a word of a bank or of both; raises Refused for one of a thread."""
    if bank >= 2:
        message = f"cores cannot write the configuration of {thread_name(bank - 2)}"
        raise Refused("E0701", message, "an instruction of the thread can: .write without host=1")
    for each in (0, 1) if bank == BOTH else (bank,):
        write_bank(core, each, word, value)


def _load_config(core: Tensix, thread: int, address: int) -> int:
    bank, word = config_word(core, address)
    if bank < 2:
        stores.read_back(core, thread, stores.config_word(word))
    return load_bank(core, bank, word)


def _store_config(core: Tensix, thread: int, address: int, value: int) -> None:
    bank, word = config_word(core, address)
    if bank < 2:
        stores.stored(core, thread, stores.config_word(word))
    store_bank(core, bank, word, value)


# -- the expanders, and waits for the coprocessor


def _store_expander(core: Tensix, thread: int, address: int, value: int) -> None:
    stores.of_expander(core, thread, (address - at.EXPANDER) >> 2)
    core.threads[thread].mop[(address - at.EXPANDER) >> 2] = value


def _discard(core: Tensix, thread: int, address: int, value: int) -> None:
    """What is stored only orders this store and the load after it."""


def _waits_for_sync(core: Tensix, thread: int, address: int) -> Blocked | None:
    if address == at.EXPANDER_DONE:
        return _waits_for_expander(core, thread)
    return waits_for_thread(core, thread)


def _waits_for_expander(core: Tensix, thread: int) -> Blocked | None:
    left = templates(core, thread)
    if not left:
        return None
    reason = f"the MOP expander of {thread_name(thread)} has still to expand line {left[0]}"
    until = front_of(core, thread).next_step(core.around.now)
    return Blocked("ttsync", reason, until, by=(thread,))


def waits_for_thread(core: Tensix, thread: int) -> Blocked | None:
    """What keeps a thread that is pushed from having done everything."""
    core.settle()
    front, now = front_of(core, thread), core.around.now
    name = thread_name(thread)
    if not front.empty:
        reason = f"instructions of {name} have still to pass its wait gate"
        return Blocked("ttsync", reason, front.next_step(now), by=(thread,))
    if front.latest == now or core.in_flight(thread):
        reason = f"instructions of {name} are in flight"
        until = now + 1 if front.latest == now else core.next_change()
        return Blocked("ttsync", reason, until, by=(thread,))
    return None


def _load_sync(core: Tensix, thread: int, address: int) -> int:
    if address not in (at.COPROCESSOR_DONE, at.EXPANDER_DONE):
        raise Refused("E0701", f"TTSync has nothing at {address:#x}")
    if address == at.COPROCESSOR_DONE:
        stores.all_done(core, thread)
    return 0


# -- semaphores


def _semaphore(address: int) -> int:
    number = (address - at.SEMAPHORES) >> 2
    if number < 8:
        return number
    raise Refused("E0701", f"{address:#x} is beyond the eight semaphores")


def _load_semaphore(core: Tensix, thread: int, address: int) -> int:
    return int(core.semaphores[_semaphore(address), 0])


def _store_semaphore(core: Tensix, thread: int, address: int, value: int) -> None:
    """Post, or with bit 0 of what is stored take one back; threads see it from the next cycle."""
    number, record = _semaphore(address), core.around.record

    def acts() -> None:
        held = int(core.semaphores[number, 0])
        core.semaphores[number, 0] = max(held - 1, 0) if value & 1 else min(held + 1, MOST)
        core.around.changed(*semaphore_parts(1 << number), record=record)

    if not value & 1:
        posted = core.recent.posted
        core.recent.posted = (*posted[:number], thread, *posted[number + 1 :])
    core.at(core.around.now + 1, acts)


# -- mailboxes


def _box(core: Tensix, address: int) -> int:
    """The other core of a mailbox, by its number; raises Refused for RISC-V B without code."""
    number = (address - at.MAILBOXES) // at.BOX_BYTES - 1
    if number >= 0:
        return number
    if core.codes[B] is None:
        message = "the other end of this mailbox is that of RISC-V B, for which there is no code"
        raise Refused("E0601", message)
    return B


def _held(core: Tensix, sender: int) -> int:
    """Values in the mailboxes that a core writes."""
    return sum(len(risc.boxes[sender]) for risc in core.riscs)


def _waits_to_send(core: Tensix, number: int, address: int) -> Blocked | None:
    if _held(core, number) < BOXES:
        return None
    reason = f"the mailboxes that {core_text(number)} writes hold {BOXES} values"
    return Blocked("mailbox", reason, on=(f"boxes of {number}",))


def _send(core: Tensix, number: int, address: int, value: int) -> None:
    to = core.riscs[_box(core, address)]
    boxes = to.boxes
    to.boxes = (*boxes[:number], (*boxes[number], value), *boxes[number + 1 :])
    core.around.changed(f"box {number} {_box(core, address)}")


def _waits_to_receive(core: Tensix, number: int, address: int) -> Blocked | None:
    sender = _box(core, address)
    if address & 4 or core.riscs[number].boxes[sender]:
        return None
    reason = f"the mailbox from {core_text(sender)} is empty"
    return Blocked("mailbox", reason, by=(THREADS + sender,), on=(f"box {sender} {number}",))


def _receive(core: Tensix, number: int, address: int) -> int:
    sender, own = _box(core, address), core.riscs[number]
    if address & 4:
        return int(bool(own.boxes[sender]))
    first, *rest = own.boxes[sender]
    own.boxes = (*own.boxes[:sender], tuple(rest), *own.boxes[sender + 1 :])
    core.around.changed(f"boxes of {sender}")
    return first


ACCESSES: Final[Mapping[Block, BlockAccess]] = {
    Block.L1: BlockAccess(_load_l1, _store_l1),
    Block.LOCAL: BlockAccess(_load_local, _store_local),
    Block.TDMA: BlockAccess(
        lambda core, thread, address: devices.load(core, address),
        lambda core, thread, address, value: devices.store(core, address, value),
    ),
    Block.TILE: BlockAccess(
        lambda core, thread, address: devices.load(core, address),
        lambda core, thread, address, value: devices.store(core, address, value),
    ),
    Block.OVERLAY: BlockAccess(
        lambda core, thread, address: devices.load(core, address),
        lambda core, thread, address, value: devices.store(core, address, value),
    ),
    Block.EXPANDER: BlockAccess(None, _store_expander),
    Block.REGISTERS: BlockAccess(_load_register, _store_register),
    Block.SYNC: BlockAccess(_load_sync, _discard, _waits_for_sync),
    Block.SEMAPHORES: BlockAccess(_load_semaphore, _store_semaphore),
    Block.MAILBOXES: BlockAccess(_receive, _send, _waits_to_receive, _waits_to_send),
    Block.CONFIGURATION: BlockAccess(_load_config, _store_config),
}
"""What of the memory map is modelled."""
