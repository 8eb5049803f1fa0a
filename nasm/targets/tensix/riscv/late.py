"""Loads and stores that have entered the load/store unit of a core and cannot be processed yet.

The core runs ahead meanwhile. Source: MemoryOrdering of the public ISA documentation of Wormhole
B0. A load waits in its region of memory, and later ones of the same region after it; stores wait
in their queue, which they leave in order, one a cycle. Assumed is that a store leaves the queue
only when it can be processed (how many the memory subsystem holds besides is not documented), that
what another instruction has changed is seen from the next cycle on, and that a load takes its
latency from the cycle in which it is processed.
"""

from __future__ import annotations

from functools import partial
from typing import Final, NoReturn

from nasm.base.problems import Refused
from nasm.base.records import replace
from nasm.isa.core_state import Blocked
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.memory_map import BOX_BYTES, LOCAL, MAILBOXES, Block
from nasm.targets.tensix.risc_state import InUnit, LateAccess, QueuedStore, RiscCore, RiscPipeline
from nasm.targets.tensix.riscv import access, debugging
from nasm.targets.tensix.riscv.interpreter import filled

NEVER: Final = 1 << 60
"""A tick that is not known: of what waits for a late access."""

KNOWN: Final = NEVER >> 1
"""Ticks below this one are known."""

IN_UNIT: Final = 8
"""Instructions in the load/store unit."""
STORES: Final = 4
"""Entries of its store queue."""
STORE_CYCLES: Final = 5
"""Cycles from a store to L1 to the next, sustained."""
LOCAL_CYCLES: Final = 2
"""Cycles of a load from the local memory, in which more may be in flight."""

Region = tuple[Block, int]


def _region(core: Tensix, number: int, address: int) -> Region:
    """What processes loads in order: a block, of mailboxes each one."""
    block = access.region_of(core, number, address).block
    if block is Block.MAILBOXES:
        return block, (address - MAILBOXES) // BOX_BYTES
    return block, 0


# -- what they do


def loaded(core: Tensix, number: int, address: int, size: int) -> int:
    """What a load gives; the debug interface is reached by words."""
    if address in debugging.ADDRESSES and size == 4:
        return debugging.load(core, address)
    return access.load(core, number, address, size)


def stored(core: Tensix, number: int, address: int, size: int, value: int) -> None:
    """Store the lowest bytes of a word."""
    if address in debugging.ADDRESSES:
        debugging.store(core, address, value)
    else:
        access.store(core, number, address, size, value)


# -- when they may


def waits_to_load(core: Tensix, number: int, address: int) -> Blocked | None:
    """What keeps a load from being processed: its region, or a load before it there."""
    for one in core.riscs[number].pipeline.late:
        if one.loads and _region(core, number, one.address) == _region(core, number, address):
            return access.waits_to_load(core, number, one.address) or _soon(core)
    return access.waits_to_load(core, number, address)


def waits_to_store(core: Tensix, number: int, address: int) -> Blocked | None:
    """What keeps a store from being processed: where it goes, or a store before it."""
    first = next((one for one in core.riscs[number].pipeline.late if not one.loads), None)
    return access.waits_to_store(core, number, address if first is None else first.address) or (
        None if first is None else _soon(core)
    )


def _soon(core: Tensix) -> Blocked:
    """It may be in the next cycle."""
    return Blocked("stores", "what is before it is processed first", core.around.now + 1)


def blocked(core: Tensix, number: int, loads: bool, why: str = "") -> Blocked:
    """What late loads or stores of a core wait for, and when something of all that may be over."""
    found = [(one, _wait(core, number, one)) for one in _first(core, number)]
    _, shown = next(((one, by) for one, by in found if one.loads == loads), found[0])
    untils = [by.until for _, by in found if by.until is not None]
    reason = f"{why}: {shown.reason}" if why else shown.reason
    return replace(shown, reason=reason, until=min(untils, default=None), completions=True)


def _first(core: Tensix, number: int) -> list[LateAccess]:
    """What is processed next: the first store, and the first load of each region."""
    found: dict[object, LateAccess] = {}
    for one in core.riscs[number].pipeline.late:
        found.setdefault(_region(core, number, one.address) if one.loads else None, one)
    return list(found.values())


def sooner(core: Tensix, number: int, found: Blocked | None) -> Blocked | None:
    """What keeps a line from starting, asked again when a late access of its core may be over."""
    if found is None or not core.riscs[number].pipeline.late:
        return found
    until = blocked(core, number, True).until
    untils = [at for at in (until, found.until) if at is not None]
    return replace(found, until=min(untils, default=None), completions=True)


def _wait(core: Tensix, number: int, one: LateAccess) -> Blocked:
    made = access.waits_to_load if one.loads else access.waits_to_store
    return made(core, number, one.address) or _soon(core)


# -- entering


def defer(core: Tensix, number: int, one: LateAccess) -> None:
    """An access enters the unit that cannot be processed now."""
    pipeline = core.riscs[number].pipeline
    pipeline.late = (*pipeline.late, one)
    core.late += 1


