"""Registers of idle streams of the NoC overlay, as memory that cores, threads and waits share.

Sources: the pages of the overlay in the public ISA documentation of Wormhole B0, which that of
Blackhole A0 refers to; numbers of registers from the vendor's headers of Blackhole. Streams that
move messages are not modelled: a stream stays idle, and has received none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from nasm.base.problems import Refused
from nasm.targets.tensix.memory_map import OVERLAY
from nasm.targets.tensix.state import STREAM_WORDS, Coprocessor


class StreamRegister(NamedTuple):
    """A register of a stream: its name, the word that holds it or -1, and its bits."""

    name: str
    word: int
    width: int


SOURCE, START, SIZE, BASE, PHASE, HEADER, SPACE = range(STREAM_WORDS)

REGISTERS: Final[Mapping[int, StreamRegister]] = {
    4: StreamRegister("STREAM_REMOTE_SRC", SOURCE, 24),
    8: StreamRegister("STREAM_REMOTE_DEST_BUF_START", START, 17),
    10: StreamRegister("STREAM_REMOTE_DEST_BUF_SIZE", SIZE, 17),
    28: StreamRegister("STREAM_CURR_PHASE_BASE", BASE, 20),
    29: StreamRegister("STREAM_CURR_PHASE", PHASE, 20),
    34: StreamRegister("STREAM_PHASE_AUTO_CFG_HEADER", HEADER, 20),
    259: StreamRegister("STREAM_NUM_MSGS_RECEIVED", -1, 20),
    270: StreamRegister("STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE", -1, 17),
    297: StreamRegister("STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE", SPACE, 17),
}
"""By number, on Blackhole."""

PHASE_NUMBER, RECEIVED_NUMBER, UPDATE_NUMBER, SPACE_NUMBER = 29, 259, 270, 297


def located(address: int) -> tuple[int, int]:
    """The stream and the number of the register at an address of the overlay."""
    return (address - OVERLAY) >> 12, (address & 0xFFF) >> 2


def _known(number: int) -> StreamRegister:
    found = REGISTERS.get(number)
    if found is None:
        raise Refused("E0601", f"register {number} of a stream of the overlay is not modelled")
    return found


def read(core: Coprocessor, stream: int, number: int) -> int:
    """A register of a stream; raises Refused for one that is not modelled."""
    register, held = _known(number), core.streams[stream]
    if number == RECEIVED_NUMBER:
        return 0
    if number == UPDATE_NUMBER:
        raise Refused("E0701", f"{register.name} is only written")
    value = int(held[register.word])
    if register.word == PHASE:
        return value - int(held[BASE]) & 0xFFFFF
    return value << 12 if register.word == HEADER else value


def write(core: Coprocessor, stream: int, number: int, value: int) -> None:
    """Write a register of a stream; raises Refused for one that is not modelled."""
    register, held = _known(number), core.streams[stream]
    mask = (1 << register.width) - 1
    if number in (RECEIVED_NUMBER, SPACE_NUMBER):
        return  # they are only read
    if number == UPDATE_NUMBER:
        if value & 0x3F:
            raise Refused("E0601", f"{register.name} of a further receiver is not modelled")
        held[SPACE] = int(held[SPACE]) + (value >> 6) & mask
    elif register.word == PHASE:
        held[PHASE] = value + int(held[BASE]) & mask
    elif register.word == HEADER:
        held[HEADER] = value >> 12
        held[PHASE] = int(held[PHASE]) + (value & 0xFFF) & 0xFFFFF
    else:
        held[register.word] = value & mask
        if register.word == SIZE:
            held[SPACE] = value & mask
    core.streams_changed()


def selected(core: Coprocessor, thread: int, which: int) -> int:
    """The stream that a thread names by one of its four words."""
    return _own_field(core, thread, f"STREAM_ID_SYNC_SEC{which}_BankSel")


def target(core: Coprocessor, thread: int, counts: int, low: int) -> int:
    """What a thread waits for: the upper bits are in its words, of phases or of messages."""
    name = ("STREAMWAIT_PHASE_HI_Val", "STREAMWAIT_NUM_MSGS_HI_Val")[counts]
    return _own_field(core, thread, name) << 10 | low


def _own_field(core: Coprocessor, thread: int, name: str) -> int:
    at = core.layout.fields[name]
    return int(core.threads[thread].config[at.word]) >> at.shift & at.mask
