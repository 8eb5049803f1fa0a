"""What instructions of a core do that reach more than registers: loads, stores, pushes, atomics.

Sources: BabyRISCV and MemoryOrdering of the public ISA documentation of both generations. Assumed
is that a store to L1 is emitted as soon as it may be, and not put off to see whether another one
coalesces with it.
"""

from __future__ import annotations

from typing import Final

from nasm.base.problems import Refused
from nasm.targets.tensix.address_names import address_text
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.memory_map import ATOMIC_CYCLES, INSTRUCTIONS, LOCAL, Block
from nasm.targets.tensix.risc_state import (
    STATUS_CONFIG,
    LateAccess,
    QueuedStore,
    RiscCore,
    RiscPipeline,
)
from nasm.targets.tensix.riscv import access, debugging, late, pushing, status
from nasm.targets.tensix.riscv.decode import DecodedWord
from nasm.targets.tensix.riscv.formats import RS1, WORD
from nasm.targets.tensix.riscv.interpreter import filled
from nasm.targets.tensix.riscv.late import KNOWN, LOCAL_CYCLES, NEVER, STORE_CYCLES, STORES

MISALIGNED, OVERTAKES, DURING_SYNC = "E0565", "E0866", "E0867"
"""Codes: an address that is rounded down, a load that overtakes a store to its bytes, and one that
comes while a load of TTSync is outstanding."""

_AFTER_SYNC: Final = frozenset({Block.SYNC, Block.CORE_B, Block.SEMAPHORES, Block.MAILBOXES})
"""Where no load may begin while one of TTSync is outstanding, by a bug of the hardware."""


def address_of(risc: RiscCore, found: DecodedWord) -> int:
    """The address of a load or store, rounded down to a multiple of its size."""
    address = int(risc.registers[found.rs1]) + found.immediate & WORD
    return address & -found.operation.size


