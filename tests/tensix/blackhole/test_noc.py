"""The networks of Blackhole: 17 columns and 12 rows, other registers, wider links.

What registers mean is of NoC/MemoryMap, and coordinates of NoC/Coordinates of Blackhole A0.
"""

from __future__ import annotations

import pytest

from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine.records import RunReport, Status
from nasm.targets import TARGETS
from nasm.targets.tensix.noc.chip_map import BLACKHOLE, DRAM, MAPS, TENSIX

REGISTERS = {
    "TARG": 0, "TARG_HI": 8, "RET": 0xC, "RET_HI": 0x14, "CTRL": 0x1C, "LEN": 0x20, "LEN_1": 0x24,
    "DATA": 0x28,
}  # fmt: skip
WRITE, MASKED, INLINE, MARKED, MULTICAST = 2, 1 << 2, 1 << 3, 1 << 4, 1 << 5

HEAD = """\
.target blackhole
.tile 4, 3
.l1 b u32[64] @ 0x2000 output = zeros
.tile 3, 3
.l1 d u32[64] @ 0x2000 output = zeros
.tile 1, 2
.l1 a u32[64] @ 0x1000 output = iota
"""


def high(x: int, y: int, x0: int = 0, y0: int = 0) -> int:
    return x | y << 6 | x0 << 12 | y0 << 18


def requested(network: int = 0, initiator: int = 0, **values: int) -> str:
    base = 0xFFB20000 + 0x10000 * network
    lines = [f"li s0, {base + 0x800 * initiator}", f"li s1, {base}"]
    for name, value in values.items():
        lines += [f"li t0, {value & 0xFFFFFFFF}", f"sw t0, {REGISTERS[name]}(s0)"]
    return "\n".join((*lines, "li t0, 1", "sw t0, 0x40(s0)")) + "\n"


ACKNOWLEDGED = "wait:\nlw t1, 0x240(s1)\nbnez t1, wait\n"


def ran(code: str, head: str = HEAD) -> tuple[Session, RunReport]:
    made = Session.load(Source("t.nasm", f"{head}{code}"), targets=TARGETS)
    report = made.run(max_cycles=100_000)
    return made, report


def words(code: str, name: str) -> list[int]:
    made, report = ran(f".rv B\n{code}")
    assert [p.message for p in (*report.problems, *report.hazards)] == []
    assert report.status is Status.FINISHED
    return [int(value) for value in made.read(name)]


def refused(code: str) -> str:
    try:
        problems = ran(code)[1].problems
    except Failure as failure:
        problems = failure.problems
    return " ".join(problem.message for problem in problems)


# -- the map


def test_the_map_has_140_tensix_tiles_and_eight_drams() -> None:
    assert MAPS["blackhole"] is BLACKHOLE
    assert (BLACKHOLE.columns, BLACKHOLE.rows) == (17, 12)
    kinds = "".join(BLACKHOLE.kinds)
    assert (kinds.count(TENSIX), kinds.count(DRAM)) == (140, 24)
    assert [len(BLACKHOLE.homes(f"dram{n}")) for n in range(8)] == [3] * 8
    assert BLACKHOLE.tensix_columns == (*range(1, 8), *range(10, 17))
    assert BLACKHOLE.tensix_rows == tuple(range(2, 12))


def test_coordinates_of_a_tensix_tile_are_the_same_on_both_networks() -> None:
    for place in ((1, 2), (7, 11), (16, 5)):
        assert BLACKHOLE.place_of(0, *place) == BLACKHOLE.place_of(1, *place) == place
        assert BLACKHOLE.of_network(1, place) == (16 - place[0], 11 - place[1])


@pytest.mark.parametrize("network", [0, 1])
def test_what_names_a_place_means_it(network: int) -> None:
    for y in range(12):
        for x in range(17):
            assert BLACKHOLE.place_of(network, *BLACKHOLE.named(network, (x, y))) == (x, y)


def test_further_coordinates_name_drams() -> None:
    found = {BLACKHOLE.place_of(0, x, y) for x in (17, 18) for y in range(12, 24)}
    assert found == set(BLACKHOLE.drams)


def test_coordinates_beyond_them_are_refused() -> None:
    with pytest.raises(Refused, match="no tile 20, 3"):
        BLACKHOLE.place_of(0, 20, 3)


# -- requests of cores


