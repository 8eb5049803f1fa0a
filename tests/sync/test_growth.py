"""What moments cost: as much for each round, however many there are."""

from __future__ import annotations

from collections.abc import Callable
from cProfile import Profile

import pytest

import nasm
from tests.bench.moments import LOOP, UNROLLED


def assembled(text: str) -> Callable[[], object]:
    """Assembles a text."""
    return lambda: nasm.assemble(text)


def judged(text: str) -> Callable[[], object]:
    """Runs a text without values and judges its order."""
    program = nasm.assemble(text)
    return lambda: nasm.run(program, values=False)


def calls(work: Callable[[], object], room: str) -> int:
    """How many functions of a room are called: what it costs, the same on every host."""
    profile = Profile()
    profile.runcall(work)
    found = profile.getstats()
    return sum(e.callcount for e in found if room in getattr(e.code, "co_filename", ""))


@pytest.mark.parametrize(
    ("text", "made", "room"), [(UNROLLED, assembled, "nasm/sync/"), (LOOP, judged, "nasm/order/")]
)
def test_three_times_as_many_rounds_cost_three_times_as_much(
    text: str, made: Callable[[str], Callable[[], object]], room: str
) -> None:
    few, many = (calls(made(text.format(rounds=rounds)), room) for rounds in (40, 120))
    assert 2 * few < many < 3.2 * few
