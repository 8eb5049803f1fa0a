"""Where ranks are and which links they take, against what AWS prints of its instances."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from nasm.base.problems import Refused
from nasm.targets.neuron.collectives.topology import NAMED, ChipLink, Topology, named, usual
from tests.parts import part

CONNECTED = {
    0: (12, 3, 4, 1), 1: (13, 0, 5, 2), 2: (14, 1, 6, 3), 3: (15, 2, 7, 0),
    4: (0, 7, 8, 5), 5: (1, 4, 9, 6), 6: (2, 5, 10, 7), 7: (3, 6, 11, 4),
    8: (4, 11, 12, 9), 9: (5, 8, 13, 10), 10: (6, 9, 14, 11), 11: (7, 10, 15, 8),
    12: (8, 15, 0, 13), 13: (9, 12, 1, 14), 14: (10, 13, 2, 15), 15: (11, 14, 3, 12),
}  # fmt: skip
"""'Connected devices' of AWS's neuron-ls guide, on a Trn2 instance with LNC 2."""

TRN2, ULTRA = named("trn2.48xlarge"), named("trn2-ultraserver")


def test_the_neighbours_are_those_that_neuron_ls_prints() -> None:
    for chip, others in CONNECTED.items():
        near = [c for c in range(16) if len(TRN2.route(chip, c)) == 1]
        assert sorted(near) == sorted(others)
    # its column 'NEURON CORE IDS': 0-3 on device 0, 20-23 on device 5
    assert [TRN2.chip(rank) for rank in (0, 3, 4, 20, 23, 63)] == [0, 0, 1, 5, 5, 15]


def test_a_route_is_as_short_as_the_graph_allows() -> None:
    for source in range(16):
        distance, edge = {source: 0}, {source}
        while edge:
            edge = {n for chip in edge for n in CONNECTED[chip]} - set(distance)
            distance |= dict.fromkeys(edge, max(distance.values()) + 1)
        for target in range(16):
            links = TRN2.route(source, target)
            assert len(links) == distance[target]
            chips = [source, *(link.target for link in links)]
            assert chips[-1] == target
            assert all(b in CONNECTED[a] for a, b in pairwise(chips))


def test_equal_ways_round_are_taken_ascending() -> None:
    assert TRN2.route(0, 2) == (
        ChipLink("neuronlink_bytes_per_ns", 0, 1),
        ChipLink("neuronlink_bytes_per_ns", 1, 2),
    )


def test_an_ultraserver_joins_the_same_chips_of_four_instances_in_a_ring() -> None:
    z = "neuronlink_z_bytes_per_ns"
    assert ULTRA.ranks == 256
    assert ULTRA.route(5, 21) == (ChipLink(z, 5, 21),)
    assert ULTRA.route(5, 53) == (ChipLink(z, 5, 53),)
    assert [link.figure for link in ULTRA.route(0, 16 + 1)] == ["neuronlink_bytes_per_ns", z]


def test_instances_are_connected_by_efa_alone() -> None:
    assert TRN2.links(0, 64) == (
        ChipLink("efa_bytes_per_ns", 0, -1),
        ChipLink("efa_bytes_per_ns", -1, 16),
    )
    assert [TRN2.domain(rank) for rank in (0, 63, 64)] == [0, 0, 1]


def test_ranks_of_a_chip_take_no_link_and_routes_that_cross_share_one() -> None:
    assert TRN2.links(0, 3) == ()
    assert TRN2.shared((0, 8), (4, 8)) == (ChipLink("neuronlink_bytes_per_ns", 1, 2),)
    assert TRN2.shared((0, 4), (4, 0)) == ()  # the two directions of one link


def test_switches_take_two_links_and_racks_one_more() -> None:
    rack = named("trn3-gen2-ultraserver")
    assert rack.chips == 144
    assert [link.figure for link in rack.route(0, 3)] == ["switch_server_bytes_per_ns"] * 2
    assert [link.figure for link in rack.route(0, 4)] == ["switch_rack_bytes_per_ns"] * 2
    assert [link.figure for link in rack.route(0, 72)] == ["rack_link_bytes_per_ns"]
    assert [link.figure for link in rack.route(0, 73)] == [
        "rack_link_bytes_per_ns",
        "switch_server_bytes_per_ns",
        "switch_server_bytes_per_ns",
    ]


@pytest.mark.parametrize("first", [0, 16])
def test_the_cycles_of_an_instance_share_no_link(first: int) -> None:
    # AWS: two non-overlapping Hamiltonian cycles on the torus of all 16 chips; four channels
    chips = tuple(range(first, first + 16))
    cycles = ULTRA.cycles(chips)
    assert len(cycles) == 4
    used: Counter[ChipLink] = Counter()
    for cycle in cycles:
        assert sorted(cycle) == list(chips)
        for a, b in pairwise((*cycle, cycle[0])):
            (link,) = ULTRA.route(a, b)
            used[link] += 1
    assert set(used.values()) == {1}
    assert len(used) == 64  # all of them


@pytest.mark.parametrize(
    ("chips", "channels"), [((0, 1), 1), ((0, 1, 2, 3), 2), (tuple(range(8)), 2), ((3,), 1)]
)
def test_a_part_of_an_instance_has_one_cycle_in_both_directions(
    chips: tuple[int, ...], channels: int
) -> None:
    cycles = TRN2.cycles(chips)
    assert len(cycles) == channels
    assert all(sorted(cycle) == list(chips) for cycle in cycles)
    if len(chips) > 1:
        assert all(len(TRN2.route(a, b)) == 1 for a, b in pairwise(cycles[0]))


def test_a_cycle_through_an_ultraserver_takes_one_link_at_a_time() -> None:
    (cycle, _) = ULTRA.cycles(tuple(range(64)))
    assert sorted(cycle) == list(range(64))
    assert all(len(ULTRA.route(a, b)) == 1 for a, b in pairwise((*cycle, cycle[0])))


@pytest.mark.parametrize("topology", NAMED, ids=lambda t: t.name)
def test_every_figure_of_a_route_is_known(topology: Topology) -> None:
    for chip in part(range(topology.chips + 1), 20):
        for link in topology.route(0, chip):
            assert topology.fact(link.figure).value > 0


def test_the_sizes_are_those_of_the_pages() -> None:
    # AWS, Trn1, Trn2 and Trn3 architecture: chips; logical cores with the default configuration
    sizes = {t.name: (t.chips, t.ranks) for t in NAMED}
    assert sizes == {
        "trn1.2xlarge": (1, 2),
        "trn1.32xlarge": (16, 32),
        "trn1n.32xlarge": (16, 32),
        "trn2.48xlarge": (16, 64),
        "trn2u.48xlarge": (16, 64),
        "trn2-ultraserver": (64, 256),
        "trn3-gen1-ultraserver": (64, 256),
        "trn3-gen2-ultraserver": (144, 576),
    }
    assert usual("v3", 1).ranks == 128


def test_a_name_that_there_is_not_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refused) as refused:
        named("trn2.48xlrage")
    assert refused.value.hint == "did you mean 'trn2.48xlarge' or 'trn2u.48xlarge'?"
