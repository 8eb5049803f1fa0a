"""Loads and stores of registers of devices by the scalar unit.

Sources: their pages and the memory map of the public ISA documentation of Wormhole B0.
"""

from __future__ import annotations

from collections.abc import Callable

from nasm.base.problems import Refused
from nasm.targets.tensix.scalar import devices
from nasm.targets.tensix.state import Coprocessor

Later = Callable[[], None]


def checked(mnemonic: str, address: int) -> int:
    """An address that an instruction may use; raises Refused."""
    if address < devices.FIRST:
        below = f"what lies below {devices.FIRST:#x} is not documented"
        raise Refused("E0701", f"{mnemonic} at {address:#x}: {below}")
    if address > devices.LAST:
        raise Refused("E0701", f"{mnemonic} at {address:#x}, where the memory map has nothing")
    return address


def LOADREG(core: Coprocessor, thread: int, ResultReg: int, AddrLo: int) -> Later:
    """Load a register of a device, which is read when the request reaches it, at its end.

    Raises Refused with the device's name.
    """
    address = checked("LOADREG", devices.WINDOW + 4 * AddrLo)
    read, own = devices.loading(core, address), core.threads[thread]
    own.requests += 1

    def arrive() -> None:
        own.registers[ResultReg] = read(core)
        own.requests -= 1

    return arrive


def STOREREG(core: Coprocessor, thread: int, DataReg: int, AddrLo: int) -> None:
    """Store to a register of a device; raises Refused with the device's name."""
    address = checked("STOREREG", devices.WINDOW + 4 * AddrLo)
    devices.store(core, address, int(core.threads[thread].registers[DataReg]))