def test_a_write_moves_bytes_and_is_acknowledged() -> None:
    code = requested(
        TARG=0x1008, TARG_HI=high(1, 2), RET=0x2010, RET_HI=high(4, 3), CTRL=WRITE | MARKED, LEN=12
    )
    assert words(code + ACKNOWLEDGED, "b")[:8] == [0, 0, 0, 0, 2, 3, 4, 0]


def test_the_second_network_names_tiles_alike() -> None:
    code = requested(
        1, 3, TARG=0x1008, TARG_HI=high(1, 2), RET=0x2010, RET_HI=high(4, 3),
        CTRL=WRITE | MARKED, LEN=12,
    )  # fmt: skip
    assert words(code + ACKNOWLEDGED, "b")[4:7] == [2, 3, 4]


def test_a_mask_selects_some_of_64_bytes() -> None:
    code = requested(
        TARG=0x1000, TARG_HI=high(1, 2), RET=0x2000, RET_HI=high(4, 3),
        CTRL=WRITE | MARKED | MASKED, LEN=0xF0, LEN_1=0xF0000000,
    )  # fmt: skip
    assert words(code + ACKNOWLEDGED, "b") == [0, 1] + [0] * 13 + [15] + [0] * 48


@pytest.mark.parametrize(("network", "corners"), [(0, (4, 3, 3, 3)), (1, (3, 3, 4, 3))])
def test_a_multicast_reaches_a_rectangle_whose_corners_network_1_has_swapped(
    network: int, corners: tuple[int, int, int, int]
) -> None:
    code = requested(
        network, TARG=0x1004, TARG_HI=high(1, 2), RET=0x2000, RET_HI=high(*corners),
        CTRL=WRITE | MARKED | MULTICAST, LEN=8,
    ) + "li t2, 2\nwait:\nlw t1, 0x204(s1)\nbne t1, t2, wait\n"  # fmt: skip
    assert words(code, "b")[:3] == [1, 2, 0]
    assert words(code, "d")[:3] == [1, 2, 0]


def test_a_write_in_line_is_refused_by_the_documented_bug() -> None:
    control = WRITE | MARKED | INLINE
    code = requested(TARG=0x2000, TARG_HI=high(4, 3), CTRL=control, LEN=15, DATA=7)
    assert "not safe on Blackhole" in refused(f".rv B\n{code}")
    assert "not safe on Blackhole" in refused("@noc0 NOC_INLINE_WRITE b[0:1], 7")


def test_a_packet_has_at_most_16384_bytes() -> None:
    common = {"TARG": 0x1000, "TARG_HI": high(1, 2), "RET": 0x2000, "RET_HI": high(4, 3)}
    code = requested(**common, CTRL=WRITE | MARKED, LEN=16385)
    assert "16,384" in refused(f".rv B\n{code}")


def test_an_interface_says_where_it_is() -> None:
    code = "li s0, 0xFFB20000\nlw t0, 0x44(s0)\nlw t1, 0x148(s0)\nli s1, 0x1000\n"
    found = words(code + "sw t0, 0(s1)\nsw t1, 4(s1)\n", "a")
    assert (found[0] & 0xFFF, found[1] & 0xFFF) == (high(1, 2), high(1, 2))


# -- lines of networks


@pytest.mark.parametrize("network", [0, 1])
@pytest.mark.parametrize(("to", "hops"), [("b", 29), ("d", 29), ("e", 17), ("f", 12)])
def test_an_acknowledged_write_goes_once_round(to: str, hops: int, network: int) -> None:
    head = HEAD.replace(
        ".tile 1, 2\n",
        ".tile 16, 2\n.l1 e u32[64] @ 0x2000\n.tile 1, 9\n.l1 f u32[64] @ 0x2000\n.tile 1, 2\n"
        ".l1 clock u32[2] output\n.sem done\n",
    )
    lines = (
        f"@noc{network}\nNOC_STAMP clock[0:1]\nNOC_WRITE {to}, a $done++\n"
        "NOC_STAMP clock[1:2] $done>=1\n"
    )
    made, report = ran(lines, head)
    assert report.ok
    first, last = made.read("clock")
    # 256 bytes are four flits of 64 after the header.
    assert last - first == 1 + 9 * hops + 4 * 5 + 4


def test_a_grid_names_tensix_tiles_by_rows_of_these() -> None:
    made, _ = ran(".grid 14, 10\n.tile 13, 9\n@t0 NOP\n", ".target blackhole\n")
    assert made.program.tiles == [(16, 11)]
    assert "column 14 and row 9" in refused(".grid 15, 10\n.tile 14, 0\n@t0 NOP\n")
