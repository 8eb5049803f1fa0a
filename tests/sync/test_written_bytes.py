"""Which elements of a tile were written, against an array of marks."""

from __future__ import annotations

import random

import numpy as np
import pytest

import nasm
from nasm.sync.written_bytes import WrittenMarks
from nasm.views.view import View
from tests.parts import part

TEXT = ".target trn2\n.sbuf t f32[16, 24] @ 0:64\n@vector Nop\n"


def cut(chance: random.Random, size: int) -> slice:
    """Some of an axis, mostly in one piece."""
    low = chance.randrange(size)
    high = chance.randrange(low + 1, size + 1)
    return slice(low, high, chance.choice((1, 1, 1, 1, 2, 3)))


@pytest.mark.parametrize("seed", part(range(120), 30))
def test_what_is_missing_is_what_an_array_of_marks_says(seed: int) -> None:
    chance = random.Random(seed)
    session = nasm.Session(TEXT)
    tensor, region = session.program.tensors["t"], session.machine.addresses.region
    marks = WrittenMarks(tensor, lambda: region(View.whole(tensor)))
    wanted = np.zeros((16, 24), np.bool_)
    for _ in range(40):
        rows = chance.choice((slice(0, 16), slice(0, 16), slice(0, 8), cut(chance, 16)))
        columns = cut(chance, 24)
        place = region(View.whole(tensor).index([rows, columns]))
        if chance.random() < 0.5:
            marks.write(place)
            wanted[rows, columns] = True
        else:
            assert marks.missing(place) == np.count_nonzero(~wanted[rows, columns])
        assert not marks.all or wanted.all()


def test_pieces_that_are_all_of_a_tile_are_all_of_it() -> None:
    session = nasm.Session(TEXT)
    tensor, region = session.program.tensors["t"], session.machine.addresses.region
    marks = WrittenMarks(tensor, lambda: region(View.whole(tensor)))
    for low, high in ((16, 24), (0, 9), (9, 16)):
        assert not marks.all
        marks.write(region(View.whole(tensor).index([slice(0, 16), slice(low, high)])))
    assert marks.all
