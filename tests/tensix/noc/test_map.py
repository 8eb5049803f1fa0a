"""The map of the chip: what is where, and how much its links have carried."""

from __future__ import annotations

import pytest

from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.show import network_map
from nasm.targets import TARGETS

TEXT = """\
.target wormhole
.tile 2, 2
.l1 a u32[248] = iota
.tile 4, 3
.l1 b u32[248] = zeros
.tile 2, 2
@noc0 NOC_WRITE b, a
@noc0 NOC_BARRIER
"""


def session(text: str = TEXT) -> Session:
    made = Session.load(Source("t.nasm", text), targets=TARGETS)
    made.run()
    return made


def test_loads_are_the_flits_that_links_have_carried() -> None:
    found = session().engines.network()
    loads = {one.place: one.loads for row in found.rows for one in row}
    # 992 bytes are 31 flits and a header, to the right twice and then down; the answer is one flit.
    assert [loads[place][0] for place in ((2, 2), (3, 2), (4, 2))] == [(32, 0), (32, 0), (0, 32)]
    assert loads[4, 3][0] == (1, 0)
    assert loads[2, 3][0] == (0, 1)
    # Twice a packet of 32 and eight and eleven hops of the answer, of which none is on network 1.
    assert sum(sum(x[0]) for x in loads.values()) == 3 * 32 + 8 + 11
    assert not any(sum(x[1]) for x in loads.values())
    assert {one.place: one.core for row in found.rows for one in row if one.core is not None} == {
        (2, 2): 0,
        (4, 3): 1,
    }


@pytest.mark.parametrize(("width", "lines"), [(60, 16), (80, 16), (120, 16)])
def test_the_map_fits_and_is_ascii(width: int, lines: int) -> None:
    shown = network_map.shown(session().engines.network(), width, 30)
    assert len(shown) == lines
    assert all(len(line) <= width and line.isascii() for line in shown)
    row = shown[4]
    assert row.startswith(" 2 -.. t.. T2. t2. t.2 D..")
    assert ("NoC 1" in shown[0]) is (width == 120)


def test_a_program_of_one_tile_has_a_map_and_another_machine_has_none() -> None:
    assert network_map.shown(session(".target trn1\n@vector Nop").engines.network(), 80, 30) == []
