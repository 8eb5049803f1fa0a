"""Loads and stores of registers of devices, none of which are modelled.

Sources: their pages and the memory map of the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from typing import Final, NoReturn

from nasm.base.problems import Refused
from nasm.targets.tensix.state import Coprocessor

WINDOW: Final = 0xFFB00000
FIRST: Final = 0xFFB11000
"""The first address of the window that the scalar unit may use."""
REGIONS: Final = (
    (0xFFB11000, 0xFFB11FFF, "TDMA-RISC"),
    (0xFFB12000, 0xFFB12FFF, "the control, debug and status registers of the tile"),
    (0xFFB13000, 0xFFB13FFF, "the interrupt controller"),
    (0xFFB20000, 0xFFB2FFFF, "NoC 0"),
    (0xFFB30000, 0xFFB3FFFF, "NoC 1"),
    (0xFFB40000, 0xFFB7FFFF, "the NoC overlay"),
)


def refuse(mnemonic: str, address: int) -> NoReturn:
    """Refuse an access to a register of a device, with the device's name."""
    if address < FIRST:
        raise Refused(
            "E0701", f"{mnemonic} at {address:#x}: what lies below {FIRST:#x} is not documented"
        )
    for first, last, name in REGIONS:
        if first <= address <= last:
            raise Refused(
                "E0601", f"{mnemonic} at {address:#x} reaches {name}, which nasm does not model"
            )
    raise Refused("E0701", f"{mnemonic} at {address:#x}, where the memory map has nothing")


def LOADREG(core: Coprocessor, thread: int, ResultReg: int, AddrLo: int) -> NoReturn:
    """Load a register of a device; raises Refused with the device's name."""
    refuse("LOADREG", WINDOW + 4 * AddrLo)


def STOREREG(core: Coprocessor, thread: int, DataReg: int, AddrLo: int) -> NoReturn:
    """Store to a register of a device; raises Refused with the device's name."""
    refuse("STOREREG", WINDOW + 4 * AddrLo)
