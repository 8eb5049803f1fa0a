"""What info time shows, of the toy's countdown and of programs."""

from __future__ import annotations

import re

import pytest

from nasm.debugger.session import Session
from tests.repl.conftest import Tried
from tests.repl.test_seeing import PROGRAMS

HERE = """\
       0.0 ns                             here, 53.3 ns v
alpha  ##==##=####==####.................................
beta   ###dddddddddddddddddddddddddddd#########..........
ring 0             =#########=

# busy  . nothing left
waits for  d DMA  = its own result
of a ring . to #: one in eight to all of its channels at
  work
a character is 1.067 ns, and shows what most of it was
engine  busy  cycles it waited for
alpha      6  3 its own result, 17 nothing left
beta       4  9 DMA, 3 nothing left
last completed: beta pc 2, line 14: Add y, x, x  $done >= 1;
  it did not wait
"""


@pytest.mark.parametrize("color", ["never", "always"])
def test_the_countdown_by_hand(toy: Tried, color: str) -> None:
    """A cycle of alpha is 3 ticks, of beta 5; there are 1,500 in a µs, and 80 in the run.

    Alpha works in 0..3 (Set), 6..9 (Count, which needs the result of Set, there at 6), 12..18
    (Loop, Count), 21..27; beta in 0..5, from 50, when Move has landed, to 65.
    """
    toy.shell.settings.width = 60
    toy.shell.settings.color = color
    said = toy.does("run", "info time")
    assert re.sub(r"\x1b\[[\d;]*m", "", said) == HERE


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("program", ["matmul_k", "softmax", "countdown"])
def test_every_line_fits(bare: Tried, program: str, width: int) -> None:
    bare.shell.adopt(Session(str(PROGRAMS / f"{program}.nasm")))
    bare.shell.settings.width = width
    bare.shell.settings.plain = True
    said = bare.does("run", "info time")
    assert said.isascii()
    lines = said.splitlines()
    assert max(map(len, lines)) <= width
    ends = {len(line) for line in lines if re.match(r"\w+ +[#a-z.=?%|&-]+$", line)}
    assert ends == {len(lines[0])}  # the mark of now stands above the last character of each


def test_a_shorter_stretch_ends_here_as_well(toy: Tried) -> None:
    toy.shell.settings.width = 60
    said = toy.does("run", "info time 6").splitlines()  # 18 ticks, a cell each
    assert said[:4] == [
        "       41.3 ns here, 53.3 ns v",
        "alpha  ..................",
        "beta   ###...............",
        "ring 0",
    ]


@pytest.mark.parametrize("given", ["x", "0", "-3", "1e3", "½"])
def test_a_number_of_cycles_is_one(toy: Tried, given: str) -> None:
    assert f"no number of cycles '{given}'" in toy.does("step", f"info time {given}")


def test_before_the_start_there_is_nothing(toy: Tried) -> None:
    assert toy.does("info time") == "not started: 'step' or 'run' begins\n"
