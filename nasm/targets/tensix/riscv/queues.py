"""The queues from RISC-V B to the cores of threads, which the vendor calls PCBufs.

Source: PCBufs of the public ISA documentation of Wormhole B0. Their overriding bits are not
modelled.
"""

from __future__ import annotations

from typing import Final

from nasm.base.problems import Refused
from nasm.isa.core_state import Blocked
from nasm.targets.tensix import memory_map as at
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.host.blocks import waits_for_thread
from nasm.targets.tensix.risc_state import B
from nasm.targets.tensix.state import THREADS
from nasm.targets.tensix.unit_queries import core_text

DEPTH: Final = 16
"""Values that each of them holds."""


def _thread(address: int) -> int:
    """The thread to whose core B sends by an address."""
    return (address - at.CORE_B) // at.QUEUE_BYTES


def _part(thread: int) -> str:
    return f"pc buffer {thread}"


def waits_to_load(core: Tensix, number: int, address: int) -> Blocked | None:
    """The core of a thread waits for a value, B until that core waits and its thread is idle."""
    if number != B:
        risc = core.riscs[number]
        if risc.pc_buffer:
            return None
        if core.codes[B] is None:
            message = "it waits for a value from RISC-V B, for which there is no code"
            raise Refused("E0601", message)
        if not risc.listens:
            risc.listens = True
            core.around.changed(_part(number))
        reason = "the queue from RISC-V B is empty"
        return Blocked("pc buffer", reason, by=(THREADS + B,), on=(_part(number),))
    thread = _thread(address)
    risc, by = core.riscs[thread], (THREADS + thread, thread)
    if risc.pc_buffer or not risc.listens:
        reason = f"{core_text(thread)} does not wait yet for what RISC-V B sends it"
        return Blocked("pc buffer", reason, by=by, on=(_part(thread),))
    return waits_for_thread(core, thread) if core.lines[thread] is not None else None


def waits_to_store(core: Tensix, number: int, address: int) -> Blocked | None:
    """B waits for room."""
    if number != B or len(core.riscs[_thread(address)].pc_buffer) < DEPTH:
        return None
    thread = _thread(address)
    reason = f"the queue to {core_text(thread)} holds {DEPTH} of {DEPTH}"
    return Blocked("pc buffer", reason, by=(THREADS + thread,), on=(_part(thread),))


def load(core: Tensix, number: int, address: int) -> int:
    """What B has sent; B itself loads 0, once it may."""
    if number == B:
        return 0
    risc = core.riscs[number]
    first, *rest = risc.pc_buffer
    risc.pc_buffer, risc.listens = tuple(rest), False
    core.around.changed(_part(number))
    return first


def store(core: Tensix, number: int, address: int, value: int) -> None:
    """B sends a value; what another core stores there is lost."""
    if number != B:
        return
    risc, thread = core.riscs[_thread(address)], _thread(address)
    risc.pc_buffer = (*risc.pc_buffer, value)
    core.around.changed(_part(thread))
