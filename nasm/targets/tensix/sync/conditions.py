"""Conditions that waits at the gate and flushes wait for, as functions of the state.

Sources: the pages of both waits at the gate of the public ISA documentation of Wormhole B0, and of
waits and the configuration unit of that of Blackhole A0. Each function says what still has to come,
as a clause for people.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cache, lru_cache
from typing import Final

from nasm.base.problems import counted
from nasm.isa.core_state import over
from nasm.targets.tensix.chips import BANK_CONDITIONS, CONFIGURING, REQUESTS
from nasm.targets.tensix.state import MATRIX, UNPACKERS, Coprocessor
from nasm.targets.tensix.sync.semaphores import selected
from nasm.targets.tensix.unit_queries import SRC, BusyUnits, thread_name

_UNITS: Final = {
    "unpack0": "unpacker 0 is busy with {0}",
    "unpack1": "unpacker 1 is busy with {0}",
    "pack0": "packer 0 is busy with {0}",
    "pack1": "packer 1 is busy with {0}",
    "pack2": "packer 2 is busy with {0}",
    "pack3": "packer 3 is busy with {0}",
    "matrix": "the matrix unit is busy with {0}",
    "mover": "the mover is busy",
    "host": "the RISC-V core of {0} has requests in flight",
    "vector": "the vector unit is busy with {0}",
    CONFIGURING: "the configuration unit is busy",
}


def parts(core: Coprocessor, mask: int) -> tuple[str, ...]:
    """What of the coprocessor has to change for conditions of units, by the names of parts."""
    return _parts(core.chip.conditions, mask)


@cache
def _parts(conditions: tuple[str, ...], mask: int) -> tuple[str, ...]:
    wanted = [one for bit, one in enumerate(conditions) if mask >> bit & 1]
    units = tuple(one for one in wanted if one in _UNITS)
    return (*units, *((SRC,) if set(wanted) & set(BANK_CONDITIONS) else ()))


@cache
def units_over(conditions: tuple[str, ...], thread: int, mask: int) -> tuple[Hashable, ...]:
    """The units that a wait for conditions finds idle, as parts: the packers only all together."""
    wanted = {one for bit, one in enumerate(conditions) if mask >> bit & 1}
    packers = {one for one in conditions if one.startswith("pack")}
    found = {UNPACK0, UNPACK1, MOVER} & wanted
    if packers <= wanted:
        found.add(PACK)
    if REQUESTS in wanted:
        found.add(SCALAR)
    return tuple(over(thread_name(thread), unit) for unit in sorted(found))


UNPACK0, UNPACK1, MOVER, PACK, SCALAR = "unpack0", "unpack1", "mover", "pack", "scalar"
EVERY_UNIT: Final = (UNPACK0, UNPACK1, MOVER, PACK, SCALAR)
"""Units by which threads reach L1."""


def unmet(core: Coprocessor, thread: int, mask: int, units: BusyUnits) -> Iterator[str]:
    """For each selected condition of units that is not met, what it waits for."""
    for bit, condition in enumerate(core.chip.conditions):
        if mask >> bit & 1:
            text = _waits(core, thread, condition, units)
            if text:
                yield f"{text} (C{bit})"


def _waits(core: Coprocessor, thread: int, condition: str, units: BusyUnits) -> str:
    """What a condition waits for; empty if it is met."""
    if condition == REQUESTS:
        requests = core.threads[thread].requests
        text = f"{thread_name(thread)} has {counted(requests, 'memory request')} in flight"
        return text if requests else ""
    if condition in _UNITS:
        text = _UNITS[condition]
        return text.format(thread_name(thread)) if units.busy(condition, thread) else ""
    matrix = core.matrix
    source, owners, bank, wanted = (
        ("SrcA", matrix.owner_a, matrix.unpack_a, UNPACKERS),
        ("SrcB", matrix.owner_b, matrix.unpack_b, UNPACKERS),
        ("SrcA", matrix.owner_a, matrix.matrix_a, MATRIX),
        ("SrcB", matrix.owner_b, matrix.matrix_b, MATRIX),
    )[BANK_CONDITIONS.index(condition)]
    if owners[bank] == wanted:
        return ""
    found = ("the unpackers", "the matrix unit")[int(owners[bank])]
    return f"bank {bank} of {source} belongs to {found}"


def unmet_semaphores(core: Coprocessor, semaphores: int, mask: int) -> tuple[str, ...]:
    """The same of conditions of semaphores, by semaphore."""
    return _unmet_semaphores(core.semaphores.tobytes(), semaphores, mask)


@lru_cache(maxsize=1 << 10)
def _unmet_semaphores(held: bytes, semaphores: int, mask: int) -> tuple[str, ...]:
    """The same where the semaphores hold a value and a maximum each, by byte."""
    found = []
    for number in selected(semaphores).nonzero()[0].tolist():
        value, most = held[2 * number : 2 * number + 2]
        if mask & 1 and value == 0:
            found.append(f"semaphore {number} is 0 (C0)")
        if mask & 2 and value >= most:
            found.append(f"semaphore {number} is {value}, and its maximum {most} (C1)")
    return tuple(found)
