"""The records of the base firmware's queues, against bytes worked by hand from the article."""

from __future__ import annotations

import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.ethernet import commands
from nasm.targets.tensix.ethernet.commands import BroadcastHeader, ChipPlace, RoutingCommand
from nasm.targets.tensix.ethernet.requests import check
from nasm.targets.tensix.ethernet.tile_memories import ethernet_tile


def test_flags_have_the_published_bits() -> None:
    assert {row.name: row.value for row in commands.FLAGS} == {
        "WR_REQ": 1, "WR_ACK": 2, "RD_REQ": 4, "RD_DATA": 8, "DATA_BLOCK_DMA": 0x10,
        "DATA_BLOCK": 0x40, "BROADCAST": 0x80, "USE_NOC1": 0x200, "TIMESTAMP": 0x400,
        "ORDERED": 0x1000, "DATA_BLOCK_UNAVAILABLE": 0x40000000, "DEST_UNREACHABLE": 0x80000000,
    }  # fmt: skip
    assert commands.flag_names(0x80000008) == "RD_DATA|DEST_UNREACHABLE"
    assert commands.flag_names(0x2001) == "WR_REQ|0x2000"


def test_the_structure_is_laid_out_as_published() -> None:
    assert (commands.SUBMISSIONS, commands.COMPLETIONS, commands.BUFFERS) == (128, 512, 4096)
    assert commands.STRUCTURE_BYTES == 8192
    assert commands.CONTENTS + 4 * 32 == commands.QUEUE_BYTES == 192


def test_every_field_of_a_command_is_at_its_place() -> None:
    made = RoutingCommand(
        0x11223344, 7, 9, ChipPlace(5, 6, 3, 2), 0xDEADBEEF, 0x80001041, 0x12345678
    )
    # 7 << 4 | 9 << 10 is 0x2470, 5 | 6 << 6 is 0x185, 3 | 2 << 8 is 0x203.
    by_hand = bytes.fromhex(
        "44332211 7024 8501 efbeadde 41100080 0302 0000 0000 0000 0000 0000 78563412"
    )
    assert made.pack() == by_hand
    assert RoutingCommand.unpack(by_hand) == made


def test_the_header_of_a_broadcast_is_laid_out_as_published() -> None:
    shelves = bytes([0, 0x81, *bytes(10)])
    made = BroadcastHeader(shelves, chips=0x102, rows=0x041, columns=0x021)
    by_hand = bytes.fromhex("0081" + "00" * 10 + "02010000 4100 2100" + "00" * 12)
    assert made.pack() == by_hand
    assert BroadcastHeader.unpack(by_hand) == made
    # Bit 8x + y of the chips; shelves 0 and 7 of rack 1.
    skipped = [ChipPlace(0, 1), ChipPlace(1, 0), ChipPlace(5, 5, 1, 0), ChipPlace(0, 0, 1, 7)]
    assert all(made.skips(chip) for chip in skipped)
    assert not any(made.skips(chip) for chip in (ChipPlace(), ChipPlace(0, 0, 1, 1)))


def test_ethernet_tiles_are_where_the_article_has_them() -> None:
    assert (ethernet_tile(2), ethernet_tile(10)) == ((8, 0), (8, 6))
    assert len({ethernet_tile(number) for number in range(16)}) == 16
    with pytest.raises(Refused, match="no Ethernet tile E16"):
        ethernet_tile(16)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"flags": 0}, "reads or writes, found 0"),
        ({"flags": 5}, "reads or writes, found WR_REQ|RD_REQ"),
        ({"flags": 3}, "WR_REQ|WR_ACK are not all flags of requests"),
        ({"flags": 0x2001}, "0x2000 are not all flags"),
        ({"flags": 0x11}, "DATA_BLOCK_DMA is for blocks"),
        ({"flags": 0x81}, "a broadcast writes a block"),
        ({"flags": 0xC4}, "a broadcast writes a block"),
        ({"flags": 4, "address": 2}, "a word is at a multiple of 4, found 0x2"),
        ({"flags": 0x41, "data": 1028}, "4 to 1,024 bytes, a multiple of 4, found 1,028"),
        ({"flags": 0x41, "data": 6}, "a multiple of 4, found 6"),
        ({"flags": 0x44, "data": 0}, "found 0"),
        ({"flags": 0xC1, "data": 32}, "36 to 1,024 bytes"),
        ({"flags": 0x41, "data": 8, "address": 16}, "a multiple of 32, found 0x10"),
        ({"flags": 0xC1, "data": 40, "address": 4}, "a multiple of 32, found 0x4"),
        ({"flags": 0x51, "data": 64, "dma_address": 0xEFFFFFE0}, "of the host's memory"),
        ({"flags": 4, "noc_x": 12}, "no tile 12, 1"),
        ({"flags": 4, "noc_y": 12}, "no tile 1, 12"),
    ],
)
def test_a_request_without_a_documented_meaning_is_refused(
    fields: dict[str, int], said: str
) -> None:
    with pytest.raises(Refused) as caught:
        check(RoutingCommand(**({"noc_x": 1, "noc_y": 1} | fields)))  # type: ignore[arg-type]
    assert said in str(caught.value)


def test_fields_that_do_not_fit_are_refused() -> None:
    for made in (
        RoutingCommand(1 << 32), RoutingCommand(noc_x=64), RoutingCommand(data=-1),
        RoutingCommand(chip=ChipPlace(64)), RoutingCommand(chip=ChipPlace(rack=256)),
    ):  # fmt: skip
        with pytest.raises(Refused, match="bits, found"):
            made.pack()
    with pytest.raises(Refused, match="32 bytes, found 31"):
        RoutingCommand.unpack(bytes(31))
    with pytest.raises(Refused, match="the firmware's"):
        BroadcastHeader.unpack(bytes(20) + b"\1" + bytes(11))
    with pytest.raises(Refused, match="12 racks, found 1"):
        BroadcastHeader(b"\0").pack()
