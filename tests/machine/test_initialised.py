"""Which bytes are initialised, against a shadow of every byte."""

from __future__ import annotations

import random

import pytest

import nasm
from nasm.views.regions import Region
from tests.parts import part

HEAD = """\
.target trn2
.sbuf a f32[64, 16] @ 0:0
.sbuf b f32[64, 16] @ 0:32
.sbuf c u8[32, 64]  @ 32:16
.sbuf d f32[64, 16]
@vector
"""


def places(region: Region) -> set[tuple[int, int, int]]:
    """Every byte of a region: its area, its row, and where it is there."""
    first, count, step = region.rows
    runs = region.spans().tolist()
    rows = range(first, first + count * step, step) if step else [first]
    return {(region.area, n, at) for n in rows for low, high in runs for at in range(low, high)}


def piece(chance: random.Random) -> str:
    """A part of a tensor: mostly of all rows or all columns."""
    name = chance.choice("aabcd")
    rows, width = (32, 64) if name == "c" else (64, 16)
    row = chance.choice((f"0:{rows}", "0:32", f"{rows - 32}:{rows}", "0:32"))
    low = chance.choice((0, width // 2, chance.randrange(width)))
    high = chance.choice((width, chance.randrange(low + 1, width + 1)))
    return f"{name}[{row}, {low}:{high}:{chance.choice((1, 1, 1, 2))}]"


@pytest.mark.parametrize("seed", part(range(80), 20))
def test_what_is_initialised_is_what_was_written(seed: int) -> None:
    chance = random.Random(seed)
    written = [piece(chance) for _ in range(chance.randrange(1, 14))]
    half = len(written) // 2
    session = nasm.Session(HEAD + "\n".join(f"Memset {one}, 1" for one in written))
    addresses = session.machine.addresses
    regions = [addresses.region(session.view(one)) for one in written]

    def compare(count: int) -> int:
        marks = set().union(*map(places, regions[:count]))
        found = 0
        for _ in range(25):
            access = addresses.access(session.view(piece(chance)))
            missing = not places(access.region) <= marks
            assert access.uninitialised == missing, (written[:count], access.region)
            found += not missing
        return found

    session.run(max_instructions=half)
    compare(half)
    assert session.run().status.name == "FINISHED"
    seen = compare(len(written))
    session.restart()
    session.run(max_instructions=half)
    compare(half)
    assert seen or len(written) < 8
