"""What the firmware does with requests, seen as the host sees it: bytes of an Ethernet tile's L1.

The host here is that of the article, written with ``struct`` alone: it knows nothing of the code
that it tests but the memory of a tile.
"""

from __future__ import annotations

import struct

import numpy as np
import pytest

from nasm.base.problems import Refused
from nasm.targets.tensix.ethernet import firmware
from nasm.targets.tensix.ethernet.commands import ChipPlace
from nasm.targets.tensix.ethernet.firmware import EthernetNetwork
from nasm.targets.tensix.ethernet.host import N300_LINKS
from nasm.targets.tensix.ethernet.tile_memories import JoinedChip
from nasm.targets.tensix.noc import chip_map

E8, E9, E10 = (9, 6), (1, 6), (8, 6)
HARVESTED = 0xFFB20110
"""ROUTER_CFG_3, which has the rows that broadcasts leave out."""


class PlainHost:
    """Pushes and pops 32 bytes, through the words of a tile of the first chip."""

    def __init__(self, network: EthernetNetwork, tile: tuple[int, int] = E8) -> None:
        self.network, self.tile = network, tile
        self.chip = network.chips[ChipPlace()]
        self.at = self.word(0x170)
        self.sq, self.cq = self.at + 128, self.at + 128 + 2 * 192

    def word(self, address: int) -> int:
        return int(struct.unpack("<I", self.chip.read(self.tile, address, 4))[0])

    def put(self, address: int, *words: int) -> None:
        self.chip.write(self.tile, address, struct.pack(f"<{len(words)}I", *words))

    def push(
        self, flags: int, address: int = 0x1000, noc: tuple[int, int] = (3, 4),
        chip: tuple[int, int] = (1, 0), data: int = 0, dma: int = 0, block: bytes = b"",
    ) -> None:  # fmt: skip
        index = self.word(self.sq + 0x20)
        if block:
            self.chip.write(self.tile, self.at + 4096 + 1024 * (index % 4), block)
        where = noc[0] << 4 | noc[1] << 10 | chip[0] << 16 | chip[1] << 22
        slot = self.sq + 0x40 + 32 * (index % 4)
        self.put(slot, address, where, data, flags, 0, 0, 0, dma)
        self.put(self.sq + 0x20, (index + 1) % 8)

    def pop(self) -> tuple[int, int, int]:
        """The flags and the word of the oldest response, and which slot it has."""
        index = self.word(self.cq + 0x30)
        assert index != self.word(self.cq + 0x20)
        slot = self.cq + 0x40 + 32 * (index % 4)
        self.put(self.cq + 0x30, (index + 1) % 8)
        return self.word(slot + 12), self.word(slot + 8), index % 4

    def do(self, flags: int, **fields: object) -> tuple[int, int, int]:
        self.push(flags, **fields)  # type: ignore[arg-type]
        self.network.run()
        return self.pop()

    def buffer(self, slot: int, count: int) -> bytes:
        return self.chip.read(self.tile, self.at + 4096 + 1024 * slot, count)

    @property
    def counters(self) -> list[int]:
        """Write requests and responses, read requests and responses, errors."""
        return [self.word(self.sq + 4 * place) for place in range(5)]


def network(**options: bool) -> EthernetNetwork:
    return EthernetNetwork([JoinedChip(ChipPlace(x)) for x in (0, 1)], N300_LINKS, **options)


def chips(host: PlainHost) -> list[JoinedChip]:
    return [host.network.chips[ChipPlace(x)] for x in (0, 1)]


DATA = bytes(range(256)) * 4


def test_the_published_program_prints_what_it_printed() -> None:
    host = PlainHost(network(), E10)
    for chip, value in zip(chips(host), (3137, 2121), strict=True):
        chip.write((8, 0), HARVESTED, value.to_bytes(4, "little"))
    found = [
        host.do(4, address=HARVESTED, noc=(8, 0), chip=(x, y))[:2] for y in (0, 1) for x in (0, 1)
    ]
    assert found == [(8, 3137), (8, 2121), (0x80000008, 0), (0x80000008, 0)]
    assert host.counters == [0, 0, 4, 4, 2]


