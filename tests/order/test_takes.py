"""Late takes that can do no harm: nothing of the kind is said of what can hang."""

from __future__ import annotations

from nasm.order.late_takes import always_ends
from tests.order.judged import clocks
from tests.order.oracle import TooLarge, Walk
from tests.order.skeletons import PURSES, SETS, drawn

STATES = 20_000


def test_what_is_proved_to_end_ends_in_every_execution() -> None:
    proved = late = 0
    for kind in (PURSES, SETS):
        for seed in range(100):
            one = drawn(seed, kind)
            order = clocks(one)
            ends = always_ends(order.taken)
            if kind == SETS and not ends:
                continue
            try:
                walk = Walk(one.skeleton, STATES)
            except TooLarge:
                continue
            assert not (ends and walk.stuck), (kind, seed)
            if list(order.late_takes()) and not walk.stuck:
                late, proved = late + 1, proved + ends
    assert late > 5
    assert proved > 0.9 * late  # of the skeletons that cannot hang few are still spoken of
