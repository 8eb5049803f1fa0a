"""The mover: XMOV copies or clears 16 bytes at a time, within L1 or to the configuration.

Sources: the pages of XMOV and of the mover in the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from nasm.base.problems import Refused
from nasm.targets.tensix.risc_state import IRAM_BYTES
from nasm.targets.tensix.scalar.config import field, write_bank
from nasm.targets.tensix.state import U8, Coprocessor

CLEAR_L1, TO_REGISTERS, CLEAR_REGISTERS, WITHIN_L1 = range(4)
_CODE: Final = range(0x40000, 0x50000)
_SPACE: Final = 0x10000


def XMOV(core: Coprocessor, thread: int) -> Callable[[], None]:
    """Start what THCON_SEC0_REG6 says; what it returns is done when the mover is through.

    Raises Refused for addresses outside of L1 and for what is neither L1 nor the configuration.
    """
    into, source, count, direction = (
        field(core, thread, f"THCON_SEC0_REG6_{name}")
        for name in ("Destination_address", "Source_address", "Buffer_size", "Transfer_direction")
    )
    into, source = (into << 4) & 0xFFFFFFFF, (source << 4) & 0xFFFFFFFF
    count = (count & 0xFFFF) << 4
    copies = direction in (TO_REGISTERS, WITHIN_L1)
    if copies:
        _in_l1(core, "from", source, count)
    inside = direction in (CLEAR_L1, WITHIN_L1)
    put = _to_l1(core, into, count) if inside else _beyond(core, into, count)

    def move() -> None:
        put(core.l1.read(source, count) if copies else np.zeros(count, np.uint8))

    return move


def _in_l1(core: Coprocessor, which: str, address: int, count: int) -> None:
    size = core.chip.l1_bytes
    if address + max(count, 1) > size:
        raise Refused(
            "E0701", f"XMOV of {count} bytes {which} {address:#x} leaves L1, of {size:#x} bytes"
        )


def _to_l1(core: Coprocessor, into: int, count: int) -> Callable[[U8], None]:
    _in_l1(core, "to", into, count)
    return lambda data: core.l1.write(into, data)


def _beyond(core: Coprocessor, into: int, count: int) -> Callable[[U8], None]:
    """What puts bytes outside of L1: into the configuration; outside both regions they are lost."""
    if into >= _SPACE and into not in _CODE:
        return lambda data: None
    if (into & _SPACE - 1) + count > _SPACE:
        raise Refused("E0701", f"XMOV of {count} bytes to {into:#x} leaves its region")
    if into in _CODE:
        return lambda data: _to_iram(core, into - _CODE.start, data)
    words = core.layout.words
    if into + count > 8 * words:
        raise Refused(
            "E0701",
            f"XMOV to bytes {into} to {into + count - 1} of the configuration; its banks have "
            f"{8 * words}",
        )

    def put(data: U8) -> None:
        for i, value in enumerate(data.view("<u4").tolist(), into // 4):
            write_bank(core, i // words, i % words, value)

    return put


def _to_iram(core: Coprocessor, into: int, data: U8) -> None:
    """Put bytes into the instruction memory of NC; those beyond its end are lost, as is assumed."""
    count = max(0, min(len(data), IRAM_BYTES - into))
    core.iram[into : into + count] = data[:count]
    core.iram_known[into : into + count] = True


def duration(direction: int, count: int) -> int:
    """Cycles for ``count`` bytes alone: eight units of 16 bytes in 11 cycles copied, one cleared.

    Measured, as the mover's page says.
    """
    units = count // 16
    return -(-units * 11 // 8) if direction in (TO_REGISTERS, WITHIN_L1) else units
