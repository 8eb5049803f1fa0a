"""What a request asks for, checked: which tile, which bytes, and how a response to it looks."""

from __future__ import annotations

from typing import Final

from nasm.base.problems import Refused
from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.ethernet.commands import (
    BLOCK,
    BLOCK_BYTES,
    BROADCAST,
    BROADCAST_BYTES,
    DMA,
    NOC1,
    ORDERED,
    RD_DATA,
    RD_REQ,
    REQUESTS,
    UNDOCUMENTED,
    WR_ACK,
    WR_REQ,
    RoutingCommand,
    flag_names,
)
from nasm.targets.tensix.noc import chip_map

MOST_DMA: Final = 15 << 28
"""Bytes of the host's memory that a tile can address: 3.75 GiB (source: the same article)."""
ALIGNED: Final = 32
"""Addresses of blocks are multiples of this (source: comments of the public firmware)."""
_REPEATED: Final = BLOCK | DMA | BROADCAST


def check(command: RoutingCommand) -> None:
    """Refuse a request that has no documented meaning."""
    flags = command.flags
    names = flag_names(flags)
    if flags & ~REQUESTS:
        raise _refused(f"{names} are not all flags of requests")
    if bool(flags & WR_REQ) == bool(flags & RD_REQ):
        raise _refused(f"a request reads or writes, found {names}", "set WR_REQ or RD_REQ")
    if flags & DMA and not flags & BLOCK:
        raise _refused("DATA_BLOCK_DMA is for blocks", "set DATA_BLOCK, too")
    if flags & BROADCAST and flags & (WR_REQ | BLOCK) != WR_REQ | BLOCK:
        raise _refused("a broadcast writes a block", "set WR_REQ and DATA_BLOCK")
    if flags & BLOCK:
        _check_block(command)
    elif command.address % 4:
        raise _refused(f"a word is at a multiple of 4, found {command.address:#x}")
    if not flags & BROADCAST:
        target(command)


def _check_block(command: RoutingCommand) -> None:
    least = BROADCAST_BYTES + 4 if command.flags & BROADCAST else 4
    most = MOST_DMA if command.flags & DMA else BLOCK_BYTES
    length = command.data
    if length % 4 or not least <= length <= most:
        message = f"this block has {least} to {most:,} bytes, a multiple of 4, found {length:,}"
        raise _refused(message)
    if command.flags & DMA and command.dma_address + length > MOST_DMA:
        message = f"{length:,} bytes at {command.dma_address:#x} of the host's memory"
        raise _refused(message, f"a tile can address {MOST_DMA:,} bytes of it")
    word = command.flags & BROADCAST and length == least
    if command.address % (4 if word else ALIGNED):
        message = f"a block is at a multiple of {ALIGNED}, found {command.address:#x}"
        raise _refused(message, "move words up to there one by one")


def target(command: RoutingCommand) -> TilePlace:
    """The tile that a request is for; raises Refused where there is none."""
    return chip_map.WORMHOLE.place_of(int(bool(command.flags & NOC1)), command.noc_x, command.noc_y)


def answer(flags: int) -> int:
    """The flags of a response that has no error."""
    return (WR_ACK if flags & WR_REQ else RD_DATA) | flags & _REPEATED


def counted_blocks(command: RoutingCommand) -> int:
    """By how much a request raises the firmware's counters, and so does its response.

    A block of the host's memory is sent in blocks of 1 KiB, each of which counts; a write that is
    ordered counts once.
    """
    flags = command.flags
    if not flags & DMA or (flags & ORDERED and flags & WR_REQ):
        return 1
    header = BROADCAST_BYTES if flags & BROADCAST else 0
    return -(-(command.data - header) // (BLOCK_BYTES - header))


def _refused(message: str, hint: str = "") -> Refused:
    return Refused(UNDOCUMENTED, message, hint)
