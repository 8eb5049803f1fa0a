"""Semaphores against plain integers, and their bounds."""

from __future__ import annotations

import random

from nasm.targets.tensix.sync.semaphores import SEMGET, SEMINIT, SEMPOST
from tests.parts import part
from tests.tensix.scalar.cores import made


def test_random_operations_count_as_plain_integers_do() -> None:
    draw = random.Random(3)
    core = made()
    model = [[0, 0] for _ in range(8)]
    for _ in part(range(3000), 600):
        mask, what = draw.getrandbits(8), draw.choice("ippggg")
        most, value = draw.randrange(16), draw.randrange(16)
        if what == "i":
            SEMINIT(core, 0, most, value, mask)
        else:
            (SEMPOST if what == "p" else SEMGET)(core, 0, mask)
        for i in range(8):
            if mask >> i & 1 and what == "i":
                model[i] = [value, most]
            elif mask >> i & 1 and what == "p":
                model[i][0] = min(model[i][0] + 1, 15)
            elif mask >> i & 1:
                model[i][0] = max(model[i][0] - 1, 0)
        assert core.semaphores.tolist() == model


def test_a_post_goes_past_the_maximum_up_to_15() -> None:
    core = made()
    SEMINIT(core, 0, 1, 0, 0b100)
    for _ in range(20):
        SEMPOST(core, 0, 0b100)
    assert core.semaphores[2].tolist() == [15, 1]
    assert not core.semaphores[[0, 1, 3, 4, 5, 6, 7]].any()


def test_a_get_stops_at_0() -> None:
    core = made()
    SEMGET(core, 0, 0xFF)
    assert not core.semaphores.any()