@pytest.mark.parametrize("chip", [0, 1])
@pytest.mark.parametrize("tile", [(3, 4), (9, 0), (5, 2), E8])
def test_words_are_written_and_read_on_any_tile_of_either_chip(
    chip: int, tile: tuple[int, int]
) -> None:
    host = PlainHost(network())
    assert host.do(1, noc=tile, chip=(chip, 0), data=0x01020304)[0] == 2
    assert chips(host)[chip].read(tile, 0x1000, 4) == b"\4\3\2\1"
    assert host.do(4, noc=tile, chip=(chip, 0))[:2] == (8, 0x01020304)
    assert chips(host)[1 - chip].read((3, 4), 0x1000, 4) == bytes(4)


def test_blocks_go_through_the_buffer_of_their_slot() -> None:
    host = PlainHost(network())
    for number in range(6):
        count = 1024 - 4 * number
        block = DATA[number:] + DATA[:number]
        assert host.do(0x41, data=count, block=block[:count])[0] == 0x42
        assert chips(host)[1].read((3, 4), 0x1000, count) == block[:count]
        flags, length, slot = host.do(0x44, data=count)
        assert (flags, length, slot) == (0x48, count, (2 * number + 1) % 4)
        assert host.buffer(slot, count) == block[:count]
    assert host.counters == [6, 6, 6, 6, 0]


def test_blocks_of_the_hosts_memory_are_counted_by_1_kib_and_once_if_ordered() -> None:
    host = PlainHost(network())
    data = DATA * 3 + b"rest"
    host.network.host.write(0x10000, np.frombuffer(data, np.uint8))
    assert host.do(0x51, data=len(data), dma=0x10000)[0] == 0x52
    assert chips(host)[1].read((3, 4), 0x1000, len(data)) == data
    assert host.counters == [4, 4, 0, 0, 0]
    assert host.do(0x1051, data=len(data), dma=0x10000)[0] == 0x52
    assert host.counters == [5, 5, 0, 0, 0]
    flags, length, slot = host.do(0x54, data=len(data), dma=0x80000000)
    assert (flags, length) == (0x58, len(data))
    assert host.network.host.read(0x80000000, len(data)).tobytes() == data
    assert host.buffer(slot, 4) == bytes(4)
    assert host.counters == [5, 5, 4, 4, 0]


def test_network_1_has_coordinates_of_its_own() -> None:
    host = PlainHost(network())
    assert host.do(0x201, noc=(6, 7), data=7)[0] == 2
    assert chips(host)[1].read((3, 4), 0x1000, 4) == b"\7\0\0\0"
    assert host.do(0x204, noc=(20, 21), chip=(1, 0))[:2] == (8, 7)


def test_a_response_is_pushed_without_flags_and_filled_in_place() -> None:
    host = PlainHost(network())
    host.push(4)
    host.network.run(until=0)
    slot = host.cq + 0x40
    assert (host.word(host.sq + 0x30), host.word(host.cq + 0x20)) == (1, 1)
    assert [host.word(slot + at) for at in (0, 8, 12)] == [0x1000, 0, 0]
    host.network.run()
    assert host.word(slot + 12) == 8
    assert host.word(host.cq + 0x20) == 1


def test_indices_run_modulo_8_and_four_responses_are_full() -> None:
    host = PlainHost(network())
    for number in range(4):
        host.push(1, data=number, address=0x1000 + 4 * number)
    host.network.run()
    for _ in range(4):
        host.push(4)
    host.network.run()
    # No room for a response: the reads stay where they are.
    assert (host.word(host.sq + 0x20), host.word(host.sq + 0x30)) == (0, 4)
    assert host.word(host.cq + 0x20) == 4
    assert [host.pop() for _ in range(2)] == [(2, 0, 0), (2, 0, 1)]
    host.network.run()
    assert (host.word(host.sq + 0x30), host.word(host.cq + 0x20)) == (6, 6)
    assert [host.pop()[0] for _ in range(4)] == [2, 2, 8, 8]
    host.network.run()
    assert [host.pop()[0] for _ in range(2)] == [8, 8]
    assert host.word(host.cq + 0x30) == 0


@pytest.mark.parametrize(
    ("flags", "answer"), [(1, 2), (4, 8), (0x41, 0x42), (0x44, 0x48), (0x51, 0x52), (0x54, 0x58)]
)
def test_a_chip_that_no_link_leads_to_is_unreachable(flags: int, answer: int) -> None:
    host = PlainHost(network())
    found = host.do(flags, chip=(2, 0), data=64 if flags & 0x40 else 0, block=DATA[:64])
    assert found[0] == 0x80000000 | answer
    assert host.counters[4] == 1


