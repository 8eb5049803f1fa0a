"""When packets are where: hand-worked ticks, with links to themselves and with others on them."""

from __future__ import annotations

from typing import Any

import pytest

from nasm.base.problems import Refused
from nasm.isa.effects import Packet
from nasm.isa.network import Crossing
from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.noc import chip_map, links
from nasm.targets.tensix.noc.links import Links


def send(
    held: Links, sender: TilePlace, to: tuple[int, ...], now: int = 0, count: int = 4, **more: Any
) -> list[Crossing]:
    packet = Packet(more.pop("network", 0), count, 0, 0, to, **more)
    return list(held.cross(packet, sender, held.receivers(packet, sender), now))


def landed(held: Links, *where: Any, **more: Any) -> int:
    return send(held, *where, reply=False, **more)[0].landed


@pytest.mark.parametrize(
    ("chip", "expected"),
    [(chip_map.WORMHOLE, [1, 2, 2, 3, 257]), (chip_map.BLACKHOLE, [1, 2, 2, 2, 129])],
)
def test_a_packet_has_a_header_and_flits_as_long_as_the_links_are_wide(
    chip: chip_map.ChipMap, expected: list[int]
) -> None:
    packets = [Packet(0, n, 0, 0, (2, 2)) for n in (0, 1, 32, 33, 8192)]
    assert [Links(chip).occupied(packet) for packet in packets] == expected


def test_nothing_reaches_another_tile_in_less_than_19_cycles() -> None:
    one = landed(Links(chip_map.WORMHOLE), (1, 1), (2, 1), data=b"1234")
    assert one == 5 + 9 + 5 == 19
    assert landed(Links(chip_map.WORMHOLE), (1, 1), (1, 1), data=b"1234") == 5 + 5


@pytest.mark.parametrize(
    ("to", "round_trip"), [((2, 1), 90), ((9, 1), 90), ((1, 2), 108), ((1, 11), 108), ((2, 2), 198)]
)
@pytest.mark.parametrize("network", [0, 1])
def test_an_acknowledged_write_takes_the_published_cycles(
    to: tuple[int, int], round_trip: int, network: int
) -> None:
    own = (9 - to[0], 11 - to[1]) if network else to
    (found,) = send(Links(chip_map.WORMHOLE), (1, 1), own, data=b"1234", network=network)
    assert found.known == round_trip + 20


def test_a_longer_packet_lands_with_its_last_flit() -> None:
    # 64 bytes are two flits after the header: two cycles after that.
    assert landed(Links(chip_map.WORMHOLE), (1, 1), (3, 1), count=64) == 5 + 2 * 9 + 5 + 2


def test_a_read_asks_with_one_flit_and_the_bytes_come_the_rest_of_the_way() -> None:
    (found,) = send(Links(chip_map.WORMHOLE), (1, 1), (4, 1), count=2048, fetches=True)
    assert found.taken == 5 + 3 * 9 + 5
    assert found.landed == found.taken + 5 + 7 * 9 + 5 + 64
    assert found.known == found.landed


def test_of_two_packets_on_one_link_the_second_waits_until_the_first_has_passed() -> None:
    held = Links(chip_map.WORMHOLE)
    # Both turn into column 4 at row 1: 65 flits of the first are on the way from cycle 5 + 27 on.
    first = landed(held, (1, 1), (4, 3), count=2048)
    second = landed(held, (3, 1), (4, 5), count=32, now=20)
    assert first == 5 + 5 * 9 + 5 + 64
    # The link from 3, 1 to 4, 1 is free at 5 + 18 + 65 = 88, where the head is at 25.
    assert second == 88 + 5 * 9 + 5 + 1


def test_packets_that_cross_in_a_router_do_not_disturb_each_other() -> None:
    held = Links(chip_map.WORMHOLE)
    send(held, (1, 3), (9, 3), count=8192)
    assert landed(held, (4, 1), (4, 9), count=32) == 5 + 8 * 9 + 5 + 1


