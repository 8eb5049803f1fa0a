"""Registers of devices of the tile that cores and the scalar unit reach: what is modelled of them.

Sources: the pages of the debug timestamper, of soft resets and of TDMA-RISC in the public ISA
documentation. Everything else is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from nasm.base.problems import Refused
from nasm.targets.tensix import memory_map as at
from nasm.targets.tensix import streams
from nasm.targets.tensix.address_names import address_text
from nasm.targets.tensix.state import PACKERS, THREADS, UNPACKERS, Coprocessor

WINDOW: Final = 0xFFB00000
FIRST: Final = 0xFFB11000
LAST: Final = 0xFFB7FFFF
"""The first and the last address of the window that the scalar unit may use."""

WORD: Final = 0xFFFFFFFF

THCON, SRCA_OWNER, SRCB, SRCA_COLUMNS = 9, 15, 16, range(19, 23)
"""Bits of the soft reset that are modelled."""

RESET_BITS: Final = (12, 13, 14, 11, 18)
"""The bit of the soft reset that holds each RISC-V core, by the numbers of these."""

_KEPT_BITS: Final = (0, 2, 4, 6, 8)
"""From which bit on a register says what resets leave of each core: local memory, debug ones."""

_EFFECTIVE: Final = 1 << THCON | 1 << SRCA_OWNER | 1 << SRCB | sum(1 << n for n in SRCA_COLUMNS)
_BITS: Final = (1 << 23) - 1

_THCON_USERS: Final = ("configuration unit", "unpackers", "packers", "mover", "scalar unit")
_SOURCE_USERS: Final = ("matrix unit", "unpackers")
"""Units that use what is held in reset: the configuration of THCON, SrcA and SrcB."""


OVERRIDDEN_THREADS, OVERRIDDEN, _KEPT = 3, 5, 7
"""Words of ``reset_pcs`` that are none: which of the others hold, and what resets leave."""
_RESET_WORDS: Final = {
    **{
        at.RESET_PC + 4 * n: word
        for n, word in enumerate((0, 1, 2, OVERRIDDEN_THREADS, 4, OVERRIDDEN))
    },
    at.KEPT_IN_RESET: _KEPT,
}


def _clock_low(core: Coprocessor) -> int:
    core.clock_high = core.now >> 32
    return core.now & WORD


_LOADS: Final[Mapping[int, Callable[[Coprocessor], int]]] = {
    at.CLOCK_LOW: _clock_low,
    at.CLOCK_NOW: lambda core: core.now >> 32,
    at.CLOCK_HIGH: lambda core: core.clock_high,
    at.SOFT_RESET: lambda core: core.soft_reset,
}


def loading(core: Coprocessor, address: int) -> Callable[[Coprocessor], int]:
    """What reads an address; raises Refused with the device's name."""
    found = _LOADS.get(address)
    if found is None and core.chip.cores.reset_registers and address in _RESET_WORDS:
        return lambda core: int(core.reset_pcs[_RESET_WORDS[address]])
    if found is None and _streams(core, address):
        return lambda core: streams.read(core, *streams.located(address))
    if found is None:
        raise _absent(core, "a load", address)
    return found


def load(core: Coprocessor, address: int) -> int:
    """What is read at an address now; raises Refused with the device's name."""
    return loading(core, address)(core)


def store(core: Coprocessor, address: int, value: int) -> None:
    """Write a register of a device; raises Refused with the device's name."""
    if address == at.CLOCK_LOW:
        core.clock_high = core.now >> 32
    elif address in (at.CLOCK_NOW, at.CLOCK_HIGH, at.TDMA_STATUS):
        return  # by its page without effect
    elif address == at.SOFT_RESET:
        reset(core, value)
    elif core.chip.cores.reset_registers and address in _RESET_WORDS:
        core.reset_pcs[_RESET_WORDS[address]] = value
    elif _streams(core, address):
        streams.write(core, *streams.located(address), value)
    elif (
        core.chip.addresses.region_at(address).block is at.Block.TDMA
        and address & 0xFF & ~0xC0 == 0x1C
    ):
        for packer in range(PACKERS):
            if value >> 16 + packer & 1:
                core.packers[packer].offset = value & 0xFFFF
    else:
        raise _absent(core, "a store", address)


