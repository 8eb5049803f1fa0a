"""What moments cost: as much for each round, however many there are."""

from __future__ import annotations

from collections.abc import Callable
from cProfile import Profile

import pytest

import nasm

HEAD = """\
.target trn2
.hbm   X  f32[{rounds} * 128, 64]  input = iota
.hbm   Y  f32[{rounds} * 128, 64]  output
.for i in 0..2
.sbuf  x{{i}}  f32[128, 64]
.sbuf  y{{i}}  f32[128, 64]
.end
"""
UNROLLED = f"""{HEAD}
.for k in 0..{{rounds}}
@sync DmaCopy x{{{{k % 2}}}}, X[k*128 : +128, :]  after made[k - 2] if k >= 2  post load[k]
@vector TensorScalar y{{{{k % 2}}}}, x{{{{k % 2}}}}, op0=add, operand0=1 \
  after load[k], store[k - 2] if k >= 2  post made[k]
@scalar DmaCopy Y[k*128 : +128, :], y{{{{k % 2}}}}  after made[k]  post store[k]
.end
"""
LOOP = f"""{HEAD}
.loop k in 0..{{rounds}} step 2
.for i in 0..2
@sync DmaCopy x{{{{i}}}}, X[(k + i)*128 : +128, :]  after made[k + i - 2]  post load[k + i]
@vector TensorScalar y{{{{i}}}}, x{{{{i}}}}, op0=add, operand0=1 \
  after load[k + i], store[k + i - 2]  post made[k + i]
@scalar DmaCopy Y[(k + i)*128 : +128, :], y{{{{i}}}}  after made[k + i]  post store[k + i]
.end
.end
@scalar .drain
"""


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
