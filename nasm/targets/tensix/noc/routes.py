"""The ways of packets: which links a packet takes, and the tree of a multicast.

Source: the public ISA documentation of Wormhole B0, NoC: Routing Paths, with its figures. Network
0 moves right and down, first right; network 1 moves up and left, first up. In the coordinates of
its own system each moves in the direction in which these grow, and round the torus at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nasm.isa.tile_grid import TilePlace
from nasm.targets.tensix.noc.chip_map import ChipMap

X, Y, IN, OUT = "x", "y", "in", "out"
"""The links of a router: to the next one of either axis, and from and to the tile."""


class RouterLink(NamedTuple):
    """A link of a network: that by which packets leave a router on an axis, or of its tile.

    ``wraps`` says of a link between routers that it goes round the torus.
    """

    network: int
    place: TilePlace
    axis: str
    wraps: bool = False


def _step(chip: ChipMap, at: TilePlace, axis: int) -> TilePlace:
    x, y = at
    return ((x + 1) % chip.columns, y) if axis == 0 else (x, (y + 1) % chip.rows)


def _along(
    chip: ChipMap, network: int, at: TilePlace, axis: int, until: int
) -> Iterator[tuple[RouterLink, TilePlace]]:
    """The links from a router to another one of its row or column, in the network's system."""
    while at[axis] != until:
        after = _step(chip, at, axis)
        wraps = after[axis] == 0
        yield RouterLink(network, chip.of_network(network, at), (X, Y)[axis], wraps), after
        at = after


def axes(network: int) -> tuple[int, int]:
    """The axes in the order in which a network moves along them: 0 for X, 1 for Y."""
    return (1, 0) if network else (0, 1)


def unicast(chip: ChipMap, network: int, start: TilePlace, end: TilePlace) -> list[RouterLink]:
    """The links between the routers of two places."""
    at, goal = chip.of_network(network, start), chip.of_network(network, end)
    found = []
    for axis in axes(network):
        for link, after in _along(chip, network, at, axis, goal[axis]):
            found.append(link)
            at = after
    return found


def hops(chip: ChipMap, network: int, start: TilePlace, end: TilePlace) -> int:
    """How many links are between the routers of two places."""
    at, goal = chip.of_network(network, start), chip.of_network(network, end)
    counts = chip.columns, chip.rows
    return sum((goal[axis] - at[axis]) % counts[axis] for axis in (0, 1))


def span(first: int, last: int, count: int) -> list[int]:
    """What a rectangle covers of an axis: both ends included, round the torus if they are so."""
    return [(first + n) % count for n in range((last - first) % count + 1)]


def rectangle(chip: ChipMap, network: int, first: TilePlace, last: TilePlace) -> list[TilePlace]:
    """The places of a rectangle whose corners are given in the network's own system."""
    return [
        chip.of_network(network, (x, y))
        for y in span(first[1], last[1], chip.rows)
        for x in span(first[0], last[0], chip.columns)
    ]


class TreeLink(NamedTuple):
    """A link of a tree, after that of another number (-1: after the sender), and where it leads."""

    link: RouterLink
    after: int
    place: TilePlace


Stems = list[tuple[TilePlace, int]]
"""Routers of a tree in the network's own system, each with the number of the link to it."""


def multicast(
    chip: ChipMap, network: int, start: TilePlace, first: TilePlace, last: TilePlace, major: str
) -> list[TreeLink]:
    """The tree of a multicast to a rectangle, whose corners are in the network's own system.

    Along the major axis to the rectangle's first line, along the other one through all of its
    lines, and from there along the major axis again. That a sender within the rectangle's span
    goes round the torus to its first line is assumed.
    """
    main = 0 if major == X else 1
    other = 1 - main
    found: list[TreeLink] = []

    def move(stems: Stems, axis: int, until: int) -> Stems:
        """Continue from the last stem along an axis; returns that one, and those that come."""
        at, tip = stems[-1]
        made = [(at, tip)]
        for link, after in _along(chip, network, at, axis, until):
            found.append(TreeLink(link, made[-1][1], chip.of_network(network, after)))
            made.append((after, len(found) - 1))
        return made

    stems = move([(chip.of_network(network, start), -1)], main, first[main])
    stems = move(stems, other, first[other])
    for stem in move(stems, other, last[other]):
        move([stem], main, last[main])
    return found