def test_a_block_without_a_free_buffer_is_unavailable() -> None:
    made = network()
    hosts = PlainHost(made, E8), PlainHost(made, E10)
    for host in hosts:
        for number in range(4):
            host.push(0x1041, address=0x1000 * (number + 1), data=1024, block=DATA)
    made.run()
    found = [[host.pop()[0] for _ in range(4)] for host in hosts]
    # All eight go through E8, and E0 has four buffers; which ones find one follows from the times.
    assert sorted({*found[0], *found[1]}) == [0x42, 0x40000042]
    errors = sum(flags == 0x40000042 for flags in (*found[0], *found[1]))
    assert errors == sum(host.counters[4] for host in hosts)
    for host in hosts:  # they are free again, and a block needs no buffer of its own chip
        assert host.do(0x1041, data=1024, block=DATA)[0] == 0x42
    for host in hosts:
        for number in range(4):
            host.push(0x41, chip=(0, 0), address=0x1000 * (number + 1), data=1024, block=DATA)
    made.run()
    assert {host.pop()[0] for host in hosts for _ in range(4)} == {0x42}


@pytest.mark.parametrize(("ordered", "last"), [(0x1000, b"word"), (0, b"long")])
def test_ordered_requests_arrive_in_order_and_others_may_overtake(
    ordered: int, last: bytes
) -> None:
    host = PlainHost(network(), E10)  # no link of its own: by turns through E8 and E9
    host.network.host.write(0, np.frombuffer(b"long" * 25600, np.uint8))
    host.push(ordered | 0x51, data=102400)
    host.push(ordered | 1, data=int.from_bytes(b"word", "little"))
    host.network.run()
    assert chips(host)[1].read((3, 4), 0x1000, 4) == last


def test_latencies_are_counted_from_a_timestamp_on() -> None:
    host = PlainHost(network())
    host.do(4, chip=(0, 0))
    assert host.word(host.at) == 0
    host.do(0x404, chip=(0, 0))
    host.do(4, chip=(1, 0))
    host.do(4, chip=(0, 0), noc=E8)
    # Handled once, and over the network and back; by the link, whose 32 bytes take 2.56 cycles.
    here, there = 200 + 218, 200 + 3 + 1000 + 200 + 218 + 1000 + 3
    assert [host.word(host.at + 8 * number) for number in range(4)] == [here, there, 200, 0]
    assert (firmware.STEP, firmware.CROSSING, firmware.ON_CHIP) == (200, 1000, 218)
    for _ in range(15):
        host.do(4, chip=(0, 0))
    assert host.word(host.at + 8 * 15) == here
    host.do(0x404, chip=(1, 0))
    assert host.word(host.at) == there


def broadcast(host: PlainHost, flags: int, header: bytes, data: bytes = b"all!" * 2) -> int:
    block = header.ljust(32, b"\0") + data
    return host.do(flags, address=0x4000, data=len(block), block=block)[0]


def written(chip: JoinedChip) -> set[tuple[int, int]]:
    places = [(x, y) for x in range(10) for y in range(12)]
    return {
        tile for tile in places
        if chip.has_memory(tile) and chip.read(tile, 0x4000, 8) == b"all!" * 2
    }  # fmt: skip


TENSIX = {(x, y) for x in chip_map.WORMHOLE.tensix_columns for y in chip_map.WORMHOLE.tensix_rows}


def test_a_broadcast_writes_the_tiles_that_its_masks_leave() -> None:
    host = PlainHost(network())
    masks = struct.pack("<12xIHH", 0, 0x041, 0x021)
    assert broadcast(host, 0xC1, masks) == 0xC2
    assert [written(chip) for chip in chips(host)] == [TENSIX, TENSIX]
    assert host.counters == [1, 1, 0, 0, 0]
    host = PlainHost(network())  # not the chip at 1, 0, and of this one column 3 and row 4 alone
    assert broadcast(host, 0xC1, struct.pack("<12xIHH", 1 << 8, 0xFEF, 0x3F7)) == 0xC2
    assert [written(chip) for chip in chips(host)] == [{(3, 4)}, set()]
    host = PlainHost(network())  # as network 1 counts them
    assert broadcast(host, 0x2C1, struct.pack("<12xIHH", 1 << 0, 0xFEF, 0x3F7)) == 0xC2
    assert [written(chip) for chip in chips(host)] == [set(), {(6, 7)}]
    host = PlainHost(network())  # this shelf is left out
    assert broadcast(host, 0xC1, b"\1") == 0xC2
    assert [written(chip) for chip in chips(host)] == [set(), set()]


