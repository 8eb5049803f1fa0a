"""A result that lands in pieces: once one of them was read, the others are not lost."""

from __future__ import annotations

from typing import Any

import pytest

from nasm.machine.lost_results import Losses, TrackedBytes
from nasm.views.regions import Region

FIRST, LATER = (0, 0), (1, 0)
"""A transfer, and an instruction that overwrites what it has written."""


class Clock:
    acting: Any = None


class Bytes:
    def __init__(self, low: int) -> None:
        self.low, self.high = low, low + 4
        self.region = Region("0.sbuf", (0, 1, 1), low, low + 4, low, ((1, 4),), 1, area=0)


class Lines:
    def line(self, queue: int, pc: int) -> tuple[int, int]:
        return queue, pc


@pytest.mark.parametrize("read", [False, True])
def test_pieces_that_land_after_one_was_read_are_not_lost(read: bool) -> None:
    clock = Clock()
    losses = Losses(Lines(), clock)  # type: ignore[arg-type]
    area = losses.area(0)
    places: list[TrackedBytes] = [area.tracked(Bytes(4 * n), True) for n in range(3)]  # type: ignore[arg-type]
    result = losses.begin(FIRST, len(places))
    for number, place in enumerate(places):
        clock.acting = FIRST
        area.wrote(place)
        losses.landed(result, 1, [place])
        if read and not number:
            clock.acting = LATER
            area.read(place)
    clock.acting = LATER
    for place in places[1:]:
        area.wrote(place)
    assert not list(losses.lost)
    area.wrote(places[0])
    assert [line for line, _ in losses.lost] == ([] if read else [FIRST])
