"""Whether a view is all of its tensor, and whether a region is a plain run: by every byte."""

from __future__ import annotations

import random

from nasm.base.dtypes import DTYPES
from nasm.program.footprint.layout import Regions
from nasm.targets import TARGETS
from nasm.views.regions import Region
from nasm.views.tensor import Tensor
from nasm.views.view import View

MEMORIES = TARGETS["trn2"]().generation("trn2").memories  # type: ignore[union-attr]


def test_a_view_is_whole_if_it_equals_the_view_of_the_whole_tensor() -> None:
    draw, found = random.Random(1), set()
    for _ in range(2_000):
        shape = tuple(draw.choice((1, 2, 4)) for _ in range(draw.choice((2, 3))))
        tensor = Tensor("t", MEMORIES[draw.choice(("sbuf", "hbm"))], DTYPES["float32"], shape)
        view = View.whole(tensor)
        for _ in range(draw.choice((0, 0, 1, 2))):
            axis = draw.randrange(len(shape))
            first = draw.randrange(shape[axis])
            view = View.whole(tensor)[(*[slice(None)] * axis, slice(first, None))]
        if draw.random() < 0.2:
            view = view.view("int32")
        assert view.is_whole == (view == View.whole(tensor))
        found.add(view.is_whole)
    assert found == {True, False}


def test_a_region_is_dense_if_it_touches_every_byte_between_its_ends() -> None:
    draw, found = random.Random(2), set()
    for _ in range(2_000):
        size = draw.choice((1, 2, 4))
        axes = draw.choice((1, 1, 2))
        dims = tuple(
            (size * draw.choice((-2, -1, 0, 1, 2, 3)), draw.choice((1, 2, 3))) for _ in range(axes)
        )
        starts = [0]
        for step, count in dims:
            starts = [at + step * n for at in starts for n in range(count)]
        touched = {at + n for at in starts for n in range(size)}
        low, high = min(touched), max(touched) + 1
        region = Region("0.sbuf", (0, 1, 1), low, high, 0, dims, size)
        if axes == 1:
            assert region.dense == (len(touched) == high - low)
        elif region.dense:
            assert len(touched) == high - low
        found.add(region.dense)
    assert found == {True, False}


def test_a_region_is_one_object_wherever_views_name_the_same_bytes() -> None:
    memory, regions = MEMORIES["sbuf"], Regions()
    one, other = (
        Tensor(name, memory, DTYPES["float32"], (128, 64), partition=0, offset=at, index=n)
        for n, (name, at) in enumerate((("a", 256), ("b", 512)))
    )
    assert regions.of(View.whole(one)) is regions.of(View.whole(one))
    apart = regions.of(View.whole(one)), regions.of(View.whole(other))
    assert [(r.low, r.high, r.start) for r in apart] == [(256, 512, 256), (512, 768, 512)]
    assert apart[0].dims == apart[1].dims
