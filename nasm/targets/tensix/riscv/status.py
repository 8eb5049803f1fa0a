"""The status registers of RISC-V cores, on generations whose cores have them.

Source: the page CSRs of BabyRISCV in the public ISA documentation of Blackhole A0. Assumed is that
both counters begin at 0 as a core begins. Registers of vectors, of interrupts, of the counters of
events and of the coprocessor's queues are refused by name.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from nasm.base.problems import Refused, did_you_mean, quoted
from nasm.base.records import dataclass
from nasm.isa.kinds import WRONG_KIND, Kind
from nasm.targets.tensix.core.tensix import Tensix
from nasm.targets.tensix.risc_state import NC, STATUS_CONFIG, B
from nasm.targets.tensix.riscv.formats import WORD
from nasm.targets.tensix.unit_queries import core_text
from nasm.views.value_text import value_text

CONSTANT, CYCLES, EXECUTED, STORED, MISSING = "constant", "cycles", "executed", "stored", "missing"
"""What a status register is: a number, half of a counter, a word that is kept, or not modelled."""


class StatusRegister(NamedTuple):
    """A status register: what it is, and of what: its value, its half, its word, why it is not."""

    name: str
    kind: str
    of: int | str = 0


_VECTORS: Final = "vectors are not executed"
_EVENTS: Final = "counters of events are not modelled"
_QUEUES: Final = "what it says of the coprocessor's queues is not modelled"
_STREAM: Final = "which stream of the overlay a thread's core reads there is not documented"


def _others() -> dict[int, StatusRegister]:
    """Words that cores of B and NC may use for any purpose."""
    return {0xBC2 + n: StatusRegister(f"tt_cfg_sstatus{n}", STORED, 6 + n) for n in range(8)}


REGISTERS: Final[dict[int, StatusRegister]] = {
    0x003: StatusRegister("fcsr", STORED, 0),
    0x008: StatusRegister("vstart", CONSTANT, 0),
    0x009: StatusRegister("vxsat", MISSING, _VECTORS),
    0x00A: StatusRegister("vxrm", MISSING, _VECTORS),
    0x300: StatusRegister("mstatus", CONSTANT, 0x80006600),
    0x301: StatusRegister("misa", CONSTANT, 0x40201123),
    0x320: StatusRegister("mcountinhibit", MISSING, _EVENTS),
    0x323: StatusRegister("mhpmevent3", MISSING, _EVENTS),
    0x324: StatusRegister("mhpmevent4", MISSING, _EVENTS),
    0x7C0: StatusRegister("cfg0", STORED, STATUS_CONFIG),
    0x7C1: StatusRegister("pmacfg0", MISSING, "that all accesses are ordered is not modelled"),
    0x7C2: StatusRegister("pmacfg1", MISSING, "that all accesses are ordered is not modelled"),
    0x7C3: StatusRegister("cfg1", STORED, 2),
    0x7C4: StatusRegister("hwa_mask", STORED, 3),
    0x7C5: StatusRegister("hwa_cfg", STORED, 4),
    0x7C6: StatusRegister("vgsrc", STORED, 5),
    0xB00: StatusRegister("mcycle", CYCLES, 0),
    0xB02: StatusRegister("minstret", EXECUTED, 0),
    0xB03: StatusRegister("mhpmcounter3", MISSING, _EVENTS),
    0xB04: StatusRegister("mhpmcounter4", MISSING, _EVENTS),
    0xB80: StatusRegister("mcycleh", CYCLES, 1),
    0xB82: StatusRegister("minstreth", EXECUTED, 1),
    0xB83: StatusRegister("mhpmcounter3h", MISSING, _EVENTS),
    0xB84: StatusRegister("mhpmcounter4h", MISSING, _EVENTS),
    0xBC0: StatusRegister("tt_cfg_qstatus", MISSING, _QUEUES),
    0xBC1: StatusRegister("tt_cfg_bstatus", MISSING, _QUEUES),
    **_others(),
    0xBCA: StatusRegister("intp_restore_pc", MISSING, "interrupts are not modelled"),
    0xC00: StatusRegister("cycle", CYCLES, 0),
    0xC02: StatusRegister("instret", EXECUTED, 0),
    0xC20: StatusRegister("vl", MISSING, _VECTORS),
    0xC21: StatusRegister("vtype", MISSING, _VECTORS),
    0xC22: StatusRegister("vlenb", MISSING, _VECTORS),
    0xC80: StatusRegister("cycleh", CYCLES, 1),
    0xC82: StatusRegister("instreth", EXECUTED, 1),
    0xF14: StatusRegister("mhartid", CONSTANT, 0),
}
"""By number."""

NAMES: Final = {one.name: number for number, one in REGISTERS.items()}
TEXTS: Final = {number: one.name for number, one in REGISTERS.items()}

_FLAGS: Final = 0xFF
"""The bits of fcsr."""

_ALLOWED: Final = (
    1 << 2 | 1 << 3 | 1 << 4 | 3 << 5 | 1 << 12 | 31 << 13 | 1 << 18 | 7 << 21 | 1 << 24 | 1 << 25
)
"""Bits of cfg0 whose effect is modelled, or is none here: caches, fusing, coalescing, reserved."""

DO_NOT_COALESCE: Final = 1 << 12


def _known(core: Tensix, number: int, status: int) -> StatusRegister:
    """A status register of a core; raises Refused where there is none, or none is modelled."""
    found = REGISTERS.get(status)
    if found is None:
        message = f"{core_text(number)} has no status register {status:#x}"
        raise Refused("E0701", message, "their page lists those that there are")
    if found.kind == MISSING:
        raise Refused("E0601", f"the status register {found.name}: {found.of}")
    if found.name.startswith("tt_cfg_sstatus") and number not in (B, NC):
        raise Refused("E0701", f"the status register {found.name}: {_STREAM}")
    return found


def read(core: Tensix, number: int, status: int) -> int:
    """What a status register has now; raises Refused."""
    found, risc = _known(core, number, status), core.riscs[number]
    assert isinstance(found.of, int)
    if found.kind == CONSTANT:
        return found.of
    if found.kind == STORED:
        return int(risc.status[found.of])
    counted = core.around.now - risc.cycles if found.kind == CYCLES else risc.executed
    return counted >> 32 * found.of & WORD


def write(core: Tensix, number: int, status: int, value: int) -> None:
    """Write a status register; raises Refused for bits whose effect is not modelled."""
    found, risc = _known(core, number, status), core.riscs[number]
    assert isinstance(found.of, int)
    if found.kind == STORED:
        if found.of == STATUS_CONFIG and value & ~_ALLOWED:
            bits = ", ".join(str(n) for n in range(32) if value & ~_ALLOWED & WORD & 1 << n)
            raise Refused("E0601", f"the bits {bits} of the status register cfg0 are not modelled")
        risc.status[found.of] = value & (_FLAGS if found.name == "fcsr" else WORD)
    elif found.kind in (CYCLES, EXECUTED):
        shift = 32 * found.of
        counted = core.around.now - risc.cycles if found.kind == CYCLES else risc.executed
        counted = counted & ~(WORD << shift) | value << shift
        if found.kind == CYCLES:
            risc.cycles = core.around.now - counted
        else:
            risc.executed = counted


@dataclass(frozen=True, slots=True)
class StatusName(Kind):
    """A status register, by its name or its number."""

    def accept(self, value: object) -> object:
        """Its number; raises Refused."""
        if isinstance(value, str):
            found = NAMES.get(value)
            if found is None:
                message = f"there is no status register '{quoted(value)}'"
                raise Refused(WRONG_KIND, message, did_you_mean(value, NAMES))
            return found
        if type(value) is int and 0 <= value < 1 << 12:
            return value
        raise Refused(WRONG_KIND, f"wanted {self.describe()}, found {value_text(value)}")

    def format(self, value: object) -> str:
        """By its name, if it has one."""
        assert isinstance(value, int)
        return TEXTS.get(value) or f"{value:#x}"

    def describe(self) -> str:
        """What it accepts."""
        return "a status register by name, such as mcycle, or its number from 0 to 0xfff"

    @property
    def placeholder(self) -> str:
        """A word for it."""
        return "status"

    @property
    def words(self) -> tuple[str, ...]:
        """The names."""
        return tuple(NAMES)
