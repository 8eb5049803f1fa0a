"""Tiles are cores: what each has is its own, and programs name them by coordinates."""

from __future__ import annotations

import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.language.printing import text
from nasm.program.program import Program
from nasm.targets import TARGETS
from nasm.targets.tensix.noc import chip_map
from tests.objects.test_round_trip import round_trip

STORES = """\
.l1 {name} u32[4] @ 0x1000 output = zeros
@t0
.cfg GPR0 = 0x1000 // 16
.cfg GPR4 = {value}
STOREIND  MemHierSel=1, Size=1, OffsetHalfReg=2, DataReg=4
"""
TWO = (
    ".target wormhole\n.tile 3, 4\n"
    + STORES.format(name="x", value=42)
    + ".tile 18, 18\n"
    + STORES.format(name="y", value=43)
)


def program(lines: str) -> Program:
    return assemble(Source("t.nasm", lines), targets=TARGETS)


def session(lines: str) -> Session:
    return Session.load(Source("t.nasm", lines), targets=TARGETS)


def test_each_tile_has_its_own_memory_threads_and_settings() -> None:
    made = session(TWO)
    report = made.run()
    assert report.ok
    assert (made.read("x")[0], made.read("y")[0]) == (42, 43)
    assert made.program.tiles == [(3, 4), (1, 1)]
    assert made.queue("3-4.t0").core == made.queue("0.t0").core == 0
    assert made.queue("1-1.t0").core == made.queue("1.t0").core == 1
    assert [e.place for e in report.engines if e.instructions] == ["3-4", "1-1"]


def test_a_tile_runs_as_it_does_alone() -> None:
    alone, both = session(TWO.partition(".tile 18")[0]).run(), session(TWO).run()
    assert (alone.ticks, alone.engines[0].cycles) == (both.ticks, both.engines[0].cycles)


def test_a_tile_without_lines_is_no_core() -> None:
    made = program(".target wormhole\n.grid 8, 10\n.tile 7, 9\n@t0 NOP")
    assert (made.cores, made.tiles) == (1, [(9, 11)])


def test_a_program_that_names_no_tile_is_as_before() -> None:
    made = program(".target wormhole\n@t0 NOP")
    assert (made.tiles, [q.engine for q in made.queues]) == ([], ["t0", "t1", "t2"])
    assert made.queue_name(0) == "t0"


def test_lines_before_the_first_tile_are_of_the_first_of_the_chip() -> None:
    made = program(".target wormhole\n@t0 NOP\n.tile 2, 1\n@t0 NOP\n.tile 1, 1\n@t0 NOP")
    assert [(q.core, len(q)) for q in made.queues if len(q)] == [(0, 2), (1, 1)]
    assert made.tiles == [(1, 1), (2, 1)]


def test_tiles_of_a_grid_are_counted_among_those_with_cores() -> None:
    lines = "\n".join(f".tile {x}, {y}\n@t0 NOP" for y in range(10) for x in range(8))
    made = program(f".target wormhole\n.grid 8, 10\n{lines}")
    # As the figure of the documentation numbers them: T0 at 1, 1; T79 at 9, 11.
    assert made.tiles == [
        (x, y) for y in chip_map.WORMHOLE.tensix_rows for x in chip_map.WORMHOLE.tensix_columns
    ]
    assert made.tiles[0] == (1, 1)
    assert made.tiles[79] == (9, 11)
    assert made.tiles[36] == (6, 5)


def test_a_text_and_an_object_of_it_are_the_same_program() -> None:
    made = program(TWO)
    again = program(text(made))
    assert (again.tiles, text(again)) == (made.tiles, text(made))
    assert round_trip(made).tiles == made.tiles


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (".tile 0, 0", "0, 0 is a DRAM tile"),
        (".tile 5, 3", "5, 3 is a DRAM tile"),
        (".tile 0, 3", "0, 3 is the PCI Express tile"),
        (".tile 0, 10", "0, 10 is the ARC tile"),
        (".tile 0, 2", "0, 2 is an empty tile"),
        (".tile 1, 6", "1, 6 is an Ethernet tile"),
        (".tile 18, 17", "18, 17 is an Ethernet tile"),
        (".tile 10, 1", "no tile 10, 1"),
        (".tile 26, 18", "no tile 26, 18"),
        (".tile 1, -1", "no tile 1, -1"),
        (".core 1", "each core of Tensix of Wormhole B0 is a tile"),
        (".grid 9, 1", "no Tensix tile in column 8 and row 0"),
        (".grid 2, 2\n.tile 2, 0", "no tile 2, 0 in a grid of 2 columns and 2 rows"),
    ],
)
def test_what_is_no_tile_with_threads_is_refused_by_what_is_there(lines: str, said: str) -> None:
    with pytest.raises(Failure) as caught:
        program(f".target wormhole\n{lines}\n@t0 NOP")
    assert caught.value.problems[0].code == "E0318"
    assert said in caught.value.problems[0].message


def test_other_machines_have_no_tiles() -> None:
    for target in ("trn1", "blackhole"):
        with pytest.raises(Failure) as caught:
            program(f".target {target}\n.tile 1, 1")
        assert caught.value.problems[0].code == "E0318"


def test_the_chip_is_as_the_figures_of_the_documentation_show_it() -> None:
    rows = ["".join(chip_map.WORMHOLE.kind_of((x, y)) for x in range(10)) for y in range(12)]
    assert rows == [
        "DEEEEDEEEE",
        "DTTTTDTTTT",
        "-TTTTDTTTT",
        "PTTTTDTTTT",
        "-TTTTDTTTT",
        "DTTTTDTTTT",
        "DEEEEDEEEE",
        "DTTTTDTTTT",
        "-TTTTDTTTT",
        "-TTTTDTTTT",
        "ATTTTDTTTT",
        "DTTTTDTTTT",
    ]


def test_coordinates_mean_what_the_tables_of_the_documentation_say() -> None:
    assert chip_map.WORMHOLE.place_of(1, 0, 0) == (9, 11)
    assert chip_map.WORMHOLE.place_of(1, 9, 11) == (0, 0)
    for network in range(2):  # translated coordinates are those of neither network
        assert chip_map.WORMHOLE.place_of(network, 16, 16) == (0, 0)
        assert chip_map.WORMHOLE.place_of(network, 17, 17) == (5, 6)
        assert chip_map.WORMHOLE.place_of(network, 18, 18) == (1, 1)
        assert chip_map.WORMHOLE.place_of(network, 22, 27) == (6, 11)
    for x in range(10):
        for y in range(12):
            assert chip_map.WORMHOLE.place_of(0, *chip_map.WORMHOLE.translated((x, y))) == (x, y)