def exchange(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> int:
    """Load a word of L1 and store another one there; the cycles that it takes. Raises Refused."""
    address, compute = _aligned(core, risc, found), found.operation.compute
    assert compute is not None
    if access.region_of(core, number, address).block is not Block.L1:
        message = f"{found.operation.name} at {address_text(address)}, which is not in L1"
        raise Refused("E0701", message, "atomic operations of a core reach L1 alone")
    value = late.loaded(core, number, address, 4)
    given = int(risc.registers[found.rs2])
    late.stored(core, number, address, 4, compute(value, given))
    if found.rd:
        risc.registers[found.rd] = value
    pipeline, now = risc.pipeline, core.around.now
    flying = (tick for tick in pipeline.loads if tick - 1 > now)
    pipeline.loads = (*flying, now + ATOMIC_CYCLES)
    return ATOMIC_CYCLES


def read_and_write(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> None:
    """Read a status register, and write it, unless what sets or clears bits has none of them."""
    operation, which = found.operation, found.immediate & 0xFFF
    by_number = RS1 not in operation.form.registers
    given = found.immediate >> 12 if by_number else int(risc.registers[found.rs1])
    always = operation.name.startswith("csrrw")
    compute = operation.compute
    assert compute is not None
    value = status.read(core, number, which) if found.rd or not always else 0
    if always or (given if by_number else found.rs1):
        status.write(core, number, which, compute(value, given))
    if found.rd:
        risc.registers[found.rd] = value


def load(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> int:
    """Load; the cycles that it takes, or that it takes until a tick that is not known."""
    operation, pipeline, now = found.operation, risc.pipeline, core.around.now
    size, address = operation.size, _aligned(core, risc, found)
    if risc.watched:
        debugging.met(risc, address, debugging.LOADED, debugging.STORED + 1)
    _look_for_dangers(core, number, pipeline, address, size)
    region = access.region_of(core, number, address)
    cycles = region.cycles
    if late.waits_to_load(core, number, address) is not None:
        place = core.around.place
        one = LateAccess(True, address, size, place, rd=found.rd, signed=operation.signed)
        late.defer(core, number, one)
        cycles = NEVER - now
    else:
        value = late.loaded(core, number, address, size)
        if found.rd:
            risc.registers[found.rd] = filled(value, size) if operation.signed else value
    if cycles > LOCAL_CYCLES:
        flying = (tick for tick in pipeline.loads if tick - 1 > now)
        pipeline.loads = (*flying, now + cycles)
    if region.block is Block.SYNC:
        pipeline.sync = now + cycles
    return cycles


def _look_for_dangers(
    core: Tensix, number: int, pipeline: RiscPipeline, address: int, size: int
) -> None:
    """Report a load that these cores are documented to get wrong."""
    now = core.around.now
    for one in pipeline.late:
        if not one.loads and one.address < address + size and address < one.address + one.size:
            text = (
                f"it loads from {address:#x}, where a store to {one.address:#x} is still to write"
            )
            hint = "load from the address of the store first: that waits for it"
            core.around.report(OVERTAKES, text, hint)
    if pipeline.sync > now and access.region_of(core, number, address).block in _AFTER_SYNC:
        text = (
            "it begins while a load of TTSync is outstanding: it may load something else, or hang"
        )
        core.around.report(DURING_SYNC, text, "use what the load of TTSync gives before")


def store(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> None:
    """Store, or let that wait in the queue."""
    operation, address = found.operation, _aligned(core, risc, found)
    value = int(risc.registers[found.rs2]) & (1 << 8 * operation.size) - 1
    if late.waits_to_store(core, number, address) is not None:
        _put_off(core, number, risc, address, operation.size, value)
    else:
        late.stored(core, number, address, operation.size, value)
        _emitted(core, risc, address, operation.size)
    if risc.watched:
        debugging.met(risc, address, debugging.STORED, debugging.STORED + 1)


def push(core: Tensix, number: int, risc: RiscCore, found: DecodedWord) -> None:
    """Push a Tensix instruction: a store to where they are pushed."""
    waits = pushing.room(core, number, number)
    if waits is not None or any(not one.loads for one in risc.pipeline.late):
        _put_off(core, number, risc, INSTRUCTIONS, 4, found.immediate)
    else:
        pushing.push(core, number, number, found.immediate)
        _emitted(core, risc, INSTRUCTIONS, 4)


def _put_off(
    core: Tensix, number: int, risc: RiscCore, address: int, size: int, value: int
) -> None:
    """A store waits in the queue."""
    late.defer(core, number, LateAccess(False, address, size, core.around.place, value=value))
    pipeline = risc.pipeline
    queued = QueuedStore.of(NEVER, address, size)
    pipeline.stores = (*pipeline.stores[1 - STORES :], queued)


def _emitted(core: Tensix, risc: RiscCore, address: int, size: int) -> None:
    """Note when a store leaves its queue: in order, and to L1 one every five cycles."""
    pipeline, now = risc.pipeline, core.around.now
    before = pipeline.stores[-1] if pipeline.stores else None
    if before is not None and coalesces(core, risc, before, address):
        end = max(before.end, address + size)
        both = QueuedStore(before.tick, min(before.address, address), end, address)
        pipeline.stores = (*pipeline.stores[:-1], both)
        return
    at = max(now + 1, before.tick if before is not None else 0)
    if address < LOCAL:
        to_l1 = (one.tick + STORE_CYCLES for one in pipeline.stores if one.address < LOCAL)
        at = max((at, *to_l1))
    queued = QueuedStore.of(at, address, size)
    pipeline.stores = (*pipeline.stores[1 - STORES :], queued)


def coalesces(core: Tensix, risc: RiscCore, before: QueuedStore, address: int) -> bool:
    """Whether a store becomes one with that before it: in the same 16 bytes of L1, close to it."""
    if not core.chip.cores.coalesces or before.tick <= core.around.now or address >= LOCAL:
        return False
    if int(risc.status[STATUS_CONFIG]) & status.DO_NOT_COALESCE or before.tick >= KNOWN:
        return False
    return before.address >> 4 == address >> 4 and abs(address - before.start) <= 4


def _aligned(core: Tensix, risc: RiscCore, found: DecodedWord) -> int:
    """The address of a load or store; one that is rounded down is reported."""
    address = address_of(risc, found)
    exact = int(risc.registers[found.rs1]) + found.immediate & WORD
    if exact != address:
        text = f"{exact:#x} is no multiple of {found.operation.size}: the core takes {address:#x}"
        core.around.report(MISALIGNED, text, "give an aligned address")
    return address