def _block(core: Coprocessor, address: int) -> at.Block:
    return core.chip.addresses.region_at(address).block


def _streams(core: Coprocessor, address: int) -> bool:
    """Whether an address is one of the overlay, whose registers are known."""
    return (
        core.chip.cores.streams and core.chip.addresses.region_at(address).block is at.Block.OVERLAY
    )


def _absent(core: Coprocessor, what: str, address: int) -> Refused:
    message = f"{what} at {address_text(address)} reaches {_block(core, address).value}"
    return Refused("E0601", f"{message}: nasm does not model that register")


def reset(core: Coprocessor, value: int) -> None:
    """Hold in reset what the bits of a value say, and what was not yet, enters it."""
    entered = value & ~core.soft_reset & _BITS
    unknown = entered & ~_EFFECTIVE
    for number, bit in enumerate(RESET_BITS):
        lines = core.lines[number] if number < THREADS else None
        if lines is None or core.coded[number]:
            unknown &= ~(1 << bit)
    if unknown:
        bits = ", ".join(str(n) for n in range(23) if unknown >> n & 1)
        message = f"bits {bits} of the soft reset are not modelled"
        raise Refused("E0601", message, f"those of {_EFFECTIVE:#x} are")
    _enter(core, entered)
    _hold(core, entered, ~value & core.soft_reset)
    core.soft_reset = value & _BITS
    for number, bit in enumerate(RESET_BITS):
        if entered >> bit & 1 and core.riscs[number].ended and core.coded[number]:
            core.restart(number)


def _hold(core: Coprocessor, entered: int, left: int) -> None:
    """What happens to RISC-V cores that enter reset, and to those that leave it.

    Instructions in front of the MOP expander are discarded, and so is what waits in mailboxes that
    the core writes; as it leaves reset, what RISC-V B has sent it. On Blackhole the local memory is
    cleared, unless a register says that it is kept; that it takes no time is assumed.
    """
    for number, bit in enumerate(RESET_BITS):
        risc = core.riscs[number]
        if entered >> bit & 1:
            risc.begins, risc.paused, risc.listens = True, False, False
            kept = int(core.reset_pcs[_KEPT]) >> _KEPT_BITS[number]
            if not kept & 2:
                risc.debug[:] = 0
                risc.watched = False
            if core.chip.cores.reset_registers and not kept & 1:
                risc.local[:] = 0
            risc.stepping = False
            for other in core.riscs:
                other.boxes = (*other.boxes[:number], (), *other.boxes[number + 1 :])
            core.discard(number)
        elif left >> bit & 1:
            risc.pc_buffer = ()


def _enter(core: Coprocessor, bits: int) -> None:
    """What happens to what enters reset."""
    matrix = core.matrix
    if bits >> THCON & 1:
        layout = core.layout
        core.config[:, layout.scalar : layout.shared] = 0
    if bits >> SRCA_OWNER & 1:
        matrix.matrix_a = matrix.unpack_a = 0
        matrix.owner_a[:] = UNPACKERS
    if bits >> SRCB & 1:
        matrix.matrix_b = matrix.unpack_b = 0
        matrix.owner_b[:] = UNPACKERS
        matrix.srcb[...] = 0
    for group, bit in enumerate(SRCA_COLUMNS):
        if bits >> bit & 1:
            matrix.srca[:, :, 4 * group : 4 * group + 4] = 0


def refuse_in_reset(core: Coprocessor, mnemonic: str, unit: str) -> None:
    """Refuse an instruction of a unit that works on what is held in reset; raises Refused."""
    of: tuple[str, ...] = _THCON_USERS if core.soft_reset >> THCON & 1 else ()
    of += _SOURCE_USERS if core.soft_reset & _EFFECTIVE & ~(1 << THCON) else ()
    if unit not in of:
        return
    raise Refused(
        "E0601",
        f"{mnemonic} starts while the soft reset is {core.soft_reset:#x}: what units do to what is "
        "held in reset is not modelled",
        "end the reset before: store 0",
    )
