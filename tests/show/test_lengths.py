"""In which unit parts of a run are shown: enough digits that a part of a hundred can be told."""

from __future__ import annotations

import pytest

from nasm.debugger.session import Session
from nasm.show.profile import bound_lines, screen
from nasm.show.time_units import Lengths
from nasm.show.timeline import shown

TEXT = """\
.target wormhole
@t0
SEMPOST SemaphoreMask=2
SEMPOST SemaphoreMask=1
"""


@pytest.mark.parametrize(
    ("longest", "micro", "said", "finely"),
    [
        (571.4, 100.96, "101.0 µs", "100.960 µs"),
        (10.0, 0.05, "0.1 µs", "0.050 µs"),
        (9.999, 1.2346, "1,235 ns", "1,235 ns"),
        (0.138, 0.1, "100 ns", "100 ns"),
        (0.0999, 0.05, "50.0 ns", "50.0 ns"),
    ],
)
def test_parts_are_shown_in_the_unit_that_the_whole_asks_for(
    longest: float, micro: float, said: str, finely: str
) -> None:
    lengths = Lengths.up_to(longest)
    assert (lengths.with_unit(micro), lengths.finely(micro)) == (said, finely)


def test_a_run_of_few_cycles_is_profiled_in_nanoseconds() -> None:
    session = Session(TEXT, profile=True, values=False)
    session.run()
    found = session.profile()
    assert found.microseconds == 0.002  # a cycle each, at 1 GHz
    bounds = [line.plain for line in bound_lines(found.bounds, 80, Lengths.up_to(0.002))]
    assert bounds[0].split() == ["bound", "ns", "gap"]
    assert bounds[1].split() == ["total_time", "2.0"]
    lines = [str(part) for part in screen(found)]
    assert any(line.split() == ["total_time", "2.0"] for line in lines)
    drawn = [line.plain for line in shown(session.timeline(80), 1000)]
    assert drawn[0].split() == ["0.0", "ns", "2.0", "ns"]
    assert drawn[-1].startswith("a character is 1 ns, ")