def test_a_broadcast_of_the_hosts_memory_has_its_header_there() -> None:
    host = PlainHost(network())
    block = struct.pack("<12xIHH12x", 0, 0xFEF, 0x3F7) + b"all!" * 500
    host.network.host.write(64, np.frombuffer(block, np.uint8))
    assert host.do(0xD1, address=0x4000, data=len(block), dma=64)[0] == 0xD2
    assert [written(chip) for chip in chips(host)] == [{(3, 4)}, {(3, 4)}]
    assert host.counters == [3, 3, 0, 0, 0]  # 2,000 bytes, 992 in each block


def test_firmware_that_only_counts_writes_answers_reads() -> None:
    host = PlainHost(network(answers_writes=False))
    host.push(1, data=5)
    host.push(4)
    host.network.run()
    assert host.word(host.cq + 0x20) == 1
    assert host.pop() == (8, 5, 0)
    assert host.counters == [1, 1, 1, 1, 0]


def test_more_chips_are_reached_over_the_fewest_links() -> None:
    places = [ChipPlace(x, y, rack, shelf) for x, y, rack, shelf in
              ((0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 0), (0, 0, 1, 0), (3, 3, 0, 1))]  # fmt: skip
    links = [((places[0], 8), (places[1], 0)), ((places[1], 4), (places[2], 4)),
             ((places[2], 6), (places[3], 9)), ((places[0], 1), (places[3], 1))]  # fmt: skip
    made = EthernetNetwork([JoinedChip(place) for place in places], links)
    host = PlainHost(made)
    assert host.do(1, chip=(1, 1), data=9)[0] == 2
    assert made.chips[places[2]].read((3, 4), 0x1000, 4) == b"\11\0\0\0"
    assert host.do(4, chip=(3, 3))[0] == 0x80000008
    index = host.word(host.sq + 0x20)
    slot = host.sq + 0x40 + 32 * (index % 4)
    host.put(slot, 0x1000, 3 << 4 | 4 << 10, 6, 0x1, 1, 0, 0, 0)  # rack 1
    host.put(host.sq + 0x20, (index + 1) % 8)
    made.run()
    assert host.pop()[0] == 2
    assert made.chips[places[3]].read((3, 4), 0x1000, 4) == b"\6\0\0\0"


def test_what_cannot_be_done_is_refused_before_it_is_popped() -> None:
    for fields, said in (
        ({"flags": 4, "noc": (0, 10)}, "0, 10 is the ARC tile"),
        ({"flags": 4, "address": 0x16E000}, "its memory ends at 0x16dfff"),
        ({"flags": 4, "noc": (9, 0), "address": 0x40000}, "its memory ends at 0x3ffff"),
        ({"flags": 6}, "are not all flags of requests"),
    ):
        host = PlainHost(network())
        host.push(**fields)  # type: ignore[arg-type]
        with pytest.raises(Refused) as caught:
            host.network.run()
        assert said in f"{caught.value}; {caught.value.hint}"
        assert host.word(host.sq + 0x30) == 0
    host = PlainHost(network())
    host.put(host.sq + 0x20, 5)
    with pytest.raises(Refused, match="of a queue of 4 commands"):
        host.network.run()


def test_links_join_free_ports_of_two_chips() -> None:
    both = [JoinedChip(ChipPlace(x)) for x in (0, 1)]
    here, there = (ChipPlace(), 8), (ChipPlace(1), 0)
    for links in (
        [(here, (ChipPlace(), 9))], [(here, (ChipPlace(2), 0))], [(here, (ChipPlace(1), 16))],
        [(here, there), (here, (ChipPlace(1), 1))],
    ):  # fmt: skip
        with pytest.raises(Refused, match="cannot be an end of this link"):
            EthernetNetwork(both, links)
    with pytest.raises(Refused, match="two chips are at one place"):
        EthernetNetwork([both[0], both[0]], [])