def test_the_other_network_is_another_one() -> None:
    held = Links(chip_map.WORMHOLE)
    send(held, (1, 1), (4, 1), count=8192)
    assert landed(held, (4, 1), (8, 10), network=1, count=32) == 5 + 3 * 9 + 5 + 1


def test_a_short_packet_takes_a_gap_before_one_that_comes_later() -> None:
    held = Links(chip_map.WORMHOLE)
    # The first is on the link from 8, 1 to 9, 1 from cycle 5 + 7 * 9 = 68 on.
    send(held, (1, 1), (9, 1), count=8192, reply=False)
    assert landed(held, (8, 1), (9, 1), count=32, now=40) == 40 + 5 + 9 + 5 + 1
    # This one would still be there at 68, and waits for all 257 flits.
    assert landed(held, (8, 1), (9, 1), count=1024, now=50) == 68 + 257 + 9 + 5 + 32


def test_packets_of_one_static_channel_keep_their_order() -> None:
    held, vc = Links(chip_map.WORMHOLE), (("vc", 1),)
    send(held, (1, 2), (4, 4), count=8192, options=vc, reply=False)
    first = landed(held, (1, 1), (4, 5), count=8192, options=vc)
    # The same way, later, and there is a gap in front of it in column 4.
    second = landed(held, (1, 1), (4, 5), count=32, options=vc, now=1)
    assert second > first


def test_a_multicast_is_on_each_link_of_its_tree_once() -> None:
    held = Links(chip_map.WORMHOLE)
    options = (("major", "x"),)
    found = send(held, (2, 2), (3, 5, 7, 9), count=32, options=options, reply=False)
    assert {crossing.place for crossing in found} == {
        (x, y) for x in (3, 4, 6, 7) for y in (5, 7, 8, 9)
    }
    for crossing in found:
        x, y = crossing.place
        assert crossing.landed == 5 + 9 * (x - 2 + y - 2) + 5 + 1
    hops = {link for link in held.loads if link.axis in "xy"}
    assert len(hops) == 28
    assert set(held.loads.values()) == {2}


def test_each_receiver_acknowledges_a_multicast() -> None:
    options = (("major", "x"),)
    found = send(Links(chip_map.WORMHOLE), (1, 1), (2, 1, 4, 1), data=b"1234", options=options)
    # Each goes round the row, and there meets those before it: they are one cycle apart.
    assert [crossing.known for crossing in found] == [110, 111, 112]


@pytest.mark.parametrize(
    ("to", "options"),
    [((5, 1, 5, 11), ()), ((1, 6, 9, 6), ()), ((1, 1, 1, 1), ()), ((0, 0, 0, 11), ())],
)
def test_a_multicast_that_nothing_receives_is_refused(
    to: tuple[int, ...], options: tuple[tuple[str, object], ...]
) -> None:
    with pytest.raises(Refused, match="no tile receives"):
        send(Links(chip_map.WORMHOLE), (1, 1), to, options=options)


def test_the_sender_receives_its_multicast_only_if_it_says_so() -> None:
    options = (("major", "x"),)
    without = send(Links(chip_map.WORMHOLE), (1, 1), (1, 1, 2, 1), options=options)
    included = send(
        Links(chip_map.WORMHOLE), (1, 1), (1, 1, 2, 1), options=(*options, ("include", True))
    )
    assert [c.place for c in without] == [(2, 1)]
    assert [c.place for c in included] == [(1, 1), (2, 1)]


def test_what_is_in_the_links_is_saved_and_restored() -> None:
    held = Links(chip_map.WORMHOLE)
    send(held, (1, 1), (9, 1), count=8192)
    saved = held.save()
    after = landed(held, (8, 1), (9, 1), count=1024, now=50)
    held.restore(saved)
    assert landed(held, (8, 1), (9, 1), count=1024, now=50) == after


def test_the_figures_are_those_of_the_documentation() -> None:
    assert (links.ENTRY, links.HOP, links.EXIT) == (5, 9, 5)
    assert (chip_map.WORMHOLE.flit, chip_map.WORMHOLE.most_bytes) == (32, 8192)
    assert (chip_map.BLACKHOLE.flit, chip_map.BLACKHOLE.most_bytes) == (64, 16384)
