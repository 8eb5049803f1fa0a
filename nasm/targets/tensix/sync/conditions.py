"""Conditions that waits at the gate and flushes wait for, as functions of the state.

Sources: the pages of both waits at the gate of the public ISA documentation of Wormhole B0. Each
function says what still has to come, as a clause for people.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from nasm.base.problems import counted
from nasm.targets.tensix.state import MATRIX, UNPACKERS, Coprocessor
from nasm.targets.tensix.sync.semaphores import selected
from nasm.targets.tensix.unit_queries import SRC, BusyUnits, thread_name

STALL_CONDITIONS: Final = 15
DEFAULT_CONDITIONS: Final = 0x7F
"""What a wait at the gate waits for if no condition is selected."""

_UNITS: Final = {
    1: ("unpack0", "unpacker 0 is busy with {0}"),
    2: ("unpack1", "unpacker 1 is busy with {0}"),
    3: ("pack0", "packer 0 is busy with {0}"),
    4: ("pack1", "packer 1 is busy with {0}"),
    5: ("pack2", "packer 2 is busy with {0}"),
    6: ("pack3", "packer 3 is busy with {0}"),
    7: ("matrix", "the matrix unit is busy with {0}"),
    12: ("mover", "the mover is busy"),
    13: ("host", "the RISC-V core of {0} has requests in flight"),
    14: ("vector", "the vector unit is busy with {0}"),
}


@cache
def parts(mask: int) -> tuple[str, ...]:
    """What of the coprocessor has to change for conditions of units, by the names of parts."""
    units = (unit for bit, (unit, _) in _UNITS.items() if mask >> bit & 1)
    return (*units, *((SRC,) if mask >> 8 & 15 else ()))


def unmet(core: Coprocessor, thread: int, mask: int, units: BusyUnits) -> Iterator[str]:
    """For each selected condition of units that is not met, what it waits for."""
    for bit in range(STALL_CONDITIONS):
        if mask >> bit & 1:
            text = _waits(core, thread, bit, units)
            if text:
                yield f"{text} (C{bit})"


def _waits(core: Coprocessor, thread: int, bit: int, units: BusyUnits) -> str:
    """What a condition waits for; empty if it is met."""
    if bit == 0:
        requests = core.threads[thread].requests
        text = f"{thread_name(thread)} has {counted(requests, 'memory request')} in flight"
        return text if requests else ""
    if bit in _UNITS:
        unit, text = _UNITS[bit]
        return text.format(thread_name(thread)) if units.busy(unit, thread) else ""
    matrix = core.matrix
    source, owners, bank, wanted = (
        ("SrcA", matrix.owner_a, matrix.unpack_a, UNPACKERS),
        ("SrcB", matrix.owner_b, matrix.unpack_b, UNPACKERS),
        ("SrcA", matrix.owner_a, matrix.matrix_a, MATRIX),
        ("SrcB", matrix.owner_b, matrix.matrix_b, MATRIX),
    )[bit - 8]
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