def entered(pipeline: RiscPipeline, rd: int, ready: int) -> None:
    """Note what enters the unit while a load is late, or a late load itself."""
    late = ready >= KNOWN
    if late or pipeline.window:
        number = sum(one.loads for one in pipeline.late) - 1 if late else -1
        pipeline.window = (*pipeline.window, InUnit(rd, pipeline.latest, ready, number))


def written(pipeline: RiscPipeline, rd: int, result: int, leave: int, retires: bool) -> None:
    """Note when the result for a register may be used, of an instruction that leaves at a tick.

    Where instructions retire after that it is as soon as it is there, unless an earlier one that
    writes the same register has not retired: of two such none is taken before.
    """
    if not rd:
        return
    if not retires:
        pipeline.ready[rd] = leave
        return
    pipeline.ready[rd] = min(leave, max(result, int(pipeline.left[rd])))
    pipeline.left[rd] = leave


# -- processing


def press(core: Tensix) -> None:
    """Process what may be in this cycle, in the order of the cores and of their instructions."""
    for number, risc in enumerate(core.riscs):
        if risc.pipeline.late:
            _press(core, number, risc)


def _press(core: Tensix, number: int, risc: RiscCore) -> None:
    next_ones, left, which = _first(core, number), list[LateAccess](), -1
    for one in risc.pipeline.late:
        which += one.loads
        if not any(one is first for first in next_ones) or _held(core, number, one):
            left.append(one)
        elif one.loads:
            _load(core, number, risc, one, which)
            which -= 1
        else:
            _store(core, number, risc, one)
    core.late -= len(risc.pipeline.late) - len(left)
    risc.pipeline.late = tuple(left)


def _held(core: Tensix, number: int, one: LateAccess) -> bool:
    """Whether an access cannot be processed; a refusal is for its instruction."""
    now = core.around.now
    try:
        if not one.loads and one.address < LOCAL and _next_l1(core, number) > now:
            return True
        made = access.waits_to_load if one.loads else access.waits_to_store
        return made(core, number, one.address) is not None
    except Refused as refused:
        core.around.late(one.place, now, partial(_refuse, refused))
        raise


def _refuse(refused: Refused) -> NoReturn:
    raise refused


def _next_l1(core: Tensix, number: int) -> int:
    stores = core.riscs[number].pipeline.stores
    return max(
        (one.tick + STORE_CYCLES for one in stores if one.address < LOCAL and one.tick < KNOWN),
        default=0,
    )


def _load(core: Tensix, number: int, risc: RiscCore, one: LateAccess, which: int) -> None:
    """Process a load: its value comes, and what is in the unit may leave."""
    now, pipeline = core.around.now, risc.pipeline
    found: list[int] = []
    core.around.late(
        one.place, now, lambda: found.append(loaded(core, number, one.address, one.size))
    )
    value = filled(found[0], one.size) if one.signed else found[0]
    region = access.region_of(core, number, one.address)
    ready = now + region.cycles
    window, at = (
        list(pipeline.window),
        next(n for n, inside in enumerate(pipeline.window) if inside.access == which),
    )
    window[at] = window[at]._replace(ready=ready, access=-1)
    for n in range(at + 1, len(window)):
        if window[n].access > which:
            window[n] = window[n]._replace(access=window[n].access - 1)
    if one.rd and all(inside.rd != one.rd for inside in window[at + 1 :]):
        risc.registers[one.rd] = value
    pipeline.loads = (*(tick for tick in pipeline.loads if tick < KNOWN), *_again(pipeline), ready)
    if region.block is Block.SYNC:
        pipeline.sync = ready
    _leave(pipeline, window, core.chip.cores.retires)


def _again(pipeline: RiscPipeline) -> tuple[int, ...]:
    """Loads that are still late, but for one."""
    return tuple(tick for tick in pipeline.loads if tick >= KNOWN)[1:]


def _leave(pipeline: RiscPipeline, window: list[InUnit], retires: bool) -> None:
    """Compute again when what is in the unit leaves it, in order, one a cycle."""
    count = len(window)
    before = pipeline.leaving[:-count] if count < len(pipeline.leaving) else ()
    leave, leaves = before[-1] if before else 0, []
    for rd, entered_at, ready, _ in window:
        leave = max(ready, entered_at + 2, leave + 1)
        leaves.append(leave)
        written(pipeline, rd, max(ready, entered_at + 1), leave, retires)
    pipeline.leaving = (*before, *leaves)[-IN_UNIT:]
    first = next((n for n, inside in enumerate(window) if inside.access >= 0), count)
    pipeline.window = tuple(window[first:])


def _store(core: Tensix, number: int, risc: RiscCore, one: LateAccess) -> None:
    """Process a store, which leaves the queue."""
    now, pipeline = core.around.now, risc.pipeline
    act = partial(stored, core, number, one.address, one.size, one.value)
    core.around.late(one.place, now, act)
    stores = list(pipeline.stores)
    at = next(n for n, queued in enumerate(stores) if queued.tick >= KNOWN)
    stores[at] = QueuedStore.of(now, one.address, one.size)
    pipeline.stores = tuple(stores)
