"""The ways of packets, compared with the figures of the documentation and with plain loops."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.noc import chip_map, routes
from tests.parts import part

PLACES = [(x, y) for x in range(10) for y in range(12)]


def walked(network: int, start: TilePlace, end: TilePlace) -> Iterator[tuple[TilePlace, str]]:
    """Right then down, or up then left, one hop after the other."""
    x, y = start
    if network == 0:
        while x != end[0]:
            yield (x, y), "x"
            x = (x + 1) % 10
        while y != end[1]:
            yield (x, y), "y"
            y = (y + 1) % 12
    else:
        while y != end[1]:
            yield (x, y), "y"
            y = (y - 1) % 12
        while x != end[0]:
            yield (x, y), "x"
            x = (x - 1) % 10


@pytest.mark.parametrize("network", [0, 1])
def test_each_route_turns_once_and_never_back(network: int) -> None:
    for start, end in part(list(itertools.product(PLACES, PLACES)), 2000):
        found = [
            (link.place, link.axis)
            for link in routes.unicast(chip_map.WORMHOLE, network, start, end)
        ]
        assert found == list(walked(network, start, end))
        assert routes.hops(chip_map.WORMHOLE, network, start, end) == len(found)


def test_there_and_back_is_once_round_each_axis_on_which_places_differ() -> None:
    for network in range(2):
        for start, end in part(list(itertools.product(PLACES, PLACES)), 2000):
            both = routes.hops(chip_map.WORMHOLE, network, start, end) + routes.hops(
                chip_map.WORMHOLE, network, end, start
            )
            assert both == 10 * (start[0] != end[0]) + 12 * (start[1] != end[1])


def test_links_wrap_where_they_go_from_the_last_line_to_the_first() -> None:
    (link,) = routes.unicast(chip_map.WORMHOLE, 0, (9, 4), (0, 4))
    assert link.wraps
    (link,) = routes.unicast(chip_map.WORMHOLE, 1, (0, 4), (9, 4))
    assert link.wraps
    assert not routes.unicast(chip_map.WORMHOLE, 0, (3, 4), (4, 4))[0].wraps


# The figures of RoutingPaths: from 2, 2 to the rectangle 3, 5 to 7, 9 on network 0.
ROWS = range(5, 10)
MAJOR_X = {((2, 2), "x")}
MAJOR_X |= {((3, y), "y") for y in range(2, 9)}
MAJOR_X |= {((x, y), "x") for x in range(3, 7) for y in ROWS}
MAJOR_Y = {((2, y), "y") for y in range(2, 5)}
MAJOR_Y |= {((x, 5), "x") for x in range(2, 7)}
MAJOR_Y |= {((x, y), "y") for x in range(3, 8) for y in range(5, 9)}


def tree(network: int, start: TilePlace, major: str) -> list[routes.TreeLink]:
    corners = (3, 5), (7, 9)
    return routes.multicast(chip_map.WORMHOLE, network, start, *corners, major)


@pytest.mark.parametrize(("major", "figure"), [("x", MAJOR_X), ("y", MAJOR_Y)])
def test_a_multicast_spreads_as_the_figures_show(
    major: str, figure: set[tuple[TilePlace, str]]
) -> None:
    found = tree(0, (2, 2), major)
    assert len(found) == len(figure)
    assert {(branch.link.place, branch.link.axis) for branch in found} == figure


@pytest.mark.parametrize("major", ["x", "y"])
def test_network_1_spreads_as_network_0_does_seen_from_its_own_corner(major: str) -> None:
    turned = {
        (chip_map.WORMHOLE.of_network(1, branch.link.place), branch.link.axis)
        for branch in tree(1, chip_map.WORMHOLE.of_network(1, (2, 2)), major)
    }
    assert turned == {(b.link.place, b.link.axis) for b in tree(0, (2, 2), major)}


def test_each_place_of_a_rectangle_is_reached_whatever_its_corners() -> None:
    for first, last in part(list(itertools.product(PLACES, PLACES)), 60):
        for network, major in itertools.product((0, 1), "xy"):
            places = routes.rectangle(chip_map.WORMHOLE, network, first, last)
            reached = [
                b.place
                for b in routes.multicast(chip_map.WORMHOLE, network, (4, 4), first, last, major)
            ]
            columns = (last[0] - first[0]) % 10 + 1
            assert len(set(places)) == len(places) == columns * ((last[1] - first[1]) % 12 + 1)
            assert set(places) - {(4, 4)} <= set(reached)


def test_a_rectangle_goes_round_the_torus() -> None:
    found = routes.rectangle(chip_map.WORMHOLE, 0, (8, 11), (1, 0))
    assert found == [(8, 11), (9, 11), (0, 11), (1, 11), (8, 0), (9, 0), (0, 0), (1, 0)]
