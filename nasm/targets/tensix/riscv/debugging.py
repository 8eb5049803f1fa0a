"""The debug interface of RISC-V cores: pauses, steps, registers and memory, breakpoints.

Source: DebugInterface of the public ISA documentation of Wormhole B0. That a command is done in
the cycle in which it is given is assumed. NC has no such interface.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from nasm.base.problems import Refused
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.memory_map import DEBUG_CONTROL, DEBUG_ECHO, DEBUG_RESULT, DEBUG_VALUE
from nasm.targets.tensix.risc_state import RISC_REGISTERS, RiscCore
from nasm.targets.tensix.riscv import access
from nasm.targets.tensix.riscv.code import RiscCode
from nasm.targets.tensix.riscv.cores import MAILBOX_ORDER
from nasm.targets.tensix.unit_queries import core_text

REGISTERS: Final = 18
"""Debug registers of a core, of which DR(6) to DR(9) are none."""
_ABSENT: Final = range(6, 10)

STATUS, COMMAND, ARGUMENT, DATA, RESULT, MODES, FIRST = 0, 1, 2, 3, 4, 5, 10
"""DR(i) by what they hold; from the last on are the addresses of breakpoints."""

PAUSE, STEP, RESUME, READ, WRITE, LOAD, STORE, CLEAR, WRITE_PC = range(9)
"""Bits of a command."""
SLOW: Final = 1 << 31
TRIGGER: Final = 1 << 31

AT_BREAKPOINT, AT_WATCHPOINT, AT_BREAK = 2, 4, 8
"""Bits of the status that say why a core is paused; bit 0 says that it is."""
EXECUTED, LOADED, STORED = 8, 9, 10
"""Modes of a breakpoint; 11 is both of the last."""

ADDRESSES: Final = frozenset({DEBUG_CONTROL, DEBUG_VALUE, DEBUG_ECHO, DEBUG_RESULT})


def load(core: Tensix, address: int) -> int:
    """A register of the interface that all cores share."""
    port = core.debug
    if address == DEBUG_CONTROL:
        return port.control
    if address == DEBUG_VALUE:
        return port.value
    if address == DEBUG_RESULT:
        return port.result
    echo = port.control & 0x7FF | port.control & TRIGGER | int(port.valid) << 30
    return echo | (port.control >> 16 & 1) << 13 + (port.control >> 17 & 3)


def store(core: Tensix, address: int, value: int) -> None:
    """Store to one; a rising trigger reads or writes a debug register. Raises Refused."""
    port = core.debug
    if address == DEBUG_VALUE:
        port.value = value
    if address != DEBUG_CONTROL:
        return
    before, port.control = port.control, value
    if before & TRIGGER or not value & TRIGGER:
        return
    number, index = MAILBOX_ORDER[value >> 17 & 3], value & 0x7FF
    port.valid = False
    if index >= REGISTERS or index in _ABSENT:
        raise Refused("E0701", f"a core has no debug register DR({index})")
    if value >> 16 & 1:
        _write(core, number, index, port.value)
    else:
        port.result, port.valid = _read(core, number, index), True


def _read(core: Tensix, number: int, index: int) -> int:
    risc = core.riscs[number]
    if index == STATUS:
        return int(risc.paused) | (risc.reason if risc.paused else 0)
    return int(risc.debug[index])


def _write(core: Tensix, number: int, index: int, value: int) -> None:
    risc = core.riscs[number]
    if index in (STATUS, RESULT):
        return  # by the page what is written there is discarded
    risc.debug[index] = value
    risc.watched = any(8 <= int(risc.debug[MODES]) >> 4 * n & 15 <= 11 for n in range(8))
    if index == COMMAND:
        for bit in range(9):
            if value >> bit & 1:
                _command(core, number, risc, bit, value)
        core.around.changed("cores")


def _command(core: Tensix, number: int, risc: RiscCore, bit: int, value: int) -> None:
    code = core.codes[number]
    if not isinstance(code, RiscCode) or risc.ended:
        why = "has no code" if code is None else "has reached its end"
        raise Refused("E0601", f"{core_text(number)} {why}: there is nothing to debug")
    if bit == PAUSE:
        if not risc.paused:
            risc.paused, risc.reason = True, 0
        return
    if not risc.paused:
        raise Refused("E0701", f"{core_text(number)} is not paused: only a pause may be commanded")
    if bit in (STEP, RESUME):
        if value >> WRITE_PC & 1:
            return
        if not value & SLOW:
            message = "a core is resumed without slow execution mode: bit 31 of DR(1) is not set"
            raise Refused("E0701", message, "set it before the pause; else loads may be lost")
        risc.paused, risc.stepping = False, bit == STEP and not value >> RESUME & 1
        return
    _OTHERS[bit](core, number, risc, code)


def _read_register(core: Tensix, number: int, risc: RiscCore, code: RiscCode) -> None:
    index = int(risc.debug[ARGUMENT])
    if index > RISC_REGISTERS:
        raise Refused("E0701", f"there is no register {index} to read")
    pc = code.addresses[risc.line]
    risc.debug[RESULT] = pc if index == RISC_REGISTERS else risc.registers[index]


def _write_register(core: Tensix, number: int, risc: RiscCore, code: RiscCode) -> None:
    index = int(risc.debug[ARGUMENT])
    if not 0 < index < RISC_REGISTERS:
        raise Refused("E0701", f"there is no register {index} to write")
    risc.registers[index] = risc.debug[DATA]


def _clear(core: Tensix, number: int, risc: RiscCore, code: RiscCode) -> None:
    risc.registers[1:] = 0


def _load(core: Tensix, number: int, risc: RiscCore, code: RiscCode) -> None:
    address = int(risc.debug[ARGUMENT]) & -4
    blocked = access.waits_to_load(core, number, address)
    if blocked is not None:
        raise Refused("E0601", f"a debugger's load would wait: {blocked.reason}")
    risc.debug[RESULT] = access.load(core, number, address, 4)


def _store(core: Tensix, number: int, risc: RiscCore, code: RiscCode) -> None:
    address = int(risc.debug[ARGUMENT]) & -4
    blocked = access.waits_to_store(core, number, address)
    if blocked is not None:
        raise Refused("E0601", f"a debugger's store would wait: {blocked.reason}")
    access.store(core, number, address, 4, int(risc.debug[DATA]))


def _write_pc(core: Tensix, number: int, risc: RiscCore, code: RiscCode) -> None:
    command = int(risc.debug[COMMAND])
    if not command >> STEP & 1:
        message = "a pc is written without bit 1 of DR(1), which the hardware needs with it"
        raise Refused("E0701", message)
    if not command & SLOW:
        risc.begins = True
    else:
        risc.line = code.pc_at(int(risc.debug[RESULT]))
    risc.paused = not command >> RESUME & 1


_OTHERS: Final[Mapping[int, Callable[[Tensix, int, RiscCore, RiscCode], None]]] = {
    READ: _read_register,
    WRITE: _write_register,
    LOAD: _load,
    STORE: _store,
    CLEAR: _clear,
    WRITE_PC: _write_pc,
}


def met(risc: RiscCore, address: int, *modes: int) -> None:
    """Pause a core whose breakpoints have an address, for one of some modes."""
    for number in range(8):
        mode = int(risc.debug[MODES]) >> 4 * number & 15
        if mode in modes and int(risc.debug[FIRST + number]) == address:
            why = AT_BREAKPOINT if mode == EXECUTED else AT_WATCHPOINT
            risc.reason = (risc.reason if risc.paused else 0) | why | 1 << 8 + number
            risc.paused = True
