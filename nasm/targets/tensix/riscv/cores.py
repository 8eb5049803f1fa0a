"""The five RISC-V cores of a tile: their names, where they begin, and what holds them.

Sources: BabyRISCV and SoftReset of the public ISA documentation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nasm.isa.core_state import Unfinished
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.engine_names import HARTS, QUEUES
from nasm.targets.tensix.risc_state import NC, B
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.scalar.devices import OVERRIDDEN, OVERRIDDEN_THREADS, RESET_BITS

FIRST: Final = len(QUEUES)
"""The number of the first of them among the engines of a core."""

RESET_PCS: Final = (0x6000, 0xA000, 0xE000, 0, 0x12000)
"""Where each begins when its reset ends, unless the configuration says otherwise."""

MAILBOX_ORDER: Final = (B, 0, 1, 2)
"""The cores that mailboxes belong to, in the order of their addresses."""


def number_of(engine: int) -> int:
    """The number of a core, of that of its engine."""
    return engine - FIRST


def in_reset(core: Tensix, number: int) -> bool:
    """Whether a core is held in reset."""
    return bool(core.soft_reset >> RESET_BITS[number] & 1)


def held_in_reset(core: Tensix) -> Iterator[Unfinished]:
    """The cores with code that are held in reset."""
    for number, code in enumerate(core.codes):
        if code is not None and in_reset(core, number):
            bit = f"bit {RESET_BITS[number]} of RISCV_DEBUG_REG_SOFT_RESET_0"
            message = "executes none of its lines: it is held in reset"
            hint = f"clear {bit}, in the text or by another core of the tile"
            yield Unfinished(FIRST + number, message, hint, idle=True)


def reset_pc(core: Tensix, number: int) -> int:
    """Where a core begins when its reset ends."""
    risc = core.riscs[number]
    if risc.entry >= 0:
        return risc.entry
    if number == B:
        return RESET_PCS[B]
    if core.chip.cores.reset_registers:
        there = core.reset_pcs[OVERRIDDEN if number == NC else OVERRIDDEN_THREADS]
        bit = 0 if number == NC else number
        return int(core.reset_pcs[number]) if there >> bit & 1 else RESET_PCS[number]
    if number == NC:
        there = field(core, 0, "NCRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en")
        return field(core, 0, "NCRISC_RESET_PC_PC") if there else RESET_PCS[NC]
    there = field(core, 0, "TRISC_RESET_PC_OVERRIDE_Reset_PC_Override_en") >> number & 1
    return field(core, 0, f"TRISC_RESET_PC_SEC{number}_PC") if there else RESET_PCS[number]


def others(number: int) -> tuple[int, ...]:
    """The engines of all other cores, which may end what one waits for."""
    return tuple(FIRST + other for other in range(len(HARTS)) if other != number)


def running(core: Tensix, but: int) -> Iterator[int]:
    """The cores that have code and may still execute, but for one."""
    for number, code in enumerate(core.codes):
        risc = core.riscs[number]
        if number == but or code is None or risc.ended or risc.paused:
            continue
        if not in_reset(core, number):
            yield number
